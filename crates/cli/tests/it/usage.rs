//! The command line itself: help, version, usage errors, completions, the manual.

use std::path::Path;

use crate::run::run;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

// SPEC 13: a wrong command line is exit 2, as text or as JSON.
// code: usage
#[test]
fn a_wrong_command_line_is_exit_2() {
    for args in [&["frobnicate"] as &[_], &["validate"], &[], &["validate", "--nope", "x"]] {
        let text = run(here(), args);
        assert_eq!((text.code, text.stdout.as_str()), (2, ""), "{args:?}");
        assert!(!text.stderr.is_empty());
    }
    let json = run(here(), &["--json", "validate"]);
    assert_eq!((json.code, json.stderr.as_str()), (2, ""));
    let object = json.json();
    assert_eq!((&object["ok"], &object["code"]), (&false.into(), &"usage".into()));
    assert!(object["message"].as_str().unwrap().contains("<FILE>"), "{object}");
}

// SPEC 13: a verb of the contract that is not in this build is said to be that, and is no typo.
#[test]
fn a_verb_that_is_not_in_this_build_is_exit_7() {
    for verb in
        ["fork", "restore", "expand", "shrink", "handover", "send", "logs", "image", "config"]
    {
        let text = run(here(), &[verb, "x", "--rig", "r"]);
        assert_eq!((text.code, text.stdout.as_str()), (7, ""), "{verb}");
        let said = format!("error[not-in-this-build]: this build has no {verb} yet");
        assert!(text.stderr.starts_with(&said), "{text:?}");
        let json = run(here(), &["--json", verb]);
        assert_eq!((json.code, &json.json()["code"]), (7, &"not-in-this-build".into()), "{verb}");
        let man = run(here(), &["man", "--json", verb]);
        assert_eq!((man.code, &man.json()["code"]), (7, &"not-in-this-build".into()), "man {verb}");
    }
}

// SPEC 14: the words of the command line are somebody's too; what complains of them is harmless on a terminal.
#[test]
fn a_usage_error_shows_nothing_that_acts_on_a_terminal() {
    for colour in [&[] as &[_], &["--color=always"]] {
        let args: Vec<_> = ["\u{1b}[31mx\u{202e}"].iter().chain(colour).copied().collect();
        let said = run(here(), &args);
        assert_eq!(said.code, 2);
        assert!(!said.stderr.contains(['\u{1b}', '\u{202e}']), "{said:?}");
    }
}

// SPEC 13: the schema is a schema as it is, and part of one object with --json.
#[test]
fn the_schema_is_one_object_with_json() {
    let plain = run(here(), &["schema"]).json();
    assert!(plain["$schema"].is_string() && plain["ok"].is_null());
    let object = run(here(), &["schema", "--json"]).json();
    assert_eq!((&object["schema_version"], &object["ok"]), (&1.into(), &true.into()));
    assert_eq!(object["schema"], plain);
}

// SPEC 13: help and version are data; the version carries the build's identity; every flag names its variable.
#[test]
fn help_and_version_are_data() {
    let version = run(here(), &["--version"]);
    assert_eq!(version.code, 0);
    assert!(
        version.stdout.starts_with(concat!("seatfork ", env!("CARGO_PKG_VERSION"), " (")),
        "{version:?}"
    );
    let help = run(here(), &["validate", "--help"]);
    assert_eq!(help.code, 0);
    insta::assert_snapshot!("help__validate", help.stdout);
    for flag in help.stdout.split("\n      --").skip(1) {
        assert!(flag.contains("[env: SEATFORK_"), "--{flag}");
    }
}

// SPEC 13: an environment variable does what its flag does.
#[test]
fn a_variable_does_what_its_flag_does() {
    for (value, json) in [("1", true), ("true", true), ("0", false), ("", false), ("no", false)] {
        let output = crate::run::command(here(), &["validate", "none.yaml"])
            .env("SEATFORK_JSON", value)
            .output()
            .unwrap();
        assert_eq!(output.stdout.starts_with(b"{"), json, "SEATFORK_JSON={value}");
    }
}

// SPEC 13: completions and the manual come from the same definitions as the help.
// code: verb-unknown
#[test]
fn completions_and_manual_are_printed() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(here(), &["completions", shell]);
        assert_eq!(script.code, 0);
        assert!(script.stdout.contains("validate"), "{shell}");
        assert_eq!(run(here(), &["completions", "--json", shell]).json()["shell"], shell);
    }
    let man = run(here(), &["man"]);
    assert!(
        man.stdout.contains("EXIT STATUS") && man.stdout.contains("the spec is refused"),
        "{man:?}"
    );
    assert!(run(here(), &["man", "validate"]).stdout.contains("normal\\-form"));
    let none = run(here(), &["man", "--json", "nope"]);
    assert_eq!((none.code, &none.json()["code"]), (4, &"verb-unknown".into()));
}
