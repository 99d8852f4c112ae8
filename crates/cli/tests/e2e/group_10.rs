//! Nothing of the user's runs in phase 1, and nothing of the caller's gets into a seat.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use seatfork_testkit::claude_home::ClaudeHome as _;
use serde_json::{Value, json};

use crate::support::{Call, Calls, Files, Place, Rig, Runtime, each_version, seat, text, timed};

const PATIENCE: Duration = Duration::from_secs(20);

/// The user's own things, each of which leaves a file when it runs: MCP servers and hooks, of the user and of the
/// project. Besides them, command files that take the name of the command phase 1 gives.
struct Markers {
    folder: PathBuf,
}

const HOOKS: [&str; 2] = ["SessionStart", "UserPromptSubmit"];

impl Markers {
    fn set(place: &Place) -> Self {
        let markers = Self { folder: place.dir("markers") };
        let user = markers.servers("user");
        // The file with the answers to the first-run questions holds the user's servers as well.
        let mut answers: Value =
            serde_json::from_slice(&fs::read(place.claude_json()).unwrap()).unwrap();
        answers["mcpServers"] = user;
        fs::write(place.claude_json(), answers.to_string()).unwrap();
        let project = json!({"mcpServers": markers.servers("project")});
        place.write("work/.mcp.json", project.to_string());
        let mut settings = json!({"hooks": markers.hooks("user")});
        place.write("home/.claude/settings.json", settings.to_string());
        // What the user has said yes to for the project, so that nothing waits for an answer.
        settings = json!({"hooks": markers.hooks("project"), "enableAllProjectMcpServers": true});
        place.write("work/.claude/settings.json", settings.to_string());
        place.write(
            "work/.claude/settings.local.json",
            json!({"enabledMcpjsonServers": ["marker-project"]}).to_string(),
        );
        for folder in ["home/.claude", "work/.claude"] {
            place.write(&format!("{folder}/commands/cost.md"), "Say what all this has cost.\n");
        }
        markers
    }

    fn servers(&self, whose: &str) -> Value {
        let script = format!(": >'{}/mcp-{whose}'; cat >/dev/null", self.folder.display());
        json!({format!("marker-{whose}"): {"type": "stdio", "command": "/bin/sh", "args": ["-c", script]}})
    }

