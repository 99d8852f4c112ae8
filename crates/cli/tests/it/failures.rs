//! What fails, fails at a named step, with nothing started where nothing was, and is told alike as text and JSON.

use std::fs;

use seatfork_testkit::fake::{Act, ChildChange, Phase, Script};
use serde_json::json;

use crate::claude::Claude;
use crate::redact::{said, shown};
use crate::rig::{Rig, seat};

/// What is said of one failed member, as text and as the JSON's error.
fn told(claude: &Claude, extra: &[&str], code: &str) -> String {
    let all = |json: &[&str]| -> Vec<String> {
        [&["up", "work/rig.yaml"], extra, json]
            .concat()
            .iter()
            .map(|arg| (*arg).to_owned())
            .collect()
    };
    let text = claude.run(all(&[])).exits(1);
    let report = claude.run(all(&["--json"])).exits(1).json();
    let failed = seat(&report, "reviewer");
    assert_eq!(failed["error"]["code"], code, "{text}{failed:#}");
    assert_eq!(failed["action"], "failed");
    assert_eq!(failed["token"], json!(null), "a failed launch gives no token");
    let step = failed["failed_step"].as_str().unwrap_or("none");
    format!("{}step: {step}, code: {code}\n\n", said(&text))
}

// SPEC 10: a source that is not there: the runtime, the id, where it was looked for, the nearest; nothing started.
// code: source-not-found, source-damaged, native-id-malformed
#[test]
fn a_source_that_cannot_be_forked_fails_before_anything_starts() {
    let claude = Claude::new();
    let damaged = claude.another();
    let text = fs::read_to_string(&damaged.path).unwrap();
    let middle = text.len() / 2;
    fs::write(&damaged.path, format!("{}\u{0}{}", &text[..middle], &text[middle + 1..])).unwrap();
    let mut texts = String::new();
    let upper = claude.parent.id.to_uppercase();
    for (source, code) in [
        ("0b0165d7-cb4d-4650-90de-15c0a1ede9e6", "source-not-found"),
        (upper.as_str(), "native-id-malformed"),
        ("not-a-uuid", "native-id-malformed"),
        (damaged.id.as_str(), "source-damaged"),
    ] {
        claude.rig(&Rig::named("review").fork("reviewer", source));
        texts.push_str(&told(&claude, &[], code).replace(&upper, "[ID-IN-UPPER-CASE]"));
    }
    insta::assert_snapshot!("failures__source", texts);
    assert!(claude.fake.asked(Phase::Fork).is_empty() && claude.fake.asked(Phase::Pane).is_empty());
}

// SPEC 8, 10: a runtime that lies, fails, hangs or makes another child: failed, with the step, never a seat.
// code: phase1-failed, phase1-timeout, phase1-called-the-model, child-missing, child-is-source, child-empty, proof-failed, proof-unknown-difference
#[test]
fn a_runtime_that_does_not_fork_honestly_fails_its_member() {
    let claude = Claude::new();
    claude.one_fork();
    let exit =
        Act::Exit { code: 3, stdout: String::new(), stderr: "Error: \u{1b}[31mno\n".to_owned() };
    let mut texts = String::new();
    for (act, code) in [
        (exit, "phase1-failed"),
        (Act::Hang { stubborn: false }, "phase1-timeout"),
        (Act::LieSuccess, "child-missing"),
        (Act::AnswerSourceId, "child-is-source"),
        (Act::CallModel, "phase1-called-the-model"),
        (Act::Child { change: ChildChange::ChangeRecord { at: None } }, "proof-failed"),
        (Act::Child { change: ChildChange::Empty }, "proof-failed"),
        (Act::Child { change: ChildChange::ZeroBytes }, "child-empty"),
        (Act::Child { change: ChildChange::UnknownField { at: None } }, "proof-unknown-difference"),
    ] {
        claude.fake.script(&Script::faithful().on(Phase::Fork, [act]));
        texts.push_str(&told(&claude, &["--phase1-timeout", "2"], code));
    }
    insta::assert_snapshot!("failures__runtime", texts);
    assert!(claude.fake.asked(Phase::Pane).is_empty(), "no pane was opened for any of them");
    claude.fake.script(&Script::faithful());
    let mended = seat(&claude.run(["up", "--json", "work/rig.yaml"]).exits(0).json(), "reviewer");
    assert_eq!(mended["continuity_outcome"], "forked");
}

// SPEC 7: one member that fails leaves the others alone, and a mended one is all that is launched.
#[test]
fn a_failed_member_leaves_the_others_and_alone_is_tried_again() {
    let claude = Claude::new();
    let late = claude.another();
    let hidden = late.path.with_extension("hidden");
    fs::rename(&late.path, &hidden).unwrap();
    claude.rig(&Rig::named("review").fork("reviewer", &late.id).fresh("scribe", "."));
    let first = claude.run(["up", "--json", "work/rig.yaml"]).exits(1).json();
    assert_eq!(seat(&first, "scribe")["action"], "created");
    fs::rename(&hidden, &late.path).unwrap();
    let second = claude.run(["up", "--json", "work/rig.yaml"]).exits(0).json();
    assert_eq!(seat(&second, "scribe")["action"], "unchanged");
    let mended = seat(&second, "reviewer");
    assert_eq!((&mended["action"], &mended["attempt"]), (&json!("created"), &json!(2)));
}

// SPEC 6, 7: a binary that is missing or too old stops the whole command, exit 7.
// code: binary-missing, binary-too-old
#[test]
fn a_binary_that_is_missing_or_too_old_stops_everything() {
    let claude = Claude::new();
    claude.one_fork();
    claude.fake.script(&Script::faithful().without("--safe-mode"));
    let old = claude.run(["up", "work/rig.yaml"]).exits(7);
    fs::remove_file(claude.fake.program()).unwrap();
    let missing = claude.run(["up", "work/rig.yaml"]).exits(7);
    insta::assert_snapshot!("failures__binary", shown(&old) + &shown(&missing));
    let json = claude.run(["up", "--json", "work/rig.yaml"]).exits(7).json();
    assert_eq!(json["code"], "binary-missing");
    assert!(!claude.state_dir().exists());
}

// SPEC 6: what this build cannot do is refused by name, never dropped.
// code: not-in-this-build, permission-policy-unsupported, yolo-not-allowed
#[test]
fn what_this_build_cannot_do_is_refused_by_name() {
    let claude = Claude::new();
    let rig = Rig::named("review")
        .member("{id: c, runtime: pi, agent_ref: a.yaml, profile: p, cwd: .}")
        .member("{id: y, runtime: claude-code, agent_ref: a.yaml, profile: p, cwd: ., permission_policy: 'builtin:yolo'}")
        .member("{id: f, runtime: claude-code, agent_ref: a.yaml, profile: p, cwd: ., permission_policy: policy.yaml}")
        .member("{id: s, runtime: claude-code, agent_ref: a.yaml, profile: p, cwd: ., startup: {actions: [{type: send_text, value: hi, phase: after_ready, idempotent: true}]}}");
    claude.rig(&rig);
    let refused = claude.run(["up", "work/rig.yaml"]).exits(7);
    insta::assert_snapshot!("failures__not_in_this_build", shown(&refused));
    claude.one_fork();
    let workspace =
        claude.run(["up", "--json", "--workspace", "x", "work/rig.yaml"]).exits(7).json();
    assert_eq!(workspace["code"], "cwd-missing", "no directory x: {workspace}");
}
