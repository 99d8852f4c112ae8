//! A home that cannot be written, and a disk that is full, under the real Claude Code.

use std::fs;

use seatfork_testkit::claude_home::ClaudeHome as _;
use serde_json::json;

use crate::support::{
    Files, Place, Rig, Room, Runtime, assert_failed, each_version, kept, seat, text, timed,
};

// SPEC 8, 10: a home that cannot be written: Claude says success, seatfork says what is true.
#[test]
fn a_read_only_home_makes_no_seat_whatever_the_runtime_says() {
    each_version("read-only home", |runtime| {
        let (place, source, id) = with_parent(runtime);
        let room = Room::with_read_only(&place, &place.home());
        let up = timed("  up", || room.run(&place, &["up", "--json", "work/rig.yaml"]));
        let report = up.exits(1).json();
        let failed = seat(&report, "a");
        assert!(
            ["child-missing", "phase1-failed"].contains(&text(failed, "/error/code")),
            "{failed:#}"
        );
        let step = text(failed, "/failed_step").to_owned();
        assert_failed(failed, text(failed, "/error/code"), &step);
        assert!(!kept(&place).is_empty(), "its words are kept");
        nothing_was_made(&place, &source, &id);
        drop(room);
        recovers(&place, &source, 2);
    });
}

// SPEC 8, 10: a disk that is full: what is left of the child is named, never deleted, never used.
#[test]
fn a_full_disk_makes_no_seat_and_names_what_is_left() {
    each_version("full disk", |runtime| {
        let (place, _, id) = with_parent(runtime);
        let room = Room::with_disk(&place, &place.claude_dir(), 8 << 10);
        let filler = room.fill(&place.claude_dir());
        let up = timed("  up", || room.run(&place, &["up", "--json", "work/rig.yaml"]));
        let report = up.exits(1).json();
        let failed = seat(&report, "a");
        let step = text(failed, "/failed_step").to_owned();
        assert_failed(failed, text(failed, "/error/code"), &step);
        assert!(kept(&place).iter().any(|(_, bytes)| !bytes.is_empty()), "its words are kept");
        let projects = room.path(&place.project_dir(&place.work));
        let left: Vec<_> = fs::read_dir(&projects)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
            .filter(|path| !path.ends_with(format!("{id}.jsonl")))
            .collect();
        for path in &left {
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(text(failed, "/error/message").contains(name), "{name} in {failed:#}");
        }
        let source_there = room.path(&place.transcript(&place.work, &id));
        assert_eq!(
            fs::read(source_there).unwrap(),
            fs::read(place.transcript(&place.work, &id)).unwrap()
        );
        // Room again: a new attempt under a new id; what was left stays.
        fs::remove_file(filler).unwrap();
        let report = room.run(&place, &["up", "--json", "work/rig.yaml"]).exits(0).json();
        let seat = seat(&report, "a");
        assert_eq!((&seat["continuity_outcome"], &seat["attempt"]), (&json!("forked"), &json!(2)));
        for path in &left {
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(path.exists() && text(seat, "/token") != name);
            assert!(seat["warnings"].to_string().contains(name), "{seat:#}");
        }
    });
}

/// A place with a real parent and a rig that forks it: the parent's bytes, its id.
fn with_parent(runtime: &Runtime) -> (Place, Files, String) {
    let place = Place::new(runtime);
    let parent = place.make_parent(&place.work, 2);
    place.rig(&Rig::named("review").fork("a", &parent.id));
    (place, Files::below([&parent.path]), parent.id)
}

fn nothing_was_made(place: &Place, source: &Files, id: &str) {
    assert_eq!(place.conversations(), [place.transcript(&place.work, id)]);
    assert_eq!(source.changes(&Files::below([place.transcript(&place.work, id)])), [""; 0]);
    assert_eq!(place.tmux_sessions(), [""; 0]);
}

/// With a home that can be written the seat is made, at a new attempt.
fn recovers(place: &Place, source: &Files, attempt: u32) {
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    let seat = seat(&report, "a");
    let facts = (&seat["continuity_outcome"], &seat["attempt"]);
    assert_eq!(facts, (&json!("forked"), &json!(attempt)));
    let id = text(seat, "/source/native_id");
    assert_eq!(source.changes(&Files::below([place.transcript(&place.work, id)])), [""; 0]);
}
