//! The fake Codex, without a terminal and in a pane, by its script.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use seatfork_testkit::{
    Output, TestEnv,
    codex::{CodexHome as _, CodexThread, Rollout, history_base},
    fake::{Act, ChildChange, FakeCodex, Phase, Script, codex::recorded_thread},
};
use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_fake-codex");

/// A fake Codex, a parent of three turns, and where they are.
struct Case {
    env: TestEnv,
    fake: FakeCodex,
    cwd: PathBuf,
    parent: CodexThread,
}

impl Case {
    fn new() -> Self {
        let mut env = TestEnv::new(BINARY);
        let cwd = env.dir("work");
        let fake = FakeCodex::ready(&mut env, Path::new(BINARY));
        let parent = recorded_thread(&env, &cwd, 3);
        Self { env, fake, cwd, parent }
    }

    fn scripted(script: &Script) -> Self {
        let case = Self::new();
        case.fake.script(script);
        case
    }

    fn fork(&self) -> Output {
        let args = ["exec", "fork", &self.parent.id, "--json", "--thread-source", "seatfork-x"];
        self.env.codex(&self.cwd, args)
    }

    /// What one child of this kind looks like.
    fn child(change: ChildChange) -> (Self, Value) {
        let case = Self::scripted(&on(Phase::Fork, Act::Child { change }));
        let said = case.fork().exits(0).json();
        let child = Rollout::read(&case.env.rollout_of(said["thread_id"].as_str().unwrap()));
        let header = child.header().clone();
        (case, header)
    }

    /// The server, asked these things; its answers.
    fn served(&self, asked: &[Value]) -> Vec<Value> {
        let mut server = self.env.command(self.fake.program());
        server.arg("app-server").current_dir(&self.cwd);
        server.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = server.spawn().unwrap();
        let mut input = server.stdin.take().unwrap();
        let mut output = BufReader::new(server.stdout.take().unwrap()).lines();
        let mut answers = Vec::new();
        for (nth, asked) in asked.iter().enumerate() {
            let mut asked = asked.clone();
            asked["id"] = nth.into();
            writeln!(input, "{asked}").unwrap();
            let Some(answer) = output.next() else { break };
            answers.push(serde_json::from_str(&answer.unwrap()).unwrap());
        }
        drop(input);
        server.wait().unwrap();
        answers
    }
}

fn on(phase: Phase, act: Act) -> Script {
    Script::faithful_codex().on(phase, [act])
}

fn ask(method: &str, params: &Value) -> Value {
    json!({"method": method, "params": *params})
}

#[test]
fn a_faithful_fork_names_its_parent_and_where_its_history_ends() {
    let case = Case::new();
    let before = case.parent.bytes();
    let said = case.fork().exits(0).json();
    let id = said["thread_id"].as_str().unwrap();
    let child = Rollout::read(&case.env.rollout_of(id));
    let header = child.header();
    assert_eq!(
        (header["id"].as_str(), header["thread_source"].as_str()),
        (Some(id), Some("seatfork-x"))
    );
    let end = (case.parent.id.clone(), 13, before.len() as u64);
    assert_eq!(history_base(header), Some(end));
    assert_eq!(case.parent.bytes(), before);
    assert_eq!(case.fake.asked(Phase::Fork).len(), 1);
}

#[test]
fn a_server_forks_names_and_injects_and_starts_what_is_on_disk_once_it_is_named() {
    let case = Case::new();
    let mark = "seatfork-y";
    let forked = case.served(&[
        ask("initialize", &json!({})),
        ask("thread/fork", &json!({"threadId": case.parent.id, "threadSource": mark})),
        ask("thread/fork", &json!({"threadId": "01a22c29-0000-7000-8000-000000000000"})),
    ]);
    let child = forked[1]["result"]["thread"]["id"].as_str().unwrap();
    assert_eq!(forked[1]["result"]["thread"]["forkedFromId"], case.parent.id.as_str());
    assert!(forked[2]["error"]["message"].as_str().unwrap().starts_with("no rollout found"));
    let item = json!({"type": "message", "role": "developer",
                      "content": [{"type": "input_text", "text": "NOTICE"}]});
    let named = ask("thread/name/set", &json!({"threadId": child, "name": "seat"}));
    case.served(&[named, ask("thread/inject_items", &json!({"threadId": child, "items": [item]}))]);
    let rollout = Rollout::read(&case.env.rollout_of(child));
    assert_eq!(rollout.header()["thread_source"], mark);
    assert!(rollout.rows.last().unwrap().text.contains("NOTICE"));
    let ordinals: Vec<_> = rollout.rows.iter().map(|row| row.json["ordinal"].as_u64()).collect();
    assert_eq!(ordinals, [Some(13), Some(14), Some(15)]);

    let started = case.served(&[ask("thread/start", &json!({}))]);
    let fresh = started[0]["result"]["thread"]["id"].as_str().unwrap();
    assert!(case.env.rollouts_of(fresh).is_empty(), "nobody named it");
    assert_eq!((case.fake.asked(Phase::Fork).len(), case.fake.asked(Phase::Fresh).len()), (2, 1));
}

