//! The JSON objects others build on, held against the contract (SPEC 13).

use serde_json::{Value, json};

/// The fields of a seat. More may be there; these are, and hold what they may hold.
const SEAT: [&str; 19] = [
    "seat",
    "pod",
    "member",
    "runtime",
    "action",
    "attempt",
    "continuity_outcome",
    "binding_outcome",
    "launch_state",
    "process_state",
    "observed_at",
    "token",
    "source",
    "proof",
    "notice",
    "warnings",
    "failed_step",
    "error",
    "attach",
];

/// What `up` and `ps` print: `ok` is true exactly at exit 0, and every seat has its fields.
#[track_caller]
pub(crate) fn assert_seats(report: &Value, exit: i32) {
    fields(report, &["schema_version", "ok", "rig", "seats"]);
    assert_eq!((&report["schema_version"], &report["ok"]), (&json!(1), &json!(exit == 0)));
    for seat in report["seats"].as_array().unwrap() {
        assert_seat(seat);
    }
}

#[track_caller]
fn assert_seat(seat: &Value) {
    fields(seat, &SEAT);
    let named = ["pod", "member", "seat"].map(|name| seat[name].as_str().unwrap());
    assert!(named[2].starts_with(&format!("{}-{}@", named[0], named[1])), "{seat:#}");
    one_of(seat, "runtime", &["claude-code", "codex", "terminal", "pixir", "pi"]);
    one_of(seat, "action", &["created", "resumed", "unchanged", "failed", "skipped"]);
    one_of(
        seat,
        "continuity_outcome",
        &["forked", "fresh", "resumed", "rebuilt", "failed", "null"],
    );
    one_of(seat, "binding_outcome", &["null"]);
    let states = ["declared", "resolved", "forking", "realized", "failed", "abandoned", "null"];
    one_of(seat, "launch_state", &states);
    let states = ["none", "starting", "ready", "attention_required", "exited", "lost"];
    one_of(seat, "process_state", &states);
    one_of(seat, "notice", &["injected", "with_first_text", "none", "null"]);
    assert!(seat["attempt"].is_null() || seat["attempt"].as_u64() > Some(0), "{seat:#}");
    for text in ["observed_at", "token", "failed_step", "attach"] {
        assert!(seat[text].is_null() || seat[text].is_string(), "{text} of {seat:#}");
    }
    assert!(seat["warnings"].is_array(), "{seat:#}");
    if !seat["source"].is_null() {
        fields(&seat["source"], &["runtime", "scope", "native_id"]);
    }
    if !seat["proof"].is_null() {
        fields(&seat["proof"], &["grade", "status", "detail"]);
        one_of(&seat["proof"], "grade", &["L0", "L1", "L2", "L3"]);
        one_of(&seat["proof"], "status", &["proved", "refuted", "unverifiable"]);
    }
    if !seat["error"].is_null() {
        fields(&seat["error"], &["code", "message", "hint", "output"]);
    }
    // A source id is never a token (SPEC 1).
    assert!(seat["token"].is_null() || seat["token"] != seat["source"]["native_id"], "{seat:#}");
}

/// What `lineage` prints.
#[track_caller]
pub(crate) fn assert_lineage(report: &Value) {
    fields(report, &["nodes", "edges"]);
    let node = [
        "runtime",
        "scope",
        "native_id",
        "seat",
        "outcome",
        "root_native_id",
        "created_via",
        "at",
        "proof",
    ];
    for one in report["nodes"].as_array().unwrap() {
        fields(one, &node);
    }
    for one in report["edges"].as_array().unwrap() {
        fields(one, &["parent", "child", "kind"]);
    }
}

#[track_caller]
fn fields(value: &Value, names: &[&str]) {
    let object = value.as_object().unwrap_or_else(|| panic!("no object: {value:#}"));
    let missing: Vec<_> = names.iter().filter(|name| !object.contains_key(**name)).collect();
    assert!(missing.is_empty(), "{missing:?} missing in {value:#}");
}

#[track_caller]
fn one_of(value: &Value, name: &str, words: &[&str]) {
    let word = value[name].as_str().unwrap_or("null");
    let known = words.contains(&word) && (value[name].is_string() || value[name].is_null());
    assert!(known, "{name} is {} in {value:#}", value[name]);
}
