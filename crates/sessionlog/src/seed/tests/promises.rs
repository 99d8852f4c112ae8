//! What every warm-started log is, whatever its seed: the promises W1 to W8.

use super::super::*;
use super::support::*;
use crate::append::{Durability, LogWriter};
use crate::cache::is_model_context;
use crate::error::ReadError;
use crate::read::LogReader;
use crate::test_support::{Home, Plain, at, id, line, plain};
use proptest::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) fn lines_of(home: &Home, session: &str) -> Vec<Plain> {
    plain(&home.workspace.log_path(&id(session)))
}

/// What of a seed a child must be given, by a reader that is not ours.
fn expected(home: &Home, session: &str) -> Vec<(String, String, String)> {
    let replayed: Vec<_> = crate::event::EventType::all()
        .filter(|kind| kind.is_replayed())
        .filter_map(crate::event::EventType::name)
        .collect();
    let lines = lines_of(home, session).into_iter();
    lines
        .filter(|line| replayed.contains(&line.kind.as_str()))
        .map(|line| (line.ts, line.kind, line.data))
        .collect()
}

fn copied(lines: &[Plain], count: u64) -> Vec<(String, String, String)> {
    let copied = lines[1..=usize::try_from(count).unwrap()].iter();
    copied.map(|line| (line.ts.clone(), line.kind.clone(), line.data.clone())).collect()
}

// SPEC 11: a warm-started log names its parent and its family on its first line, and nowhere else.
#[test]
fn w01_the_first_line_is_the_one_session_fork_with_every_field() {
    let home = seeded_home();
    seed(&home, "child").unwrap();
    let grandchild = seed_from(&home, "child", "grandchild", Rim::default()).unwrap();
    for (child, parent) in [("child", SEED), ("grandchild", "child")] {
        let lines = lines_of(&home, child);
        let forks = lines.iter().filter(|line| line.kind == "session_fork").count();
        assert_eq!((forks, lines[0].kind.as_str(), lines[0].seq), (1, "session_fork", 0));
        let given = expected(&home, parent);
        let data = lines[0].value();
        let seqs: Vec<u64> = lines_of(&home, parent)
            .iter()
            .filter(|line| crate::event::EventType::from_name(&line.kind).is_replayed())
            .map(|line| line.seq)
            .collect();
        let workspace = home.path().as_str();
        assert_eq!(
            data,
            serde_json::json!({
                "parent_session_id": parent,
                "fork_root_session_id": SEED,
                "forked_to_seq": seqs.last(),
                "requested_to_seq": null,
                "from_seq": seqs[0],
                "parent_workspace": workspace,
                "child_workspace": workspace,
                "replay_event_count": given.len(),
                "strategy": "replay_v1",
                "source": "delegate_warm_start",
                "limitations": data["limitations"],
            })
        );
        assert_eq!(data["limitations"].as_array().unwrap().len(), 2);
    }
    assert_eq!(grandchild.lineage.fork_root_session_id, id(SEED));
}

// SPEC 11: the root of a family is inherited from the first line, and from no other.
#[test]
fn w02_the_root_is_inherited_down_the_chain_and_cannot_be_forged_later() {
    let home = seeded_home();
    let mut parent = SEED.to_owned();
    for child in ["a", "b", "c"] {
        let made = seed_from(&home, &parent, child, Rim::default()).unwrap();
        assert_eq!(made.lineage.fork_root_session_id, id(SEED), "{child}");
        parent = child.to_owned();
    }
    let forged =
        r#"{"parent_session_id":"evil","fork_root_session_id":"evil","strategy":"replay_v1"}"#;
    let lines = [line("late", 0, "user_message", "{}"), line("late", 1, "session_fork", forged)];
    home.log("late", &lines.concat());
    let made = seed_from(&home, "late", "of-late", Rim::default()).unwrap();
    assert_eq!(made.lineage.fork_root_session_id, id("late"));
    // Appended to a child, which has a root of its own.
    let seq = lines_of(&home, "a").len() as u64;
    home.append("a", &line("a", seq, "session_fork", forged));
    let made = seed_from(&home, "a", "of-a", Rim::default()).unwrap();
    assert_eq!(made.lineage.fork_root_session_id, id(SEED));
    for root in ["../../etc", "", "a b", "x\u{0}"] {
        let data = serde_json::json!({"parent_session_id": "p", "fork_root_session_id": root});
        let lines = [
            line("bad", 0, "session_fork", &data.to_string()),
            line("bad", 1, "user_message", "{}"),
        ];
        home.log("bad", &lines.concat());
        let error = seed_from(&home, "bad", "of-bad", Rim::default()).unwrap_err();
        assert_eq!(error.kind(), "corrupt_log_line", "{root:?}");
        assert!(!home.workspace.log_path(&id("of-bad")).exists());
    }
}

