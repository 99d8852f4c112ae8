//! The fake runtime without a terminal, against the recordings and by its script.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use seatfork_testkit::{
    Output, TestEnv,
    claude_home::ClaudeHome as _,
    fake::{Act, ChildChange, FakeClaude, Phase, Script, Stream, recorded_parent},
    fixtures,
    transcript::{History, Row, Transcript},
    world::Parent,
};
use uuid::Uuid;

const BINARY: &str = env!("CARGO_BIN_EXE_fake-claude");

/// A fake runtime, a parent of three turns, and where they are.
struct Case {
    env: TestEnv,
    fake: FakeClaude,
    cwd: PathBuf,
    parent: Parent,
}

impl Case {
    fn new() -> Self {
        let mut env = TestEnv::new(BINARY);
        let cwd = env.dir("work");
        let fake = FakeClaude::ready(&mut env, Path::new(BINARY), &[&cwd]);
        let parent = recorded_parent(&env, &cwd, 3);
        Self { env, fake, cwd, parent }
    }

    fn scripted(script: &Script) -> Self {
        let case = Self::new();
        case.fake.script(script);
        case
    }

    fn claude(&self, args: &[&str]) -> Output {
        let mut command = self.env.command(self.fake.program());
        command.args(args).current_dir(&self.cwd);
        self.env.finish(command, "claude")
    }

    /// Forks the parent; the output and where the child is.
    fn fork(&self) -> (Output, String, PathBuf) {
        let child = Uuid::new_v4().to_string();
        let out = self.fork_as(&child);
        let path = self.env.transcript(&self.cwd, &child);
        (out, child, path)
    }

    fn fork_as(&self, child: &str) -> Output {
        self.fork_of(&self.parent.id, child)
    }

    fn fork_of(&self, source: &str, child: &str) -> Output {
        self.claude(&[
            "-p",
            "--resume",
            source,
            "--fork-session",
            "--session-id",
            child,
            "--name",
            "seat",
            "--output-format",
            "json",
            "--safe-mode",
            "--disable-slash-commands",
            "/cost",
        ])
    }
}

fn changed(change: ChildChange) -> Script {
    Script::faithful().on(Phase::Fork, [Act::Child { change }])
}

fn uuids(transcript: &Transcript) -> Vec<&str> {
    transcript.conversation().filter_map(Row::uuid).collect()
}

fn keys(row: &Row) -> Vec<&String> {
    row.json.as_object().unwrap().keys().collect()
}

#[test]
fn a_fork_of_every_recording_is_what_the_real_program_made_of_it() {
    for recording in fixtures::claude() {
        // Here the real program puts a row of its own between inherited ones, and one more
        // before its own where the chain ends in an attachment: not copied by the fake.
        if recording.facts.own.len() > 3 || !recording.facts.own_rows_only_after_inherited {
            continue;
        }
        let name = format!("{} {}", recording.version, recording.kind);
        let case = Case::scripted(&Script::faithful().version(&recording.version));
        recording.source.write_into(&case.env.project_dir(&case.cwd));
        let fork = &recording.facts.fork_id;
        drop(case.fork_of(&recording.facts.source_id, fork).exits(0));
        let fake = Transcript::read(&case.env.transcript(&case.cwd, fork));
        let real = &recording.fork;
        assert_eq!(uuids(&fake).len(), uuids(real).len(), "{name}");
        let pairs = fake.conversation().zip(real.conversation());
        for (at, (fake, real)) in pairs.enumerate() {
            if at < recording.facts.inherited.len() {
                assert_eq!(fake.uuid(), real.uuid(), "{name}");
                assert_eq!(fake.parent(), real.parent(), "{name}");
                for field in ["type", "message", "attachment", "sessionId", "version", "entrypoint"]
                {
                    assert_eq!(fake.json[field], real.json[field], "{name}: {field}");
                }
                let mut fake_keys = keys(fake);
                // Written by the newer version alone, and only once.
                let real_keys = keys(real);
                fake_keys.retain(|k| *k != "requestSessionId" || real_keys.contains(k));
                assert_eq!(fake_keys, real_keys, "{name}");
            } else {
                for field in ["type", "subtype", "content"] {
                    assert_eq!(fake.json[field], real.json[field], "{name}: {field}");
                }
                assert_eq!(
                    fake.json["message"]["content"], real.json["message"]["content"],
                    "{name}"
                );
            }
        }
        let named: Vec<_> = fake.rows.iter().filter(|r| r.kind() == "last-prompt").collect();
        assert_eq!(named.len(), 1, "{name}");
        assert_eq!(named[0].json["leafUuid"].as_str(), uuids(&fake).last().copied(), "{name}");
    }
}

