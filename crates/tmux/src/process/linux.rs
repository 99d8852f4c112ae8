//! Processes as Linux shows them in `/proc`.

use std::fs;
use std::io;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal as Number, pidfd_open, pidfd_send_signal};

use super::{ProcessError, ProcessId, Sent, Stat};

/// Reads what matters of `/proc/PID/stat`; `None` when there is no such process.
pub(super) fn stat(pid: u32) -> Result<Option<Stat>, ProcessError> {
    let Some(bytes) = read(pid, "stat")? else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes);
    match parse_stat(&text) {
        Some(stat) => Ok(Some(stat)),
        None => Err(ProcessError::Malformed { pid, text: text.into_owned() }),
    }
}

/// The name in parentheses may hold spaces and parentheses; what counts comes after the last one.
fn parse_stat(text: &str) -> Option<Stat> {
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // Field 22 of the line; the state is field 3 and the parent field 4.
    let start = fields.nth(22 - 5)?.parse().ok()?;
    Some(Stat { parent, start, zombie: matches!(state, "Z" | "X") })
}

/// Reads the environment block a process was started with; `None` when it has ended.
pub(super) fn environ(pid: u32) -> Result<Option<Vec<u8>>, ProcessError> {
    read(pid, "environ")
}

/// Lists all pids.
pub(super) fn pids() -> Result<Vec<u32>, ProcessError> {
    let mut pids = Vec::new();
    for entry in fs::read_dir("/proc").map_err(ProcessError::List)? {
        let name = entry.map_err(ProcessError::List)?.file_name();
        pids.extend(name.to_str().and_then(|name| name.parse::<u32>().ok()));
    }
    Ok(pids)
}

/// Says whether a process is our user's; `false` when it has ended.
///
/// The owner of the folder will not do: it is root for a process that forbids being looked into.
pub(super) fn ours(pid: u32) -> Result<bool, ProcessError> {
    let Some(status) = read(pid, "status")? else { return Ok(false) };
    let text = String::from_utf8_lossy(&status);
    let uid = text
        .lines()
        .find_map(|line| line.strip_prefix("Uid:"))
        .and_then(|ids| ids.split_ascii_whitespace().nth(1))
        .and_then(|id| id.parse::<u32>().ok());
    match uid {
        Some(uid) => Ok(uid == rustix::process::geteuid().as_raw()),
        None => Err(ProcessError::Malformed { pid, text: text.into_owned() }),
    }
}

/// Sends through a pidfd, whose process is checked after it was opened.
pub(super) fn send(
    process: ProcessId,
    number: Number,
    signal: &'static str,
) -> Result<Sent, ProcessError> {
    let failed = |e: Errno| ProcessError::Signal { pid: process.pid, signal, source: e.into() };
    let Some(pid) = raw(process.pid) else { return Ok(Sent::Gone) };
    let fd = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(fd) => fd,
        Err(Errno::SRCH) => return Ok(Sent::Gone),
        Err(e) => return Err(failed(e)),
    };
    if !process.alive()? {
        return Ok(Sent::Gone);
    }
    match pidfd_send_signal(fd, number) {
        Ok(()) => Ok(Sent::Yes),
        Err(Errno::SRCH) => Ok(Sent::Gone),
        Err(e) => Err(failed(e)),
    }
}

/// A pid as the system calls take it; what does not fit is no pid.
pub(crate) fn raw(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

/// Reads a file of a process; `None` when the process is gone (before or while reading).
fn read(pid: u32, what: &'static str) -> Result<Option<Vec<u8>>, ProcessError> {
    match fs::read(format!("/proc/{pid}/{what}")) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if gone(&e) => Ok(None),
        Err(source) => Err(ProcessError::Unreadable { what, pid, source }),
    }
}

fn gone(e: &io::Error) -> bool {
    e.kind() == io::ErrorKind::NotFound || Errno::from_io_error(e) == Some(Errno::SRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 14: a process name cannot pass for other fields of its stat line
    #[test]
    fn a_hostile_process_name_does_not_move_the_fields() {
        let tail = "S 7 8 9 0 -1 1 2 3 4 5 6 7 8 9 20 0 1 0 4711 999 1";
        for name in ["sh", "a b", ") Z 1 (", "((x))"] {
            let stat = parse_stat(&format!("42 ({name}) {tail}\n")).expect("a stat line");
            assert_eq!(stat, Stat { parent: 7, start: 4711, zombie: false }, "{name}");
        }
        assert_eq!(parse_stat("42 (sh) S 7"), None);
        assert_eq!(parse_stat(""), None);
    }
}
