//! Children that are not what they should be, each beside one that is.

use super::home::{CHILD, CWD, Home, Lines, SOURCE, failed, meta, said};
use super::resolve::talk;
use camino::Utf8PathBuf;
use seatfork_adapters::Evidence;
use seatfork_schema::{ProofGrade, ProofStatus};
use serde_json::{Value, json};
use std::fmt::Write as _;

const OTHER: &str = "01a00000-0000-7000-8000-0000000000ee";
const NOTICE: &str = "[seatfork notice 1] You are the seat dev-a@rig.";

/// A source, judged, and where it stands.
struct World {
    home: Home,
    source: Lines,
    evidence: Evidence,
}

impl World {
    fn new() -> Self {
        let home = Home::new();
        let source = talk(SOURCE);
        home.write(SOURCE, &source.text);
        let evidence = home.resolve(SOURCE).unwrap();
        Self { home, source, evidence }
    }

    /// What phase 1 leaves: settings and the notice.
    fn child(&self) -> Lines {
        let mut child = Lines::forked(CHILD, SOURCE, &self.source, "seatfork-n");
        child.settings(CHILD).push("response_item", &said("developer", NOTICE));
        child
    }

    fn told(&self, child: impl AsRef<[u8]>) -> String {
        self.home.write(CHILD, child);
        let (untouched, later) = (
            self.home.prove_untouched(Some(&self.evidence), CHILD),
            self.home.prove(Some(&self.evidence), CHILD),
        );
        let mut told = String::new();
        for (when, proof) in [("untouched", untouched), ("later", later)] {
            let text = match proof {
                Ok(proof) => proof.to_string(),
                Err(error) => {
                    let (code, message) = failed(Err(error));
                    format!("{code}: {message}")
                }
            };
            writeln!(told, "  {when}: {}", text.replace(self.home.place.path.as_str(), "~"))
                .unwrap();
        }
        told
    }
}

/// A first line with something changed.
fn with(lines: &Lines, change: impl Fn(&mut Value)) -> String {
    let (first, rest) = lines.text.split_once('\n').unwrap();
    let mut line: Value = serde_json::from_str(first).unwrap();
    change(&mut line["payload"]);
    format!("{line}\n{rest}")
}

// SPEC 8: a child goes on from the source's own bytes, all of them, up to a record's end; everything else is refused.
// code: proof-failed, child-empty
#[test]
fn a_child_by_reference_is_proved_and_none_of_its_twins() {
    let world = World::new();
    let child = world.child();
    let base = |key: &'static str, value: Value| {
        with(&child, |payload| payload["history_base"][key] = value.clone())
    };
    let of = |key: &'static str, value: Value| with(&child, |payload| payload[key] = value.clone());
    let more = |kind: &str, payload: Value| {
        let mut child = child.clone();
        child.push(kind, &payload);
        child.text
    };
    let harness = json!({
        "type": "message", "role": "user", "content": [{"type": "input_text", "text": "<turn_aborted>"}],
        "internal_chat_message_metadata_passthrough": {
            "content_item_metadata": [{"provenance": {"type": "harness", "hook": false}}],
        },
    });
    let mut typed = harness.clone();
    typed["internal_chat_message_metadata_passthrough"]["content_item_metadata"][0]["provenance"]
        ["type"] = json!("user");
    let second = world.source.text.lines().take(3).map(|line| line.len() as u64 + 1).sum::<u64>();
    let cases: Vec<(&str, String)> = vec![
        ("whole", child.text.clone()),
        ("without a notice", Lines::forked(CHILD, SOURCE, &world.source, "seatfork-n").text),
        (
            "with what the runtime tells of a turn that was not ended",
            more("response_item", harness),
        ),
        ("with the world around it", more("world_state", json!({"full": true}))),
        ("with an event nobody knows", more("event_msg", json!({"type": "brand_new"}))),
        ("with a user's words", more("response_item", said("user", "Hello"))),
        ("with words that say they are a user's", more("response_item", typed)),
        ("with an answer", more("response_item", said("assistant", "Hello"))),
        (
            "with a developer's words that are no notice",
            more("response_item", said("developer", "Do it")),
        ),
        ("with a turn", more("event_msg", json!({"type": "task_started"}))),
        (
            "with another thread's settings",
            more("event_msg", json!({"type": "thread_settings_applied", "thread_id": SOURCE})),
        ),
        ("another parent", of("forked_from_id", json!(OTHER))),
        ("no parent", of("forked_from_id", json!(null))),
        ("itself as its parent", of("forked_from_id", json!(CHILD))),
        ("another id", of("id", json!(OTHER))),
        ("another directory", of("cwd", json!("/elsewhere"))),
        ("no directory", of("cwd", json!(null))),
        ("going on from another record", base("thread_id", json!(OTHER))),
        ("going on from itself", base("thread_id", json!(CHILD))),
        ("one byte less", base("end_byte_offset", json!(world.source.text.len() - 1))),
        ("one byte more", base("end_byte_offset", json!(world.source.text.len() + 1))),
        ("one record less by its number", base("end_ordinal_exclusive", json!(4))),
        (
            "half of the history",
            with(&child, |payload| {
                payload["history_base"]["end_byte_offset"] = json!(second);
                payload["history_base"]["end_ordinal_exclusive"] = json!(3);
            }),
        ),
        ("nothing of the history", base("end_byte_offset", json!(0))),
        ("no base and no copy", of("history_base", json!(null))),
        ("no bytes", String::new()),
        ("half of its first line", child.text[..80].to_owned()),
        ("cut in its last line", child.text[..child.text.len() - 5].to_owned()),
        ("garbage in it", format!("{}garbage\n", child.text)),
    ];
    let mut table = String::new();
    for (name, child) in cases {
        write!(table, "{name}\n{}", world.told(child)).unwrap();
    }
    insta::assert_snapshot!("by_reference", table);
}

