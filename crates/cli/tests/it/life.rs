//! The main job, over a fake runtime and the real store and tmux: forked, left alone, resumed, forgotten.

use std::fs;

use seatfork_testkit::fake::Phase;
use serde_json::json;

use crate::claude::Claude;
use crate::redact::said;
use crate::rig::{Rig, seat};

// SPEC 7, 8, 9, 13: a fork is proved and said as such; a second `up` does nothing; what went down is resumed by its own
// token and never forked again; a forgotten seat forks anew.
// code: remark
#[test]
fn a_fork_is_proved_left_alone_resumed_and_after_forgetting_forked_anew() {
    let claude = Claude::new();
    let before = fs::read(&claude.parent.path).unwrap();
    let rig = Rig::named("review").fork("reviewer", &claude.parent.id);
    claude.rig(&rig.fresh("scribe", ".").shell("shell", "."));
    let mut texts = String::new();
    let mut run = |args: &[&str], code| {
        let output = claude.run(args).exits(code);
        claude.number_tokens();
        texts.push_str(&said(&output));
        output
    };
    drop(run(&["plan", "work/rig.yaml"], 0));
    drop(run(&["up", "work/rig.yaml"], 0));
    drop(run(&["ps"], 0));
    drop(run(&["up", "work/rig.yaml"], 0));
    drop(run(&["plan", "work/rig.yaml"], 0));
    drop(run(&["lineage"], 0));
    drop(run(&["verify"], 0));
    drop(run(&["reconcile"], 0));
    drop(run(&["down"], 0));
    drop(run(&["plan", "work/rig.yaml"], 0));
    drop(run(&["up", "work/rig.yaml"], 0));
    drop(run(&["down", "--forget"], 0));
    drop(run(&["up", "work/rig.yaml"], 0));
    insta::assert_snapshot!("life__fork_fresh_and_shell", texts);
    let forks = claude.fake.asked(Phase::Fork);
    assert_eq!(forks.len(), 2, "once at first, once after forgetting");
    let children: Vec<_> = forks.iter().map(|fork| fork.option("--session-id").unwrap()).collect();
    assert_ne!(children[0], children[1]);
    assert!(!children.contains(&claude.parent.id.as_str()));
    assert!(claude.fake.asked(Phase::Pane).iter().all(|pane| !pane.has("--fork-session")));
    assert_eq!(fs::read(&claude.parent.path).unwrap(), before, "the source is untouched");
}

// SPEC 6: `plan` shows each seat's permission policy as the explicit flags its pane is started with.
#[test]
fn a_plan_shows_the_explicit_permission_flags() {
    let claude = Claude::new();
    for (policy, flags) in [
        ("none", json!(["--permission-mode", "manual"])),
        ("builtin:locked", json!(["--permission-mode", "plan"])),
        ("builtin:open", json!(["--permission-mode", "acceptEdits"])),
    ] {
        let member = format!(
            "{{id: scribe, runtime: claude-code, agent_ref: a.yaml, profile: p, cwd: ., permission_policy: '{policy}'}}"
        );
        claude.rig(&Rig::named("review").member(&member));
        let plan = claude.run(["plan", "--json", "work/rig.yaml"]).exits(0).json();
        assert_eq!(seat(&plan, "scribe")["permission_flags"], flags);
        let words = flags.as_array().unwrap().iter().map(|word| word.as_str().unwrap());
        let line = format!("permission: {policy}, as {};", words.collect::<Vec<_>>().join(" "));
        let text = claude.run(["plan", "work/rig.yaml"]).exits(0);
        assert!(text.stdout().contains(&line), "{text}");
    }
}

