//! Processes by (pid, start): who lives, whose child is whose, who carries a mark.
//!
//! On Linux everything is read from `/proc`. Elsewhere `ps` answers: a start is known to the
//! second only, and no environment can be read ([`ProcessError::Unsupported`]), so a mark in the
//! environment cannot be used there.

#[cfg(target_os = "linux")]
#[path = "process/linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "process/portable.rs"]
mod system;

// Compiled where it is not used, so that it cannot rot unseen.
#[cfg(all(test, target_os = "linux"))]
mod portable;

use std::io;
use std::time::{Duration, Instant};

use rustix::process::Signal as Number;

use crate::wait::Waker;

/// A process that cannot be taken for another: a pid alone is given again to a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId {
    /// The process id.
    pub pid: u32,
    /// When it started. Linux: clock ticks since boot, field 22 of `/proc/PID/stat`. Elsewhere:
    /// local time to the second, as the digits `YYYYMMDDhhmmss`.
    pub start: u64,
}

/// What the system says of a pid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) parent: u32,
    pub(crate) start: u64,
    /// Ended, and only not yet collected by its parent.
    pub(crate) zombie: bool,
}

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
        source: crate::wait::WaitError,
    },
}

impl ProcessId {
    /// Identifies a running process; `None` when there is none, or only one that has ended.
    ///
    /// ```
    /// use seatfork_tmux::ProcessId;
    /// let me = ProcessId::of(std::process::id())?.expect("we run");
    /// assert!(me.alive()?);
    /// assert!(!ProcessId { start: me.start + 1, ..me }.alive()?);
    /// # Ok::<(), seatfork_tmux::ProcessError>(())
    /// ```
    pub fn of(pid: u32) -> Result<Option<Self>, ProcessError> {
        let stat = system::stat(pid)?.filter(|stat| !stat.zombie);
        Ok(stat.map(|stat| Self { pid, start: stat.start }))
    }

    /// Says whether this very process runs; one that waits to be collected does not.
    pub fn alive(self) -> Result<bool, ProcessError> {
        Ok(Self::of(self.pid)? == Some(self))
    }

    /// Returns the parent's pid, or `None` when the process has ended.
    pub(crate) fn parent(self) -> Result<Option<u32>, ProcessError> {
        let stat = system::stat(self.pid)?;
        Ok(stat.filter(|s| !s.zombie && s.start == self.start).map(|s| s.parent))
    }
}

/// Returns the running children of a pid. Grandchildren whose parent ended belong to pid 1 then.
pub fn children(pid: u32) -> Result<Vec<ProcessId>, ProcessError> {
    let mut found = Vec::new();
    for candidate in system::pids()? {
        match system::stat(candidate)? {
            Some(stat) if stat.parent == pid && !stat.zombie => {
                found.push(ProcessId { pid: candidate, start: stat.start });
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Returns one variable of the environment a process was started with.
///
/// `None`: the process has ended or has no such variable. The identity is checked after reading,
/// so the answer is never another process's.
pub(crate) fn variable(process: ProcessId, name: &str) -> Result<Option<String>, ProcessError> {
    let Some(environ) = system::environ(process.pid)? else { return Ok(None) };
    if !process.alive()? {
        return Ok(None);
    }
    let found = environ.split(|b| *b == 0).find_map(|entry| {
        entry.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="))
    });
    Ok(found.map(|value| String::from_utf8_lossy(value).into_owned()))
}

/// Says whether a process was started with `name=value` in its environment; `false` when it ended.
///
/// A process may forbid the reading of its environment; that is an error, not a `false`.
pub fn environ_has(process: ProcessId, name: &str, value: &str) -> Result<bool, ProcessError> {
    Ok(variable(process, name)?.as_deref() == Some(value))
}

/// The processes of this user that carry a mark, and those that would not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Census {
    /// Running processes with the mark.
    pub found: Vec<ProcessId>,
    /// Running processes of our user whose environment could not be read: unknown, not unmarked.
    pub unreadable: Vec<ProcessId>,
}

/// Looks through all running processes of our user for `name=value` in their environment.
///
/// Other users' processes are left out: a process we started runs as us.
pub fn with_environ(name: &str, value: &str) -> Result<Census, ProcessError> {
    let mut census = Census { found: Vec::new(), unreadable: Vec::new() };
    for pid in system::pids()? {
        if !system::ours(pid)? {
            continue;
        }
        let Some(process) = ProcessId::of(pid)? else { continue };
        match environ_has(process, name, value) {
            Ok(true) => census.found.push(process),
            Ok(false) => {}
            Err(ProcessError::Unreadable { .. } | ProcessError::Unsupported { .. }) => {
                census.unreadable.push(process);
            }
            Err(other) => return Err(other),
        }
    }
    Ok(census)
}

/// A signal that ends a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGHUP: its terminal is gone.
    Hangup,
    /// SIGTERM: please end.
    Terminate,
    /// SIGKILL: cannot be refused.
    Kill,
}

/// Whether a signal reached the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// It was sent to that very process.
    Yes,
    /// The process had already ended; nothing was sent to anybody.
    Gone,
}

/// How the ending of a process came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It had ended before.
    Before,
    /// It ended on SIGTERM.
    Asked,
    /// It ended on SIGKILL.
    Killed,
    /// It still runs (stuck in the kernel, or traced): to be named, not forgotten.
    StillRunning,
}

impl ProcessId {
    /// Sends a signal to this very process, never to a later one with its pid.
    pub fn signal(self, signal: Signal) -> Result<Sent, ProcessError> {
        let (number, name) = match signal {
            Signal::Hangup => (Number::HUP, "SIGHUP"),
            Signal::Terminate => (Number::TERM, "SIGTERM"),
            Signal::Kill => (Number::KILL, "SIGKILL"),
        };
        system::send(self, number, name)
    }
}

/// Reminds a parent of a child that has ended and was not collected; `false` when there is none.
///
/// tmux can lose the signal that tells it (some percent of fast exits on a busy machine, 3.3a),
/// and then never learns how the program ended. The signal means "look for ended children" and
/// has no other effect on it.
pub(crate) fn remind(parent: ProcessId, child: u32) -> Result<bool, ProcessError> {
    let waiting = system::stat(child)?.is_some_and(|s| s.zombie && s.parent == parent.pid);
    Ok(waiting && system::send(parent, Number::CHILD, "SIGCHLD")? == Sent::Yes)
}

/// Ends a process: SIGTERM, `grace`, SIGKILL, one second more.
pub fn end_process(process: ProcessId, grace: Duration) -> Result<Ended, ProcessError> {
    let stages = [
        (Signal::Terminate, grace, Ended::Asked),
        (Signal::Kill, Duration::from_secs(1), Ended::Killed),
    ];
    for (at, (signal, patience, outcome)) in stages.into_iter().enumerate() {
        if process.signal(signal)? == Sent::Gone {
            return Ok(if at == 0 { Ended::Before } else { Ended::Asked });
        }
        if ended_by(process, Instant::now() + patience)? {
            return Ok(outcome);
        }
    }
    Ok(Ended::StillRunning)
}

/// Waits until a process has ended; `false` when the time came first.
pub(crate) fn ended_by(process: ProcessId, until: Instant) -> Result<bool, ProcessError> {
    let wait = |source| ProcessError::Wait { pid: process.pid, source };
    let mut waker = Waker::new();
    waker.watch_process(process)?;
    while process.alive()? {
        if Instant::now() >= until {
            return Ok(false);
        }
        waker.wait(until).map_err(wait)?;
    }
    Ok(true)
}
