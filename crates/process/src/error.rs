//! Why a question about a process has no answer.

use std::io;

/// Why a question about a process has no answer. None of these says that it is gone.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// What the system knows of the process could not be read.
    #[error("read {what} of process {pid}")]
    Unreadable {
        /// `stat` or `environ`.
        what: &'static str,
        /// The process.
        pid: u32,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// The list of processes could not be read.
    #[error("list the processes")]
    List(#[source] io::Error),
    /// The system's answer has another shape than documented.
    #[error("understand {text:?}, said of process {pid}")]
    Malformed {
        /// The process.
        pid: u32,
        /// What was said.
        text: String,
    },
    /// This system has no way to tell.
    #[error("read the environment of process {pid}: this system has no way to")]
    Unsupported {
        /// The process.
        pid: u32,
    },
    /// A signal could not be sent.
    #[error("send {signal} to process {pid}")]
    Signal {
        /// The process.
        pid: u32,
        /// The signal's name.
        signal: &'static str,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// Waiting for the process's end failed.
    #[error("wait for process {pid}")]
    Wait {
        /// The process.
        pid: u32,
        /// The reason.
        #[source]
        source: crate::WaitError,
    },
}
