//! The fake runtime in a pane of a real tmux.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use seatfork_testkit::{
    TestEnv,
    claude_home::{Answered, ClaudeHome as _, DUMMY_KEY},
    fake::{Act, FakeClaude, Phase, Screen, Script, recorded_parent},
    transcript::Transcript,
    world::Parent,
};

const BINARY: &str = env!("CARGO_BIN_EXE_fake-claude");

struct Pane {
    env: TestEnv,
    fake: FakeClaude,
    cwd: PathBuf,
    parent: Parent,
}

impl Pane {
    fn new(script: &Script) -> Self {
        let mut env = TestEnv::new(BINARY);
        let cwd = env.dir("work");
        let fake = FakeClaude::ready(&mut env, Path::new(BINARY), &[&cwd]);
        fake.script(script);
        let parent = recorded_parent(&env, &cwd, 2);
        Self { env, fake, cwd, parent }
    }

    /// A faithful one, serving its parent.
    fn serving() -> Self {
        let pane = Self::new(&Script::faithful());
        pane.open(&["--resume", &pane.parent.id, "--name", "seat"]);
        pane.until("a live session", || !pane.env.live_sessions().is_empty());
        pane
    }

    fn tmux(&self, args: &[&str]) -> String {
        let mut tmux = self.env.command("tmux");
        tmux.arg("-S").arg(self.env.root().join("run/tmux")).args(["-f", "/dev/null"]).args(args);
        self.env.finish(tmux, "tmux").stdout().to_owned()
    }

    fn open(&self, args: &[&str]) {
        let program = self.fake.program().to_str().unwrap();
        let cwd = self.cwd.to_str().unwrap();
        let start =
            ["new-session", "-d", "-s", "p", "-x", "100", "-y", "40", "-c", cwd, "--", program];
        let start: Vec<_> = start.iter().chain(args).copied().collect();
        let keep = ["set-option", "-g", "remain-on-exit", "on", ";"];
        let all: Vec<_> =
            ["start-server", ";"].iter().chain(&keep).chain(&start).copied().collect();
        self.tmux(&all);
    }