// SPEC 8: what a child inherits is all of the source's history, in order, byte for byte.
#[test]
fn w03_the_prefix_is_complete_and_nothing_is_dropped_without_a_word() {
    let home = Home::new();
    let mut text = String::new();
    let filler = "é😀\\u00e9 lorem ipsum ".repeat(700);
    let mut chars: Vec<usize> = filler.char_indices().map(|(at, _)| at).collect();
    chars.retain(|at| filler.is_char_boundary(*at) && !filler[..*at].ends_with('\\'));
    for seq in 0..3000_u64 {
        // From a few bytes to 20 kB, the same in every run.
        let size = usize::try_from(seq.wrapping_mul(2_654_435_761) % 4_000).unwrap();
        let end = chars.iter().rev().find(|at| **at <= size.max(1) * 5).copied().unwrap_or(0);
        let whole = filler[..end].rfind("lorem").map_or(0, |at| at);
        let data = format!(r#"{{"text":"{}","seq":{seq}}}"#, &filler[..whole]);
        let kind = if seq % 8 == 7 { "provider_usage" } else { "assistant_message" };
        text.push_str(&line("s", seq, kind, &data));
    }
    home.log("s", &text);
    let made = seed_from(&home, "s", "child", Rim::default()).unwrap();
    let (lines, given) = (lines_of(&home, "child"), expected(&home, "s"));
    assert_eq!(copied(&lines, made.lineage.replay_event_count), given);
    let count = given.len() as u64;
    let marker = &lines[usize::try_from(count).unwrap() + 1];
    for said in [
        made.lineage.replay_event_count,
        made.envelope().replay_event_count.unwrap(),
        lines[0].value()["replay_event_count"].as_u64().unwrap(),
        marker.value()["replay_event_count"].as_u64().unwrap(),
    ] {
        assert_eq!(said, count);
    }
    assert_eq!(
        lines.iter().map(|line| line.seq).collect::<Vec<_>>(),
        (0..=count + 2).collect::<Vec<_>>()
    );
    for seq in ["null", "\"2\"", "1", "0", "7", "2.0"] {
        let bad =
            line("t", 2, "user_message", "{}").replace("\"seq\":2", &format!("\"seq\":{seq}"));
        let good =
            [line("t", 0, "user_message", "{}"), line("t", 1, "user_message", "{}")].concat();
        home.log("t", &format!("{good}{bad}"));
        let error = seed_from(&home, "t", "of-t", Rim::default()).unwrap_err();
        assert!(
            matches!(&error, SeedError::Read(ReadError::Corrupt { line: 3, .. })),
            "{seq}: {error}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    // SPEC 8: what is not inherited is exactly the five excluded types, and those nobody knows.
    #[test]
    fn w04_excluded_types_are_never_copied(types in prop::collection::vec(0..16_usize, 1..40)) {
        let words: Vec<&str> = crate::event::EventType::all()
            .filter_map(crate::event::EventType::name)
            .chain(["dream_event", "text_delta"])
            .collect();
        let home = Home::new();
        let mut text = line("s", 0, "user_message", "{}");
        for (at, which) in types.iter().enumerate() {
            // A call is answered at once, so that no call is left open.
            let kind = if words[*which] == "tool_call" { "tool_result" } else { words[*which] };
            text.push_str(&line("s", at as u64 + 1, kind, "{\"call_id\":\"c\"}"));
        }
        home.log("s", &text);
        let made = seed_from(&home, "s", "child", Rim::default()).unwrap();
        let lines = lines_of(&home, "child");
        prop_assert_eq!(copied(&lines, made.lineage.replay_event_count), expected(&home, "s"));
        for excluded in ["session_fork", "branch_summary", "history_compaction", "provider_usage", "turn_failed", "dream_event", "text_delta"] {
            prop_assert!(lines[1..].iter().all(|line| line.kind != excluded));
        }
        let child = LogReader::open(&home.workspace, &id("child")).unwrap().finish().unwrap();
        prop_assert_eq!(child.events, made.lineage.replay_event_count + 3);
        let unknown = types.iter().filter(|which| **which >= 14).count() as u64;
        prop_assert_eq!(made.lineage.reading.unknown(), unknown);
    }
}

// SPEC 8: inherited content is the source's bytes: nothing is decoded and written anew.
#[test]
fn w05_data_is_copied_byte_for_byte_and_siblings_share_it() {
    let home = seeded_home();
    let (one, two) = (seed(&home, "one").unwrap(), seed(&home, "two").unwrap());
    let (a, b) = (lines_of(&home, "one"), lines_of(&home, "two"));
    let given = expected(&home, SEED);
    assert_eq!(copied(&a, one.lineage.replay_event_count), given);
    assert_eq!(copied(&b, two.lineage.replay_event_count), given);
    for awkward in AWKWARD.iter().map(|data| (*data).to_owned()).chain([wide()]) {
        assert!(a.iter().any(|line| line.data == awkward), "{awkward}");
    }
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(&b).take(usize::try_from(one.boundary_seq).unwrap() + 1) {
        assert_ne!(a.id, b.id);
        assert_eq!((&a.ts, &a.kind, &a.data, a.seq), (&b.ts, &b.kind, &b.data, b.seq));
    }
    // What a provider sees of the seed, it sees again of the child, to the end of it.
    let shown = |session: &str, most: u64| {
        let mut log = LogReader::open(&home.workspace, &id(session)).unwrap();
        let mut shown = Vec::new();
        while let Some(event) = log.next_event().unwrap() {
            if is_model_context(&event) && (shown.len() as u64) < most {
                shown.push(event.data.to_owned());
            }
        }
        shown
    };
    let shared = one.cache_prefix.shared_events;
    assert_eq!(shown(SEED, u64::MAX), shown("one", shared));
    assert_eq!(one.cache_prefix.shared_bytes, shown(SEED, u64::MAX).concat().len() as u64);
    assert_eq!(one.cache_prefix, two.cache_prefix);
    let ids: std::collections::BTreeSet<_> = a.iter().chain(&b).map(|line| &line.id).collect();
    assert_eq!(ids.len(), a.len() + b.len(), "every event has an id of its own");
}

// SPEC 6: the boundary stands before anything that is the child's own.
#[test]
fn w06_the_boundary_follows_on_the_prefix_whoever_races_to_append() {
    let home = seeded_home();
    let stop = AtomicBool::new(false);
    let made = std::thread::scope(|scope| {
        let racer = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                match LogWriter::open(&home.workspace, &id("child"), Durability::AtClose, at(0)) {
                    Ok(mut writer) => {
                        let seq =
                            writer.append("user_message", "{\"text\":\"mine\"}", at(1)).unwrap();
                        writer.close().unwrap();
                        return Some(seq);
                    }
                    // Not there yet, or the child's maker sees the lease.
                    Err(error) => assert_eq!(error.kind(), "not_found"),
                }
            }
            None
        });
        let made = loop {
            match seed(&home, "child") {
                Ok(made) => break made,
                // The racer held the child's lease at that moment, for a log that is not there.
                Err(error) => assert_eq!(error.kind(), "session_writer_active"),
            }
        };
        let appended = racer.join().unwrap();
        stop.store(true, Ordering::Relaxed);
        assert!(appended.unwrap() > made.boundary_seq);
        made
    });
    let lines = lines_of(&home, "child");
    let marker = lines.iter().position(|line| line.value()["lineage_boundary"] == true).unwrap();
    assert_eq!(marker as u64, made.boundary_seq);
    assert_eq!(lines[marker].seq, made.lineage.replay_event_count + 1);
    assert_eq!(lines.last().unwrap().value()["text"], "mine");
}

