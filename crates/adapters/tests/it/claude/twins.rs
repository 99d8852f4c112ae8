//! Negative twins: every recorded fork, spoilt in every way at every record, is refused.

use super::home::{Home, failed};
use super::made::text;
use super::recorded::{Facts, recordings};
use seatfork_adapters::Evidence;
use seatfork_schema::LaunchCode;
use serde_json::{Value, json};

/// A recorded fork in a home, and its rows to be spoilt.
pub(super) struct Twin {
    pub(super) name: String,
    pub(super) facts: Facts,
    pub(super) home: Home,
    pub(super) evidence: Evidence,
    pub(super) rows: Vec<Value>,
    source: Vec<Value>,
}

pub(super) fn twins() -> Vec<Twin> {
    recordings()
        .into_iter()
        .map(|(name, dir, facts)| {
            let home = Home::new();
            let source = std::fs::read_to_string(dir.join("source.jsonl")).unwrap();
            home.write(&facts.source_id, &source);
            let evidence = home.resolve(&facts.source_id).unwrap();
            let fork = std::fs::read_to_string(dir.join("fork.jsonl")).unwrap();
            let parse =
                |text: &str| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            Twin { name, home, evidence, rows: parse(&fork), source: parse(&source), facts }
        })
        .collect()
}

impl Twin {
    /// The places of the inherited rows.
    pub(super) fn inherited(&self) -> Vec<usize> {
        let is = |row: &Value| {
            row["uuid"]
                .as_str()
                .is_some_and(|uuid| self.facts.inherited.iter().any(|one| one == uuid))
        };
        (0..self.rows.len()).filter(|place| is(&self.rows[*place])).collect()
    }

    pub(super) fn prove(
        &self,
        rows: &[Value],
    ) -> Result<seatfork_schema::Proof, seatfork_adapters::ProveError> {
        let text = text(rows);
        self.home.write(&self.facts.fork_id, text);
        self.home.prove_untouched(Some(&self.evidence), &self.facts.fork_id)
    }

    /// Spoils the rows and returns the code and the words of the refusal.
    pub(super) fn refused(
        &self,
        how: &str,
        spoil: impl FnOnce(&mut Vec<Value>),
    ) -> (LaunchCode, String) {
        let mut rows = self.rows.clone();
        spoil(&mut rows);
        match self.prove(&rows) {
            Ok(proof) => panic!("{}: {how}: proved {proof}", self.name),
            other => failed(other),
        }
    }
}

/// Links every row to the one above it, so that only the order or the set of records tells.
pub(super) fn relink(rows: &mut [Value]) {
    let mut above = Value::Null;
    for row in rows.iter_mut().filter(|row| row["uuid"].is_string()) {
        row["parentUuid"] = above;
        above = row["uuid"].clone();
    }
}

/// Changes the first text of a row's content, wherever it is.
fn change(value: &mut Value) -> bool {
    match value {
        Value::String(text) => {
            text.push('x');
            true
        }
        Value::Array(items) => items.iter_mut().any(change),
        Value::Object(map) => map.iter_mut().any(|(key, inner)| key != "type" && change(inner)),
        _ => false,
    }
}

