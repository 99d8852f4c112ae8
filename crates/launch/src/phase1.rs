//! Running a headless command: the only module that starts a runtime's process (SPEC 6, 7, 10).
//!
//! Output goes straight into two 0600 files, not through pipes of ours: the
//! runtime never meets a closed pipe when we die, and what it said survives us.

mod output;

pub(crate) use output::{OutputError, OutputFiles, told};

use crate::tasks::off_thread;
use seatfork_adapters::{NONCE_VAR, Phase1Output, ProcessPlan, SeatEnv};
use seatfork_tmux::{Census, Ended, ProcessError, ProcessId, end_process, with_environ};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::Duration;
use thiserror::Error;
use tokio::process::{Child, Command};

/// How long a process may take to end when asked.
const GRACE: Duration = Duration::from_secs(3);

/// How often the size of the output is looked at.
const SIZE_TICK: Duration = Duration::from_millis(500);

/// Why a headless command did not run to an end we know.
#[derive(Debug, Error)]
pub(crate) enum RunError {
    /// The plan has no program.
    #[error("the plan names no program")]
    NoProgram,
    /// The process could not be started.
    #[error("{program} could not be started: {source}")]
    Spawn {
        /// The program.
        program: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It was started and its identity could not be read.
    #[error("process {pid} was started and cannot be looked at: {source}")]
    Identify {
        /// Its pid.
        pid: u32,
        /// Why.
        #[source]
        source: ProcessError,
    },
    /// Waiting for it failed.
    #[error("waiting for process {pid} failed: {source}")]
    Wait {
        /// Its pid.
        pid: u32,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Its output could not be kept or read.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// A headless command that runs.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    process: Option<ProcessId>,
    pid: u32,
    files: OutputFiles,
}

/// Starts a plan's command in a process group of its own, so that a Ctrl-C in our terminal is ours alone.
pub(crate) fn start(
    plan: &ProcessPlan,
    env: &SeatEnv,
    nonce: &str,
    files: OutputFiles,
) -> Result<Running, RunError> {
    let (program, args) = plan.argv.split_first().ok_or(RunError::NoProgram)?;
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(&plan.cwd)
        .env_clear()
        .envs(variables(plan, env, nonce))
        .stdin(Stdio::null())
        .stdout(files.stdout()?)
        .stderr(files.stderr()?)
        .process_group(0);
    let child =
        command.spawn().map_err(|source| RunError::Spawn { program: program.clone(), source })?;
    // Not collected yet, so the pid is the child's own whatever happened to it.
    let pid = child.id().unwrap_or_default();
    let process = ProcessId::of(pid).map_err(|source| RunError::Identify { pid, source })?;
    Ok(Running { child, process, pid, files })
}

/// Everything a plan's command gets: the seat's environment, less and more what the plan says, and the mark.
pub(crate) fn variables(plan: &ProcessPlan, env: &SeatEnv, nonce: &str) -> Vec<(String, String)> {
    let env = plan
        .set_env
        .iter()
        .fold(env.clone(), |env, (name, value)| env.with(name.clone(), value.clone()))
        .with(NONCE_VAR, nonce);
    env.pairs()
        .filter(|(name, _)| !plan.unset_env.iter().any(|unset| unset == name))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

impl Running {
    /// The process; `None` when it ended before it could be identified.
    pub(crate) fn process(&self) -> Option<ProcessId> {
        self.process
    }

    /// Waits for the end, at most `deadline`; then ends the whole group.
    pub(crate) async fn finish(mut self, deadline: Duration) -> Result<Phase1Output, RunError> {
        let wait = |source| RunError::Wait { pid: self.pid, source };
        let until = tokio::time::Instant::now() + deadline;
        let mut stopped = false;
        let status = loop {
            let tick = (tokio::time::Instant::now() + SIZE_TICK).min(until);
            match tokio::time::timeout_at(tick, self.child.wait()).await {
                Ok(status) => break status.map_err(wait)?,
                Err(_) if tokio::time::Instant::now() >= until || self.files.overflow()? => {
                    stopped = true;
                    break end_group(&mut self.child, self.pid).await.map_err(wait)?;
                }
                Err(_) => {}
            }
        };
        let (stdout, stderr, truncated) = self.files.read()?;
        Ok(Phase1Output {
            exit_code: status.code(),
            signal: status.signal(),
            stdout,
            stderr,
            truncated,
            timed_out: stopped,
        })
    }
}

/// Ends a command's group: SIGTERM, grace, SIGKILL. The child is ours to collect, so its end is certain.
async fn end_group(child: &mut Child, pid: u32) -> std::io::Result<std::process::ExitStatus> {
    signal_group(pid, rustix::process::Signal::TERM)?;
    if let Ok(status) = tokio::time::timeout(GRACE, child.wait()).await {
        // What is left of the group has no reason to live on.
        signal_group(pid, rustix::process::Signal::KILL)?;
        return status;
    }
    signal_group(pid, rustix::process::Signal::KILL)?;
    child.wait().await
}

fn signal_group(pid: u32, signal: rustix::process::Signal) -> std::io::Result<()> {
    let raw = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    let Some(group) = raw else { return Ok(()) };
    match rustix::process::kill_process_group(group, signal) {
        // Nobody is left in it.
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// What became of the processes that carry a launch's mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Swept {
    /// None carries it any more.
    Clear,
    /// These still run, or could not be asked.
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
        ours.extend(recorded.filter(|process| !ours.contains(process)));
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
