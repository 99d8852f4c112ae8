//! A store that cannot be written between fork and store, for Codex, whose child nobody could name beforehand.

use std::fs;

use serde_json::{Value, json};

use super::with_parent;
use crate::support::{Calls, Files, Kind, Locked, Rig, codes, id_of, seat, text};

// SPEC 7, 10: the store refuses between fork and store: the child's id is said on stderr, in JSON, in a private file; then the launch is finished.
#[test]
fn a_codex_token_that_cannot_be_stored_is_not_lost_and_the_launch_is_finished_later() {
    let (place, parent) = with_parent(2);
    place.rig(&Rig::named("review").of(Kind::Codex).fork("a", &parent.id));
    let source = Files::below([&parent.path]);
    let known = place.conversations();
    let calls = Calls::watch(&place);
    calls.hold();
    let up = place.start(["up", "--json", "work/rig.yaml"]);
    calls.wait_for_made(1);
    let locked = Locked::once_spawned(&place, 1);
    calls.let_go();
    let up = up.wait().exits(1);
    let made: Vec<_> =
        place.conversations().into_iter().filter(|file| !known.contains(file)).collect();
    let [child] = &made[..] else { panic!("{made:?}") };
    let child = id_of(child);
    let report = up.json();
    let a = seat(&report, "a");
    let why = (text(a, "/error/code"), text(a, "/failed_step"));
    assert_eq!(why, ("token-not-stored", "store"), "{a:#}");
    let facts = ["continuity_outcome", "launch_state", "process_state", "token"];
    let expected = [json!(null), json!("forking"), json!("none"), json!(null)];
    assert_eq!(facts.map(|fact| a[fact].clone()), expected, "{a:#}");
    assert!(text(a, "/error/message").contains(&child) && up.stderr().contains(&child), "{up}");
    let rescues: Vec<_> = fs::read_dir(place.state_dir().join("rescue")).unwrap().collect();
    let rescue = fs::read(rescues[0].as_ref().unwrap().path()).unwrap();
    let rescue: Value = serde_json::from_slice(&rescue).unwrap();
    assert_eq!(rescue["child"]["native_id"], json!(child), "{rescue:#}");
    assert!(place.tmux_sessions().is_empty() && calls.panes().is_empty(), "no pane");
    locked.unlock();
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    let a = seat(&report, "a");
    let facts = ["action", "token", "launch_state", "process_state", "attempt"];
    let expected = [json!("created"), json!(child), json!("realized"), json!("ready"), json!(1)];
    assert_eq!(facts.map(|fact| a[fact].clone()), expected, "{a:#}");
    assert!(codes(&a["warnings"]).contains(&"finished-interrupted-launch"), "{a:#}");
    assert_eq!(calls.made().len(), 1, "nothing is forked twice");
    assert_eq!(source.changes(&Files::below([&parent.path])), [""; 0]);
}
