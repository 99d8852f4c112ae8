//! Waiting without any descriptor: short ticks, and a look at the watched processes after each.

use std::path::Path;
use std::thread;
use std::time::Duration;

use super::{WaitError, Watched, Woken};
use crate::error::ProcessError;
use crate::table::ProcessId;

/// How often to look: cheap for files, and still hardly felt.
const LOOK: Duration = Duration::from_millis(20);

/// Ticks only.
#[derive(Debug, Default)]
pub(super) struct Waker;

#[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the shape of the Linux one")]
impl Waker {
    pub(super) fn watch_dir(&mut self, _dir: &Path) -> Result<Watched, WaitError> {
        Ok(Watched::TicksOnly)
    }

    pub(super) fn watch_process(&mut self, process: ProcessId) -> Result<bool, ProcessError> {
        process.alive()
    }

    pub(super) fn wait(&mut self, at_most: Duration) -> Result<Woken, WaitError> {
        thread::sleep(at_most.min(LOOK));
        Ok(Woken::Tick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_descriptors_the_wait_ticks() {
        let mut waker = Waker;
        assert_eq!(waker.watch_dir(Path::new("/tmp")).expect("no watch"), Watched::TicksOnly);
        let me = ProcessId::of(std::process::id()).expect("a process").expect("we run");
        assert!(waker.watch_process(me).expect("a process"));
        assert!(!waker.watch_process(ProcessId { start: me.start + 1, ..me }).expect("a process"));
        assert_eq!(waker.wait(Duration::from_millis(1)).expect("a tick"), Woken::Tick);
    }
}
