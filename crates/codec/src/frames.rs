//! The lists and mappings that are open while the text is read, and the path they make.

use std::collections::HashMap;

use seatfork_schema::tree::{NodeId, NodeKind, Position, Span, Tree};

/// A key of the mapping being read, whose value comes next.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Key {
    /// Its value belongs to the mapping.
    Kept(NodeId),
    /// It has a name and a finding; its value is read and not kept.
    Dropped(NodeId),
    /// It has no name: an alias, a list or a mapping; its value is read and not kept.
    Unreadable,
}

/// An open list or mapping.
#[derive(Debug)]
pub(crate) struct Frame {
    /// Its node.
    pub(crate) id: NodeId,
    /// Where it began.
    pub(crate) start: Position,
    /// Whether it stands where a key belongs.
    pub(crate) as_key: bool,
    inside: Inside,
    /// The node that ended last in it, kept or not.
    last: Option<NodeId>,
}

#[derive(Debug)]
enum Inside {
    Sequence(Vec<NodeId>),
    Mapping {
        pairs: Vec<(NodeId, NodeId)>,
        key: Option<Key>,
        /// Names by text once there are many: looking through a list would be quadratic.
        names: HashMap<Box<str>, NodeId>,
    },
}

/// Up to here a mapping's names are compared one by one; a spec's mappings are smaller.
const FEW: usize = 24;

impl Frame {
    /// An empty one.
    pub(crate) fn new(id: NodeId, start: Position, mapping: bool, as_key: bool) -> Self {
        let inside = if mapping {
            Inside::Mapping { pairs: Vec::new(), key: None, names: HashMap::new() }
        } else {
            Inside::Sequence(Vec::new())
        };
        Self { id, start, as_key, inside, last: None }
    }

    /// What it came to, and the node that ended last in it.
    pub(crate) fn into_kind(self) -> (NodeKind, Option<NodeId>) {
        let kind = match self.inside {
            Inside::Sequence(items) => NodeKind::Sequence(items),
            Inside::Mapping { pairs, .. } => NodeKind::Mapping(pairs),
        };
        (kind, self.last)
    }
}

/// The open lists and mappings, outermost first.
#[derive(Debug, Default)]
pub(crate) struct Frames(Vec<Frame>);

impl Frames {
    pub(crate) fn push(&mut self, frame: Frame) {
        self.0.push(frame);
    }

    pub(crate) fn pop(&mut self) -> Option<Frame> {
        self.0.pop()
    }

    pub(crate) fn depth(&self) -> usize {
        self.0.len()
    }

    /// Whether the next node is a key.
    pub(crate) fn at_key(&self) -> bool {
        matches!(self.0.last(), Some(Frame { inside: Inside::Mapping { key: None, .. }, .. }))
    }

    /// Whether what is read belongs to a key.
    pub(crate) fn inside_key(&self) -> bool {
        self.0.iter().any(|frame| frame.as_key)
    }

    /// Names the key whose value comes next.
    pub(crate) fn set_key(&mut self, new: Key) {
        if let Some(Frame { inside: Inside::Mapping { key, .. }, last, .. }) = self.0.last_mut() {
            *key = Some(new);
            if let Key::Kept(id) | Key::Dropped(id) = new {
                *last = Some(id);
            }
        }
    }

    /// The key of the same text that came before in the innermost mapping; else this one is remembered.
    pub(crate) fn first_of_that_name(&mut self, tree: &Tree, id: NodeId) -> Option<NodeId> {
        let Some(Frame { inside: Inside::Mapping { pairs, names, .. }, .. }) = self.0.last_mut()
        else {
            return None;
        };
        let text = scalar(tree, id);
        if pairs.len() < FEW {
            return pairs.iter().map(|(key, _)| *key).find(|key| scalar(tree, *key) == text);
        }
        if names.is_empty() {
            names.extend(pairs.iter().map(|(key, _)| (scalar(tree, *key).into(), *key)));
        }
        if let Some(first) = names.get(text) {
            return Some(*first);
        }
        names.insert(text.into(), id);
        None
    }

    /// Puts a complete node into the innermost list or mapping; false if there is none, and it is the root.
    pub(crate) fn attach(&mut self, id: NodeId) -> bool {
        let Some(frame) = self.0.last_mut() else { return false };
        frame.last = Some(id);
        match &mut frame.inside {
            Inside::Sequence(items) => items.push(id),
            Inside::Mapping { pairs, key, .. } => {
                if let Some(Key::Kept(key)) = key.take() {
                    pairs.push((key, id));
                }
            }
        }
        true
    }

    /// The place of a value that was not written: its key, which is what a person can see.
    pub(crate) fn place_of_nothing(&self, tree: &Tree, span: Span) -> Span {
        match self.0.last() {
            Some(Frame {
                inside: Inside::Mapping { key: Some(Key::Kept(key) | Key::Dropped(key)), .. },
                ..
            }) => tree.node(*key).span,
            _ => span,
        }
    }

    /// The path of the node that comes next; of the mapping itself where that node is a key.
    pub(crate) fn path(&self, tree: &Tree) -> String {
        let mut path = String::new();
        for frame in &self.0 {
            match &frame.inside {
                Inside::Sequence(items) => {
                    seatfork_schema::path::push_index(&mut path, items.len());
                }
                Inside::Mapping { key: Some(Key::Kept(key) | Key::Dropped(key)), .. } => {
                    seatfork_schema::path::push_key(&mut path, scalar(tree, *key));
                }
                Inside::Mapping { .. } => {}
            }
        }
        path
    }

    /// The path of a key of the innermost mapping.
    pub(crate) fn path_to(&self, tree: &Tree, key: &str) -> String {
        let mut path = self.path(tree);
        seatfork_schema::path::push_key(&mut path, key);
        path
    }
}

/// The text of a key that has one.
fn scalar(tree: &Tree, id: NodeId) -> &str {
    match &tree.node(id).kind {
        NodeKind::Scalar { text, .. } => text,
        NodeKind::Sequence(_) | NodeKind::Mapping(_) => "",
    }
}