    fn hooks(&self, whose: &str) -> Value {
        let hook = |event: &str| {
            let command = format!(": >'{}/{event}-{whose}'", self.folder.display());
            json!([{"hooks": [{"type": "command", "command": command}]}])
        };
        HOOKS
            .into_iter()
            .map(|event| (event.to_owned(), hook(event)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }

    /// What has run.
    fn seen(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(&self.folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// All of it runs when the user's own `claude` does: else that nothing ran would say nothing.
    fn work(&self, place: &Place) {
        place.stub.forget();
        let said = place.claude(&place.work, &["-p", "/cost", "--output-format", "json"]);
        drop(said.exits(0));
        let all: BTreeSet<String> = ["mcp-user", "mcp-project"]
            .map(str::to_owned)
            .into_iter()
            .chain(
                HOOKS
                    .iter()
                    .flat_map(|event| ["user", "project"].map(|who| format!("{event}-{who}"))),
            )
            .collect();
        let end = Instant::now() + PATIENCE;
        while self.seen() != all {
            assert!(Instant::now() < end, "only {:?} of {all:?} ran", self.seen());
            thread::sleep(Duration::from_millis(50));
        }
        let asked = place.stub.model_calls();
        let cost = |text: &str| text.contains("Say what all this has cost.");
        assert!(asked.iter().any(|call| cost(&call.body.to_string())), "cost.md takes /cost");
        for mark in all {
            fs::remove_file(self.folder.join(mark)).unwrap();
        }
        place.stub.forget();
    }
}

// SPEC 6: phase 1 runs no hook, no MCP server, no command file, and asks no model; nor for a fresh conversation.
#[test]
fn nothing_of_the_users_runs_in_phase_1() {
    each_version("markers", |runtime| {
        let place = Place::new(runtime);
        let parent = place.make_parent(&place.work, 2);
        let markers = Markers::set(&place);
        timed("  the markers work", || markers.work(&place));
        let source = Files::below([&parent.path]);
        let own =
            [place.claude_json(), place.home().join(".claude/settings.json"), place.work.clone()];
        for (member, rig) in [
            ("fork", Rig::named("forks").fork("fork", &parent.id)),
            ("fresh", Rig::named("fresh").fresh("fresh")),
        ] {
            place.rig(&rig);
            let before = Files::below(&own);
            // Up to where the token is stored and no pane is open yet.
            timed("  phase 1", || up_to(&place, "after-realized"));
            let (_, ps) = place.ps();
            let made = seat(&ps, member);
            assert_eq!(
                (&made["launch_state"], &made["process_state"]),
                (&json!("realized"), &json!("none"))
            );
            assert!(place.transcript(&place.work, text(made, "/token")).is_file());
            // A server or a hook that was started late has had its time.
            thread::sleep(Duration::from_millis(500));
            assert_eq!(markers.seen(), BTreeSet::new(), "{member}: something of the user's ran");
            assert!(place.stub.requests().is_empty(), "{member}: a model was asked");
            user_files_are_as_they_were(&before, &Files::below(&own), &place);
        }
        assert_eq!(source.changes(&Files::below([&parent.path])), [""; 0]);
    });
}

/// The program keeps counters of its own in its file of answers; all else is the user's.
fn user_files_are_as_they_were(before: &Files, after: &Files, place: &Place) {
    let counters = place.claude_json().display().to_string();
    let changes = before.changes(after);
    assert!(changes.iter().all(|change| change.starts_with(&counters)), "{changes:?}");
}

/// `up` as far as a point.
fn up_to(place: &Place, point: &str) {
    let mut up = place.command(env!("CARGO_BIN_EXE_seatfork"));
    up.args(["up", "work/rig.yaml"]).env("SEATFORK_CRASH_AT", point);
    let ended = place.finish(up, "seatfork");
    assert_eq!(ended.status().code(), None, "{ended}");
}

/// What a caller may have about it that no seat gets.
const CALLERS: [(&str, &str); 14] = [
    ("CLAUDECODE", "1"),
    ("CLAUDE_CODE_SESSION_ID", "00000000-0000-4000-8000-000000000000"),
    ("CLAUDE_CODE_ENTRYPOINT", "cli"),
    ("CODEX_THREAD_ID", "00000000-0000-4000-8000-000000000001"),
    ("TMUX", "/tmp/tmux-of-the-caller/default,1,0"),
    ("TMUX_PANE", "%77"),
    ("TMUX_TMPDIR", "/tmp"),
    ("SEATFORK_NONCE", "of-the-caller"),
    ("SEATFORK_JOBS", "2"),
    ("SEATFORK_SECRET", "x"),
    ("GITHUB_TOKEN", "ghp_0123456789abcdef0123"),
    ("EDITOR", "vi"),
    ("NODE_OPTIONS", "--no-warnings"),
    ("LD_LIBRARY_PATH", "/nowhere"),
];

/// The names every phase may have, by the contract: the base, and the mark.
const BASE: [&str; 11] = [
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TERM",
    "TZ",
    "TMPDIR",
    "SSH_AUTH_SOCK",
    "SEATFORK_NONCE",
];
/// What phase 1 has besides: a dead end in place of a model, a key that is none, no update.
const PHASE_1: [&str; 3] = ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "DISABLE_AUTOUPDATER"];
/// What a pane has besides: what the adapter passes, what the user adds.
const PASSED: [&str; 3] = ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "MINE"];
/// What tmux itself gives to every pane.
const OF_TMUX: [&str; 5] = ["TMUX", "TMUX_PANE", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "PWD"];

// SPEC 14: a seat's environment is built: no session marker of the caller and nothing unlisted, in any phase.
#[test]
fn nothing_of_the_callers_reaches_phase_1_or_a_pane() {
    each_version("environment", environment);
}

fn environment(runtime: &Runtime) {
    let mut place = Place::new(runtime);
    let parent = place.make_parent(&place.work, 1);
    place.rig(&Rig::named("review").fork("a", &parent.id).fresh("b").terminal("shell"));
    let calls = Calls::watch(&place);
    let env = place.env_mut();
    for (name, value) in CALLERS {
        env.set(name, value);
    }
    env.set("LC_MESSAGES", "C");
    env.set("SSH_AUTH_SOCK", "/run/agent");
    env.set("MINE", "of the user");
    let refused = ["up", "--json", "--pass-env", "MINE,CLAUDECODE,TMUX", "work/rig.yaml"];
    let refused = place.run(refused).exits(2).json();
    assert_eq!(refused["details"]["name"], "CLAUDECODE", "asking does not help: {refused:#}");
    let up = ["up", "--json", "--pass-env", "MINE", "work/rig.yaml"];
    let report = place.run(up).exits(0).json();
    let (made, panes) = (calls.made(), calls.panes());
    assert_eq!((made.len(), panes.len()), (2, 2), "{report:#}");
    for call in &made {
        assert_environment(&place, call, &PHASE_1);
        assert!(!call.env.contains_key("MINE"), "what the user adds is for panes: {call:?}");
        let dead_end = call.env["ANTHROPIC_BASE_URL"].as_str();
        assert_eq!(dead_end, "http://127.0.0.1:9", "no model can be reached");
        assert_ne!(
            call.env["ANTHROPIC_API_KEY"],
            place.var("ANTHROPIC_API_KEY").unwrap().to_str().unwrap()
        );
        assert!(!call.args.join(" ").contains("http://"), "no value on a command line");
    }
    for call in &panes {
        let more: Vec<_> = PASSED.into_iter().chain(OF_TMUX).collect();
        assert_environment(&place, call, &more);
        assert_eq!(call.env["MINE"], "of the user");
        assert_eq!(call.env["ANTHROPIC_BASE_URL"], place.stub.base_url());
        let socket = place.root().join("run/seatfork/tmux.sock");
        assert!(call.env["TMUX"].starts_with(socket.to_str().unwrap()), "our own tmux: {call:?}");
    }
    // One mark a launch, in phase 1 and in the pane alike.
    let marks = |calls: &[Call]| {
        calls.iter().map(|call| call.env["SEATFORK_NONCE"].clone()).collect::<BTreeSet<_>>()
    };
    assert_eq!(marks(&made), marks(&panes));
    assert_eq!(marks(&made).len(), 2);
    shell_and_server(&place);
    // A value is shown nowhere and kept nowhere.
    let said = place.run(["plan", "work/rig.yaml", "--pass-env", "MINE"]).exits(0);
    assert!(said.stdout().contains("MINE") && !said.stdout().contains("of the user"), "{said}");
    for file in files_below(&place.state_dir()) {
        let bytes = fs::read(&file).unwrap();
        let holds =
            |value: &str| bytes.windows(value.len()).any(|window| window == value.as_bytes());
        let key = place.var("ANTHROPIC_API_KEY").unwrap().to_str().unwrap();
        assert!(!holds("of the user") && !holds(key), "a value in {}", file.display());
    }
}

#[track_caller]
fn assert_environment(place: &Place, call: &Call, more: &[&str]) {
    for (name, value) in &call.env {
        let listed = BASE.contains(&name.as_str())
            || more.contains(&name.as_str())
            || name.starts_with("LC_")
            || name.starts_with("XDG_");
        assert!(listed, "{name} is listed nowhere: {:?}", call.args);
        let callers = CALLERS.iter().find(|(callers, _)| callers == name);
        assert!(callers.is_none_or(|(_, callers)| callers != value), "{name} is the caller's");
    }
    assert_eq!(call.env["HOME"], place.home().to_str().unwrap());
    for passed in ["PATH", "USER", "LC_MESSAGES", "SSH_AUTH_SOCK", "XDG_STATE_HOME"] {
        assert_eq!(
            call.env.get(passed).map(String::as_str),
            place.var(passed).and_then(|v| v.to_str())
        );
    }
}

/// The shell of a terminal seat and the tmux server have nothing of the caller's either.
fn shell_and_server(place: &Place) {
    let shell = place.pane("shell").pid();
    let server = place.tmux(&["display-message", "-p", "#{pid}"]).exits(0);
    for pid in [shell, server.stdout().trim().parse().unwrap()] {
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap();
        let environ = String::from_utf8_lossy(&environ).into_owned();
        let pairs: Vec<_> = environ.split('\0').filter_map(|pair| pair.split_once('=')).collect();
        for (name, value) in CALLERS {
            assert!(!pairs.contains(&(name, value)), "{name} of the caller in process {pid}");
        }
        let secret = pairs.iter().find(|(name, _)| *name == "ANTHROPIC_API_KEY");
        assert_eq!(secret, None, "a key is for agents alone: process {pid}");
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if path.is_file() {
            files.push(path);
        }
    }
    files
}
