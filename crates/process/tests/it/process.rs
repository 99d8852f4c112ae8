//! Processes: identity, children, marks, endings.

use std::process::Stdio;
use std::time::Duration;

use seatfork_process::{
    Ended, ProcessId, Sent, Signal, all, children, end_process, entry, environ_has, variable,
    with_environ,
};

use crate::support::{command, eventually};

fn of(pid: u32) -> ProcessId {
    ProcessId::of(pid).unwrap().expect("it runs")
}

// SPEC 7: a recorded process is a pid and its start
#[test]
fn a_recycled_pid_is_not_the_process() {
    let mut child = command("sleep").arg("600").spawn().unwrap();
    let process = of(child.id());
    assert!(process.alive().unwrap());
    let other = ProcessId { start: process.start + 1, ..process };
    assert!(!other.alive().unwrap());
    assert_eq!(other.signal(Signal::Kill).unwrap(), Sent::Gone);
    assert_eq!(end_process(other, Duration::ZERO).unwrap(), Ended::Before);
    assert!(process.alive().unwrap(), "the one with its pid was left alone");
    child.kill().unwrap();
    eventually("the end", || (!process.alive().unwrap()).then_some(()));
    assert_eq!(ProcessId::of(child.id()).unwrap(), None, "not yet collected is ended");
    child.wait().unwrap();
    assert!(!process.alive().unwrap());
    assert_eq!(ProcessId::of(u32::MAX).unwrap(), None);
    assert_eq!(process.signal(Signal::Hangup).unwrap(), Sent::Gone);
}

/// A program that stays, with this environment and nothing else.
fn staying(env: &[(&str, &str)]) -> std::process::Child {
    let mut sleep = command("/bin/sleep");
    let child = sleep.arg("600").env_clear().envs(env.iter().copied()).spawn().unwrap();
    // Between fork and exec it still shows the environment of its parent.
    eventually("the program", || {
        let said = std::fs::read(format!("/proc/{}/cmdline", child.id())).unwrap();
        said.starts_with(b"/bin/sleep").then_some(())
    });
    child
}

// SPEC 7: a process with our nonce is found
#[test]
fn a_mark_in_the_environment_is_found_exactly() {
    let nonce = format!("n-{}", std::process::id());
    let mut first = staying(&[("SEATFORK_NONCE", &nonce), ("EMPTY", "")]);
    let mut second = staying(&[("PATH", "/bin")]);
    let (marked, other) = (of(first.id()), of(second.id()));
    assert!(environ_has(marked, "SEATFORK_NONCE", &nonce).unwrap());
    assert!(environ_has(marked, "EMPTY", "").unwrap());
    for (name, value) in [
        ("SEATFORK_NONCE", &nonce[1..]),
        ("SEATFORK_NONCE", &nonce[..nonce.len() - 1]),
        ("SEATFORK_NONC", &nonce),
        ("NONCE", &nonce),
        ("ABSENT", ""),
    ] {
        assert!(!environ_has(marked, name, value).unwrap(), "{name}={value}");
    }
    assert_eq!(variable(marked, "SEATFORK_NONCE").unwrap().as_deref(), Some(&*nonce));
    assert_eq!(variable(marked, "ABSENT").unwrap(), None);
    assert!(!environ_has(other, "SEATFORK_NONCE", &nonce).unwrap());
    let recycled = ProcessId { start: marked.start + 1, ..marked };
    assert!(!environ_has(recycled, "SEATFORK_NONCE", &nonce).unwrap());
    assert_eq!(variable(recycled, "SEATFORK_NONCE").unwrap(), None);
    assert_eq!(with_environ("SEATFORK_NONCE", &nonce).unwrap().found, [marked]);
    assert!(with_environ("SEATFORK_NONCE", "of nobody").unwrap().found.is_empty());
    for child in [&mut first, &mut second] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

// SPEC 7: an error is not an absence: without a process table nobody is said to be gone, and no mark to be nowhere
#[test]
fn a_table_that_is_not_there_is_no_absence() {
    if !std::fs::exists("/proc/self").unwrap() {
        let me = ProcessId { pid: std::process::id(), start: 1 };
        assert!(me.alive().is_err() && entry(me.pid).is_err() && all().is_err());
        assert!(with_environ("SEATFORK_NONCE", "n").is_err());
        assert!(end_process(me, Duration::ZERO).is_err());
        return;
    }
    // The same test again, where `/proc` is an empty directory.
    let hidden = |what: &str| {
        let script = format!("mount -t tmpfs none /proc && exec {what}");
        let mut there = command("unshare");
        there.args(["--mount", "--map-root-user", "sh", "-c", &script, "sh"]);
        there
    };
    if !hidden("true").status().is_ok_and(|status| status.success()) {
        eprintln!("skipped, nothing was tested: /proc cannot be hidden here");
        return;
    }
    let this = std::env::current_exe().unwrap();
    let run = hidden("\"$@\"")
        .arg(this)
        .args(["--exact", "process::a_table_that_is_not_there_is_no_absence"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && said.contains("1 passed"), "{run:?}");
}

// SPEC 7: a process that waits to be collected has ended, and is still in the table with its group
#[test]
fn an_ended_child_is_in_the_table_as_ended() {
    use std::os::unix::process::CommandExt as _;
    let mut child = command("sleep").arg("600").process_group(0).spawn().unwrap();
    let is = entry(child.id()).unwrap().unwrap();
    assert_eq!((is.parent, is.group, is.ended), (std::process::id(), child.id(), false));
    assert!(all().unwrap().iter().any(|one| one.id == is.id));
    child.kill().unwrap();
    let ended = eventually("the end", || entry(child.id()).unwrap().filter(|one| one.ended));
    assert_eq!((ended.id, ended.parent), (is.id, std::process::id()));
    child.wait().unwrap();
    assert_eq!(entry(child.id()).unwrap(), None);
}

#[test]
fn children_are_the_running_ones() {
    let mut shell = command("sh")
        .args(["-c", "sleep 600 & sleep 601 & echo made; wait"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let found = eventually("two children", || {
        let found = children(shell.id()).unwrap();
        (found.len() == 2).then_some(found)
    });
    for child in &found {
        assert_eq!(child.signal(Signal::Kill).unwrap(), Sent::Yes);
    }
    eventually("no child", || children(shell.id()).unwrap().is_empty().then_some(()));
    shell.wait().unwrap();
}

// SPEC 10: the process we started is ended, or named as still running
#[test]
fn ending_says_what_it_took() {
    let mut willing = command("sleep").arg("600").spawn().unwrap();
    let process = of(willing.id());
    assert_eq!(end_process(process, Duration::from_secs(20)).unwrap(), Ended::Asked);
    willing.wait().unwrap();
    assert_eq!(end_process(process, Duration::ZERO).unwrap(), Ended::Before);

    let script = "trap '' TERM; echo deaf; while :; do sleep 600; done";
    let mut deaf = command("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = [0; 5];
    std::io::Read::read_exact(deaf.stdout.as_mut().unwrap(), &mut said).unwrap();
    let sleepers = eventually("its sleeper", || {
        let found = children(deaf.id()).unwrap();
        (!found.is_empty()).then_some(found)
    });
    let process = of(deaf.id());
    assert_eq!(end_process(process, Duration::from_millis(100)).unwrap(), Ended::Killed);
    for sleeper in sleepers {
        sleeper.signal(Signal::Kill).unwrap();
    }
    deaf.wait().unwrap();
}
