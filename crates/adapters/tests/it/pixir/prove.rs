//! The proof is by bytes: nothing missing, changed, swapped or foreign passes.

use super::home::{Home, SEED};
use seatfork_adapters::ProveError;
use seatfork_schema::{ProofGrade, ProofStatus};
use std::io::Write;

fn append(home: &Home, session: &str, text: &str) {
    let mut file = std::fs::OpenOptions::new().append(true).open(home.files.log(session)).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn event(session: &str, seq: u64, kind: &str, data: &str) -> String {
    format!(
        "{{\"data\":{data},\"id\":\"00000000000000{seq:02x}\",\"seq\":{seq},\"session_id\":\"{session}\",\"ts\":\"2026-03-04T00:00:00.000000Z\",\"type\":\"{kind}\"}}\n"
    )
}

// SPEC 8: L3 by bytes, every record counted, what is not inherited said.
#[test]
fn a_child_as_it_was_written_is_proved_by_its_content() {
    let home = Home::new();
    let source = home.proved("child");
    for proof in [home.untouched(Some(&source), "child"), home.later(Some(&source), "child")] {
        let proof = proof.unwrap();
        assert_eq!((proof.grade, proof.status), (ProofGrade::L3, ProofStatus::Proved));
        assert_eq!(proof.detail, "content proved 7/7, not inherited: 1 provider_usage");
        let inherited = proof.inherited.unwrap();
        assert_eq!((inherited.records, inherited.depends_on_source), (7, false));
        assert_eq!(inherited.last_record.as_deref(), Some("seq 7"));
    }
}

/// What is done to a child's text, and what is said of it.
type Edit = (&'static str, Box<dyn Fn(&str) -> String>, &'static str);

// SPEC 8: one changed, missing, swapped or foreign record is failed, with both hashes.
// code: proof-failed
#[test]
fn a_child_that_was_tampered_with_is_refuted() {
    let swap = |text: &str, a: usize, b: usize| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.swap(a, b);
        renumbered(&lines)
    };
    let without = |text: &str, at: usize| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.remove(at);
        renumbered(&lines)
    };
    let edits: Vec<Edit> = vec![
        ("a word", Box::new(|t| t.replacen("built twice", "built thrice", 1)), "in place of"),
        (
            "a time",
            Box::new(|t| t.replacen("08:00:03.001003Z", "08:00:03.001004Z", 1)),
            "in place of",
        ),
        ("an order", Box::new(move |t| swap(t, 2, 3)), "in place of"),
        ("a record less", Box::new(move |t| without(t, 4)), "in place of"),
        (
            "another seed",
            Box::new(|t| {
                t.replacen(
                    &format!("\"parent_session_id\":\"{SEED}\""),
                    "\"parent_session_id\":\"x\"",
                    1,
                )
            }),
            "another parent",
        ),
        (
            "another root",
            Box::new(|t| {
                t.replacen(
                    &format!("\"fork_root_session_id\":\"{SEED}\""),
                    "\"fork_root_session_id\":\"x\"",
                    1,
                )
            }),
            "another root",
        ),
        (
            "a smaller count",
            Box::new(|t| t.replacen("\"replay_event_count\":7", "\"replay_event_count\":6", 1)),
            "inherits 6 of 7",
        ),
        (
            "another end",
            Box::new(|t| t.replacen("\"forked_to_seq\":7", "\"forked_to_seq\":6", 1)),
            "seq",
        ),
        (
            "a plain fork",
            Box::new(|t| t.replacen("delegate_warm_start", "delegate_cold_start", 1)),
            "names no seed",
        ),
        (
            "another boundary",
            Box::new(|t| t.replacen("Only what follows this notice binds you.", "", 1)),
            "boundary_missing",
        ),
        (
            "no posture",
            Box::new(|t| t.split_inclusive('\n').take(9).collect()),
            "missing_current_posture",
        ),
        (
            "a line of nobody's",
            Box::new(|t| t.to_owned() + &event("child", 10, "user_message", "{}")),
            "11 events where 10",
        ),
        ("half a line more", Box::new(|t| t.to_owned() + "{\"data\":"), "8 bytes more"),
        ("half a line less", Box::new(|t| t[..t.len() - 9].to_owned()), "posture"),
    ];
    for (what, edit, said) in edits {
        let home = Home::new();
        let source = home.proved("child");
        let was = home.text("child");
        let now = edit(&was);
        assert_ne!(now, was, "{what}");
        home.files.write("child", now);
        match home.untouched(Some(&source), "child") {
            Err(ProveError::Refuted { code, message }) => {
                assert_eq!(code, "proof-failed", "{what}: {message}");
                assert!(message.contains(said), "{what}: {message}");
            }
            other => panic!("{what}: {other:?}"),
        }
    }
}

