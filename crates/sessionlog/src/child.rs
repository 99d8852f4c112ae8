//! How a child log comes to be: one reading of its parent, one file, published whole or not at all.

mod place;

use crate::boundary::Passage;
use crate::cache::CacheTally;
use crate::error::{ReadError, StateError};
use crate::event::Event;
use crate::id::{RandomError, SessionId};
use crate::lease;
use crate::prefix::Prefix;
use crate::problem::LineProblem;
use crate::read::{FileIdentity, LogReader, Reading};
use crate::resource::ResourceError;
use crate::rim::{Rim, Step};
use crate::splice::{Splice, SpliceError};
use crate::unfinished::{self, MakeError, PublishError, Staging};
use crate::workspace::Workspace;
use camino::Utf8PathBuf;
use jiff::Timestamp;
pub(crate) use place::Place;
use std::fmt;
use std::thread;
use thiserror::Error;

/// Below so many bytes a parent's child is made durable at the end alone.
const EARLY_FROM: u64 = 16 << 20;

/// Why a new log could not be written. Nothing of it is left.
#[derive(Debug, Error)]
pub enum BirthError {
    /// A file or folder cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// There are no random numbers.
    #[error(transparent)]
    Random(#[from] RandomError),
    /// It failed, and then what was begun could not be removed either.
    #[error("{failure}; and what was begun is left")]
    LeftBehind {
        /// Why there is no log.
        failure: String,
        /// Why something is left. The next warm start or fork in the workspace removes it.
        #[source]
        cleanup: StateError,
    },
}

impl From<SpliceError> for BirthError {
    fn from(error: SpliceError) -> Self {
        match error {
            SpliceError::State(error) => Self::State(error),
            SpliceError::Random(error) => Self::Random(error),
        }
    }
}

impl From<MakeError> for BirthError {
    fn from(error: MakeError) -> Self {
        match error {
            MakeError::State(error) => Self::State(error),
            MakeError::Random(error) => Self::Random(error),
        }
    }
}

/// What was learned of a parent.
pub(crate) struct Plan<'a> {
    pub(crate) prefix: &'a Prefix,
    pub(crate) root: &'a SessionId,
    pub(crate) reading: &'a Reading,
    pub(crate) identity: FileIdentity,
}

/// Events that follow on the copied ones: type and data.
pub(crate) struct Tail {
    pub(crate) events: Vec<(&'static str, String)>,
}

/// A parent read to its end.
pub(crate) struct Survey {
    pub(crate) prefix: Prefix,
    pub(crate) root: SessionId,
    pub(crate) reading: Reading,
    pub(crate) identity: FileIdentity,
}

impl Survey {
    pub(crate) fn plan(&self) -> Plan<'_> {
        Plan {
            prefix: &self.prefix,
            root: &self.root,
            reading: &self.reading,
            identity: self.identity,
        }
    }
}

/// Why a parent could not be read for a child.
#[derive(Debug)]
pub(crate) enum SurveyError {
    Read(ReadError),
    Resource(ResourceError),
}

