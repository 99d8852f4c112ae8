//! A store that cannot be written between fork and store.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use seatfork_testkit::Output;
use seatfork_testkit::claude_home::ClaudeHome as _;
use serde_json::{Value, json};

use crate::support::{
    Calls, Faked, Files, Locked, Place, Rig, Room, assert_lineage, codes, each_version, kept, seat,
    text, timed,
};

/// A seat whose child was made and whose token could not be stored: what is said of it.
#[track_caller]
fn assert_not_stored(seat: &Value, child: &str) {
    let why = (text(seat, "/error/code"), text(seat, "/failed_step"));
    assert_eq!(why, ("token-not-stored", "store"), "{seat:#}");
    let facts =
        ["action", "continuity_outcome", "launch_state", "process_state", "token", "attach"];
    let expected =
        [json!("failed"), json!(null), json!("forking"), json!("none"), json!(null), json!(null)];
    assert_eq!(facts.map(|fact| seat[fact].clone()), expected, "{seat:#}");
    let message = text(seat, "/error/message");
    assert!(message.contains(child), "the id is not lost: {message}");
    assert!(message.contains("no pane was opened"), "{message}");
}

/// The rescue files of a place.
fn rescues(place: &Place) -> Vec<PathBuf> {
    // None was ever needed.
    let Ok(entries) = fs::read_dir(place.state_dir().join("rescue")) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The one rescue file: private, and it holds the child and its proof.
#[track_caller]
fn assert_rescued(place: &Place, child: &str, source: Option<&str>) -> PathBuf {
    let files = rescues(place);
    let [file] = &files[..] else { panic!("{files:?}") };
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(file.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    let rescue: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert_eq!(rescue["child"]["native_id"], child, "{rescue:#}");
    assert_eq!(rescue["source"]["native_id"], json!(source), "{rescue:#}");
    assert_eq!(rescue["proof"]["status"], "proved", "{rescue:#}");
    file.clone()
}

/// The next `up`: the interrupted launch is finished with the same child, and a further one has nothing to do.
#[track_caller]
fn assert_finished(place: &Place, calls: &Calls, child: &str) {
    let made = calls.made().len();
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    let seat_now = seat(&report, "a");
    let facts = ["action", "token", "launch_state", "process_state", "attempt"];
    let expected = [json!("created"), json!(child), json!("realized"), json!("ready"), json!(1)];
    assert_eq!(facts.map(|fact| seat_now[fact].clone()), expected, "{seat_now:#}");
    assert!(codes(&seat_now["warnings"]).contains(&"finished-interrupted-launch"), "{seat_now:#}");
    assert_eq!(calls.made().len(), made, "nothing is forked twice");
    assert_eq!(calls.panes().len(), 1);
    assert!(rescues(place).is_empty() && kept(place).is_empty());
    let (code, report) = place.up();
    let idle = seat(&report, "a");
    assert_eq!((code, &idle["action"], &idle["token"]), (0, &json!("unchanged"), &json!(child)));
    assert_eq!(calls.made().len(), made);
}

/// `up`, with the store locked while the runtime runs; what it said, and the child's id.
fn up_with_the_store_locked(
    place: &Place,
    calls: &Calls,
    args: &[&str],
) -> (Output, String, Locked) {
    calls.hold();
    let up = place.start(args);
    let call = calls.wait_for_made(1);
    let locked = Locked::once_spawned(place, 1);
    calls.let_go();
    let child = call.option("--session-id").unwrap().to_owned();
    (up.wait().exits(1), child, locked)
}

// SPEC 7, 10: the store refuses between fork and store: said on stderr, in JSON, in a private file; then finished.
#[test]
fn a_token_that_cannot_be_stored_is_not_lost_and_the_launch_is_finished_later() {
    each_version("token not stored", |runtime| {
        let place = Place::new(runtime);
        let parent = place.make_parent(&place.work, 2);
        place.rig(&Rig::named("review").fork("a", &parent.id));
        let source = Files::below([&parent.path]);
        let calls = Calls::watch(&place);
        let (up, child, locked) =
            up_with_the_store_locked(&place, &calls, &["up", "--json", "work/rig.yaml"]);
        let report = up.json();
        assert_not_stored(seat(&report, "a"), &child);
        assert!(text(seat(&report, "a"), "/error/message").contains("L3"), "{report:#}");
        assert!(up.stderr().contains(&child) && up.stderr().contains("L3"), "{up}");
        let file = assert_rescued(&place, &child, Some(&parent.id));
        assert!(text(seat(&report, "a"), "/error/message").contains(file.to_str().unwrap()));
        assert!(place.tmux_sessions().is_empty() && calls.panes().is_empty(), "no pane");
        assert!(place.transcript(&place.work, &child).is_file());
        assert_eq!(source.changes(&Files::below([&parent.path])), [""; 0]);
        told_meanwhile(&place, &child);
        locked.unlock();
        assert_finished(&place, &calls, &child);
        let lineage = place.run(["lineage", "--json"]).exits(0).json();
        assert_lineage(&lineage);
        let [edge] = &lineage["edges"].as_array().unwrap()[..] else { panic!("{lineage:#}") };
        let fork = [json!(parent.id), json!(child), json!("fork")];
        assert_eq!(["parent", "child", "kind"].map(|name| edge[name].clone()), fork);
        let verify = place.run(["verify", "--json"]).exits(0).json();
        assert_eq!(verify["verified"][0]["status"], "proved", "{verify:#}");
        assert_eq!(source.changes(&Files::below([&parent.path])), [""; 0]);
    });
}

/// Who only looks is told as well, while the store still cannot be written.
fn told_meanwhile(place: &Place, child: &str) {
    let (code, ps) = place.ps();
    let seat = seat(&ps, "a");
    assert_eq!((code, &seat["launch_state"], &seat["token"]), (1, &json!("forking"), &json!(null)));
    let doctor = place.run(["doctor", "--json"]).json();
    let checks = doctor["checks"].as_array().unwrap();
    assert!(
        checks.iter().any(|check| check["name"] == "rescue" && check["status"] != "ok"),
        "{doctor:#}"
    );
    let shown = place.run(["reconcile", "--json"]).exits(6).json();
    let items = shown["items"].as_array().unwrap();
    let code =
        |item: &Value| item["code"] == "rescue-file" && item["message"].to_string().contains(child);
    assert!(items.iter().any(code), "{shown:#}");
    assert!(items.iter().any(|item| item["code"] == "interrupted-launch"), "{shown:#}");
}

// SPEC 7: the same in words, for a fresh seat, and finished by `reconcile`; the pane comes with it.
#[test]
fn a_fresh_seat_whose_token_was_not_stored_is_finished_by_reconcile() {
    let place = Faked::new();
    place.rig(&Rig::named("review").fresh("a"));
    let calls = Calls::watch(&place);
    let (up, child, locked) = up_with_the_store_locked(&place, &calls, &["up", "work/rig.yaml"]);
    assert!(up.stderr().contains("token-not-stored") && up.stderr().contains(&child), "{up}");
    assert!(up.stdout().contains("review: 1 failed."), "{up}");
    assert_rescued(&place, &child, None);
    locked.unlock();
    let applied = place.run(["reconcile", "--apply", "--json"]).exits(0).json();
    assert_eq!(applied["applied"], true, "{applied:#}");
    let (code, ps) = place.ps();
    let seat = seat(&ps, "a");
    let facts = ["token", "continuity_outcome", "process_state"];
    let expected = [json!(child), json!("fresh"), json!("ready")];
    assert_eq!((code, facts.map(|fact| seat[fact].clone())), (0, expected));
    assert_eq!((calls.made().len(), calls.panes().len()), (1, 1));
    assert!(rescues(&place).is_empty());
}

// SPEC 7: not even a rescue file can be written: the error says so, and the id is on every stream all the same.
#[test]
fn a_full_disk_under_the_store_loses_no_id_and_is_finished_when_there_is_room() {
    let place = Faked::new();
    place.rig(&place.fork_rig());
    let calls = Calls::watch(&place);
    fs::create_dir(place.state_dir()).unwrap();
    fs::set_permissions(place.state_dir(), fs::Permissions::from_mode(0o700)).unwrap();
    let room = Room::with_disk(&place, &place.state_dir(), 4 << 10);
    calls.hold();
    let up = room.start(&place, &["up", "--json", "work/rig.yaml"]);
    let call = calls.wait_for_made(1);
    let child = call.option("--session-id").unwrap().to_owned();
    // Whether the runtime's process is written down already makes no difference to what must come out.
    thread::sleep(Duration::from_millis(300));
    let filler = room.fill(&place.state_dir());
    calls.let_go();
    let up = up.wait().exits(1);
    let report = up.json();
    let failed = seat(&report, "a");
    assert_not_stored(failed, &child);
    assert!(up.stderr().contains(&child), "{up}");
    let message = text(failed, "/error/message");
    assert!(message.contains("no rescue file could be written either"), "{message}");
    assert!(place.tmux_sessions().is_empty(), "no pane");
    fs::remove_file(filler).unwrap();
    let report = room.run(&place, &["up", "--json", "work/rig.yaml"]).exits(0).json();
    let seat = seat(&report, "a");
    assert_eq!((&seat["token"], &seat["attempt"]), (&json!(child), &json!(1)), "{seat:#}");
    assert!(codes(&seat["warnings"]).contains(&"finished-interrupted-launch"), "{seat:#}");
    assert_eq!(calls.made().len(), 1);
    place.source_is_unchanged();
}

// SPEC 7, 11: a store that cannot be written before the fork: exit 7, nothing was started.
#[test]
fn a_store_that_cannot_be_written_beforehand_stops_everything_before_anything_starts() {
    let place = Faked::new();
    place.rig(&place.fork_rig());
    let calls = Calls::watch(&place);
    // A store is there, made by another rig.
    place.write("other/rig.yaml", Rig::named("other").terminal("shell").yaml());
    drop(place.run(["up", "other/rig.yaml"]).exits(0));
    let locked = Locked::now(&place);
    let locked_out =
        timed("store locked", || place.run(["up", "--json", "work/rig.yaml"]).exits(7));
    assert_nothing_started(&locked_out, &calls, "store-busy");
    locked.unlock();
    let room = Room::with_read_only(&place, &place.state_dir());
    let read_only = room.run(&place, &["up", "--json", "work/rig.yaml"]).exits(7);
    assert_nothing_started(&read_only, &calls, "store-unwritable");
    assert_eq!(place.tmux_sessions().len(), 1, "the other rig's shell");
    drop(room);
    let (code, report) = place.up();
    assert_eq!((code, &seat(&report, "a")["attempt"]), (0, &json!(1)), "{report:#}");
}

fn assert_nothing_started(said: &Output, calls: &Calls, code: &str) {
    let json = said.json();
    assert_eq!((&json["code"], &json["ok"]), (&json!(code), &json!(false)), "{said}");
    assert!(text(&json, "/message").contains("nothing was started"), "{said}");
    assert_eq!((calls.made().len(), calls.panes().len()), (0, 0), "{said}");
}
