//! Waiting: events wake early, ticks always, and a deadline ends it.

use std::time::{Duration, Instant};

use seatfork_process::{ProcessId, TICK, WaitError, Waker, Watched, Woken};

use crate::support::command;
use tempfile::tempdir;

/// Far enough away that only a fault would reach it.
fn far() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

#[test]
fn without_events_it_ticks_and_ends_at_the_deadline() {
    let mut waker = Waker::new();
    let begun = Instant::now();
    assert_eq!(waker.wait(far()).unwrap(), Woken::Tick);
    assert!(begun.elapsed() >= TICK / 2 && begun.elapsed() < Duration::from_secs(5));
    let until = Instant::now() + Duration::from_millis(120);
    while waker.wait(until).unwrap() != Woken::Deadline {}
    assert!(Instant::now() >= until);
    assert_eq!(waker.wait(Instant::now()).unwrap(), Woken::Deadline);
}

#[test]
fn a_file_that_appears_or_grows_wakes() {
    let dir = tempdir().unwrap();
    let file = dir.path().join("f");
    let mut waker = Waker::new();
    assert_eq!(waker.watch_dir(dir.path()).unwrap(), Watched::Itself);
    for text in ["", "grown"] {
        std::fs::write(&file, text).unwrap();
        assert_eq!(waker.wait(far()).unwrap(), Woken::Directory, "{text:?}");
        assert_eq!(waker.wait(far()).unwrap(), Woken::Tick, "the events were taken");
    }
    std::fs::rename(&file, dir.path().join("g")).unwrap();
    assert_eq!(waker.wait(far()).unwrap(), Woken::Directory);
}

#[test]
fn a_directory_that_appears_later_is_reached_step_by_step() {
    let root = tempdir().unwrap();
    let deep = root.path().join("2026/11/30");
    let mut waker = Waker::new();
    assert_eq!(waker.watch_dir(&deep).unwrap(), Watched::Ancestor(root.path().to_owned()));
    std::fs::create_dir_all(deep.parent().unwrap()).unwrap();
    assert_eq!(waker.wait(far()).unwrap(), Woken::Directory);
    let watched = waker.watch_dir(&deep).unwrap();
    assert_eq!(watched, Watched::Ancestor(deep.parent().unwrap().to_owned()));
    std::fs::create_dir(&deep).unwrap();
    assert_eq!(waker.wait(far()).unwrap(), Woken::Directory);
    assert_eq!(waker.watch_dir(&deep).unwrap(), Watched::Itself);
    std::fs::write(deep.join("f"), "").unwrap();
    assert_eq!(waker.wait(far()).unwrap(), Woken::Directory);
}

#[test]
fn a_directory_that_cannot_be_watched_is_said_and_ticks_go_on() {
    let root = tempdir().unwrap();
    let file = root.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut waker = Waker::new();
    for path in [file.clone(), file.join("below")] {
        let refused = waker.watch_dir(&path);
        assert!(matches!(refused, Err(WaitError::Watch { .. })), "{path:?}: {refused:?}");
    }
    assert_eq!(waker.wait(far()).unwrap(), Woken::Tick);
}

#[test]
fn the_end_of_a_process_wakes_once() {
    let mut child = command("sleep").arg("600").spawn().unwrap();
    let process = ProcessId::of(child.id()).unwrap().unwrap();
    let mut waker = Waker::new();
    assert!(waker.watch_process(process).unwrap());
    assert!(waker.watch_process(process).unwrap(), "watching twice is watching");
    assert!(!waker.watch_process(ProcessId { start: process.start + 1, ..process }).unwrap());
    assert_eq!(waker.wait(far()).unwrap(), Woken::Tick);
    child.kill().unwrap();
    assert_eq!(waker.wait(far()).unwrap(), Woken::Process(process));
    assert_eq!(waker.wait(far()).unwrap(), Woken::Tick, "it does not wake for ever");
    assert!(!waker.watch_process(process).unwrap());
    child.wait().unwrap();
    assert!(!waker.watch_process(process).unwrap());
}

#[test]
fn processes_and_directories_wake_the_same_wait() {
    let dir = tempdir().unwrap();
    let mut child = command("sleep").arg("600").spawn().unwrap();
    let process = ProcessId::of(child.id()).unwrap().unwrap();
    let mut waker = Waker::new();
    waker.watch_dir(dir.path()).unwrap();
    waker.watch_process(process).unwrap();
    child.kill().unwrap();
    std::fs::write(dir.path().join("f"), "").unwrap();
    let mut seen = Vec::new();
    while seen.len() < 2 {
        match waker.wait(far()).unwrap() {
            Woken::Tick => {}
            Woken::Deadline => panic!("only {seen:?}"),
            other => seen.push(other),
        }
    }
    assert!(seen.contains(&Woken::Directory) && seen.contains(&Woken::Process(process)));
    child.wait().unwrap();
}
