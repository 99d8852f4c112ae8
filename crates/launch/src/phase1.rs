//! What belongs to a launch's processes: their environment, their mark, and their own words (SPEC 6, 7, 10).

mod output;

pub(crate) use output::{OutputError, OutputFiles, told, told_again};

use crate::clock::Clock;
use crate::owner;
use crate::pane::chain;
use crate::state::process_id;
use crate::tasks::off_thread;
use jiff::Timestamp;
use seatfork_adapters::{NONCE_VAR, ProcessPlan, SeatEnv};
use seatfork_process::{Census, Ended, ProcessError, ProcessId, end_process, with_environ};
use seatfork_schema::LaunchCode;
use seatfork_store::Launch;
use std::time::Duration;
use thiserror::Error;

/// How long a process may take to end when asked.
pub(crate) const GRACE: Duration = Duration::from_secs(3);

/// The plan with the launch's mark in its environment, whether the adapter put it there or not.
pub(crate) fn with_mark(mut plan: ProcessPlan, nonce: &str) -> ProcessPlan {
    plan.set_env.retain(|(name, _)| name != NONCE_VAR);
    plan.set_env.push((NONCE_VAR.to_owned(), nonce.to_owned()));
    plan
}

/// Everything a plan's command gets: the seat's environment, less and more what the plan says.
pub(crate) fn variables(plan: &ProcessPlan, env: &SeatEnv) -> Vec<(String, String)> {
    let kept = env.pairs().filter(|(name, _)| {
        let named = |other: &String| other == name;
        !plan.unset_env.iter().any(named) && !plan.set_env.iter().any(|(set, _)| named(set))
    });
    let kept = kept.map(|(name, value)| (name.to_owned(), value.to_owned()));
    kept.chain(plan.set_env.iter().cloned()).collect()
}

/// Why what a launch started is not known to be over.
#[derive(Debug, Error)]
pub(crate) enum NotOver {
    /// These still run.
    #[error("processes of attempt {attempt} still run and could not be ended: {pids:?}")]
    Runs {
        /// The launch's number.
        attempt: u32,
        /// They.
        pids: Vec<u32>,
    },
    /// Whether anything still runs cannot be told.
    #[error("{0}")]
    Unknown(String),
}

impl NotOver {
    /// The stable code.
    pub(crate) const fn code(&self) -> LaunchCode {
        match self {
            Self::Runs { .. } => LaunchCode::ProcessStillRunning,
            Self::Unknown(_) => LaunchCode::LookFailed,
        }
    }
}

/// The processes that carry a launch's mark now.
pub(crate) async fn marked(nonce: &str) -> Result<Census, ProcessError> {
    let nonce = nonce.to_owned();
    off_thread(move || with_environ(NONCE_VAR, &nonce)).await
}

/// How long after a launch was about to spawn its process that process can have begun.
const SPAWN_WINDOW: Duration = Duration::from_mins(1);

/// Processes that may be a launch's and cannot be asked: an unreadable one is unknown, not unmarked.
///
/// Where the launch's process was written down, its identity answers. Else it was spawned right after the launch
/// was about to, so what began at another time is somebody else's.
async fn unsure(launch: &Launch, clock: &dyn Clock) -> Result<(), String> {
    let (None, Some(begun)) = (&launch.phase1, launch.forking_at) else { return Ok(()) };
    let census = marked(launch.nonce.as_str()).await.map_err(|error| chain(&error))?;
    let pids = perhaps(&census, begun, |process| owner::started_at(process, clock.now()));
    if pids.is_empty() {
        return Ok(());
    }
    Err(format!(
        "whether processes {pids:?}, begun with attempt {}, are its own cannot be read",
        launch.attempt
    ))
}

fn perhaps(
    census: &Census,
    begun: Timestamp,
    started: impl Fn(ProcessId) -> Option<Timestamp>,
) -> Vec<u32> {
    let window = begun - Duration::from_secs(1)..=begun + SPAWN_WINDOW;
    let may_be = |process: &&ProcessId| {
        process.pid != std::process::id()
            && started(**process).is_some_and(|at| window.contains(&at))
    };
    census.unreadable.iter().filter(may_be).map(|process| process.pid).collect()
}

/// Ends every process that carries a launch's mark, and the one recorded for it, by its identity. `Ok`: all is over.
pub(crate) async fn end_started(launch: &Launch, clock: &dyn Clock) -> Result<(), NotOver> {
    let nonce = launch.nonce.as_str().to_owned();
    let recorded = launch.phase1.as_ref().and_then(process_id);
    let left = off_thread(move || {
        let mut ours = with_environ(NONCE_VAR, &nonce)?.found;
        if let Some(process) = recorded
            && !ours.contains(&process)
        {
            ours.push(process);
        }
        // A command that runs inside the very seat carries its mark too, and does not end itself.
        ours.retain(|process| process.pid != std::process::id());
        let mut left = Vec::new();
        for process in ours {
            if end_process(process, GRACE)? == Ended::StillRunning {
                left.push(process.pid);
            }
        }
        Ok::<_, ProcessError>(left)
    });
    let pids = left.await.map_err(|error| NotOver::Unknown(chain(&error)))?;
    if !pids.is_empty() {
        return Err(NotOver::Runs { attempt: launch.attempt, pids });
    }
    unsure(launch, clock).await.map_err(NotOver::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 7: an own process that cannot be asked and began with the launch is unknown; one from before or after is not ours.
    #[test]
    fn an_unreadable_process_that_began_with_the_launch_may_be_its_own() {
        let begun: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
        let seconds = [-3600, 0, 30, 3600];
        let unreadable = (1..).zip(seconds).map(|(pid, _)| ProcessId { pid, start: 0 }).collect();
        let census = Census { found: Vec::new(), unreadable };
        let started = |process: ProcessId| {
            let after = seconds[usize::try_from(process.pid).unwrap() - 1];
            begun.checked_add(jiff::SignedDuration::from_secs(after)).ok()
        };
        assert_eq!(perhaps(&census, begun, started), [2, 3]);
        assert!(perhaps(&census, begun, |_| None).is_empty());
    }
}
