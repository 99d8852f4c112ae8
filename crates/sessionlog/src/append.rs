//! Appending to a log: one writer, one write a record, and nothing behind a record that is not whole.

mod error;

use crate::error::{ReadError, StateError};
use crate::event::EventType;
use crate::id::{EventIds, SessionId, stamp};
use crate::lease::hold::{Held, HoldError};
use crate::problem::LineProblem;
use crate::read::{LogReader, MAX_LINE};
use crate::rim::{Rim, Step};
use crate::scan;
use crate::splice;
use crate::workspace::{SESSIONS, STATE, Workspace};
use camino::{Utf8Path, Utf8PathBuf};
pub use error::AppendError;
use jiff::Timestamp;
use rustix::fs::OFlags;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::os::unix::fs::FileExt;

/// When what is appended is made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Each record before its append returns.
    EachRecord,
    /// All of them when the writer is closed, or asked to.
    AtClose,
}

/// The one writer of a session: it holds the session's lease and a lock on its log.
///
/// ```
/// # use seatfork_sessionlog::{Durability, LogReader, LogWriter, SessionId, Workspace, create_log};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// # let workspace = Workspace::open(camino::Utf8Path::from_path(dir.path()).unwrap())?;
/// # let at = "2026-01-02T03:04:05Z".parse()?;
/// let session = SessionId::generate(at)?;
/// create_log(&workspace, &session, None, at)?;
/// let mut writer = LogWriter::open(&workspace, &session, Durability::EachRecord, at)?;
/// assert_eq!(writer.append("user_message", r#"{"text":"hello"}"#, at)?, 0);
/// assert_eq!(writer.append("assistant_message", r#"{"text":"hi"}"#, at)?, 1);
/// writer.close()?;
/// assert_eq!(LogReader::open(&workspace, &session)?.finish()?.events, 2);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct LogWriter {
    held: Held,
    file: File,
    path: Utf8PathBuf,
    session: SessionId,
    durability: Durability,
    ids: EventIds,
    next_seq: u64,
    bytes: u64,
    /// The last record is whole but for its line feed, which the next write begins with.
    newline_first: bool,
}

impl LogWriter {
    /// Becomes the writer of an existing log. The log is read through, so that the next number is known.
    pub fn open(
        workspace: &Workspace,
        session: &SessionId,
        durability: Durability,
        at: Timestamp,
    ) -> Result<Self, AppendError> {
        // A log that is not there has no writer, not even for a moment.
        let names = [STATE, SESSIONS, &*session.log_name()];
        if workspace.folder().file(&names, OFlags::RDONLY)?.is_none() {
            let path = workspace.log_path(session);
            return Err(ReadError::NotFound { session: session.clone(), path }.into());
        }
        let held = Held::acquire(workspace, session, at)?;
        match Self::begin(workspace, session) {
            Ok((file, next_seq, bytes, newline_first)) => Ok(Self {
                held,
                file,
                path: workspace.log_path(session),
                session: session.clone(),
                durability,
                ids: EventIds::new(),
                next_seq,
                bytes,
                newline_first,
            }),
            Err(error) => {
                held.release()?;
                Err(error)
            }
        }
    }

    fn begin(
        workspace: &Workspace,
        session: &SessionId,
    ) -> Result<(File, u64, u64, bool), AppendError> {
        let path = workspace.log_path(session);
        let file = open_locked(workspace, session)?;
        let copy =
            file.try_clone().map_err(|source| StateError::io(&path, "opening it again", source))?;
        let log = LogReader::over(copy, path.clone(), session.clone())?;
        let bytes = log.identity().bytes;
        let reading = log.finish()?;
        if reading.torn_bytes > 0 {
            let byte = reading.whole_bytes;
            return Err(AppendError::TornTail { path, byte, bytes: reading.torn_bytes });
        }
        let next_seq = reading.last_seq.map_or(0, |seq| seq + 1);
        // Blank lines may follow on the last event; what counts is the last byte there is.
        let mut last = [b'\n'];
        if bytes > 0 {
            file.read_exact_at(&mut last, bytes - 1)
                .map_err(|source| StateError::io(&path, "reading its last byte", source))?;
        }
        Ok((file, next_seq, bytes, last != *b"\n"))
    }

    /// The number the next event will have.
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Appends one event, in one write, and gives its number. On an error nothing of it is there, unless it says so.
    pub fn append(
        &mut self,
        type_name: &str,
        data: &str,
        at: Timestamp,
    ) -> Result<u64, AppendError> {
        self.append_with(type_name, data, at, Rim::default())
    }