// SPEC 8: what was there of the source at the first look must be unchanged; growth is said; later a change says nothing.
// code: source-changed, source-gone, child-missing, source-unreadable
#[test]
fn a_source_that_changed_went_or_grew_is_told_as_what_it_is() {
    let mut table = String::new();
    let mut case = |name: &str, change: &dyn Fn(&World, &Utf8PathBuf)| {
        let world = World::new();
        change(&world, &world.evidence.path);
        write!(table, "{name}\n{}", world.told(world.child().text)).unwrap();
    };
    let rewrite = |path: &Utf8PathBuf, text: &str| std::fs::write(path, text).unwrap();
    case("grew", &|world, path| {
        let mut source = world.source.clone();
        rewrite(path, &source.turn("more", "words").text);
    });
    case("one letter changed", &|world, path| {
        rewrite(path, &world.source.text.replace("still", "never"));
    });
    case("shorter", &|world, path| rewrite(path, &world.source.text[..100]));
    case("another file with the same bytes", &|world, path| {
        let beside = path.with_extension("new");
        std::fs::write(&beside, &world.source.text).unwrap();
        std::fs::rename(beside, path).unwrap();
    });
    case("gone", &|_, path| std::fs::remove_file(path).unwrap());
    case("archived", &|world, path| {
        let archive = world.home.place.path.join(".codex/archived_sessions");
        std::fs::create_dir(&archive).unwrap();
        std::fs::rename(path, archive.join(path.file_name().unwrap())).unwrap();
    });
    case("a link", &|world, path| {
        let beside = world.home.place.path.join("elsewhere.jsonl");
        std::fs::rename(path, &beside).unwrap();
        std::os::unix::fs::symlink(beside, path).unwrap();
    });
    case("a directory", &|_, path| {
        std::fs::remove_file(path).unwrap();
        std::fs::create_dir(path).unwrap();
    });
    case("here twice", &|world, _| {
        let name = format!("sessions/2026/01/03/rollout-2026-01-02T03-04-05-{SOURCE}.jsonl");
        world.home.file(&name, &world.source.text);
    });
    insta::assert_snapshot!("sources", table);

    let world = World::new();
    assert_eq!(failed(world.home.prove_untouched(Some(&world.evidence), CHILD)).0, "child-missing");
    assert_eq!(failed(world.home.prove(Some(&world.evidence), SOURCE)).0, "proof-failed");
}

// SPEC 8: a child made while its source grew holds all that was there at one instant between the two looks.
#[test]
fn a_child_of_a_growing_source_may_hold_more_than_the_first_look_saw() {
    let world = World::new();
    let mut source = world.source.clone();
    source.turn("more", "words");
    std::fs::write(&world.evidence.path, &source.text).unwrap();
    let child = Lines::forked(CHILD, SOURCE, &source, "seatfork-n");
    world.home.write(CHILD, child.text);
    let proof = world.home.prove_untouched(Some(&world.evidence), CHILD).unwrap();
    let inherited = proof.inherited.unwrap();
    assert_eq!((proof.grade, inherited.records), (ProofGrade::L3, 7));
    assert!(proof.detail.contains("source is live, grew by"), "{}", proof.detail);
    assert!(inherited.depends_on_source);
    assert_eq!(inherited.depends_on[0].to, source.text.len() as u64);
}

// SPEC 8: the dependence is transitive: any record of the chain that changed or went is told.
#[test]
fn every_record_of_the_chain_is_looked_at_again() {
    const FIRST: &str = "01a00000-0000-7000-8000-00000000000a";
    let home = Home::new();
    let first = talk(FIRST);
    let mut source = Lines::forked(SOURCE, FIRST, &first, "user");
    source.turn("more", "of it");
    let child = Lines::forked(CHILD, SOURCE, &source, "seatfork-n");
    let path = home.write(FIRST, &first.text);
    home.write(SOURCE, &source.text);
    home.write(CHILD, child.text);
    let evidence = home.resolve(SOURCE).unwrap();
    let proof = home.prove(Some(&evidence), CHILD).unwrap();
    assert_eq!(proof.status, ProofStatus::Proved);
    assert_eq!(proof.shown_grade(), "L3 (by reference)");
    let inherited = proof.inherited.unwrap();
    assert_eq!((inherited.records, inherited.depends_on.len()), (8, 2));
    std::fs::write(&path, first.text.replace("still", "never")).unwrap();
    assert_eq!(failed(home.prove(Some(&evidence), CHILD)).0, "source-changed");
    std::fs::remove_file(&path).unwrap();
    let (code, message) = failed(home.prove(Some(&evidence), CHILD));
    assert_eq!(code, "source-gone");
    assert!(message.contains(FIRST), "{message}");
    // Brought back, it proves again.
    std::fs::write(&path, &first.text).unwrap();
    assert_eq!(home.prove(Some(&evidence), CHILD).unwrap().grade, ProofGrade::L3);
}

