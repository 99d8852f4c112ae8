//! Lineage in the languages of two drawing programs. Labels are quoted, names of nodes are ours.

use std::collections::BTreeMap;

use seatfork_launch::{LineageNodeReport, LineageReport};

use super::forest::{ends, key};
use super::{origin, seat};
use crate::show::ids::Short;

/// Mermaid: `seatfork lineage --format mermaid > lineage.mmd`.
pub(crate) fn mermaid(report: &LineageReport) -> String {
    let mut text = String::from("flowchart TD\n");
    let label = |node: &LineageNodeReport, short| {
        label(node, short).map(|line| mermaid_text(&line)).join("<br>")
    };
    draw(
        report,
        &mut text,
        |at, node, short| format!("  n{at}[\"{}\"]\n", label(node, short)),
        |from, to, kind| format!("  n{from} -->|{kind}| n{to}\n"),
    );
    text
}

/// DOT, for Graphviz.
pub(crate) fn dot(report: &LineageReport) -> String {
    let mut text = String::from("digraph lineage {\n  node [shape=box];\n");
    let label = |node: &LineageNodeReport, short| {
        label(node, short).map(|line| dot_text(&line)).join("\\n")
    };
    draw(
        report,
        &mut text,
        |at, node, short| format!("  n{at} [label=\"{}\"];\n", label(node, short)),
        |from, to, kind| format!("  n{from} -> n{to} [label=\"{kind}\"];\n"),
    );
    text.push_str("}\n");
    text
}

fn draw(
    report: &LineageReport,
    text: &mut String,
    node: impl Fn(usize, &LineageNodeReport, Short) -> String,
    edge: impl Fn(usize, usize, &str) -> String,
) {
    let short = Short::among(report.nodes.iter().map(|node| node.native_id.as_str()));
    let mut places = BTreeMap::new();
    for (at, known) in report.nodes.iter().enumerate() {
        places.insert(key(known), at);
        text.push_str(&node(at, known, short));
    }
    for known in &report.edges {
        let (from, to) = ends(known);
        if let (Some(from), Some(to)) = (places.get(&from), places.get(&to)) {
            text.push_str(&edge(*from, *to, known.kind.as_str()));
        }
    }
}

/// The lines of a node.
fn label(node: &LineageNodeReport, short: Short) -> [String; 3] {
    let how = origin(node).unwrap_or_else(|| node.runtime.to_string());
    [short.of(&node.native_id), seat(node), how]
}

/// Inside quotes Mermaid still reads entities and `"`.
fn mermaid_text(text: &str) -> String {
    text.replace('#', "#35;").replace('"', "#quot;").replace('<', "#lt;")
}

fn dot_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
