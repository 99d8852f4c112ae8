//! A rig's life with the real Codex: what runs is left, what is down comes back as itself.

use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use seatfork_testkit::codex::{CodexHome as _, CodexTalk};
use serde_json::{Value, json};

use super::{PATIENCE, ask, with_parent};
use crate::support::{
    Calls, Files, Kind, Place, Rig, assert_failed_resume, assert_lineage, codes, codex, runs, seat,
    text, timed,
};

const AGENTS: [&str; 2] = ["a", "b"];

/// `up`: the agents are as they were said to be, with the tokens they always had, and nothing was made.
#[track_caller]
fn comes(place: &Place, calls: &Calls, tokens: &[String; 2], action: &str) {
    let made = calls.made().len();
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    for (member, token) in AGENTS.iter().zip(tokens) {
        let seat = seat(&report, member);
        let facts = ["action", "process_state", "token"];
        let expected = [json!(action), json!("ready"), json!(token)];
        assert_eq!(facts.map(|fact| seat[fact].clone()), expected, "{seat:#}");
    }
    assert_eq!(calls.made().len(), made, "nothing is forked again");
}

// SPEC 7: `up` twice is a no-op; down and up, or a lost tmux server, and the conversations come back with their tokens; what another process serves is refused with its pid.
#[test]
fn what_runs_of_codex_is_left_and_what_is_down_comes_back_as_itself() {
    let (place, parent) = with_parent(3);
    place.rig(&Rig::named("review").of(Kind::Codex).fork("a", &parent.id).fresh("b"));
    let source = Files::below([&parent.path]);
    let calls = Calls::watch(&place);
    let (code, report) = timed("  up", || place.up());
    assert_eq!(code, 0, "{report:#}");
    let tokens = AGENTS.map(|member| text(seat(&report, member), "/token").to_owned());
    let pids = || AGENTS.map(|member| place.pane(member).pid());

    let before = pids();
    comes(&place, &calls, &tokens, "unchanged");
    assert_eq!(pids(), before);

    drop(place.run(["down", "review"]).exits(0));
    assert!(before.iter().all(|pid| !runs(*pid)), "a process goes on");
    assert!(tokens.iter().all(|token| !place.is_written(token)), "a writer goes on");
    comes(&place, &calls, &tokens, "resumed");
    for pane in calls.panes().iter().skip(2) {
        assert!(pane.has("resume") && !pane.has("fork"), "{:?}", pane.args);
    }

    drop(place.run(["down", "review"]).exits(0));
    let other = CodexTalk::resume(&place, &place.work, &tokens[0]);
    let (code, report) = place.up();
    assert_eq!(code, 1, "{report:#}");
    let refused = seat(&report, "a");
    assert_failed_resume(refused, "conversation-in-use", &tokens[0]);
    let message = text(refused, "/error/message");
    assert!(message.contains(&format!("process {}", other.pid())), "{message}");
    assert_eq!(seat(&report, "b")["continuity_outcome"], "resumed");
    other.end();
    let (code, report) = place.up();
    assert_eq!((code, &seat(&report, "a")["action"]), (0, &json!("resumed")), "{report:#}");

    let before = pids();
    drop(place.tmux(&["kill-server"]).exits(0));
    let end = Instant::now() + PATIENCE;
    while before.iter().any(|pid| runs(*pid)) {
        assert!(Instant::now() < end, "a process outlived its terminal");
        thread::sleep(Duration::from_millis(20));
    }
    let (code, ps) = place.ps();
    assert_eq!((code, &seat(&ps, "a")["process_state"]), (1, &json!("lost")), "{ps:#}");
    comes(&place, &calls, &tokens, "resumed");
    let request = ask(&place, "a", &tokens[0]);
    assert_eq!(request.user_codewords(), parent.codewords);
    assert_eq!(source.changes(&Files::below([&parent.path])), [""; 0]);
}