#[test]
fn a_fork_calls_no_model_and_leaves_the_source_alone() {
    let case = Case::new();
    let before = fs::read(&case.parent.path).unwrap();
    let (out, child, path) = case.fork();
    let answer = out.exits(0).json();
    assert_eq!(answer["session_id"], child.as_str());
    assert_eq!((&answer["num_turns"], &answer["duration_api_ms"]), (&0.into(), &0.into()));
    assert!(fs::read(&case.parent.path).unwrap() == before);
    let fork = Transcript::read(&path);
    let history = History::of(&case.parent.read()).unwrap();
    assert_eq!(uuids(&fork)[..history.rows.len()], history.uuids());
    for word in &case.parent.codewords {
        assert!(fork.text().contains(word.as_str()));
    }
    // A fork of the fork, too.
    let grandchild = Uuid::new_v4().to_string();
    drop(case.fork_of(&child, &grandchild).exits(0));
    let grandchild = Transcript::read(&case.env.transcript(&case.cwd, &grandchild));
    assert_eq!(uuids(&grandchild)[..uuids(&fork).len()], uuids(&fork));
}

#[test]
fn what_the_real_program_refuses_is_refused_in_its_words() {
    let case = Case::new();
    let new = Uuid::new_v4().to_string();
    let taken = case.fork().1;
    let unknown = Uuid::new_v4().to_string();
    let parent = case.parent.id.as_str();
    let emptied = case.parent.emptied().id;
    let meta = case.parent.only_meta_rows().id;
    let folder = case.parent.as_directory().id;
    let not_found = "No conversation found with session ID";
    for (args, says) in [
        (["--resume", parent, "--fork-session", "--session-id", &taken], "is already in use."),
        (["--resume", parent, "--fork-session", "--session-id", "x"], "Invalid session ID."),
        (["--resume", &unknown, "--fork-session", "--session-id", &new], not_found),
        (["--resume", &emptied, "--fork-session", "--session-id", &new], not_found),
        (["--resume", &meta, "--fork-session", "--session-id", &new], not_found),
        (["--resume", &folder, "--fork-session", "--session-id", &new], "EISDIR"),
        (["--resume", "$(id)", "--fork-session", "--session-id", &new], "is not a UUID"),
        (["--resume", "", "--fork-session", "--session-id", &new], "--resume requires a valid"),
        (["--resume", parent, "--verbose", "--session-id", &new], "also needs --fork-session."),
        (["--resume", parent, "--no-such-option", "--session-id", &new], "unknown option"),
    ] {
        let args: Vec<_> = ["-p"].into_iter().chain(args).chain(["/cost"]).collect();
        let out = case.claude(&args).exits(1);
        assert!(out.stderr().contains(says), "{out}");
        assert!(case.env.transcripts_of(&new).is_empty(), "{out}");
    }
    // Accepted, as by the real one: it goes on in the source.
    let before = fs::read(&case.parent.path).unwrap();
    drop(case.fork_as(parent).exits(0));
    assert!(fs::read(&case.parent.path).unwrap().len() > before.len());
}

#[test]
fn a_damaged_source_is_forked_in_silence_as_by_the_real_program() {
    let case = Case::new();
    for source in [case.parent.torn(), case.parent.with_garbage().0] {
        let child = Uuid::new_v4().to_string();
        drop(case.fork_of(&source.id, &child).exits(0));
        assert!(case.env.transcript(&case.cwd, &child).is_file());
    }
}

#[test]
fn a_fresh_conversation_has_rows_of_its_own_alone() {
    let case = Case::new();
    let id = Uuid::new_v4().to_string();
    drop(case.claude(&["-p", "--session-id", &id, "--output-format", "json", "/cost"]).exits(0));
    let fresh = Transcript::read(&case.env.transcript(&case.cwd, &id));
    assert_eq!(fresh.conversation().count(), 2);
    drop(case.claude(&["-p", "--resume", &id, "CODEWORD-x"]).exits(0));
    let fresh = Transcript::read(&case.env.transcript(&case.cwd, &id));
    assert_eq!(uuids(&fresh).len(), 4);
    assert!(fresh.text().contains("CODEWORD-x"));
}