// SPEC 13: the tokens of `up`, `ps` and the runtime are one; a resumed seat keeps its own.
#[test]
fn tokens_are_the_childs_own_and_stay() {
    let claude = Claude::new();
    claude.one_fork();
    let up = |action: &str| {
        let seat = seat(&claude.run(["up", "--json", "work/rig.yaml"]).exits(0).json(), "reviewer");
        assert_eq!(seat["action"], action);
        seat
    };
    let created = up("created");
    assert_eq!(created["continuity_outcome"], "forked");
    assert_eq!(created["source"]["native_id"], claude.parent.id.as_str());
    assert_eq!(
        (&created["proof"]["grade"], &created["proof"]["status"]),
        (&json!("L3"), &json!("proved"))
    );
    let token = created["token"].as_str().unwrap().to_owned();
    assert_ne!(token, claude.parent.id);
    let path = claude.parent.path.with_file_name(format!("{token}.jsonl"));
    let child = fs::read_to_string(path).unwrap();
    assert!(claude.codewords().iter().all(|word| child.contains(word)));
    assert_eq!(up("unchanged")["token"], token.as_str());
    let ps = seat(&claude.run(["ps", "--json"]).exits(0).json(), "reviewer");
    assert_eq!((&ps["token"], &ps["process_state"]), (&json!(token), &json!("ready")));
    drop(claude.run(["down"]).exits(0));
    let plan = claude.run(["plan", "--json", "work/rig.yaml"]).exits(0).json();
    assert_eq!(seat(&plan, "reviewer")["act"], "resume");
    let resumed = up("resumed");
    assert_eq!(
        (&resumed["token"], &resumed["continuity_outcome"]),
        (&json!(token), &json!("resumed"))
    );
    assert_eq!(resumed["source"]["native_id"], claude.parent.id.as_str());
    let lineage = claude.run(["lineage", "--json", &token[..8]]).exits(0).json();
    assert_eq!(lineage["edges"][0]["parent"], claude.parent.id.as_str());
    assert_eq!(lineage["edges"][0]["child"], token.as_str());
}

// SPEC 8: a child changed afterwards is refuted, a source that is gone unverifiable; both exit 6.
#[test]
fn verify_says_refuted_and_unverifiable() {
    let claude = Claude::new();
    let gone = claude.another();
    claude.rig(&Rig::named("review").fork("changed", &claude.parent.id).fork("orphaned", &gone.id));
    let up = claude.run(["up", "--json", "work/rig.yaml"]).exits(0).json();
    drop(claude.run(["verify"]).exits(0));
    let token = seat(&up, "changed")["token"].as_str().unwrap().to_owned();
    let child = claude.parent.path.with_file_name(format!("{token}.jsonl"));
    let text = fs::read_to_string(&child).unwrap();
    fs::write(&child, text.replacen(&claude.codewords()[0], "CODEWORD-OTHER", 1)).unwrap();
    fs::remove_file(&gone.path).unwrap();
    claude.number_tokens();
    let verify = claude.run(["verify"]).exits(6);
    insta::assert_snapshot!("life__verify_doubts", said(&verify));
    let json = claude.run(["verify", "--json", "review"]).exits(6).json();
    let statuses: Vec<_> =
        json["verified"].as_array().unwrap().iter().map(|seat| seat["status"].clone()).collect();
    assert_eq!(statuses, [json!("refuted"), json!("unverifiable")]);
    assert_eq!(json["ok"], false);
}

// SPEC 6, 7: what others leave in the same place is never a seat's own: a newer conversation, and a record of an earlier
// process that bore the seat's name and the source's id. And the source may be gone: restoring does not read it.
#[test]
fn nothing_newer_of_anybody_elses_is_taken_for_a_seats_own() {
    let claude = Claude::new();
    claude.one_fork();
    let stale = |id: &str| {
        let record = json!({
            "pid": 1, "sessionId": id, "cwd": claude.work, "startedAt": 1, "procStart": "1", "version": "2.1.332",
            "kind": "interactive", "name": "dev-reviewer@review", "nameSource": "user", "status": "idle",
        });
        claude.write("home/.claude/sessions/1.json", record.to_string());
    };
    stale(&claude.parent.id);
    let token = |outcome: &str| {
        let up = claude.run(["up", "--json", "work/rig.yaml"]).exits(0).json();
        let reviewer = seat(&up, "reviewer");
        assert_eq!(reviewer["continuity_outcome"], outcome, "{reviewer:#}");
        reviewer["token"].as_str().unwrap().to_owned()
    };
    let first = token("forked");
    drop(claude.run(["down"]).exits(0));
    let newer = claude.another();
    stale(&newer.id);
    fs::remove_file(&claude.parent.path).unwrap();
    assert_eq!(token("resumed"), first);
    let panes = claude.fake.asked(Phase::Pane);
    assert!(panes.iter().all(|pane| pane.option("--resume") == Some(&first)), "{panes:#?}");
    assert_eq!(claude.fake.asked(Phase::Fork).len(), 1);
}
