//! Runtimes and machines that fail.

use std::fs;
use std::thread;
use std::time::Duration;

use seatfork_testkit::claude_home::ClaudeHome as _;
use seatfork_testkit::fake::{Act, ChildChange, Phase, Script, Stream};
use serde_json::{Value, json};

use crate::support::{
    Faked, Files, Place, Rig, Room, Runtime, assert_failed, codes, each_version, kept, runs, seat,
    text, timed,
};

/// A key as runtimes print them in errors.
const KEY: &str = "sk-ant-REDACTED";

fn exit(code: i32, stdout: &str, stderr: &str) -> Act {
    Act::Exit { code, stdout: stdout.to_owned(), stderr: stderr.to_owned() }
}

// SPEC 6, 10: what is wrong with the binary stops the whole command before anything is started.
#[test]
fn a_binary_that_is_missing_too_old_or_strange_stops_everything_before_anything_starts() {
    let old = ["--safe-mode", "--disable-slash-commands", "--fork-session", "--session-id"];
    let mut cases: Vec<(String, Script, &str)> = old
        .iter()
        .map(|flag| {
            let script = Script::faithful().version("2.0.1").without(flag);
            (format!("without {flag}"), script, "binary-too-old")
        })
        .collect();
    let strange = |what: &str, script| (what.to_owned(), script, "binary-unusable");
    let mut other = Script::faithful();
    other.version_line = Some("claude 9 of another kind".to_owned());
    cases.push(strange("another program", other));
    cases.push(strange(
        "fails when asked",
        Script::faithful().on(Phase::Version, [exit(7, "", "no")]),
    ));
    let no_help = Script::faithful().on(Phase::Help, [exit(0, "", "")]);
    cases.push(("has no help".to_owned(), no_help, "binary-too-old"));
    let place = Faked::new();
    place.rig(&place.fork_rig().terminal("shell"));
    for (what, script, code) in cases {
        place.fake.script(&script);
        timed(&what, || refused(&place, code, &what));
    }
    fs::remove_file(place.root().join("bin/claude")).unwrap();
    refused(&place, "binary-missing", "missing");
    // One in the rig's own tree is none (SPEC 14).
    let mut place = place;
    let bin = place.dir("work/bin");
    std::os::unix::fs::symlink(place.fake.program(), bin.join("claude")).unwrap();
    let path = format!("{}:.:/usr/bin:/bin", bin.display());
    place.env_mut().set("PATH", path);
    refused(&place, "binary-missing", "in the rig's tree");
    place.source_is_unchanged();
}

// SPEC 6, 10: the same for one that never answers; it is ended, not left.
#[test]
fn a_binary_that_never_answers_is_ended_and_stops_everything() {
    let hang = [Act::Hang { stubborn: true }];
    let place = Faked::told(&Script::faithful().on(Phase::Version, hang));
    place.rig(&place.fork_rig());
    let said = timed("never answers", || place.run(["up", "--json", "work/rig.yaml"]));
    assert_refused(&place, &said.exits(7).json(), "binary-unusable", "never answers");
    assert!(place.fake.asked(Phase::Version).iter().all(|asked| !runs(asked.pid)));
}

/// Exit 7, said so, and nothing was made: no call for a conversation, no pane, no store.
#[track_caller]
fn refused(place: &Faked, code: &str, what: &str) {
    let said = place.run(["up", "work/rig.yaml"]);
    assert_eq!(said.code(), 7, "{what}: {said}");
    let (lower, named) = (said.stderr().to_lowercase(), format!("[{code}]"));
    assert!(lower.contains("nothing was started") && lower.contains(&named), "{what}: {said}");
    assert_eq!(said.stdout(), "", "{what}");
    let json = place.run(["up", "--json", "work/rig.yaml"]).exits(7).json();
    assert_refused(place, &json, code, what);
}

