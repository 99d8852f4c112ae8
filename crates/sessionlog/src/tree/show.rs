//! A tree as text, as Mermaid and as DOT.

use super::{LogState, Node, Place, Tree};
use seatfork_schema::printable;
use std::fmt::{self, Write as _};

/// The longest reason that is shown in a row.
const SHOWN: usize = 120;

impl Tree {
    /// One row a session, children below their parents.
    pub fn text(&self) -> String {
        Shown(self, text).to_string()
    }

    /// A Mermaid flowchart.
    pub fn mermaid(&self) -> String {
        Shown(self, mermaid).to_string()
    }

    /// A Graphviz digraph.
    pub fn dot(&self) -> String {
        Shown(self, dot).to_string()
    }
}

/// How a tree is written.
type How = fn(&Tree, &mut fmt::Formatter<'_>) -> fmt::Result;

/// A tree that is written piece by piece.
struct Shown<'a>(&'a Tree, How);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.1)(self.0, f)
    }
}

fn text(tree: &Tree, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    // Whether a line goes on below, for each depth on the way to the row at hand.
    let mut open: Vec<bool> = Vec::new();
    for row in tree.rows() {
        open.truncate(row.depth.saturating_sub(1));
        for goes_on in &open {
            f.write_str(if *goes_on { "│  " } else { "   " })?;
        }
        let node = &tree.nodes[row.node];
        if let Some(kind) = row.kind {
            f.write_str(if row.last { "└─ " } else { "├─ " })?;
            write!(f, "{} ", kind.as_str())?;
            open.push(!row.last);
        }
        write!(f, "{}", node.session)?;
        match row.place {
            Place::Here => facts(node, f)?,
            Place::Above => f.write_str("  (shown above)")?,
            Place::Circle => f.write_str("  (a circle: it leads here)")?,
        }
        f.write_char('\n')?;
    }
    if tree.strangers > 0 {
        writeln!(
            f,
            "beside the logs: {} whose name is no session's",
            count(tree.strangers, "file")
        )?;
    }
    Ok(())
}

/// What is said of a session behind its id.
fn facts(node: &Node, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let is_read = !matches!(node.log, LogState::Missing | LogState::Elsewhere { .. });
    if is_read {
        write!(f, "  {}", count(node.events, "event"))?;
    }
    if let Some(to) = node.lineage.as_ref().and_then(|lineage| lineage.forked_to_seq) {
        write!(f, ", copied up to seq {to}")?;
    }
    if node.unknown > 0 {
        write!(f, ", {} of unknown type", node.unknown)?;
    }
    let said = state(&node.log);
    if !said.is_empty() {
        write!(f, "  {said}")?;
    }
    if node.refused_children > 0 {
        write!(f, "  (names {} by what is no session id)", children(node.refused_children))?;
    }
    if node.hidden_children > 0 {
        write!(f, "  ({} not shown)", children(node.hidden_children))?;
    }
    Ok(())
}

fn count(number: u64, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

fn children(number: u64) -> String {
    if number == 1 { "1 child".to_owned() } else { format!("{number} children") }
}

fn state(log: &LogState) -> String {
    match log {
        LogState::Whole => String::new(),
        LogState::Torn { bytes } => {
            format!("(the last record is not whole: {})", count(*bytes, "byte"))
        }
        LogState::Corrupt { line, why, .. } => {
            format!("(damaged at line {line}: {}; read up to there)", cut(why))
        }
        LogState::Unreadable { why } => format!("(cannot be read: {})", cut(why)),
        LogState::Missing => "(named, and no log of it is here)".to_owned(),
        LogState::Elsewhere { workspace } => format!("(in another workspace: {})", cut(workspace)),
    }
}

fn cut(text: &str) -> String {
    let shown: String = text.chars().take(SHOWN).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("{}{more}", printable(&shown))
}

/// The label of a session in a picture.
fn label(node: &Node) -> String {
    let said = match &node.log {
        LogState::Whole => count(node.events, "event"),
        LogState::Torn { .. } => format!("{}, torn", count(node.events, "event")),
        LogState::Corrupt { line, .. } => format!("damaged at line {line}"),
        LogState::Unreadable { .. } => "cannot be read".to_owned(),
        LogState::Missing => "no log here".to_owned(),
        LogState::Elsewhere { .. } => "in another workspace".to_owned(),
    };
    let hidden = match node.hidden_children {
        0 => String::new(),
        some => format!(", {} not shown", children(some)),
    };
    format!("{said}{hidden}")
}

/// Ids hold letters, numbers, marks, `_`, `.` and `-` only, so they need no quoting beyond the quotes.
fn mermaid(tree: &Tree, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("flowchart TD\n")?;
    for (at, node) in tree.nodes.iter().enumerate() {
        writeln!(f, "  n{at}[\"{}<br/>{}\"]", node.session, label(node))?;
    }
    for edge in &tree.edges {
        writeln!(f, "  n{} -->|{}| n{}", edge.parent, edge.kind.as_str(), edge.child)?;
    }
    Ok(())
}

fn dot(tree: &Tree, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("digraph sessions {\n  node [shape=box];\n")?;
    for (at, node) in tree.nodes.iter().enumerate() {
        writeln!(f, "  n{at} [label=\"{}\\n{}\"];", node.session, label(node))?;
    }
    for edge in &tree.edges {
        let (parent, child) = (edge.parent, edge.child);
        writeln!(f, "  n{parent} -> n{child} [label=\"{}\"];", edge.kind.as_str())?;
    }
    f.write_str("}\n")
}
