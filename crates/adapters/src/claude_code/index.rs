//! A transcript in memory without its text: which rows there are, who follows whom.

use super::row::{Compaction, Head, Named};
use super::surrogates;
use crate::record::{PrefixHash, ReadError, RecordFile, Tail, read_lines};
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;
use thiserror::Error;

/// A text that stands for itself: a row's uuid, a response's id, a call's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Name(u32);

impl Name {
    /// Its place in a table of names.
    pub(super) fn at(self) -> usize {
        self.0 as usize
    }
}

/// All names of one transcript.
#[derive(Debug, Default)]
pub(super) struct Names {
    by_text: HashMap<Arc<str>, Name>,
    texts: Vec<Arc<str>>,
}

impl Names {
    fn name(&mut self, text: &str) -> Name {
        if let Some(name) = self.by_text.get(text) {
            return *name;
        }
        let name = Name(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        self.by_text.insert(text, name);
        name
    }

    /// The name of a text, if it occurs.
    pub(super) fn find(&self, text: &str) -> Option<Name> {
        self.by_text.get(text).copied()
    }

    /// The text of a name.
    pub(super) fn text(&self, name: Name) -> &str {
        &self.texts[name.at()]
    }

    /// All texts, in the order of their names.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }
}

/// What kind of row it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Assistant,
    Attachment,
    System,
    /// A compaction.
    Boundary,
    /// Not a row of the conversation: it only bridges others.
    Progress,
}

impl Kind {
    /// Whether it is a message.
    pub(super) fn is_message(self) -> bool {
        matches!(self, Self::User | Self::Assistant)
    }
}

/// One row that has a uuid and a place in the conversation.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) uuid: Name,
    pub(super) parent: Option<Name>,
    pub(super) kind: Kind,
    pub(super) sidechain: bool,
    /// What the compaction it marks kept.
    pub(super) kept: Option<Box<Compaction>>,
    /// The response an assistant row is a part of.
    pub(super) response: Option<Name>,
    pub(super) calls: Box<[Name]>,
    pub(super) answers: Box<[Name]>,
    /// It says something besides thinking and calls.
    pub(super) says: bool,
    /// It holds thinking.
    pub(super) thinks: bool,
    /// The working directory it was written in.
    pub(super) cwd: Option<Name>,
    /// Which of the rows that phase 1 writes it looks like.
    pub(super) own: Own,
    /// Its record's number, from 0.
    pub(super) record: u64,
    /// Its line, from 1.
    pub(super) line: u64,
    pub(super) offset: u64,
    pub(super) bytes: usize,
}

/// What phase 1 was seen to write by itself, word for word; see `own` for where each may stand (SPEC 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Own {
    /// An answer, in the program's words, for calls that nothing has answered.
    Interrupted,
    /// The prompt the program gives itself before [`Own::Silent`], in one version.
    Continue,
    /// The reply the program puts in a model's place.
    Silent,
    /// The notice that the source's model is not known here.
    Notice,
    /// `/cost`.
    Command,
    /// What that printed.
    Output,
    /// Anything else: it is not phase 1's.
    Other,
}

/// A `last-prompt` record: the row the runtime was at.
#[derive(Debug)]
pub(super) struct Checkpoint {
    pub(super) record: u64,
    pub(super) leaf: Option<Name>,
    pub(super) explicit: bool,
}

/// A transcript without its text.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) names: Names,
    pub(super) rows: Vec<Row>,
    pub(super) checkpoints: Vec<Checkpoint>,
    /// Where each record ends, without its line feed.
    pub(super) ends: Vec<u64>,
    pub(super) last_activity: Option<Timestamp>,
    pub(super) cwd: Option<String>,
    pub(super) version: Option<String>,
}

/// A line that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {why}")]
pub(super) struct Damage {
    pub(super) line: u64,
    pub(super) why: String,
}

/// An index and what else was learned on the way.
#[derive(Debug)]
pub(super) struct Scanned {
    pub(super) index: Index,
    /// A last line that is no whole record.
    pub(super) torn: Option<Tail>,
    pub(super) hash: PrefixHash,
}

/// Reads a whole transcript whose rows must all belong to one session.
pub(super) fn scan(
    record: &RecordFile,
    session: &str,
    hash: PrefixHash,
) -> Result<Scanned, ReadError<Damage>> {
    let mut scanned = Scanned { index: Index::default(), torn: None, hash };
    let tail = read_lines(record, |line, offset, bytes| {
        scanned.hash.feed(bytes);
        scanned.index.add(line, offset, bytes, session)
    })?;
    if let Some(tail) = tail {
        // A record may be whole and lack only its line feed.
        if is_whole(&tail.bytes) {
            scanned.hash.feed(&tail.bytes);
            scanned
                .index
                .add(tail.line, tail.offset, &tail.bytes, session)
                .map_err(ReadError::Stopped)?;
        } else {
            scanned.torn = Some(tail);
        }
    }
    Ok(scanned)
}

impl Index {
    /// Complete records.
    pub(super) fn records(&self) -> u64 {
        self.ends.len() as u64
    }