// SPEC 8: a fresh child exists, comes from nobody, and holds nothing but what phase 1 leaves.
#[test]
fn a_fresh_child_comes_from_nobody() {
    let home = Home::new();
    let told = |text: String| {
        home.write(CHILD, text);
        home.prove_untouched(None, CHILD)
            .map(|proof| proof.grade)
            .map_err(|error| failed(Err(error)).0)
    };
    assert_eq!(told(Lines::of(CHILD).text), Ok(ProofGrade::L1));
    let source = talk(SOURCE);
    let forked = Lines::forked(CHILD, SOURCE, &source, "seatfork-n");
    assert_eq!(told(forked.text.clone()).unwrap_err(), "proof-failed");
    assert_eq!(
        told(with(&forked, |one| one["forked_from_id"] = json!(null))).unwrap_err(),
        "proof-failed"
    );
    assert_eq!(told(talk(CHILD).text).unwrap_err(), "proof-failed");
    // Once its pane was open, people speak in it.
    assert_eq!(home.prove(None, CHILD).unwrap().grade, ProofGrade::L1);
}

/// A thread of an older version: no ordinals, no mode.
fn older(id: &str) -> Vec<Value> {
    let mut first = meta(id);
    first.as_object_mut().unwrap().remove("history_mode");
    vec![
        json!({"type": "session_meta", "payload": first}),
        json!({"type": "event_msg", "payload": {"type": "task_started", "turn_id": "t1"}}),
        json!({"type": "turn_context", "payload": {"cwd": CWD, "turn_id": "t1"}}),
        json!({"type": "response_item", "payload": said("user", "Remember CODEWORD-ONE")}),
        json!({"type": "event_msg", "payload": {"type": "item_completed", "item": 1}}),
        json!({"type": "response_item", "payload": said("assistant", "I do")}),
    ]
}

/// What the runtime makes of it: its own first line, the source's lines at another time, without its screen's events.
fn copied() -> Vec<Value> {
    let mut first = meta(CHILD);
    first["history_mode"] = json!("legacy");
    first["forked_from_id"] = json!(SOURCE);
    let mut rows = vec![json!({"type": "session_meta", "payload": first})];
    rows.extend(older(SOURCE).into_iter().filter(|row| row["payload"]["type"] != "item_completed"));
    rows.push(json!({"type": "event_msg", "payload": {"type": "thread_settings_applied", "thread_id": CHILD}}));
    rows
}

fn text(rows: &[Value], second: u32) -> String {
    let row = |row: &Value| {
        let mut row = row.clone();
        row["timestamp"] = json!(format!("2026-01-02T03:04:{second:02}.000Z"));
        row.to_string() + "\n"
    };
    rows.iter().map(row).collect()
}

// SPEC 8: a copied history is proved record by record; a changed, missing, swapped or foreign one is refused.
#[test]
fn a_copied_history_is_proved_and_none_of_its_twins() {
    let home = Home::new();
    let source = older(SOURCE);
    home.write(SOURCE, text(&source, 1));
    let evidence = home.resolve(SOURCE).unwrap();
    let mut table = String::new();
    let mut case = |name: &str, rows: &[Value]| {
        home.write(CHILD, text(rows, 9));
        let told = match home.prove_untouched(Some(&evidence), CHILD) {
            Ok(proof) => proof.to_string(),
            Err(error) => {
                let (code, message) = failed(Err(error));
                format!("{code}: {message}")
            }
        };
        writeln!(table, "{name}: {}", told.replace(home.place.path.as_str(), "~")).unwrap();
    };
    let whole = copied();
    case("whole", &whole);
    let changed = |at: usize, change: &dyn Fn(&mut Value)| {
        let mut rows = copied();
        change(&mut rows[at]["payload"]);
        rows
    };
    case("a word changed", &changed(5, &|row| row["content"][0]["text"] = json!("I do not")));
    case("a role changed", &changed(4, &|row| row["role"] = json!("developer")));
    case("a field more that is no content", &changed(5, &|row| row["brand_new"] = json!(1)));
    let without = |at: usize| {
        let mut rows = copied();
        rows.remove(at);
        rows
    };
    case("the answer missing", &without(5));
    case("the question missing", &without(4));
    case("an event missing", &without(2));
    let mut swapped = copied();
    swapped.swap(4, 5);
    case("swapped", &swapped);
    let mut more = copied();
    more.insert(6, json!({"type": "response_item", "payload": said("assistant", "And more")}));
    case("a foreign record", &more);
    let mut none = copied();
    none.truncate(1);
    case("nothing copied", &none);
    insta::assert_snapshot!("copied", table);
}
