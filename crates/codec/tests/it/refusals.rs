//! Every code: its example is refused for it and for nothing else, and looks like its snapshots (SPEC 4).

use std::collections::BTreeSet;
use std::path::Path;

use seatfork_codec::{Hints, JsonDiagnostic, Look, parse, render};
use seatfork_schema::{Code, Severity, explain};

/// The example of a code, as the bytes of a file.
fn example(code: Code) -> Vec<u8> {
    let entry =
        explain::explain(code.as_str()).unwrap_or_else(|| panic!("{code} is not explained"));
    entry.example.unwrap_or_else(|| panic!("{code} has no example")).file()
}

// SPEC 4: an example triggers its code and only its code; an error refuses, a warning does not.
#[test]
fn every_example_triggers_its_code_and_no_other() {
    let mut wrong = Vec::new();
    for &code in Code::ALL {
        let outcome = parse(&example(code), &Hints::default());
        let codes: BTreeSet<_> = outcome.diagnostics.iter().map(|d| d.code.as_str()).collect();
        let refused = outcome.diagnostics.iter().any(|d| d.severity == Severity::Error);
        if codes != BTreeSet::from([code.as_str()]) || refused == outcome.document.is_some() {
            wrong.push((code.as_str(), codes, outcome.document.is_some()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

// SPEC 4: the mended example says nothing at all.
#[test]
fn every_mended_example_is_valid() {
    let mut wrong = Vec::new();
    for &code in Code::ALL {
        let mended = explain::explain(code.as_str()).and_then(|entry| entry.mend);
        let mended = mended.unwrap_or_else(|| panic!("{code} has no mended example"));
        let outcome = parse(mended.as_bytes(), &Hints::default());
        if outcome.document.is_none() || !outcome.diagnostics.is_empty() {
            wrong.push((code.as_str(), outcome.diagnostics));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

// SPEC 4, 13: what a refusal looks like as text and as JSON.
#[test]
fn every_refusal_looks_like_its_snapshots() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for &code in Code::ALL {
            let bytes = example(code);
            let outcome = parse(&bytes, &Hints::default());
            let text = render("rig.yaml", &bytes, &outcome.diagnostics, Look::default());
            insta::assert_snapshot!(format!("refusal__{code}"), text);
            let json: Vec<_> = outcome.diagnostics.iter().map(JsonDiagnostic::from).collect();
            let json = serde_json::to_string_pretty(&json).unwrap();
            insta::assert_snapshot!(format!("refusal__{code}.json"), json);
        }
    });
}

// SPEC 4: codes and snapshots are one to one: none is missing, none is left over.
#[test]
fn codes_and_snapshots_are_one_to_one() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots");
    let found: BTreeSet<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("refusal__"))
        .collect();
    let expected: BTreeSet<String> = Code::ALL
        .iter()
        .flat_map(|code| [format!("refusal__{code}.snap"), format!("refusal__{code}.json.snap")])
        .collect();
    assert_eq!(found, expected);
}

// SPEC 4, 14: no message, label or help can move the cursor, whatever the spec holds; each has what SPEC 2 asks.
#[test]
fn every_refusal_says_what_is_wrong_where_and_what_to_do() {
    for &code in Code::ALL {
        for diagnostic in parse(&example(code), &Hints::default()).diagnostics {
            let JsonDiagnostic { message, help, path, line, column, .. } =
                JsonDiagnostic::from(&diagnostic);
            assert!(help.is_some_and(|help| !help.is_empty()), "{code} has no help");
            assert!(line >= 1 && column >= 1, "{code}");
            let told = path.is_empty() || message.starts_with(&format!("{path}: "));
            assert!(told, "{code}: {message}");
            assert_eq!(diagnostic.message, message, "{code} is not printable");
        }
    }
}