impl From<ReadError> for SurveyError {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

/// Reads a parent and says what a child would be given.
pub(crate) fn survey(
    workspace: &Workspace,
    parent: &SessionId,
    to_seq: Option<u64>,
) -> Result<Survey, SurveyError> {
    let log = LogReader::open(workspace, parent)?;
    pass(log, to_seq, false, |_, _| Ok::<(), SurveyError>(()))
}

/// The one pass over a parent: every copied event is handed on.
fn pass<E: From<SurveyError>>(
    mut log: LogReader,
    to_seq: Option<u64>,
    summarize: bool,
    mut copy: impl FnMut(&Event<'_>, &mut Passage) -> Result<(), E>,
) -> Result<Survey, E> {
    let mut prefix = Prefix::new(summarize);
    while let Some(event) = log.next_event().map_err(SurveyError::Read)? {
        let beyond = to_seq.is_some_and(|to_seq| event.seq > to_seq);
        if !beyond && prefix.take(&event).map_err(SurveyError::Resource)? {
            copy(&event, &mut prefix.passage)?;
        }
        if prefix.too_many_open {
            let (line, byte, problem) = (event.line, event.byte, LineProblem::TooManyOpenCalls);
            let path = log.path().to_owned();
            return Err(SurveyError::Read(ReadError::Corrupt { path, line, byte, problem }).into());
        }
        if event.seq == 0 {
            prefix.passage.begin(log.lineage());
        }
    }
    let root = log.lineage().map_or_else(|| log.session().clone(), |lineage| lineage.root.clone());
    Ok(Survey { prefix, root, reading: log.reading().clone(), identity: log.identity() })
}

impl From<ResourceError> for SurveyError {
    fn from(error: ResourceError) -> Self {
        Self::Resource(error)
    }
}

/// Why there is no child; `E` is what the caller refuses on its own account.
#[derive(Debug)]
pub(crate) enum ChildError<E> {
    Refused(E),
    Survey(SurveyError),
    Exists,
    Leased { state: &'static str, kind: &'static str, path: Utf8PathBuf },
    Write(BirthError),
    NotDurable(StateError),
}

impl<E: fmt::Display> fmt::Display for ChildError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::Survey(SurveyError::Read(error)) => error.fmt(f),
            Self::Survey(SurveyError::Resource(error)) => error.fmt(f),
            Self::Exists => f.write_str("the session exists already"),
            Self::Leased { state, path, .. } => write!(f, "its lease is {state}: {path}"),
            Self::Write(error) => error.fmt(f),
            Self::NotDurable(error) => error.fmt(f),
        }
    }
}

impl<E> From<SurveyError> for ChildError<E> {
    fn from(error: SurveyError) -> Self {
        Self::Survey(error)
    }
}

impl<E> From<BirthError> for ChildError<E> {
    fn from(error: BirthError) -> Self {
        Self::Write(error)
    }
}

impl<E> From<StateError> for ChildError<E> {
    fn from(error: StateError) -> Self {
        Self::Write(BirthError::State(error))
    }
}

impl<E> From<SpliceError> for ChildError<E> {
    fn from(error: SpliceError) -> Self {
        Self::Write(error.into())
    }
}

impl<E> From<PublishError> for ChildError<E> {
    fn from(error: PublishError) -> Self {
        match error {
            PublishError::Exists => Self::Exists,
            PublishError::NotDurable(error) => Self::NotDurable(error),
            PublishError::State(error) => error.into(),
        }
    }
}

/// A child that was made.
#[derive(Debug)]
pub(crate) struct Born<T> {
    pub(crate) bytes: u64,
    pub(crate) resource_bytes: u64,
    pub(crate) cache: CacheTally,
    pub(crate) extra: T,
}

/// A child to be made.
pub(crate) struct Birth<'a> {
    pub(crate) parent_workspace: &'a Workspace,
    pub(crate) parent: &'a SessionId,
    pub(crate) workspace: &'a Workspace,
    pub(crate) child: &'a SessionId,
    pub(crate) to_seq: Option<u64>,
    pub(crate) summarize: bool,
    pub(crate) at: Timestamp,
    /// The time as a JSON string.
    pub(crate) ts: &'a str,
}

