//! Who drives a launch: host, boot, process and its start (SPEC 7).

use crate::state::process_mark;
use jiff::{SignedDuration, Timestamp};
use seatfork_process::{ProcessError, ProcessId};
use seatfork_store::Owner;
use thiserror::Error;

/// Why this process cannot say who it is.
#[derive(Debug, Error)]
pub enum OwnerError {
    /// Its own identity cannot be read.
    #[error("this process cannot be identified: {0}")]
    Process(#[from] ProcessError),
    /// The system says it is not there.
    #[error("the system does not know this process")]
    Unknown,
}

/// This process as an owner.
pub fn this_process() -> Result<Owner, OwnerError> {
    let process = ProcessId::of(std::process::id())?.ok_or(OwnerError::Unknown)?;
    Ok(Owner {
        host: read("/proc/sys/kernel/hostname"),
        boot: read("/proc/sys/kernel/random/boot_id"),
        process: process_mark(process),
    })
}

/// The system's clock ticks in a second, as `/proc` counts for programs: the same on every Linux that is built for.
#[cfg(target_os = "linux")]
const TICKS: f64 = 100.0;

/// When a process began, to a second or so; `None` where the system does not tell.
#[cfg(target_os = "linux")]
#[expect(
    clippy::cast_precision_loss,
    reason = "ticks of a system that runs for years are exact in an f64"
)]
pub(crate) fn started_at(process: ProcessId, now: Timestamp) -> Option<Timestamp> {
    let uptime: f64 = read("/proc/uptime").split(' ').next()?.parse().ok()?;
    let age = SignedDuration::try_from_secs_f64(uptime - process.start as f64 / TICKS).ok()?;
    now.checked_sub(age).ok()
}

/// When a process began: elsewhere no environment can be read at all, and no process is taken for one that would not say.
#[cfg(not(target_os = "linux"))]
pub(crate) fn started_at(_: ProcessId, _: Timestamp) -> Option<Timestamp> {
    None
}

/// One line of the system's, or `unknown` where it has no such file (macOS). Words about an owner, not
/// its life: that is the lock's.
fn read(path: &str) -> String {
    let said = std::fs::read_to_string(path).unwrap_or_default();
    let said = said.trim();
    if said.is_empty() { "unknown".to_owned() } else { said.to_owned() }
}

/// An owner in words.
pub(crate) fn told(owner: &Owner) -> String {
    format!("process {} on {}", owner.process.pid, owner.host)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    // SPEC 7: a process that began just now is known as one.
    #[test]
    fn this_process_began_a_moment_ago() {
        let me = ProcessId::of(std::process::id()).unwrap().unwrap();
        let now = Timestamp::now();
        let age = now.duration_since(started_at(me, now).unwrap());
        assert!(age.as_secs() >= -2 && age.as_secs() < 3600, "{age:?}");
    }
}
