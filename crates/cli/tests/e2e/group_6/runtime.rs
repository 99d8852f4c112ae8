//! A runtime that fails while it makes a conversation: each way fails its own seat alone.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use seatfork_testkit::claude_home::ClaudeHome as _;
use seatfork_testkit::fake::{Act, ChildChange, Phase, Script, Stream};
use serde_json::{Value, json};

use super::exit;
use crate::support::{Faked, Rig, assert_failed, kept, runs, seat, text, timed};

/// A key as runtimes print them in errors.
const KEY: &str = "sk-ant-REDACTED";

/// A member, what its runtime does, and the failure that is to come of it: code, step.
type Case = (&'static str, Vec<Act>, &'static str, &'static str);

/// Ways to fail, of a conversation that is to be made.
fn ways() -> Vec<Case> {
    let hang = |stubborn| Act::Hang { stubborn };
    let said = Act::Flood { mebibytes: 1, to: Stream::Stderr };
    let stranger = "11111111-2222-4333-8444-555555555555".to_owned();
    vec![
        (
            "exits",
            vec![exit(3, "\u{1b}[31mhalf a\u{7}", &format!("no: {KEY}\n"))],
            "phase1-failed",
            "fork",
        ),
        ("mute", vec![exit(0, "", "")], "phase1-failed", "fork"),
        ("babbles", vec![exit(0, "{\"session_id\":7}", "")], "phase1-failed", "fork"),
        ("hangs", vec![said.clone(), hang(false)], "phase1-timeout", "fork"),
        ("stubborn", vec![said, hang(true)], "phase1-timeout", "fork"),
        ("lies", vec![Act::LieSuccess], "child-missing", "prove"),
        ("other-id", vec![Act::AnswerId { id: stranger }], "child-id-mismatch", "learn"),
        ("asks-model", vec![Act::CallModel], "phase1-called-the-model", "fork"),
        ("killed-late", vec![Act::DieAfterWriting { code: None }], "phase1-failed", "fork"),
        ("exits-late", vec![Act::DieAfterWriting { code: Some(9) }], "phase1-failed", "fork"),
        ("writes-late", vec![Act::WriteLate { ms: 600 }], "child-missing", "prove"),
    ]
}

/// Ways to fail that only a fork has.
fn ways_of_forks() -> Vec<Case> {
    let child = |change| Act::Child { change };
    vec![
        ("source-id", vec![Act::AnswerSourceId], "child-is-source", "learn"),
        ("no-byte", vec![child(ChildChange::ZeroBytes)], "child-empty", "prove"),
    ]
}

// SPEC 7, 10: each way to fail fails its own seat alone: outcome, code, step, words kept, process ended, no token.
#[test]
fn each_way_a_runtime_fails_fails_its_own_seat_alone_and_keeps_its_words() {
    let mut forks = ways();
    forks.extend(ways_of_forks());
    timed("forks", || failing(Phase::Fork, &forks));
    timed("fresh ones", || failing(Phase::Fresh, &ways()));
}

fn failing(phase: Phase, cases: &[Case]) {
    let mut script = Script::faithful();
    for (nth, (_, acts, ..)) in cases.iter().enumerate() {
        script = script.on_nth(phase, nth, acts.clone());
    }
    let place = Faked::told(&script);
    let add = |rig: Rig, id| match phase {
        Phase::Fork => rig.fork(id, &place.parent.id),
        _ => rig.fresh(id),
    };
    let rig = cases.iter().fold(Rig::named("review"), |rig, (id, ..)| add(rig, id));
    place.rig(&add(rig, "good"));
    // One after the other, so that the nth call is the nth member's.
    let up = ["up", "--json", "--jobs", "1", "--phase1-timeout", "2", "work/rig.yaml"];
    let up = place.run(up).exits(1);
    let report = up.json();
    let calls = place.fake.asked(phase);
    assert_eq!(calls.len(), cases.len() + 1);
    let kept = kept(&place);
    for ((id, acts, code, step), call) in cases.iter().zip(&calls) {
        let seat = seat(&report, id);
        assert_failed(seat, code, step);
        assert!(!runs(call.pid), "{id}: its process goes on");
        words_are_kept(seat, acts, &kept);
        let child = call.option("--session-id").unwrap();
        leftover_is_named(&place, seat, child);
    }
    let good = seat(&report, "good");
    assert_eq!((&good["action"], &good["process_state"]), (&json!("created"), &json!("ready")));
    assert_eq!(place.tmux_sessions().len(), 1, "only the good one has a pane");
    assert_eq!(place.stub.requests().len(), 0);
    place.source_is_unchanged();
    // What a process that was left behind would have written a moment later is not there.
    thread::sleep(Duration::from_millis(700));
    let late = cases.iter().position(|(id, ..)| *id == "writes-late").unwrap();
    let late = calls[late].option("--session-id").unwrap();
    assert!(place.transcripts_of(late).is_empty(), "a child that came late");
    ps_says_the_same(&place, &report, cases);
    told_to_people(&place, cases);
    mended(&place, phase, &report, cases);
}

/// The runtime's own words: verbatim in a private file, with no secret and no escape where they are shown.
fn words_are_kept(seat: &Value, acts: &[Act], kept: &[(PathBuf, Vec<u8>)]) {
    let shown = seat["error"]["output"].as_str().unwrap_or_default();
    match &acts[0] {
        Act::Exit { stdout, stderr, .. } => {
            for said in [stdout, stderr].into_iter().filter(|said| !said.is_empty()) {
                assert!(kept.iter().any(|(_, bytes)| bytes == said.as_bytes()), "{said:?} is lost");
            }
            if stderr.contains(KEY) {
                assert!(shown.contains("no: sk-a…[masked]") && shown.contains("half a"), "{shown}");
                assert!(!seat.to_string().contains(KEY), "{seat:#}");
            }
        }
        Act::Flood { .. } => {
            assert!(shown.contains("all work and no play"), "{seat:#}");
            assert!(kept.iter().any(|(_, bytes)| bytes.len() == 1 << 20), "a mebibyte of words");
        }
        // It said success; that too is kept, and the file is named.
        _ => {
            let named = |(path, _): &&(PathBuf, Vec<u8>)| {
                seat["error"].to_string().contains(path.to_str().unwrap())
            };
            let died = matches!(acts[0], Act::DieAfterWriting { .. });
            let found = kept.iter().find(named);
            assert!(died || found.is_some_and(|(_, bytes)| !bytes.is_empty()), "{seat:#}");
        }
    }
}

/// What was made all the same is named, left where it is, and is nobody's token.
fn leftover_is_named(place: &Faked, seat: &Value, child: &str) {
    let message = text(seat, "/error/message");
    match &place.transcripts_of(child)[..] {
        [] => assert!(!message.contains("what exists now"), "{message}"),
        [path] => {
            assert!(
                message.contains(child) && message.contains(path.to_str().unwrap()),
                "{message}"
            );
        }
        more => panic!("{child} in {more:?}"),
    }
}

/// `ps` tells of the latest launch what `up` told.
fn ps_says_the_same(place: &Faked, report: &Value, cases: &[Case]) {
    let (code, ps) = place.ps();
    assert_eq!(code, 1);
    for (id, ..) in cases {
        let (now, then) = (seat(&ps, id), seat(report, id));
        for fact in ["continuity_outcome", "launch_state", "failed_step", "token", "attempt"] {
            assert_eq!(now[fact], then[fact], "{fact} of {id}");
        }
        for fact in ["code", "message", "hint"] {
            assert_eq!(now["error"][fact], then["error"][fact], "{fact} of {id}");
        }
    }
}

/// The same in words: no control character of a runtime, no secret, each failure in its row.
fn told_to_people(place: &Faked, cases: &[Case]) {
    let said = place.run(["ps", "review"]).exits(1);
    for text in [said.stdout(), said.stderr()] {
        let control = |c: char| c.is_control() && c != '\n';
        assert!(!text.contains(control) && !text.contains(KEY), "{text:?}");
    }
    for (id, ..) in cases {
        let row = said.stdout().lines().find(|line| line.starts_with(&format!("dev-{id}@")));
        assert!(row.is_some_and(|row| row.contains("failed")), "{id} in {said}");
    }
}

/// Once the runtime behaves, only those that failed are tried anew, each under a new id; a child that bears the mark
/// of a failed attempt is named and left alone.
fn mended(place: &Faked, phase: Phase, before: &Value, cases: &[Case]) {
    let old = place.fake.asked(phase);
    place.fake.script(&Script::faithful());
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(place.fake.asked(phase).len(), old.len() + cases.len());
    let good = seat(&report, "good");
    assert_eq!(
        (&good["action"], &good["token"]),
        (&json!("unchanged"), &seat(before, "good")["token"])
    );
    for ((id, ..), call) in cases.iter().zip(&old) {
        let seat = seat(&report, id);
        assert_eq!((&seat["action"], &seat["attempt"]), (&json!("created"), &json!(2)), "{id}");
        let child = call.option("--session-id").unwrap();
        assert_ne!(text(seat, "/token"), child, "{id}: an id of a failed attempt is burned");
        let left = !place.transcripts_of(child).is_empty();
        let told = seat["warnings"].as_array().unwrap().iter().any(|warning| {
            ["orphan-found", "partial-child"].contains(&text(warning, "/code"))
                && text(warning, "/message").contains(child)
        });
        assert_eq!(told, left, "{id}: {seat:#}");
    }
    place.source_is_unchanged();
}
