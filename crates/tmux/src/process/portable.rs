//! Processes as `ps` shows them, for systems without `/proc`: starts are known to the second,
//! and no environment can be read.

use rustix::io::Errno;
use rustix::process::{Pid, Signal as Number, kill_process};

use super::{ProcessError, ProcessId, Sent, Stat};
use crate::call::{Call, PATIENCE, run};

/// Asks `ps` for parent, state and start; `None` when there is no such process.
pub(super) fn stat(pid: u32) -> Result<Option<Stat>, ProcessError> {
    let pid_text = pid.to_string();
    let text = ps(&["-o", "ppid=,stat=,lstart=", "-p", &pid_text])?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    match parse(text.trim()) {
        Some(stat) => Ok(Some(stat)),
        None => Err(ProcessError::Malformed { pid, text }),
    }
}

/// Reads `1 Ss Mon Nov 30 13:53:00 2026`, the day before or after the month.
fn parse(line: &str) -> Option<Stat> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let [parent, state, _weekday, one, two, time, year] = fields[..] else { return None };
    let (month, day) = if one.parse::<u64>().is_ok() { (two, one) } else { (one, two) };
    let at = MONTHS.find(month).filter(|at| month.len() == 3 && at % 3 == 0)?;
    let clock = time.split(':').map(str::parse::<u64>).collect::<Result<Vec<_>, _>>().ok()?;
    let [h, m, s] = clock[..] else { return None };
    let days =
        (year.parse::<u64>().ok()? * 100 + at as u64 / 3 + 1) * 100 + day.parse::<u64>().ok()?;
    let start = ((days * 100 + h) * 100 + m) * 100 + s;
    Some(Stat { parent: parent.parse().ok()?, start, zombie: state.starts_with('Z') })
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
    let text = ps(&["-o", "uid=", "-p", &pid.to_string()])?;
    Ok(text.trim().parse() == Ok(rustix::process::geteuid().as_raw()))
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

fn ps(args: &[&str]) -> Result<String, ProcessError> {
    let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
    let env = [("LC_ALL".to_owned(), "C".to_owned())];
    let call = Call { program: "/bin/ps", args: &args, env: &env, stdin: b"", patience: PATIENCE };
    // `ps` exits with 1 and prints nothing for a pid that is not there.
    let answer = run(&call).map_err(|e| ProcessError::List(std::io::Error::other(e)))?;
    if answer.stderr.trim().is_empty() {
        return Ok(answer.stdout);
    }
    Err(ProcessError::List(std::io::Error::other(answer.stderr)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ps_tells_parent_and_start_of_this_process_and_absence_of_none() {
        let me = stat(std::process::id()).expect("ps answers").expect("we run");
        assert!(me.parent > 0 && !me.zombie && me.start > 20_000_101_000_000, "{me:?}");
        assert_eq!(stat(4_194_304).expect("ps answers"), None);
        assert!(pids().expect("ps answers").contains(&std::process::id()));
        assert!(ours(std::process::id()).expect("ps answers"));
        let gone = ProcessId { pid: 4_194_304, start: 1 };
        assert_eq!(send(gone, Number::TERM, "SIGTERM").expect("ps answers"), Sent::Gone);
        assert!(matches!(environ(1), Err(ProcessError::Unsupported { pid: 1 })));
    }

    #[test]
    fn both_orders_of_day_and_month_are_read() {
        for line in ["1 Ss Mon Nov 30 13:53:07 2026", "1 Ss Mon 30 Nov 13:53:07 2026"] {
            assert_eq!(parse(line).expect("a line").start, 20_261_130_135_307, "{line}");
        }
        for line in ["", "1 Ss", "1 Ss Mon Xyz 30 13:53:07 2026", "1 Ss Mon Nov 30 13:53 2026"] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
