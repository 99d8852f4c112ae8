//! `sessions`: what can be forked, and the member to paste (SPEC 12, 13).

use std::fs;

use serde_json::json;

use crate::claude::Claude;
use crate::redact::{said, shown};

// SPEC 12: prior conversations across projects, with forkable or why not; here, all, cut, without their words.
// code: source-not-forkable
#[test]
fn sessions_lists_what_can_be_forked_and_what_not() {
    let claude = Claude::new();
    let damaged = claude.another();
    fs::write(&damaged.path, "{}\n").unwrap();
    let here = claude.run_in(&claude.work, ["sessions"]).exits(0);
    let quiet = claude.run_in(&claude.work, ["sessions", "--no-preview", "--limit", "1"]).exits(0);
    let elsewhere = claude.run(["sessions"]).exits(0);
    insta::assert_snapshot!(
        "sessions__list",
        format!("{}{}{}", said(&here), said(&quiet), said(&elsewhere))
    );
    let json = claude.run(["sessions", "--all", "--json"]).exits(0).json();
    let sessions = json["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2);
    let parent = sessions.iter().find(|one| one["native_id"] == claude.parent.id.as_str()).unwrap();
    assert_eq!((&parent["forkable"], &parent["not_forkable"]), (&json!(true), &json!(null)));
    let broken = sessions.iter().find(|one| one["native_id"] == damaged.id.as_str()).unwrap();
    assert_eq!(broken["forkable"], false, "{broken}");
    let refused = claude.run(["sessions", "--json", "--print-spec", &damaged.id]).exits(1).json();
    assert_eq!(refused["code"], "source-not-forkable");
    let codex = claude.run(["sessions", "--runtime", "codex", "--json"]).exits(1).json();
    assert_eq!(codex["unread"][0]["error"]["code"], "not-in-this-build");
}

// SPEC 13: the member that is printed is valid as it stands; an unknown or ambiguous id is exit 4.
#[test]
fn the_member_that_is_printed_is_valid() {
    let claude = Claude::new();
    let printed = claude.run(["sessions", "--print-spec", &claude.parent.id[..8]]).exits(0);
    claude.write("member.yaml", printed.stdout());
    let checked = claude.run(["validate", "--json", "member.yaml"]).exits(0).json();
    assert_eq!(checked["document"], "payload");
    assert!(printed.stdout().contains(&claude.parent.id), "{printed}");
    insta::assert_snapshot!("sessions__print_spec", shown(&printed));
    let none = claude.run(["sessions", "--json", "--print-spec", "00000000"]).exits(4).json();
    assert_eq!(none["code"], "source-not-found");
}
