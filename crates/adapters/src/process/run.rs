//! Running one plan.

use super::capture::{Reader, Tee};
use super::failure::{RunError, Unseen};
use super::group::Group;
use super::leftover::{Leftover, end_leftovers};
use super::speak::{PIECES, speak};
use crate::contract::environment::{NONCE_VAR, SeatEnv};
use crate::contract::plan::{Binary, Phase1Output, ProcessPlan};
use camino::{Utf8Path, Utf8PathBuf};
use rustix::process::Signal;
use seatfork_process::ProcessId;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// How a plan is run.
pub struct RunOptions {
    /// Bytes kept of each of standard output and standard error; what comes after is counted and dropped.
    pub cap: usize,
    /// Time between SIGTERM and SIGKILL at the deadline.
    pub grace: Duration,
    /// Time the pipes may stay open after the process is gone.
    pub drain: Duration,
    /// A copy of the kept standard output, while it comes.
    pub tee_stdout: Option<Tee>,
    /// A copy of the kept standard error, while it comes.
    pub tee_stderr: Option<Tee>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            cap: 1024 * 1024,
            grace: Duration::from_secs(2),
            drain: Duration::from_millis(500),
            tee_stdout: None,
            tee_stderr: None,
        }
    }
}

/// What a finished plan said and left.
#[derive(Debug)]
pub struct Finished {
    /// Who ran.
    pub process: ProcessId,
    /// Exit and output.
    pub output: Phase1Output,
    /// All bytes of standard output, kept or not.
    pub stdout_bytes: u64,
    /// All bytes of standard error, kept or not.
    pub stderr_bytes: u64,
    /// Processes that outlived it: members of its group, and those that left the group but bear the launch's nonce.
    pub leftovers: Vec<Leftover>,
    /// Somebody still held a pipe open when reading was given up.
    pub pipe_held: bool,
    /// Why it is not known whether anything else outlived it. `None`: all was seen, and `leftovers` is the whole of it.
    pub unseen: Option<Unseen>,
    /// What went wrong beside it: a copy that could not be written.
    pub remarks: Vec<String>,
    /// How long it ran.
    pub took: Duration,
}

/// Runs a plan to its end.
///
/// `env` is the seat's environment. The command is headless, so it gets [`SeatEnv::headless`] of it and no credential
/// of the pane's; the plan's own names are taken out, then its own values put in.
/// `expected` is the binary that was probed: it is looked at again right before the start.
/// `on_spawn` is told who was started before anything is waited for.
/// Dropping the future kills the whole group.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use seatfork_adapters::process::{RunOptions, run};
/// use seatfork_adapters::{ProcessPlan, SeatEnv};
/// use std::time::Duration;
///
/// let plan = ProcessPlan {
///     argv: vec!["/bin/sh".into(), "-c".into(), "echo hello; exit 3".into()],
///     cwd: "/".into(),
///     set_env: vec![],
///     unset_env: vec![],
///     deadline: Duration::from_secs(5),
///     dialogue: None,
/// };
/// let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
/// let done = runtime.block_on(run(
///     &plan,
///     &SeatEnv::default(),
///     None,
///     RunOptions::default(),
///     async |who| {
///         assert!(who.pid > 0);
///     },
/// ))?;
/// assert_eq!(done.output.exit_code, Some(3));
/// assert_eq!(done.output.stdout, b"hello\n");
/// # Ok(())
/// # }
/// ```
pub async fn run(
    plan: &ProcessPlan,
    env: &SeatEnv,
    expected: Option<&Binary>,
    options: RunOptions,
    on_spawn: impl AsyncFnOnce(ProcessId),
) -> Result<Finished, RunError> {
    let program = program_of(plan)?;
    if let Some(expected) = expected {
        check_binary(expected)?;
    }
    let started = Instant::now();
    let mut child = spawn(plan, env, &program).await?;
    let spawned = |source| RunError::Spawn { path: program.clone(), source };
    let pid = child.id().ok_or_else(|| spawned(std::io::Error::other("it has no process id")))?;
    let group = Group::of(pid).map_err(spawned)?;
    let entry =
        seatfork_process::entry(pid).map_err(|error| spawned(std::io::Error::other(error)))?;
    let start = entry.map_or(0, |entry| entry.id.start);
    let process = ProcessId { pid, start };
    let failed = |source| RunError::Wait { path: program.clone(), process, source };

    let (listener, heard) = match &plan.dialogue {
        Some(_) => {
            let (to, from) = mpsc::channel(PIECES);
            (Some(to), Some(from))
        }
        None => (None, None),
    };
    let stdout = Reader::start(
        child.stdout.take().ok_or_else(|| failed(std::io::Error::other("no standard output")))?,
        options.cap,
        options.tee_stdout,
        listener,
    );
    let stderr = Reader::start(
        child.stderr.take().ok_or_else(|| failed(std::io::Error::other("no standard error")))?,
        options.cap,
        options.tee_stderr,
        None,
    );

    on_spawn(process).await;

    let talk = match (plan.dialogue.clone(), heard, child.stdin.take()) {
        (Some(dialogue), Some(heard), Some(stdin)) => Some(speak(dialogue, stdin, heard)),
        _ => None,
    };
    let timed_out = !group.ended_by(started + plan.deadline).await.map_err(failed)?;
    if timed_out && !end(&group, options.grace).await.map_err(failed)? {
        return Err(RunError::StillRunning { path: program, process });
    }
    let mut remarks = Vec::new();
    if let Some(talk) = talk
        && let Some(why) = talk.finish().await
    {
        remarks.push(format!("what was to be said to it was not said to its end: {why}"));
    }
    let nonce = plan.set_env.iter().find(|(name, _)| name == NONCE_VAR).map(|(_, value)| value);
    let (leftovers, unseen) =
        end_leftovers(&group, process, nonce.map(String::as_str)).await.map_err(failed)?;
    group.let_go();
    let status = child.wait().await.map_err(failed)?;
    let took = started.elapsed();

    let stdout = stdout.finish(options.drain).await;
    let stderr = stderr.finish(options.drain).await;
    remarks.extend([&stdout.error, &stderr.error].into_iter().flatten().cloned());
    Ok(Finished {
        process,
        stdout_bytes: stdout.total,
        stderr_bytes: stderr.total,
        leftovers,
        unseen,
        pipe_held: !stdout.ended || !stderr.ended,
        remarks,
        took,
        output: Phase1Output {
            exit_code: status.code(),
            signal: status.signal(),
            truncated: stdout.total > stdout.head.len() as u64
                || stderr.total > stderr.head.len() as u64,
            stdout: stdout.head,
            stderr: stderr.head,
            timed_out,
        },
    })
}

