//! The rig that works: two forks, one fresh seat, one terminal.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::time::Duration;

use seatfork_testkit::claude_home::ClaudeHome as _;
use seatfork_testkit::model_stub::ModelRequest;
use seatfork_testkit::transcript::{History, Transcript};
use seatfork_testkit::world::Parent;
use serde_json::{Value, json};

use crate::support::{
    Files, Place, Rig, Runtime, assert_lineage, each_version, newest, runs, seat, text, timed,
    words_of,
};

const TURNS: usize = 40;
const FORKS: [&str; 2] = ["reviewer", "checker"];
const AGENTS: [&str; 3] = ["reviewer", "checker", "scribe"];
const QUESTION: &str = "What do you remember of all this?";
const PATIENCE: Duration = Duration::from_secs(20);

/// The rig come up: where, what it was forked from, what `up` said.
struct Up {
    place: Place,
    parent: Parent,
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

fn up(runtime: &Runtime) -> Up {
    let mut place = Place::new(runtime);
    // What a caller that is an agent itself has about it, and no seat may get.
    place.env_mut().set("CLAUDECODE", "1");
    place.env_mut().set("CLAUDE_CODE_SESSION_ID", "00000000-0000-4000-8000-000000000000");
    let parent = timed("  a parent of 40 turns", || place.make_parent(&place.work, TURNS));
    assert_eq!(parent.codewords.len(), TURNS);
    place.rig(
        &Rig::named("review")
            .fork("reviewer", &parent.id)
            .fork("checker", &parent.id)
            .fresh("scribe")
            .terminal("shell"),
    );
    let known: HashSet<_> = place.conversations().into_iter().collect();
    let source = Files::below([&parent.path]);
    place.stub.forget();
    let (code, report) = timed("  up", || place.up());
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(place.stub.model_calls().len(), 0, "a seat that comes up asks no model");
    let up = Up { place, parent, source, report };
    for path in AGENTS.map(|member| up.place.transcript(&up.place.work, up.token(member))) {
        assert!(path.is_file() && !known.contains(&path), "{} is new", path.display());
    }
    up
}

// SPEC 6, 7, 8, 9, 13, 14: the main job: proved, served, remembered; the source none the wiser.
#[test]
fn two_forks_a_fresh_seat_and_a_terminal_come_up_proved() {
    each_version("two forks, one fresh, one terminal", |runtime| {
        let up = up(runtime);
        outcomes(&up);
        histories_on_disk(&up);
        panes_serve_the_stored_ids(&up);
        up.source_is_unchanged();
        the_forks_remember_and_the_fresh_one_does_not(&up);
        up.source_is_unchanged();
        the_shell_is_a_shell(&up);
        a_rig_comes_up_from_inside_a_seat(&up);
        what_is_told_later(&up);
        down(&up);
        up.source_is_unchanged();
    });
}

fn outcomes(up: &Up) {
    let tokens: BTreeSet<_> = AGENTS.iter().map(|member| up.token(member)).collect();
    assert_eq!(tokens.len(), 3, "all different: {:#}", up.report);
    assert!(!tokens.contains(up.parent.id.as_str()));
    for member in FORKS {
        let seat = seat(&up.report, member);
        let source = json!({"runtime": "claude-code", "scope": "", "native_id": up.parent.id});
        assert_eq!((&seat["source"], &seat["continuity_outcome"]), (&source, &json!("forked")));
        let grade = (&seat["proof"]["grade"], &seat["proof"]["status"]);
        assert_eq!(grade, (&json!("L3"), &json!("proved")));
    }
    let scribe = seat(&up.report, "scribe");
    assert_eq!((&scribe["source"], &scribe["continuity_outcome"]), (&json!(null), &json!("fresh")));
    let shell = seat(&up.report, "shell");
    assert_eq!((&shell["token"], &shell["continuity_outcome"]), (&json!(null), &json!("fresh")));
    for member in AGENTS.iter().chain(&["shell"]) {
        let seat = seat(&up.report, member);
        let facts = ["action", "launch_state", "process_state", "attempt", "error", "warnings"];
        let expected =
            [json!("created"), json!("realized"), json!("ready"), json!(1), json!(null), json!([])];
        assert_eq!(facts.map(|fact| seat[fact].clone()), expected, "{member}");
    }
    for member in AGENTS {
        assert_eq!(seat(&up.report, member)["notice"], "none", "{member}");
    }
}

/// What stands on disk, read by the rules of the test kit, which shares nothing with the product.
fn histories_on_disk(up: &Up) {
    let history = History::of(&up.parent.read()).unwrap();
    let inherited = history.uuids();
    for member in FORKS {
        let child = Transcript::read(&up.place.transcript(&up.place.work, up.token(member)));
        let uuids: Vec<_> = child.conversation().filter_map(|row| row.uuid()).collect();
        assert_eq!(uuids[..inherited.len()], inherited, "{member}");
        let detail = format!("content proved {0}/{0}", inherited.len());
        assert_eq!(text(seat(&up.report, member), "/proof/detail"), detail);
    }
    let fresh =
        fs::read_to_string(up.place.transcript(&up.place.work, up.token("scribe"))).unwrap();
    assert!(up.parent.codewords.iter().all(|word| !fresh.contains(word)));
}

fn panes_serve_the_stored_ids(up: &Up) {
    let sessions = up.place.live_sessions();
    assert_eq!(sessions.len(), AGENTS.len(), "{sessions:#?}");
    for member in AGENTS {
        let (pid, token) = (up.place.pane(member).pid(), up.token(member));
        let of_pane = sessions.iter().find(|session| session["pid"] == pid).unwrap();
        assert_eq!(of_pane["sessionId"], token, "{member}");
        assert_eq!(of_pane["name"], format!("dev-{member}@review"));
        let words = words_of(pid, "cmdline");
        let resumed = words.iter().position(|word| word == "--resume").unwrap();
        assert_eq!(words[resumed + 1], token, "{member}: {words:?}");
        assert!(!words.contains(&"--fork-session".to_owned()), "{words:?}");
        assert!(!words.contains(&up.parent.id), "{words:?}");
        for variable in words_of(pid, "environ") {
            let name = variable.split('=').next().unwrap();
            let passed = ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"].contains(&name);
            assert!(!passed, "{member} has {variable}");
        }
    }
}

fn the_forks_remember_and_the_fresh_one_does_not(up: &Up) {
    for member in AGENTS {
        let request = ask(up, member);
        let heard = if FORKS.contains(&member) { &up.parent.codewords[..] } else { &[] };
        assert_eq!(request.user_codewords(), heard, "{member}");
    }
    let ids: BTreeSet<_> = AGENTS.iter().map(|member| Some(up.token(member))).collect();
    let calls = up.place.stub.model_calls();
    let asked: BTreeSet<_> = calls.iter().map(ModelRequest::session_id).collect();
    assert_eq!(asked, ids, "nobody spoke as the source");
    let source = fs::read_to_string(&up.parent.path).unwrap();
    assert!(!source.contains(QUESTION));
}

/// Types the first message into a seat's pane; the request the model got for it.
fn ask(up: &Up, member: &str) -> ModelRequest {
    up.place.pane(member).type_line(QUESTION);
    let of_seat = |request: &ModelRequest| {
        request.is_turn()
            && request.session_id() == Some(up.token(member))
            && request.body.to_string().contains(QUESTION)
    };
    let seen = up.place.stub.wait_for(of_seat, PATIENCE);
    seen.unwrap_or_else(|| panic!("no request of {member}:\n{}", up.place.pane(member).screen()))
}

fn the_shell_is_a_shell(up: &Up) {
    let shell = up.place.pane("shell");
    shell.type_line("echo the answer is $((6 * 7))");
    shell.wait_for("the answer is 42");
}

/// A seat is nobody's special place: a rig brought up from inside one is a rig like any other.
fn a_rig_comes_up_from_inside_a_seat(up: &Up) {
    up.place.write("work/inner/rig.yaml", Rig::named("inner").terminal("shell").yaml());
    let shell = up.place.pane("dev-shell@review");
    let seatfork = env!("CARGO_BIN_EXE_seatfork");
    shell
        .type_line(&format!("{seatfork} up inner/rig.yaml 2>/dev/null; echo ended as $((0 + $?))"));
    let screen = shell.wait_for("ended as 0");
    assert!(screen.contains("inner: 1 ready."), "{screen}");
    assert_eq!(up.place.tmux_sessions().len(), 5, "all in the one server of ours");
    let (code, ps) = up.place.ps();
    assert_eq!((code, ps["seats"].as_array().map(Vec::len)), (0, Some(5)), "{ps:#}");
    drop(up.place.run(["down", "inner", "--forget"]).exits(0));
}

fn what_is_told_later(up: &Up) {
    let (code, ps) = up.place.ps();
    assert_eq!(code, 0, "{ps:#}");
    for member in AGENTS.iter().chain(&["shell"]) {
        let (now, then) = (seat(&ps, member), seat(&up.report, member));
        for fact in
            ["token", "source", "proof", "notice", "continuity_outcome", "launch_state", "attempt"]
        {
            assert_eq!(now[fact], then[fact], "{fact} of {member}");
        }
        assert_eq!((&now["action"], &now["process_state"]), (&json!("unchanged"), &json!("ready")));
    }
    let verify = up.place.run(["verify", "--json"]).exits(0).json();
    let proved = verify["verified"].as_array().unwrap();
    assert!(proved.iter().all(|one| one["status"] == "proved"), "{verify:#}");
    assert_eq!(proved.iter().filter(|one| one["grade"] == "L3").count(), FORKS.len(), "{verify:#}");
    let lineage = up.place.run(["lineage", "--json"]).exits(0).json();
    assert_lineage(&lineage);
    let edges: BTreeSet<_> = lineage["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| {
            assert_eq!((&edge["parent"], &edge["kind"]), (&json!(up.parent.id), &json!("fork")));
            text(edge, "/child")
        })
        .collect();
    assert_eq!(edges, FORKS.map(|member| up.token(member)).into_iter().collect());
    for node in lineage["nodes"].as_array().unwrap() {
        let own = AGENTS.iter().find(|member| node["native_id"] == up.token(member));
        let seat = own.map(|member| format!("dev-{member}@review"));
        assert_eq!(node["seat"], json!(seat), "the source is nobody's seat: {lineage:#}");
    }
}