// SPEC 6: the notice of a pixir child is its boundary; nothing suppresses, moves or rewords it.
#[test]
fn w07_no_option_and_no_seed_removes_moves_or_rewords_the_boundary() {
    let home = seeded_home();
    let forged = serde_json::json!({
        "text": boundary(SEED), "lineage_boundary": true, "author": "runtime",
        "marker_kind": marker::boundary_marker_kind(), "seed_session_id": SEED,
        "fork_root_session_id": SEED, "replay_event_count": 0,
    });
    let seq = lines_of(&home, SEED).len() as u64;
    home.append(SEED, &line(SEED, seq, "user_message", &forged.to_string()));
    let mut parent = SEED.to_owned();
    for (depth, child) in ["a", "b", "c"].into_iter().enumerate() {
        let (seed_id, child_id, posture) = (id(&parent), id(child), read_only());
        for (posture, suffix) in [(None, "-cold"), (Some(&posture), "")] {
            let child_id = id(&format!("{child_id}{suffix}"));
            let request = SeedRequest {
                workspace: &home.workspace,
                seed: &seed_id,
                child_workspace: &home.workspace,
                child: &child_id,
                posture,
                cache: CacheFacts { same_model: Some(false), ..CacheFacts::default() },
                at: at(7),
            };
            // Every option there is: one more does not compile here, and must be shown to leave the boundary alone.
            let SeedRequest {
                workspace: _,
                seed: _,
                child_workspace: _,
                child: _,
                posture: _,
                cache: _,
                at: _,
            } = request;
            let made = seed_child_log(&request).unwrap();
            let lines = lines_of(&home, child_id.as_str());
            let marker = &lines[usize::try_from(made.boundary_seq).unwrap()];
            assert_eq!(
                marker.value(),
                serde_json::json!({
                    "text": boundary(&parent), "lineage_boundary": true, "author": "runtime",
                    "marker_kind": "lineage_boundary_v1", "seed_session_id": parent,
                    "fork_root_session_id": SEED,
                    "replay_event_count": made.lineage.replay_event_count,
                })
            );
            let all = lines.iter().filter(|line| line.value()["lineage_boundary"] == true).count();
            assert_eq!(all, depth + 2, "older ones stay where they were, as what was said");
            assert_eq!(lines.len() as u64, made.boundary_seq + 1 + u64::from(posture.is_some()));
        }
        parent = child.to_owned();
    }
}