#[test]
fn a_script_makes_children_that_are_not_what_they_should_be() {
    let (case, short) = Case::child(ChildChange::MissRecord { at: None });
    let (_, ordinal, end) = history_base(&short).unwrap();
    let bytes = case.parent.bytes();
    let end = usize::try_from(end).unwrap();
    assert_eq!((ordinal, bytes[end - 1]), (12, b'\n'));
    assert!(end < bytes.len());
    let (case, inside) = Case::child(ChildChange::ChangeRecord { at: None });
    let (_, ordinal, end) = history_base(&inside).unwrap();
    assert_eq!((ordinal, end), (13, case.parent.bytes().len() as u64 - 7));
    let (_, empty) = Case::child(ChildChange::Empty);
    assert!(history_base(&empty).is_none() && empty["forked_from_id"].is_null());
    let (case, same) = Case::child(ChildChange::SourceSessionId);
    assert_eq!(same["id"], case.parent.id.as_str());
    let case = Case::new();
    let other = recorded_thread(&case.env, &case.cwd, 1);
    let change = ChildChange::OtherHistory { id: other.id.clone() };
    case.fake.script(&on(Phase::Fork, Act::Child { change }));
    let said = case.fork().exits(0).json();
    let child = Rollout::read(&case.env.rollout_of(said["thread_id"].as_str().unwrap()));
    assert_eq!(history_base(child.header()).unwrap().0, other.id);
    assert_eq!(child.header()["forked_from_id"], case.parent.id.as_str());
}

#[test]
fn a_script_lies_dies_and_answers_with_the_sources_id() {
    let case = Case::scripted(&on(Phase::Fork, Act::LieSuccess));
    let said = case.fork().exits(0).json();
    assert!(case.env.rollouts_of(said["thread_id"].as_str().unwrap()).is_empty());
    let case = Case::scripted(&on(Phase::Fork, Act::AnswerSourceId));
    assert_eq!(case.fork().exits(0).json()["thread_id"], case.parent.id.as_str());
    let case = Case::scripted(&on(Phase::Fork, Act::DieAfterWriting { code: None }));
    assert_eq!(case.fork().status().code(), None);
    assert_eq!(case.env.rollouts().len(), 2);
    let case = Case::scripted(&Script::faithful_codex().without("exec fork"));
    assert!(case.fork().exits(2).stderr().contains("unrecognized subcommand"));
    drop(case.env.codex(&case.cwd, ["exec", "fork", "--help"]).exits(2));
}

#[test]
fn a_pane_holds_the_rollout_and_the_lock_of_what_it_serves() {
    let case = Case::new();
    let socket = case.env.root().join("run/tmux");
    let tmux = |args: &[&str]| {
        let mut tmux = case.env.command("tmux");
        tmux.arg("-S").arg(&socket).args(["-f", "/dev/null"]).args(args);
        case.env.finish(tmux, "tmux").exits(0).stdout().trim().to_owned()
    };
    let program = case.fake.program().to_str().unwrap();
    let cwd = case.cwd.to_str().unwrap();
    let size = ["new-session", "-d", "-s", "p", "-x", "100", "-y", "40", "-c", cwd];
    let resume = [program, "resume", "--no-daemon", "-C", cwd, &case.parent.id];
    tmux(&[&size[..], &resume[..]].concat());
    let until = |what: &str, is: &dyn Fn() -> bool| {
        let end = Instant::now() + Duration::from_secs(10);
        while !is() {
            assert!(Instant::now() < end, "not in time: {what}");
            thread::sleep(Duration::from_millis(20));
        }
    };
    until("its lock", &|| case.env.is_written(&case.parent.id));
    let pid = tmux(&["display-message", "-p", "-t", "p", "#{pane_pid}"]);
    let holds = |path: &Path| {
        let fds = fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
        fds.filter_map(|fd| fs::read_link(fd.unwrap().path()).ok()).any(|to| to == path)
    };
    until("its rollout", &|| holds(&case.parent.path));
    // Another process is told that it is open elsewhere.
    let refused = case.env.codex(&case.cwd, ["exec", "resume", &case.parent.id, "hi"]).exits(1);
    assert!(refused.stderr().contains("already has an active writer"), "{refused}");
    tmux(&["send-keys", "-t", "p", "-l", "hello there"]);
    tmux(&["send-keys", "-t", "p", "Enter"]);
    until("a turn", &|| case.parent.read().text().contains("hello there"));
    tmux(&["send-keys", "-t", "p", "-l", "/new"]);
    tmux(&["send-keys", "-t", "p", "Enter"]);
    until("another conversation", &|| !case.env.is_written(&case.parent.id));
}
