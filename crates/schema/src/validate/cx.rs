//! The walk: reading mappings, lists and scalars, and collecting problems (SPEC 2).

use super::got::found;
use super::table::{Key, Need, Table, meant};
use super::texts::SpecText;
use crate::diagnostic::Diagnostic;
use crate::diags::At;
use crate::diags::document::{EmptyKey, EmptyOptionalKey, MissingKey, UnknownKey};
use crate::diags::value::{UnknownWord, UnquotedScalar, WrongType};
use crate::path::Path;
use crate::tree::{Core, NodeId, NodeKind, Span, Tree};
use crate::words::Word;

/// A key of a table that the mapping has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// The key's name.
    pub(crate) name: &'static str,
    /// The key itself.
    pub(crate) key: NodeId,
    /// The value.
    pub(crate) value: NodeId,
}

/// The tree, and what was found wrong with it so far. Nothing stops the walk.
pub(crate) struct Cx<'t> {
    /// The document.
    pub(crate) tree: &'t Tree,
    /// The problems, in the order they were met.
    pub(crate) problems: Vec<Diagnostic>,
}

impl<'t> Cx<'t> {
    /// Notes a problem.
    pub(crate) fn no(&mut self, problem: impl Into<Diagnostic>) {
        self.problems.push(problem.into());
    }

    /// The place of a node.
    pub(crate) fn at(&self, node: NodeId, path: &Path<'_>) -> At {
        At { path: path.text(), span: self.tree.node(node).span }
    }

    /// The place of a key's value; of the key where nothing stands under it, of the mapping where it is absent.
    pub(crate) fn at_entry(
        &self,
        entry: Option<Entry>,
        mapping: NodeId,
        path: &Path<'_>,
        key: &str,
    ) -> At {
        let span = match entry {
            Some(entry) if self.raw(entry.value) == Some("") && self.is_null(entry.value) => {
                self.tree.node(entry.key).span
            }
            Some(entry) => self.tree.node(entry.value).span,
            None => self.head(mapping),
        };
        At { path: path.key(key).text(), span }
    }

    /// Whether a node is `null`, `~` or nothing.
    pub(crate) fn is_null(&self, node: NodeId) -> bool {
        self.tree.core(node) == Some(Core::Null)
    }

