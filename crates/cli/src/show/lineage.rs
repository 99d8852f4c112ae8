//! Lineage as a tree, as Mermaid and as DOT (SPEC 11, 13).

mod forest;
mod graph;

use jiff::Timestamp;
use seatfork_launch::{LineageNodeReport, LineageReport};
use seatfork_schema::{ContinuityOutcome, ProofStatus, printable};

use super::ids::Short;
use super::{state, time};
use forest::Forest;
pub(crate) use graph::{dot, mermaid};

/// The whole tree: a root a line, its descendants beneath it.
pub(crate) fn text(report: &LineageReport, now: Timestamp) -> String {
    if report.nodes.is_empty() {
        return "No lineage yet: no conversation was made or adopted.\n".to_owned();
    }
    let forest = Forest::of(report);
    let short = Short::among(report.nodes.iter().map(|node| node.native_id.as_str()));
    let mut text = String::new();
    for root in forest.roots() {
        text.push_str(&line(&report.nodes[root], short, now));
        branch(report, &forest, root, "", short, now, &mut text);
    }
    text
}

fn branch(
    report: &LineageReport,
    forest: &Forest,
    at: usize,
    indent: &str,
    short: Short,
    now: Timestamp,
    text: &mut String,
) {
    let children = forest.children(at);
    for (n, child) in children.iter().enumerate() {
        let last = n + 1 == children.len();
        let (mark, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        text.push_str(indent);
        text.push_str(mark);
        text.push_str(&line(&report.nodes[*child], short, now));
        branch(report, forest, *child, &format!("{indent}{below}"), short, now, text);
    }
}

fn line(node: &LineageNodeReport, short: Short, now: Timestamp) -> String {
    let mut words = vec![short.of(&node.native_id), node.runtime.to_string()];
    words.push(seat(node));
    words.extend(origin(node));
    if let Some(at) = node.at {
        words.push(time::ago(now, at));
    }
    // That a fresh id is new says nothing of where it came from.
    if let (Some(proof), Some(ContinuityOutcome::Forked)) = (&node.proof, node.outcome) {
        let doubt = if proof.status == ProofStatus::Proved { "" } else { "!" };
        words.push(format!("{doubt}{}", state::proof(proof)));
    }
    let mut line = words.join("  ");
    line.push('\n');
    line
}

/// The seat, and whether it is there no more under that name.
fn seat(node: &LineageNodeReport) -> String {
    match &node.seat {
        Some(seat) if node.retired => format!("{} (retired)", printable(seat)),
        Some(seat) => printable(seat),
        None => "not a seat".to_owned(),
    }
}

/// The outcome of the launch that made it, else how it came to be.
fn origin(node: &LineageNodeReport) -> Option<String> {
    node.outcome
        .map(|outcome| outcome.to_string())
        .or_else(|| node.created_via.map(|via| via.to_string()))
}

#[cfg(test)]
#[path = "lineage_tests.rs"]
mod tests;
