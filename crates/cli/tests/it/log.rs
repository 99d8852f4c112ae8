//! `log` verbs: session logs by themselves, in the workspaces made by hand.

use std::path::Path;

use seatfork_testkit::TestEnv;
use seatfork_testkit::pixir::{Workspace, check_fork, check_warm_start, fold};
use serde_json::{Value, json};

use crate::rig::place;

const SEED: &str = "20260303T080000-aaaaaa";
const WARM: &str = "20260303T100000-cccccc";

/// A place and a workspace, which is named to every verb.
struct Logs {
    env: TestEnv,
    files: Workspace,
}

impl Logs {
    fn of(folder: &str) -> Self {
        let mut env = place();
        let files = Workspace::of(folder);
        env.redactor().path(&files.real(), "WORKSPACE");
        env.set("SEATFORK_WORKSPACE", files.real());
        // No verb of these needs a program.
        env.set("PATH", env.dir("nothing"));
        Self { env, files }
    }

    fn run(&self, args: &[&str]) -> seatfork_testkit::Output {
        self.env.run(["log"].iter().chain(args))
    }

    fn json(&self, args: &[&str], exit: i32) -> Value {
        let all: Vec<_> = args.iter().copied().chain(["--json"]).collect();
        let out = self.run(&all).exits(exit);
        assert_eq!(out.stderr(), "", "{out}");
        let object = out.json();
        assert_eq!(object["schema_version"], 1, "{out}");
        assert_eq!(object["ok"], json!(exit == 0), "{out}");
        object
    }
}

// SPEC 13: show says what a log holds and nothing of what was said in it.
#[test]
fn show_says_what_a_log_holds_and_not_what_was_said() {
    let logs = Logs::of("family");
    let out = logs.run(&["show", SEED, "--events"]).exits(0);
    assert!(!out.stdout().contains("six minutes"), "{out}");
    insta::assert_snapshot!("log__show", out.to_string());
    // Its first line names the workspace, so how many bytes it has differs.
    let warm = logs.run(&["show", WARM]).exits(0);
    let from = "started warm from 20260303T090000-bbbbbb: 6 events; root 20260303T080000-aaaaaa\n";
    assert!(warm.stdout().contains(from), "{warm}");
    let shown = logs.json(&["show", WARM], 0);
    assert_eq!(shown["warm_start"]["warm_started"], true);
    assert_eq!(shown["lineage"]["parent"], "20260303T090000-bbbbbb");
    // A boundary that is not ours governs nothing, and that is said.
    assert_eq!(shown["permission_mode"], Value::Null);
    assert!(shown["posture_unavailable"].as_str().unwrap().contains("boundary_missing"));
    assert_eq!(shown["writer"], "available");
    let torn = Logs::of("torn");
    assert_eq!(torn.json(&["show", "torn-tail"], 0)["reading"]["torn_bytes"], 60);
}

// SPEC 13: the tree in every form; what is damaged is exit 6, what is missing is shown.
#[test]
fn tree_shows_forms_and_findings() {
    let logs = Logs::of("family");
    let mut texts = String::new();
    for args in [
        &["tree"] as &[_],
        &["tree", SEED, "--depth", "1"],
        &["tree", "--format", "mermaid"],
        &["tree", "--format", "dot"],
    ] {
        texts.push_str(&logs.run(args).exits(0).to_string());
    }
    insta::assert_snapshot!("log__tree", texts);
    let tree = logs.json(&["tree"], 0);
    assert_eq!(tree["tree"]["nodes"].as_array().map(Vec::len), Some(6));
    assert_eq!(logs.run(&["tree", "--format", "json"]).exits(0).json(), tree);
    assert_eq!(logs.json(&["tree", "nobody"], 4)["code"], "source-not-found");
    assert_eq!(Logs::of("damaged").json(&["tree"], 6)["ok"], false);
    let cycle = Logs::of("cycle");
    assert!(cycle.run(&["tree"]).exits(6).stdout().contains("(a circle: it leads here)"));
}

