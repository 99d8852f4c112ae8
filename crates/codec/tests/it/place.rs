//! What is wrong is refused where it is wrong (SPEC 2, 13), over mutated generated documents.

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::Config;
use seatfork_codec::{Hints, Outcome, parse};
use seatfork_schema::Severity;
use seatfork_schema::path::{push_index, push_key};
use serde_json::Value;

use crate::generate::document;

/// What is done to one mapping of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mutation<'m> {
    Drop(&'m str),
    Add(&'m str),
    Duplicate(&'m str),
}

proptest! {
    #![proptest_config(Config { cases: 500, ..Config::default() })]

    // SPEC 2: a required key that is absent is refused at its path.
    #[test]
    fn a_dropped_required_key_is_refused_at_its_path(value in document(), which in any::<Index>()) {
        let mut all = Vec::new();
        mappings(&value, "", &mut all);
        let all: Vec<_> = all
            .iter()
            .flat_map(|(path, map)| {
                map.as_object().into_iter().flatten().filter_map(move |(key, _)| is_required(path, key, map).then_some((path, key)))
            })
            .collect();
        let (path, key) = all[which.index(all.len())];
        let outcome = read(&value, path, Mutation::Drop(key));
        prop_assert!(errors_at(&outcome, &child(path, key)) > 0, "{path} {key}: {:#?}", outcome.diagnostics);
    }

    // SPEC 2: every mapping refuses unknown keys, at their path, and nothing else is wrong with it.
    #[test]
    fn an_added_key_is_refused_at_its_path(value in document(), which in any::<Index>(), key in "[a-z]{1,3}x_[a-z.\\[ é]{0,3}") {
        let mut all = Vec::new();
        mappings(&value, "", &mut all);
        let (path, _) = &all[which.index(all.len())];
        let outcome = read(&value, path, Mutation::Add(&key));
        let errors: Vec<_> = outcome.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        prop_assert_eq!(errors.len(), 1, "{:#?}", errors);
        prop_assert_eq!(&errors[0].path, &child(path, &key));
    }

    // SPEC 2: keys are unique; a second one is refused at its path, with the first one shown.
    #[test]
    fn a_duplicated_key_is_refused_at_its_path(value in document(), which in any::<Index>()) {
        let mut all = Vec::new();
        mappings(&value, "", &mut all);
        let all: Vec<_> = all.iter().flat_map(|(path, map)| map.as_object().into_iter().flatten().map(move |(key, _)| (path, key))).collect();
        let (path, key) = all[which.index(all.len())];
        let outcome = read(&value, path, Mutation::Duplicate(key));
        let errors: Vec<_> = outcome.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        prop_assert_eq!(errors.len(), 1, "{:#?}", errors);
        prop_assert_eq!(errors[0].code.as_str(), "duplicate-key");
        prop_assert_eq!(&errors[0].path, &child(path, key));
        prop_assert!(errors[0].related[0].span.start < errors[0].span.start);
    }
}

fn read(value: &Value, path: &str, mutation: Mutation<'_>) -> Outcome {
    let mut text = String::new();
    print(value, "", (path, mutation), &mut text);
    parse(text.as_bytes(), &Hints::default())
}

fn errors_at(outcome: &Outcome, path: &str) -> usize {
    outcome.diagnostics.iter().filter(|d| d.severity == Severity::Error && d.path == path).count()
}

fn child(path: &str, key: &str) -> String {
    let mut path = path.to_owned();
    push_key(&mut path, key);
    path
}

fn item(path: &str, index: usize) -> String {
    let mut path = path.to_owned();
    push_index(&mut path, index);
    path
}

/// Every mapping of a value with its path.
fn mappings<'v>(value: &'v Value, path: &str, into: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(map) => {
            into.push((path.to_owned(), value));
            for (key, value) in map {
                mappings(value, &child(path, key), into);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                mappings(value, &item(path, index), into);
            }
        }
        _ => {}
    }
}

/// The keys SPEC 2 and 3 require, by what the mapping is.
fn is_required(path: &str, key: &str, mapping: &Value) -> bool {
    let last = path.rsplit(['.', ']']).find(|s| !s.is_empty()).unwrap_or("");
    let last = last.split('[').next().unwrap_or("");
    let keys: &[&str] = match last {
        "" if mapping.get("pods").is_some() => &["version", "name", "pods"],
        "pods" => &["id", "label", "members"],
        "members" => &["id", "agent_ref", "profile", "runtime", "cwd"],
        "edges" => &["kind", "from", "to"],
        "docs" => &["path"],
        "continuity_policy" => &["enabled"],
        "workspace" => &["workspace_root", "repos"],
        "repos" => &["name", "path", "kind"],
        "services" => &["kind", "compose_file"],
        "session_source" => &["mode", "ref"],
        "ref" => &["kind", "value"],
        "starter_ref" => &["name"],
        "actions" => &["type", "value", "idempotent"],
        _ => &[],
    };
    keys.contains(&key)
}

/// Prints a value as JSON, one mapping of it mutated.
fn print(value: &Value, path: &str, target: (&str, Mutation<'_>), out: &mut String) {
    match value {
        Value::Object(map) => {
            let mutation = (target.0 == path).then_some(target.1);
            let mut entries = Vec::new();
            for (key, value) in map {
                if mutation == Some(Mutation::Drop(key)) {
                    continue;
                }
                let mut entry = format!("{}: ", Value::from(key.as_str()));
                print(value, &child(path, key), target, &mut entry);
                if mutation == Some(Mutation::Duplicate(key)) {
                    entries.push(entry.clone());
                }
                entries.push(entry);
            }
            if let Some(Mutation::Add(key)) = mutation {
                entries.push(format!("{}: x", Value::from(key)));
            }
            out.extend(["{", &entries.join(",\n "), "}"]);
        }
        Value::Array(items) => {
            out.push('[');
            for (index, value) in items.iter().enumerate() {
                print(value, &item(path, index), target, out);
                out.push_str(",\n");
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}
