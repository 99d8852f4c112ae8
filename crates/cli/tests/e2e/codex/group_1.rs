//! The rig that works, with both runtimes in it; what a child knows, is told and may do.

mod in_pane;

use std::collections::BTreeSet;

use seatfork_testkit::codex::{CodexHome as _, CodexThread, make_parent};
use seatfork_testkit::model_stub::ModelRequest;
use serde_json::{Value, json};

use super::{ask, assert_by_reference, assert_forked, holds, with_parent};
use crate::support::{
    Files, Kind, Place, Rig, assert_lineage, codex, newest, runs, seat, text, timed, words_of,
};

const TURNS: usize = 40;
const FORKS: [&str; 2] = ["reviewer", "checker"];
const CODEX: [&str; 3] = ["reviewer", "checker", "scribe"];
const ALL: [&str; 5] = ["reviewer", "checker", "scribe", "auditor", "shell"];

/// The rig come up: where, what it was forked from, what `up` said.
struct Up {
    place: Place,
    parent: CodexThread,
    claudes: String,
    source: Files,
    report: Value,
}

impl Up {
    fn token(&self, member: &str) -> &str {
        text(seat(&self.report, member), "/token")
    }

    fn source_is_unchanged(&self) {
        assert_eq!(self.source.changes(&Files::below([&self.parent.path])), [""; 0]);
    }
}

fn up() -> Up {
    let mut place = Place::new(&codex());
    place.add_claude(&newest().program);
    let work = place.work.clone();
    place.trust(&work);
    // What a caller that is an agent itself has about it, and no seat may get.
    place.env_mut().set("CODEX_THREAD_ID", "00000000-0000-4000-8000-000000000001");
    let parent = timed("  a parent of 40 turns", || make_parent(&place, &work, TURNS));
    let claudes = place.make_parent(&work, 2);
    place.rig(
        &Rig::named("both")
            .of(Kind::Codex)
            .fork("reviewer", &parent.id)
            .fork("checker", &parent.id)
            .fresh("scribe")
            .of(Kind::Claude)
            .fork("auditor", &claudes.id)
            .terminal("shell"),
    );
    let source = Files::below([&parent.path]);
    place.stub.forget();
    let (code, report) = timed("  up", || place.up());
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(place.stub.model_calls().len(), 0, "a seat that comes up asks no model");
    Up { place, parent, claudes: claudes.id, source, report }
}

// SPEC 6, 7, 8, 9, 13, 14: the main job with both runtimes in one rig: proved, served, remembered; the sources none the wiser.
#[test]
fn codex_and_claude_seats_come_up_in_one_rig_proved() {
    timed("both runtimes in one rig", || {
        let up = up();
        outcomes(&up);
        panes_serve_the_stored_ids(&up);
        up.source_is_unchanged();
        the_forks_remember_and_the_fresh_one_does_not(&up);
        up.source_is_unchanged();
        what_is_told_later(&up);
        down(&up);
        up.source_is_unchanged();
    });
}

fn outcomes(up: &Up) {
    let tokens: BTreeSet<_> = ALL[..4].iter().map(|member| up.token(member)).collect();
    assert_eq!(tokens.len(), 4, "all different: {:#}", up.report);
    assert!(!tokens.contains(up.parent.id.as_str()));
    let bytes = up.parent.bytes().len();
    for member in FORKS {
        let seat = seat(&up.report, member);
        let child = assert_forked(&up.place, seat, &up.parent);
        assert_by_reference(seat, &child, &up.parent, bytes);
        assert_eq!(seat["notice"], "injected", "{seat:#}");
    }
    let scribe = seat(&up.report, "scribe");
    assert_eq!((&scribe["source"], &scribe["continuity_outcome"]), (&json!(null), &json!("fresh")));
    assert_eq!(scribe["notice"], "none", "a fresh seat has nothing to be told: {scribe:#}");
    let auditor = seat(&up.report, "auditor");
    assert_eq!(auditor["source"]["native_id"], json!(up.claudes));
    assert_eq!(auditor["runtime"], "claude-code");
    for member in ALL {
        let seat = seat(&up.report, member);
        let facts = ["action", "process_state", "attempt", "error"];
        let expected = [json!("created"), json!("ready"), json!(1), json!(null)];
        assert_eq!(facts.map(|fact| seat[fact].clone()), expected, "{seat:#}");
    }
}

