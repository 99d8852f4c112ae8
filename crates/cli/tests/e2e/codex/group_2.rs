//! Negative twins: children that are not what they should be, at birth and later.

use std::fs;

use seatfork_testkit::codex::{CodexHome as _, CodexThread, make_parent};
use seatfork_testkit::fake::{Act, ChildChange, Phase};
use serde_json::{Value, json};

use super::with_parent;
use crate::support::{Files, Kind, Place, Rig, assert_failed, codex, id_of, seat, text};

/// Twins that have no whole header.
const NO_HEADER: [&str; 2] = ["no-bytes", "torn"];

/// The members, each wrong in its own way. Whatever the way, the seat is `failed` at one of these steps, by one of
/// these codes.
fn twins(other: &str) -> Vec<(&'static str, ChildChange)> {
    vec![
        ("ends-early", ChildChange::MissRecord { at: None }),
        ("ends-within-a-record", ChildChange::ChangeRecord { at: None }),
        ("ordinal-of-another", ChildChange::SwapRecords { at: None }),
        ("partial", ChildChange::Partial { rows: 5 }),
        ("other", ChildChange::OtherHistory { id: other.to_owned() }),
        ("inherits-nothing", ChildChange::Empty),
        ("says-more", ChildChange::ForeignRecord { at: None }),
        ("no-bytes", ChildChange::ZeroBytes),
        ("torn", ChildChange::TornLastLine),
        ("called-as-its-source", ChildChange::SourceSessionId),
    ]
}

// SPEC 8, 10: a child that names another history, less of it, or more, is `failed`; nothing opens, nothing is stored as a token.
#[test]
fn a_codex_child_that_does_not_name_its_sources_history_is_failed() {
    fails_each(&|parent| parent, twins);
}

// SPEC 8, 10: the same of a child that holds a copy: one changed, missing, swapped or foreign record.
#[test]
fn a_codex_child_that_copied_its_source_wrongly_is_failed() {
    fails_each(&|parent| parent.as_legacy(), copied);
}

fn copied(other: &str) -> Vec<(&'static str, ChildChange)> {
    // Two rows that the model is shown stand there, one after the other.
    let at = Some(2);
    vec![
        ("changed", ChildChange::ChangeRecord { at }),
        ("missing", ChildChange::MissRecord { at }),
        ("swapped", ChildChange::SwapRecords { at }),
        ("foreign", ChildChange::ForeignRecord { at }),
        ("partial", ChildChange::Partial { rows: 5 }),
        ("other", ChildChange::OtherHistory { id: other.to_owned() }),
        ("inherits-nothing", ChildChange::Empty),
        ("no-bytes", ChildChange::ZeroBytes),
        ("torn", ChildChange::TornLastLine),
        ("called-as-its-source", ChildChange::SourceSessionId),
    ]
}