impl Birth<'_> {
    /// Makes the child: `head` is the data of its first line, `tail` what follows on the copied events.
    pub(crate) fn give<T, E>(
        &self,
        head: impl Fn(&Plan<'_>) -> String,
        tail: impl FnOnce(&Plan<'_>) -> Result<(Tail, T), E>,
        rim: Rim<'_>,
    ) -> Result<Born<T>, ChildError<E>>
    where
        E: fmt::Display,
    {
        // First, so that what a killed attempt at this very child left is not taken for a child.
        unfinished::sweep(self.workspace, rim)?;
        if unfinished::exists(self.workspace, self.child)? {
            return Err(ChildError::Exists);
        }
        let lease = lease::lease_state(self.workspace, self.child, self.at)?;
        if let Some(kind) = lease.refusal_kind() {
            let path = lease::lease_path(self.workspace, self.child);
            return Err(ChildError::Leased { state: lease.name(), kind, path });
        }
        let log = LogReader::open(self.parent_workspace, self.parent).map_err(SurveyError::Read)?;
        let mut place = Place::default();
        let made = self.make(log, head, tail, &mut place, rim);
        // What has its name is the child's own; all else goes, whatever came of it.
        let keep = matches!(&made, Ok(_) | Err(ChildError::NotDurable(_)));
        match (made, place.clear(self.workspace, self.child, keep, rim)) {
            (made, Ok(())) => made,
            (Ok(_), Err(cleanup)) => Err(ChildError::NotDurable(cleanup)),
            (Err(ChildError::NotDurable(error)), Err(_)) => Err(ChildError::NotDurable(error)),
            (Err(error), Err(cleanup)) => {
                Err(BirthError::LeftBehind { failure: error.to_string(), cleanup }.into())
            }
        }
    }

    fn make<'w, T, E>(
        &'w self,
        mut log: LogReader,
        head: impl Fn(&Plan<'_>) -> String,
        tail: impl FnOnce(&Plan<'_>) -> Result<(Tail, T), E>,
        place: &mut Place<'w>,
        rim: Rim<'_>,
    ) -> Result<Born<T>, ChildError<E>> {
        let unfinished = place.begin(self.workspace, self.child, rim)?;
        let path = self.workspace.log_path(self.child);
        let early = log.identity().bytes >= EARLY_FROM;
        let lineage = log.look_ahead().map_err(SurveyError::Read)?;
        let widest = Survey {
            prefix: Prefix::widest(lineage.as_ref()),
            root: lineage.map_or_else(|| self.parent.clone(), |lineage| lineage.root),
            reading: Reading::default(),
            identity: log.identity(),
        };
        let widest = head(&widest.plan());
        let (survey, bytes, extra) = thread::scope(|scope| {
            let first = (self.ts, "session_fork", widest.as_str());
            let mut splice = Splice::begin(&unfinished.file, &path, self.child, first, rim)?;
            // Where the system has no thread to spare, the end waits for the disk instead.
            let disk = if early { splice.sync_early(scope).ok() } else { None };
            let survey = pass(log, self.to_seq, self.summarize, |event, passage| {
                let (seq, id) = splice.event(event.raw_ts, &event.type_name, event.data)?;
                passage.copied(event, seq, id);
                Ok::<(), ChildError<E>>(())
            })?;
            let plan = survey.plan();
            let (tail, extra) = tail(&plan).map_err(ChildError::Refused)?;
            for (kind, data) in &tail.events {
                splice.event(self.ts, kind, data)?;
            }
            let bytes = splice.finish((self.ts, "session_fork", &head(&plan)))?;
            if let Some(disk) = disk {
                // The system tells an error of the disk once, so the thread's must not be lost.
                let failed = |source| StateError::io(&path, "making the new log durable", source);
                match disk.join() {
                    Ok(done) => done.map_err(failed)?,
                    Err(_) => return Err(failed(std::io::Error::other("its thread ended")).into()),
                }
            }
            Ok::<_, ChildError<E>>((survey, bytes, extra))
        })?;
        let failed = |source| StateError::io(&path, "making the new log durable", source);
        rim.before(Step::Sync).map_err(failed)?;
        unfinished.file.sync_all().map_err(failed)?;
        let sessions = place.sessions(self.workspace, rim)?;
        let mut resource_bytes = 0;
        if survey.prefix.resources.len() > 0 {
            if place.staging.is_none() {
                let staging =
                    Staging::make(self.workspace, self.child, rim).map_err(BirthError::from)?;
                place.staging = Some(staging);
            }
            if let Some(staging) = &place.staging {
                resource_bytes = survey
                    .prefix
                    .resources
                    .check_and_copy(
                        self.parent_workspace,
                        self.parent,
                        Some((staging, self.child)),
                        rim,
                    )
                    .map_err(SurveyError::Resource)?;
                staging.publish_payloads(&sessions, self.child, rim)?;
                place.payloads = true;
                // Before the log: whoever sees the log after a crash of the system has its payloads, too.
                sessions.sync(rim)?;
            }
        }
        unfinished.publish(place.staging.as_ref(), &sessions, &self.child.log_name(), rim)?;
        Ok(Born { bytes, resource_bytes, cache: survey.prefix.cache, extra })
    }
}
