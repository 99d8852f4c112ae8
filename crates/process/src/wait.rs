//! The cheapest dependable wait: events wake, and the state is read again by the caller.
//!
//! One `poll` on an inotify descriptor, a pidfd per process and a deadline, woken at least every
//! [`TICK`]. An event proves nothing; it only says that looking again is worth it. A lost event,
//! a network file system or a missing watch therefore costs one tick of delay and no correctness.
//! Systems without inotify and pidfd tick only, faster.

#[cfg(target_os = "linux")]
#[path = "wait/linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "wait/portable.rs"]
mod system;

// Compiled where it is not used, so that it cannot rot unseen.
#[cfg(all(test, target_os = "linux"))]
mod portable;

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::ProcessError;
use crate::table::ProcessId;

/// The longest time between two wakings.
pub const TICK: Duration = Duration::from_millis(50);

/// Why a wait returned. In every case the caller reads the state again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// Something happened in a watched directory.
    Directory,
    /// A watched process has ended; it is not watched any more.
    Process(ProcessId),
    /// Nothing was noticed for a [`TICK`].
    Tick,
    /// The deadline is reached.
    Deadline,
}

/// Which directory a watch stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watched {
    /// The one asked for.
    Itself,
    /// It is not there yet; its nearest ancestor that is. Ask again after each waking.
    Ancestor(PathBuf),
    /// This system has no watches: only ticks will wake.
    TicksOnly,
}

/// Why a wait or a watch failed.
#[derive(Debug, thiserror::Error)]
pub enum WaitError {
    /// The system refused to wait.
    #[error("wait for an event")]
    Poll(#[source] io::Error),
    /// A directory cannot be watched. Waiting goes on without it, by ticks.
    #[error("watch {}", dir.display())]
    Watch {
        /// The directory.
        dir: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
}

/// One wait for any number of directories and processes.
///
/// Order matters: create the watch, then start what it is to notice, then look once.
///
/// ```
/// use std::time::{Duration, Instant};
/// use seatfork_process::{Waker, Woken};
/// let dir = tempfile::tempdir()?;
/// let mut waker = Waker::new();
/// waker.watch_dir(dir.path())?;
/// std::fs::write(dir.path().join("new"), "x")?;
/// let until = Instant::now() + Duration::from_secs(5);
/// while !dir.path().join("new").exists() {
///     assert_ne!(waker.wait(until)?, Woken::Deadline);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Waker {
    system: system::Waker,
}

impl Waker {
    /// Makes a wait that so far only ticks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Wakes on changes in a directory, or in its nearest ancestor while it is not there.
    ///
    /// Calling it again for the same directory is free. An error leaves everything else working.
    pub fn watch_dir(&mut self, dir: &Path) -> Result<Watched, WaitError> {
        self.system.watch_dir(dir)
    }

    /// Wakes when this very process ends; `false` when it has already ended.
    pub fn watch_process(&mut self, process: ProcessId) -> Result<bool, ProcessError> {
        self.system.watch_process(process)
    }

    /// Sleeps until something happens, a [`TICK`] has passed, or `until` is reached.
    pub fn wait(&mut self, until: Instant) -> Result<Woken, WaitError> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Woken::Deadline);
        }
        let woken = self.system.wait(left.min(TICK))?;
        if woken == Woken::Tick && Instant::now() >= until {
            return Ok(Woken::Deadline);
        }
        Ok(woken)
    }
}
