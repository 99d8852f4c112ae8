//! Appending to a log: one writer, one write a record, and nothing behind a record that is not whole.

use crate::error::{ReadError, StateError};
use crate::event::EventType;
use crate::id::{EventIds, RandomError, SessionId, stamp};
use crate::lease::hold::{Held, HoldError};
use crate::problem::LineProblem;
use crate::read::LogReader;
use crate::rim::{Rim, Step};
use crate::scan;
use crate::splice;
use crate::workspace::{SESSIONS, STATE, Workspace};
use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use rustix::fs::OFlags;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::os::unix::fs::FileExt;
use thiserror::Error;

/// When what is appended is made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Each record before its append returns.
    EachRecord,
    /// All of them when the writer is closed, or asked to.
    AtClose,
}

/// Why nothing was appended.
#[derive(Debug, Error)]
pub enum AppendError {
    /// The log cannot be read, so the next number is not known.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The last record is not whole. Nothing is put behind it; [`repair_torn_tail`] removes it.
    #[error("{path}: its last {bytes} bytes, from byte {byte}, are no whole record")]
    TornTail {
        /// The log.
        path: Utf8PathBuf,
        /// Where the record begins.
        byte: u64,
        /// How many bytes of it there are.
        bytes: u64,
    },
    /// Somebody else writes the session.
    #[error(transparent)]
    Lease(#[from] HoldError),
    /// This type is never written to a log.
    #[error("events of type {} are never written to a log", .name.escape_debug())]
    Ephemeral {
        /// Its word.
        name: String,
    },
    /// There is no such type, or only a new log begins with it.
    #[error("no event of type {} can be appended", .name.escape_debug())]
    Type {
        /// Its word.
        name: String,
    },
    /// The data is no JSON object.
    #[error("the data of the event, at byte {at}: {problem}")]
    Data {
        /// Where.
        at: usize,
        /// What is wrong.
        problem: LineProblem,
    },
    /// Another process has written to the log meanwhile, although this one holds its lease.
    #[error(
        "{path}: it has {found} bytes where this writer left {expected}; somebody else writes it"
    )]
    Changed {
        /// The log.
        path: Utf8PathBuf,
        /// How many bytes it had after the last append.
        expected: u64,
        /// How many it has.
        found: u64,
    },
    /// The record did not fit, and the part of it that was written could not be taken away again.
    #[error("{path}: a record was cut off at byte {byte} and is left so")]
    CutOff {
        /// The log.
        path: Utf8PathBuf,
        /// Where the record begins.
        byte: u64,
        /// Why it was cut off.
        #[source]
        source: std::io::Error,
    },
    /// The record is there, whole; whether it outlives a crash of the system is not known.
    #[error("event {seq} is appended, but not known to be durable")]
    NotDurable {
        /// Its number.
        seq: u64,
        /// Why.
        #[source]
        source: StateError,
    },
    /// A file cannot be written. Nothing of the record is there.
    #[error(transparent)]
    State(#[from] StateError),
    /// There are no random numbers.
    #[error(transparent)]
    Random(#[from] RandomError),
}

impl AppendError {
    /// The stable word for it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Read(error) => error.kind(),
            Self::TornTail { .. } => "torn_tail",
            Self::Lease(error) => error.kind(),
            Self::Ephemeral { .. } => "ephemeral_not_loggable",
            Self::Type { .. } => "invalid_args",
            Self::Data { .. } => "log_encode_failed",
            Self::Changed { .. } => "log_changed",
            Self::NotDurable { .. } => "not_durable",
            Self::State(error @ StateError::Unsafe { .. }) => error.kind(),
            Self::CutOff { .. } | Self::State(_) | Self::Random(_) => "log_write_failed",
        }
    }
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