    fn add(&mut self, line: u64, offset: u64, bytes: &[u8], session: &str) -> Result<(), Damage> {
        let damage = |why: String| Damage { line, why };
        let text = std::str::from_utf8(bytes)
            .map_err(|error| damage(format!("byte {} is not UTF-8", error.valid_up_to() + 1)))?;
        let trimmed = text.trim_end_matches(['\n', '\r']);
        if trimmed.is_empty() {
            return Ok(());
        }
        let mended;
        let head: Head<'_> = match parse(trimmed) {
            Ok(head) => head,
            Err(why) => {
                mended = surrogates::mend(trimmed).ok_or_else(|| damage(why))?;
                parse(&mended).map_err(damage)?
            }
        };
        let record = self.records();
        self.ends.push(offset + trimmed.len() as u64);
        self.note(&head);
        match head.kind.0.as_deref() {
            Some("last-prompt") => self.add_checkpoint(record, &head),
            Some(kind) => {
                if let Some(kind) = kind_of(kind, head.subtype.0.as_deref())
                    && let Some(uuid) = &head.uuid.0
                {
                    if let Some(other) = &head.session_id.0
                        && other != session
                    {
                        return Err(damage(format!("it belongs to session {other}")));
                    }
                    let uuid = self.names.name(uuid);
                    self.add_row(head, kind, uuid, (record, line, offset, bytes.len()));
                }
            }
            None => {}
        }
        Ok(())
    }

    fn add_checkpoint(&mut self, record: u64, head: &Head<'_>) {
        let leaf = match &head.leaf_uuid {
            Named::Absent => return,
            Named::Nothing => None,
            Named::Row(uuid) => Some(self.names.name(uuid)),
        };
        self.checkpoints.push(Checkpoint { record, leaf, explicit: head.explicit.0 });
    }

    fn add_row(
        &mut self,
        head: Head<'_>,
        kind: Kind,
        uuid: Name,
        (record, line, offset, bytes): (u64, u64, u64, usize),
    ) {
        let kept = head
            .compact_metadata
            .filter(|_| kind == Kind::Boundary)
            .and_then(|raw| serde_json::from_str::<Compaction>(raw.get()).ok())
            .filter(|kept| kept.preserved_messages.is_some() || kept.preserved_segment.is_some())
            .map(Box::new);
        let own = own_of(kind, &head);
        let message = head.message;
        let names = &mut self.names;
        self.rows.push(Row {
            uuid,
            parent: head.parent_uuid.0.map(|parent| names.name(&parent)),
            kind,
            sidechain: head.is_sidechain.0,
            kept,
            response: message
                .response
                .filter(|_| kind == Kind::Assistant)
                .map(|id| names.name(&id)),
            calls: message.calls.iter().map(|id| names.name(id)).collect(),
            answers: message.answers.iter().map(|id| names.name(id)).collect(),
            says: message.says || !message.answers.is_empty(),
            thinks: message.thinks,
            cwd: head.cwd.0.map(|cwd| names.name(&cwd)),
            own,
            record,
            line,
            offset,
            bytes,
        });
    }

    fn note(&mut self, head: &Head<'_>) {
        if let Some(at) = head.timestamp.0.as_deref().and_then(|text| text.parse().ok()) {
            self.last_activity = self.last_activity.max(Some(at));
        }
        let rows = [(&mut self.cwd, &head.cwd), (&mut self.version, &head.version)];
        for (kept, new) in rows {
            if new.0.is_some() && *kept != new.0 {
                kept.clone_from(&new.0);
            }
        }
    }
}

fn parse(text: &str) -> Result<Head<'_>, String> {
    if !text.trim_start().starts_with('{') {
        return Err("it is no record".to_owned());
    }
    serde_json::from_str(text).map_err(|error| {
        // The parser counts lines within the record, which is one.
        let what = error.to_string();
        // The first part of a split is always there.
        let what = what.split(" at line ").next().unwrap_or_default();
        format!("it is no record: {what} at byte {}", error.column())
    })
}

/// Whether a last line is a whole record that lacks only its line feed.
fn is_whole(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"{")
        && serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

fn kind_of(kind: &str, subtype: Option<&str>) -> Option<Kind> {
    Some(match kind {
        "user" => Kind::User,
        "assistant" => Kind::Assistant,
        "attachment" => Kind::Attachment,
        "system" if subtype == Some("compact_boundary") => Kind::Boundary,
        "system" => Kind::System,
        "progress" => Kind::Progress,
        _ => return None,
    })
}

fn own_of(kind: Kind, head: &Head<'_>) -> Own {
    if head.is_sidechain.0 {
        return Own::Other;
    }
    let message = &head.message;
    let told = head.content.0.as_deref().unwrap_or_default();
    match (kind, head.subtype.0.as_deref()) {
        (Kind::System, Some("local_command")) if told == "/cost" => Own::Command,
        (Kind::System, Some("local_command")) if told.starts_with("<local-command-stdout>") => {
            Own::Output
        }
        (Kind::System, Some("informational"))
            if told.starts_with("Session model ") && told.contains(" could not be restored (") =>
        {
            Own::Notice
        }
        (Kind::Assistant, _) if message.synthetic && message.is_just("No response requested.") => {
            Own::Silent
        }
        (Kind::User, _)
            if head.is_meta.0 && message.is_just("Continue from where you left off.") =>
        {
            Own::Continue
        }
        (Kind::User, _)
            if message.interrupted > 0
                && message.interrupted == message.answers.len()
                && message.interrupted == message.blocks =>
        {
            Own::Interrupted
        }
        _ => Own::Other,
    }
}
