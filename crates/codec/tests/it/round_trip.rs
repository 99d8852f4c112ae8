//! Reading what was written gives what was written (SPEC 5), over whole generated documents.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};
use seatfork_codec::{Hints, emit, normal_form, parse};
use seatfork_schema::Document;
use serde_json::Value;

use crate::generate::document;

fn read(text: &str) -> Document {
    let outcome = parse(text.as_bytes(), &Hints::default());
    outcome.document.unwrap_or_else(|| panic!("refused: {:#?}\n{text}", outcome.diagnostics))
}

/// JSON is YAML, so a generated value is a spec once it is printed.
fn printed(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

proptest! {
    #![proptest_config(Config { cases: 400, ..Config::default() })]

    // SPEC 5: parse, serialize, parse is the identity on normal forms, and serializing is stable.
    #[test]
    fn what_was_written_reads_as_what_was_written(value in document()) {
        let first = read(&printed(&value));
        let canonical = emit(&first);
        let second = read(&canonical);
        prop_assert_eq!(&second, &first, "{}", canonical);
        prop_assert_eq!(emit(&second), canonical);
    }

    // SPEC 5: another reader of YAML takes the canonical text for the same tree, scalar by scalar.
    #[test]
    fn an_independent_reader_agrees_with_ours(value in document()) {
        let document = read(&printed(&value));
        let canonical = emit(&document);
        let theirs: Value = serde_yaml::from_str(&canonical).unwrap();
        prop_assert_eq!(theirs, normal_form(&document), "{}", canonical);
    }

    // SPEC 5: the same value written in block style by another writer reads the same.
    #[test]
    fn the_style_of_writing_does_not_matter(value in document()) {
        let flow = read(&printed(&value));
        let block = serde_yaml::to_string(&value).unwrap();
        // That writer leaves unquoted what YAML 1.2 reads as no text, and counts YAML 1.1's line breaks as such.
        prop_assume!(!block.contains(['\u{2028}', '\u{feff}']));
        if let Some(document) = parse(block.as_bytes(), &Hints::default()).document {
            prop_assert_eq!(document, flow);
        }
    }

    // SPEC 5: the canonical text has one style: no comments, flow style only for required empty lists, no tabs, LF alone.
    #[test]
    fn the_canonical_text_is_plain_block_style(value in document()) {
        let canonical = emit(&read(&printed(&value)));
        prop_assert!(canonical.ends_with('\n') && !canonical.ends_with("\n\n"));
        for line in canonical.lines() {
            prop_assert!(line.chars().all(seatfork_schema::printable::is_printable), "{:?}", line);
            prop_assert!(line.trim_end() == line, "{:?}", line);
            prop_assert!(!line.ends_with("{}"), "{:?}", line);
            if line.ends_with("[]") {
                prop_assert!(line.ends_with("members: []") || line.ends_with("repos: []"), "{:?}", line);
            }
        }
    }
}

// SPEC 5: the property tests above reach every optional key, or they would prove little.
#[test]
fn generated_documents_have_every_optional_key() {
    const CASES: usize = 600;
    let mut runner = TestRunner::deterministic();
    let strategy = document();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..CASES {
        let value = strategy.new_tree(&mut runner).unwrap().current();
        let mut here = BTreeSet::new();
        keys(&value, "", &mut here);
        for key in here {
            *seen.entry(key).or_default() += 1;
        }
    }
    let rare: Vec<_> = all_keys()
        .into_iter()
        .map(|key| (seen.get(&key).copied().unwrap_or(0), key))
        .filter(|(count, _)| count * 100 < CASES)
        .collect();
    assert!(rare.is_empty(), "in less than one case of a hundred: {rare:#?}");
}

/// Every key of a value as `pods[].members[].id`.
fn keys(value: &Value, path: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                keys(value, &path, into);
                into.insert(path);
            }
        }
        Value::Array(items) => {
            for item in items {
                keys(item, &format!("{path}[]"), into);
            }
        }
        _ => {}
    }
}

/// Every key the JSON Schema knows, so that a new key cannot be forgotten here.
fn all_keys() -> Vec<String> {
    let schema = serde_json::to_value(seatfork_schema::json_schema()).unwrap();
    let mut all = BTreeSet::new();
    schema_keys(&schema, &schema, "", &mut all, 0);
    assert!(all.len() > 80, "the schema was not understood: {all:?}");
    all.into_iter().collect()
}

fn schema_keys(root: &Value, node: &Value, path: &str, into: &mut BTreeSet<String>, depth: usize) {
    assert!(depth <= 40, "the schema does not end at {path}");
    if let Some(reference) = node.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#')).unwrap();
        schema_keys(root, target, path, into, depth + 1);
    }
    for name in ["anyOf", "oneOf", "allOf"] {
        for choice in node.get(name).and_then(Value::as_array).into_iter().flatten() {
            schema_keys(root, choice, path, into, depth + 1);
        }
    }
    for name in ["then", "else"] {
        if let Some(choice) = node.get(name) {
            schema_keys(root, choice, path, into, depth + 1);
        }
    }
    if let Some(items) = node.get("items") {
        schema_keys(root, items, &format!("{path}[]"), into, depth + 1);
    }
    for (key, node) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
        // A key that is listed only to be forbidden is none.
        if *node == Value::Bool(false) {
            continue;
        }
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        schema_keys(root, node, &path, into, depth + 1);
        into.insert(path);
    }
}
