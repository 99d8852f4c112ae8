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

/// What a look for a mark found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marked {
    /// Those that bear it.
    pub bearers: Vec<ProcessId>,
    /// Living processes of this user that could not be looked into: unknown, not unmarked.
    pub unreadable: Vec<ProcessId>,
}

/// The living processes whose environment holds `name=value`: those that bear a launch's mark.
///
/// Processes of other users are not ours and are left out. Where no environment can be read at all the answer is the
/// error `Unsupported`, never "none".
pub fn with_variable(name: &str, value: &str) -> io::Result<Marked> {
    if cfg!(not(target_os = "linux")) {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "the environment of processes cannot be read on this system",
        ));
    }
    let wanted = format!("{name}={value}");
    let mut found = Marked::default();
    for pid in pids()? {
        let bears = match std::fs::read(format!("/proc/{pid}/environ")) {
            Ok(all) => all.split(|byte| *byte == 0).any(|one| one == wanted.as_bytes()),
            Err(error) if is_gone(&error) => false,
            Err(error) => {
                if may_be_ours(pid, &error)
                    && let Some(one) = entry(pid)?.filter(|one| !one.ended)
                {
                    found.unreadable.push(one.id);
                }
                continue;
            }
        };
        if bears && let Some(one) = entry(pid)?.filter(|one| !one.ended) {
            found.bearers.push(one.id);
        }
    }
    Ok(found)
}

/// Whether a process that could not be looked into may be this user's. Only one that is said to be another's is not;
/// the owner of its directory does not tell, for that is root's where a process forbids looks.
fn may_be_ours(pid: u32, error: &io::Error) -> bool {
    if error.kind() != io::ErrorKind::PermissionDenied {
        return true;
    }
    let me = rustix::process::getuid().as_raw();
    match std::fs::read_to_string(format!("/proc/{pid}/status")) {
        Ok(status) => belongs_to(&status, me),
        Err(error) => !is_gone(&error),
    }
}

/// Whether any of the user ids in `/proc/PID/status` is this one. A status that names none says nothing.
fn belongs_to(status: &str, user: u32) -> bool {
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    line.is_none_or(|ids| ids.split_ascii_whitespace().any(|id| id.parse() == Ok(user)))
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

    // SPEC 7: a process that cannot be looked into is another user's only where its status says so.
    #[test]
    fn whose_a_process_is_is_read_and_not_guessed() {
        let status = |ids: &str| format!("Name:\tUid: 7\nState:\tS\nUid:\t{ids}\nGid:\t7 7 7 7\n");
        assert!(belongs_to(&status("7\t7\t7\t7"), 7));
        assert!(belongs_to(&status("7\t0\t0\t0"), 7), "one that changed its user is ours");
        assert!(!belongs_to(&status("0\t0\t0\t0"), 7));
        assert!(!belongs_to(&status("77\t77\t77\t77"), 7));
        assert!(belongs_to("Name:\tx\n", 7), "no answer is no absence");
        let me = std::process::id();
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        assert!(may_be_ours(me, &denied));
        assert!(may_be_ours(1, &io::Error::other("I/O error")), "an error says nothing");
        assert!(!may_be_ours(u32::MAX, &denied), "nobody is there");
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
