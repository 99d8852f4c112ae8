//! Marks: which processes were started with a variable in their environment.

use crate::error::ProcessError;
use crate::system;
use crate::table::{ProcessId, entry};

/// Returns one variable of the environment a process was started with.
///
/// `None`: the process has ended or has no such variable. The identity is checked after reading,
/// so the answer is never another process's.
pub fn variable(process: ProcessId, name: &str) -> Result<Option<String>, ProcessError> {
    let found = system::environ(process.pid)?.and_then(|environ| {
        value_of(&environ, name).map(|v| String::from_utf8_lossy(v).into_owned())
    });
    Ok(if process.alive()? { found } else { None })
}

/// Says whether a process was started with `name=value` in its environment; `false` when it ended.
///
/// A process may forbid the reading of its environment; that is an error, not a `false`.
pub fn environ_has(process: ProcessId, name: &str, value: &str) -> Result<bool, ProcessError> {
    Ok(bears(process.pid, name, value)? && process.alive()?)
}

/// The processes that carry a mark, and those of this user that would not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Census {
    /// Running processes with the mark.
    pub found: Vec<ProcessId>,
    /// Running processes of our user whose environment could not be read: unknown, not unmarked.
    pub unreadable: Vec<ProcessId>,
}

/// Looks through all running processes for `name=value` in their environment.
///
/// Other users' processes that cannot be looked into are left out: a process we started runs as us.
pub fn with_environ(name: &str, value: &str) -> Result<Census, ProcessError> {
    let mut census = Census::default();
    for pid in system::pids()? {
        match bears(pid, name, value) {
            Ok(false) => {}
            Ok(true) => {
                // Looked at again by its identity: the first look may have met an earlier process of that id.
                if let Some(process) = ProcessId::of(pid)?
                    && environ_has(process, name, value)?
                {
                    census.found.push(process);
                }
            }
            Err(ProcessError::Unreadable { .. } | ProcessError::Unsupported { .. }) => {
                // Only one that is said to be another user's is not ours; an error says nothing.
                if system::ours(pid).unwrap_or(true)
                    && let Some(one) = entry(pid)?.filter(|one| !one.ended)
                {
                    census.unreadable.push(one.id);
                }
            }
            Err(other) => return Err(other),
        }
    }
    Ok(census)
}

fn bears(pid: u32, name: &str, value: &str) -> Result<bool, ProcessError> {
    let environ = system::environ(pid)?;
    Ok(environ.is_some_and(|environ| value_of(&environ, name) == Some(value.as_bytes())))
}

fn value_of<'a>(environ: &'a [u8], name: &str) -> Option<&'a [u8]> {
    environ
        .split(|byte| *byte == 0)
        .find_map(|one| one.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"=")))
}
