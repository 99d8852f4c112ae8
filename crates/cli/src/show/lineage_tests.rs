//! Pictures of a lineage made by hand.

use super::*;
use seatfork_launch::{LineageEdgeReport, ProofReport};
use seatfork_schema::{ContinuityOutcome, CreatedVia, ProofGrade, Runtime};

const P: &str = "0b0165d7-cb4d-4650-90de-15c0a1ede9e6";
const A: &str = "7c1f09aa-1b2c-4d3e-8f90-aabbccddeeff";
const B: &str = "e41b77d0-0000-4000-8000-000000000000";
const C: &str = "5510aa31-0000-4000-8000-000000000000";
const F: &str = "b2d40000-0000-4000-8000-000000000000";

fn node(id: &str, seat: Option<&str>, via: Option<CreatedVia>) -> LineageNodeReport {
    let forked = via == Some(CreatedVia::Fork);
    LineageNodeReport {
        runtime: Runtime::ClaudeCode,
        scope: String::new(),
        native_id: id.to_owned(),
        seat: seat.map(str::to_owned),
        retired: id == C,
        outcome: via.and_then(|via| match via {
            CreatedVia::Fork => Some(ContinuityOutcome::Forked),
            CreatedVia::Fresh => Some(ContinuityOutcome::Fresh),
            _ => None,
        }),
        root_native_id: P.to_owned(),
        created_via: via,
        at: seat.map(|_| "2026-11-30T10:02:00Z".parse().unwrap()),
        proof: forked.then(|| ProofReport {
            grade: ProofGrade::L3,
            status: if id == B { ProofStatus::Refuted } else { ProofStatus::Proved },
            detail: "content proved 214/214".to_owned(),
            depends_on_source: false,
        }),
        depends_on: Vec::new(),
    }
}

fn edge(parent: &str, child: &str, kind: CreatedVia) -> LineageEdgeReport {
    LineageEdgeReport {
        parent: parent.to_owned(),
        child: child.to_owned(),
        kind,
        runtime: Runtime::ClaudeCode,
        parent_scope: String::new(),
        child_scope: String::new(),
    }
}

fn report() -> LineageReport {
    LineageReport {
        schema_version: 1,
        ok: true,
        nodes: vec![
            node(P, None, None),
            node(A, Some("dev-a@review"), Some(CreatedVia::Fork)),
            node(B, Some("dev-\"b<\\@review"), Some(CreatedVia::Fork)),
            node(C, Some("qa-one@review"), Some(CreatedVia::Rotated)),
            node(F, Some("dev-scribe@review"), Some(CreatedVia::Fresh)),
        ],
        edges: vec![
            edge(P, A, CreatedVia::Fork),
            edge(P, B, CreatedVia::Fork),
            edge(A, C, CreatedVia::Rotated),
        ],
    }
}

fn now() -> Timestamp {
    "2026-11-30T12:02:00Z".parse().unwrap()
}

// SPEC 11: provenance is shown both ways: each conversation under the one it came from.
#[test]
fn lineage_is_a_tree_under_each_root() {
    insta::assert_snapshot!("lineage__tree", text(&report(), now()));
}

#[test]
fn lineage_can_be_drawn_by_others() {
    insta::assert_snapshot!("lineage__mermaid", mermaid(&report()));
    insta::assert_snapshot!("lineage__dot", dot(&report()));
}

#[test]
fn a_circle_in_the_record_loses_no_conversation() {
    let mut report = report();
    report.edges.push(edge(C, P, CreatedVia::Fork));
    report.edges.push(edge(F, F, CreatedVia::Fork));
    let text = text(&report, now());
    assert_eq!(text.lines().count(), 5, "{text}");
}

#[test]
fn no_lineage_is_said_as_such() {
    let empty = LineageReport { nodes: Vec::new(), edges: Vec::new(), ..report() };
    assert_eq!(text(&empty, now()), "No lineage yet: no conversation was made or adopted.\n");
}
