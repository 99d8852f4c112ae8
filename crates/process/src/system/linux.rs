//! Processes as Linux shows them in `/proc`.

use std::fs;
use std::io;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal as Number, pidfd_open, pidfd_send_signal};

use crate::end::Sent;
use crate::error::ProcessError;
use crate::table::{Entry, ProcessId};

/// Reads what matters of `/proc/PID/stat`; `None` when there is no such process.
pub(super) fn entry(pid: u32) -> Result<Option<Entry>, ProcessError> {
    let Some(bytes) = read(pid, "stat")? else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes);
    match parse_stat(pid, &text) {
        Some(Stat::Of(entry)) => Ok(Some(entry)),
        Some(Stat::Collected) => Ok(None),
        None => Err(ProcessError::Malformed { pid, text: text.into_owned() }),
    }
}

/// What a line of `stat` says.
#[derive(Debug, PartialEq, Eq)]
enum Stat {
    /// It is of this process.
    Of(Entry),
    /// It is of one that was collected while it was read: it is in no group any more.
    Collected,
}

/// The name in parentheses may hold spaces and parentheses; what counts comes after the last one. `None`: no such line.
fn parse_stat(pid: u32, text: &str) -> Option<Stat> {
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = match fields.next()? {
        "-1" => return Some(Stat::Collected),
        group => group.parse().ok()?,
    };
    // Field 22 of the line; the state is field 3, the parent 4 and the group 5.
    let start = fields.nth(22 - 6)?.parse().ok()?;
    let ended = matches!(state, "Z" | "X" | "x");
    Some(Stat::Of(Entry { id: ProcessId { pid, start }, parent, group, ended }))
}

/// Reads the environment block a process was started with; `None` when it has ended.
pub(super) fn environ(pid: u32) -> Result<Option<Vec<u8>>, ProcessError> {
    read(pid, "environ")
}

/// Lists all pids.
pub(super) fn pids() -> Result<Vec<u32>, ProcessError> {
    believable(fs::exists(OURSELVES)).map_err(ProcessError::List)?;
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
    match belongs_to(&text, rustix::process::getuid().as_raw()) {
        Some(ours) => Ok(ours),
        None => Err(ProcessError::Malformed { pid, text: text.into_owned() }),
    }
}

/// Whether any of a process's user ids is this one: one that changed its user is ours. `None`: it names none.
fn belongs_to(status: &str, user: u32) -> Option<bool> {
    let ids = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    Some(ids.split_ascii_whitespace().any(|id| id.parse() == Ok(user)))
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
fn raw(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

/// Reads a file of a process; `None` when the process is gone (before or while reading).
fn read(pid: u32, what: &'static str) -> Result<Option<Vec<u8>>, ProcessError> {
    match fs::read(format!("/proc/{pid}/{what}")) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if gone(&e) => match believable(fs::exists(OURSELVES)) {
            Ok(()) => Ok(None),
            Err(source) => Err(ProcessError::Unreadable { what, pid, source }),
        },
        Err(source) => Err(ProcessError::Unreadable { what, pid, source }),
    }
}

/// Where this very process is shown.
const OURSELVES: &str = "/proc/self/stat";

/// A `/proc` that does not even show this process (none mounted, or that of another namespace) tells of nobody's absence.
fn believable(shows_us: io::Result<bool>) -> io::Result<()> {
    if shows_us? {
        return Ok(());
    }
    Err(io::Error::other(
        "/proc does not show this very process: it is not mounted, or another namespace's",
    ))
}

fn gone(e: &io::Error) -> bool {
    e.kind() == io::ErrorKind::NotFound || Errno::from_io_error(e) == Some(Errno::SRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 7, 14: a process is known by id and start; its name cannot pass for other fields of its line
    #[test]
    fn a_hostile_process_name_does_not_move_the_fields() {
        let tail = "S 7 8 9 0 -1 1 2 3 4 5 6 7 8 9 20 0 1 0 4711 999 1";
        for name in ["sh", "a b", ") Z 1 (", "((x))", "a) R 1 2 (b c"] {
            let stat = parse_stat(42, &format!("42 ({name}) {tail}\n")).expect("a stat line");
            let id = ProcessId { pid: 42, start: 4711 };
            assert_eq!(stat, Stat::Of(Entry { id, parent: 7, group: 8, ended: false }), "{name}");
        }
        assert_eq!(parse_stat(42, "42 (sh) S 7"), None);
        assert_eq!(parse_stat(42, "42 (x"), None);
        assert_eq!(parse_stat(42, ""), None);
    }

    // SPEC 7: a process that ends while it is looked at is gone, not an error; an error is not an absence
    #[test]
    fn a_process_collected_while_it_is_read_is_gone_and_no_line_is_no_absence() {
        let line = |state: &str, group: &str| {
            let before = format!("7 (a) b) {state} 1 {group} ");
            before + &vec!["0"; 22 - 6].join(" ") + " 4711 0 0"
        };
        let id = ProcessId { pid: 7, start: 4711 };
        let entry = Entry { id, parent: 1, group: 7, ended: false };
        assert_eq!(parse_stat(7, &line("S", "7")), Some(Stat::Of(entry)));
        let zombie = Stat::Of(Entry { ended: true, ..entry });
        assert_eq!(parse_stat(7, &line("Z", "7")), Some(zombie));
        assert_eq!(parse_stat(7, &line("X", "-1")), Some(Stat::Collected));
        assert_eq!(parse_stat(7, "7 (cut"), None);
        assert_eq!(parse_stat(7, &line("S", "many")), None);
    }

    // SPEC 7: a process that cannot be looked into is another user's only where its status says so
    #[test]
    fn whose_a_process_is_is_read_and_not_guessed() {
        let status = |ids: &str| format!("Name:\tUid: 7\nState:\tS\nUid:\t{ids}\nGid:\t7 7 7 7\n");
        assert_eq!(belongs_to(&status("7\t7\t7\t7"), 7), Some(true));
        assert_eq!(belongs_to(&status("7\t0\t0\t0"), 7), Some(true), "one that changed its user");
        assert_eq!(belongs_to(&status("0\t0\t0\t0"), 7), Some(false));
        assert_eq!(belongs_to(&status("77\t77\t77\t77"), 7), Some(false));
        assert_eq!(belongs_to("Name:\tx\n", 7), None, "no answer is no absence");
        assert!(ours(std::process::id()).expect("our own status"));
        assert!(!ours(u32::MAX).expect("nobody is there"));
    }
}