#[test]
fn every_scripted_child_is_wrong_in_its_own_way_and_no_other() {
    let case = Case::new();
    let history = History::of(&case.parent.read()).unwrap();
    let right = history.uuids();
    let fork = |change| {
        case.fake.script(&changed(change));
        let (out, _, path) = case.fork();
        drop(out.exits(0));
        path
    };
    let read = |change| Transcript::read(&fork(change));
    let is_chain = |child: &Transcript| {
        let rows: Vec<_> = child.conversation().collect();
        rows[0].parent().is_none() && rows.windows(2).all(|w| w[1].parent() == w[0].uuid())
    };

    let child = read(ChildChange::ChangeRecord { at: None });
    assert_eq!(uuids(&child)[..right.len()], right);
    assert!(is_chain(&child));
    let differs = |child: &Transcript| {
        let differs = |row: &&Row| {
            child.row(row.uuid().unwrap()).unwrap().json["message"] != row.json["message"]
        };
        history.rows.iter().filter(differs).count()
    };
    assert_eq!(differs(&child), 1);

    let child = read(ChildChange::MissRecord { at: None });
    assert_eq!(uuids(&child).iter().filter(|u| right.contains(u)).count(), right.len() - 1);
    assert!(is_chain(&child));

    let child = read(ChildChange::SwapRecords { at: Some(2) });
    let mut swapped = right.clone();
    swapped.swap(2, 3);
    assert_eq!(uuids(&child)[..right.len()], swapped);
    assert!(is_chain(&child));

    let child = read(ChildChange::ForeignRecord { at: Some(1) });
    assert!(!right.contains(&uuids(&child)[1]));
    assert_eq!(uuids(&child)[2], right[1]);
    assert!(is_chain(&child));

    let child = read(ChildChange::UnknownField { at: Some(1) });
    assert_eq!(child.row(right[1]).unwrap().json["fieldNobodyKnows"], "x");

    let child = read(ChildChange::Partial { rows: 2 });
    assert_eq!(uuids(&child)[..2], right[..2]);
    assert!(!uuids(&child).contains(&right[2]));

    let other = recorded_parent(&case.env, &case.cwd, 2);
    let child = read(ChildChange::OtherHistory { id: other.id.clone() });
    assert_eq!(uuids(&child)[0], History::of(&other.read()).unwrap().uuids()[0]);

    let child = read(ChildChange::Empty);
    assert!(uuids(&child).iter().all(|uuid| !right.contains(uuid)));
    let child = read(ChildChange::SourceSessionId);
    assert_eq!(child.row(right[0]).unwrap().json["sessionId"], case.parent.id.as_str());

    assert_eq!(fs::read(fork(ChildChange::ZeroBytes)).unwrap(), b"");
    let torn = fs::read_to_string(fork(ChildChange::TornLastLine)).unwrap();
    assert!(!torn.ends_with('\n'));
    assert!(serde_json::from_str::<serde_json::Value>(torn.lines().last().unwrap()).is_err());
}

#[test]
fn scripted_lies_are_told() {
    let case = Case::scripted(&Script::faithful().on(Phase::Fork, [Act::LieSuccess]));
    let (out, child, path) = case.fork();
    assert_eq!(out.exits(0).json()["session_id"], child.as_str());
    assert!(!path.exists());

    case.fake.script(&Script::faithful().on(Phase::Fork, [Act::AnswerSourceId]));
    assert_eq!(case.fork().0.exits(0).json()["session_id"], case.parent.id.as_str());

    let id = "another".to_owned();
    case.fake.script(&Script::faithful().on(Phase::Fork, [Act::AnswerId { id }, Act::CallModel]));
    let answer = case.fork().0.exits(0).json();
    assert_eq!((&answer["session_id"], &answer["num_turns"]), (&"another".into(), &1.into()));

    for act in [Act::AppendToSource, Act::ChangeSource] {
        let before = fs::read(&case.parent.path).unwrap();
        case.fake.script(&Script::faithful().on(Phase::Fork, [act]));
        drop(case.fork());
        assert!(fs::read(&case.parent.path).unwrap() != before);
    }
}

