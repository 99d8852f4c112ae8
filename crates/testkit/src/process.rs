//! The one place of this crate that starts processes and reads its own environment.

use std::{
    env,
    ffi::{OsStr, OsString},
    io::{self, Read},
    process::{Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};

/// How long the output of an ended process may stay open (something it started holds it).
const LEAK_DEADLINE: Duration = Duration::from_secs(10);

/// A command with this process's environment.
#[expect(clippy::disallowed_methods, reason = "the one place of this crate that may")]
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

/// A variable of this process's environment.
#[expect(clippy::disallowed_methods, reason = "the one place of this crate that may")]
pub(crate) fn var(name: &str) -> Option<OsString> {
    env::var_os(name)
}

/// Every variable of this process's environment.
#[expect(clippy::disallowed_methods, reason = "the one place of this crate that may")]
pub(crate) fn vars() -> impl Iterator<Item = (OsString, OsString)> {
    env::vars_os()
}

/// What a process came to.
#[derive(Debug)]
pub(crate) struct Finished {
    /// `None`: it outlived the deadline and was killed with its group.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// A running process, the leader of a group of its own, its output being read.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) pid: Pid,
    status: Receiver<io::Result<ExitStatus>>,
    stdout: Receiver<io::Result<Vec<u8>>>,
    stderr: Receiver<io::Result<Vec<u8>>>,
}

/// Starts a command in a process group of its own, standard input empty.
pub(crate) fn start(mut command: Command) -> io::Result<Started> {
    use std::os::unix::process::CommandExt as _;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| io::Error::other("the child has no pid"))?;
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let (tell, status) = channel();
    // Nobody asks any more when the receiver is gone; the same below.
    thread::spawn(move || tell.send(child.wait()).ok());
    Ok(Started { pid, status, stdout, stderr })
}

/// Runs a command until it ends or the deadline kills its group.
pub(crate) fn finish(command: Command, deadline: Duration) -> io::Result<Finished> {
    start(command)?.finish(deadline)
}

impl Started {
    /// Waits for the end, or kills the group at the deadline.
    pub(crate) fn finish(self, deadline: Duration) -> io::Result<Finished> {
        let status = self.status.recv_timeout(deadline).ok().transpose()?;
        if status.is_none() {
            // Already gone is what is wanted.
            kill_process_group(self.pid, Signal::KILL).ok();
        }
        let leaked = |_| io::Error::other("it has ended, but something holds its output open");
        let stdout = self.stdout.recv_timeout(LEAK_DEADLINE).map_err(leaked)??;
        let stderr = self.stderr.recv_timeout(LEAK_DEADLINE).map_err(leaked)??;
        Ok(Finished { status, stdout, stderr })
    }
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> Receiver<io::Result<Vec<u8>>> {
    let (tell, read) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let done = pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut bytes));
        tell.send(done.map(|_| bytes)).ok()
    });
    read
}
