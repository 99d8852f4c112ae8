//! Documents from any serde format, through the same validation (SPEC 5).
//!
//! A format that is not our reader's has no positions and no quotes, so
//! diagnostics have paths only. Keys given twice are refused here. A
//! floating-point number has lost its spelling (`1.10` is `1.1`), so it is
//! refused where a version may be a plain number: quote it there.

use crate::diagnostic::{Diagnostic, Severity};
use crate::diags::At;
use crate::diags::yaml::{DuplicateKey, TooDeep};
use crate::path::Path;
use crate::spec::{Document, Payload, PayloadFields, RigFields, RigSpec};
use crate::tree::{NodeId, NodeKind, Span, Tree};
use crate::validate::{Hints, validate};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor,
};
use std::collections::HashSet;
use std::fmt;

/// The deepest nesting of a document, in levels (SPEC 2).
pub const MAX_DEPTH: usize = 64;

/// Why fields or a value are no document.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// Everything that was found; at least one is an error.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut errors = self.diagnostics.iter().filter(|it| it.severity == Severity::Error);
        match errors.next() {
            Some(first) => f.write_str(&first.message)?,
            None => f.write_str("refused")?,
        }
        match errors.count() {
            0 => Ok(()),
            more => write!(f, " (and {more} more)"),
        }
    }
}

impl std::error::Error for Refused {}

impl TryFrom<RigFields> for RigSpec {
    type Error = Refused;

    /// Checks what holds between the fields; each field is valid by its own type.
    fn try_from(fields: RigFields) -> Result<Self, Refused> {
        match revalidate(&fields)? {
            Document::Rig(rig) => Ok(rig),
            Document::Payload(_) => unreachable!("fields of a rig have `pods`"),
        }
    }
}

impl TryFrom<PayloadFields> for Payload {
    type Error = Refused;

    /// Checks what holds between the fields; each field is valid by its own type.
    fn try_from(fields: PayloadFields) -> Result<Self, Refused> {
        match revalidate(&fields)? {
            Document::Payload(payload) => Ok(payload),
            Document::Rig(_) => unreachable!("fields of a payload have no `pods`"),
        }
    }
}

fn revalidate(fields: &impl serde::Serialize) -> Result<Document, Refused> {
    let value = serde_json::to_value(fields).expect("the normal form holds text, bools and lists");
    let raw = Raw::deserialize(value).expect("a JSON value has no keys twice and no tags");
    raw.document()
}

/// A tree without positions, from any serde format.
struct Raw {
    tree: Tree,
    problems: Vec<Diagnostic>,
}

impl Raw {
    fn document(self) -> Result<Document, Refused> {
        let outcome = validate(&self.tree, &Hints::default());
        let mut diagnostics = self.problems;
        let whole = diagnostics.is_empty();
        diagnostics.extend(outcome.diagnostics);
        match outcome.document {
            Some(document) if whole => Ok(document),
            _ => Err(Refused { diagnostics }),
        }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut raw = Self { tree: Tree::new(), problems: Vec::new() };
        let path = Path::ROOT;
        let root = Node { raw: &mut raw, path: &path, depth: 0 }.deserialize(deserializer)?;
        raw.tree.set_root(root);
        Ok(raw)
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Raw::deserialize(deserializer)?.document().map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for RigSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Document::deserialize(deserializer)? {
            Document::Rig(rig) => Ok(rig),
            Document::Payload(_) => Err(D::Error::custom("this is an expand payload, not a rig")),
        }
    }
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Document::deserialize(deserializer)? {
            Document::Payload(payload) => Ok(payload),
            Document::Rig(_) => Err(D::Error::custom("this is a rig, not an expand payload")),
        }
    }
}

/// Reads one node into the tree.
struct Node<'a> {
    raw: &'a mut Raw,
    path: &'a Path<'a>,
    depth: usize,
}

impl Node<'_> {
    fn scalar(self, text: impl Into<String>, plain: bool) -> NodeId {
        let kind = NodeKind::Scalar { text: text.into(), plain };
        self.raw.tree.push(kind, Span::default())
    }

    /// One level down; a level too deep is a finding, and what is below it is read and left out.
    fn deeper(&mut self) -> bool {
        if self.depth < MAX_DEPTH {
            return true;
        }
        let at = At { path: self.path.text(), span: Span::default() };
        self.raw.problems.push(TooDeep { at, max: MAX_DEPTH }.into());
        false
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = NodeId;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<NodeId, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = NodeId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text, a number, a bool, nothing, a list or a mapping")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<NodeId, E> {
        Ok(self.scalar(if value { "true" } else { "false" }, true))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<NodeId, E> {
        Ok(self.scalar(value.to_string(), true))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<NodeId, E> {
        Ok(self.scalar(value.to_string(), true))
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<NodeId, E> {
        Ok(self.scalar(value.to_string(), true))
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<NodeId, E> {
        Ok(self.scalar(value.to_string(), true))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<NodeId, E> {
        // With an exponent on purpose: still a number, but none that could pass for a version's spelling.
        let text = if value.is_finite() { format!("{value:e}") } else { ".nan".to_owned() };
        Ok(self.scalar(text, true))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<NodeId, E> {
        Ok(self.scalar(value, false))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<NodeId, E> {
        Ok(self.scalar(value, false))
    }

    fn visit_unit<E: Error>(self) -> Result<NodeId, E> {
        Ok(self.scalar("", true))
    }

    fn visit_none<E: Error>(self) -> Result<NodeId, E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<NodeId, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<NodeId, D::Error> {
        self.deserialize(inner)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, _data: A) -> Result<NodeId, A::Error> {
        Err(A::Error::custom(format!(
            "{}: a tag is refused; values have the types of YAML 1.2 and no others",
            self.path.text()
        )))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<NodeId, A::Error> {
        let mut items = Vec::new();
        if self.deeper() {
            let mut index = 0;
            while let Some(item) = seq.next_element_seed(Node {
                raw: &mut *self.raw,
                path: &self.path.index(index),
                depth: self.depth + 1,
            })? {
                items.push(item);
                index += 1;
            }
        } else {
            while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
        }
        Ok(self.raw.tree.push(NodeKind::Sequence(items), Span::default()))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<NodeId, A::Error> {
        let mut pairs = Vec::new();
        if !self.deeper() {
            while map.next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?.is_some() {}
            return Ok(self.raw.tree.push(NodeKind::Mapping(pairs), Span::default()));
        }
        let mut seen = HashSet::new();
        while let Some(key) =
            map.next_key_seed(Node { raw: &mut *self.raw, path: self.path, depth: self.depth + 1 })?
        {
            let name = match &self.raw.tree.node(key).kind {
                NodeKind::Scalar { text, .. } => text.clone(),
                NodeKind::Sequence(_) | NodeKind::Mapping(_) => {
                    return Err(A::Error::custom(format!(
                        "{}: a key must be a plain word",
                        self.path.text()
                    )));
                }
            };
            let path = self.path.key(&name);
            let value = map.next_value_seed(Node {
                raw: &mut *self.raw,
                path: &path,
                depth: self.depth + 1,
            })?;
            pairs.push((key, value));
            if seen.contains(&name) {
                let at = At { path: path.text(), span: Span::default() };
                let first = at.clone();
                self.raw.problems.push(DuplicateKey { at, key: name.clone(), first }.into());
            } else {
                seen.insert(name.clone());
            }
        }
        Ok(self.raw.tree.push(NodeKind::Mapping(pairs), Span::default()))
    }
}