/// The lines with the numbers their places ask for.
fn renumbered(lines: &[String]) -> String {
    let number = |(at, line): (usize, &String)| {
        let (before, rest) = line.split_once("\"seq\":").unwrap();
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        format!("{before}\"seq\":{at}{rest}\n")
    };
    // The last key named so is the event's own: the data of these stands before it and holds none.
    lines.iter().enumerate().map(number).collect()
}

// SPEC 8: an empty child, none, and one of another history are failed.
// code: child-missing, child-empty
#[test]
fn no_child_an_empty_one_and_anothers_are_refuted() {
    let home = Home::new();
    let source = home.resolve(SEED).unwrap();
    let code = |child: &str| match home.untouched(Some(&source), child) {
        Err(ProveError::Refuted { code, .. }) => code,
        other => panic!("{child}: {other:?}"),
    };
    assert_eq!(code("nobody"), "child-missing");
    home.files.write("empty", "");
    assert_eq!(code("empty"), "child-empty");
    assert_eq!(code("20260303T100000-cccccc"), "proof-failed", "a child of another seed");
    assert_eq!(code("20260303T120000-eeeeee"), "proof-failed", "a log of its own");
    assert!(home.untouched(None, "20260303T120000-eeeeee").is_err(), "not as a fresh one is made");
    match home.later(Some(&source), "nobody") {
        Err(ProveError::Unverifiable { code, .. }) => assert_eq!(code, "child-missing"),
        other => panic!("{other:?}"),
    }
}

// SPEC 8: what the child's own user said later is no fault; before the pane it is.
#[test]
fn a_child_that_is_gone_on_with_is_still_proved() {
    let home = Home::new();
    let source = home.proved("child");
    append(&home, "child", &event("child", 10, "user_message", "{\"text\":\"go on\"}"));
    append(&home, "child", "{\"data\":{\"text\":\"being wri");
    assert_eq!(home.later(Some(&source), "child").unwrap().grade, ProofGrade::L3);
    assert!(home.untouched(Some(&source), "child").is_err());
}

// SPEC 8: the source may grow between the looks and after; a change inside what was looked at is told.
// code: source-changed, source-gone
#[test]
fn a_source_may_grow_and_may_not_change() {
    let home = Home::new();
    let source = home.resolve(SEED).unwrap();
    append(&home, SEED, &event(SEED, 8, "user_message", "{\"text\":\"and another\"}"));
    home.make(Some(&source), "child").unwrap();
    let proof = home.untouched(Some(&source), "child").unwrap();
    assert!(proof.detail.starts_with("content proved 8/8, source is live, grew by "), "{proof}");
    append(&home, SEED, &event(SEED, 9, "assistant_message", "{\"text\":\"later\"}"));
    assert!(home.later(Some(&source), "child").unwrap().detail.starts_with("content proved 8/8"));

    let changed = home.text(SEED).replacen("one crate", "two crates", 1);
    home.files.write(SEED, changed);
    match (home.untouched(Some(&source), "child"), home.later(Some(&source), "child")) {
        (
            Err(ProveError::Refuted { code: now, message }),
            Err(ProveError::Unverifiable { code: later, .. }),
        ) => {
            assert_eq!((now.as_str(), later.as_str()), ("source-changed", "source-changed"));
            assert!(message.contains("SHA-256 was ") && message.contains(", is "), "{message}");
        }
        other => panic!("{other:?}"),
    }
    std::fs::remove_file(home.files.log(SEED)).unwrap();
    match home.later(Some(&source), "child") {
        Err(ProveError::Unverifiable { code, .. }) => assert_eq!(code, "source-gone"),
        other => panic!("{other:?}"),
    }
}

// SPEC 8: a torn tail at the first look may become a whole record; the child holds what was whole when it was written.
#[test]
fn a_record_that_becomes_whole_later_is_growth() {
    let home = Home::new();
    let whole = event(SEED, 8, "user_message", "{\"text\":\"slowly\"}");
    append(&home, SEED, &whole[..40]);
    let source = home.resolve(SEED).unwrap();
    home.make(Some(&source), "child").unwrap();
    append(&home, SEED, &whole[40..]);
    let proof = home.untouched(Some(&source), "child").unwrap();
    assert!(proof.detail.starts_with("content proved 7/7, source is live"), "{proof}");
}
