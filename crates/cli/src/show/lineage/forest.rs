//! Conversations and descents as trees: each conversation once, under its parent.

use std::collections::BTreeMap;

use seatfork_launch::{LineageEdgeReport, LineageNodeReport, LineageReport};

/// Parents and children by index into the report's nodes.
#[derive(Debug)]
pub(super) struct Forest {
    children: Vec<Vec<usize>>,
    roots: Vec<usize>,
}

impl Forest {
    /// The trees of a report. A conversation has one parent; where the record names a circle, which no
    /// runtime makes, the conversation first seen in it stands as a root, so that none is lost.
    pub(super) fn of(report: &LineageReport) -> Self {
        let places: BTreeMap<_, _> =
            report.nodes.iter().enumerate().map(|(at, node)| (key(node), at)).collect();
        let mut parent = vec![None; report.nodes.len()];
        for edge in &report.edges {
            let (from, to) = ends(edge);
            let (Some(from), Some(to)) = (places.get(&from), places.get(&to)) else { continue };
            if parent[*to].is_none() && !reaches(&parent, *from, *to) {
                parent[*to] = Some(*from);
            }
        }
        let mut children = vec![Vec::new(); report.nodes.len()];
        let mut roots = Vec::new();
        for (at, parent) in parent.iter().enumerate() {
            match parent {
                Some(parent) => children[*parent].push(at),
                None => roots.push(at),
            }
        }
        Self { children, roots }
    }

    /// Conversations without a parent, in the order of the report.
    pub(super) fn roots(&self) -> impl Iterator<Item = usize> {
        self.roots.iter().copied()
    }

    /// The children of one, in the order of the report.
    pub(super) fn children(&self, at: usize) -> &[usize] {
        &self.children[at]
    }
}

/// Whether `goal` is `from` or above it.
fn reaches(parent: &[Option<usize>], from: usize, goal: usize) -> bool {
    let mut at = Some(from);
    while let Some(here) = at {
        if here == goal {
            return true;
        }
        at = parent[here];
    }
    false
}

type Key = (String, String, String);

/// What identifies a conversation.
pub(super) fn key(node: &LineageNodeReport) -> Key {
    (node.runtime.to_string(), node.scope.clone(), node.native_id.clone())
}

/// What identifies both ends of a descent.
pub(super) fn ends(edge: &LineageEdgeReport) -> (Key, Key) {
    let runtime = edge.runtime.to_string();
    (
        (runtime.clone(), edge.parent_scope.clone(), edge.parent.clone()),
        (runtime, edge.child_scope.clone(), edge.child.clone()),
    )
}
