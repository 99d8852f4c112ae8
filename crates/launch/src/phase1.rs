//! What belongs to a launch's processes: their environment, their mark, and their own words (SPEC 6, 7, 10).

mod output;

pub(crate) use output::{OutputError, OutputFiles, told};

use crate::tasks::off_thread;
use seatfork_adapters::{NONCE_VAR, ProcessPlan, SeatEnv};
use seatfork_tmux::{Census, Ended, ProcessError, ProcessId, end_process, with_environ};
use std::time::Duration;

/// How long a process may take to end when asked.
const GRACE: Duration = Duration::from_secs(3);

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

/// What became of the processes that carry a launch's mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Swept {
    /// None carries it any more.
    Clear,
    /// These still run.
    Left(Vec<u32>),
}

/// The processes that carry a launch's mark now.
pub(crate) async fn marked(nonce: &str) -> Result<Census, ProcessError> {
    let nonce = nonce.to_owned();
    off_thread(move || with_environ(NONCE_VAR, &nonce)).await
}

/// Ends every process that carries a launch's mark, and the one recorded for it, by its identity.
pub(crate) async fn end_marked(
    nonce: &str,
    recorded: Option<ProcessId>,
) -> Result<Swept, ProcessError> {
    let nonce = nonce.to_owned();
    off_thread(move || {
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
        Ok(if left.is_empty() { Swept::Clear } else { Swept::Left(left) })
    })
    .await
}