fn panes_serve_the_stored_ids(up: &Up) {
    for member in CODEX {
        let (pid, token) = (up.place.pane(member).pid(), up.token(member));
        assert!(holds(pid, &up.place.rollout_of(token)), "{member} holds its rollout");
        assert!(up.place.is_written(token), "{member} is its writer");
        let words = words_of(pid, "cmdline");
        assert!(words.contains(&token.to_owned()), "{words:?}");
        for word in ["resume", "--no-daemon", "-C", "-a", "-s"] {
            assert!(words.contains(&word.to_owned()), "{word} is not in {words:?}");
        }
        assert!(!words.contains(&"fork".to_owned()) && !words.contains(&up.parent.id), "{words:?}");
        let environ = words_of(pid, "environ");
        let markers = environ.iter().filter(|pair| pair.starts_with("CODEX_THREAD_ID="));
        assert_eq!(markers.count(), 0, "{member}");
    }
    let daemon = up.place.codex_dir().join("app-server-daemon/daemon.pid");
    assert!(!daemon.exists(), "no shared server is started");
}

fn the_forks_remember_and_the_fresh_one_does_not(up: &Up) {
    for member in CODEX {
        let request = ask(&up.place, member, up.token(member));
        let heard = if FORKS.contains(&member) { &up.parent.codewords[..] } else { &[] };
        assert_eq!(request.user_codewords(), heard, "{member}");
        let told = told(&request, &format!("dev-{member}@both"));
        assert_eq!(told, FORKS.contains(&member), "{member}: {}", request.body["input"]);
    }
    let calls = up.place.stub.turns();
    let asked: BTreeSet<_> = calls.iter().map(ModelRequest::session_id).collect();
    let ids: BTreeSet<_> = CODEX.iter().map(|member| Some(up.token(member))).collect();
    assert_eq!(asked, ids, "nobody spoke as the source");
}

/// Whether the model is told, after the whole history and before the question, which seat it is.
fn told(request: &ModelRequest, seat: &str) -> bool {
    let items = request.messages();
    let place = |is: &dyn Fn(&Value) -> bool| items.iter().rposition(is);
    let note =
        place(&|item| item["role"] == "developer" && item["content"].to_string().contains(seat));
    let question = place(&|item| item["content"].to_string().contains(super::QUESTION));
    let word =
        place(&|item| item["role"] == "user" && item["content"].to_string().contains("CODEWORD-"));
    note.is_some_and(|note| Some(note) < question && Some(note) > word)
}

fn what_is_told_later(up: &Up) {
    let (code, ps) = up.place.ps();
    assert_eq!(code, 0, "{ps:#}");
    for member in ALL {
        let (now, then) = (seat(&ps, member), seat(&up.report, member));
        for fact in ["token", "source", "proof", "notice", "continuity_outcome", "attempt"] {
            assert_eq!(now[fact], then[fact], "{fact} of {member}");
        }
        assert_eq!((&now["action"], &now["process_state"]), (&json!("unchanged"), &json!("ready")));
    }
    let verify = up.place.run(["verify", "--json"]).exits(0).json();
    let proved = verify["verified"].as_array().unwrap();
    assert!(proved.iter().all(|one| one["status"] == "proved"), "{verify:#}");
    let lineage = up.place.run(["lineage", "--json"]).exits(0).json();
    assert_lineage(&lineage);
    let of_codex = |edge: &&Value| edge["parent"] == json!(up.parent.id) && edge["kind"] == "fork";
    let edges = lineage["edges"].as_array().unwrap();
    let children: BTreeSet<_> =
        edges.iter().filter(of_codex).map(|edge| text(edge, "/child")).collect();
    assert_eq!(children, FORKS.map(|member| up.token(member)).into_iter().collect());
}

fn down(up: &Up) {
    let pids = CODEX.map(|member| up.place.pane(member).pid());
    drop(up.place.run(["down", "both"]).exits(0));
    assert!(pids.iter().all(|pid| !runs(*pid)), "a process goes on");
    for member in CODEX {
        assert!(!up.place.is_written(up.token(member)), "{member} is let go of");
        assert!(up.place.rollout_of(up.token(member)).is_file(), "{member} stays");
    }
}

