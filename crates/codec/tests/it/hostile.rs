//! No input makes the codec panic or slow (SPEC 2).

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::Config;
use seatfork_codec::{Hints, Look, MAX_BYTES, Outcome, emit, parse, render};

/// Generous: a debug build on a busy machine; what is quadratic takes minutes.
const LONG: Duration = Duration::from_secs(30);

/// Parses, holds what comes out to its promises, renders, and takes the time.
fn survive(bytes: &[u8]) -> Outcome {
    let shown: String = String::from_utf8_lossy(bytes).chars().take(40).collect();
    let start = Instant::now();
    let outcome = parse(bytes, &Hints::default());
    let refused =
        outcome.diagnostics.iter().any(|d| d.severity == seatfork_schema::Severity::Error);
    assert_eq!(refused, outcome.document.is_none());
    for diagnostic in &outcome.diagnostics {
        assert!(
            diagnostic.span.start.line >= 1 && diagnostic.span.start.column >= 1,
            "{diagnostic:?}"
        );
        assert!(diagnostic.span.start <= diagnostic.span.end, "{diagnostic:?}");
        assert!(!diagnostic.message.is_empty());
    }
    assert!(outcome.diagnostics.is_sorted_by_key(|d| d.span.start), "{:#?}", outcome.diagnostics);
    let text = render("x.yaml", bytes, &outcome.diagnostics, Look::default());
    assert!(
        text.chars().all(|c| c == '\n' || seatfork_schema::printable::is_printable(c)),
        "{text:?}"
    );
    if let Some(document) = &outcome.document {
        assert!(!emit(document).is_empty());
    }
    assert!(start.elapsed() < LONG, "{:?} for {shown:?}", start.elapsed());
    outcome
}

fn many(count: usize, make: impl FnMut(usize) -> String) -> String {
    (0..count).map(make).collect()
}

proptest! {
    #![proptest_config(Config { cases: 1500, ..Config::default() })]

    // SPEC 2: any bytes are answered with a document or with refusals.
    #[test]
    fn arbitrary_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        survive(&bytes);
    }

    // SPEC 2: so is any text of the characters that YAML gives a meaning.
    #[test]
    fn texts_of_indicators_are_answered(text in "[-?:,\\[\\]{}#&*!|>'\"%@` \n\r\ta<~.0]{0,120}") {
        survive(text.as_bytes());
    }

    // SPEC 2: and any text made of the pieces of a spec.
    #[test]
    fn texts_of_pieces_are_answered(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..60)) {
        survive(pieces.concat().as_bytes());
    }
}

const PIECES: &[&str] = &[
    "version: '1'\n",
    "name: x\n",
    "pods:\n",
    "members:\n",
    "edges:\n",
    "  - ",
    "- ",
    "  ",
    "    ",
    "id: a\n",
    "label: b\n",
    "session_source:\n",
    "mode: fork\n",
    "ref: ",
    "{kind: native_id, value: x}\n",
    "runtime: terminal\n",
    "\n",
    "---\n",
    "...\n",
    "<<: *x\n",
    "&x ",
    "*x",
    "!!str ",
    "? ",
    ": ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "'",
    "\"",
    "|\n",
    ">\n",
    "# c\n",
    "\t",
    "\r\n",
    "é",
    "🙂",
    "startup: {files: [{path: a}]}\n",
    "~\n",
    "null\n",
    "\u{feff}",
    "\u{0}",
    "%YAML 1.2\n",
    "nodes: []\n",
    "pod: dev\n",
];

