//! `validate`, `explain`, `schema`: the verbs of somebody who writes a spec.

use std::fs;
use std::process::Stdio;

use serde_json::json;
use tempfile::TempDir;

use crate::run::{command, run, run_with};

const VALID: &str = "\
version: '0.2'
name: review
pods:
  - id: dev
    label: Dev
    members:
      - id: reviewer-2
        runtime: claude-code
        agent_ref: specs/agents/reviewer.yaml
        profile: reviewer
        cwd: .
        session_source:
          mode: fork
          ref: {kind: native_id, value: 0b0165d7-cb4d-4650-90de-15c0a1ede9e6}
      - {id: scribe, runtime: codex, agent_ref: a.yaml, profile: p, cwd: .}
";

fn files() -> TempDir {
    let dir = TempDir::new().unwrap();
    let refused =
        VALID.replace("kind: native_id", "kind: last").replace("profile: p,", "profil: p,");
    fs::write(dir.path().join("rig.yaml"), VALID).unwrap();
    fs::write(dir.path().join("refused.yaml"), refused).unwrap();
    fs::write(dir.path().join("warned.yaml"), format!("{VALID}summary:\n")).unwrap();
    dir
}

// SPEC 13: a valid spec is one line on stdout and exit 0.
#[test]
fn a_valid_spec_is_one_line_and_exit_0() {
    let dir = files();
    let run = run(dir.path(), &["validate", "rig.yaml"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(
        run.stdout,
        "rig.yaml: ok, rig \"review\", 2 members (1 fork, 1 fresh), 0 warnings\n"
    );
}

// SPEC 2, 13: refusals are talk, the verdict is data, the exit is 3.
#[test]
fn a_refused_spec_is_shown_on_stderr_and_exit_3() {
    let dir = files();
    let run = run(dir.path(), &["validate", "refused.yaml"]);
    assert_eq!(run.code, 3);
    assert_eq!(run.stdout, "refused.yaml: refused, 3 errors, 0 warnings\n");
    insta::assert_snapshot!("validate__refused", run.stderr);
}

// SPEC 2: a warning is said and does not refuse.
#[test]
fn a_warning_does_not_refuse() {
    let dir = files();
    let run = run(dir.path(), &["validate", "warned.yaml"]);
    assert_eq!(run.code, 0);
    assert!(run.stdout.ends_with(", 1 warning\n"), "{run:?}");
    assert!(run.stderr.starts_with("warning[empty-optional-key]: summary: "), "{run:?}");
}

// SPEC 13: `validate --json` is the shape others build on.
#[test]
fn validate_as_json_is_the_shape_of_the_contract() {
    let dir = files();
    let refused = run(dir.path(), &["validate", "--json", "refused.yaml"]);
    assert_eq!((refused.code, refused.stderr.as_str()), (3, ""));
    insta::assert_snapshot!("validate__refused.json", refused.stdout);

    let valid = run(dir.path(), &["validate", "--json", "--normal-form", "rig.yaml"]);
    assert_eq!(valid.code, 0);
    insta::assert_snapshot!("validate__valid.json", valid.stdout);
}

// SPEC 13: stdin is `-`, and several files are `results`.
#[test]
fn stdin_and_several_files() {
    let dir = files();
    let stdin = run_with(dir.path(), &["validate", "-"], VALID.as_bytes());
    assert!(stdin.stdout.starts_with("<stdin>: ok, "), "{stdin:?}");

    let three = run(dir.path(), &["validate", "--json", "rig.yaml", "refused.yaml", "none.yaml"]);
    let json = three.json();
    assert_eq!((three.code, &json["ok"], &json["schema_version"]), (4, &json!(false), &json!(1)));
    let told: Vec<_> = json["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| (&r["file"], &r["ok"], &r["code"]))
        .collect();
    assert_eq!(
        told,
        [
            (&json!("rig.yaml"), &json!(true), &json!(null)),
            (&json!("refused.yaml"), &json!(false), &json!(null)),
            (&json!("none.yaml"), &json!(false), &json!("file-not-found")),
        ]
    );
    let two = run(dir.path(), &["validate", "rig.yaml", "refused.yaml"]);
    assert_eq!((two.code, two.stdout.lines().count()), (3, 2));
    let twice = run(dir.path(), &["validate", "-", "-"]);
    assert_eq!(twice.code, 2);
}

// SPEC 13: a file that is not there is exit 4, said in the form that was asked for.
// code: file-not-found, file-unreadable
#[test]
fn a_missing_file_is_exit_4() {
    let dir = files();
    let text = run(dir.path(), &["validate", "none.yaml"]);
    assert_eq!((text.code, text.stdout.as_str()), (4, ""));
    assert!(text.stderr.starts_with("error[file-not-found]: no file none.yaml\n"), "{text:?}");
    let json = run(dir.path(), &["validate", "--json", "none.yaml"]);
    assert_eq!((json.code, json.stderr.as_str()), (4, ""));
    assert_eq!(json.json()["code"], "file-not-found");
    let directory = run(dir.path(), &["validate", "--json", "."]);
    assert_eq!((directory.code, &directory.json()["code"]), (4, &json!("file-unreadable")));
}

// SPEC 5, 13: `--normal-form` prints canonical YAML, which is valid and prints itself.
#[test]
fn the_normal_form_prints_itself() {
    let dir = files();
    let first = run(dir.path(), &["validate", "--normal-form", "rig.yaml"]);
    assert_eq!(first.code, 0);
    insta::assert_snapshot!("validate__normal_form", first.stdout);
    let second = run_with(dir.path(), &["validate", "--normal-form", "-"], first.stdout.as_bytes());
    assert_eq!(second.stdout, first.stdout);
    let refused = run(dir.path(), &["validate", "--normal-form", "refused.yaml"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (3, ""));
}

// SPEC 2: a payload takes its pod from the file or from `--pod`.
#[test]
fn a_payload_takes_its_pod_from_the_command_line() {
    let dir = files();
    let payload = b"members: [{id: a, runtime: pixir, agent_ref: a, profile: p, cwd: .}]\n";
    let run = run_with(dir.path(), &["validate", "--json", "--pod", "dev", "-"], payload);
    assert_eq!((run.code, &run.json()["document"]), (0, &json!("payload")));
    let bad = run_with(dir.path(), &["validate", "--json", "--pod", "a b", "-"], payload);
    assert_eq!((bad.code, &bad.json()["code"]), (2, &json!("usage")));
}

// SPEC 13: a reader that went away is no error, and what was found still decides.
#[test]
fn a_closed_pipe_is_a_quiet_exit() {
    let dir = files();
    for (file, code) in [("rig.yaml", 0), ("refused.yaml", 3)] {
        let mut child = command(dir.path(), &["validate", "--json", file])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(code), Vec::new()));
    }
}

// SPEC 13: colour only where it is asked for; NO_COLOR and a pipe have none.
#[test]
fn colour_is_off_unless_asked_for() {
    let dir = files();
    let plain = run(dir.path(), &["validate", "refused.yaml"]);
    assert!(!plain.stderr.contains('\u{1b}'));
    let colour = run(dir.path(), &["validate", "--color", "always", "refused.yaml"]);
    assert!(colour.stderr.contains("\u{1b}[") && !colour.stdout.contains('\u{1b}'));
}

// SPEC 4, 13: every code is explained, with an example; a wrong one is answered with a near one.
// code: code-unknown
#[test]
fn codes_are_explained() {
    let dir = files();
    let list = run(dir.path(), &["explain"]);
    assert_eq!(list.code, 0);
    for code in seatfork_schema::Code::ALL {
        assert!(list.stdout.contains(code.as_str()), "{code}");
        let page = run(dir.path(), &["explain", code.as_str()]);
        assert_eq!(page.code, 0, "{code}");
        let json = run(dir.path(), &["explain", "--json", code.as_str()]).json();
        assert_eq!((&json["ok"], &json["code"]), (&json!(true), &json!(code.as_str())));
    }
    insta::assert_snapshot!(
        "explain__fork-kind-weaker",
        run(dir.path(), &["explain", "fork-kind-weaker"]).stdout
    );
    let wrong = run(dir.path(), &["explain", "fork-kind-weeker"]);
    assert_eq!(wrong.code, 4);
    assert!(wrong.stderr.contains("did you mean \"fork-kind-weaker\"?"), "{wrong:?}");
    let json = run(dir.path(), &["explain", "--json", "nothing-like-it"]);
    assert_eq!((json.code, &json.json()["code"]), (4, &json!("code-unknown")));
    assert!(
        run(dir.path(), &["explain", "--json"]).json()["codes"].as_array().unwrap().len()
            >= seatfork_schema::Code::ALL.len()
    );
}

// SPEC 5, 13: the printed schema is the committed one.
#[test]
fn the_schema_is_the_committed_one() {
    let dir = files();
    let printed = run(dir.path(), &["schema"]);
    assert_eq!(printed.code, 0);
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/rig.schema.json");
    let found = fs::read_to_string(committed).unwrap_or_default();
    assert_eq!(found, printed.stdout, "run `seatfork schema > schemas/rig.schema.json`");
}

// SPEC 15: what v1 defers is refused with that reason, at its own place: a fork from a file, and one across hosts.
#[test]
fn what_is_deferred_is_refused_with_its_reason() {
    let dir = files();
    let member = |source: &str| {
        format!(
            "version: '1'\nname: r\npods:\n- id: p\n  label: P\n  members:\n  - {{id: a, runtime: claude-code, \
             agent_ref: a, profile: p, cwd: ., session_source: {{mode: fork, {source}}}}}\n"
        )
    };
    let id = "0b0165d7-cb4d-4650-90de-15c0a1ede9e6";
    for (source, code, path, reason) in [
        (
            "ref: {kind: artifact_path, value: a.jsonl}".to_owned(),
            "fork-kind-deferred",
            "ref.kind",
            "deferred to follow-up slice",
        ),
        (
            format!("host: b, ref: {{kind: native_id, value: {id}}}"),
            "fork-host-deferred",
            "host",
            "forks across hosts are deferred",
        ),
        (
            format!("ref: {{kind: native_id, value: {id}, host: b}}"),
            "fork-host-deferred",
            "ref.host",
            "forks across hosts are deferred",
        ),
    ] {
        fs::write(dir.path().join("deferred.yaml"), member(&source)).unwrap();
        for verb in ["validate", "plan", "up"] {
            let refused = run(dir.path(), &[verb, "--json", "deferred.yaml"]);
            assert_eq!(refused.code, 3, "{verb} {source}: {refused:?}");
            let json = refused.json();
            let all = if verb == "validate" {
                &json["diagnostics"]
            } else {
                &json["details"]["diagnostics"]
            };
            let [only] = &all.as_array().unwrap()[..] else { panic!("{json:#}") };
            let place = format!("pods[0].members[0].session_source.{path}");
            assert_eq!((&only["code"], &only["path"]), (&json!(code), &json!(place)));
            assert!(only["message"].as_str().unwrap().contains(reason), "{only}");
        }
    }
}
