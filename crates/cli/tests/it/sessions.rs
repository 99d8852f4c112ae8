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
    let pi = claude.run(["sessions", "--runtime", "pi", "--json"]).exits(1).json();
    assert_eq!(pi["unread"][0]["error"]["code"], "not-in-this-build");
    let codex = claude.run(["sessions", "--runtime", "codex", "--json"]).exits(0).json();
    assert_eq!(codex["sessions"], json!([]), "it never ran here");
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

/// What is done to a transcript.
type Change<'t> = &'t dyn Fn(&mut Vec<u8>);

// SPEC 12: what the list calls forkable is what a plan can fork; what was not read whole is not said to be either.
#[test]
fn the_list_and_the_plan_judge_alike() {
    let large = format!("{{\"type\":\"note\",\"x\":\"{}\"}}\n", "y".repeat(5 * 1024 * 1024));
    let damage: [(&str, Change<'_>, serde_json::Value); 6] = [
        ("whole", &|_| {}, json!(true)),
        ("torn", &|text| text.truncate(text.len() - 9), json!(false)),
        ("cut off", &|text| text.extend(b"{\"type\":\"user\",\"uuid"), json!(false)),
        ("garbage", &|text| drop(text.splice(300..320, [0xff; 20])), json!(false)),
        ("large", &|text| text.extend(large.as_bytes()), json!(null)),
        (
            "large and damaged",
            &|text| {
                text.extend(large.as_bytes());
                text.splice(300..320, [0xff; 20]);
            },
            json!(null),
        ),
    ];
    for (what, change, forkable) in damage {
        let claude = Claude::new();
        claude.one_fork();
        let mut text = fs::read(&claude.parent.path).unwrap();
        change(&mut text);
        fs::write(&claude.parent.path, text).unwrap();
        let list = claude.run(["sessions", "--all", "--json"]).exits(0).json();
        let said = &list["sessions"][0];
        assert_eq!(said["forkable"], forkable, "{what}: {said:#}");
        let plan = claude.run(["plan", "--json", "work/rig.yaml"]).json();
        if let Some(forkable) = forkable.as_bool() {
            assert_eq!(plan["ok"], forkable, "{what}: {plan:#}");
        }
        // One that is named is read whole, as a plan reads it.
        let spec = claude.run(["sessions", "--json", "--print-spec", &claude.parent.id]).json();
        assert_eq!(spec["ok"], plan["ok"], "{what}: {spec:#} {plan:#}");
    }
}

// SPEC 14: what was said in a conversation acts on no terminal, in text or in JSON; a program reads it as it was.
#[test]
fn a_title_that_would_act_on_a_terminal_is_harmless() {
    let claude = Claude::new();
    let title = "odd\u{202e}\u{9b}31m\u{200b}";
    let row = json!({"type": "custom-title", "customTitle": title, "sessionId": claude.parent.id});
    let mut text = fs::read_to_string(&claude.parent.path).unwrap();
    text = format!("{text}{row}\n");
    fs::write(&claude.parent.path, text).unwrap();
    for form in [&["sessions", "--all", "--json"] as &[_], &["sessions", "--all"]] {
        let said = claude.run(form).exits(0);
        let acts = |c: char| c != '\n' && !seatfork_schema::printable::is_printable(c);
        assert!(!said.stdout().contains(acts), "{form:?}: {said}");
    }
    let json = claude.run(["sessions", "--all", "--json"]).exits(0).json();
    assert_eq!(json["sessions"][0]["preview"], title);
}
