//! Reading logs that are whole, torn, damaged, hostile, growing.

use super::*;
use crate::error::FileKind;
use crate::test_support::{Home, id, line};
use proptest::prelude::*;

fn read(home: &Home, session: &str) -> Result<Reading, ReadError> {
    LogReader::open(&home.workspace, &id(session))?.finish()
}

#[track_caller]
fn damaged(home: &Home) -> (u64, u64, LineProblem) {
    match read(home, "s") {
        Err(ReadError::Corrupt { line, byte, problem, .. }) => (line, byte, problem),
        other => panic!("{other:?}"),
    }
}

// SPEC 6: a damaged source is refused with its line; nothing of it is passed over.
#[test]
fn the_first_line_that_is_wrong_is_named_with_its_byte() {
    let home = Home::new();
    let good = [line("s", 0, "user_message", "{}"), line("s", 1, "assistant_message", "{}")];
    let before = good.concat();
    let third = |text: &str| {
        home.log("s", &format!("{before}{text}\n{}", line("s", 3, "user_message", "{}")));
    };
    let at = before.len() as u64;
    for (text, offset, wanted) in [
        ("x", 0, LineProblem::NotAnObject),
        (line("t", 2, "user_message", "{}").trim_end(), 39, LineProblem::ForeignSession),
        (
            line("s", 1, "user_message", "{}").trim_end(),
            22,
            LineProblem::Seq { expected: 2, found: 1 },
        ),
    ] {
        third(text);
        let (line, byte, problem) = damaged(&home);
        assert_eq!((line, &problem), (3, &wanted), "{text}");
        assert!(byte >= at + offset.min(1) && byte < at + text.len() as u64, "{text}: {byte}");
    }
    third(line("s", 5, "user_message", "{}").trim_end());
    assert_eq!(damaged(&home).2, LineProblem::Seq { expected: 2, found: 5 });
    home.log("s", &line("s", 1, "user_message", "{}"));
    assert_eq!(damaged(&home).2, LineProblem::Seq { expected: 0, found: 1 });
    home.log_bytes("s", &[before.as_bytes(), b"{\"a\xff\"}\n"].concat());
    assert_eq!(damaged(&home), (3, at + 3, LineProblem::NotUtf8));
    home.log_bytes("s", &[b"\xef\xbb\xbf", before.as_bytes()].concat());
    assert_eq!(damaged(&home), (1, 0, LineProblem::NotAnObject));
}

