//! A binary that is missing, too old, of another kind, or never answers: nothing is started.

use std::fs;

use seatfork_testkit::fake::{Act, Phase, Script};
use serde_json::{Value, json};

use super::exit;
use crate::support::{Faked, runs, timed};

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
