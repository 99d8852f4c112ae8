//! Runtimes and machines that fail, for Codex.

use std::fs;
use std::thread;
use std::time::Duration;

use seatfork_testkit::codex::CodexHome as _;
use seatfork_testkit::fake::{Act, ChildChange, Phase, Stream};
use serde_json::{Value, json};

use super::with_parent;
use crate::support::{
    Faked, Files, Kind, Rig, Room, assert_failed, id_of, kept, runs, seat, text, timed,
};

fn exit(code: i32, stdout: &str, stderr: &str) -> Act {
    Act::Exit { code, stdout: stdout.to_owned(), stderr: stderr.to_owned() }
}

// SPEC 6, 10: a Codex that is missing, strange, too old for a pane or silent stops everything before anything is started.
#[test]
fn a_codex_that_is_missing_or_strange_stops_everything_before_anything_starts() {
    let place = Faked::codex();
    place.rig(&place.fork_rig().terminal("shell"));
    let mut strange = place.faithful();
    strange.version_line = Some("codex 9 of another kind".to_owned());
    for (what, script, code) in [
        ("another program", strange, "binary-unusable"),
        (
            "fails when asked",
            place.faithful().on(Phase::Version, [exit(7, "", "no")]),
            "binary-unusable",
        ),
        ("without -C", place.faithful().without("--cd"), "binary-too-old"),
    ] {
        place.fake.script(&script);
        refused(&place, code, what);
    }
    fs::remove_file(place.root().join("bin/codex")).unwrap();
    refused(&place, "binary-missing", "missing");
    place.source_is_unchanged();
}

/// Exit 7, said so, and nothing was made: no call for a conversation, no pane, no store.
#[track_caller]
fn refused(place: &Faked, code: &str, what: &str) {
    let json = place.run(["up", "--json", "work/rig.yaml"]).exits(7).json();
    assert_eq!((&json["ok"], &json["code"]), (&json!(false), &json!(code)), "{what}: {json:#}");
    assert!(text(&json, "/message").contains("nothing was started"), "{what}: {json:#}");
    assert_eq!((place.made(), place.fake.asked(Phase::Pane).len()), (0, 0), "{what}");
    assert_eq!(place.tmux_sessions(), [""; 0], "{what}");
    assert!(!place.state_dir().exists(), "{what}: a store was made");
}

