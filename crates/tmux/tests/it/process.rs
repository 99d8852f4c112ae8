//! Processes: identity, children, marks, endings.

use std::process::Stdio;
use std::time::Duration;

use seatfork_tmux::{
    Ended, PaneSpec, ProcessId, Sent, Signal, children, end_process, environ_has, with_environ,
};

use crate::support::{command, eventually, process, server, staying};

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

// SPEC 7: a process with our nonce is found
#[test]
fn a_mark_in_the_environment_is_found_exactly() {
    let Some(server) = server() else { return };
    let nonce = format!("n-{}", std::process::id());
    let spec = PaneSpec {
        env: vec![
            ("PATH".into(), "/usr/bin:/bin".into()),
            ("SEATFORK_NONCE".into(), nonce.clone()),
            ("EMPTY".into(), String::new()),
        ],
        ..staying("marked", ":")
    };
    let marked = process(&server.open(&spec).unwrap());
    let other = process(&server.open(&staying("other", ":")).unwrap());
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
    assert!(!environ_has(other, "SEATFORK_NONCE", &nonce).unwrap());
    let recycled = ProcessId { start: marked.start + 1, ..marked };
    assert!(!environ_has(recycled, "SEATFORK_NONCE", &nonce).unwrap());
    assert_eq!(with_environ("SEATFORK_NONCE", &nonce).unwrap().found, [marked]);
    assert!(with_environ("SEATFORK_NONCE", "of nobody").unwrap().found.is_empty());
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