// SPEC 13: a fork, planned and made; the child is one by the documented rules.
#[test]
fn fork_plans_and_makes_a_child() {
    let logs = Logs::of("family");
    let before = logs.files.everything();
    let planned = logs.json(&["fork", SEED, "--dry-run", "--to-seq", "99", "--child", "c"], 0);
    assert_eq!(planned["recorded"], false);
    assert_eq!((&planned["requested_to_seq"], &planned["to_seq"]), (&json!(99), &json!(7)));
    assert_eq!(logs.files.everything(), before, "a dry run makes nothing");
    let made = logs.run(&["fork", SEED, "--to-seq", "3", "--summarize", "--child", "c"]).exits(0);
    assert!(
        made.stdout().contains(&format!("c: forked from source session {SEED}, 4 events")),
        "{made}"
    );
    assert!(made.stdout().contains("Next: seatfork log show c"), "{made}");
    assert_eq!(check_fork((&logs.files, SEED), (&logs.files, "c"), Some(3)), [""; 0]);
    // Taken ids and unknown parents: nothing is changed.
    let before = logs.files.everything();
    assert_eq!(logs.json(&["fork", SEED, "--child", "c"], 5)["code"], "child-id-taken");
    assert_eq!(logs.json(&["fork", "nobody"], 4)["code"], "source-not-found");
    assert_eq!(logs.json(&["fork", "../etc"], 2)["code"], "usage");
    assert_eq!(logs.json(&["fork", SEED, "--child", "c.ndjson"], 2)["code"], "usage");
    assert_eq!(logs.files.everything(), before);
    let own = logs.json(&["fork", SEED], 0);
    let child = own["child_session_id"].as_str().unwrap();
    assert_eq!(check_fork((&logs.files, SEED), (&logs.files, child), None), [""; 0]);
}

// SPEC 13: a warm start, with the posture asked for, here and in another workspace.
#[test]
fn seed_makes_a_warm_child_with_its_own_posture() {
    let logs = Logs::of("family");
    let other = Workspace::new();
    let elsewhere = other.real().display().to_string();
    for (child, posture, mode, place) in [
        ("a", "read_only", "read_only", None),
        ("b", "workspace", "auto", Some(&elsewhere)),
        ("c", "ask", "ask", None),
    ] {
        let mut args = vec!["seed", SEED, "--child", child, "--posture", posture];
        args.extend(place.into_iter().flat_map(|dir| ["--child-workspace", dir]));
        let made = logs.json(&args, 0);
        assert_eq!(made["warm_start"]["replay_event_count"], 7);
        assert_eq!(made["boundary_seq"], 8);
        let files = if place.is_some() { &other } else { &logs.files };
        let events = fold(&files.log(child)).unwrap();
        assert_eq!(events[9].text("permission_mode").as_deref(), Some(mode));
        let marker = events[8].text("text").unwrap();
        let wrong = check_warm_start((&logs.files, SEED), (files, child), &marker);
        assert_eq!(wrong, [""; 0]);
    }
    let said = logs.run(&["seed", SEED, "--child", "d"]).exits(0);
    let expected = format!("d: started from prior conversation source {SEED}, 7 events");
    assert!(said.stdout().starts_with(&expected), "{said}");
    let before = logs.files.everything();
    assert_eq!(logs.json(&["seed", SEED, "--dry-run"], 0)["lineage"]["replay_event_count"], 7);
    assert_eq!(logs.json(&["seed", SEED, "--child", "a"], 5)["code"], "child-id-taken");
    drop(logs.run(&["seed", SEED, "--posture", "everything"]).exits(2));
    assert_eq!(logs.files.everything(), before);
}

