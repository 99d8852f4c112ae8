//! Who drives a launch: host, boot, process and its start (SPEC 7).

use seatfork_store::{Owner, ProcessMark};
use seatfork_tmux::{ProcessError, ProcessId};
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
        process: ProcessMark { pid: process.pid, start: process.start.to_string() },
    })
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
