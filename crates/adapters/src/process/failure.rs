//! Why a plan was not run to its end.

use camino::Utf8PathBuf;
use seatfork_process::{ProcessError, ProcessId};
use seatfork_schema::LaunchCode;
use thiserror::Error;

/// Why a plan was not run to its end. What was started has been ended, unless the variant says otherwise.
#[derive(Debug, Error)]
pub enum RunError {
    /// The plan names no program, or not by an absolute path. Nothing was started.
    #[error("a plan needs a program by absolute path, this names {given:?}")]
    NoProgram {
        /// What it names.
        given: String,
    },
    /// The binary is no longer the one that was probed. Nothing was started.
    #[error("{path} changed since it was probed: was {was}, is {is}")]
    BinaryChanged {
        /// The binary.
        path: Utf8PathBuf,
        /// What was probed.
        was: String,
        /// What stands there now.
        is: String,
    },
    /// It could not be started.
    #[error("{path} could not be started: {source}")]
    Spawn {
        /// The program.
        path: Utf8PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The process could not be waited for.
    #[error("process {} of {path} could not be waited for: {source}", .process.pid)]
    Wait {
        /// The program.
        path: Utf8PathBuf,
        /// Who was started.
        process: ProcessId,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It did not end even when killed, and is still running.
    #[error("process {} of {path} is still running: it did not end when killed", .process.pid)]
    StillRunning {
        /// The program.
        path: Utf8PathBuf,
        /// Who is still running.
        process: ProcessId,
    },
}

impl RunError {
    /// The stable code.
    pub fn code(&self) -> LaunchCode {
        match self {
            Self::NoProgram { .. } => LaunchCode::PlanInconsistent,
            Self::BinaryChanged { .. } => LaunchCode::BinaryChanged,
            Self::Spawn { .. } => LaunchCode::Phase1NotStarted,
            Self::Wait { .. } => LaunchCode::Phase1Failed,
            Self::StillRunning { .. } => LaunchCode::ProcessStillRunning,
        }
    }
}

/// Why it is not known whether a process of a plan is left. An error is not an absence (SPEC 7).
#[derive(Debug, Error)]
pub enum Unseen {
    /// The processes could not be looked through, or one that was found could not be followed to its end.
    #[error("whether a process of it is left cannot be told: {0}")]
    Table(#[source] ProcessError),
    /// These began after it, may be of this user, and let nobody look whether they bear its mark.
    #[error("{} began after it and cannot be looked into: they may be left of it", pids(.0))]
    Closed(Vec<ProcessId>),
}

fn pids(processes: &[ProcessId]) -> String {
    let pids: Vec<_> = processes.iter().map(|process| process.pid.to_string()).collect();
    format!("processes {}", pids.join(", "))
}
