//! The process table: who lives, since when, whose child it is, and whose mark it bears (SPEC 7).
//!
//! Read from `/proc`. Elsewhere than on Linux nothing is known and every
//! question is answered so: no start time, no marks, no children.

use crate::contract::watch::ProcessId;
use std::collections::BTreeMap;
use std::io;

/// What `/proc/PID/stat` says of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Who.
    pub id: ProcessId,
    /// Its parent's process id.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// It has ended and waits to be reaped.
    pub ended: bool,
}

/// One process, or `None` when there is none of that id.
pub fn entry(pid: u32) -> io::Result<Option<Entry>> {
    #[cfg(target_os = "linux")]
    {
        match std::fs::read(format!("/proc/{pid}/stat")) {
            Ok(line) => Ok(parse_stat(pid, &line)),
            Err(error) if is_gone(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _unknown = pid;
        Ok(None)
    }
}

/// Whether this very process lives: same id, same start time, not a zombie.
pub fn is_alive(process: ProcessId) -> io::Result<bool> {
    Ok(entry(process.pid)?.is_some_and(|found| found.id == process && !found.ended))
}

/// Every process that can be seen.
pub fn all() -> io::Result<Vec<Entry>> {
    let mut found = Vec::new();
    for pid in pids()? {
        // One that ended between the listing and the look is gone, which is an answer.
        if let Some(one) = entry(pid)? {
            found.push(one);
        }
    }
    Ok(found)
}

/// The living processes whose environment holds `name=value`: those that bear a launch's mark.
/// Processes of other users cannot be looked into and are not ours.
pub fn with_variable(name: &str, value: &str) -> io::Result<Vec<ProcessId>> {
    let wanted = format!("{name}={value}");
    let mut found = Vec::new();
    for pid in pids()? {
        let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else {
            // Gone meanwhile, or somebody else's.
            continue;
        };
        if environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
            && let Some(one) = entry(pid)?
            && !one.ended
        {
            found.push(one.id);
        }
    }
    Ok(found)
}

/// A process and all its living descendants.
pub fn family(root: u32) -> io::Result<Vec<ProcessId>> {
    let mut children: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
    let mut first = None;
    for one in all()? {
        if one.id.pid == root {
            first = Some(one);
        }
        children.entry(one.parent).or_default().push(one);
    }
    let mut family = Vec::new();
    let mut open: Vec<Entry> = first.into_iter().collect();
    while let Some(one) = open.pop() {
        if !one.ended {
            family.push(one.id);
        }
        // Removing what was visited keeps a table that changed while it was read from going round.
        open.extend(children.remove(&one.id.pid).unwrap_or_default());
    }
    Ok(family)
}

/// Kills one process, certain that it is the one meant: the handle is opened first, then the process is looked at again.
/// Whether it was there to be killed.
pub fn kill(process: ProcessId) -> io::Result<bool> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
        let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) else {
            return Ok(false);
        };
        let handle = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(handle) => handle,
            Err(rustix::io::Errno::SRCH) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        if !is_alive(process)? {
            return Ok(false);
        }
        match pidfd_send_signal(&handle, Signal::KILL) {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::SRCH) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _unknown = process;
        Ok(false)
    }
}

fn pids() -> io::Result<Vec<u32>> {
    if cfg!(not(target_os = "linux")) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for item in std::fs::read_dir("/proc")? {
        if let Some(pid) = item?.file_name().to_str().and_then(|name| name.parse().ok()) {
            found.push(pid);
        }
    }
    Ok(found)
}

#[cfg(target_os = "linux")]
fn is_gone(error: &io::Error) -> bool {
    // Reading the entry of a process that just ended gives ESRCH.
    error.kind() == io::ErrorKind::NotFound
        || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error())
}

/// The command's name stands in parentheses and may itself hold spaces and parentheses: count from the last one.
fn parse_stat(pid: u32, line: &[u8]) -> Option<Entry> {
    let text = String::from_utf8_lossy(line);
    let mut fields = text[text.rfind(')')? + 1..].split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let start = fields.nth(16)?.parse().ok()?;
    let ended = matches!(state, "Z" | "X" | "x");
    Some(Entry { id: ProcessId { pid, start }, parent, group, ended })
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 7: a process is known by id and start time, whatever its name looks like.
    #[test]
    fn a_hostile_command_name_does_not_shift_the_fields() {
        let line =
            b"7 (a) R 1 2 (b c)) S 41 42 43 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 98765 1 1 1";
        let found = parse_stat(7, line).unwrap();
        assert_eq!(
            found,
            Entry { id: ProcessId { pid: 7, start: 98765 }, parent: 41, group: 42, ended: false }
        );
        assert_eq!(parse_stat(7, b"7 (x"), None);
    }

    // SPEC 7: this very process lives; the same id with another start time does not.
    #[test]
    fn a_process_with_another_start_time_is_another_process() {
        let me = entry(std::process::id()).unwrap().unwrap().id;
        assert!(is_alive(me).unwrap());
        assert!(!is_alive(ProcessId { start: me.start + 1, ..me }).unwrap());
        assert!(!kill(ProcessId { start: me.start + 1, ..me }).unwrap());
    }
}
