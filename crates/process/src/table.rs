//! The process table: who lives, since when, and whose child it is.

use crate::error::ProcessError;
use crate::system;
use serde::{Deserialize, Serialize};

/// A process that cannot be taken for another: a pid alone is given again to a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProcessId {
    /// The process id.
    pub pid: u32,
    /// When it started. Linux: clock ticks since boot, field 22 of `/proc/PID/stat`. Elsewhere:
    /// local time to the second, as the digits `YYYYMMDDhhmmss`.
    pub start: u64,
}

/// What the system says of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Who.
    pub id: ProcessId,
    /// Its parent's process id.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// It has ended and waits to be collected by its parent.
    pub ended: bool,
}

impl ProcessId {
    /// Identifies a running process; `None` when there is none, or only one that has ended.
    pub fn of(pid: u32) -> Result<Option<Self>, ProcessError> {
        Ok(entry(pid)?.filter(|entry| !entry.ended).map(|entry| entry.id))
    }

    /// Says whether this very process runs; one that waits to be collected does not.
    pub fn alive(self) -> Result<bool, ProcessError> {
        Ok(Self::of(self.pid)? == Some(self))
    }

    /// Returns the parent's pid, or `None` when the process has ended.
    pub fn parent(self) -> Result<Option<u32>, ProcessError> {
        let found = entry(self.pid)?.filter(|entry| !entry.ended && entry.id == self);
        Ok(found.map(|entry| entry.parent))
    }
}

/// One process, ended ones that wait to be collected included; `None` when there is none of that id.
pub fn entry(pid: u32) -> Result<Option<Entry>, ProcessError> {
    system::entry(pid)
}

/// Every process that can be seen. One that ends meanwhile is gone, which is an answer.
pub fn all() -> Result<Vec<Entry>, ProcessError> {
    let mut found = Vec::new();
    for pid in system::pids()? {
        found.extend(entry(pid)?);
    }
    Ok(found)
}

/// Returns the running children of a pid. Grandchildren whose parent ended belong to pid 1 then.
pub fn children(pid: u32) -> Result<Vec<ProcessId>, ProcessError> {
    let mut found = all()?;
    found.retain(|one| one.parent == pid && !one.ended);
    Ok(found.into_iter().map(|one| one.id).collect())
}
