//! One direction of a lineage: what something came from, or what came from it.

use std::collections::BTreeSet;

use seatfork_launch::{LineageEdgeReport, LineageNodeReport, LineageReport, Target};
use seatfork_schema::{ConversationId, NativeId, Scope};

/// What was asked about.
#[derive(Debug)]
pub(super) enum Focus {
    /// The seats of a rig, by the end of their names.
    Rig(String),
    /// A seat, by its name.
    Seat(String),
    /// A conversation.
    Conversation(ConversationId),
}

impl Focus {
    /// A rig or a seat.
    pub(super) fn of(target: &Target) -> Self {
        match target {
            Target::Rig(rig) => Self::Rig(format!("@{}", rig.name)),
            Target::Seat(row) => Self::Seat(row.seat.name.clone()),
        }
    }

    fn is(&self, node: &LineageNodeReport) -> bool {
        match self {
            Self::Rig(end) => node.seat.as_ref().is_some_and(|seat| seat.ends_with(end)),
            Self::Seat(name) => node.seat.as_ref() == Some(name),
            Self::Conversation(id) => conversation(node).is_some_and(|node| node.is_same(id)),
        }
    }
}

/// A node's conversation. `None` would be an id no runtime has, which the store never gives.
pub(super) fn conversation(node: &LineageNodeReport) -> Option<ConversationId> {
    let scope = if node.scope.is_empty() {
        Scope::everywhere()
    } else {
        Scope::workspace(node.scope.clone())
    };
    let native_id = NativeId::for_runtime(node.runtime, node.native_id.clone()).ok()?;
    Some(ConversationId { runtime: node.runtime, scope, native_id })
}

/// Only the focus and what it came from.
pub(super) fn ancestors(report: &LineageReport, focus: &Focus) -> LineageReport {
    walk(report, focus, |edge| (child(edge), parent(edge)))
}

/// Only the focus and what came from it.
pub(super) fn descendants(report: &LineageReport, focus: &Focus) -> LineageReport {
    walk(report, focus, |edge| (parent(edge), child(edge)))
}

type Key<'r> = (&'static str, &'r str, &'r str);

fn parent(edge: &LineageEdgeReport) -> Key<'_> {
    (edge.runtime.as_str(), &edge.parent_scope, &edge.parent)
}

fn child(edge: &LineageEdgeReport) -> Key<'_> {
    (edge.runtime.as_str(), &edge.child_scope, &edge.child)
}

fn key(node: &LineageNodeReport) -> Key<'_> {
    (node.runtime.as_str(), &node.scope, &node.native_id)
}

/// Follows the edges one way, from the focus on.
fn walk(
    report: &LineageReport,
    focus: &Focus,
    way: impl Fn(&LineageEdgeReport) -> (Key<'_>, Key<'_>),
) -> LineageReport {
    let mut reached: BTreeSet<Key<'_>> =
        report.nodes.iter().filter(|node| focus.is(node)).map(key).collect();
    let mut grew = true;
    while grew {
        let next: Vec<_> = report
            .edges
            .iter()
            .map(&way)
            .filter(|(from, to)| reached.contains(from) && !reached.contains(to))
            .map(|(_, to)| to)
            .collect();
        grew = !next.is_empty();
        reached.extend(next);
    }
    let nodes = report.nodes.iter().filter(|node| reached.contains(&key(node))).cloned().collect();
    let edges = report
        .edges
        .iter()
        .filter(|edge| reached.contains(&parent(edge)) && reached.contains(&child(edge)))
        .cloned()
        .collect();
    LineageReport { schema_version: report.schema_version, ok: report.ok, nodes, edges }
}

#[cfg(test)]
mod tests {
    use super::*;
    use seatfork_schema::{CreatedVia, Runtime};

    fn node(id: &str) -> LineageNodeReport {
        LineageNodeReport {
            runtime: Runtime::ClaudeCode,
            scope: String::new(),
            native_id: id.to_owned(),
            seat: Some(format!("dev-{id}@r")),
            retired: false,
            outcome: None,
            root_native_id: "p".to_owned(),
            created_via: None,
            at: None,
            proof: None,
            depends_on: Vec::new(),
        }
    }

    fn edge(parent: &str, child: &str) -> LineageEdgeReport {
        LineageEdgeReport {
            parent: parent.to_owned(),
            child: child.to_owned(),
            kind: CreatedVia::Fork,
            runtime: Runtime::ClaudeCode,
            parent_scope: String::new(),
            child_scope: String::new(),
        }
    }

    fn ids(report: &LineageReport) -> Vec<&str> {
        report.nodes.iter().map(|node| node.native_id.as_str()).collect()
    }

    // SPEC 11: provenance is queryable both ways.
    #[test]
    fn ancestors_and_descendants_are_one_way_each() {
        let report = || LineageReport {
            schema_version: 1,
            ok: true,
            nodes: ["p", "a", "b", "c", "d"].map(node).into(),
            edges: vec![edge("p", "a"), edge("a", "b"), edge("b", "c"), edge("a", "d")],
        };
        let focus = Focus::Seat("dev-b@r".to_owned());
        assert_eq!(ids(&ancestors(&report(), &focus)), ["p", "a", "b"]);
        let below = descendants(&report(), &focus);
        assert_eq!((ids(&below), below.edges.len()), (vec!["b", "c"], 1));
        let id = ConversationId::new(Runtime::ClaudeCode, NativeId::new("A").unwrap());
        assert_eq!(ids(&descendants(&report(), &Focus::Conversation(id))), ["a", "b", "c", "d"]);
        assert_eq!(ids(&ancestors(&report(), &Focus::Rig("@r".to_owned()))).len(), 5);
    }
}