fn is_hash(text: &str) -> bool {
    text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

// SPEC 8: one changed record is failed, with the field and both hashes, whichever record it is.
#[test]
fn one_changed_record_is_refused_with_both_hashes() {
    for twin in twins().into_iter().step_by(4) {
        for place in twin.inherited() {
            let (code, message) = twin.refused("changed", |rows| {
                let row = &mut rows[place];
                let parts = ["message", "attachment", "content", "subtype"];
                let part = parts.into_iter().find(|part| row.get(part).is_some()).unwrap();
                let part =
                    if part == "message" { &mut row["message"]["content"] } else { &mut row[part] };
                assert!(change(part), "{}", twin.name);
            });
            assert_eq!(code, "proof-failed", "{message}");
            let hashes = message.split([' ', ',']).filter(|word| is_hash(word)).count();
            assert!(message.contains("differs in") && hashes == 2, "{message}");
        }
    }
}

// SPEC 8: one missing record is failed, even where the rows after it were linked past it.
#[test]
fn one_missing_record_is_refused() {
    for twin in twins().into_iter().skip(1).step_by(4) {
        for place in twin.inherited() {
            for linked in [false, true] {
                let (code, message) = twin.refused("missing", |rows| {
                    rows.remove(place);
                    if linked {
                        relink(rows);
                    }
                });
                assert_eq!(code, "proof-failed", "{message}");
                assert!(
                    message.contains("source's history"),
                    "both are named by their hashes: {message}"
                );
            }
        }
    }
}

// SPEC 8: two swapped records are failed, even where the links were made to fit. Answers to calls made in parallel
// have no order of their own against each other's calls: there the versions differ (see `companions`).
#[test]
fn two_swapped_records_are_refused() {
    for twin in twins().into_iter().filter(|twin| !twin.name.ends_with("parallel-tools")) {
        for pair in twin.inherited().windows(2) {
            let (code, message) = twin.refused("swapped", |rows| {
                rows.swap(pair[0], pair[1]);
                relink(rows);
            });
            assert_eq!(code, "proof-failed", "{message}");
        }
    }
}

// SPEC 8: a record that stands twice, a stranger among the inherited, and a record of the source that it does not
// inherit are failed.
#[test]
fn a_record_too_many_is_refused() {
    let mut left_out = 0;
    for twin in twins() {
        let inherited = twin.inherited();
        for place in [inherited[0], inherited[inherited.len() / 2]] {
            let (code, message) = twin.refused("doubled", |rows| {
                let copy = rows[place].clone();
                rows.insert(place + 1, copy);
            });
            assert_eq!(code, "proof-failed");
            assert!(message.contains("twice"), "{message}");
        }
        let at = *inherited.last().unwrap();
        for kind in ["user", "assistant", "system"] {
            let (code, message) = twin.refused("stranger", |rows| {
                let mut row = rows[at].clone();
                row["type"] = json!(kind);
                row["uuid"] = json!("99999999-9999-4999-8999-999999999999");
                row["message"] = json!({"role": kind, "content": "I was never there"});
                rows.insert(at, row);
                relink(rows);
            });
            assert_eq!(code, "proof-failed");
            assert!(message.contains("99999999-9999-4999-8999-999999999999"), "{message}");
        }
        let known: Vec<&str> = twin.facts.inherited.iter().map(String::as_str).collect();
        let outside = twin.source.iter().find(|row| {
            matches!(row["type"].as_str(), Some("user" | "assistant"))
                && row["uuid"].as_str().is_some_and(|uuid| !known.contains(&uuid))
        });
        if let Some(outside) = outside {
            left_out += 1;
            let (code, message) = twin.refused("foreign", |rows| {
                let mut row = outside.clone();
                row["sessionId"] = json!(twin.facts.fork_id);
                rows.insert(at, row);
                relink(rows);
            });
            assert_eq!(code, "proof-failed");
            assert!(message.contains("no part of the source's effective history"), "{message}");
        }
    }
    assert!(left_out >= 15, "most recordings leave something out");
}

// SPEC 8: an unknown difference names the field and the runtime's version, and is never waved through.
#[test]
fn an_unknown_difference_is_named_with_field_and_version() {
    for twin in twins() {
        let place = twin.inherited()[0];
        for (field, value) in
            [("brandNew", json!({"a": 1})), ("timestamp", json!("2020-01-01T00:00:00.000Z"))]
        {
            let (code, message) = twin.refused("unknown", |rows| rows[place][field] = value);
            assert_eq!(code, "proof-unknown-difference", "{message}");
            assert!(message.contains(field) && message.contains(&twin.facts.version), "{message}");
        }
        let (code, _) = twin.refused("left out", |rows| {
            rows[place].as_object_mut().unwrap().remove("timestamp");
        });
        assert_eq!(code, "proof-unknown-difference");
    }
}

// SPEC 8: an empty child, another session's rows, a damaged child and a missing one are failed.
#[test]
fn a_child_that_is_none_is_refused() {
    for twin in twins() {
        let (place, child) = (twin.inherited()[1], twin.facts.fork_id.clone());
        let (code, message) = twin.refused("session", |rows| {
            rows[place]["sessionId"] = json!(twin.facts.source_id);
        });
        assert_eq!(code, "proof-failed");
        assert!(message.contains("belongs to session"), "{message}");
        let untouched = |bytes: &[u8]| {
            twin.home.write(&child, bytes);
            failed(twin.home.prove_untouched(Some(&twin.evidence), &child)).0
        };
        let whole = text(&twin.rows);
        assert_eq!(untouched(b""), "child-empty");
        assert_eq!(untouched(b"{\"type\":\"ai-title\"}\n"), "child-empty");
        assert_eq!(untouched(&whole.as_bytes()[..whole.len() - 20]), "proof-failed");
        assert_eq!(untouched(format!("{whole}garbage\n").as_bytes()), "proof-failed");
        std::fs::remove_file(twin.home.path(super::home::SLUG, &child)).unwrap();
        let (code, _) = failed(twin.home.prove_untouched(Some(&twin.evidence), &child));
        assert_eq!(code, "child-missing");
        let (code, _) = failed(twin.home.prove(Some(&twin.evidence), &child));
        assert_eq!(code, "child-missing");
    }
}

// SPEC 8: before the pane was open nobody has spoken in the child; later on that is no fault.
#[test]
fn what_was_said_afterwards_counts_only_before_the_pane_was_open() {
    for twin in twins() {
        for (kind, content) in
            [("user", json!("go on")), ("assistant", json!([{"type": "text", "text": "ok"}]))]
        {
            let said = json!({
                "type": kind, "uuid": "99999999-9999-4999-8999-999999999999",
                "parentUuid": twin.rows.iter().rev().find_map(|row| row["uuid"].as_str()),
                "sessionId": twin.facts.fork_id, "cwd": super::home::CWD, "isSidechain": false,
                "message": {"role": kind, "content": content, "model": "m", "id": "msg_1"},
            });
            let (code, message) = twin.refused("said", |rows| rows.push(said));
            assert_eq!(code, "proof-failed");
            assert!(message.contains("neither the source nor phase 1"), "{message}");
            assert!(
                twin.home.prove(Some(&twin.evidence), &twin.facts.fork_id).is_ok(),
                "{}",
                twin.name
            );
        }
        let half = {
            let whole = text(&twin.rows);
            format!("{whole}{{\"type\":\"user\",\"mess")
        };
        twin.home.write(&twin.facts.fork_id, half);
        assert!(
            twin.home.prove(Some(&twin.evidence), &twin.facts.fork_id).is_ok(),
            "a live seat is being written"
        );
    }
}

// SPEC 8: a child cut short at any record is failed; so is the history of another source.
#[test]
fn a_child_cut_short_or_of_another_source_is_refused() {
    let twins = twins();
    for twin in &twins {
        let last = *twin.inherited().last().unwrap();
        for length in [last, last / 2 + 1] {
            let (code, _) = twin.refused("cut", |rows| rows.truncate(length));
            assert!(matches!(code, LaunchCode::ProofFailed | LaunchCode::ChildEmpty), "{code}");
        }
    }
    for (twin, other) in twins.iter().zip(twins.iter().cycle().skip(9)) {
        let shared =
            other.facts.inherited.iter().filter(|one| twin.facts.inherited.contains(one)).count();
        if shared == twin.facts.inherited.len() {
            continue;
        }
        let (code, _) = twin.refused("other", |rows| {
            rows.clone_from(&other.rows);
            for row in rows.iter_mut().filter(|row| row["sessionId"].is_string()) {
                row["sessionId"] = json!(twin.facts.fork_id);
            }
        });
        assert_eq!(code, "proof-failed");
    }
}

// SPEC 8: the bytes of the source that were there at the first look are unchanged at the second; growth is said.
// code: source-changed, source-gone
#[test]
fn a_source_that_changed_is_a_finding_and_growth_is_said() {
    let twins = twins();
    let twin = twins.iter().find(|twin| twin.name == "2.1.332 linear").unwrap();
    twin.prove(&twin.rows).unwrap();
    let (source, child) = (&twin.facts.source_id, &twin.facts.fork_id);
    let path = twin.evidence.path.clone();
    let bytes = std::fs::read(&path).unwrap();
    let look = || twin.home.prove_untouched(Some(&twin.evidence), child);
    let in_place = |bytes: &[u8]| {
        use std::io::Write;
        let mut file = std::fs::OpenOptions::new().write(true).truncate(true).open(&path).unwrap();
        file.write_all(bytes).unwrap();
    };

    let more = format!(
        "{{\"type\":\"user\",\"uuid\":\"99999999-9999-4999-8999-999999999999\",\"parentUuid\":{:?},\"sessionId\":{source:?},\"message\":{{\"role\":\"user\",\"content\":\"later\"}}}}\n",
        twin.evidence.last_record.as_ref().unwrap()
    );
    let grown = [bytes.as_slice(), more.as_bytes()].concat();
    in_place(&grown);
    assert_eq!(
        look().unwrap().detail,
        format!("content proved 18/18, source is live, grew by {} bytes", more.len())
    );
    in_place(&[grown.as_slice(), b"{\"type\":\"us"].concat());
    assert!(look().unwrap().detail.contains("source is live"), "a row in flight is no damage");

    let mut changed = bytes.clone();
    let at = bytes.len() / 2;
    changed[at] = if changed[at] == b'a' { b'b' } else { b'a' };
    for spoilt in [&changed[..], &bytes[..bytes.len() - 1], b""] {
        in_place(spoilt);
        let (code, message) = failed(look());
        assert_eq!(code, "source-changed", "{message}");
        let (code, _) = failed(twin.home.prove(Some(&twin.evidence), child));
        assert_eq!(code, "source-changed");
    }
    in_place(&bytes);
    look().unwrap();
    // The same bytes in another file: a finding at launch, as good as the old one later on.
    std::fs::rename(&path, path.with_extension("old")).unwrap();
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(failed(look()).0, "source-changed");
    twin.home.prove(Some(&twin.evidence), child).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(failed(look()).0, "source-gone");
    std::os::unix::fs::symlink(path.with_extension("old"), &path).unwrap();
    assert_eq!(failed(look()).0, "source-changed", "a link in its place is not followed");
}

// SPEC 8: the child stands in the directory of the seat's cwd and was written there.
#[test]
fn a_child_made_elsewhere_is_refused() {
    let twins = twins();
    let twin = twins.iter().find(|twin| twin.name == "2.1.332 linear").unwrap();
    let (code, message) = twin.refused("cwd", |rows| {
        for row in rows.iter_mut().filter(|row| row["cwd"].is_string()) {
            row["cwd"] = json!("/home/user-project");
        }
    });
    assert_eq!(code, "proof-failed");
    assert!(
        message.contains("/home/user-project"),
        "the slug is the same, the directory is not: {message}"
    );
    twin.prove(&twin.rows).unwrap();
    let child = &twin.facts.fork_id;
    let here = twin.home.path(super::home::SLUG, child);
    let there = twin.home.path("-elsewhere", child);
    std::fs::create_dir_all(there.parent().unwrap()).unwrap();
    std::fs::copy(&here, &there).unwrap();
    let (code, message) = failed(twin.home.prove_untouched(Some(&twin.evidence), child));
    assert_eq!(code, "proof-failed");
    assert!(message.contains("several places"), "{message}");
    std::fs::remove_file(&here).unwrap();
    let (code, message) = failed(twin.home.prove_untouched(Some(&twin.evidence), child));
    assert_eq!(code, "proof-failed");
    assert!(message.contains("-elsewhere"), "{message}");
    let source = failed(twin.home.prove(Some(&twin.evidence), &twin.facts.source_id));
    assert_eq!(source.0, "proof-failed", "the source is not its own child");
}

// SPEC 8: a proof works from the stored evidence alone, read back from text.
#[test]
fn evidence_read_back_from_text_proves_the_same() {
    for twin in twins().into_iter().step_by(7) {
        let first = twin.prove(&twin.rows).unwrap();
        let stored = serde_json::to_string(&twin.evidence).unwrap();
        let back: Evidence = serde_json::from_str(&stored).unwrap();
        assert_eq!(back, twin.evidence);
        let again = twin.home.prove(Some(&back), &twin.facts.fork_id).unwrap();
        assert_eq!(again, first);
    }
}
