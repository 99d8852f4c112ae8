//! Ending a pane of ours and the process in it, and only those (SPEC 7: it kills nothing it cannot prove ours).

use crate::phase1::GRACE;
use crate::tasks::off_thread;
use seatfork_process::{Ended, ProcessError, ProcessId, end_process, ended_by};
use seatfork_schema::LaunchCode;
use seatfork_tmux::{KillError, Pane, Server};
use std::time::{Duration, Instant};
use thiserror::Error;

/// How long a process may take to notice that its terminal is gone, before it is asked to end.
const NOTICE: Duration = Duration::from_secs(3);

/// Why a pane or its process may still be there.
#[derive(Debug, Error)]
pub(crate) enum EndError {
    /// tmux did not end the pane.
    #[error("its pane could not be ended")]
    Pane(#[from] KillError),
    /// It was asked, then made to end, and still runs.
    #[error("process {0} still runs")]
    StillRuns(u32),
    /// Whether it ended cannot be told.
    #[error("whether its process ended could not be seen")]
    Unseen(#[from] ProcessError),
}

impl EndError {
    /// The stable code.
    pub(crate) const fn code(&self) -> LaunchCode {
        match self {
            Self::Pane(_) => LaunchCode::TmuxServerFailed,
            Self::StillRuns(_) => LaunchCode::ProcessStillRunning,
            Self::Unseen(_) => LaunchCode::LookFailed,
        }
    }
}

/// Ends a pane, and then a process by its identity where it does not mind that its terminal is gone.
///
/// A session that is not there is as good as one that was ended.
pub(crate) async fn end(
    tmux: &Server,
    pane: Option<Pane>,
    process: Option<ProcessId>,
) -> Result<(), EndError> {
    let server = tmux.clone();
    off_thread(move || {
        if let Some(pane) = pane {
            server.kill(&pane)?;
        }
        let Some(process) = process else { return Ok(()) };
        if ended_by(process, Instant::now() + NOTICE)? {
            return Ok(());
        }
        match end_process(process, GRACE)? {
            Ended::StillRunning => Err(EndError::StillRuns(process.pid)),
            Ended::Before | Ended::Asked | Ended::Killed => Ok(()),
        }
    })
    .await
}
