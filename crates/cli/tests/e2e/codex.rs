//! The groups for Codex; what holds for every runtime alike is in the groups themselves.

mod group_1;
mod group_10;
mod group_2;
mod group_3;
mod group_4;
mod group_5;
mod group_6;
mod group_7;
mod group_8;
mod group_9;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use seatfork_testkit::codex::{CodexHome as _, CodexThread, Rollout, history_base, make_parent};
use seatfork_testkit::model_stub::ModelRequest;
use serde_json::{Value, json};

use crate::support::{Place, codex, text};

/// What a person asks a seat first. No question mark: while nothing stands in its prompt, that is a key of Codex.
const QUESTION: &str = "Tell me what you remember of all this";
const PATIENCE: Duration = Duration::from_secs(20);

/// A place with the real Codex and a conversation of so many turns.
fn with_parent(turns: usize) -> (Place, CodexThread) {
    let place = Place::new(&codex());
    let parent = make_parent(&place, &place.work, turns);
    place.stub.forget();
    (place, parent)
}

/// Types a message into a seat's pane; the request the model got for it.
#[track_caller]
fn ask(place: &Place, seat: &str, token: &str) -> ModelRequest {
    // One that is on the screen already would not be waited for.
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let question = format!("{QUESTION}, number {}", ASKED.fetch_add(1, Ordering::Relaxed));
    place.pane(seat).type_line(&question);
    let of_seat = |request: &ModelRequest| {
        request.is_turn()
            && request.session_id() == Some(token)
            && request.body.to_string().contains(&question)
    };
    let seen = place.stub.wait_for(of_seat, PATIENCE);
    seen.unwrap_or_else(|| panic!("no request of {seat}:\n{}", place.pane(seat).screen()))
}

/// Forked and proved, in the report and on disk, read by the rules of the test kit, which shares nothing with the product.
#[track_caller]
fn assert_forked(place: &Place, seat: &Value, parent: &CodexThread) -> Rollout {
    let source = json!({"runtime": "codex", "scope": "", "native_id": parent.id});
    assert_eq!((&seat["source"], &seat["continuity_outcome"]), (&source, &json!("forked")));
    let facts = ["action", "launch_state", "process_state", "error"];
    let expected = [json!("created"), json!("realized"), json!("ready"), json!(null)];
    assert_eq!(facts.map(|fact| seat[fact].clone()), expected, "{seat:#}");
    assert_eq!(seat["proof"]["status"], "proved", "{seat:#}");
    assert!(text(seat, "/proof/grade").starts_with("L3"), "{seat:#}");
    let child = Rollout::read(&place.rollout_of(text(seat, "/token")));
    assert_eq!(child.id, text(seat, "/token"));
    assert_eq!(child.header()["forked_from_id"], json!(parent.id));
    let mark = text(child.header(), "/thread_source");
    assert!(mark.starts_with("seatfork-"), "{mark}");
    child
}

/// The child names the whole of its parent's record as its history, and the proof says that it is by reference.
#[track_caller]
fn assert_by_reference(seat: &Value, child: &Rollout, parent: &CodexThread, bytes: usize) {
    let (id, _, end) = history_base(child.header()).expect("it names its history");
    assert_eq!((id, end), (parent.id.clone(), bytes as u64));
    let proof = seat["proof"].to_string();
    assert!(proof.contains("by reference"), "{seat:#}");
}

/// Whether a process, or one it started, has a file open.
fn holds(pid: u32, path: &Path) -> bool {
    let fds = fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    fds.filter_map(|fd| fs::read_link(fd.unwrap().path()).ok()).any(|to| to == path)
}