    /// With what has scrolled off: the note that a pane is dead pushes the first line away.
    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-S", "-", "-t", "=p:"])
    }

    fn say(&self, line: &str) {
        self.tmux(&["send-keys", "-t", "=p:", "-l", line]);
        self.tmux(&["send-keys", "-t", "=p:", "Enter"]);
    }

    /// The exit status of the pane's program. tmux (3.3a) sometimes notices the end of the output
    /// and not that of the process; the end of another child makes it look again.
    fn dead_status(&self) -> String {
        let status = || self.tmux(&["display-message", "-p", "-t", "=p:", "#{pane_dead_status}"]);
        self.until("end of the pane", || {
            self.tmux(&["run-shell", "-b", "true"]);
            !status().trim().is_empty()
        });
        status().trim().to_owned()
    }

    fn until(&self, what: &str, holds: impl Fn() -> bool) {
        let end = Instant::now() + Duration::from_secs(15);
        while !holds() {
            assert!(Instant::now() < end, "no {what}: {}", self.screen());
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn served(&self) -> String {
        let sessions = self.env.live_sessions();
        sessions[0]["sessionId"].as_str().unwrap().to_owned()
    }
}

#[test]
fn a_pane_says_which_conversation_it_serves() {
    let pane = Pane::serving();
    let session = &pane.env.live_sessions()[0];
    assert_eq!(session["sessionId"], pane.parent.id.as_str());
    assert_eq!((&session["status"], &session["name"]), (&"idle".into(), &"seat".into()));
    assert_eq!(session["cwd"], pane.cwd.to_str().unwrap());
    let pid = &session["pid"];
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let started = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap();
    assert_eq!(session["procStart"], started);
    assert_eq!(pane.fake.asked(Phase::Pane)[0].pid, u32::try_from(pid.as_u64().unwrap()).unwrap());
    let shown = pane.tmux(&["display-message", "-p", "-t", "=p:", "#{pane_pid}"]);
    assert_eq!(shown.trim(), pid.to_string());
    pane.until("a prompt", || pane.screen().contains('❯'));
}

#[test]
fn what_is_typed_is_appended_to_the_conversation() {
    let pane = Pane::serving();
    pane.say("remember CODEWORD-typed");
    pane.until("an answer", || pane.screen().contains("FAKE-REPLY"));
    let transcript = Transcript::read(&pane.parent.path);
    let last: Vec<_> = transcript.conversation().collect();
    let [.., asked, answered] = &last[..] else { panic!("no turn") };
    assert_eq!(asked.json["message"]["content"], "remember CODEWORD-typed");
    assert_eq!(answered.parent(), asked.uuid());
    assert_eq!(asked.json["entrypoint"], "cli");
    assert_eq!(pane.fake.typed(), "remember CODEWORD-typed\n");
}

#[test]
fn clear_and_resume_typed_inside_rotate_the_conversation() {
    let pane = Pane::serving();
    pane.say("/clear");
    pane.until("another id", || pane.served() != pane.parent.id);
    let cleared = pane.served();
    assert!(pane.env.transcripts_of(&cleared).is_empty());
    pane.say("anew");
    pane.until("its file", || !pane.env.transcripts_of(&cleared).is_empty());
    pane.say(&format!("/resume {}", pane.parent.id));
    pane.until("the old id", || pane.served() == pane.parent.id);
}

#[test]
fn the_record_is_gone_after_an_end_and_stale_after_a_kill() {
    let pane = Pane::serving();
    pane.say("/exit");
    assert_eq!(pane.dead_status(), "0");
    assert!(pane.env.live_sessions().is_empty());

    let pane = Pane::serving();
    pane.tmux(&["kill-session", "-t", "=p:"]);
    let end = Instant::now() + Duration::from_secs(10);
    while !pane.env.live_sessions().is_empty() && Instant::now() < end {
        thread::sleep(Duration::from_millis(20));
    }
    assert!(pane.env.live_sessions().is_empty());

    let pane = Pane::serving();
    let pid = pane.env.live_sessions()[0]["pid"].to_string();
    drop(pane.env.finish(
        {
            let mut kill = pane.env.command("kill");
            kill.args(["-KILL", &pid]);
            kill
        },
        "kill",
    ));
    pane.until("its death", || !Path::new(&format!("/proc/{pid}/exe")).exists());
    assert_eq!(pane.env.live_sessions().len(), 1);
}

#[test]
fn an_unanswered_question_is_asked_and_ends_by_its_default() {
    for (answered, says) in [
        (Answered { onboarding: false, ..Answered::default() }, "Unable to connect"),
        (Answered::default(), "Quick safety check"),
        (Answered { key: false, ..Answered::default() }, "Do you want to use this API key?"),
    ] {
        let mut pane = Pane::new(&Script::faithful());
        let trusted = if answered.key { vec![] } else { vec![pane.cwd.clone()] };
        let onboarding = answered.onboarding;
        pane.env.set("ANTHROPIC_API_KEY", DUMMY_KEY);
        pane.env.answer(&Answered { trusted, ..answered });
        pane.open(&["--resume", &pane.parent.id]);
        pane.until(says, || pane.screen().contains(says));
        assert!(pane.env.live_sessions().is_empty());
        assert_eq!(pane.fake.typed(), "");
        if onboarding {
            pane.tmux(&["send-keys", "-t", "=p:", "x"]);
            pane.until("a key noted", || pane.fake.typed() == "x");
            pane.tmux(&["send-keys", "-t", "=p:", "Enter"]);
        }
        assert_eq!(pane.dead_status(), "1");
        assert!(pane.env.live_sessions().is_empty());
    }
}

#[test]
fn every_scripted_dialog_shows_its_words() {
    for (screen, says) in [
        (Screen::Trust, "Quick safety check"),
        (Screen::ApiKey, "custom API key"),
        (Screen::Login, "Not logged in"),
        (Screen::Bypass, "Bypass Permissions mode"),
        (Screen::Mcp, "New MCP server found"),
        (Screen::Picker, "Resume session"),
        (Screen::Summary, "Resume from summary"),
    ] {
        for version in ["2.1.332", "2.1.197"] {
            let script = Script::faithful().version(version);
            let pane = Pane::new(&script.on(Phase::Pane, [Act::Dialog { screen }]));
            pane.open(&["--resume", &pane.parent.id]);
            pane.until(says, || pane.screen().contains(says));
        }
    }
}

#[test]
fn a_title_in_place_of_an_id_opens_the_list_with_a_record_that_is_not_ready() {
    let pane = Pane::new(&Script::faithful());
    pane.open(&["--resume", "nonsense"]);
    pane.until("the list", || pane.screen().contains("No sessions match"));
    assert!(pane.env.live_sessions()[0]["status"].is_null());
}

#[test]
fn an_unknown_conversation_ends_the_pane() {
    let pane = Pane::new(&Script::faithful());
    pane.open(&["--resume", "33333333-3333-4333-8333-333333333333"]);
    assert_eq!(pane.dead_status(), "1");
    let says = "No conversation found with session ID: 33333333-";
    pane.until(says, || pane.screen().contains(says));
}

#[test]
fn a_pane_does_what_its_script_says() {
    let other = "44444444-4444-4444-8444-444444444444";
    let script = |act| Script::faithful().on(Phase::Pane, [act]);
    let opened = |act| {
        let pane = Pane::new(&script(act));
        pane.open(&["--resume", &pane.parent.id]);
        pane.until("a prompt or an end", || {
            pane.screen().contains('❯') || pane.screen().contains("dead")
        });
        pane
    };
    let pane = opened(Act::DieAfter { ms: 300, code: 3 });
    assert_eq!(pane.dead_status(), "3");
    assert_eq!(opened(Act::Serve { id: other.into() }).served(), other);
    assert!(opened(Act::NoSessionFile).env.live_sessions().is_empty());
    assert_eq!(opened(Act::StaleStart).env.live_sessions()[0]["procStart"], "1");
}

#[test]
fn an_interactive_fork_is_written_with_its_first_message_only() {
    let pane = Pane::new(&Script::faithful());
    let child = uuid::Uuid::new_v4().to_string();
    pane.open(&["--resume", &pane.parent.id, "--fork-session", "--session-id", &child]);
    pane.until("a live session", || !pane.env.live_sessions().is_empty());
    assert_eq!(pane.served(), child);
    assert!(pane.env.transcripts_of(&child).is_empty());
    pane.say("hello");
    pane.until("its file", || pane.screen().contains("FAKE-REPLY"));
    let text = fs::read_to_string(pane.env.transcript(&pane.cwd, &child)).unwrap();
    assert!(pane.parent.codewords.iter().all(|word| text.contains(word.as_str())));
}