// SPEC 6, 7: a fresh seat that is killed before anybody spoke to it comes back as the same conversation, not as another fresh one.
#[test]
fn a_fresh_codex_seat_killed_before_its_first_message_comes_back_as_itself() {
    let place = Place::new(&codex());
    place.rig(&Rig::named("review").of(Kind::Codex).fresh("scribe"));
    let calls = Calls::watch(&place);
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    let token = text(seat(&report, "scribe"), "/token").to_owned();
    let pid = place.pane("scribe").pid();
    let victim = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(victim, Signal::KILL).unwrap();
    place.wait_until("it is dead", || (!runs(pid)).then_some(()));
    let (code, ps) = place.ps();
    let dead = seat(&ps, "scribe");
    assert_eq!((code, &dead["token"]), (1, &json!(token)), "{ps:#}");
    assert_ne!(dead["process_state"], "ready");
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    let back = seat(&report, "scribe");
    let facts = ["action", "token", "process_state", "continuity_outcome"];
    let expected = [json!("resumed"), json!(token), json!("ready"), json!("resumed")];
    assert_eq!(facts.map(|fact| back[fact].clone()), expected, "{back:#}");
    assert_eq!(calls.made().len(), 1, "nothing is made again");
    assert_eq!(ask(&place, "scribe", &token).user_codewords(), [""; 0]);
}

// SPEC 7 "Rotation": `/new` typed in a pane is a finding once the new conversation stands on disk; `up` leaves it; `reconcile --adopt SEAT` takes it over.
#[test]
fn a_codex_seat_whose_pane_began_another_conversation_is_told_left_and_adopted_when_asked() {
    let (place, parent) = with_parent(2);
    place.rig(&Rig::named("review").of(Kind::Codex).fork("a", &parent.id));
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    let token = text(seat(&report, "a"), "/token").to_owned();
    let known = place.rollouts();
    let pane = place.pane("a");
    pane.type_line("/new");
    thread::sleep(Duration::from_millis(500));
    pane.type_line("Remember this instead.");
    let other = place.wait_until("the new conversation is on disk", || {
        let new = place.rollouts().into_iter().find(|file| !known.contains(file));
        new.map(|file| crate::support::id_of(&file))
    });
    assert_ne!(other, token);
    let told = |report: &Value| {
        let a = seat(report, "a");
        assert_eq!(codes(&a["warnings"]), ["serves-another-conversation"], "{a:#}");
        let message = text(&a["warnings"][0], "/message");
        assert!(message.contains(&token) && message.contains(&other), "{message}");
        assert_eq!((&a["token"], &a["action"]), (&json!(token), &json!("unchanged")));
    };
    told(&place.run(["up", "--json", "work/rig.yaml"]).exits(0).json());
    told(&place.run(["ps", "--json"]).exits(6).json());
    let adopted = place.run(["reconcile", "--adopt", "dev-a@review", "--json"]).exits(0).json();
    assert_eq!(adopted["items"][0]["conversation"]["native_id"], json!(other), "{adopted:#}");
    let (code, report) = place.up();
    let a = seat(&report, "a");
    assert_eq!((code, &a["action"], &a["token"]), (0, &json!("unchanged"), &json!(other)), "{a:#}");
    let lineage = place.run(["lineage", "--json"]).exits(0).json();
    assert_lineage(&lineage);
    let nodes = lineage["nodes"].as_array().unwrap();
    let node = nodes.iter().find(|node| node["native_id"] == json!(other)).unwrap();
    assert_eq!(node["created_via"], "rotated", "{lineage:#}");
    drop(place.run(["down", "review"]).exits(0));
    let (code, report) = place.up();
    let back = seat(&report, "a");
    assert_eq!((code, &back["token"], &back["action"]), (0, &json!(other), &json!("resumed")));
    assert_eq!(place.rollouts_of(&token).len(), 1, "the old one stays");
}