/// Looks whether a binary is still the one that was probed: path, device, inode, length and time (SPEC 6).
pub fn check_binary(expected: &Binary) -> Result<(), RunError> {
    let was = format!("{}:{} {}", expected.device, expected.inode, expected.stamp);
    let is = match crate::binary::stamp_of(&expected.path) {
        Ok(now) => format!("{}:{} {}", now.device, now.inode, now.stamp),
        Err(error) => error.to_string(),
    };
    if was == is {
        return Ok(());
    }
    Err(RunError::BinaryChanged { path: expected.path.clone(), was, is })
}

fn program_of(plan: &ProcessPlan) -> Result<Utf8PathBuf, RunError> {
    match plan.argv.first().map(Utf8Path::new) {
        Some(path) if path.is_absolute() => Ok(path.to_owned()),
        other => {
            Err(RunError::NoProgram { given: other.map(ToString::to_string).unwrap_or_default() })
        }
    }
}

async fn spawn(plan: &ProcessPlan, env: &SeatEnv, program: &Utf8Path) -> Result<Child, RunError> {
    let mut command = Command::new(program.as_std_path());
    command
        .args(&plan.argv[1..])
        .current_dir(&plan.cwd)
        .env_clear()
        .envs(env.headless().pairs())
        .stdin(if plan.dialogue.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    for name in &plan.unset_env {
        command.env_remove(name);
    }
    command.envs(plan.set_env.iter().map(|(name, value)| (name, value)));
    let mut tries = 0;
    loop {
        match command.spawn() {
            Ok(child) => return Ok(child),
            // A binary that is being replaced is busy for a moment.
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy && tries < 25 => {
                tries += 1;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(source) => return Err(RunError::Spawn { path: program.to_owned(), source }),
        }
    }
}

/// Asks the group to end, then makes it. Whether the leader ended.
async fn end(group: &Group, grace: Duration) -> std::io::Result<bool> {
    group.signal(Signal::TERM)?;
    if group.ended_by(Instant::now() + grace).await? {
        return Ok(true);
    }
    group.signal(Signal::KILL)?;
    group.ended_by(Instant::now() + Duration::from_secs(5)).await
}