fn down(up: &Up) {
    let pids = AGENTS.map(|member| up.place.pane(member).pid());
    drop(up.place.run(["down", "review"]).exits(0));
    for pid in pids {
        assert!(!runs(pid), "{pid} goes on");
    }
    for member in AGENTS {
        assert!(up.place.transcript(&up.place.work, up.token(member)).is_file(), "{member} stays");
    }
}

// SPEC 9, 13: the words of `up` are those of the contract.
#[test]
fn up_says_what_happened_the_state_now_and_the_next_command() {
    let place = Place::new(&newest());
    let parent = place.make_parent(&place.work, 2);
    place.rig(&Rig::named("review").fork("reviewer", &parent.id).fresh("scribe").terminal("shell"));
    let up = timed("up, in words", || place.run(["up", "work/rig.yaml"])).exits(0);
    let records = History::of(&parent.read()).unwrap().rows.len();
    let rows: Vec<Vec<_>> = up
        .stdout()
        .lines()
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    let (_, ps) = place.ps();
    let short = |id: &str| id[..8].to_owned();
    let token = |member| short(text(seat(&ps, member), "/token"));
    assert_eq!(
        rows[0][..6],
        [
            "reviewer",
            "forked",
            &token("reviewer"),
            &format!("from source session {}", short(&parent.id)),
            &format!("content proved {records}/{records}"),
            "ready"
        ]
    );
    assert_eq!(rows[1][..4], ["scribe", "fresh", &token("scribe"), "ready"], "{up}");
    assert_eq!(rows[2][..2], ["shell", "fresh"], "{up}");
    let last = up.stdout().lines().last().unwrap();
    assert_eq!(last, "review: 3 ready. Sources unchanged. Next: seatfork ps review");
}
