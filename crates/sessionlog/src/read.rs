//! Reading a log as it stands at one instant, line by line, every line held to what a log is.

mod lines;

use crate::error::{ReadError, StateError};
use crate::event::{Event, EventType};
use crate::id::SessionId;
use crate::lineage::{self, Lineage};
use crate::problem::{LineProblem, Misplaced};
use crate::scan;
use crate::workspace::{SESSIONS, STATE, Workspace};
use camino::{Utf8Path, Utf8PathBuf};
use lines::{Line, Lines};
use rustix::fs::OFlags;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::MetadataExt;

/// The longest line of a log, in bytes: 256 MiB. Reading needs memory for the longest line there is.
pub const MAX_LINE: usize = 256 << 20;

/// The most kinds of unknown types that are counted by name.
const MOST_UNKNOWN: usize = 64;

/// What identifies the bytes that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FileIdentity {
    /// The device of the file.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// How many bytes it had when it was opened: what is read, whatever is appended meanwhile.
    pub bytes: u64,
}

/// What a reading found, so far or in all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Reading {
    /// Lines that are events.
    pub events: u64,
    /// Events by the word of their type; unknown types are counted below.
    pub by_type: BTreeMap<&'static str, u64>,
    /// Events of the nine types that `replay_v1` copies.
    pub replayed: u64,
    /// Events of types this build does not know. They stay where they are and are copied nowhere.
    pub unknown_types: BTreeMap<String, u64>,
    /// Unknown events whose type is not named above, because there are too many.
    pub unknown_more: u64,
    /// The seq of the last event.
    pub last_seq: Option<u64>,
    /// When the first event was written.
    pub first_ts: Option<String>,
    /// When the last event was written.
    pub last_ts: Option<String>,
    /// Bytes of whole events and of blank lines between them.
    pub whole_bytes: u64,
    /// Bytes of the record at the end that is not whole: being written just now, or torn by a crash.
    pub torn_bytes: u64,
    /// Whether the last event lacks its line feed. It is an event nevertheless.
    pub unterminated: bool,
}

impl Reading {
    /// Events of types this build does not know.
    pub fn unknown(&self) -> u64 {
        self.unknown_types.values().sum::<u64>() + self.unknown_more
    }

    fn count(&mut self, event: &Event<'_>) {
        self.events += 1;
        self.replayed += u64::from(event.kind.is_replayed());
        self.last_seq = Some(event.seq);
        if let Some(name) = event.kind.name() {
            *self.by_type.entry(name).or_default() += 1;
        } else if let Some(seen) = self.unknown_types.get_mut(&*event.type_name) {
            *seen += 1;
        } else if self.unknown_types.len() < MOST_UNKNOWN {
            let name: String = event.type_name.chars().take(64).collect();
            *self.unknown_types.entry(name).or_default() += 1;
        } else {
            self.unknown_more += 1;
        }
        let last = self.last_ts.get_or_insert_default();
        last.clear();
        last.push_str(&event.ts);
        if self.first_ts.is_none() {
            self.first_ts = Some(event.ts.as_ref().into());
        }
    }
}

/// A log being read: as many bytes as it had when it was opened, in memory for its longest line.
///
/// Every line is held to the log's own rules (SPEC 10): the six keys and no
/// other, this session's id, numbers without a gap from 0, whole UTF-8 and JSON.
/// The first line that breaks one ends the reading with its line and byte;
/// nothing is passed over. A last record that is not whole is no damage, it is
/// counted ([`Reading::torn_bytes`]).
///
/// ```
/// # use seatfork_sessionlog::{LogReader, SessionId, Workspace};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// # let path = camino::Utf8Path::from_path(dir.path()).unwrap();
/// # std::fs::create_dir_all(path.join(".pixir/sessions"))?;
/// # std::fs::write(path.join(".pixir/sessions/s1.ndjson"), concat!(
/// #   r#"{"data":{"text":"hello"},"id":"00","seq":0,"session_id":"s1","ts":"2026-01-02T03:04:05.000000Z","type":"user_message"}"#, "\n"))?;
/// let mut log = LogReader::open(&Workspace::open(path)?, &SessionId::new("s1")?)?;
/// while let Some(event) = log.next_event()? {
///     assert_eq!(event.data, r#"{"text":"hello"}"#);
/// }
/// assert_eq!((log.reading().events, log.reading().torn_bytes), (1, 0));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct LogReader {
    session: SessionId,
    path: Utf8PathBuf,
    identity: FileIdentity,
    lines: Lines,
    reading: Reading,
    lineage: Option<Lineage>,
}

