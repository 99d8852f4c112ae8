//! Nothing of the user's runs in phase 1 of Codex, and nothing of the caller's gets into a seat.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use seatfork_testkit::codex::{CodexHome as _, Config};
use serde_json::{Value, json};

use super::{PATIENCE, ask, with_parent};
use crate::support::{Call, Calls, Files, Kind, Place, Rig, seat, text, timed};

/// The user's own things, each of which leaves a file when it runs: two MCP servers, hooks, a program that is notified.
struct Markers {
    folder: PathBuf,
}

impl Markers {
    fn set(place: &Place) -> Self {
        let folder = place.dir("markers");
        let script = |name: &str| {
            let text = format!(": >'{}/{name}'; cat >/dev/null", folder.display());
            format!("command = \"/bin/sh\"\nargs = [\"-c\", {}]", Value::from(text))
        };
        let notify = format!("[\"/bin/sh\", \"-c\", \": >'{}/notify'\"]", folder.display());
        // A key of the root stands before every table.
        let config = Config::with_stub(&place.stub.base_url())
            .and(&format!("[mcp_servers.marker]\n{}", script("mcp")))
            .and(&format!("[mcp_servers.\"odd_one-2\"]\n{}", script("mcp-odd")));
        let text = format!("notify = {notify}\n{}", config.toml());
        fs::write(place.codex_dir().join("config.toml"), text).unwrap();
        let hook = |event: &str| {
            let command = format!(": >'{}/{event}'", folder.display());
            json!([{"hooks": [{"type": "command", "command": command}]}])
        };
        let events = ["SessionStart", "UserPromptSubmit", "Stop"];
        let hooks: serde_json::Map<_, _> =
            events.iter().map(|event| ((*event).to_owned(), hook(event))).collect();
        let hooks = json!({"hooks": hooks});
        fs::write(place.codex_dir().join("hooks.json"), hooks.to_string()).unwrap();
        Self { folder }
    }

    /// What has run.
    fn seen(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(&self.folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    fn forget(&self) {
        for mark in self.seen() {
            fs::remove_file(self.folder.join(mark)).unwrap();
        }
    }

    /// Both servers run when the user's own `codex` forks: else that nothing ran would say nothing.
    fn work(&self, place: &Place, source: &str) {
        let args = ["exec", "fork", source, "--json", "--skip-git-repo-check"];
        drop(place.codex(&place.work, args).exits(0));
        let all: BTreeSet<String> = ["mcp", "mcp-odd"].map(str::to_owned).into();
        let end = Instant::now() + PATIENCE;
        while !self.seen().is_superset(&all) {
            assert!(Instant::now() < end, "only {:?} of {all:?} ran", self.seen());
            thread::sleep(Duration::from_millis(50));
        }
        self.forget();
    }
}

// SPEC 6: phase 1 runs no hook and no MCP server, whatever its name, and asks no model; nor for a fresh conversation; and the child lives under the user's own provider.
#[test]
fn nothing_of_the_users_runs_in_phase_1_of_codex() {
    let (place, parent) = with_parent(2);
    let markers = Markers::set(&place);
    timed("  the markers work", || markers.work(&place, &parent.id));
    place.stub.forget();
    let own = [place.codex_dir().join("config.toml"), place.codex_dir().join("hooks.json")];
    for (member, rig) in [
        ("fork", Rig::named("forks").of(Kind::Codex).fork("fork", &parent.id)),
        ("fresh", Rig::named("fresh").of(Kind::Codex).fresh("fresh")),
    ] {
        place.rig(&rig);
        let before = Files::below(&own);
        // Up to where the token is stored and no pane is open yet.
        let mut up = place.command(env!("CARGO_BIN_EXE_seatfork"));
        up.args(["up", "work/rig.yaml"]).env("SEATFORK_CRASH_AT", "after-realized");
        let ended = place.finish(up, "seatfork");
        assert_eq!(ended.status().code(), None, "{ended}");
        let (_, ps) = place.ps();
        let made = seat(&ps, member);
        assert_eq!(
            (&made["launch_state"], &made["process_state"]),
            (&json!("realized"), &json!("none"))
        );
        // A server or a hook that was started late has had its time.
        thread::sleep(Duration::from_millis(500));
        assert_eq!(markers.seen(), BTreeSet::new(), "{member}: something of the user's ran");
        assert!(place.stub.requests().is_empty(), "{member}: a model was asked");
        assert_eq!(before.changes(&Files::below(&own)), [""; 0]);
        let child = seatfork_testkit::codex::Rollout::read(&place.rollout_of(text(made, "/token")));
        assert_eq!(child.header()["model_provider"], "stub", "{member}");
    }
}

/// What a caller may have about it that no seat gets.
const CALLERS: [(&str, &str); 9] = [
    ("CLAUDECODE", "1"),
    ("CLAUDE_CODE_SESSION_ID", "00000000-0000-4000-8000-000000000000"),
    ("CODEX_THREAD_ID", "00000000-0000-4000-8000-000000000001"),
    ("TMUX", "/tmp/tmux-of-the-caller/default,1,0"),
    ("SEATFORK_NONCE", "of-the-caller"),
    ("SEATFORK_SECRET", "x"),
    ("GITHUB_TOKEN", "ghp_0123456789abcdef0123"),
    ("NODE_OPTIONS", "--no-warnings"),
    ("LD_LIBRARY_PATH", "/nowhere"),
];

// SPEC 14: a Codex seat's environment is built: no session marker of the caller and nothing unlisted, in any phase; the location of its home is the same in each.
#[test]
fn nothing_of_the_callers_reaches_phase_1_or_a_pane_of_codex() {
    let (mut place, parent) = with_parent(1);
    place.rig(&Rig::named("review").of(Kind::Codex).fork("a", &parent.id).fresh("b"));
    let calls = Calls::watch(&place);
    let home = place.codex_dir();
    let env = place.env_mut();
    for (name, value) in CALLERS {
        env.set(name, value);
    }
    env.set("MINE", "of the user");
    env.set("CODEX_HOME", home.clone());
    let up = ["up", "--json", "--pass-env", "MINE", "work/rig.yaml"];
    let report = place.run(up).exits(0).json();
    let (made, panes) = (calls.made(), calls.panes());
    assert_eq!((made.len(), panes.len()), (2, 2), "{report:#}");
    for call in made.iter().chain(&panes) {
        for (name, value) in CALLERS {
            assert_ne!(
                call.env.get(name).map(String::as_str),
                Some(value),
                "{name}: {:?}",
                call.args
            );
        }
        assert_eq!(call.env.get("CODEX_HOME").map(String::as_str), home.to_str());
        assert!(!call.args.join(" ").contains("sk-dummy"), "no value on a command line");
    }
    for call in &made {
        assert!(!call.env.contains_key("OPENAI_API_KEY"), "phase 1 has no key");
        assert!(!call.env.contains_key("MINE"), "what the user adds is for panes");
    }
    for call in &panes {
        assert_eq!(call.env["MINE"], "of the user");
        assert!(call.env.contains_key("OPENAI_API_KEY"), "{:?}", call.env.keys());
    }
    let marks = |calls: &[Call]| {
        calls.iter().map(|call| call.env["SEATFORK_NONCE"].clone()).collect::<BTreeSet<_>>()
    };
    assert_eq!(marks(&made), marks(&panes));
    let request = ask(&place, "a", text(seat(&report, "a"), "/token"));
    assert_eq!(request.user_codewords(), parent.codewords);
}
