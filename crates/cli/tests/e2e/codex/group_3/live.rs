//! Sources that are being written: forked at one instant, and gone on with by who has them.

use std::fs;

use seatfork_testkit::codex::{CodexHome as _, CodexTalk, CodexThread};
use seatfork_testkit::model_stub::Mode;
use serde_json::json;

use super::super::{PATIENCE, ask, assert_forked, with_parent};
use crate::support::{Kind, Place, Rig, codex, seat, text};

// SPEC 6, 8: a source in the middle of a turn is forked as of one instant; its writer goes on, and its old bytes hold.
#[test]
fn a_codex_source_in_the_middle_of_a_turn_is_forked_and_its_writer_goes_on() {
    let place = Place::new(&codex());
    let mut talk = CodexTalk::start(&place, &place.work);
    talk.turn("Please remember CODEWORD-first");
    place.stub.set_mode(Mode::Hang);
    talk.say("Please remember CODEWORD-busy");
    let busy = |call: &seatfork_testkit::model_stub::ModelRequest| {
        call.user_codewords().contains(&"CODEWORD-busy".to_owned())
    };
    assert!(place.stub.wait_for(busy, PATIENCE).is_some());
    let id = talk.id().to_owned();
    let path = place.rollout_of(&id);
    let old = fs::read(&path).unwrap();
    place.rig(&Rig::named("live").of(Kind::Codex).fork("reviewer", &id));
    let (code, up) = place.up();
    assert_eq!(code, 0, "{up:#}");
    let codewords = vec!["CODEWORD-first".to_owned(), "CODEWORD-busy".to_owned()];
    let parent = CodexThread { id, codewords, path, cwd: place.work.clone() };
    let reviewer = seat(&up, "reviewer");
    assert_forked(&place, reviewer, &parent);
    assert!(place.is_written(&parent.id), "its writer was not disturbed");
    place.stub.set_mode(Mode::Ok);
    talk.answer();
    talk.turn("and CODEWORD-later");
    talk.end();
    let now = parent.bytes();
    assert!(now.starts_with(&old) && now.len() > old.len(), "only appended to");
    let heard = ask(&place, "reviewer", text(reviewer, "/token")).user_codewords();
    assert_eq!(heard, parent.codewords, "what came later is no part of it");
    drop(place.run(["verify"]).exits(0));
}

// SPEC 6, 8, 11: the conversation of a seat that runs is a source like any other; the seat goes on with it, and the line is kept.
#[test]
fn a_codex_seat_that_runs_is_forked_and_goes_on() {
    let (place, parent) = with_parent(2);
    place.rig(&Rig::named("first").of(Kind::Codex).fork("reviewer", &parent.id));
    let (code, first) = place.up();
    assert_eq!(code, 0, "{first:#}");
    let running = text(seat(&first, "reviewer"), "/token");
    ask(&place, "dev-reviewer@first", running);
    let rollout = place.rollout_of(running);
    let own = || fs::read_to_string(&rollout).unwrap();
    place.wait_until("its answer is on disk", || own().contains("task_complete").then_some(()));
    place.rig(&Rig::named("second").of(Kind::Codex).fork("checker", running));
    let (code, second) = place.up();
    assert_eq!(code, 0, "{second:#}");
    let checker = seat(&second, "checker");
    assert_eq!(checker["source"]["native_id"], json!(running));
    let request = ask(&place, "dev-checker@second", text(checker, "/token"));
    assert_eq!(request.user_codewords(), parent.codewords);
    let (code, ps) = place.ps();
    assert_eq!((code, &seat(&ps, "reviewer")["token"]), (0, &json!(running)), "{ps:#}");
    let lineage = place.run(["lineage", "--json"]).exits(0).json();
    let nodes = lineage["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 3, "{lineage:#}");
    assert!(nodes.iter().all(|node| node["root_native_id"] == json!(parent.id)), "{lineage:#}");
}