/// A member, what its runtime does, and the codes one of which is to come of it.
type Case = (&'static str, Vec<Act>, &'static [&'static str]);

fn ways() -> Vec<Case> {
    let said = Act::Flood { mebibytes: 1, to: Stream::Stderr };
    let stranger = "01a22c29-2222-7333-8444-555555555555".to_owned();
    vec![
        ("exits", vec![exit(3, "half a line", "no: it will not\n")], &["phase1-failed"]),
        ("mute", vec![exit(0, "", "")], &["phase1-failed"]),
        ("hangs", vec![said.clone(), Act::Hang { stubborn: false }], &["phase1-timeout"]),
        ("stubborn", vec![said, Act::Hang { stubborn: true }], &["phase1-timeout"]),
        ("lies", vec![Act::LieSuccess], &["child-missing", "phase1-failed"]),
        (
            "other-id",
            vec![Act::AnswerId { id: stranger }],
            &["child-missing", "phase1-failed", "child-id-mismatch"],
        ),
        ("killed-late", vec![Act::DieAfterWriting { code: None }], &["phase1-failed"]),
        ("exits-late", vec![Act::DieAfterWriting { code: Some(9) }], &["phase1-failed"]),
        ("writes-late", vec![Act::WriteLate { ms: 600 }], &["child-missing", "phase1-failed"]),
    ]
}

// SPEC 7, 10: each way to fail fails its own seat alone: outcome, code, words kept, process ended, no token; another try mends it.
#[test]
fn each_way_codex_fails_fails_its_own_seat_alone_and_keeps_its_words() {
    let mut forks = ways();
    forks.push(("source-id", vec![Act::AnswerSourceId], &["child-is-source", "phase1-failed"]));
    let no_byte = Act::Child { change: ChildChange::ZeroBytes };
    forks.push(("no-byte", vec![no_byte], &["child-empty", "proof-failed", "phase1-failed"]));
    timed("forks", || failing(Phase::Fork, &forks));
    timed("fresh ones", || failing(Phase::Fresh, &ways()));
}

fn failing(phase: Phase, cases: &[Case]) {
    let place = Faked::codex();
    let script = cases.iter().enumerate().fold(place.faithful(), |script, (nth, (_, acts, _))| {
        script.on_nth(phase, nth, acts.clone())
    });
    place.fake.script(&script);
    let add = |rig: Rig, id| match phase {
        Phase::Fork => rig.fork(id, &place.parent.id),
        _ => rig.fresh(id),
    };
    let rig = Rig::named("review").of(Kind::Codex);
    let rig = cases.iter().fold(rig, |rig, (id, ..)| add(rig, id));
    place.rig(&add(rig, "good"));
    // One after the other, so that the nth call is the nth member's.
    let up = ["up", "--json", "--jobs", "1", "--phase1-timeout", "2", "work/rig.yaml"];
    let report = place.run(up).exits(1).json();
    let calls = place.fake.asked(phase);
    assert_eq!(calls.len(), cases.len() + 1, "{report:#}");
    let kept = kept(&place);
    for ((id, acts, codes), call) in cases.iter().zip(&calls) {
        let seat = seat(&report, id);
        let code = text(seat, "/error/code");
        assert!(codes.contains(&code), "{id}: {seat:#}");
        assert_failed(seat, code, text(seat, "/failed_step"));
        assert!(!runs(call.pid), "{id}: its process goes on");
        if let Act::Exit { stderr, .. } = &acts[0] {
            let found = kept.iter().any(|(_, bytes)| bytes == stderr.as_bytes());
            assert!(stderr.is_empty() || found, "{id}: its words are lost");
        }
        if id.ends_with("-late") && *id != "writes-late" {
            // The child it left is named, and stays.
            let said = seat.to_string();
            let named = place.rollouts().iter().any(|file| said.contains(&id_of(file)));
            assert!(named, "{id}: {seat:#}");
        }
    }
    let good = seat(&report, "good");
    assert_eq!((&good["action"], &good["process_state"]), (&json!("created"), &json!("ready")));
    assert_eq!(place.tmux_sessions().len(), 1, "only the good one has a pane");
    place.source_is_unchanged();
    thread::sleep(Duration::from_millis(700));
    mended(&place, &report, cases);
}

/// Faithful again, all come up at their second attempt, and the good one is left.
fn mended(place: &Faked, first: &Value, cases: &[Case]) {
    place.fake.script(&place.faithful());
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    for (id, ..) in cases {
        let seat = seat(&report, id);
        assert_eq!(
            (&seat["attempt"], &seat["process_state"]),
            (&json!(2), &json!("ready")),
            "{seat:#}"
        );
    }
    let good = seat(&report, "good");
    assert_eq!(
        (&good["action"], &good["token"]),
        (&json!("unchanged"), &seat(first, "good")["token"])
    );
}

// SPEC 7, 10: a child that appears late, with the mark of a failed launch, is told as an orphan of ours and never bound by itself.
#[test]
fn a_codex_child_that_comes_late_is_an_orphan_by_its_mark() {
    let place = Faked::codex();
    let late = [Act::WriteLate { ms: 400 }];
    place.fake.script(&place.faithful().on_nth(Phase::Fork, 0, late));
    place.rig(&place.fork_rig());
    let (code, report) = place.up();
    assert_eq!(code, 1, "{report:#}");
    let known = place.rollouts();
    // Whoever was left behind is ended with its group, or has written by now.
    thread::sleep(Duration::from_millis(600));
    let came: Vec<_> = place.rollouts().into_iter().filter(|file| !known.contains(file)).collect();
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    for file in came {
        let a = seat(&report, "a");
        assert_ne!(text(a, "/token"), id_of(&file), "not bound by itself");
        assert!(a["warnings"].to_string().contains(&id_of(&file)), "{a:#}");
    }
    place.source_is_unchanged();
}

// SPEC 6, 7: a pane that fails takes nothing from the conversation: it is forked, its token kept, and brought back later.
#[test]
fn a_codex_pane_that_dies_or_serves_something_else_fails_the_command_and_not_the_conversation() {
    let place = Faked::codex();
    let other = seatfork_testkit::fake::codex::recorded_thread(&place, &place.work, 1);
    let cases = [
        ("at-once", exit(4, "cannot go on\n", ""), "pane-failed"),
        ("silent", Act::Hang { stubborn: false }, "pane-timeout"),
        ("no-record", Act::NoSessionFile, "pane-timeout"),
        ("another", Act::Serve { id: other.id.clone() }, "serves-another-conversation"),
    ];
    let script = cases.iter().enumerate().fold(place.faithful(), |script, (nth, (_, act, _))| {
        script.on_nth(Phase::Pane, nth, [act.clone()])
    });
    place.fake.script(&script);
    let rig = Rig::named("review").of(Kind::Codex);
    place.rig(&cases.iter().fold(rig, |rig, (id, ..)| rig.fork(id, &place.parent.id)));
    let up = ["up", "--json", "--jobs", "1", "--ready-timeout", "2", "work/rig.yaml"];
    let report = place.run(up).exits(1).json();
    for (id, _, code) in &cases {
        let seat = seat(&report, id);
        let facts = (&seat["continuity_outcome"], &seat["launch_state"], text(seat, "/error/code"));
        assert_eq!(facts, (&json!("forked"), &json!("realized"), *code), "{seat:#}");
    }
    place.fake.script(&place.faithful());
    let made = place.made();
    drop(place.run(["down", "review"]).exits(0));
    let (code, again) = place.up();
    assert_eq!(code, 0, "{again:#}");
    assert_eq!(place.made(), made, "nothing is forked twice");
    for (id, ..) in &cases {
        assert_eq!(seat(&again, id)["token"], seat(&report, id)["token"], "{id}");
    }
    place.source_is_unchanged();
}

// SPEC 8, 10: a home that cannot be written and a disk that is full make no seat; with room again another try does, and what was left stays named.
#[test]
fn a_read_only_home_and_a_full_disk_make_no_codex_seat() {
    timed("read-only home", || {
        let (place, parent) = with_parent(1);
        place.rig(&Rig::named("review").of(Kind::Codex).fork("a", &parent.id));
        let source = Files::below([&parent.path]);
        let room = Room::with_read_only(&place, &place.home());
        let report = room.run(&place, &["up", "--json", "work/rig.yaml"]).exits(1).json();
        let failed = seat(&report, "a");
        assert_failed(failed, text(failed, "/error/code"), text(failed, "/failed_step"));
        assert!(!kept(&place).is_empty(), "its words are kept");
        assert_eq!(place.rollouts(), std::slice::from_ref(&parent.path));
        assert_eq!(place.tmux_sessions(), [""; 0]);
        drop(room);
        let (code, report) = place.up();
        assert_eq!((code, &seat(&report, "a")["attempt"]), (0, &json!(2)), "{report:#}");
        assert_eq!(source.changes(&Files::below([&parent.path])), [""; 0]);
    });
    timed("full disk", || {
        let (place, parent) = with_parent(1);
        place.rig(&Rig::named("review").of(Kind::Codex).fork("a", &parent.id));
        let room = Room::with_disk(&place, &place.codex_dir(), 32 << 10);
        let filler = room.fill(&place.codex_dir());
        let report = room.run(&place, &["up", "--json", "work/rig.yaml"]).exits(1).json();
        let failed = seat(&report, "a");
        assert_failed(failed, text(failed, "/error/code"), text(failed, "/failed_step"));
        fs::remove_file(filler).unwrap();
        let report = room.run(&place, &["up", "--json", "work/rig.yaml"]).exits(0).json();
        let again = seat(&report, "a");
        assert_eq!(
            (&again["continuity_outcome"], &again["attempt"]),
            (&json!("forked"), &json!(2))
        );
    });
}