#[test]
fn a_script_ends_a_fork_as_it_says() {
    let exit = Act::Exit { code: 9, stdout: "\x1b[31mred".into(), stderr: "said why\n".into() };
    let case = Case::scripted(&Script::faithful().on_nth(Phase::Fork, 0, [exit]));
    let (out, _, path) = case.fork();
    assert_eq!((out.code(), out.stdout(), out.stderr()), (9, "\x1b[31mred", "said why\n"));
    assert!(!path.exists());
    // The next one is as it should be.
    let (out, _, path) = case.fork();
    drop(out.exits(0));
    assert!(path.exists());

    case.fake.script(&Script::faithful().on(Phase::Fork, [Act::DieAfterWriting { code: None }]));
    let (out, _, path) = case.fork();
    assert!(!out.status().success() && out.status().code().is_none(), "{out}");
    assert!(out.stdout().is_empty() && path.exists());

    let acts = [Act::Slow { ms: 300 }, Act::Flood { mebibytes: 3, to: Stream::Stderr }];
    case.fake.script(&Script::faithful().on(Phase::Fork, acts));
    let start = Instant::now();
    let (out, _, _) = case.fork();
    assert!(start.elapsed() >= Duration::from_millis(300));
    assert!(out.exits(0).stderr().len() >= 3 << 20);

    case.fake.script(&Script::faithful().on(Phase::Fork, [Act::WriteLate { ms: 400 }]));
    let (out, _, path) = case.fork();
    drop(out.exits(0));
    assert!(!path.exists());
    let end = Instant::now() + Duration::from_secs(10);
    while !path.exists() && Instant::now() < end {
        thread::sleep(Duration::from_millis(20));
    }
    assert!(path.exists());

    let change = Act::ChangeFile { path: ".claude.json".into() };
    case.fake.script(&Script::faithful().on(Phase::Fork, [change]));
    let before = fs::read(case.env.claude_json()).unwrap();
    drop(case.fork());
    assert_ne!(fs::read(case.env.claude_json()).unwrap(), before);
}

#[test]
fn a_hanging_fork_ends_by_signal_unless_it_is_stubborn() {
    use rustix::process::Signal;
    for stubborn in [false, true] {
        let case = Case::scripted(&Script::faithful().on(Phase::Fork, [Act::Hang { stubborn }]));
        let mut command = case.env.command(case.fake.program());
        command.args(["-p", "--resume", &case.parent.id, "--fork-session", "/cost"]);
        let running = case.env.start_command(command, "claude");
        while case.fake.asked(Phase::Fork).is_empty() {
            thread::sleep(Duration::from_millis(10));
        }
        thread::sleep(Duration::from_millis(200));
        running.signal(Signal::TERM);
        thread::sleep(Duration::from_millis(200));
        let alive = Path::new(&format!("/proc/{}/fd", running.pid()))
            .read_dir()
            .is_ok_and(|d| d.count() > 0);
        assert_eq!(alive, stubborn);
        if stubborn {
            running.signal(Signal::KILL);
        }
        assert!(!running.wait().status().success());
    }
}

#[test]
fn version_and_help_say_what_the_script_says() {
    let case = Case::new();
    assert_eq!(case.claude(&["--version"]).exits(0).stdout(), "2.1.332 (Claude Code)\n");
    let help = case.claude(&["--help"]).exits(0);
    assert!(help.stdout().contains("--safe-mode") && help.stdout().contains("\"manual\""));
    let mut old = Script::faithful().version("2.1.197").without("--safe-mode");
    case.fake.script(&old);
    assert_eq!(case.claude(&["--version"]).exits(0).stdout(), "2.1.197 (Claude Code)\n");
    let help = case.claude(&["--help"]).exits(0);
    assert!(!help.stdout().contains("--safe-mode") && help.stdout().contains("\"default\""));
    drop(case.fork().0.exits(1));
    old.version_line = Some("rubbish \x1b[2J".into());
    case.fake.script(&old);
    assert_eq!(case.claude(&["--version"]).exits(0).stdout(), "rubbish \x1b[2J\n");
}

#[test]
fn every_invocation_is_written_down_before_anything_is_done() {
    let exit = Act::Exit { code: 1, stdout: String::new(), stderr: String::new() };
    let mut case = Case::scripted(&Script::faithful().on(Phase::Fork, [exit]));
    case.env.set("SEATFORK_NONCE", "n-1");
    case.env.set("SECRET", "s");
    drop(case.fork());
    drop(case.claude(&["--version"]));
    let all = case.fake.invocations();
    assert_eq!(all.iter().map(|i| i.phase).collect::<Vec<_>>(), [Phase::Fork, Phase::Version]);
    let fork = &case.fake.asked(Phase::Fork)[0];
    assert_eq!(fork.cwd, case.cwd);
    assert_eq!(fork.option("--resume"), Some(case.parent.id.as_str()));
    assert!(fork.has("--safe-mode") && !fork.has("--model"));
    assert_eq!(fork.env["SEATFORK_NONCE"], "n-1");
    assert!(fork.env_names.contains(&"SECRET".to_owned()) && !fork.env.contains_key("SECRET"));
}
