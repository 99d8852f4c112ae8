//! The JSON Schema for editors agrees with the validator wherever it can express the rule (SPEC 5).

mod check;

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::Config;
use seatfork_schema::{Code, Severity, explain};
use serde_json::Value;

use crate::generate::document;
use check::Check;

/// What no JSON Schema says: rules of the text and not of its value, and rules between places far apart.
const BEYOND: &[&str] = &[
    // Of the text: a schema is given what another reader made of it.
    "too-large",
    "not-utf8",
    "multiple-documents",
    "yaml-syntax",
    "yaml-anchor",
    "yaml-alias",
    "yaml-tag",
    "yaml-complex-key",
    "duplicate-key",
    // Between places.
    "duplicate-id",
    "duplicate-repo",
    "default-repo-unknown",
    "seat-name-clash",
    "native-id-names-a-seat",
    "edge-end-unknown",
    "edge-inside-one-pod",
    "edge-to-itself",
    "edge-cycle",
];

/// The example of a code as another reader of YAML has it; `None` where it cannot read it.
fn example(code: Code) -> Option<Value> {
    let example = explain::explain(code.as_str()).and_then(|entry| entry.example).unwrap();
    serde_yaml::from_slice(&example.file()).ok()
}

fn is_error(code: Code) -> bool {
    let example = explain::explain(code.as_str()).and_then(|entry| entry.example).unwrap();
    let outcome = seatfork_codec::parse(&example.file(), &seatfork_codec::Hints::default());
    outcome.diagnostics.iter().any(|found| found.severity == Severity::Error)
}

// SPEC 5: what the validator refuses by a rule that a schema can say, the schema refuses; the rest is named.
#[test]
fn the_schema_refuses_what_it_can_express() {
    let check = Check::new(seatfork_schema::json_schema());
    let mut passed = BTreeSet::new();
    let mut told_wrongly = Vec::new();
    for &code in Code::ALL {
        let accepted = example(code).is_none_or(|value| check.accepts(&value));
        match (is_error(code), accepted) {
            (true, true) => drop(passed.insert(code.as_str())),
            (false, false) => told_wrongly.push(code.as_str()),
            _ => {}
        }
    }
    assert!(told_wrongly.is_empty(), "a warning refuses nothing: {told_wrongly:?}");
    assert_eq!(passed, BEYOND.iter().copied().collect(), "what the schema lets pass");
}

// SPEC 5: characters and paths that a text may not hold are refused by its pattern.
#[test]
fn the_schema_refuses_texts_that_no_text_may_be() {
    let check = Check::new(seatfork_schema::json_schema());
    let rig = |place: &str, value: &str| {
        let mut rig: Value = serde_json::json!({
            "version": "1", "name": "r", "culture_file": "a",
            "pods": [{"id": "p", "label": "l", "members": [{
                "id": "m", "label": "l", "runtime": "pi", "agent_ref": "a", "profile": "p", "cwd": ".",
                "session_source": {"mode": "fork", "ref": {"kind": "native_id", "value": "x"}},
            }, {
                "id": "n", "runtime": "codex", "agent_ref": "a", "profile": "p", "cwd": ".",
                "session_source": {"mode": "rebuild", "ref": {"kind": "artifact_set", "value": ["a"]}},
            }]}],
        });
        *rig.pointer_mut(place).unwrap_or_else(|| panic!("{place}")) = value.into();
        (
            check.accepts(&rig),
            seatfork_codec::parse(rig.to_string().as_bytes(), &seatfork_codec::Hints::default())
                .document
                .is_some(),
        )
    };
    let member = "/pods/0/members/0";
    let artifact = "/pods/0/members/1/session_source/ref/value/0";
    let mut wrong = Vec::new();
    for (place, value) in [
        (format!("{member}/label"), "a\u{202e}b"),
        (format!("{member}/label"), "a\u{200b}b"),
        (format!("{member}/label"), "a\tb"),
        (format!("{member}/label"), "a\nb"),
        (format!("{member}/label"), "good: 日本 é"),
        (format!("{member}/cwd"), "$HOME/x"),
        (format!("{member}/cwd"), "a/${X}"),
        (format!("{member}/cwd"), "~"),
        (format!("{member}/cwd"), "a\0b"),
        (format!("{member}/cwd"), "a\nb"),
        (format!("{member}/cwd"), "costs 5$ and $1"),
        (format!("{member}/agent_ref"), "local: "),
        (format!("{member}/agent_ref"), "local:a$b"),
        (format!("{member}/agent_ref"), "path:/a\u{1b}"),
        (format!("{member}/agent_ref"), "local:../a b"),
        (format!("{member}/session_source/ref/value"), "/a/../b.jsonl"),
        (format!("{member}/session_source/ref/value"), "/a/..b/c..jsonl"),
        ("/culture_file".to_owned(), "a/$X"),
        ("/culture_file".to_owned(), "a\u{7}"),
        ("/culture_file".to_owned(), "a/../b"),
        (artifact.to_owned(), " padded"),
        (artifact.to_owned(), "padded "),
        (artifact.to_owned(), "a\0b"),
        (artifact.to_owned(), "two words"),
    ] {
        let (schema, validator) = rig(&place, value);
        if schema != validator {
            wrong.push(format!("{place} {value:?}: schema {schema}, validator {validator}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

// SPEC 5: the schema refuses nothing that the validator accepts.
#[test]
fn the_schema_accepts_every_mended_example() {
    let check = Check::new(seatfork_schema::json_schema());
    for &code in Code::ALL {
        let mended = explain::explain(code.as_str()).and_then(|entry| entry.mend).unwrap();
        let value: Value = serde_yaml::from_str(mended).unwrap();
        assert!(check.accepts(&value), "{code}: {mended}");
    }
}

proptest! {
    #![proptest_config(Config { cases: 200, ..Config::default() })]

    // SPEC 5: the same over whole generated documents.
    #[test]
    fn the_schema_accepts_whatever_is_valid(value in document()) {
        let check = Check::new(seatfork_schema::json_schema());
        prop_assert!(check.accepts(&value), "{:#}", value);
    }
}