// SPEC 2: no text near the size limit takes long, whatever it is made of.
#[test]
fn texts_at_the_size_limit_are_answered_in_time() {
    let n = MAX_BYTES;
    let member = "      - {id: a, runtime: codex, agent_ref: a, profile: p, cwd: .}\n";
    let head = "version: '1'\nname: d\npods:\n  - id: p\n    label: P\n    members:\n";
    let texts = [
        "[".repeat(n),
        "- ".repeat(n / 2),
        "? ".repeat(n / 2),
        format!("pods: [{}]", "x,".repeat(n / 16)),
        format!("pods: [{{members: [], notes: [{}]}}]", "x,".repeat(n / 2 - 32)),
        // Many findings each: a part of the limit shows a square as well, and is not a minute of a debug build.
        format!("pods: [{}]", "{},".repeat(n / 48)),
        format!("pods: [{{members: [{}]}}]", "{},".repeat(n / 48)),
        many(n / 16, |i| format!("- &a{i} x\n")),
        format!("pods: [{}]", many(n / 20, |i| format!("&a{i} x,"))),
        format!("pods: [{}]", many(n / 20, |i| format!("*a{i} ,"))),
        format!("pods: []\n{}: x\n", "k".repeat(900)),
        format!("pods: []\n\"{}\": x\n", "k".repeat(n - 40)),
        format!("pods: []\n{}", many(n / 16, |i| format!("k{i}: x\n"))),
        "pods: x\n".repeat(n / 8),
        format!("name: \"{}\"\npods: []\n", "x".repeat(n - 40)),
        format!("name: |\n{}", " x\n".repeat(n / 3 - 8)),
        format!("{head}{}", member.repeat((n - head.len()) / member.len())),
        format!("{head}{}", many(n / 80, |i| member.replace("id: a", &format!("id: m{i}")))),
        "\u{0}".repeat(n),
        "\n".repeat(n),
        "é".repeat(n / 2),
    ];
    for text in texts {
        let mut bytes = text.into_bytes();
        bytes.truncate(n);
        survive(&bytes);
    }
    survive(&vec![b'x'; n + 1]);
    survive(&vec![0xff; n]);
}

// PERF 1: edges are looked up in a set, and a cycle is found without recursion.
#[test]
fn many_edges_are_answered_in_time() {
    let members =
        many(3000, |i| format!("{{id: m{i}, runtime: codex, agent_ref: a, profile: p, cwd: .}},"));
    let edges =
        many(3000, |i| format!("{{kind: delegates_to, from: m{i}, to: m{}}},", (i + 1) % 3000));
    let text = format!(
        "{{version: '1', name: d, pods: [{{id: p, label: P, members: [{members}], edges: [{edges}]}}]}}"
    );
    let outcome = survive(text.as_bytes());
    assert!(outcome.diagnostics.iter().any(|d| d.code.as_str() == "edge-cycle"));
}

// PERF 1, SPEC 13: a thousand diagnostics are rendered from windows of the text, not from all of it.
#[test]
fn a_thousand_diagnostics_render_in_time() {
    let member = "      - id: a\n        runtime: codex\n        agent_ref: local:agents/a.yaml\n        profile: default\n        cwd: .\n        model: a-model-of-some-length\n        rolle: reviewer\n";
    let text = format!(
        "version: '1'\nname: d\npods:\n  - id: p\n    label: P\n    members:\n{}",
        member.repeat(1000)
    );
    let outcome = parse(text.as_bytes(), &Hints::default());
    assert!(outcome.diagnostics.len() >= 1000);
    let start = Instant::now();
    let all = render(
        "x.yaml",
        text.as_bytes(),
        &outcome.diagnostics,
        Look { at_most: usize::MAX, ..Look::default() },
    );
    // 50 ms in a release build; a debug build of this and of the printer is some 20 times slower.
    let limit = if cfg!(debug_assertions) { 4000 } else { 200 };
    assert!(start.elapsed() < Duration::from_millis(limit), "{:?}", start.elapsed());
    assert!(all.matches("error[").count() >= 1000);
    let some = render("x.yaml", text.as_bytes(), &outcome.diagnostics, Look::default());
    let rest = outcome.diagnostics.len() - 100;
    assert!(
        some.ends_with(&format!("… and {rest} more; `--json` lists every one\n\n")),
        "{}",
        &some[some.len() - 200..]
    );
    assert_eq!(some.matches("error[").count(), 100);
}