#[track_caller]
fn assert_refused(place: &Faked, json: &Value, code: &str, what: &str) {
    assert_eq!((&json["ok"], &json["code"]), (&json!(false), &json!(code)), "{what}: {json:#}");
    assert!(json["hint"].is_string(), "{what}: {json:#}");
    assert_eq!((place.made(), place.fake.asked(Phase::Pane).len()), (0, 0), "{what}");
    assert_eq!(place.tmux_sessions(), [""; 0], "{what}");
    assert!(!place.state_dir().exists(), "{what}: a store was made");
}

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
fn words_are_kept(seat: &Value, acts: &[Act], kept: &[(std::path::PathBuf, Vec<u8>)]) {
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
            let named = |(path, _): &&(std::path::PathBuf, Vec<u8>)| {
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

// SPEC 6, 8: a source that is written to while it is forked: growth is said, a change inside fails the launch.
#[test]
fn a_source_that_is_written_to_meanwhile_is_told_and_a_changed_one_proves_nothing() {
    let place =
        Faked::told(&Script::faithful().on_nth(Phase::Fork, 0, [Act::ChangeSource]).on_nth(
            Phase::Fork,
            1,
            [Act::AppendToSource],
        ));
    place.rig(&place.fork_rig());
    let whole = fs::read(&place.parent.path).unwrap();
    let (code, report) = place.up();
    assert_eq!(code, 1);
    let changed = seat(&report, "a");
    assert_failed(changed, "source-changed", "prove");
    let said = place.run(["ps", "review"]).exits(1);
    assert!(!said.stdout().contains("Sources unchanged"), "{said}");
    // Put right again, it can be forked; what comes after it is no part of the child.
    fs::write(&place.parent.path, &whole).unwrap();
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    let grown = fs::metadata(&place.parent.path).unwrap().len() - whole.len() as u64;
    assert!(grown > 0);
    let detail = text(seat(&report, "a"), "/proof/detail");
    assert!(detail.contains(&format!("grew by {grown} bytes")), "{detail}");
}

// SPEC 6, 7: a pane that fails takes nothing from the conversation: it is forked, its token kept, and brought back later.
#[test]
fn a_pane_that_dies_or_never_is_ready_fails_the_command_and_not_the_conversation() {
    let die = |ms| Act::DieAfter { ms, code: 5 };
    let cases = [
        ("at-once", vec![exit(4, "cannot go on\n", "")], "exited", "pane-failed"),
        ("silent", vec![Act::Hang { stubborn: false }], "starting", "pane-timeout"),
        ("no-record", vec![Act::NoSessionFile], "starting", "pane-timeout"),
        ("stale", vec![Act::StaleStart], "starting", "pane-timeout"),
        ("soon", vec![Act::Slow { ms: 300 }, exit(1, "lost it\n", "")], "exited", "pane-failed"),
    ];
    let mut script = Script::faithful();
    for (nth, (_, acts, ..)) in cases.iter().enumerate() {
        script = script.on_nth(Phase::Pane, nth, acts.clone());
    }
    // The last one comes up and dies a while later.
    script = script.on_nth(Phase::Pane, cases.len(), [die(1500)]);
    let place = Faked::told(&script);
    let rig =
        cases.iter().fold(Rig::named("review"), |rig, (id, ..)| rig.fork(id, &place.parent.id));
    place.rig(&rig.fork("later", &place.parent.id));
    let up = ["up", "--json", "--jobs", "1", "--ready-timeout", "1", "work/rig.yaml"];
    let report = place.run(up).exits(1).json();
    for (id, _, process, code) in &cases {
        let seat = seat(&report, id);
        let facts = ["continuity_outcome", "launch_state", "process_state"];
        let expected = [json!("forked"), json!("realized"), json!(process)];
        assert_eq!(facts.map(|fact| seat[fact].clone()), expected, "{seat:#}");
        assert_eq!(text(seat, "/error/code"), *code, "{seat:#}");
        assert!(seat["token"].is_string() && seat["proof"]["grade"] == "L3", "{seat:#}");
    }
    let words = |id| text(seat(&report, id), "/error/output").to_owned();
    assert!(words("at-once").contains("cannot go on") && words("soon").contains("lost it"));
    assert_eq!(seat(&report, "later")["process_state"], "ready");
    thread::sleep(Duration::from_millis(1500));
    let (code, ps) = place.ps();
    let later = seat(&ps, "later");
    assert_eq!(
        (code, &later["process_state"], &later["continuity_outcome"]),
        (1, &json!("exited"), &json!("forked"))
    );

    place.fake.script(&Script::faithful());
    let made = place.made();
    let down = place.run(["down", "--json", "review"]).exits(0).json();
    assert_eq!(down["ok"], true, "no pane is left: {down:#}");
    let (code, again) = place.up();
    assert_eq!(code, 0, "{again:#}");
    assert_eq!(place.made(), made, "nothing is forked twice");
    for id in cases.iter().map(|(id, ..)| *id).chain(["later"]) {
        let (now, then) = (seat(&again, id), seat(&report, id));
        assert_eq!(
            (&now["token"], &now["continuity_outcome"]),
            (&then["token"], &json!("resumed"))
        );
    }
    place.source_is_unchanged();
}

// SPEC 6, 9: a pane that serves another conversation than the seat's own is told with both ids.
#[test]
fn a_pane_that_serves_something_else_from_the_start_is_a_finding() {
    let other = "99999999-2222-4333-8444-555555555555";
    let script = Script::faithful().on_nth(Phase::Pane, 0, [Act::Serve { id: other.to_owned() }]);
    let place = Faked::told(&script);
    place.rig(&place.fork_rig());
    let report = place.run(["up", "--json", "--strict", "work/rig.yaml"]).exits(6).json();
    let seat = seat(&report, "a");
    assert_eq!(codes(&seat["warnings"]), ["serves-another-conversation"]);
    let message = text(&seat["warnings"][0], "/message");
    assert!(message.contains(other) && message.contains(text(seat, "/token")), "{message}");
}

// SPEC 8, 10: a home that cannot be written: Claude says success, seatfork says what is true.
#[test]
fn a_read_only_home_makes_no_seat_whatever_the_runtime_says() {
    each_version("read-only home", |runtime| {
        let (place, source, id) = with_parent(runtime);
        let room = Room::with_read_only(&place, &place.home());
        let up = timed("  up", || room.run(&place, &["up", "--json", "work/rig.yaml"]));
        let report = up.exits(1).json();
        let failed = seat(&report, "a");
        assert!(
            ["child-missing", "phase1-failed"].contains(&text(failed, "/error/code")),
            "{failed:#}"
        );
        let step = text(failed, "/failed_step").to_owned();
        assert_failed(failed, text(failed, "/error/code"), &step);
        assert!(!kept(&place).is_empty(), "its words are kept");
        nothing_was_made(&place, &source, &id);
        drop(room);
        recovers(&place, &source, 2);
    });
}

// SPEC 8, 10: a disk that is full: what is left of the child is named, never deleted, never used.
#[test]
fn a_full_disk_makes_no_seat_and_names_what_is_left() {
    each_version("full disk", |runtime| {
        let (place, _, id) = with_parent(runtime);
        let room = Room::with_disk(&place, &place.claude_dir(), 8 << 10);
        let filler = room.fill(&place.claude_dir());
        let up = timed("  up", || room.run(&place, &["up", "--json", "work/rig.yaml"]));
        let report = up.exits(1).json();
        let failed = seat(&report, "a");
        let step = text(failed, "/failed_step").to_owned();
        assert_failed(failed, text(failed, "/error/code"), &step);
        assert!(kept(&place).iter().any(|(_, bytes)| !bytes.is_empty()), "its words are kept");
        let projects = room.path(&place.project_dir(&place.work));
        let left: Vec<_> = fs::read_dir(&projects)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
            .filter(|path| !path.ends_with(format!("{id}.jsonl")))
            .collect();
        for path in &left {
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(text(failed, "/error/message").contains(name), "{name} in {failed:#}");
        }
        let source_there = room.path(&place.transcript(&place.work, &id));
        assert_eq!(
            fs::read(source_there).unwrap(),
            fs::read(place.transcript(&place.work, &id)).unwrap()
        );
        // Room again: a new attempt under a new id; what was left stays.
        fs::remove_file(filler).unwrap();
        let report = room.run(&place, &["up", "--json", "work/rig.yaml"]).exits(0).json();
        let seat = seat(&report, "a");
        assert_eq!((&seat["continuity_outcome"], &seat["attempt"]), (&json!("forked"), &json!(2)));
        for path in &left {
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(path.exists() && text(seat, "/token") != name);
            assert!(seat["warnings"].to_string().contains(name), "{seat:#}");
        }
    });
}

/// A place with a real parent and a rig that forks it: the parent's bytes, its id.
fn with_parent(runtime: &Runtime) -> (Place, Files, String) {
    let place = Place::new(runtime);
    let parent = place.make_parent(&place.work, 2);
    place.rig(&Rig::named("review").fork("a", &parent.id));
    (place, Files::below([&parent.path]), parent.id)
}

fn nothing_was_made(place: &Place, source: &Files, id: &str) {
    assert_eq!(place.conversations(), [place.transcript(&place.work, id)]);
    assert_eq!(source.changes(&Files::below([place.transcript(&place.work, id)])), [""; 0]);
    assert_eq!(place.tmux_sessions(), [""; 0]);
}

/// With a home that can be written the seat is made, at a new attempt.
fn recovers(place: &Place, source: &Files, attempt: u32) {
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    let seat = seat(&report, "a");
    let facts = (&seat["continuity_outcome"], &seat["attempt"]);
    assert_eq!(facts, (&json!("forked"), &json!(attempt)));
    let id = text(seat, "/source/native_id");
    assert_eq!(source.changes(&Files::below([place.transcript(&place.work, id)])), [""; 0]);
}
