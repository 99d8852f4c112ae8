//! How adapters say no, one enum per operation (SPEC 6, 10).

use camino::Utf8PathBuf;
use seatfork_schema::{LaunchCode, Runtime};
use thiserror::Error;

/// Why no binary answers for a runtime. Stops the whole command, exit 7.
#[derive(Debug, Error)]
pub enum ProbeError {
    /// Not on PATH.
    #[error(
        "no `{program}` on PATH ({looked_in} places looked at, {skipped} skipped as relative or inside the rig)"
    )]
    Missing {
        /// What was looked for.
        program: String,
        /// Directories looked at.
        looked_in: usize,
        /// Entries skipped.
        skipped: usize,
    },
    /// It lacks what a launch needs.
    #[error("{path} is version {version}, which lacks {lacks}")]
    TooOld {
        /// The binary.
        path: Utf8PathBuf,
        /// What it says it is.
        version: String,
        /// What is missing.
        lacks: String,
    },
    /// It did not answer in time.
    #[error("{path} did not answer `{asked}` within {seconds} s")]
    Silent {
        /// The binary.
        path: Utf8PathBuf,
        /// What was asked.
        asked: String,
        /// The deadline.
        seconds: u64,
    },
    /// It answered, not as a runtime we know.
    #[error("{path} answered `{asked}` with {answer}")]
    Strange {
        /// The binary.
        path: Utf8PathBuf,
        /// What was asked.
        asked: String,
        /// What came, escaped and cut.
        answer: String,
    },
    /// It could not be started or read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: Utf8PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

impl ProbeError {
    /// The stable code.
    pub fn code(&self) -> LaunchCode {
        match self {
            Self::Missing { .. } => LaunchCode::BinaryMissing,
            Self::TooOld { .. } => LaunchCode::BinaryTooOld,
            Self::Silent { .. } | Self::Strange { .. } | Self::Io { .. } => {
                LaunchCode::BinaryUnusable
            }
        }
    }
}

/// What a spec asks that this binary or this build cannot do. Pure. Exit 7.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct PlanRefusal {
    /// The stable code.
    pub code: LaunchCode,
    /// What is refused and why.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// Why a source cannot be forked. Fails its member alone, step `resolve` (SPEC 6, 10).
#[derive(Debug, Error)]
pub enum ResolveError {
    /// The adapter cannot fork at all.
    #[error("{0}")]
    CannotFork(String),
    /// Not the shape this runtime's ids have.
    #[error("{runtime} ids are lower-case UUIDs, this is {given:?}")]
    Malformed {
        /// The runtime.
        runtime: Runtime,
        /// The id.
        given: String,
        /// A likely meant id: the lower-case form.
        did_you_mean: Option<String>,
    },
    /// Nowhere.
    #[error("source session id not found: {runtime} has no session {id}")]
    NotFound {
        /// The runtime.
        runtime: Runtime,
        /// The id.
        id: String,
        /// Where it was looked for.
        looked_in: Vec<Utf8PathBuf>,
        /// The nearest known ones, each in one line.
        nearest: Vec<String>,
    },
    /// More than one record bears the id.
    #[error("{runtime} session {id} stands in {} places", .paths.len())]
    Ambiguous {
        /// The runtime.
        runtime: Runtime,
        /// The id.
        id: String,
        /// They.
        paths: Vec<Utf8PathBuf>,
    },
    /// It was put away, and the runtime forks nothing from there.
    #[error("{runtime} session {id} is archived: {path}")]
    Archived {
        /// The runtime.
        runtime: Runtime,
        /// The id.
        id: String,
        /// The record.
        path: Utf8PathBuf,
        /// The runtime's own command that brings it back.
        bring_back: String,
    },
    /// Its own history goes on from a record that is not there.
    #[error(
        "{runtime} session {id} goes on from the record {ancestor}, which is not there: its history is not whole"
    )]
    AncestorGone {
        /// The runtime.
        runtime: Runtime,
        /// The id.
        id: String,
        /// The record that is missing.
        ancestor: String,
    },
    /// Nothing in it to inherit.
    #[error("{path} holds no conversation: {why}")]
    Empty {
        /// The record.
        path: Utf8PathBuf,
        /// What is missing.
        why: String,
    },
    /// A record that cannot be trusted.
    #[error("{path} is damaged at line {line}: {why}")]
    Damaged {
        /// The record.
        path: Utf8PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong there.
        why: String,
    },
    /// Nothing is wrong with it, and as it stands it cannot be forked.
    #[error("{path} cannot be forked as it stands, at line {line}: {why}")]
    NotForkable {
        /// The record.
        path: Utf8PathBuf,
        /// The line, from 1.
        line: u64,
        /// What stands there.
        why: String,
    },
    /// It cannot be read.
    #[error("{path} cannot be read: {why}")]
    Unreadable {
        /// The record.
        path: Utf8PathBuf,
        /// Why.
        why: String,
    },
}

impl ResolveError {
    /// The stable code.
    pub fn code(&self) -> LaunchCode {
        match self {
            Self::CannotFork(_) => LaunchCode::SourceUnsupported,
            Self::Malformed { .. } => LaunchCode::NativeIdMalformed,
            Self::NotFound { .. } => LaunchCode::SourceNotFound,
            Self::Ambiguous { .. } => LaunchCode::SourceAmbiguous,
            Self::Archived { .. } => LaunchCode::SourceArchived,
            Self::AncestorGone { .. } => LaunchCode::SourceAncestorGone,
            Self::Empty { .. } => LaunchCode::SourceEmpty,
            Self::Damaged { .. } => LaunchCode::SourceDamaged,
            Self::NotForkable { .. } => LaunchCode::SourceNotForkable,
            Self::Unreadable { .. } => LaunchCode::SourceUnreadable,
        }
    }
}

/// Why what phase 1 left cannot be taken for a child (SPEC 10, row 4).
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Phase1Refusal {
    /// The stable code.
    pub code: LaunchCode,
    /// What happened.
    pub message: String,
}

/// Why a child could not be looked at, or is not what it should be.
#[derive(Debug, Error)]
pub enum ProveError {
    /// Evidence against the child: another history, a record changed, missing, swapped or foreign.
    #[error("{message}")]
    Refuted {
        /// The stable code.
        code: LaunchCode,
        /// What differs, with both hashes.
        message: String,
    },
    /// The evidence cannot be looked at.
    #[error("{message}")]
    Unverifiable {
        /// The stable code.
        code: LaunchCode,
        /// What cannot be looked at and why.
        message: String,
    },
}

/// Why a look at the runtime's files failed. An error is not an absence.
#[derive(Debug, Error)]
#[error("{path}: {why}")]
pub struct FindError {
    /// What was looked at.
    pub path: Utf8PathBuf,
    /// Why it could not be.
    pub why: String,
}
