//! Why nothing was appended.

use crate::error::{ReadError, StateError};
use crate::id::RandomError;
use crate::lease::hold::HoldError;
use crate::problem::LineProblem;
use camino::Utf8PathBuf;
use thiserror::Error;

/// Why nothing was appended.
#[derive(Debug, Error)]
pub enum AppendError {
    /// The log cannot be read, so the next number is not known.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The last record is not whole. Nothing is put behind it; [`repair_torn_tail`](crate::repair_torn_tail) removes it.
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
