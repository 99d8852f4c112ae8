//! A rig's life with the real Claude Code: what runs is left, what is down comes back as itself.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use seatfork_testkit::claude_home::ClaudeHome as _;
use seatfork_testkit::world::Parent;
use serde_json::{Value, json};

use crate::support::{
    Calls, Files, Place, Rig, Runtime, assert_failed_resume, codes, each_version, runs, seat, text,
    timed,
};

const AGENTS: [&str; 2] = ["a", "b"];
const PATIENCE: Duration = Duration::from_secs(20);

/// A rig that is up: a fork, a fresh seat, a shell.
struct Life {
    place: Place,
    calls: Calls,
    parent: Parent,
    source: Files,
    /// The agents' tokens.
    tokens: BTreeMap<&'static str, String>,
}

impl Life {
    fn begun(runtime: &Runtime) -> Self {
        let place = Place::new(runtime);
        let parent = place.make_parent(&place.work, 3);
        let rig = Rig::named("review").fork("a", &parent.id).fresh("b").terminal("shell");
        place.rig(&rig);
        let source = Files::below([&parent.path]);
        let calls = Calls::watch(&place);
        place.stub.forget();
        let (code, report) = timed("  up", || place.up());
        assert_eq!(code, 0, "{report:#}");
        let token = |member| (member, text(seat(&report, member), "/token").to_owned());
        let tokens = AGENTS.map(token).into_iter().collect();
        Self { place, calls, parent, source, tokens }
    }

    /// `up`: the agents are as they were said to be, with the tokens they always had, and nothing was made.
    #[track_caller]
    fn up(&self, action: &str, outcomes: [&str; 2]) -> Value {
        let made = self.calls.made().len();
        let (code, report) = timed("  up", || self.place.up());
        assert_eq!(code, 0, "{report:#}");
        for (member, outcome) in AGENTS.iter().zip(outcomes) {
            let seat = seat(&report, member);
            let facts = ["action", "continuity_outcome", "process_state", "token"];
            let token = &self.tokens[member];
            let expected = [json!(action), json!(outcome), json!("ready"), json!(token)];
            assert_eq!(facts.map(|fact| seat[fact].clone()), expected, "{seat:#}");
        }
        let shell = seat(&report, "shell");
        assert_eq!(
            (&shell["continuity_outcome"], &shell["token"]),
            (&json!("fresh"), &json!(null))
        );
        assert_eq!(self.calls.made().len(), made, "nothing is forked again");
        assert_eq!(self.source.changes(&Files::below([&self.parent.path])), [""; 0]);
        report
    }

    fn pids(&self) -> Vec<u32> {
        ["a", "b", "shell"].map(|member| self.place.pane(member).pid()).into()
    }
}

// SPEC 7: `up` twice is a no-op; down and up, or a lost tmux server, and the conversations come back with their tokens.
#[test]
fn what_runs_is_left_and_what_is_down_comes_back_as_itself() {
    each_version("life", |runtime| {
        let life = Life::begun(runtime);
        twice(&life);
        down_and_up(&life);
        in_use_elsewhere(&life);
        server_killed(&life);
        remembers(&life);
    });
}

fn twice(life: &Life) {
    let (pids, sessions) = (life.pids(), life.place.tmux_sessions());
    let (calls, files) =
        (life.calls.panes().len(), Files::below([life.place.claude_dir().join("projects")]));
    let report = life.up("unchanged", ["forked", "fresh"]);
    assert_eq!(seat(&report, "shell")["action"], "unchanged");
    assert_eq!((life.pids(), life.place.tmux_sessions()), (pids, sessions));
    assert_eq!(life.calls.panes().len(), calls);
    let now = Files::below([life.place.claude_dir().join("projects")]);
    assert_eq!(files.changes(&now), [""; 0]);
    assert!(life.place.stub.model_calls().is_empty(), "nobody spoke");
    let said = life.place.run(["up", "work/rig.yaml"]).exits(0);
    assert!(said.stdout().contains("review: 3 ready. Nothing to do."), "{said}");
}

