//! The one place of this crate that starts processes and reads its own environment.

use std::{
    env,
    ffi::{OsStr, OsString},
    io::{self, Read},
    process::{Command, ExitStatus, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};

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

/// What a process came to.
#[derive(Debug)]
pub(crate) struct Finished {
    /// `None`: it outlived the deadline and was killed with its group.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Runs a command in a process group of its own, standard input empty, until it ends or the
/// deadline kills the group.
pub(crate) fn finish(mut command: Command, deadline: Duration) -> io::Result<Finished> {
    use std::os::unix::process::CommandExt as _;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let (tell, told) = channel();
    let waiter = thread::spawn(move || {
        let status = child.wait();
        // The receiver is gone only when the deadline has passed; then nobody asks.
        tell.send(()).ok();
        status
    });
    let in_time = told.recv_timeout(deadline) != Err(RecvTimeoutError::Timeout);
    if !in_time && let Some(group) = group {
        // Already gone is what is wanted.
        kill_process_group(group, Signal::KILL).ok();
    }
    let status = waiter.join().map_err(|_| io::Error::other("the waiting thread panicked"))??;
    let read = |thread: thread::JoinHandle<io::Result<Vec<u8>>>| {
        thread.join().map_err(|_| io::Error::other("a reading thread panicked"))?
    };
    let (stdout, stderr) = (read(stdout)?, read(stderr)?);
    Ok(Finished { status: in_time.then_some(status), stdout, stderr })
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<io::Result<Vec<u8>>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    })
}
