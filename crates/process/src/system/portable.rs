//! Processes as `ps` shows them, for systems without `/proc`: starts are known to the second,
//! and no environment can be read.

use rustix::io::Errno;
use rustix::process::{Pid, Signal as Number, kill_process};
use std::process::Command;

use crate::end::Sent;
use crate::error::ProcessError;
use crate::table::{Entry, ProcessId};

/// Asks `ps` for parent, group, state and start; `None` when there is no such process.
pub(super) fn entry(pid: u32) -> Result<Option<Entry>, ProcessError> {
    let pid_text = pid.to_string();
    let text = ps(&["-o", "ppid=,pgid=,stat=,lstart=", "-p", &pid_text])?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    match parse(pid, text.trim()) {
        Some(entry) => Ok(Some(entry)),
        None => Err(ProcessError::Malformed { pid, text }),
    }
}

/// Reads `1 7 Ss Mon Nov 30 13:53:00 2026`, the day before or after the month.
fn parse(pid: u32, line: &str) -> Option<Entry> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let [parent, group, state, _weekday, one, two, time, year] = fields[..] else { return None };
    let (month, day) = if one.parse::<u64>().is_ok() { (two, one) } else { (one, two) };
    let at = MONTHS.find(month).filter(|at| month.len() == 3 && at % 3 == 0)?;
    let clock = time.split(':').map(str::parse::<u64>).collect::<Result<Vec<_>, _>>().ok()?;
    let [h, m, s] = clock[..] else { return None };
    let days =
        (year.parse::<u64>().ok()? * 100 + at as u64 / 3 + 1) * 100 + day.parse::<u64>().ok()?;
    let start = ((days * 100 + h) * 100 + m) * 100 + s;
    let (parent, group) = (parent.parse().ok()?, group.parse().ok()?);
    Some(Entry { id: ProcessId { pid, start }, parent, group, ended: state.starts_with('Z') })
}

/// No environment can be read here.
pub(super) fn environ(pid: u32) -> Result<Option<Vec<u8>>, ProcessError> {
    Err(ProcessError::Unsupported { pid })
}

/// Lists all pids.
pub(super) fn pids() -> Result<Vec<u32>, ProcessError> {
    Ok(ps(&["-A", "-o", "pid="])?.split_ascii_whitespace().filter_map(|p| p.parse().ok()).collect())
}

/// Says whether a process is our user's.
pub(super) fn ours(pid: u32) -> Result<bool, ProcessError> {
    let text = ps(&["-o", "ruid=", "-p", &pid.to_string()])?;
    Ok(text.trim().parse() == Ok(rustix::process::getuid().as_raw()))
}

/// Sends by pid, right after checking it: a recycled pid is unlikely, not impossible, here.
pub(super) fn send(
    process: ProcessId,
    number: Number,
    signal: &'static str,
) -> Result<Sent, ProcessError> {
    let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) else {
        return Ok(Sent::Gone);
    };
    if !process.alive()? {
        return Ok(Sent::Gone);
    }
    match kill_process(pid, number) {
        Ok(()) => Ok(Sent::Yes),
        Err(Errno::SRCH) => Ok(Sent::Gone),
        Err(e) => Err(ProcessError::Signal { pid: process.pid, signal, source: e.into() }),
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place of this crate that starts a process")]
fn ps(args: &[&str]) -> Result<String, ProcessError> {
    let asked = Command::new("/bin/ps").args(args).env_clear().env("LC_ALL", "C").output();
    let answer = asked.map_err(ProcessError::List)?;
    // `ps` exits with 1 and prints nothing for a pid that is not there.
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let said = text(answer.stderr);
    if said.trim().is_empty() {
        return Ok(text(answer.stdout));
    }
    Err(ProcessError::List(std::io::Error::other(said)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ps_tells_parent_and_start_of_this_process_and_absence_of_none() {
        let me = entry(std::process::id()).expect("ps answers").expect("we run");
        assert!(
            me.parent > 0 && me.group > 0 && !me.ended && me.id.start > 20_000_101_000_000,
            "{me:?}"
        );
        assert_eq!(entry(4_194_304).expect("ps answers"), None);
        assert!(pids().expect("ps answers").contains(&std::process::id()));
        assert!(ours(std::process::id()).expect("ps answers"));
        let gone = ProcessId { pid: 4_194_304, start: 1 };
        assert_eq!(send(gone, Number::TERM, "SIGTERM").expect("ps answers"), Sent::Gone);
        assert!(matches!(environ(1), Err(ProcessError::Unsupported { pid: 1 })));
    }

    #[test]
    fn both_orders_of_day_and_month_are_read() {
        for line in ["1 7 Ss Mon Nov 30 13:53:07 2026", "1 7 Ss Mon 30 Nov 13:53:07 2026"] {
            assert_eq!(parse(9, line).expect("a line").id.start, 20_261_130_135_307, "{line}");
        }
        for line in
            ["", "1 7 Ss", "1 7 Ss Mon Xyz 30 13:53:07 2026", "1 7 Ss Mon Nov 30 13:53 2026"]
        {
            assert_eq!(parse(9, line), None, "{line}");
        }
    }
}