    pub(crate) fn append_with(
        &mut self,
        type_name: &str,
        data: &str,
        at: Timestamp,
        rim: Rim<'_>,
    ) -> Result<u64, AppendError> {
        let name = || type_name.chars().take(64).collect::<String>();
        if EventType::is_ephemeral_name(type_name) {
            return Err(AppendError::Ephemeral { name: name() });
        }
        if matches!(EventType::from_name(type_name), EventType::Unknown | EventType::SessionFork) {
            return Err(AppendError::Type { name: name() });
        }
        // Inside strings a line feed is escaped, so one that is not is space.
        let data = data.trim().replace('\n', " ");
        scan::object(&data).map_err(|no| AppendError::Data { at: no.at, problem: no.problem })?;
        self.held.beat(at)?;
        let found = self.length()?;
        if found != self.bytes {
            let (path, expected) = (self.path.clone(), self.bytes);
            return Err(AppendError::Changed { path, expected, found });
        }
        let (seq, id) = (self.next_seq, self.ids.next()?);
        let ts = format!("\"{}\"", stamp(at));
        let mut record = Vec::with_capacity(data.len() + 256);
        if self.newline_first {
            record.push(b'\n');
        }
        splice::line(&mut record, id, &self.session, seq, &ts, type_name, &data);
        if record.len() > MAX_LINE {
            return Err(AppendError::Data { at: MAX_LINE, problem: LineProblem::LineTooLong });
        }
        self.write(&record, rim)?;
        self.next_seq += 1;
        self.newline_first = false;
        if self.durability == Durability::EachRecord {
            rim.before(Step::Sync)
                .and_then(|()| self.file.sync_data())
                .map_err(|source| StateError::io(&self.path, "making it durable", source))
                .map_err(|source| AppendError::NotDurable { seq, source })?;
        }
        Ok(seq)
    }

    fn write(&mut self, record: &[u8], rim: Rim<'_>) -> Result<(), AppendError> {
        let done = rim.before(Step::Write).and_then(|()| {
            match self.file.write(record)? {
                count if count == record.len() => Ok(()),
                // The disk is full, or the file may not grow: the rest would be a second write.
                _ => Err(std::io::Error::from(std::io::ErrorKind::WriteZero)),
            }
        });
        match done {
            Ok(()) => {
                self.bytes += record.len() as u64;
                Ok(())
            }
            // What was written of it goes again; nobody else writes here.
            Err(source) => match self.file.set_len(self.bytes) {
                Ok(()) => Err(StateError::io(&self.path, "appending to it", source).into()),
                Err(_) => {
                    Err(AppendError::CutOff { path: self.path.clone(), byte: self.bytes, source })
                }
            },
        }
    }

    fn length(&self) -> Result<u64, StateError> {
        let facts = self.file.metadata();
        facts
            .map(|facts| facts.len())
            .map_err(|source| StateError::io(&self.path, "looking at it", source))
    }

    /// Shows that this writer lives: to be called every second or so while nothing is appended.
    pub fn keep_alive(&mut self, at: Timestamp) -> Result<(), AppendError> {
        Ok(self.held.beat(at)?)
    }

    /// Makes everything appended so far durable.
    pub fn sync(&self) -> Result<(), AppendError> {
        self.file
            .sync_data()
            .map_err(|source| StateError::io(&self.path, "making it durable", source).into())
    }

    /// Makes everything durable and gives the session free. Merely dropping the writer leaves its lease, which becomes stale.
    pub fn close(self) -> Result<(), AppendError> {
        let synced = self.sync();
        self.held.release()?;
        synced
    }
}

fn open_locked(workspace: &Workspace, session: &SessionId) -> Result<File, AppendError> {
    let path = workspace.log_path(session);
    let name = session.log_name();
    let flags = OFlags::RDWR | OFlags::APPEND;
    let Some(file) = workspace.folder().file(&[STATE, SESSIONS, &name], flags)? else {
        return Err(ReadError::NotFound { session: session.clone(), path }.into());
    };
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(HoldError::Locked { path }.into()),
        Err(TryLockError::Error(source)) => Err(StateError::io(&path, "locking it", source).into()),
    }
}

/// What a repair took away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// Where the record began that was not whole: the length of the log now.
    pub byte: u64,
    /// Its bytes.
    pub removed: Vec<u8>,
}

/// Removes a record at the end of a log that is not whole, as the session's only writer. `None` where there is none.
///
/// The log is read through first; one that is damaged elsewhere stays as it is.
pub fn repair_torn_tail(
    workspace: &Workspace,
    session: &SessionId,
    at: Timestamp,
) -> Result<Option<Repair>, AppendError> {
    let held = Held::acquire(workspace, session, at)?;
    let done = cut(workspace, session, &workspace.log_path(session));
    held.release()?;
    done
}

fn cut(
    workspace: &Workspace,
    session: &SessionId,
    path: &Utf8Path,
) -> Result<Option<Repair>, AppendError> {
    let file = open_locked(workspace, session)?;
    let failed = |doing| move |source| StateError::io(path, doing, source);
    let copy = file.try_clone().map_err(failed("opening it again"))?;
    let reading = LogReader::over(copy, path.into(), session.clone())?.finish()?;
    if reading.torn_bytes == 0 {
        return Ok(None);
    }
    let byte = reading.whole_bytes;
    let mut removed = vec![0; usize::try_from(reading.torn_bytes).unwrap_or(usize::MAX)];
    file.read_exact_at(&mut removed, byte).map_err(failed("reading the end of it"))?;
    file.set_len(byte).map_err(failed("cutting the end off"))?;
    file.sync_all().map_err(failed("making it durable"))?;
    Ok(Some(Repair { byte, removed }))
}

#[cfg(test)]
mod tests;
