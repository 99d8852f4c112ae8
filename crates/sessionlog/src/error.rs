//! Errors that more than one operation can have: of files and of reading.

use crate::id::SessionId;
use crate::problem::LineProblem;
use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::FileType;
use rustix::io::Errno;
use std::fmt;
use std::io;
use thiserror::Error;

/// What stands under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, wherever it leads.
    Link,
    /// A pipe, socket or device.
    Other,
}

impl FileKind {
    pub(crate) fn of(mode: rustix::fs::RawMode) -> Self {
        match FileType::from_raw_mode(mode) {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "a regular file",
            Self::Folder => "a folder",
            Self::Link => "a symbolic link",
            Self::Other => "a pipe, socket or device",
        })
    }
}

/// Why a file or folder of a workspace cannot be used.
#[derive(Debug, Error)]
pub enum StateError {
    /// Something on the way is not what it must be. Nothing behind it was touched.
    #[error("{path} is not used: {component} is {found}, where {expected} must be")]
    Unsafe {
        /// What was to be used.
        path: Utf8PathBuf,
        /// The component in the way.
        component: Utf8PathBuf,
        /// What it is.
        found: FileKind,
        /// What it must be.
        expected: FileKind,
    },
    /// The system said no.
    #[error("{path}: failed {doing}")]
    Io {
        /// What it was about.
        path: Utf8PathBuf,
        /// What was being done.
        doing: &'static str,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl StateError {
    pub(crate) fn io(path: &Utf8Path, doing: &'static str, source: impl Into<io::Error>) -> Self {
        Self::Io { path: path.into(), doing, source: source.into() }
    }

    /// The stable word for it: `unsafe_state_path` or `log_io_failed`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unsafe { .. } => "unsafe_state_path",
            Self::Io { .. } => "log_io_failed",
        }
    }
}

impl From<(&Utf8Path, &'static str, Errno)> for StateError {
    fn from((path, doing, errno): (&Utf8Path, &'static str, Errno)) -> Self {
        Self::io(path, doing, errno)
    }
}

/// Why a log cannot be read to its end.
#[derive(Debug, Error)]
pub enum ReadError {
    /// There is no such log in this workspace. No other workspace was asked.
    #[error("there is no log of session {session} in this workspace: {path}")]
    NotFound {
        /// The session.
        session: SessionId,
        /// Where its log would be.
        path: Utf8PathBuf,
    },
    /// A line is not what a log holds.
    #[error("{path}: line {line}, byte {byte}: {problem}")]
    Corrupt {
        /// The log.
        path: Utf8PathBuf,
        /// The number of the line, from 1.
        line: u64,
        /// The place of the problem, in bytes from the start of the log.
        byte: u64,
        /// What is wrong.
        problem: LineProblem,
    },
    /// It became shorter while it was read, so no part of it can be trusted.
    #[error("{path}: it was cut to {bytes} bytes while it was read")]
    Shrunk {
        /// The log.
        path: Utf8PathBuf,
        /// What is left of it.
        bytes: u64,
    },
    /// A file or folder cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
}

impl ReadError {
    /// The stable word for it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "not_found",
            Self::Corrupt { .. } => "corrupt_log_line",
            Self::Shrunk { .. } => "log_changed",
            Self::State(StateError::Io { .. }) => "log_read_failed",
            Self::State(error) => error.kind(),
        }
    }
}
