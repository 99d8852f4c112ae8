//! Processes to look at, and how to wait for what a test expects.

use std::process::Command;
use std::time::{Duration, Instant};

/// Starts a program.
#[expect(clippy::disallowed_methods, reason = "a test needs processes to look at")]
pub(crate) fn command(program: &str) -> Command {
    Command::new(program)
}

/// Looks again until `look` finds something; a test that waits in vain fails with `what`.
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