    /// The text of a scalar, whatever it reads as.
    pub(crate) fn raw(&self, node: NodeId) -> Option<&'t str> {
        match &self.tree.node(node).kind {
            NodeKind::Scalar { text, .. } => Some(text),
            NodeKind::Sequence(_) | NodeKind::Mapping(_) => None,
        }
    }

    /// The text of a scalar that YAML 1.2 reads as text; nothing is noted where it is none.
    pub(crate) fn quiet_text(&self, node: NodeId) -> Option<&'t str> {
        if self.tree.core(node) == Some(Core::Text) { self.raw(node) } else { None }
    }

    /// The pairs of a mapping.
    pub(crate) fn pairs(&self, node: NodeId) -> Option<&'t [(NodeId, NodeId)]> {
        match &self.tree.node(node).kind {
            NodeKind::Mapping(pairs) => Some(pairs),
            NodeKind::Scalar { .. } | NodeKind::Sequence(_) => None,
        }
    }

    /// Where a mapping begins: its first key, or the whole of an empty one.
    pub(crate) fn head(&self, node: NodeId) -> Span {
        match self.pairs(node).and_then(<[_]>::first) {
            Some(&(key, _)) => self.tree.node(key).span,
            None => self.tree.node(node).span,
        }
    }

    /// Reads a mapping by its table: one entry per key, in the table's order.
    ///
    /// Unknown, missing and empty keys are reported here. `None`: not a mapping,
    /// and reported. A key that stands twice is the reader's finding; the first counts.
    pub(crate) fn fields<const N: usize>(
        &mut self,
        node: NodeId,
        path: &Path<'_>,
        table: &Table<N>,
    ) -> Option<[Option<Entry>; N]> {
        let Some(pairs) = self.pairs(node) else {
            self.no(WrongType {
                at: self.at(node, path),
                wanted: "a mapping",
                found: found(self.tree, node),
                hint: None,
            });
            return None;
        };
        let mut entries: [Option<Entry>; N] = [None; N];
        let mut seen = [false; N];
        for &(key, value) in pairs {
            // A key that is a list or a mapping is the reader's finding, and so is a merge key.
            let Some(name) = self.raw(key) else { continue };
            if matches!(&self.tree.node(key).kind, NodeKind::Scalar { text, plain: true } if text == "<<")
            {
                continue;
            }
            let Some(place) = table.position(name) else {
                self.unknown_key(key, name, path, table);
                continue;
            };
            let Some(Key { name, need, .. }) = table.keys.get(place).copied() else { continue };
            if std::mem::replace(&mut seen[place], true) {
                continue;
            }
            if self.is_null(value) {
                let at = At { path: path.key(name).text(), span: self.tree.node(key).span };
                match need {
                    Need::Blankable => {
                        self.no(EmptyOptionalKey { at, key: name });
                        continue;
                    }
                    Need::Required | Need::Optional => {
                        self.no(EmptyKey { at, key: name });
                        continue;
                    }
                    Need::Own | Need::OwnOptional => {}
                }
            }
            entries[place] = Some(Entry { name, key, value });
        }
        for (key, _) in table.keys.iter().zip(seen).filter(|&(_, seen)| !seen) {
            if key.need == Need::Required {
                self.missing(node, path, key.name, table.what, table.required());
            }
        }
        Some(entries)
    }

    /// Notes that a mapping lacks a key.
    pub(crate) fn missing(
        &mut self,
        node: NodeId,
        path: &Path<'_>,
        key: &'static str,
        mapping: &'static str,
        required: Vec<&'static str>,
    ) {
        let at = At { path: path.key(key).text(), span: self.head(node) };
        self.no(MissingKey { at, key, mapping, required });
    }

    /// An entry that another key makes required: absent and empty are refused here.
    pub(crate) fn needed(
        &mut self,
        entry: Option<Entry>,
        mapping: NodeId,
        path: &Path<'_>,
        key: &'static str,
        what: &'static str,
    ) -> Option<Entry> {
        match entry {
            None => self.missing(mapping, path, key, what, vec![key]),
            Some(entry) if self.is_null(entry.value) => {
                let span = self.tree.node(entry.key).span;
                self.no(EmptyKey { at: At { path: path.key(key).text(), span }, key });
                return None;
            }
            Some(_) => {}
        }
        entry
    }

    fn unknown_key<const N: usize>(
        &mut self,
        key: NodeId,
        name: &str,
        path: &Path<'_>,
        table: &Table<N>,
    ) {
        let at = At { path: path.key(name).text(), span: self.tree.node(key).span };
        if let Some((_, refuse)) = table.refused.iter().find(|(refused, _)| *refused == name) {
            self.no(refuse(at));
            return;
        }
        let known = table.names();
        self.no(UnknownKey {
            at,
            key: name.to_owned(),
            mapping: table.what,
            meant: meant(name, &known),
            belongs_to: super::place_of(name),
            known,
        });
    }

    /// Reads an entry, if it is there.
    pub(crate) fn read<T>(
        &mut self,
        entry: Option<Entry>,
        path: &Path<'_>,
        read: impl FnOnce(&mut Self, NodeId, &Path<'_>) -> Option<T>,
    ) -> Option<T> {
        let entry = entry?;
        read(self, entry.value, &path.key(entry.name))
    }

    /// Reads text, as YAML 1.2 understands text.
    pub(crate) fn text(&mut self, node: NodeId, path: &Path<'_>) -> Option<&'t str> {
        let core = self.tree.core(node);
        let Some(text) = self.raw(node) else {
            self.wrong(node, path, "text", None);
            return None;
        };
        match core {
            None | Some(Core::Text) => Some(text),
            Some(Core::Null) if text.is_empty() => {
                self.wrong(node, path, "text", None);
                None
            }
            Some(core) => {
                self.no(UnquotedScalar { at: self.at(node, path), text: text.to_owned(), core });
                None
            }
        }
    }

    /// Notes a value of another type.
    pub(crate) fn wrong(
        &mut self,
        node: NodeId,
        path: &Path<'_>,
        wanted: &'static str,
        hint: Option<&'static str>,
    ) {
        self.no(WrongType { at: self.at(node, path), wanted, found: found(self.tree, node), hint });
    }

    /// Reads a validated text.
    pub(crate) fn parse<T: SpecText>(&mut self, node: NodeId, path: &Path<'_>) -> Option<T> {
        let text = self.text(node, path)?;
        match T::read(text) {
            Ok(value) => Some(value),
            Err(error) => {
                let at = self.at(node, path);
                self.problems.push(T::refuse(at, text, error.problem));
                None
            }
        }
    }

    /// Reads a word of a closed vocabulary.
    pub(crate) fn word<W: Word>(&mut self, node: NodeId, path: &Path<'_>) -> Option<W> {
        let text = self.text(node, path)?;
        let word = W::read(text);
        if word.is_none() {
            self.no(UnknownWord {
                at: self.at(node, path),
                word: text.to_owned(),
                known: W::WORDS.to_vec(),
                meant: meant(text, W::WORDS),
            });
        }
        word
    }

    /// Reads `true` or `false`.
    pub(crate) fn flag(&mut self, node: NodeId, path: &Path<'_>) -> Option<bool> {
        if let Some(Core::Bool(value)) = self.tree.core(node) {
            return Some(value);
        }
        let hint = match self.raw(node) {
            Some("yes" | "no" | "on" | "off" | "y" | "n") => {
                Some("YAML 1.2 reads this as text; write true or false")
            }
            Some("true" | "false") => Some("remove the quotes; in quotes it is text"),
            _ => None,
        };
        self.wrong(node, path, "true or false", hint);
        None
    }

    /// Reads a list.
    pub(crate) fn items(&mut self, node: NodeId, path: &Path<'_>) -> Option<&'t [NodeId]> {
        if let NodeKind::Sequence(items) = &self.tree.node(node).kind {
            return Some(items);
        }
        self.wrong(node, path, "a list", None);
        None
    }

    /// Reads a list and each of its items; items that are refused are left out.
    pub(crate) fn list<T>(
        &mut self,
        node: NodeId,
        path: &Path<'_>,
        mut read: impl FnMut(&mut Self, NodeId, &Path<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items = self.items(node, path)?;
        let mut values = Vec::with_capacity(items.len());
        for (index, &item) in items.iter().enumerate() {
            values.extend(read(self, item, &path.index(index)));
        }
        Some(values)
    }
}
