//! A document as a tree with positions: what a reader of any text format hands to validation.
//!
//! Nodes live in one arena and refer to each other by [`NodeId`], so a
//! diagnostic can name a node cheaply and nothing is copied (SPEC 2, PERF: one
//! pass). A tree says how a scalar was written, because "`123` without quotes
//! where text is required" is a refusal of ours (SPEC 2).

/// A place in the text, both 1-based; columns count characters (SPEC 13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// From the first character to just past the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first character.
    pub start: Position,
    /// Just past the last character.
    pub end: Position,
}

/// The index of a node in its [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// One node: what it is, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Where it stands. A container ends with the last scalar inside it.
    pub span: Span,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// A scalar with its text.
    Scalar {
        /// The text after unescaping, exactly as meant.
        text: String,
        /// Written without quotes and not as a block, so that YAML 1.2 may read it as something other than text.
        plain: bool,
    },
    /// A list.
    Sequence(Vec<NodeId>),
    /// A mapping, in the order of the text. Keys are nodes, since they have places too.
    Mapping(Vec<(NodeId, NodeId)>),
}

/// What a plain scalar is under the YAML 1.2 core schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Core {
    /// `null`, `~`, or nothing at all.
    Null,
    /// `true` or `false` in the three accepted spellings.
    Bool(bool),
    /// An integer or a float, in any of the core notations.
    Number,
    /// Text, and every scalar that was quoted.
    Text,
}

/// A whole document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    root: Option<NodeId>,
}

impl Tree {
    /// An empty tree, to be filled with [`Tree::push`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node and returns its id.
    ///
    /// # Panics
    /// After four thousand million nodes; the size limit of SPEC 2 is far below.
    pub fn push(&mut self, kind: NodeKind, span: Span) -> NodeId {
        let id =
            u32::try_from(self.nodes.len()).expect("a document of at most 1 MiB has fewer nodes");
        self.nodes.push(Node { kind, span });
        NodeId(id)
    }

    /// Replaces what a node is, keeping its id: a container is pushed when it opens and filled when it closes.
    pub fn fill(&mut self, id: NodeId, kind: NodeKind, span: Span) {
        self.nodes[id.0 as usize] = Node { kind, span };
    }

    /// Names the root node.
    pub fn set_root(&mut self, id: NodeId) {
        self.root = Some(id);
    }

    /// The root node, or none for a document with nothing in it.
    pub fn root(&self) -> Option<NodeId> {
        self.root
    }

    /// The node of an id of this tree.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What a scalar means under the YAML 1.2 core schema; `None` for a container.
    pub fn core(&self, id: NodeId) -> Option<Core> {
        match &self.node(id).kind {
            NodeKind::Scalar { text, plain: true } => Some(core_of(text)),
            NodeKind::Scalar { .. } => Some(Core::Text),
            NodeKind::Sequence(_) | NodeKind::Mapping(_) => None,
        }
    }
}

/// Reads a plain scalar under the YAML 1.2 core schema (section 10.3.2 of YAML 1.2).
pub fn core_of(text: &str) -> Core {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Core::Null,
        "true" | "True" | "TRUE" => Core::Bool(true),
        "false" | "False" | "FALSE" => Core::Bool(false),
        _ if is_number(text) => Core::Number,
        _ => Core::Text,
    }
}

fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return !octal.is_empty() && octal.bytes().all(|b| (b'0'..=b'7').contains(&b));
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit());
    }
    // [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let mantissa_ok = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && digits(fraction),
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => !mantissa.is_empty() && digits(mantissa),
    };
    let exponent_ok = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['-', '+']).unwrap_or(e);
        !e.is_empty() && digits(e)
    });
    mantissa_ok && exponent_ok
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 2: what a plain scalar means under the 1.2 core schema.
    #[test]
    fn plain_scalars_read_as_the_core_schema_says() {
        for text in ["", "~", "null", "NULL"] {
            assert_eq!(core_of(text), Core::Null, "{text:?}");
        }
        for text in [
            "1", "-0", "+12", "1.5", "1.", ".5", "1e3", "1.5E-3", "0x1F", "0o17", ".inf", "-.INF",
            ".nan", "007",
        ] {
            assert_eq!(core_of(text), Core::Number, "{text:?}");
        }
        for text in [
            "yes",
            "no",
            "on",
            "2026-01-01",
            "1_000",
            "0o8",
            "0x",
            "1e",
            ".",
            "+",
            "-.nan",
            "12:30",
            "1.2.3",
            "+.5.",
            "e3",
        ] {
            assert_eq!(core_of(text), Core::Text, "{text:?}");
        }
        assert_eq!(core_of("True"), Core::Bool(true));
    }
}
