//! The gate: one pass over the events of a text builds the tree and refuses what no spec may hold (SPEC 2).
//!
//! Anchors, aliases, merge keys, tags, keys that are no scalar, keys given
//! twice, a second document and nesting beyond the limit are found in the same
//! loop that builds the tree, so there is no second pass and no index of
//! paths: a path is put together only when there is something to say at it.
//! After a finding reading goes on; what the finding made unreadable is noted
//! as [`Blind`], so that validation does not complain about it a second time.

use seatfork_schema::diags::At;
use seatfork_schema::diags::yaml::{
    DuplicateKey, EmptyDocument, MultipleDocuments, TooDeep, YamlAlias, YamlAnchor, YamlComplexKey,
    YamlMergeKey, YamlSyntax, YamlTag,
};
use seatfork_schema::tree::{NodeId, NodeKind, Position, Span, Tree};
use seatfork_schema::{Diagnostic, MAX_DEPTH};

use crate::blind::Blind;
use crate::events::{Event, Events, Stop, What};
use crate::frames::{Frame, Frames, Key};
use crate::source::Source;

/// What the gate made of a text.
#[derive(Debug)]
pub(crate) struct Gated {
    /// The tree, with nothing in it after a syntax error.
    pub(crate) tree: Option<Tree>,
    /// What was found on the way, in the order of the text.
    pub(crate) findings: Vec<Diagnostic>,
    /// Where the tree does not say what the text says.
    pub(crate) blind: Blind,
}

/// Reads a text without a byte order mark.
pub(crate) fn gate(text: &str) -> Gated {
    let mut gate = Gate {
        source: Source::new(text),
        tree: Tree::new(),
        findings: Vec::new(),
        blind: Blind::default(),
        frames: Frames::default(),
        too_deep: 0,
        documents: 0,
    };
    let mut events = Events::new(text);
    let whole = loop {
        match events.next() {
            Ok(None) => break true,
            Ok(Some(Event { what: What::DocumentStart { explicit }, span, .. })) => {
                if !gate.document(text, explicit, span) {
                    break gate.documents > 1;
                }
            }
            Ok(Some(event)) => gate.take(event),
            Err((stop, at)) => {
                gate.stopped(stop, at);
                break false;
            }
        }
    };
    if whole && gate.is_empty() {
        gate.say(EmptyDocument { at: At { path: String::new(), span: DOCUMENT } });
        return Gated { tree: None, findings: gate.findings, blind: gate.blind };
    }
    Gated { tree: whole.then_some(gate.tree), findings: gate.findings, blind: gate.blind }
}

/// The place of a finding about the whole document.
pub(crate) const DOCUMENT: Span =
    Span { start: Position { line: 1, column: 1 }, end: Position { line: 1, column: 1 } };

struct Gate<'t> {
    source: Source<'t>,
    tree: Tree,
    findings: Vec<Diagnostic>,
    blind: Blind,
    frames: Frames,
    /// How many levels below the limit the reading is; nothing there is kept.
    too_deep: usize,
    documents: usize,
}

