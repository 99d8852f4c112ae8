//! What failed and interrupted launches leave, and which command `reconcile` names for each (SPEC 7).

use seatfork_testkit::fake::{Act, ChildChange, Phase, Script};
use serde_json::json;

use crate::claude::Claude;

fn failed_with(acts: impl IntoIterator<Item = Act>) -> Claude {
    let claude = Claude::new();
    claude.one_fork();
    claude.fake.script(&Script::faithful().on(Phase::Fork, acts));
    drop(claude.run(["up", "work/rig.yaml"]).exits(1));
    claude
}

// SPEC 7: a leftover that the proof refuses is named as one, wherever the launch failed; nobody is sent to adopt it.
#[test]
fn a_partial_leftover_is_not_offered_for_adoption() {
    let claude = failed_with([
        Act::Child { change: ChildChange::Partial { rows: 3 } },
        Act::DieAfterWriting { code: Some(1) },
    ]);
    let found = claude.run(["reconcile"]).exits(6);
    assert!(found.stdout().contains("partial-child"), "{found}");
    assert!(!found.stdout().contains("--adopt") && !found.stdout().contains("--apply"), "{found}");
    let json = claude.run(["reconcile", "--json"]).exits(6).json();
    assert_eq!(json["items"][0]["next"], json!(null), "{json:#}");
    let again = claude.run(["up", "work/rig.yaml"]);
    assert!(again.stdout().contains("note[partial-child]"), "{again}");
}

// SPEC 7: what has to be named is named with its command; --apply is said only where it does something.
#[test]
fn reconcile_names_the_command_that_helps() {
    let claude = failed_with([Act::DieAfterWriting { code: Some(1) }]);
    let json = claude.run(["reconcile", "--json"]).exits(6).json();
    let item = &json["items"][0];
    let id = item["conversation"]["native_id"].as_str().unwrap();
    let adopt = format!("seatfork reconcile --adopt {id}");
    assert_eq!((&item["code"], &item["next"]), (&json!("orphan-found"), &json!(adopt)));
    for args in [&["reconcile"] as &[_], &["reconcile", "--apply"]] {
        let text = claude.run(args).exits(6);
        assert!(text.stdout().trim_end().ends_with(&format!("Next: {adopt}")), "{text}");
    }
    drop(claude.run(["reconcile", "--adopt", id]).exits(0));

    let mut claude = Claude::new();
    claude.one_fork();
    claude.set("SEATFORK_CRASH_AT", "after-phase1");
    drop(claude.run(["up", "work/rig.yaml"]));
    claude.unset("SEATFORK_CRASH_AT");
    let text = claude.run(["reconcile"]).exits(6);
    assert!(text.stdout().trim_end().ends_with("Next: seatfork reconcile --apply"), "{text}");
}

// SPEC 7: before a new attempt every child of an attempt that came to nothing is named, not the last one's alone.
#[test]
fn every_orphan_of_a_seat_is_named_before_a_new_attempt() {
    let claude = failed_with([Act::DieAfterWriting { code: Some(1) }]);
    drop(claude.run(["up", "work/rig.yaml"]).exits(1));
    claude.fake.script(&Script::faithful());
    let up = claude.run(["up", "work/rig.yaml"]).exits(0);
    for attempt in ["attempt 1,", "attempt 2,"] {
        assert!(up.stdout().contains(attempt), "{attempt} {up}");
    }
}

// SPEC 7, 11: lineage keeps what was forgotten and says that its seat is retired, beside a new one of the same name.
#[test]
fn a_retired_seat_is_told_from_the_new_one_of_its_name() {
    let claude = Claude::new();
    claude.one_fork();
    drop(claude.run(["up", "work/rig.yaml"]).exits(0));
    drop(claude.run(["down", "--forget"]).exits(0));
    drop(claude.run(["up", "work/rig.yaml"]).exits(0));
    let json = claude.run(["lineage", "--json"]).exits(0).json();
    let nodes = json["nodes"].as_array().unwrap();
    let seats: Vec<_> = nodes.iter().filter(|node| node["seat"] != json!(null)).collect();
    let mut retired: Vec<_> = seats.iter().map(|node| node["retired"].as_bool().unwrap()).collect();
    retired.sort_unstable();
    assert_eq!(retired, [false, true], "{json:#}");
    let none = claude.run(["lineage", "--format", "json", "nope"]).exits(4);
    assert_eq!(none.json()["code"], "seat-unknown", "--format json is --json: {none}");
    let text = claude.run(["lineage"]).exits(0);
    assert_eq!(text.stdout().matches("dev-reviewer@review (retired)").count(), 1, "{text}");
}
