//! `lineage`: which conversation came from which, in the shape of SPEC 13.

use crate::ground::Offline;
use crate::report::{
    LineageEdgeReport, LineageNodeReport, LineageReport, ProofReport, SCHEMA_VERSION,
};
use crate::target::Target;
use seatfork_schema::ConversationId;
use seatfork_store::{
    LaunchId, LineageEdge, LineageGraph, LineageNode, LineageOf, SeatId, StoreError,
};
use std::collections::{BTreeMap, BTreeSet};

/// What lineage is asked about.
#[derive(Debug, Clone)]
pub enum LineageAsked {
    /// Everything that ever lived in a seat, forgotten ones included.
    All,
    /// A rig or a seat.
    Target(Target),
    /// One conversation, seat or not.
    Conversation(ConversationId),
}

/// The conversations asked about, with all their ancestors and descendants.
pub async fn lineage(ground: &Offline, asked: &LineageAsked) -> Result<LineageReport, StoreError> {
    let asked = asked.clone();
    let graph = ground
        .store
        .ask(move |store| {
            let of = match asked {
                LineageAsked::Target(Target::Rig(rig)) => vec![LineageOf::Rig(rig.id)],
                LineageAsked::Target(Target::Seat(row)) => vec![LineageOf::Seat(row.seat.id)],
                LineageAsked::Conversation(id) => vec![LineageOf::Conversation(id)],
                LineageAsked::All => {
                    store.rigs_ever()?.into_iter().map(|rig| LineageOf::Rig(rig.id)).collect()
                }
            };
            let mut whole = LineageGraph::default();
            for one in of {
                let part = store.lineage(&one)?;
                // Rigs may share ancestors.
                for node in part.nodes {
                    if !whole.nodes.iter().any(|known| known.conversation == node.conversation) {
                        whole.nodes.push(node);
                    }
                }
                for edge in part.edges {
                    if !whole.edges.contains(&edge) {
                        whole.edges.push(edge);
                    }
                }
            }
            let mut retired = BTreeSet::new();
            for (seat, _) in whole.nodes.iter().filter_map(|node| node.seat.as_ref()) {
                if store.seat(*seat)?.retired_at.is_some() {
                    retired.insert(*seat);
                }
            }
            let mut depends_on = BTreeMap::new();
            for launch in whole.nodes.iter().filter_map(|node| node.launch) {
                let paths =
                    store.ranges_of(launch)?.into_iter().map(|range| range.path.into_string());
                depends_on.insert(launch, paths.collect::<Vec<_>>());
            }
            Ok::<_, StoreError>((whole, retired, depends_on))
        })
        .await?;
    let (graph, retired, depends_on) = graph;
    Ok(LineageReport {
        schema_version: SCHEMA_VERSION,
        ok: true,
        nodes: graph.nodes.iter().map(|one| node(one, &retired, &depends_on)).collect(),
        edges: graph.edges.iter().map(edge).collect(),
    })
}

fn node(
    node: &LineageNode,
    retired: &BTreeSet<SeatId>,
    depends_on: &BTreeMap<LaunchId, Vec<String>>,
) -> LineageNodeReport {
    LineageNodeReport {
        runtime: node.conversation.runtime,
        scope: node.conversation.scope.as_str().to_owned(),
        native_id: node.conversation.native_id.to_string(),
        seat: node.seat.as_ref().map(|(_, name)| name.clone()),
        retired: node.seat.as_ref().is_some_and(|(seat, _)| retired.contains(seat)),
        outcome: node.outcome,
        root_native_id: node.root.native_id.to_string(),
        created_via: node.created_via,
        at: Some(node.at),
        proof: node.proof.as_ref().map(ProofReport::from),
        depends_on: node.launch.and_then(|id| depends_on.get(&id).cloned()).unwrap_or_default(),
    }
}

fn edge(edge: &LineageEdge) -> LineageEdgeReport {
    LineageEdgeReport {
        parent: edge.parent.native_id.to_string(),
        child: edge.child.native_id.to_string(),
        kind: edge.kind,
        runtime: edge.child.runtime,
        parent_scope: edge.parent.scope.as_str().to_owned(),
        child_scope: edge.child.scope.as_str().to_owned(),
    }
}
