//! Why there is no warm start.

use crate::child::BirthError;
use crate::error::{ReadError, StateError};
use crate::id::{SessionId, SessionIdError};
use crate::prefix::DanglingCall;
use crate::resource::ResourceError;
use camino::Utf8PathBuf;
use thiserror::Error;

/// Why there is no warm start. Unless it says otherwise, nothing was made and nothing is left.
#[derive(Debug, Error)]
pub enum SeedError {
    /// The child's id cannot be that of a new log.
    #[error("the child has no id that a new log can have")]
    ChildId(#[source] SessionIdError),
    /// The posture does not say who it is for.
    #[error("the child's posture names no holder")]
    PostureWithoutHolder,
    /// The seed has nothing a child could be given.
    #[error("the log of session {seed} has no event that a child is given: {path}")]
    Empty {
        /// The seed.
        seed: SessionId,
        /// Its log.
        path: Utf8PathBuf,
    },
    /// The seed ends in the middle of a turn: the boundary would stand between a call and its result.
    #[error("{path}: line {}: tool call {:?} has no result{}", .call.line, .call.call_id, whole_words(*.whole_at))]
    Dangling {
        /// The seed's log.
        path: Utf8PathBuf,
        /// The first such call.
        call: DanglingCall,
        /// How many there are.
        count: u64,
        /// The greatest `to_seq` at which a plain fork of the seed is whole.
        whole_at: Option<u64>,
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
    /// The seed cannot be read to its end.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A payload cannot be copied.
    #[error("the log of session {seed} names a payload that cannot be copied")]
    Resource {
        /// The seed.
        seed: SessionId,
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

fn whole_words(seq: Option<u64>) -> String {
    seq.map_or_else(
        || "; no plain fork of it is whole either".to_owned(),
        |seq| format!("; a plain fork is whole up to seq {seq}"),
    )
}

impl SeedError {
    /// The stable word for it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ChildId(_) | Self::PostureWithoutHolder => "invalid_args",
            Self::Empty { .. } => "not_found",
            Self::Dangling { .. } => "dangling_tool_call",
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