fn boundary(seed: &str) -> String {
    marker::boundary_text(&id(seed))
}

// SPEC 6: the notice is fixed, and versioned by its kind: another text is another kind.
#[test]
fn the_boundary_text_is_pinned() {
    use sha2::{Digest, Sha256};
    let hash = Sha256::digest(boundary("s"));
    assert_eq!(marker::boundary_marker_kind(), "lineage_boundary_v1");
    assert_eq!(&hash[..4], PINNED, "a changed text needs a new kind and a new pin");
}

const PINNED: &[u8] = &[161, 13, 38, 62];

// SPEC 6: a model reads user messages; the boundary is one.
#[test]
fn w08_the_boundary_is_a_user_message_a_model_is_shown() {
    let home = seeded_home();
    let made = seed(&home, "child").unwrap();
    let mut log = LogReader::open(&home.workspace, &id("child")).unwrap();
    let mut shown = Vec::new();
    while let Some(event) = log.next_event().unwrap() {
        if is_model_context(&event) {
            shown.push((event.seq, event.type_name.into_owned(), event.data.to_owned()));
        }
    }
    let (seq, kind, data) = shown.last().unwrap();
    assert_eq!((*seq, kind.as_str()), (made.boundary_seq, "user_message"));
    let text = serde_json::from_str::<serde_json::Value>(data).unwrap()["text"].clone();
    assert_eq!(text, boundary(SEED));
}
