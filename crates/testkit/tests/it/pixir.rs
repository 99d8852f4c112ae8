//! The checker of session logs, held against the logs made by hand.

use seatfork_testkit::pixir::{
    CANONICAL, REPLAYED, Workspace, check_cold, check_fork, check_resources, check_warm_start,
    faults, fold, replayed, root_of,
};

const SEED: &str = "20260303T080000-aaaaaa";
const FORK: &str = "20260303T090000-bbbbbb";
const WARM: &str = "20260303T100000-cccccc";
const FORK_OF_WARM: &str = "20260303T110000-dddddd";
const COLD: &str = "20260303T120000-eeeeee";
const EVERY_TYPE: &str = "20260302T090000-a1b2c3";

fn marker_text(family: &Workspace) -> String {
    let events = fold(&family.log(WARM)).unwrap();
    events.iter().find_map(|e| e.text("marker_kind").and(e.text("text"))).unwrap()
}

#[test]
fn the_logs_made_by_hand_hold_every_type() {
    let plain = Workspace::of("plain");
    let mut held: Vec<_> =
        fold(&plain.log(EVERY_TYPE)).unwrap().into_iter().map(|event| event.kind).collect();
    held.push(fold(&Workspace::of("family").log(FORK)).unwrap()[0].kind.clone());
    for kind in CANONICAL {
        assert!(held.iter().any(|found| found == kind), "no {kind}");
    }
    assert_eq!(REPLAYED.len(), 9);
    assert_eq!(faults(EVERY_TYPE, &plain.bytes(EVERY_TYPE)), [""; 0]);
}

#[test]
fn a_torn_tail_a_bad_line_and_an_unknown_type_refuse_the_whole_log() {
    let torn = Workspace::of("torn");
    for (session, line) in [
        ("torn-tail", Some(4)),
        ("no-newline", None),
        ("glued", Some(4)),
        ("blank-and-crlf", None),
        ("torn-utf8", Some(4)),
        ("only-a-fragment", Some(1)),
        ("zero-bytes", None),
        ("zero-tail", Some(4)),
    ] {
        let refused = fold(&torn.log(session)).err().map(|refused| refused.line);
        assert_eq!(refused, line, "{session}");
    }
    let damaged = Workspace::of("damaged");
    for session in
        ["unknown-type", "ephemeral-type", "not-utf8", "lone-surrogate", "bare-control", "not-json"]
    {
        assert_eq!(fold(&damaged.log(session)).unwrap_err().line, 2, "{session}");
    }
    assert_eq!(fold(&damaged.log("byte-order-mark")).unwrap_err().line, 1);
}

#[test]
fn what_pixir_takes_and_we_must_not_write_is_a_fault() {
    let damaged = Workspace::of("damaged");
    for session in [
        "seq-null",
        "seq-text",
        "seq-twice",
        "seq-fraction",
        "seq-negative",
        "foreign-session",
        "data-a-list",
        "extra-key",
        "seq-gap",
        "seq-backwards",
    ] {
        assert!(fold(&damaged.log(session)).is_ok(), "{session}");
        assert!(!faults(session, &damaged.bytes(session)).is_empty(), "{session}");
    }
    let late = fold(&damaged.log("late-root")).unwrap();
    assert_eq!(root_of("late-root", &late), "late-root", "a root counts on the first line only");
    let forged = fold(&damaged.log("forged-root")).unwrap();
    assert_eq!(root_of("forged-root", &forged), "forged-root", "a root is a session's id");
    let without_seq = fold(&damaged.log("seq-null")).unwrap();
    assert_eq!(replayed(&without_seq).len(), 2, "Pixir drops what has no number");
}

#[test]
fn the_children_made_by_hand_are_children_of_their_seeds() {
    let family = Workspace::of("family");
    let nothing = [""; 0];
    assert_eq!(check_fork((&family, SEED), (&family, FORK), Some(5)), nothing);
    assert_eq!(check_fork((&family, WARM), (&family, FORK_OF_WARM), None), nothing);
    let text = marker_text(&family);
    assert_eq!(check_warm_start((&family, FORK), (&family, WARM), &text), nothing);
    assert_eq!(check_cold((&family, COLD)), nothing);
    assert_eq!(root_of(WARM, &fold(&family.log(WARM)).unwrap()), SEED);
}

#[test]
fn a_child_that_differs_from_its_seed_is_told() {
    let text = marker_text(&Workspace::of("family"));
    let edits: [(&str, &str, &str); 9] = [
        ("SQLite is built twice.", "SQLite is built once.", "line 5"),
        (
            "\"parent_session_id\":\"20260303T090000-bbbbbb\",\"parent_workspace\"",
            "\"parent_session_id\":\"x\",\"parent_workspace\"",
            "parent_session_id",
        ),
        (
            "\"replay_event_count\":6,\"source\"",
            "\"replay_event_count\":5,\"source\"",
            "replay_event_count",
        ),
        ("\"forked_to_seq\":7", "\"forked_to_seq\":9", "forked_to_seq"),
        ("\"marker_kind\":\"lineage_boundary_v1\"", "\"marker_kind\":\"v0\"", "marker_kind"),
        ("delegate_warm_start", "somewhere", "delegate_warm_start"),
        ("evidence, not authority", "an order", "text"),
        ("\"seq\":3,", "\"seq\":4,", "the number"),
        ("\"lineage_boundary\":true", "\"lineage_boundary\":false", "lineage_boundary"),
    ];
    for (old, new, told) in edits {
        let family = Workspace::of("family");
        let child = String::from_utf8(family.bytes(WARM)).unwrap();
        assert!(child.contains(old), "{old}");
        family.write(WARM, child.replacen(old, new, 1));
        let wrong = check_warm_start((&family, FORK), (&family, WARM), &text);
        assert!(wrong.iter().any(|wrong| wrong.contains(told)), "{told}: {wrong:?}");
    }
    let family = Workspace::of("family");
    let child = String::from_utf8(family.bytes(WARM)).unwrap();
    let without: Vec<_> = child
        .lines()
        .enumerate()
        .filter(|(at, _)| *at != 3)
        .map(|(_, line)| format!("{line}\n"))
        .collect();
    family.write(WARM, without.concat());
    assert!(!check_warm_start((&family, FORK), (&family, WARM), &text).is_empty());
}

#[test]
fn payloads_are_held_to_their_sums_and_to_what_names_them() {
    let plain = Workspace::of("plain");
    let me = || (&plain, EVERY_TYPE);
    assert_eq!(check_resources(me(), me()), [""; 0]);
    let folder = plain.resources(EVERY_TYPE).join("res_0011223344556677");
    let payload = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&payload).unwrap();
    std::fs::write(&payload, b"another picture").unwrap();
    assert!(check_resources(me(), me())[0].contains("has the sum"));
    std::fs::write(&payload, bytes).unwrap();
    std::fs::write(folder.join("stray.png"), b"x").unwrap();
    assert!(check_resources(me(), me())[0].contains("no event names it"));
}