impl Gate<'_> {
    /// A document begins; whether reading goes on.
    fn document(&mut self, text: &str, explicit: bool, span: Span) -> bool {
        self.documents += 1;
        if self.documents > 1 {
            self.say(MultipleDocuments { at: At { path: String::new(), span } });
            return false;
        }
        if explicit && let Some((line, version)) = foreign_version(text, span.start.line) {
            let at = Position { line, column: 1 };
            self.say(YamlSyntax {
                at: At { path: String::new(), span: Span { start: at, end: at } },
                reason: format!("%YAML {version} is not YAML 1.2"),
            });
            return false;
        }
        true
    }

    fn take(&mut self, event: Event<'_>) {
        if self.too_deep > 0 {
            match event.what {
                What::SequenceStart | What::MappingStart => self.too_deep += 1,
                What::End => self.too_deep -= 1,
                What::Scalar { .. } | What::Alias | What::DocumentStart { .. } => {}
            }
            return;
        }
        match event.what {
            What::DocumentStart { .. } => {}
            What::Scalar { ref text, plain } => {
                let empty = plain && text.is_empty() && !event.anchored && !event.tagged;
                let span = if empty {
                    self.frames.place_of_nothing(&self.tree, event.span)
                } else {
                    event.span
                };
                let merge = plain && text == "<<";
                self.marks(&event);
                let What::Scalar { text, plain } = event.what else { return };
                let id = self.tree.push(NodeKind::Scalar { text: text.into_owned(), plain }, span);
                if self.frames.at_key() { self.key(id, merge) } else { self.place(id) }
            }
            What::Alias => self.alias(event.span),
            What::SequenceStart => self.open(&event, false),
            What::MappingStart => self.open(&event, true),
            What::End => self.close(event.span),
        }
    }

    /// Says what a node carries that no node may: an anchor, a tag.
    fn marks(&mut self, event: &Event<'_>) {
        if !event.anchored && !event.tagged {
            return;
        }
        let path = match &event.what {
            What::Scalar { text, .. } if self.frames.at_key() => {
                self.frames.path_to(&self.tree, text)
            }
            _ => self.frames.path(&self.tree),
        };
        if event.anchored {
            let word = self.source.word(event.span.start, '&');
            let name = word.text[1..].to_owned();
            self.say(YamlAnchor { at: At { path: path.clone(), span: word.span }, name });
        }
        if event.tagged {
            let word = self.source.word(event.span.start, '!');
            self.blind.at(path.clone());
            self.say(YamlTag { at: At { path, span: word.span }, tag: word.text });
        }
    }

    fn alias(&mut self, span: Span) {
        let word = self.source.word(span.start, '*');
        let name = word.text[1..].to_owned();
        let path = self.frames.path(&self.tree);
        let at = At { path: path.clone(), span: word.span };
        self.say(YamlAlias { at, name });
        if self.frames.at_key() {
            self.frames.set_key(Key::Unreadable);
            return;
        }
        self.blind.at_and_below(path);
        let nothing = NodeKind::Scalar { text: String::new(), plain: true };
        let id = self.tree.push(nothing, word.span);
        self.place(id);
    }

    /// A scalar key has been read.
    fn key(&mut self, id: NodeId, merge: bool) {
        if merge {
            let path = self.frames.path(&self.tree);
            self.blind.keys_of(path.clone());
            let span = self.tree.node(id).span;
            self.say(YamlMergeKey { at: At { path, span } });
            self.frames.set_key(Key::Dropped(id));
            return;
        }
        match self.frames.first_of_that_name(&self.tree, id) {
            None => self.frames.set_key(Key::Kept(id)),
            Some(first) => {
                self.frames.set_key(Key::Dropped(id));
                let path = self.frames.path(&self.tree);
                let first = At { path: path.clone(), span: self.tree.node(first).span };
                let at = At { path, span: self.tree.node(id).span };
                let key = text_of(&self.tree, id).to_owned();
                self.say(DuplicateKey { at, key, first });
            }
        }
    }

    fn open(&mut self, event: &Event<'_>, mapping: bool) {
        self.marks(event);
        let as_key = self.frames.at_key();
        if as_key {
            // A key inside such a key is part of the same mistake.
            if !self.frames.inside_key() {
                let path = self.frames.path(&self.tree);
                self.say(YamlComplexKey { at: At { path, span: event.span } });
            }
            self.frames.set_key(Key::Unreadable);
        }
        if self.frames.depth() == MAX_DEPTH {
            self.too_deep = 1;
            let path = self.frames.path(&self.tree);
            self.blind.too_deep(path.clone());
            self.say(TooDeep { at: At { path, span: event.span }, max: MAX_DEPTH });
            if !as_key {
                let id = self.tree.push(NodeKind::Sequence(Vec::new()), event.span);
                self.place(id);
            }
            return;
        }
        let kind =
            if mapping { NodeKind::Mapping(Vec::new()) } else { NodeKind::Sequence(Vec::new()) };
        let id = self.tree.push(kind, event.span);
        self.frames.push(Frame::new(id, event.span.start, mapping, as_key));
    }

    fn close(&mut self, span: Span) {
        let Some(frame) = self.frames.pop() else { return };
        let id = frame.id;
        let as_key = frame.as_key;
        let start = frame.start;
        let (kind, last) = frame.into_kind();
        // The parser's end of a block runs past blank lines: a block ends with the last node in it.
        let end = if span.end > span.start {
            span.end
        } else {
            last.map_or(self.tree.node(id).span.end, |last| self.tree.node(last).span.end)
        };
        self.tree.fill(id, kind, Span { start, end: end.max(start) });
        if !as_key {
            self.place(id);
        }
    }

    /// A node is complete: it goes where it belongs.
    fn place(&mut self, id: NodeId) {
        if !self.frames.attach(id) {
            self.tree.set_root(id);
        }
    }

    fn stopped(&mut self, stop: Stop, start: Position) {
        let span = Span { start, end: start };
        match stop {
            Stop::Syntax { reason } => {
                self.say(YamlSyntax { at: At { path: String::new(), span }, reason });
            }
            Stop::Tag => {
                let path = self.frames.path(&self.tree);
                let word = self.source.word(start, '!');
                self.say(YamlTag { at: At { path, span: word.span }, tag: word.text });
            }
            // Below our limit this has been said already, of the same nesting.
            Stop::TooDeep if self.too_deep > 0 => {}
            Stop::TooDeep => {
                let path = self.frames.path(&self.tree);
                self.say(TooDeep { at: At { path, span }, max: MAX_DEPTH });
            }
        }
    }

    fn say(&mut self, finding: impl Into<Diagnostic>) {
        self.findings.push(finding.into());
    }

    /// Whether nothing was written: no document, or one of nothing but marks and comments.
    fn is_empty(&self) -> bool {
        match self.tree.root() {
            None => true,
            Some(root) => {
                matches!(
                    &self.tree.node(root).kind,
                    NodeKind::Scalar { text, plain: true } if text.is_empty()
                ) && !self.blind.is_all()
            }
        }
    }
}

/// The version a `%YAML` line before `---` asks for, where it is none of YAML 1, with its line.
///
/// YAML 1.2 asks of its readers to take `%YAML 1.1` documents as 1.2 ones, and to refuse other major versions.
fn foreign_version(text: &str, dashes: u32) -> Option<(u32, &str)> {
    (1..dashes).zip(text.lines()).find_map(|(line, text)| {
        let version = text.strip_prefix("%YAML")?.split_whitespace().next()?;
        (!version.starts_with("1.")).then_some((line, version))
    })
}

fn text_of(tree: &Tree, id: NodeId) -> &str {
    match &tree.node(id).kind {
        NodeKind::Scalar { text, .. } => text,
        NodeKind::Sequence(_) | NodeKind::Mapping(_) => "",
    }
}

#[cfg(test)]
mod tests;