// SPEC 8: a live source is read as it stands at one instant, whatever is half written at its end.
#[test]
fn every_torn_tail_is_counted_and_costs_no_event() {
    let home = Home::new();
    let whole = line("s", 0, "user_message", "{}");
    let next = line("s", 1, "assistant_message", r#"{"text":"é\u00e9"}"#);
    for end in 1..next.len() - 1 {
        home.log_bytes("s", &[whole.as_bytes(), &next.as_bytes()[..end]].concat());
        let reading = read(&home, "s").unwrap();
        assert_eq!((reading.events, reading.torn_bytes), (1, end as u64));
        assert_eq!(reading.whole_bytes, whole.len() as u64);
    }
    home.log("s", &format!("{whole}{}", next.trim_end()));
    let reading = read(&home, "s").unwrap();
    assert_eq!((reading.events, reading.torn_bytes, reading.unterminated), (2, 0, true));
    home.log_bytes("s", &[whole.as_bytes(), &[0; 40]].concat());
    assert_eq!(read(&home, "s").unwrap().torn_bytes, 40);
    // Whole, but not what may stand there: that is damage.
    home.log("s", &format!("{whole}{}", line("s", 7, "user_message", "{}").trim_end()));
    assert_eq!(damaged(&home).2, LineProblem::Seq { expected: 1, found: 7 });
}

#[test]
fn blank_lines_and_carriage_returns_are_no_damage() {
    let home = Home::new();
    let one = line("s", 0, "user_message", "{}");
    home.log("s", &format!("{}\r\n\r\n \n{}", one.trim_end(), line("s", 1, "user_message", "{}")));
    let reading = read(&home, "s").unwrap();
    assert_eq!((reading.events, reading.last_seq), (2, Some(1)));
    home.log("s", "");
    assert_eq!(read(&home, "s").unwrap(), Reading::default());
}

#[test]
fn unknown_types_are_counted_by_name_and_known_ones_too() {
    let home = Home::new();
    let types = ["user_message", "tool_dream", "tool_dream", "provider_usage", "plan"];
    let text: String =
        types.iter().enumerate().map(|(seq, kind)| line("s", seq as u64, kind, "{}")).collect();
    home.log("s", &text);
    let reading = read(&home, "s").unwrap();
    assert_eq!((reading.replayed, reading.unknown()), (1, 3));
    assert_eq!(reading.unknown_types["tool_dream"], 2);
    assert_eq!(reading.by_type["provider_usage"], 1);
}

#[test]
fn a_long_line_is_read_whole_and_memory_follows_it() {
    let home = Home::new();
    let long = format!(r#"{{"text":"{}"}}"#, "é".repeat(3 << 20));
    let lines = [
        line("s", 0, "user_message", "{}"),
        line("s", 1, "user_message", &long),
        line("s", 2, "user_message", "{}"),
    ];
    home.log("s", &lines.concat());
    let mut reader = LogReader::open(&home.workspace, &id("s")).unwrap();
    let mut sizes = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        sizes.push(event.data.len());
    }
    assert_eq!(sizes, [2, long.len(), 2]);
}

// SPEC 6: the last component of a source is opened without following a link, and is a regular file.
#[test]
fn a_log_behind_a_link_or_that_is_no_file_is_refused_by_its_component() {
    let home = Home::new();
    home.log("t", &line("t", 0, "user_message", "{}"));
    let sessions = home.sessions();
    std::os::unix::fs::symlink("t.ndjson", sessions.join("s.ndjson")).unwrap();
    let kinds = |session: &str| match read(&home, session) {
        Err(ReadError::State(StateError::Unsafe { found, expected, component, .. })) => {
            (found, expected, component.file_name().unwrap().to_owned())
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(kinds("s"), (FileKind::Link, FileKind::File, "s.ndjson".into()));
    std::fs::create_dir(sessions.join("d.ndjson")).unwrap();
    assert_eq!(kinds("d"), (FileKind::Folder, FileKind::File, "d.ndjson".into()));
    #[cfg(target_os = "linux")]
    rustix::fs::mknodat(
        rustix::fs::CWD,
        sessions.join("p.ndjson").as_std_path(),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    #[cfg(target_os = "linux")]
    assert_eq!(kinds("p"), (FileKind::Other, FileKind::File, "p.ndjson".into()));
    std::fs::rename(&sessions, home.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(home.path().join("elsewhere"), &sessions).unwrap();
    assert_eq!(kinds("t"), (FileKind::Link, FileKind::Folder, "sessions".into()));
}

#[test]
fn what_is_appended_while_it_is_read_is_not_read() {
    let home = Home::new();
    home.log("s", &line("s", 0, "user_message", "{}"));
    let mut log = LogReader::open(&home.workspace, &id("s")).unwrap();
    home.append("s", &line("s", 1, "user_message", "{}"));
    assert!(log.next_event().unwrap().is_some());
    assert!(log.next_event().unwrap().is_none());
    let reopened = LogReader::open(&home.workspace, &id("s")).unwrap();
    home.log("s", "");
    assert!(matches!(reopened.finish(), Err(ReadError::Shrunk { bytes: 0, .. })));
}

// SPEC 8: the root of a family comes from the first line alone, and only where it can be true.
#[test]
fn a_first_line_that_cannot_be_true_is_refused_and_a_later_one_is_no_lineage() {
    let home = Home::new();
    for (data, why) in [
        ("{}", "it names no parent"),
        (r#"{"parent_session_id":"p"}"#, "it names no root"),
        (
            r#"{"parent_session_id":"p","fork_root_session_id":"../../etc"}"#,
            "its root is no session id",
        ),
        (
            r#"{"parent_session_id":"s","fork_root_session_id":"r"}"#,
            "it names itself as its parent",
        ),
        (r#"{"parent_session_id":"p","fork_root_session_id":"s"}"#, "it names itself as its root"),
        (r#"{"parent_session_id":7,"fork_root_session_id":"r"}"#, "a field has another type"),
    ] {
        home.log("s", &line("s", 0, "session_fork", data));
        assert_eq!(damaged(&home), (1, 0, LineProblem::Lineage { why }), "{data}");
    }
    let fork = r#"{"parent_session_id":"p","fork_root_session_id":"r"}"#;
    home.log("s", &format!("\n{}", line("s", 0, "session_fork", fork)));
    assert_eq!(damaged(&home).0, 2);
    home.log(
        "s",
        &[line("s", 0, "user_message", "{}"), line("s", 1, "session_fork", fork)].concat(),
    );
    let mut log = LogReader::open(&home.workspace, &id("s")).unwrap();
    while log.next_event().unwrap().is_some() {}
    assert_eq!((log.lineage(), log.reading().events), (None, 2));
}

#[test]
fn a_session_that_is_not_here_is_not_found() {
    let home = Home::new();
    let error = read(&home, "s").unwrap_err();
    assert_eq!(error.kind(), "not_found");
    let bare = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(Utf8Path::from_path(bare.path()).unwrap()).unwrap();
    assert_eq!(LogReader::open(&workspace, &id("s")).unwrap_err().kind(), "not_found");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    // SPEC 6: whatever the bytes, a reading ends: with what serde_json reads too, or with a line and a byte.
    #[test]
    fn a_log_with_changed_bytes_is_read_whole_or_refused_by_its_place(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 0..4)
    ) {
        let home = Home::new();
        let data = [r#"{"text":"\u00e9\/ é","n":[1.0e3,-0]}"#, "{}", r#"{"call_id":"c","x":{"y":null}}"#];
        let text: String = (0..6).zip(data.iter().cycle()).map(|(seq, data)| line("s", seq, "user_message", data)).collect();
        let mut bytes = text.into_bytes();
        for (place, byte, how) in &changes {
            let at = place.index(bytes.len());
            match how {
                0 => bytes[at] = *byte,
                1 => bytes.insert(at, *byte),
                _ => drop(bytes.remove(at)),
            }
        }
        home.log_bytes("s", &bytes);
        let mut log = LogReader::open(&home.workspace, &id("s")).unwrap();
        let mut events = Vec::new();
        let end = loop {
            match log.next_event() {
                Ok(Some(event)) => events.push((event.seq, event.data.to_owned())),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        for (seq, data) in &events {
            prop_assert!(serde_json::from_str::<serde_json::Value>(data).unwrap().is_object());
            prop_assert!(bytes.windows(data.len()).any(|there| there == data.as_bytes()), "{}", seq);
        }
        prop_assert!(events.iter().map(|(seq, _)| *seq).eq(0..events.len() as u64));
        match end {
            Ok(()) => {
                let reading = log.reading();
                prop_assert_eq!(reading.whole_bytes + reading.torn_bytes, bytes.len() as u64);
            }
            Err(ReadError::Corrupt { byte, line, .. }) => {
                prop_assert!(byte <= bytes.len() as u64);
                let before = bytes[..usize::try_from(byte).unwrap()].split(|b| *b == b'\n').count() - 1;
                prop_assert_eq!(before as u64 + 1, line);
            }
            Err(other) => prop_assert!(false, "{:?}", other),
        }
    }
}
