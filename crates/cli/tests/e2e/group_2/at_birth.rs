//! A child that is not what it should be when it is made: the fake runtime makes it so.

use std::fs;

use seatfork_testkit::claude_home::ClaudeHome as _;
use seatfork_testkit::fake::{Act, ChildChange, Installed, Phase};
use serde_json::{Value, json};

use crate::support::{Files, Place, Rig, assert_failed, each_version, seat, text};

/// A way to be wrong, and what is said of it.
struct Twin {
    member: &'static str,
    change: ChildChange,
    code: &'static str,
    hashes: usize,
}

fn twins(other: &str) -> Vec<Twin> {
    let twin = |member, change, code, hashes| Twin { member, change, code, hashes };
    vec![
        twin("changed", ChildChange::ChangeRecord { at: None }, "proof-failed", 2),
        twin("missing", ChildChange::MissRecord { at: None }, "proof-failed", 2),
        twin("swapped", ChildChange::SwapRecords { at: None }, "proof-failed", 2),
        twin("foreign", ChildChange::ForeignRecord { at: None }, "proof-failed", 2),
        twin("first-changed", ChildChange::ChangeRecord { at: Some(0) }, "proof-failed", 2),
        twin("first-missing", ChildChange::MissRecord { at: Some(0) }, "proof-failed", 2),
        twin("partial", ChildChange::Partial { rows: 5 }, "proof-failed", 2),
        twin("other", ChildChange::OtherHistory { id: other.to_owned() }, "proof-failed", 2),
        twin("inherits-nothing", ChildChange::Empty, "proof-failed", 2),
        twin("field", ChildChange::UnknownField { at: None }, "proof-unknown-difference", 2),
        twin("no-bytes", ChildChange::ZeroBytes, "child-empty", 0),
        twin("torn", ChildChange::TornLastLine, "proof-failed", 0),
        twin("called-as-its-source", ChildChange::SourceSessionId, "proof-failed", 0),
    ]
}

// SPEC 8, 10: a child with a changed, missing, swapped or foreign record is `failed`, with both hashes; nothing opens, nothing is stored as a token.
#[test]
fn a_child_that_is_not_its_sources_history_is_failed() {
    each_version("negative twins", |runtime| {
        let place = Place::new(runtime);
        let parent = place.make_parent(&place.work, 4);
        let other = place.make_parent(&place.work, 1);
        let twins = twins(&other.id);
        let fake = place.fake();
        // The forks are made one after the other, in the order of the spec.
        let script = twins.iter().enumerate().fold(place.faithful(), |script, (nth, twin)| {
            script.on_nth(Phase::Fork, nth, [Act::Child { change: twin.change.clone() }])
        });
        fake.script(&script);
        let rig =
            twins.iter().fold(Rig::named("twins"), |rig, twin| rig.fork(twin.member, &parent.id));
        // The twin that is none: what fails the others is what was changed in them.
        place.rig(&rig.fork("faithful", &parent.id));
        let sources = Files::below([&parent.path, &other.path]);
        let (code, up) = place.up_with(&["--jobs", "1"]);
        assert_eq!(code, 1, "{up:#}");
        let (_, ps) = place.ps();
        for (nth, twin) in twins.iter().enumerate() {
            let asked = &fake.asked(Phase::Fork)[nth];
            assert_eq!(asked.option("--name"), Some(&*format!("dev-{}@twins", twin.member)));
            is_failed(&place, twin, seat(&up, twin.member), asked.option("--session-id").unwrap());
            holds_nothing(twin, seat(&ps, twin.member));
        }
        let faithful = seat(&up, "faithful");
        let facts = (&faithful["continuity_outcome"], &faithful["process_state"]);
        assert_eq!(facts, (&json!("forked"), &json!("ready")), "{faithful:#}");
        assert_eq!(sources.changes(&Files::below([&parent.path, &other.path])), [""; 0]);
        let panes = fake.asked(Phase::Pane);
        assert_eq!(panes.len(), 1, "{panes:#?}");
        assert_eq!(panes[0].option("--resume"), Some(text(faithful, "/token")));
        assert_eq!(place.tmux_sessions().len(), 1);
        is_mended_by_another_try(&place, &fake, &twins, &up);
    });
}

fn is_failed(place: &Place, twin: &Twin, seat: &Value, child: &str) {
    assert_failed(seat, twin.code, "prove");
    let error = &seat["error"];
    let said = format!("{} {}", text(error, "/message"), error["hint"]);
    assert_eq!(hashes(&said).len(), twin.hashes, "{}: {said}", twin.member);
    if let [one, two] = &hashes(&said)[..] {
        assert_ne!(one, two, "{}: {said}", twin.member);
    }
    // What is left of it is named, and stays.
    assert!(said.contains(child), "{}: {child} is not named: {said}", twin.member);
    assert!(place.transcript(&place.work, child).is_file(), "{}", twin.member);
}

/// Nothing of the source or the child is on the seat.
fn holds_nothing(twin: &Twin, seat: &Value) {
    let facts = ["token", "source", "proof", "notice"].map(|fact| seat[fact].clone());
    assert_eq!(facts, [const { Value::Null }; 4], "{}", twin.member);
    assert_eq!(seat["process_state"], "none", "{}", twin.member);
}

/// The words of at least sixteen hexadecimal digits: ids have dashes, versions have dots.
fn hashes(text: &str) -> Vec<&str> {
    let words =
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '/' || c == '.'));
    words.filter(|word| word.len() >= 16 && word.chars().all(|c| c.is_ascii_hexdigit())).collect()
}

/// A failed attempt burns its id and nothing else.
fn is_mended_by_another_try(place: &Place, fake: &Installed, twins: &[Twin], first: &Value) {
    let before: Vec<_> = fake
        .asked(Phase::Fork)
        .iter()
        .map(|asked| asked.option("--session-id").unwrap().to_owned())
        .collect();
    fake.script(&place.faithful());
    let (code, up) = place.up();
    assert_eq!(code, 0, "{up:#}");
    for twin in twins {
        let seat = seat(&up, twin.member);
        assert_eq!((&seat["continuity_outcome"], &seat["attempt"]), (&json!("forked"), &json!(2)));
        assert!(
            !before.contains(&text(seat, "/token").to_owned()),
            "a burned id came back: {seat:#}"
        );
    }
    let faithful = seat(&up, "faithful");
    assert_eq!(
        (&faithful["action"], &faithful["token"]),
        (&json!("unchanged"), &seat(first, "faithful")["token"])
    );
    let leftovers = before.iter().filter(|id| place.transcript(&place.work, id).is_file());
    assert_eq!(leftovers.count(), before.len(), "no conversation is deleted");
    assert!(fs::metadata(place.work.join("rig.yaml")).is_ok());
}
