//! Which conversation a process serves, and who writes one.

use super::home::{CHILD, DAY, Home, Lines, SOURCE, codex, meta};
use super::resolve::talk;
use crate::support::block_on;
use seatfork_adapters::codex::Codex;
use seatfork_adapters::{Adapter, Observation};
use seatfork_process::ProcessId;
use seatfork_schema::SourceId;
use serde_json::json;
use std::fs::File;

fn me() -> ProcessId {
    ProcessId::of(std::process::id()).unwrap().unwrap()
}

fn observe(home: &Home) -> Observation {
    block_on(Codex.observe(me(), &home.env))
}

fn serving(id: &str) -> Observation {
    Observation::Serving { conversation: codex(id), ready: true }
}

// SPEC 6: a pane serves the thread whose lock and record its own process holds; without the record nothing is on disk yet.
#[test]
fn a_pane_serves_what_its_own_process_holds() {
    let home = Home::new();
    let path = home.write(CHILD, talk(CHILD).text);
    assert_eq!(observe(&home), Observation::Unknown, "before anything is held");
    let record = File::open(&path).unwrap();
    assert_eq!(observe(&home), Observation::Unknown, "a record that is just read");
    let lock = home.hold(CHILD);
    assert_eq!(observe(&home), serving(CHILD));
    drop(record);
    assert_eq!(observe(&home), Observation::Up, "a thread without a record");
    drop(lock);
    assert_eq!(observe(&home), Observation::Unknown, "a lock file nobody holds");
    let gone = ProcessId { start: me().start + 1, ..me() };
    assert_eq!(block_on(Codex.observe(gone, &home.env)), Observation::Gone);
}

// SPEC 6: a thread that another thread of the same program started is not what the pane shows; of two of its own, as after a new one was begun inside, it is the one written last.
#[test]
fn helpers_are_told_from_the_thread_a_pane_shows() {
    let home = Home::new();
    let (first, helper) = (home.write(CHILD, talk(CHILD).text), {
        let mut payload = meta(SOURCE);
        payload["source"] = json!({"subagent": {"thread_spawn": {}}});
        let mut lines = Lines::of(SOURCE);
        lines.text.clear();
        home.write(SOURCE, lines.push("session_meta", &payload).text.clone())
    });
    let _held = [
        home.hold(CHILD),
        home.hold(SOURCE),
        File::open(&first).unwrap(),
        File::open(&helper).unwrap(),
    ];
    assert_eq!(observe(&home), serving(CHILD));
    std::fs::write(helper, talk(SOURCE).text).unwrap();
    assert_eq!(observe(&home), serving(SOURCE));
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(2);
    File::options().append(true).open(&first).unwrap().set_modified(later).unwrap();
    assert_eq!(observe(&home), serving(CHILD));
}

// SPEC 6: after one went back inside a thread it is served from another record, and is the same conversation.
#[test]
fn a_thread_is_served_from_the_record_it_goes_on_in() {
    let home = Home::new();
    let on = home.write(&format!("{CHILD}_01a00000-0000-7000-8000-0000000000f1"), talk(CHILD).text);
    let _held = (home.hold(CHILD), File::open(on).unwrap());
    assert_eq!(observe(&home), serving(CHILD));
}

// SPEC 6: a conversation is in use while its lock is held, and not by a lock file that was left; the shared server is named.
#[test]
fn a_held_lock_is_use_and_a_left_one_is_not() {
    let home = Home::new();
    let used = || block_on(Codex.in_use(&codex(SOURCE), &home.env)).unwrap();
    assert_eq!(used(), None);
    let lock = home.hold(SOURCE);
    let by = used().unwrap();
    assert_eq!(
        (by.pid, by.seen_in),
        (std::process::id(), format!("thread-writer-locks/{SOURCE}.lock"))
    );
    home.file("app-server-daemon/daemon.pid", json!({"pid": std::process::id()}).to_string());
    let by = used().unwrap();
    assert!(by.seen_in.ends_with("held by the shared Codex server"), "{}", by.seen_in);
    drop(lock);
    assert_eq!(used(), None);
}

// SPEC 7: what a launch made is found by its mark in its first line, and by nothing else.
#[test]
fn what_a_launch_made_is_found_by_its_mark_alone() {
    let home = Home::new();
    let source = talk(SOURCE);
    home.write(SOURCE, &source.text);
    let find = |nonce: &str| block_on(Codex.find_made(None, nonce, &home.env)).unwrap();
    assert_eq!(find("n1"), None);
    // A user's own fork of the same source, newer than ours.
    let users = "01a00000-0000-7000-8000-0000000000ff";
    home.write(users, Lines::forked(users, SOURCE, &source, "user").text);
    let others = block_on(Codex.forks_of_others(&SourceId::new(codex(SOURCE)), &home.env)).unwrap();
    assert_eq!(others.iter().map(|made| &made.conversation).collect::<Vec<_>>(), [&codex(users)]);
    let child = Lines::forked(CHILD, SOURCE, &source, "seatfork-n1");
    let path = home.write(CHILD, &child.text);
    let again = block_on(Codex.forks_of_others(&SourceId::new(codex(SOURCE)), &home.env)).unwrap();
    assert_eq!(again, others, "ours is not one of them");
    let made = find("n1").unwrap();
    assert_eq!((made.conversation, made.bytes), (codex(CHILD), child.text.len() as u64));
    assert_eq!(made.path, path);
    assert_eq!(find("n"), None, "a mark that only begins so");
    // The mark quoted in what people said is none.
    let mut quoting = Lines::of(users);
    quoting.turn("\"thread_source\":\"seatfork-n2\"", "fine");
    home.write(users, quoting.text);
    assert_eq!(find("n2"), None);
    // A first line that is cut off bears no mark yet; one in the archive does.
    std::fs::write(&path, &child.text[..child.text.len() - 3]).unwrap();
    assert_eq!(find("n1"), None);
    std::fs::remove_file(&path).unwrap();
    home.file(&format!("archived_sessions/rollout-2026-01-02T03-04-05-{CHILD}.jsonl"), child.text);
    assert!(find("n1").is_some());
}

// SPEC 7: a seat's own conversation can be resumed while its record stands where the runtime resumes from.
#[test]
fn a_conversation_is_located_where_it_can_be_resumed() {
    let home = Home::new();
    let find = || block_on(Codex.locate(&codex(CHILD), &home.env));
    assert_eq!(find().unwrap(), None);
    let path = home.write(CHILD, talk(CHILD).text);
    assert_eq!(find().unwrap(), Some(path.clone()));
    let archive = home.place.path.join(".codex/archived_sessions");
    std::fs::create_dir(&archive).unwrap();
    std::fs::rename(&path, archive.join(path.file_name().unwrap())).unwrap();
    assert_eq!(find().unwrap(), None);
    // Without the record it goes on from it cannot be resumed.
    let source = talk(SOURCE);
    home.write(CHILD, Lines::forked(CHILD, SOURCE, &source, "user").text);
    std::fs::remove_dir_all(&archive).unwrap();
    let error = find().unwrap_err().to_string();
    assert!(error.contains(SOURCE) && error.contains("is not there"), "{error}");
    home.write(SOURCE, source.text);
    assert!(find().unwrap().is_some());
    home.file(&format!("sessions/2026/01/03/rollout-x-{CHILD}.jsonl"), "x");
    assert!(find().is_err(), "in two places under {DAY}");
}
