//! What stands in a document, as messages show it: `got` of SPEC 4.

use crate::printable::is_printable;
use crate::tree::{Core, NodeId, NodeKind, Tree};

/// The longest `got`, in characters.
pub(crate) const GOT_CHARS: usize = 80;

/// The value as compact JSON, cut after [`GOT_CHARS`] characters; `undefined` when absent.
pub(crate) fn got(tree: &Tree, node: Option<NodeId>) -> String {
    let mut out = Json { text: String::new(), room: GOT_CHARS };
    match node {
        Some(node) => out.value(tree, node),
        None => out.word("undefined"),
    }
    out.text
}

/// What a node is, for people: `a list`, `text`, `nothing`.
pub(crate) fn found(tree: &Tree, node: NodeId) -> &'static str {
    match (&tree.node(node).kind, tree.core(node)) {
        (NodeKind::Mapping(_), _) => "a mapping",
        (NodeKind::Sequence(_), _) => "a list",
        (_, Some(Core::Null)) => "nothing",
        (_, Some(Core::Bool(_))) => "true or false",
        (_, Some(Core::Number)) => "a number",
        _ => "text",
    }
}

/// JSON that stops growing once there is no room, so that a large value costs nothing.
struct Json {
    text: String,
    room: usize,
}

impl Json {
    fn value(&mut self, tree: &Tree, node: NodeId) {
        match &tree.node(node).kind {
            NodeKind::Scalar { text, .. } => match tree.core(node) {
                Some(Core::Null) => self.word("null"),
                Some(Core::Bool(value)) => self.word(if value { "true" } else { "false" }),
                // As written: JSON has no spelling for every number of YAML.
                Some(Core::Number) => self.word(text),
                _ => self.string(text),
            },
            NodeKind::Sequence(items) => {
                self.push('[');
                for (at, &item) in items.iter().enumerate() {
                    if self.room == 0 {
                        return;
                    }
                    if at > 0 {
                        self.push(',');
                    }
                    self.value(tree, item);
                }
                self.push(']');
            }
            NodeKind::Mapping(pairs) => {
                self.push('{');
                for (at, &(key, value)) in pairs.iter().enumerate() {
                    if self.room == 0 {
                        return;
                    }
                    if at > 0 {
                        self.push(',');
                    }
                    match &tree.node(key).kind {
                        NodeKind::Scalar { text, .. } => self.string(text),
                        _ => self.value(tree, key),
                    }
                    self.push(':');
                    self.value(tree, value);
                }
                self.push('}');
            }
        }
    }

    fn string(&mut self, text: &str) {
        self.push('"');
        for c in text.chars() {
            if self.room == 0 {
                return;
            }
            match c {
                '"' => self.word("\\\""),
                '\\' => self.word("\\\\"),
                '\n' => self.word("\\n"),
                '\r' => self.word("\\r"),
                '\t' => self.word("\\t"),
                c if is_printable(c) => self.push(c),
                c => {
                    let mut units = [0; 2];
                    for unit in c.encode_utf16(&mut units) {
                        self.word(&format!("\\u{unit:04x}"));
                    }
                }
            }
        }
        self.push('"');
    }

    fn word(&mut self, word: &str) {
        for c in word.chars() {
            self.push(c);
        }
    }

    fn push(&mut self, c: char) {
        if self.room > 0 {
            self.room -= 1;
            self.text.push(c);
        }
    }
}
