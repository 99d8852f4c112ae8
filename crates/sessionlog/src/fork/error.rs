//! Why there is no fork.

use crate::child::BirthError;
use crate::error::{ReadError, StateError};
use crate::id::{SessionId, SessionIdError};
use crate::resource::ResourceError;
use camino::Utf8PathBuf;
use thiserror::Error;

/// Why there is no fork. Unless it says otherwise, nothing was made and nothing is left.
#[derive(Debug, Error)]
pub enum ForkError {
    /// The child's id cannot be that of a new log.
    #[error("the child has no id that a new log can have")]
    ChildId(#[source] SessionIdError),
    /// The parent has no event at all.
    #[error("the log of session {parent} has no event: {path}")]
    Empty {
        /// The parent.
        parent: SessionId,
        /// Its log.
        path: Utf8PathBuf,
    },
    /// The child has a log, or payloads, already. They are as they were.
    #[error("session {child} exists already: {path}")]
    AlreadyExists {
        /// The child.
        child: SessionId,
        /// Its log.
        path: Utf8PathBuf,
    },
    /// Somebody holds the lease of the child's id.
    #[error("the lease of session {child} is {state}: {path}")]
    Leased {
        /// The child.
        child: SessionId,
        /// `active`, `stale` or `ambiguous`.
        state: &'static str,
        /// The stable word for it.
        kind: &'static str,
        /// The lease.
        path: Utf8PathBuf,
    },
    /// The parent cannot be read to its end.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A payload cannot be copied.
    #[error("the log of session {parent} names a payload that cannot be copied")]
    Resource {
        /// The parent.
        parent: SessionId,
        /// What is wrong.
        #[source]
        source: ResourceError,
    },
    /// It could not be written.
    #[error("the log of session {child} was not made")]
    Write {
        /// The child.
        child: SessionId,
        /// Why.
        #[source]
        source: BirthError,
    },
    /// It was published, whole. Whether its name outlives a crash of the system is not known, or what was
    /// needed to make it is still there.
    #[error("the log of session {child} is published, whole; what had to follow on that failed")]
    NotDurable {
        /// The child.
        child: SessionId,
        /// Its log.
        path: Utf8PathBuf,
        /// Why.
        #[source]
        source: StateError,
    },
}

impl ForkError {
    /// The stable word for it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ChildId(_) => "invalid_args",
            Self::Empty { .. } => "not_found",
            Self::AlreadyExists { .. } => "already_exists",
            Self::Leased { kind, .. } => kind,
            Self::Read(error) => error.kind(),
            Self::Resource { source, .. } => source.kind(),
            Self::Write {
                source: BirthError::State(error @ StateError::Unsafe { .. }), ..
            } => error.kind(),
            Self::Write { .. } => "write_failed",
            Self::NotDurable { .. } => "not_durable",
        }
    }
}
