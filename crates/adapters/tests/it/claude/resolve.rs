//! Sources of every kind of damage, and ids of every kind of hostility.

use super::home::{Home, SLUG, claude};
use super::made::{SOURCE, answers, assistant, calls, checkpoint, row, text, user, uuid};
use crate::support::block_on;
use seatfork_adapters::claude_code::ClaudeCode;
use seatfork_adapters::{Adapter, ResolveError};
use seatfork_schema::SourceId;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::os::unix::fs::symlink;

fn talk() -> Vec<Value> {
    vec![user(1, None), assistant(2, Some(1)), user(3, Some(2)), assistant(4, Some(3))]
}

/// What resolve says of these bytes.
fn said(bytes: impl AsRef<[u8]>) -> (&'static str, String) {
    let home = Home::new();
    home.write(SOURCE, bytes);
    refusal(&home, SOURCE)
}

fn refusal(home: &Home, id: &str) -> (&'static str, String) {
    match home.resolve(id) {
        Ok(evidence) => ("ok", format!("{} of {}", evidence.effective_records, evidence.records)),
        Err(error) => {
            let text = error.to_string().replace(home.place.path.as_str(), "~");
            (error.code().as_str(), text)
        }
    }
}

// SPEC 6: every kind of damage is refused with its line and its reason, before anything starts; none is forked silently.
// code: source-empty
#[test]
fn every_kind_of_damage_is_told_with_its_line() {
    let whole = text(&talk());
    let lines: Vec<&str> = whole.lines().collect();
    let with = |place: usize, line: &str| {
        let mut lines: Vec<&str> = lines.clone();
        lines.insert(place, line);
        lines.join("\n") + "\n"
    };
    let row_with = |number: usize, field: &str, value: Value| {
        let mut rows = talk();
        rows[number][field] = value;
        text(&rows)
    };
    let mut not_utf8 = whole.clone().into_bytes();
    let second_line = lines[0].len() + 1;
    not_utf8[second_line + 100] = 0xff;
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("garbage in the middle", with(2, "garbage").into()),
        ("half a record in the middle", with(1, r#"{"type":"file-history-sn"#).into()),
        ("two records glued on one line", with(1, r#"{"type":"pr-link","sessionId":"X","prNu{"parentUuid":null,"type":"user"}"#).into()),
        ("a list in place of a record", with(3, "[1]").into()),
        ("a hole of zeroes", with(2, "\0\0\0\0").into()),
        ("bytes that are not UTF-8", not_utf8),
        ("a byte order mark", format!("\u{feff}{whole}").into()),
        ("another session's row", row_with(2, "sessionId", json!("11111111-1111-4111-8111-111111111111")).into()),
        ("cut in the last record", whole.as_bytes()[..whole.len() - 10].to_vec()),
        ("cut in the last record's last byte", whole.as_bytes()[..whole.len() - 2].to_vec()),
        ("a parent that is not there", row_with(2, "parentUuid", json!(uuid(77))).into()),
        ("parents in a circle", row_with(0, "parentUuid", json!(uuid(4))).into()),
        ("its own parent", row_with(0, "parentUuid", json!(uuid(1))).into()),
        ("a compaction that kept what is not there", {
            let mut rows = talk();
            let mut boundary = row("system", 5, None);
            boundary["subtype"] = json!("compact_boundary");
            boundary["compactMetadata"] = json!({"preservedMessages": {"anchorUuid": uuid(6), "uuids": [uuid(99)]}});
            rows.extend([boundary, user(6, Some(5)), assistant(7, Some(6))]);
            text(&rows).into()
        }),
        ("no bytes", Vec::new()),
        ("only blank lines", b"\n\n".to_vec()),
        ("only records about it", b"{\"type\":\"ai-title\",\"aiTitle\":\"t\"}\n{\"type\":\"summary\",\"summary\":\"s\"}\n".to_vec()),
        ("nobody answered", text(&[user(1, None)]).into()),
        ("nobody asked", text(&[assistant(1, None)]).into()),
        ("only a sidechain spoke", {
            let mut rows = talk();
            for row in &mut rows {
                row["isSidechain"] = json!(true);
            }
            text(&rows).into()
        }),
        ("cleared", {
            let mut rows = talk();
            rows.push(checkpoint(None, true));
            text(&rows).into()
        }),
        ("whole", whole.clone().into()),
        ("whole, without the last line feed", whole.trim_end().into()),
        ("whole, with CRLF", whole.replace('\n', "\r\n").into()),
        ("whole, with blank lines", whole.replace('\n', "\n\n").into()),
        ("whole, with unknown records and fields of strange shapes", with(1, r#"{"type":"brand-new","uuid":5,"message":"text","timestamp":1,"leafUuid":[],"isSidechain":"no"}"#).into()),
        ("whole, with text cut in a pair", row_with(2, "message", json!({"role":"user","content":"X"})).replace("\"X\"", "\"\\ud83d\"").into()),
        ("whole, with a repeated record", with(2, lines[1]).into()),
    ];
    let mut table = String::new();
    for (name, bytes) in cases {
        let (code, message) = said(bytes);
        writeln!(table, "{name}: {code}: {message}").unwrap();
    }
    insta::assert_snapshot!("damage", table);
}

// SPEC 6: a source is one regular file of ours whose last path component is no link.
// code: source-ambiguous, source-unreadable
#[test]
fn only_one_regular_file_is_a_source() {
    let mut table = String::new();
    let mut tell = |name: &str, make: &dyn Fn(&Home)| {
        let home = Home::new();
        home.write("99999999-9999-4999-8999-999999999999", text(&talk()));
        make(&home);
        let (code, message) = refusal(&home, SOURCE);
        writeln!(table, "{name}: {code}: {message}").unwrap();
    };
    let path = |home: &Home| home.path(SLUG, SOURCE);
    tell("a directory", &|home| std::fs::create_dir(path(home)).unwrap());
    tell("a named pipe", &|home| {
        rustix::fs::mknodat(
            rustix::fs::CWD,
            path(home).as_std_path(),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
    });
    tell("a socket", &|home| {
        drop(std::os::unix::net::UnixListener::bind(path(home)).unwrap());
    });
    tell("a link to a transcript", &|home| {
        let target = home.place.file("elsewhere.jsonl", text(&talk()));
        symlink(target, path(home)).unwrap();
    });
    tell("a link that leads nowhere", &|home| symlink("/nowhere", path(home)).unwrap());
    tell("two copies", &|home| {
        home.write(SOURCE, text(&talk()));
        home.place.file(&format!(".claude/projects/-w-b/{SOURCE}.jsonl"), "");
    });
    tell("one file, its directory under two names", &|home| {
        home.write(SOURCE, text(&talk()));
        let projects = home.place.path.join(".claude/projects");
        symlink(projects.join(SLUG), projects.join("-other")).unwrap();
    });
    tell("a home that is a link", &|home| {
        home.write(SOURCE, text(&talk()));
        let real = home.place.path.join("moved");
        std::fs::rename(home.place.path.join(".claude"), &real).unwrap();
        symlink(real, home.place.path.join(".claude")).unwrap();
    });
    tell("projects is a file", &|home| {
        std::fs::remove_dir_all(home.place.path.join(".claude/projects")).unwrap();
        home.place.file(".claude/projects", "");
    });
    tell("a project that cannot be looked into", &|home| {
        symlink("loop", home.place.path.join(".claude/projects/loop")).unwrap();
    });
    insta::assert_snapshot!("not_a_file", table);
}

// SPEC 10: row 1, a source that is not found names runtime, id, where it was looked for and the nearest known ones.
#[test]
fn a_source_that_is_not_found_names_the_nearest_known_ones() {
    let home = Home::new();
    assert!(
        matches!(home.resolve(SOURCE), Err(ResolveError::NotFound { nearest, .. }) if nearest.is_empty())
    );
    std::fs::remove_dir_all(home.place.path.join(".claude")).unwrap();
    assert!(
        matches!(home.resolve(SOURCE), Err(ResolveError::NotFound { .. })),
        "a runtime that never ran"
    );

    let like = SOURCE.replace("0b0165d7", "0b0165d8");
    let mut titled = talk();
    titled[0]["message"]["content"] = json!("perf\u{1b}[31m hunt");
    for row in &mut titled {
        row["sessionId"] = json!(like);
    }
    home.write(&like, text(&titled));
    for number in 0..5 {
        let other = format!("{number}1111111-1111-4111-8111-111111111111");
        home.write(
            &other,
            format!("{{\"type\":\"custom-title\",\"customTitle\":\"title {number}\"}}\n"),
        );
        let time =
            std::time::SystemTime::now() - std::time::Duration::from_secs(7200 + number * 60);
        let file = std::fs::File::options().append(true).open(home.path(SLUG, &other)).unwrap();
        file.set_modified(time).unwrap();
    }
    home.write("notes", "not a conversation");
    let Err(error @ ResolveError::NotFound { .. }) = home.resolve(SOURCE) else { panic!("found") };
    assert_eq!(
        error.to_string(),
        format!("source session id not found: claude-code has no session {SOURCE}")
    );
    let ResolveError::NotFound { looked_in, nearest, .. } = error else { unreachable!() };
    assert_eq!(looked_in, [home.place.path.join(".claude/projects")]);
    assert_eq!(
        nearest,
        [
            format!("{like} (just now, \"perf\\u{{1b}}[31m hunt\")"),
            "01111111-1111-4111-8111-111111111111 (2 h ago, \"title 0\")".to_owned(),
            "11111111-1111-4111-8111-111111111111 (2 h ago, \"title 1\")".to_owned(),
        ]
    );
}

// SPEC 3: only a lower-case UUID is a native id here; a title, a prefix, an option or a path is refused before any look.
#[test]
fn ids_of_another_shape_are_refused_before_any_look() {
    let home = Home::new();
    let upper = SOURCE.to_ascii_uppercase();
    for id in [
        &upper,
        "ui-ux-refactor",
        "0b0165d7",
        "exec",
        "local_553755dd-186d-4058-a2b5-b528b2483659",
        "0b0165d7cb4d465090de15c0a1ede9e6",
        "0b0165d7-cb4d-4650-90de-15c0a1ede9eg",
        "last",
        "0b0165d7-cb4d-4650-90de-15c0a1ede9e6.jsonl",
        &"a".repeat(200),
    ] {
        // Written there as well: the shape decides, not the file.
        home.write(id, text(&talk()));
        let source = SourceId::new(claude(id));
        // Without any home: nothing is looked at.
        let error = block_on(ClaudeCode.resolve(&source, &crate::support::env(&[]), "/".into()))
            .unwrap_err();
        assert_eq!(error.code(), "native-id-malformed", "{id}");
        let ResolveError::Malformed { did_you_mean, .. } = error else { unreachable!() };
        assert_eq!(did_you_mean.as_deref(), (id == upper).then_some(SOURCE));
    }
    let nowhere = SourceId::new(claude(SOURCE));
    let error =
        block_on(ClaudeCode.resolve(&nowhere, &crate::support::env(&[]), "/".into())).unwrap_err();
    assert_eq!(error.code(), "source-unreadable", "no home is no absence: {error}");
}

// SPEC 6: what is known of a good source: size, hash, records, history, last activity, recorded cwd, who wrote it.
#[test]
fn a_good_source_is_told_whole() {
    let home = Home::new();
    let mut rows = talk();
    rows.insert(0, json!({"type": "queue-operation", "sessionId": SOURCE}));
    rows.push(user(7, Some(2)));
    rows.push(assistant(8, Some(7)));
    rows[5]["cwd"] = json!("/w/later");
    rows.push(checkpoint(Some(8), false));
    let bytes = text(&rows);
    let path = home.write(SOURCE, &bytes);
    let evidence = home.resolve(SOURCE).unwrap();
    assert_eq!((evidence.path, evidence.bytes), (path, bytes.len() as u64));
    assert_eq!(evidence.sha256, seatfork_adapters::record::sha256_hex(bytes.as_bytes()));
    assert_eq!((evidence.records, evidence.effective_records), (8, 4));
    assert_eq!(evidence.last_record, Some(uuid(8)));
    assert_eq!(evidence.not_inherited, ["2 on other branches"]);
    assert_eq!(evidence.last_activity.unwrap().to_string(), "2026-11-30T14:00:08Z");
    assert_eq!(evidence.recorded_cwd.as_deref(), Some(super::home::CWD));
    assert_eq!(evidence.written_by.as_deref(), Some("2.1.332"));
    assert!(evidence.live.is_none() && evidence.remarks.is_empty());
}

// SPEC 6: a last line that is no whole record is a write in flight where a process serves the session, or where the file
// grows; the records before it count, and that is said.
#[test]
fn a_record_in_flight_is_waited_for_and_then_left_out() {
    let home = Home::new();
    let whole = text(&talk());
    let half = format!("{whole}{{\"type\":\"user\",");
    let path = home.write(SOURCE, &half);
    assert_eq!(refusal(&home, SOURCE).0, "source-damaged", "nobody writes it");
    home.serve(SOURCE, std::process::id(), Some("busy"));
    let evidence = home.resolve(SOURCE).unwrap();
    assert_eq!(evidence.bytes, whole.len() as u64);
    assert_eq!(evidence.sha256, seatfork_adapters::record::sha256_hex(whole.as_bytes()));
    assert_eq!(
        evidence.remarks,
        ["the last line is being written; its 15 bytes so far are not counted"]
    );
    assert_eq!(evidence.live.as_ref().unwrap().pid, std::process::id());
    home.stop_serving(std::process::id());

    // A writer that pauses for less than the second look finishes its record.
    let later = |bytes: String| {
        let path = path.clone();
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(60));
            std::fs::write(&path, bytes).unwrap();
        })
    };
    let writer = later(format!("{whole}{}\n", user(5, Some(4))));
    let evidence = home.resolve(SOURCE).unwrap();
    writer.join().unwrap();
    assert_eq!((evidence.records, evidence.remarks.len()), (5, 0));

    // One that is still at it after the second look shows by the growth.
    std::fs::write(&path, &half).unwrap();
    let writer = later(format!("{half}\"uuid\":"));
    let evidence = home.resolve(SOURCE).unwrap();
    writer.join().unwrap();
    assert_eq!((evidence.records, evidence.bytes), (4, whole.len() as u64));
    assert_eq!(evidence.remarks.len(), 1);
}

// SPEC 8: the tip, compactions, parallel calls, and what is left out, told before anything starts.
#[test]
fn the_effective_history_is_told_beforehand() {
    let mut table = String::new();
    let mut tell = |name: &str, rows: &[Value]| {
        let home = Home::new();
        home.write(SOURCE, text(rows));
        let told = match home.resolve(SOURCE) {
            Ok(evidence) => format!(
                "{} of {} records, to {}; not: {}",
                evidence.effective_records,
                evidence.records,
                evidence.last_record.map_or("-".to_owned(), |uuid| uuid[6..8].to_owned()),
                evidence.not_inherited.join(", ")
            ),
            Err(error) => error.code().to_string(),
        };
        writeln!(table, "{name}: {told}").unwrap();
    };
    let with = |more: &[Value]| [talk(), more.to_vec()].concat();
    tell("linear", &talk());
    tell("a rewind", &with(&[user(5, Some(2)), assistant(6, Some(5)), checkpoint(Some(6), false)]));
    tell(
        "the checkpoint names the old leaf",
        &with(&[user(5, Some(2)), assistant(6, Some(5)), checkpoint(Some(4), false)]),
    );
    tell(
        "the checkpoint names an inner row of the old branch",
        &with(&[user(5, Some(2)), assistant(6, Some(5)), checkpoint(Some(3), false)]),
    );
    tell(
        "the checkpoint names where they part",
        &with(&[user(5, Some(2)), assistant(6, Some(5)), checkpoint(Some(2), false)]),
    );
    tell("explicit, nothing after", &with(&[checkpoint(Some(2), true)]));
    tell(
        "explicit, then rows",
        &with(&[checkpoint(Some(2), true), user(5, Some(2)), assistant(6, Some(5))]),
    );
    tell("a checkpoint that names nothing", &with(&[checkpoint(None, false)]));
    tell(
        "cleared, then rows",
        &with(&[checkpoint(None, true), user(5, None), assistant(6, Some(5))]),
    );
    tell("a checkpoint that names no row", &with(&[checkpoint(Some(99), false)]));
    tell("rows after the checkpoint", &with(&[checkpoint(Some(4), false), user(5, Some(4))]));
    tell("progress between", &[user(1, None), row("progress", 2, Some(1)), assistant(3, Some(2))]);
    let parallel = [
        calls(5, 4, "r", &["a"]),
        calls(6, 5, "r", &["b"]),
        answers(7, 5, &["a"]),
        answers(8, 6, &["b"]),
        assistant(9, Some(8)),
    ];
    tell("parallel calls", &with(&parallel));
    tell("parallel calls, in the middle of them", &with(&parallel[..3]));
    tell(
        "a checkpoint at the other answer",
        &with(&[&parallel[..], &[checkpoint(Some(7), false)]].concat()),
    );
    let mut boundary = row("system", 10, None);
    boundary["subtype"] = json!("compact_boundary");
    tell(
        "a compaction that kept nothing",
        &with(&[boundary.clone(), user(11, Some(10)), assistant(12, Some(11))]),
    );
    boundary["compactMetadata"] =
        json!({"preservedMessages": {"anchorUuid": uuid(11), "uuids": [uuid(3), uuid(4)]}});
    tell(
        "a compaction that kept two",
        &with(&[
            boundary.clone(),
            user(11, Some(10)),
            row("system", 12, Some(11)),
            assistant(13, Some(12)),
        ]),
    );
    boundary["compactMetadata"] = json!({"preservedSegment": {"headUuid": uuid(3), "anchorUuid": uuid(11), "tailUuid": uuid(4)}});
    tell(
        "a compaction that kept a segment",
        &with(&[boundary, user(11, Some(10)), assistant(12, Some(11))]),
    );
    insta::assert_snapshot!("histories", table);
}
