//! Appending: numbers, newlines, torn tails, two writers, a full disk.

use super::*;
use crate::test_support::{Home, at, id, line};
use std::io;

fn open(home: &Home, session: &str) -> Result<LogWriter, AppendError> {
    LogWriter::open(&home.workspace, &id(session), Durability::EachRecord, at(0))
}

fn text(home: &Home, session: &str) -> String {
    std::fs::read_to_string(home.workspace.log_path(&id(session))).unwrap()
}

#[test]
fn numbers_follow_on_and_every_record_is_read_again() {
    let home = Home::new();
    home.log("s", &line("s", 0, "user_message", "{}"));
    let mut writer = open(&home, "s").unwrap();
    let data = "{\n\"a\": \"\u{2028}\\u00e9\\/\", \"a\":1.0e3}\n";
    assert_eq!(writer.append("assistant_message", data, at(1)).unwrap(), 1);
    assert_eq!(writer.append("turn_failed", "{}", at(2000)).unwrap(), 2);
    writer.close().unwrap();
    let mut log = LogReader::open(&home.workspace, &id("s")).unwrap();
    log.next_event().unwrap();
    let event = log.next_event().unwrap().unwrap();
    assert_eq!(event.data, data.trim().replace('\n', " "));
    assert_eq!(event.id.len(), 16);
    assert_eq!(log.finish().unwrap().events, 3);
    assert_eq!(home.names(), ["sessions/s.ndjson"], "the lease is gone");
}

// SPEC 7: a last record that is not whole is never glued to the next one, and is repaired only by name.
#[test]
fn a_torn_tail_refuses_the_writer_until_it_is_repaired() {
    let home = Home::new();
    let whole = line("s", 0, "user_message", "{}");
    home.log("s", &format!("{whole}{{\"data\":{{\"te"));
    let error = open(&home, "s").unwrap_err();
    assert_eq!(error.kind(), "torn_tail");
    assert!(text(&home, "s").ends_with("\"te"), "nothing was changed");
    let repair = repair_torn_tail(&home.workspace, &id("s"), at(0)).unwrap().unwrap();
    assert_eq!((repair.byte, &*repair.removed), (whole.len() as u64, &b"{\"data\":{\"te"[..]));
    assert_eq!(repair_torn_tail(&home.workspace, &id("s"), at(0)).unwrap(), None);
    let mut writer = open(&home, "s").unwrap();
    assert_eq!(writer.append("user_message", "{}", at(1)).unwrap(), 1);
    writer.close().unwrap();
    assert_eq!(LogReader::open(&home.workspace, &id("s")).unwrap().finish().unwrap().events, 2);
}

#[test]
fn a_whole_record_without_its_line_feed_gets_it_before_the_next() {
    let home = Home::new();
    let whole = line("s", 0, "user_message", "{}");
    home.log("s", whole.trim_end());
    let mut writer = open(&home, "s").unwrap();
    writer.append("user_message", "{}", at(1)).unwrap();
    writer.close().unwrap();
    assert!(text(&home, "s").starts_with(&whole));
    assert_eq!(LogReader::open(&home.workspace, &id("s")).unwrap().finish().unwrap().events, 2);
}

#[test]
fn what_no_log_holds_is_not_appended() {
    let home = Home::new();
    home.log("s", "");
    let mut writer = open(&home, "s").unwrap();
    for (kind, data, refusal) in [
        ("text_delta", "{}", "ephemeral_not_loggable"),
        ("status", "{}", "ephemeral_not_loggable"),
        ("nothing_known", "{}", "invalid_args"),
        ("session_fork", "{}", "invalid_args"),
        ("user_message", "[]", "log_encode_failed"),
        ("user_message", "{} {}", "log_encode_failed"),
        ("user_message", "{\"a\":\"\\ud800\"}", "log_encode_failed"),
        ("user_message", "", "log_encode_failed"),
    ] {
        assert_eq!(writer.append(kind, data, at(1)).unwrap_err().kind(), refusal, "{kind} {data}");
    }
    writer.close().unwrap();
    assert_eq!(text(&home, "s"), "");
}

#[test]
fn a_damaged_log_has_no_writer() {
    let home = Home::new();
    home.log("s", "x\n");
    assert_eq!(open(&home, "s").unwrap_err().kind(), "corrupt_log_line");
    assert_eq!(open(&home, "t").unwrap_err().kind(), "not_found");
    assert_eq!(home.names(), ["sessions/s.ndjson"], "no lease is left");
}

#[test]
fn there_is_one_writer() {
    let home = Home::new();
    home.log("s", "");
    let mut writer = open(&home, "s").unwrap();
    assert_eq!(open(&home, "s").unwrap_err().kind(), "session_writer_active");
    // A lease that somebody took away does not let a second writer of ours in either.
    std::fs::remove_file(home.path().join(".pixir/session_leases/s.json")).unwrap();
    assert_eq!(open(&home, "s").unwrap_err().kind(), "session_writer_active");
    assert_eq!(
        writer.append("user_message", "{}", at(5000)).unwrap_err().kind(),
        "session_writer_lost"
    );
    drop(writer);
    let mut writer = open(&home, "s").unwrap();
    home.append("s", &line("s", 0, "user_message", "{}"));
    let error = writer.append("user_message", "{}", at(1)).unwrap_err();
    assert!(matches!(error, AppendError::Changed { expected: 0, .. }), "{error}");
}

#[test]
fn a_record_that_cannot_be_written_leaves_nothing_of_itself() {
    let home = Home::new();
    home.log("s", &line("s", 0, "user_message", "{}"));
    let before = text(&home, "s");
    let mut writer = open(&home, "s").unwrap();
    let full = |_| Err(io::Error::from(io::ErrorKind::StorageFull));
    let error = writer.append_with("user_message", "{}", at(1), Rim::of(&full)).unwrap_err();
    assert_eq!(error.kind(), "log_write_failed");
    assert_eq!(text(&home, "s"), before);
    let unsynced = |step| match step {
        Step::Sync => Err(io::Error::other("the disk is gone")),
        _ => Ok(()),
    };
    let error = writer.append_with("user_message", "{}", at(1), Rim::of(&unsynced)).unwrap_err();
    assert!(matches!(error, AppendError::NotDurable { seq: 1, .. }), "{error}");
    assert_eq!(writer.append("user_message", "{}", at(1)).unwrap(), 2);
}
