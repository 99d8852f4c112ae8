//! From the logs of a workspace to nodes and ties.

use super::{Edge, Kin, LogState, Node, Tree};
use crate::error::{ReadError, StateError};
use crate::event::EventType;
use crate::id::SessionId;
use crate::read::LogReader;
use crate::workspace::Workspace;
use rustix::fs::Dir;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What one log says.
struct Said {
    node: Node,
    /// Sessions of subagents, in the order they are first named.
    subagents: Vec<SessionId>,
}

#[derive(Deserialize)]
struct Subagent {
    child_session_id: Option<String>,
}

pub(super) fn read(workspace: &Workspace) -> Result<Tree, StateError> {
    let (sessions, strangers) = list(workspace)?;
    let mut graph = Graph::default();
    let mut named = Vec::new();
    for session in sessions {
        let said = log(workspace, session);
        let place = graph.add(None, said.node);
        named.push((place, said.subagents));
    }
    for (place, subagents) in named {
        graph.tie(place, &subagents, workspace);
    }
    let Graph { nodes, mut edges, .. } = graph;
    let order = |edge: &Edge| {
        let to = nodes[edge.child].lineage.as_ref().and_then(|lineage| lineage.forked_to_seq);
        (
            edge.parent,
            edge.kind == Kin::Subagent,
            if edge.kind == Kin::Subagent { None } else { to },
        )
    };
    // Stable: subagents stay in the order they were named, forks of one point in that of their ids.
    edges.sort_by_key(order);
    let mut tree =
        Tree { workspace: workspace.path().to_owned(), roots: Vec::new(), nodes, edges, strangers };
    tree.roots = super::walk::roots(&tree);
    Ok(tree)
}

/// The sessions that have a log, sorted, and how many other files stand there.
fn list(workspace: &Workspace) -> Result<(BTreeSet<SessionId>, u64), StateError> {
    let (mut sessions, mut strangers) = (BTreeSet::new(), 0);
    let Some(folder) = workspace.sessions()? else { return Ok((sessions, strangers)) };
    let failed = |errno| StateError::io(&folder.path, "listing it", errno);
    for entry in Dir::read_from(folder.fd()).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_bytes();
        let Some(stem) = name.strip_suffix(b".ndjson") else { continue };
        match std::str::from_utf8(stem).ok().and_then(|stem| SessionId::new(stem).ok()) {
            Some(session) => {
                sessions.insert(session);
            }
            None => strangers += 1,
        }
    }
    Ok((sessions, strangers))
}

/// Reads one log as far as it can be read.
fn log(workspace: &Workspace, session: SessionId) -> Said {
    let mut said = Said { node: blank(session, LogState::Whole), subagents: Vec::new() };
    let mut reader = match LogReader::open(workspace, &said.node.session) {
        Ok(reader) => reader,
        Err(error) => {
            said.node.log = state(&error);
            return said;
        }
    };
    let mut seen = HashSet::new();
    let ended = loop {
        let event = match reader.next_event() {
            Ok(Some(event)) => event,
            Ok(None) => break None,
            Err(error) => break Some(error),
        };
        if event.kind != EventType::SubagentEvent {
            continue;
        }
        // A field of another type names nobody; the event is one all the same.
        let child = serde_json::from_str::<Subagent>(event.data).ok();
        let Some(child) = child.and_then(|child| child.child_session_id) else { continue };
        match SessionId::new(child) {
            Ok(child) if seen.insert(child.clone()) => said.subagents.push(child),
            Ok(_) => {}
            Err(_) => said.node.refused_children += 1,
        }
    };
    let reading = reader.reading();
    let node = &mut said.node;
    node.log = match ended {
        Some(error) => state(&error),
        None if reading.torn_bytes > 0 => LogState::Torn { bytes: reading.torn_bytes },
        None => LogState::Whole,
    };
    node.events = reading.events;
    node.by_type = reading.by_type.clone();
    node.unknown = reading.unknown();
    node.first_ts.clone_from(&reading.first_ts);
    node.last_ts.clone_from(&reading.last_ts);
    node.lineage = reader.lineage().cloned();
    said
}

fn state(error: &ReadError) -> LogState {
    match error {
        ReadError::Corrupt { line, byte, problem, .. } => {
            LogState::Corrupt { line: *line, byte: *byte, why: problem.to_string() }
        }
        ReadError::NotFound { .. } => LogState::Missing,
        ReadError::Shrunk { .. } | ReadError::State(_) => {
            let mut why = error.to_string();
            let mut source = std::error::Error::source(error);
            while let Some(cause) = source {
                why = format!("{why}: {cause}");
                source = cause.source();
            }
            LogState::Unreadable { why }
        }
    }
}

pub(super) fn blank(session: SessionId, log: LogState) -> Node {
    Node {
        session,
        log,
        events: 0,
        by_type: BTreeMap::new(),
        unknown: 0,
        first_ts: None,
        last_ts: None,
        lineage: None,
        refused_children: 0,
        hidden_children: 0,
    }
}

/// Nodes and ties as they are found.
#[derive(Default)]
struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Places by another workspace, if it is one, and id.
    places: HashMap<(Option<String>, SessionId), usize>,
}

impl Graph {
    fn add(&mut self, elsewhere: Option<String>, node: Node) -> usize {
        let place = self.nodes.len();
        self.places.insert((elsewhere, node.session.clone()), place);
        self.nodes.push(node);
        place
    }

    /// The place of a session that is named, made where it has none.
    fn named(&mut self, elsewhere: Option<String>, session: &SessionId) -> usize {
        let key = (elsewhere, session.clone());
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        let log = match &key.0 {
            Some(workspace) => LogState::Elsewhere { workspace: workspace.clone() },
            None => LogState::Missing,
        };
        self.add(key.0, blank(session.clone(), log))
    }

    fn tie(&mut self, place: usize, subagents: &[SessionId], workspace: &Workspace) {
        if let Some(lineage) = self.nodes[place].lineage.clone() {
            let kind = if lineage.warm { Kin::WarmStart } else { Kin::Fork };
            // A workspace that was moved is still one: what counts is whether parent and child shared it.
            let child = lineage.child_workspace.as_deref().unwrap_or(workspace.path().as_str());
            let elsewhere = lineage.parent_workspace.filter(|parent| parent != child);
            let parent = self.named(elsewhere, &lineage.parent);
            self.edge(parent, place, kind);
        }
        for child in subagents {
            let child = self.named(None, child);
            self.edge(place, child, Kin::Subagent);
        }
    }

    fn edge(&mut self, parent: usize, child: usize, kind: Kin) {
        let session = |place: usize| self.nodes[place].session.clone();
        let (parent_session, child_session) = (session(parent), session(child));
        self.edges.push(Edge { parent, child, kind, parent_session, child_session });
    }
}
