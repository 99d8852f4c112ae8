//! Ending a process, and waiting until it has ended.

use crate::error::ProcessError;
use crate::system;
use crate::table::{ProcessId, entry};
use crate::wait::Waker;
use rustix::process::Signal as Number;
use std::time::{Duration, Instant};

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
pub fn remind(parent: ProcessId, child: u32) -> Result<bool, ProcessError> {
    let waiting = entry(child)?.is_some_and(|one| one.ended && one.parent == parent.pid);
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
pub fn ended_by(process: ProcessId, until: Instant) -> Result<bool, ProcessError> {
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
