//! From a tree to a document, or to everything that is wrong with it (SPEC 2, 3, 4).
//!
//! One hand-written function per mapping reads it by its table of keys. A
//! problem is noted and the walk goes on, so all problems of a file are told at
//! once, in file order. Nothing here is slower than linear in the file, but for
//! sorting.

mod cx;
mod edges;
mod got;
mod member;
mod rig;
mod seats;
mod services;
mod session_source;
mod source_refs;
mod starter;
mod startup;
mod table;
mod texts;
mod workspace;

pub(crate) use member::OLD_STRATEGIES;
pub(crate) use table::{Need, Table, meant};
pub(crate) use texts::Shaped;

use crate::diagnostic::{Diagnostic, Severity};
use crate::diags::At;
use crate::diags::document::DocumentUnknown;
use crate::diags::yaml::EmptyDocument;
use crate::path::Path;
use crate::spec::{Document, PodId};
use crate::tree::{NodeId, Tree};
use crate::words::words;
use cx::Cx;

words! {
    /// Which document a file holds, told apart by its keys (SPEC 2, 13).
    DocumentKind {
        /// It has `pods`, or other keys of a rig.
        Rig = "rig",
        /// It has `members`.
        Payload = "payload",
        /// It cannot be told, or is the legacy flat form.
        Unknown = "unknown",
    }
}

/// What the caller knows beside the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hints {
    /// The pod of a payload that names none: `--pod`. It is not written into the document.
    pub pod: Option<PodId>,
}

/// What validation found.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The document in its normal form; there exactly when no diagnostic is an error.
    pub document: Option<Document>,
    /// Which document it is, valid or not.
    pub kind: DocumentKind,
    /// The rig's name as written, where it can be read.
    pub rig: Option<String>,
    /// Everything there is to say, in file order.
    pub diagnostics: Vec<Diagnostic>,
}

impl Outcome {
    /// Whether the document is refused.
    pub fn is_refused(&self) -> bool {
        self.document.is_none()
    }

    /// The refusals among the diagnostics.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|found| found.severity == Severity::Error)
    }
}

/// Validates a tree (SPEC 2, 3, 4): never stops at a problem, never changes a value.
///
/// What stands between text and tree (syntax, anchors, duplicate keys) is the
/// reader's to tell; a reader that has told an error must not use the document.
///
/// ```
/// use seatfork_schema::tree::{NodeKind, Span, Tree};
/// use seatfork_schema::validate::{Hints, validate};
///
/// let mut tree = Tree::new();
/// let root = tree.push(NodeKind::Mapping(Vec::new()), Span::default());
/// tree.set_root(root);
/// let outcome = validate(&tree, &Hints::default());
/// assert_eq!(outcome.diagnostics[0].code.as_str(), "document-unknown");
/// ```
pub fn validate(tree: &Tree, hints: &Hints) -> Outcome {
    let mut cx = Cx { tree, problems: Vec::new() };
    let mut kind = DocumentKind::Unknown;
    let mut document = None;
    let mut rig = None;
    match tree.root() {
        None => cx.no(EmptyDocument { at: At::default() }),
        Some(root) if cx.is_null(root) => {
            let at = cx.at(root, &Path::ROOT);
            cx.no(EmptyDocument { at });
        }
        Some(root) => {
            kind = kind_of(&cx, root);
            match kind {
                DocumentKind::Rig => {
                    rig = value_of(&cx, root, "name")
                        .and_then(|name| cx.raw(name))
                        .map(str::to_owned);
                    document = rig::rig(&mut cx, root).map(Document::Rig);
                }
                DocumentKind::Payload => {
                    document = rig::payload(&mut cx, root, hints).map(Document::Payload);
                }
                DocumentKind::Unknown => unknown(&mut cx, root),
            }
        }
    }
    let mut diagnostics = cx.problems;
    // Stable: what was found at one place stays in the order it was found in.
    diagnostics.sort_by_key(|found| found.span.start);
    if diagnostics.iter().any(|found| found.severity == Severity::Error) {
        document = None;
    }
    Outcome { document, kind, rig, diagnostics }
}

fn value_of(cx: &Cx<'_>, mapping: NodeId, name: &str) -> Option<NodeId> {
    let pairs = cx.pairs(mapping)?;
    pairs.iter().find(|&&(key, _)| cx.raw(key) == Some(name)).map(|&(_, value)| value)
}

fn kind_of(cx: &Cx<'_>, root: NodeId) -> DocumentKind {
    let has = |name| value_of(cx, root, name).is_some();
    if has("pods") {
        DocumentKind::Rig
    } else if has("members") {
        DocumentKind::Payload
    } else if has("nodes") || !(has("version") || has("name")) {
        DocumentKind::Unknown
    } else {
        DocumentKind::Rig
    }
}

/// Says what a document is that is none of ours.
fn unknown(cx: &mut Cx<'_>, root: NodeId) {
    if let Some(pairs) = cx.pairs(root) {
        let legacy = pairs.iter().find(|&&(key, _)| cx.raw(key) == Some("nodes"));
        if let Some(&(key, _)) = legacy {
            let at = At { path: "nodes".to_owned(), span: cx.tree.node(key).span };
            cx.no(crate::diags::document::LegacyFlatSpec { at });
            return;
        }
        let has = |name| value_of(cx, root, name).is_some();
        let looks_like = if has("runtime") || has("agent_ref") || has("session_source") {
            Some("a member")
        } else if has("from") && has("to") {
            Some("an edge")
        } else if has("mode") || has("ref") {
            Some("a session source")
        } else {
            None
        };
        let at = At { path: String::new(), span: cx.head(root) };
        cx.no(DocumentUnknown { at, looks_like });
    } else {
        let at = cx.at(root, &Path::ROOT);
        let looks_like = Some(got::found(cx.tree, root));
        cx.no(DocumentUnknown { at, looks_like });
    }
}

/// The mapping a key belongs to, for people who put it one level off.
pub(crate) fn place_of(name: &str) -> Option<&'static str> {
    let places: [(&'static str, bool); 5] = [
        (member::MEMBER.what, member::MEMBER.position(name).is_some()),
        (rig::POD.what, rig::POD.position(name).is_some()),
        (rig::RIG.what, rig::RIG.position(name).is_some()),
        (session_source::SOURCE.what, session_source::SOURCE.position(name).is_some()),
        (session_source::IMAGE_REF.what, session_source::IMAGE_REF.position(name).is_some()),
    ];
    places.into_iter().find(|&(_, has)| has).map(|(place, _)| place)
}

/// The tables the JSON Schema of a document starts from.
pub(crate) mod tables {
    pub(crate) use super::member::MEMBER;
    pub(crate) use super::rig::{PAYLOAD, POD, RIG};
    pub(crate) use super::session_source::shape as session_source;
    pub(crate) use super::startup::STARTUP;
}