// SPEC 13: validate says what a child would be given, or what is wrong, with its line and what to do.
// code: source-not-forkable
#[test]
fn validate_finds_what_is_wrong_with_a_seed() {
    let logs = Logs::of("family");
    let fine = logs.run(&["validate", SEED]).exits(0);
    assert!(fine.stdout().contains("a child would be given 7 of 8 events"), "{fine}");
    let damaged = Logs::of("damaged");
    let before = damaged.files.everything();
    for (session, exit, code) in [
        ("seq-null", 6, "source-damaged"),
        ("open-call", 6, "source-not-forkable"),
        ("only-excluded", 6, "source-empty"),
        ("missing-resource", 6, "source-unreadable"),
        ("nobody", 4, "source-not-found"),
    ] {
        let found = damaged.json(&["validate", session], exit);
        assert_eq!(found["code"], code, "{session}");
        assert!(found["hint"].is_string(), "{session}: {found}");
    }
    let call = damaged.json(&["validate", "open-call"], 6);
    assert_eq!((&call["details"]["line"], &call["details"]["whole_at"]), (&json!(3), &json!(1)));
    assert_eq!(damaged.files.everything(), before);
}

// SPEC 13: appending: one event more, a torn tail only after it is asked to be removed, nothing else changed.
#[test]
fn append_adds_one_event_and_mends_only_when_asked() {
    let logs = Logs::of("torn");
    let data = r#"{"text":"go on"}"#;
    let append = |session: &str, more: &[&str]| {
        let args = ["append", session, "--type", "user_message", "--data", data];
        args.into_iter().chain(more.iter().copied()).map(str::to_owned).collect::<Vec<_>>()
    };
    let json = |args: &[String], exit| {
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        logs.json(&args, exit)
    };
    assert_eq!(json(&append("no-newline", &[]), 0)["seq"], 3);
    assert_eq!(fold(&logs.files.log("no-newline")).unwrap().len(), 4);
    let before = logs.files.everything();
    assert_eq!(json(&append("torn-tail", &[]), 1)["details"]["kind"], "torn_tail");
    assert_eq!(json(&append("glued", &[]), 1)["code"], "source-damaged");
    assert_eq!(json(&append("nobody", &[]), 4)["code"], "source-not-found");
    for (kind, data) in [("text_delta", "{}"), ("hologram", "{}"), ("user_message", "[]")] {
        let args = ["append", "no-newline", "--type", kind, "--data", data];
        assert_eq!(logs.json(&args, 2)["code"], "usage", "{kind} {data}");
    }
    assert_eq!(logs.files.everything(), before, "what is refused changes nothing");
    let repaired =
        logs.run(&["append", "torn-tail", "--type", "user_message", "--data", data, "--repair"]);
    let repaired = repaired.exits(0);
    assert!(repaired.stderr().starts_with("removed 60 bytes at "), "{repaired}");
    assert_eq!(fold(&logs.files.log("torn-tail")).unwrap().len(), 4);
    assert_eq!(json(&append("new", &["--create"]), 0)["created"], true);
    assert_eq!(fold(&logs.files.log("new")).unwrap().len(), 1);
}

// SPEC 13: checking changes nothing; a workspace that is not there is the environment's affair.
#[test]
fn verbs_that_look_change_nothing_and_need_a_workspace() {
    let logs = Logs::of("family");
    let before = logs.files.everything();
    for args in
        [&["show", SEED] as &[_], &["tree"], &["validate", SEED], &["fork", SEED, "--dry-run"]]
    {
        drop(logs.run(args).exits(0));
    }
    assert_eq!(logs.files.everything(), before);
    assert!(!Path::new(&logs.env.state_dir()).join("seatfork.db").exists(), "no store is made");
    let gone = logs.json(&["tree", "--workspace", "/nowhere/at/all"], 7);
    assert_eq!(gone["code"], "working-directory-missing");
    let empty = Workspace::new();
    let here = empty.real().display().to_string();
    let none = logs.run(&["tree", "--workspace", &here]).exits(0);
    assert!(none.stdout().starts_with("No session has a log in "), "{none}");
}