fn down_and_up(life: &Life) {
    let pids = life.pids();
    let down = life.place.run(["down", "--json", "review"]).exits(0).json();
    for seat in down["seats"].as_array().unwrap() {
        let facts = (&seat["action"], &seat["retired"], &seat["process_state"]);
        assert_eq!(facts, (&json!("stopped"), &json!(false), &json!("exited")), "{seat:#}");
        let member = text(seat, "/seat").split(['-', '@']).nth(1).unwrap();
        let token = life.tokens.get(member);
        assert_eq!(seat["token"], json!(token), "down keeps tokens");
    }
    assert!(pids.iter().all(|pid| !runs(*pid)), "a process goes on");
    assert!(life.place.tmux_sessions().is_empty());
    let report = life.up("resumed", ["resumed", "resumed"]);
    let shell = seat(&report, "shell");
    assert_eq!((&shell["action"], &shell["attempt"]), (&json!("created"), &json!(2)));
    assert_eq!(codes(&shell["warnings"]), ["relaunched-fresh"]);
    // A plain resume: the own token, no fork flag, nothing of a first start.
    for (member, pane) in AGENTS.iter().zip(life.calls.panes().iter().skip(2)) {
        let _ = member;
        assert!(life.tokens.values().any(|token| pane.option("--resume") == Some(token)));
        assert!(!pane.args.iter().any(|arg| arg == "--fork-session" || arg == "--session-id"));
    }
}

/// Another process serves the fork's conversation: refused with its pid, nothing started; the others go on.
fn in_use_elsewhere(life: &Life) {
    drop(life.place.run(["down", "review"]).exits(0));
    let outside = Outside::serve(&life.place, &life.tokens["a"]);
    let panes = life.calls.panes().len();
    let (code, report) = life.place.up();
    assert_eq!(code, 1, "{report:#}");
    let refused = seat(&report, "a");
    assert_failed_resume(refused, "conversation-in-use", &life.tokens["a"]);
    let message = text(refused, "/error/message");
    assert!(message.contains(&format!("process {}", outside.pid)), "{message}");
    assert!(message.contains("nothing was started"), "{message}");
    assert_eq!(seat(&report, "b")["continuity_outcome"], "resumed");
    assert_eq!(life.calls.panes().len(), panes + 1, "only the other one");
    assert!(runs(outside.pid), "who uses it is left alone");
    outside.end(&life.place);
    let (code, report) = life.place.up();
    assert_eq!(code, 0, "{report:#}");
    let back = seat(&report, "a");
    assert_eq!((&back["action"], &back["token"]), (&json!("resumed"), &json!(life.tokens["a"])));
}

fn server_killed(life: &Life) {
    let pids = life.pids();
    drop(life.place.tmux(&["kill-server"]).exits(0));
    let end = Instant::now() + PATIENCE;
    while pids.iter().any(|pid| runs(*pid)) {
        assert!(Instant::now() < end, "a process outlived its terminal");
        thread::sleep(Duration::from_millis(20));
    }
    let (code, ps) = life.place.ps();
    assert_eq!((code, &seat(&ps, "a")["process_state"]), (1, &json!("lost")), "{ps:#}");
    life.up("resumed", ["resumed", "resumed"]);
}

/// After all that the fork still knows what the source knew.
fn remembers(life: &Life) {
    life.place.stub.forget();
    life.place.pane("a").type_line("What do you remember?");
    let token = &life.tokens["a"];
    let of_a = |request: &seatfork_testkit::model_stub::ModelRequest| {
        request.is_turn() && request.session_id() == Some(token)
    };
    let request = life.place.stub.wait_for(of_a, PATIENCE).expect("the fork speaks");
    assert_eq!(request.user_codewords(), life.parent.codewords);
    assert_eq!(life.source.changes(&Files::below([&life.parent.path])), [""; 0]);
}

/// A `claude` that is none of ours, in a terminal of its own.
struct Outside {
    socket: PathBuf,
    pid: u32,
}

impl Outside {
    /// Resumes a conversation outside, as its user might.
    fn serve(place: &Place, id: &str) -> Self {
        let socket = place.root().join("run/outside.sock");
        let mut tmux = place.command("tmux");
        tmux.arg("-S").arg(&socket).args(["-f", "/dev/null", "new-session", "-d"]);
        tmux.args(["-x", "150", "-y", "50"]).arg(&place.runtime.program);
        tmux.args(["--resume", id]).current_dir(&place.work);
        drop(place.finish(tmux, "tmux").exits(0));
        let end = Instant::now() + PATIENCE;
        loop {
            let sessions = place.live_sessions();
            let serves =
                |session: &&Value| session["sessionId"] == id && session["status"] == "idle";
            if let Some(session) = sessions.iter().find(serves) {
                let pid = session["pid"].as_u64().unwrap().try_into().unwrap();
                return Self { socket, pid };
            }
            assert!(Instant::now() < end, "nobody outside came to serve {id}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn end(&self, place: &Place) {
        let mut tmux = place.command("tmux");
        tmux.arg("-S").arg(&self.socket).arg("kill-server");
        drop(place.finish(tmux, "tmux").exits(0));
        let end = Instant::now() + PATIENCE;
        while runs(self.pid) {
            assert!(Instant::now() < end, "it goes on without its terminal");
            thread::sleep(Duration::from_millis(20));
        }
    }
}
