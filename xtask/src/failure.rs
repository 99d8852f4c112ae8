//! Why a task could not do its work, as opposed to what it found.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A task that could not be carried out; the message says what and, where it helps, what to do.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line does not fit the task.
    Usage(String),
    /// A file or folder could not be read or written.
    File { doing: &'static str, path: PathBuf, source: io::Error },
    /// A process could not be started, or ended otherwise than it must.
    Process { command: String, why: String },
    /// What was read does not have the shape it must have.
    Content { path: String, why: String },
    /// Something this task needs is not on this machine.
    Missing(String),
}

impl Failure {
    /// Puts what was being done to which file to an I/O error.
    pub(crate) fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { doing, path, source }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(what) | Self::Missing(what) => f.write_str(what),
            Self::File { doing, path, source } => {
                write!(f, "cannot {doing} {}: {source}", path.display())
            }
            Self::Process { command, why } => write!(f, "`{command}`: {why}"),
            Self::Content { path, why } => write!(f, "{path}: {why}"),
        }
    }
}

/// Something wrong at a place in the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Path from the root of the workspace.
    pub(crate) path: String,
    /// Line, counted from 1; 0 where the whole file is meant.
    pub(crate) line: usize,
    /// What is wrong and what to do.
    pub(crate) message: String,
}

impl Finding {
    pub(crate) fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}