// SPEC 6 "Permissions": what the source was allowed is not inherited: the model is told the member's policy, and so is the person.
#[test]
fn permissions_come_from_the_member_alone() {
    let place = Place::new(&codex());
    // `exec` never asks and may not write.
    let said = place.codex(&place.work, ["exec", "--json", "--skip-git-repo-check", "CODEWORD-aa"]);
    let first: Value = serde_json::from_str(said.stdout().lines().next().unwrap()).unwrap();
    let parent = text(&first, "/thread_id");
    let policy = |policy: &str| format!("permission_policy: {policy}");
    place.rig(
        &Rig::named("review")
            .of(Kind::Codex)
            .fork("default", parent)
            .fork("locked", parent)
            .with(&policy("builtin:locked"))
            .fork("open", parent)
            .with(&policy("builtin:open"))
            .fresh("fresh"),
    );
    let (code, up) = place.up();
    assert_eq!(code, 0, "{up:#}");
    let (may_ask, never_asks) = ("How to request escalation", "Approval policy is currently never");
    for (member, asks, sandbox, shown) in [
        ("default", may_ask, "workspace-write", "Workspace (Ask for approval)"),
        ("locked", may_ask, "read-only", "Read Only (Ask for approval)"),
        ("open", never_asks, "workspace-write", "(workspace, never)"),
        ("fresh", may_ask, "workspace-write", "Workspace (Ask for approval)"),
    ] {
        let pane = place.pane(member);
        pane.type_line("/status");
        let screen = pane.wait_for("Permissions:");
        let permissions = screen.lines().find(|line| line.contains("Permissions:")).unwrap();
        assert!(
            permissions.to_lowercase().contains(&shown.to_lowercase()),
            "{member}: {permissions}"
        );
        let request = ask(&place, member, text(seat(&up, member), "/token"));
        let instructions: Vec<_> = request
            .messages()
            .iter()
            .filter(|item| item["role"] == "developer")
            .map(|item| item["content"].to_string())
            .filter(|content| content.contains("sandbox_mode"))
            .collect();
        let last = instructions.last().unwrap_or_else(|| panic!("{:#}", request.body["input"]));
        assert!(last.contains(sandbox), "{member}: {sandbox} is not in {last}");
        assert!(last.contains(asks), "{member}: {asks} is not in {last}");
    }
}

// SPEC 9, 13: the words of `up` are those of the contract.
#[test]
fn up_says_that_a_codex_fork_is_proved_by_reference() {
    let (place, parent) = with_parent(2);
    place.rig(&Rig::named("review").of(Kind::Codex).fork("reviewer", &parent.id).fresh("scribe"));
    let up = place.run(["up", "work/rig.yaml"]).exits(0);
    let line = up.stdout().lines().find(|line| line.starts_with("reviewer")).unwrap();
    for words in ["forked", &format!("from source session {}", &parent.id[..8]), "by reference"] {
        assert!(line.contains(words), "{words:?} is not in {line}");
    }
    let last = up.stdout().lines().last().unwrap();
    assert_eq!(last, "review: 2 ready. Sources unchanged. Next: seatfork ps review");
}

// SPEC 8: that a fork lives in its source's record is told wherever forks are shown.
#[test]
fn what_a_codex_fork_depends_on_is_shown_wherever_forks_are() {
    let (place, parent) = with_parent(1);
    place.rig(&Rig::named("review").of(Kind::Codex).fork("reviewer", &parent.id));
    drop(place.run(["up", "work/rig.yaml"]).exits(0));
    for verb in ["ps", "lineage", "verify"] {
        let said = place.run([verb]);
        assert!(said.stdout().contains("by reference"), "{verb}: {said}");
    }
    let said = place.run(["doctor"]);
    let path = parent.path.display();
    let told =
        format!("dev-reviewer@review lives in 1 other record, which must not be deleted: {path};");
    let line = said.stdout().lines().find(|line| line.contains(&told));
    assert!(line.is_some(), "{said}");
}
