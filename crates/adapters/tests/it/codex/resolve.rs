//! Sources of every kind of damage, in every place, with every kind of history.

use super::home::{CHILD, DAY, Home, Lines, SOURCE, meta, said};
use seatfork_adapters::ResolveError;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;

/// A thread with two exchanges.
pub(crate) fn talk(id: &str) -> Lines {
    let mut lines = Lines::of(id);
    lines.turn("Remember CODEWORD-ONE", "I do").turn("and?", "still");
    lines
}

/// What resolve says of these bytes.
fn told(bytes: impl AsRef<[u8]>) -> (&'static str, String) {
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
#[test]
fn every_kind_of_damage_is_told_with_its_line() {
    let whole = talk(SOURCE).text;
    let lines: Vec<&str> = whole.lines().collect();
    let with = |place: usize, line: &str| {
        let mut lines: Vec<&str> = lines.clone();
        lines.insert(place, line);
        lines.join("\n") + "\n"
    };
    let mut not_utf8 = whole.clone().into_bytes();
    not_utf8[lines[0].len() + 30] = 0xff;
    let mut nobody_answered = Lines::of(SOURCE);
    nobody_answered.push("response_item", &said("user", "Anybody?"));
    let mut nobody_asked = Lines::of(SOURCE);
    nobody_asked
        .push("response_item", &said("user", "<environment_context>x</environment_context>"));
    nobody_asked.push("response_item", &said("assistant", "Yes"));
    let mut events = Lines::of(SOURCE);
    events.push("event_msg", &json!({"type": "task_started"}));
    let mut tools = Lines::of(SOURCE);
    tools.push("response_item", &said("user", "Go")).push(
        "response_item",
        &json!({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"}),
    );
    let mut other = Lines::of(CHILD);
    other.turn("a", "b");
    let strange = r#"{"timestamp":5,"type":"brand_new","payload":[1]}"#;
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("garbage in the middle", with(2, "garbage").into()),
        ("half a record in the middle", with(2, r#"{"type":"response_it"#).into()),
        ("a list in place of a record", with(2, "[1]").into()),
        ("a hole of zeroes", with(2, "\0\0\0\0").into()),
        ("bytes that are not UTF-8", not_utf8),
        ("another thread's first line", other.text.into()),
        ("no first line", lines[1..].join("\n").into_bytes()),
        (
            "a first line without an id",
            with(0, r#"{"type":"session_meta","payload":{"cwd":"/w"}}"#).into(),
        ),
        ("half of the first line", lines[0].as_bytes()[..100].to_vec()),
        ("cut in the last record", whole.as_bytes()[..whole.len() - 10].to_vec()),
        ("cut before the last line feed", whole.trim_end().into()),
        ("no bytes", Vec::new()),
        ("only blank lines", b"\n\n".to_vec()),
        ("only a first line", Lines::of(SOURCE).text.into()),
        ("only events", events.text.into()),
        ("nobody answered", nobody_answered.text.into()),
        ("only the program spoke to the model", nobody_asked.text.into()),
        ("answered with a tool", tools.text.into()),
        ("whole", whole.clone().into()),
        ("whole, with CRLF", whole.replace('\n', "\r\n").into()),
        ("whole, with blank lines", whole.replace('\n', "\n\n").into()),
        (
            "whole, with a kind nobody knows",
            with(2, r#"{"timestamp":"x","type":"brand_new","payload":{}}"#).into(),
        ),
        ("a kind nobody knows, of a strange shape", with(2, strange).into()),
    ];
    let mut table = String::new();
    for (name, bytes) in cases {
        let (code, message) = told(bytes);
        writeln!(table, "{name}: {code}: {message}").unwrap();
    }
    insta::assert_snapshot!("damage", table);
}

// SPEC 6: a source is found on whatever day it stands; put away, packed, twice or gone, it is told so with its place.
// code: source-archived, source-ambiguous, source-not-found
#[test]
fn a_source_is_found_wherever_it_stands_and_told_where_it_is_not() {
    let name = format!("rollout-2026-01-02T03-04-05-{SOURCE}.jsonl");
    let whole = talk(SOURCE).text;
    let cases: &[(&str, &[String])] = &[
        ("today", &[format!("sessions/{DAY}/{name}")]),
        ("years ago", &[format!("sessions/2024/12/31/{name}")]),
        ("archived", &[format!("archived_sessions/{name}")]),
        ("on two days", &[format!("sessions/{DAY}/{name}"), format!("sessions/2026/01/03/{name}")]),
        (
            "here and archived",
            &[format!("sessions/{DAY}/{name}"), format!("archived_sessions/{name}")],
        ),
        ("outside any day", &[format!("sessions/{name}")]),
        ("under another name", &[format!("sessions/{DAY}/{SOURCE}.jsonl")]),
        ("nowhere", &[]),
    ];
    let mut table = String::new();
    for (what, places) in cases {
        let home = Home::new();
        for place in *places {
            home.file(place, &whole);
        }
        let (code, message) = refusal(&home, SOURCE);
        writeln!(table, "{what}: {code}: {message}").unwrap();
    }
    insta::assert_snapshot!("places", table);

    let home = Home::new();
    home.write(CHILD, talk(CHILD).text);
    match home.resolve(SOURCE) {
        Err(ResolveError::NotFound { looked_in, nearest, .. }) => {
            let looked_in: Vec<_> = looked_in.iter().filter_map(|path| path.file_name()).collect();
            assert_eq!(looked_in, ["sessions", "archived_sessions"]);
            assert_eq!(nearest.len(), 1);
            assert!(
                nearest[0].starts_with(CHILD) && nearest[0].contains("Remember"),
                "{nearest:?}"
            );
        }
        other => panic!("{other:?}"),
    }
}

/// One frame that holds its bytes as they are: the plainest a packer can write (RFC 8878).
pub(crate) fn packed(bytes: &[u8]) -> Vec<u8> {
    let size = u32::try_from(bytes.len()).unwrap();
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    frame.extend(size.to_le_bytes());
    frame.extend(&(size << 3 | 1).to_le_bytes()[..3]);
    frame.extend(bytes);
    frame
}

// SPEC 6: a packed source is read as what is in it; a plain file beside it counts alone; a broken one is told.
#[test]
fn a_packed_source_is_read_as_what_is_in_it() {
    let home = Home::new();
    let whole = talk(SOURCE).text;
    let name = format!("sessions/{DAY}/rollout-2026-01-02T03-04-05-{SOURCE}.jsonl.zst");
    let path = home.file(&name, packed(whole.as_bytes()));
    let evidence = home.resolve(SOURCE).unwrap();
    assert_eq!((evidence.path.as_path(), evidence.records), (path.as_path(), 5));
    assert_eq!(evidence.bytes, whole.len() as u64);
    // The runtime unpacks it when it forks: the same bytes in another file.
    let child = Lines::forked(CHILD, SOURCE, &talk(SOURCE), "seatfork-n");
    home.write(CHILD, child.text);
    assert!(home.prove_untouched(Some(&evidence), CHILD).is_ok());
    home.write(SOURCE, &whole);
    assert_eq!(home.resolve(SOURCE).unwrap().path, path.as_str().trim_end_matches(".zst"));
    std::fs::remove_file(&path).unwrap();
    assert!(home.prove_untouched(Some(&evidence), CHILD).is_ok());
    std::fs::remove_file(path.as_str().trim_end_matches(".zst")).unwrap();
    home.file(&name, &packed(whole.as_bytes())[..200]);
    let (code, message) = refusal(&home, SOURCE);
    assert_eq!(code, "source-unreadable");
    assert!(message.contains("cannot be unpacked"), "{message}");
}

// SPEC 6: an id is a lower-case UUID; a name never resolves, though the runtime would take it.
// code: native-id-malformed
#[test]
fn names_and_other_spellings_never_resolve() {
    let home = Home::new();
    home.write(SOURCE, talk(SOURCE).text);
    home.file(
        "session_index.jsonl",
        format!("{{\"id\":\"{SOURCE}\",\"thread_name\":\"my-thread\"}}\n"),
    );
    for given in ["my-thread", &SOURCE.to_uppercase(), &SOURCE[..8], &SOURCE.replace('-', "")] {
        match home.resolve(given) {
            Err(error @ ResolveError::Malformed { .. }) => {
                let ResolveError::Malformed { did_you_mean, .. } = &error else { unreachable!() };
                assert_eq!(error.code(), "native-id-malformed");
                let shouted = given == SOURCE.to_uppercase();
                assert_eq!(did_you_mean.as_deref(), shouted.then_some(SOURCE), "{given}");
            }
            other => panic!("{given}: {other:?}"),
        }
    }
}

// SPEC 6: a last line in flight is not counted and said, where somebody writes; else the source is damaged there.
#[test]
fn a_last_line_in_flight_is_told_from_a_torn_one() {
    let home = Home::new();
    let whole = talk(SOURCE).text;
    let path = home.write(SOURCE, format!("{whole}{{\"timestamp\":"));
    assert_eq!(refusal(&home, SOURCE).0, "source-damaged");
    let lock = home.hold(SOURCE);
    let evidence = home.resolve(SOURCE).unwrap();
    assert_eq!((evidence.bytes, evidence.records), (whole.len() as u64, 5));
    assert_eq!(
        evidence.remarks,
        ["the last line is being written; its 13 bytes so far are not counted"]
    );
    assert_eq!(evidence.live.unwrap().pid, std::process::id());
    drop(lock);
    // Growth between the two looks says the same.
    let growing = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(60));
        let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(b"\"2026").unwrap();
    });
    assert_eq!(home.resolve(SOURCE).unwrap().records, 5);
    growing.join().unwrap();
}

const FIRST: &str = "01a00000-0000-7000-8000-00000000000a";
const SECOND: &str = "01a00000-0000-7000-8000-00000000000b";
const THIRD: &str = "01a00000-0000-7000-8000-00000000000c";

// SPEC 8: a source's own history may live in other records, and in what those go on from; each is recorded by itself.
// code: source-ancestor-gone
#[test]
fn a_history_is_followed_through_every_record_it_goes_on_from() {
    let home = Home::new();
    let first = talk(FIRST);
    let mut second = Lines::forked(SECOND, FIRST, &first, "user");
    second.settings(SECOND).turn("more", "of it");
    let third = Lines::forked(THIRD, SECOND, &second, "user");
    let one = home.write(FIRST, format!("{}{}", first.text, "{\"timestamp\":\"x\",\"ordinal\":5,"));
    let two = home.write(SECOND, &second.text);
    home.write(THIRD, &third.text);
    let evidence = home.resolve(THIRD).unwrap();
    assert_eq!((evidence.records, evidence.effective_records), (1, 1 + 4 + 5));
    let ranges: Vec<_> = evidence
        .ancestors
        .iter()
        .map(|one| (one.record_id.as_str(), one.from, one.to, one.records))
        .collect();
    let (end_one, end_two) = (first.text.len() as u64, second.text.len() as u64);
    assert_eq!(ranges, [(SECOND, 0, end_two, 4), (FIRST, 0, end_one, 5)]);
    assert_eq!(evidence.ancestors[0].path, two.as_str());
    assert!(evidence.ancestors.iter().all(|one| one.inode != 0 && one.sha256.len() == 64));

    // What an ancestor is gone, changed or cut for is told.
    let mut table = String::new();
    let mut tell = |what: &str| {
        let (code, message) = refusal(&home, THIRD);
        writeln!(table, "{what}: {code}: {message}").unwrap();
    };
    std::fs::write(&one, &first.text.as_bytes()[..first.text.len() - 1]).unwrap();
    tell("the first is cut by a byte");
    std::fs::write(&one, format!("{}\n", &first.text[..first.text.len() - 2])).unwrap();
    tell("the first is damaged in its last record");
    let mut longer = talk(FIRST);
    longer.text = longer.text.replace("still", "never");
    std::fs::write(&one, longer.text.replace("\"ordinal\":4", "\"ordinal\":7")).unwrap();
    tell("the first has other ordinals");
    std::fs::write(&one, &talk(CHILD).text).unwrap();
    tell("the first is another thread's");
    std::fs::remove_file(&one).unwrap();
    tell("the first is gone");
    home.file(&format!("archived_sessions/rollout-2026-01-02T03-04-05-{FIRST}.jsonl"), &first.text);
    tell("the first is archived");
    home.write(FIRST, &first.text);
    tell("the first is here and archived");
    std::fs::remove_file(&two).unwrap();
    tell("the second is gone");
    insta::assert_snapshot!("ancestors", table);
}

// SPEC 6: records that name each other as their beginning are damage, not an endless look.
#[test]
fn a_history_that_goes_round_is_damaged() {
    let home = Home::new();
    let base = |thread: &str| json!({"thread_id": thread, "end_ordinal_exclusive": 1, "end_byte_offset": 0});
    for (id, of) in [(FIRST, SECOND), (SECOND, FIRST)] {
        let mut payload: Value = meta(id);
        payload["history_base"] = base(of);
        let line = |base: &Value| {
            let mut payload = payload.clone();
            payload["history_base"] = base.clone();
            json!({"timestamp": "x", "ordinal": 0, "type": "session_meta", "payload": payload})
                .to_string()
                + "\n"
        };
        // The line is as long as its own number says once it is known.
        let mut base = base(of);
        base["end_byte_offset"] = json!(line(&base).len() + 2);
        assert_eq!(line(&base).len() as u64, base["end_byte_offset"].as_u64().unwrap());
        home.write(id, line(&base));
    }
    let (code, message) = refusal(&home, FIRST);
    assert_eq!(code, "source-damaged");
    assert!(message.contains("goes round in a circle"), "{message}");
}

// SPEC 6: after one went back inside a thread, its newest record is the thread; the older one is what that goes on from.
#[test]
fn a_thread_one_went_back_in_is_the_record_it_goes_on_in() {
    let home = Home::new();
    let first = talk(SOURCE);
    let file = "01a00000-0000-7000-8000-0000000000f1";
    // Back to before the second exchange.
    let mut cut = Lines::of(SOURCE);
    cut.turn("Remember CODEWORD-ONE", "I do");
    let mut on = Lines::forked(SOURCE, SOURCE, &cut, "user");
    on.turn("another way", "fine");
    home.write(SOURCE, &first.text);
    home.write(&format!("{SOURCE}_{file}"), &on.text);
    let evidence = home.resolve(SOURCE).unwrap();
    assert!(evidence.path.as_str().ends_with(&format!("{SOURCE}_{file}.jsonl")));
    assert_eq!(evidence.effective_records, 3 + 3);
    assert_eq!(evidence.ancestors[0].record_id, SOURCE);
}