impl LogReader {
    /// Opens the log of a session and fixes what is read to what is there now.
    pub fn open(workspace: &Workspace, session: &SessionId) -> Result<Self, ReadError> {
        let name = session.log_name();
        let file = workspace.folder().file(&[STATE, SESSIONS, &name], OFlags::RDONLY)?;
        let path = workspace.log_path(session);
        let Some(file) = file else {
            return Err(ReadError::NotFound { session: session.clone(), path });
        };
        Self::over(file, path, session.clone())
    }

    pub(crate) fn over(
        file: File,
        path: Utf8PathBuf,
        session: SessionId,
    ) -> Result<Self, ReadError> {
        let facts =
            file.metadata().map_err(|source| StateError::io(&path, "looking at it", source))?;
        let identity = FileIdentity { device: facts.dev(), inode: facts.ino(), bytes: facts.len() };
        let lines = Lines::new(file, facts.len());
        Ok(Self { session, path, identity, lines, reading: Reading::default(), lineage: None })
    }

    /// What the first line says of where the log comes from; then reading begins again, of the same bytes.
    pub(crate) fn look_ahead(&mut self) -> Result<Option<Lineage>, ReadError> {
        self.next_event()?;
        let lineage = self.lineage.take();
        self.lines.rewind();
        self.reading = Reading::default();
        Ok(lineage)
    }

    /// The session.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// The log.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Which file is read, and how much of it.
    pub fn identity(&self) -> FileIdentity {
        self.identity
    }

    /// What was found so far; all of it once [`LogReader::next_event`] gave `None`.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Where the log says it comes from, on its first line alone; known once the first event was read.
    pub fn lineage(&self) -> Option<&Lineage> {
        self.lineage.as_ref()
    }

    /// Reads to the end.
    pub fn finish(mut self) -> Result<Reading, ReadError> {
        while self.next_event()?.is_some() {}
        Ok(self.reading)
    }

    /// The next event, or `None` at the end of what stood there when the log was opened.
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>, ReadError> {
        let line = loop {
            match self.lines.next(&self.path)? {
                None => return Ok(None),
                Some(line) if !self.lines.is_blank(&line) => break line,
                Some(line) => self.reading.whole_bytes += line.whole(),
            }
        };
        let bytes = self.lines.bytes(&line);
        let expected = self.reading.last_seq.map_or(0, |seq| seq + 1);
        let first = self.reading.events == 0;
        match event(bytes, &line, &self.session, expected) {
            Ok(event) => {
                if first && event.kind == EventType::SessionFork {
                    let found = if line.number == 1 {
                        lineage::read(event.data, &self.session)
                    } else {
                        Err("it is not on the first line")
                    };
                    match found {
                        Ok(lineage) => self.lineage = Some(lineage),
                        Err(why) => {
                            return Err(ReadError::Corrupt {
                                path: self.path.clone(),
                                line: line.number,
                                byte: line.byte,
                                problem: LineProblem::Lineage { why },
                            });
                        }
                    }
                }
                self.reading.count(&event);
                self.reading.whole_bytes += line.whole();
                self.reading.unterminated = !line.terminated;
                Ok(Some(event))
            }
            // What has no line feed and is no JSON is a record being written, or one a crash cut off.
            Err(Misplaced {
                problem:
                    LineProblem::Unfinished
                    | LineProblem::NotUtf8
                    | LineProblem::Json { .. }
                    | LineProblem::NotAnObject,
                ..
            }) if !line.terminated => {
                self.reading.torn_bytes = line.whole();
                Ok(None)
            }
            Err(Misplaced { at, problem }) => Err(ReadError::Corrupt {
                path: self.path.clone(),
                line: line.number,
                byte: line.byte + at as u64,
                problem,
            }),
        }
    }
}

/// One line as an event of a session, with the number that follows on the one before.
fn event<'a>(
    bytes: &'a [u8],
    line: &Line,
    session: &SessionId,
    expected: u64,
) -> Result<Event<'a>, Misplaced> {
    let Ok(text) = simdutf8::basic::from_utf8(bytes) else {
        let at = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        return Err(Misplaced { at, problem: LineProblem::NotUtf8 });
    };
    let found = scan::envelope(text)?;
    if found.session_id.value() != session.as_str() {
        return Err(Misplaced { at: found.session_id.at, problem: LineProblem::ForeignSession });
    }
    if found.seq != expected {
        let problem = LineProblem::Seq { expected, found: found.seq };
        return Err(Misplaced { at: found.seq_at, problem });
    }
    let type_name = found.kind.value();
    Ok(Event {
        line: line.number,
        byte: line.byte,
        id: found.id.value(),
        seq: found.seq,
        ts: found.ts.value(),
        kind: EventType::from_name(&type_name),
        type_name,
        data: found.data,
        raw_ts: found.ts.raw,
        noted: found.noted,
    })
}

#[cfg(test)]
mod tests;