fn fails_each(
    make: &dyn Fn(CodexThread) -> CodexThread,
    twins: fn(&str) -> Vec<(&'static str, ChildChange)>,
) {
    let place = Place::new(&codex());
    let parent = make(make_parent(&place, &place.work, 4));
    let other = make(make_parent(&place, &place.work, 1));
    let twins = twins(&other.id);
    let fake = place.fake();
    // The forks are made one after the other, in the order of the spec.
    let script = twins.iter().enumerate().fold(place.faithful(), |script, (nth, (_, change))| {
        script.on_nth(Phase::Fork, nth, [Act::Child { change: change.clone() }])
    });
    fake.script(&script);
    let rig = Rig::named("twins").of(Kind::Codex);
    let rig = twins.iter().fold(rig, |rig, (member, _)| rig.fork(member, &parent.id));
    // The twin that is none: what fails the others is what was changed in them.
    place.rig(&rig.fork("faithful", &parent.id));
    let sources = Files::below([&parent.path, &other.path]);
    let (code, up) = place.up_with(&["--jobs", "1"]);
    assert_eq!(code, 1, "{up:#}");
    let (_, ps) = place.ps();
    for (member, _) in &twins {
        let failed = seat(&up, member);
        let code = text(failed, "/error/code");
        let step = text(failed, "/failed_step");
        // Into what has no whole first line the runtime itself can put nothing.
        let by_runtime = (code, step) == ("phase1-failed", "fork") && NO_HEADER.contains(member);
        let codes = ["proof-failed", "proof-unknown-difference", "child-empty"];
        assert!(by_runtime || codes.contains(&code) && step == "prove", "{member}: {failed:#}");
        assert_failed(failed, code, step);
        let facts =
            ["token", "source", "proof", "notice"].map(|fact| seat(&ps, member)[fact].clone());
        assert_eq!(facts, [const { Value::Null }; 4], "{member}");
    }
    let faithful = seat(&up, "faithful");
    assert_eq!(
        (&faithful["continuity_outcome"], &faithful["process_state"]),
        (&json!("forked"), &json!("ready")),
        "{faithful:#}"
    );
    assert_eq!(sources.changes(&Files::below([&parent.path, &other.path])), [""; 0]);
    assert_eq!(fake.asked(Phase::Pane).len(), 1);
    assert_eq!(place.tmux_sessions().len(), 1);
    // What is left of each stays, and another try makes new ones.
    let left = place.rollouts().len();
    assert!(left > twins.len());
    fake.script(&place.faithful());
    let (code, again) = place.up();
    assert_eq!(code, 0, "{again:#}");
    for (member, _) in &twins {
        let mended = seat(&again, member);
        assert_eq!(
            (&mended["continuity_outcome"], &mended["attempt"]),
            (&json!("forked"), &json!(2))
        );
    }
    assert_eq!(seat(&again, "faithful")["action"], "unchanged");
    assert_eq!(place.rollouts().len(), left + twins.len(), "no conversation is deleted");
}

/// `verify` on what stands there now: status and code of the one fork; nothing of the user's is touched by it.
#[track_caller]
fn verdict(place: &Place, exit: i32) -> (String, Option<String>) {
    let before = Files::below([place.codex_dir().join("sessions"), place.work.clone()]);
    let report = place.run(["verify", "--json"]).exits(exit).json();
    let after = Files::below([place.codex_dir().join("sessions"), place.work.clone()]);
    assert_eq!(before.changes(&after), [""; 0], "verify looks and no more");
    let one = &report["verified"][0];
    assert_eq!(one["outcome"], "forked", "what was stored stays: {one:#}");
    (text(one, "/status").to_owned(), one["code"].as_str().map(str::to_owned))
}

// SPEC 8, 13: a child or the referred bytes changed afterwards are refuted; a record that is gone is unverifiable; as it was, it is proved again.
#[test]
fn a_codex_fork_is_refuted_when_changed_and_unverifiable_when_something_is_gone() {
    let (place, parent) = with_parent(3);
    place.rig(&Rig::named("review").of(Kind::Codex).fork("reviewer", &parent.id));
    let (code, up) = place.up();
    assert_eq!(code, 0, "{up:#}");
    drop(place.run(["down"]).exits(0));
    let child = place.rollout_of(text(seat(&up, "reviewer"), "/token"));
    let (own, whole) =
        (fs::read_to_string(&child).unwrap(), fs::read_to_string(&parent.path).unwrap());
    assert_eq!(verdict(&place, 0).0, "proved");
    // The child names one byte less.
    let bytes = format!("\"end_byte_offset\":{}", whole.len());
    assert!(own.contains(&bytes), "{own}");
    let less = format!("\"end_byte_offset\":{}", whole.len() - 1);
    fs::write(&child, own.replace(&bytes, &less)).unwrap();
    assert_ne!(verdict(&place, 6).0, "proved", "no record ends there");
    fs::write(&child, &own).unwrap();
    // One word of the source is another; its length is the same.
    let word = &parent.codewords[1];
    let other = format!("CODEWORD-{}", "0".repeat(word.len() - 9));
    fs::write(&parent.path, whole.replace(word, &other)).unwrap();
    let (status, _) = verdict(&place, 6);
    assert_ne!(status, "proved", "the referred bytes are others");
    fs::write(&parent.path, &whole).unwrap();
    assert_eq!(verdict(&place, 0).0, "proved");
    let aside = place.root().join("aside");
    for gone in [&parent.path, &child] {
        fs::rename(gone, &aside).unwrap();
        assert_eq!(verdict(&place, 6).0, "unverifiable", "{} is gone", id_of(gone));
        fs::rename(&aside, gone).unwrap();
    }
    assert_eq!(verdict(&place, 0).0, "proved");
    let (_, ps) = place.ps();
    assert_eq!(seat(&ps, "reviewer")["continuity_outcome"], "forked", "{ps:#}");
}
