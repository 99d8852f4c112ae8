//! Dialogs of Codex: seen, told, never answered; and those that a seat never meets.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use seatfork_testkit::codex::{CodexHome as _, CodexThread, Config, make_parent};
use seatfork_testkit::fake::{Act, Phase, Screen};
use serde_json::{Value, json};

use super::{ask, assert_forked, with_parent};
use crate::support::{Faked, Files, Kind, Place, Rig, codex, runs, seat, text, timed};

/// What `up` and `ps` must say of a seat that waits at a dialog.
#[track_caller]
fn waits(report: &Value, member: &str, on_screen: &[&str]) {
    let seat = seat(report, member);
    assert_eq!(seat["process_state"], "attention_required", "{seat:#}");
    assert!(seat["token"].is_string(), "its conversation was made and is kept: {seat:#}");
    let error = &seat["error"];
    assert!(text(error, "/code").starts_with("attention-"), "{error:#}");
    assert!(text(error, "/message").starts_with("waiting at: "), "{error:#}");
    assert!(text(error, "/hint").contains("seatfork attach"), "{error:#}");
    let output = text(error, "/output");
    assert!(output.lines().count() <= 20, "{output}");
    for words in on_screen {
        assert!(output.contains(words), "{words:?} is not in\n{output}");
    }
}

/// A dialog of the real program: how a place comes to it, and how it looks.
struct Dialog {
    name: &'static str,
    comes: fn(&mut Place) -> std::path::PathBuf,
    code: &'static str,
    on_screen: &'static [&'static str],
}

const DIALOGS: [Dialog; 3] = [
    Dialog {
        name: "trust",
        comes: |place| place.git_repo("repo"),
        code: "attention-trust",
        on_screen: &["Folder access", "Trust this folder?", "1. Trust and continue"],
    },
    Dialog {
        name: "hooks",
        comes: |place| {
            let hook = json!({"hooks": {"SessionStart": [
                {"hooks": [{"type": "command", "command": "true"}]}
            ]}});
            fs::write(place.codex_dir().join("hooks.json"), hook.to_string()).unwrap();
            place.work.clone()
        },
        code: "attention-hooks",
        on_screen: &["Hooks need review", "1. Review hooks"],
    },
    Dialog {
        name: "login",
        comes: |place| {
            place.configure_codex(&Config::default());
            place.env_mut().unset("OPENAI_API_KEY");
            place.work.clone()
        },
        code: "attention-login",
        on_screen: &["Choose how you want to use Codex", "1. Sign in with ChatGPT"],
    },
];

// SPEC 6, 13, 14: a dialog of the real Codex is attention with the last lines, exit 1, and is left as it is.
#[test]
fn a_dialog_of_the_real_codex_is_told_and_left_alone() {
    for dialog in &DIALOGS {
        timed(&format!("  {}", dialog.name), || told_and_left_alone(dialog));
    }
}

fn told_and_left_alone(dialog: &Dialog) {
    let mut place = Place::new(&codex());
    let parent = make_parent(&place, &place.work, 1);
    let cwd = (dialog.comes)(&mut place);
    place.stub.forget();
    place.rig(&Rig::named("gated").of(Kind::Codex).fork_in("reviewer", &parent.id, &cwd));
    let hooks = place.codex_dir().join("hooks.json");
    let before = (Files::below([&hooks]), settings(&place));
    let (code, up) = place.up();
    assert_eq!(code, 1, "{}: {up:#}", dialog.name);
    waits(&up, "reviewer", dialog.on_screen);
    let first = seat(&up, "reviewer");
    assert_eq!(
        (text(first, "/error/code"), &first["continuity_outcome"]),
        (dialog.code, &json!("forked"))
    );
    let pane = place.pane("reviewer");
    let (pid, shown) = (pane.pid(), words(&pane.screen()));
    // Looking again, and bringing up again, presses nothing either.
    let (code, ps) = place.ps();
    assert_eq!(code, 1, "{ps:#}");
    waits(&ps, "reviewer", dialog.on_screen);
    let (code, again) = place.up();
    assert_eq!(code, 1, "{again:#}");
    let now = seat(&again, "reviewer");
    assert_eq!((&now["action"], &now["token"]), (&json!("unchanged"), &first["token"]));
    assert_eq!(words(&pane.screen()), shown, "{}: the dialog is as it was", dialog.name);
    assert!(runs(pid), "{}: it waits", dialog.name);
    assert_eq!(before.0.changes(&Files::below([&hooks])), [""; 0], "{}", dialog.name);
    assert_eq!(settings(&place), before.1, "{}: an answer was written down", dialog.name);
    assert_eq!(place.stub.turns().len(), 0);
    if dialog.name == "trust" {
        pane.key("Enter");
        place.wait_until("the seat is ready", || {
            let (_, ps) = place.ps();
            (seat(&ps, "reviewer")["process_state"] == "ready").then_some(())
        });
    }
}

/// What a screen says: a picture moves beside the login.
fn words(screen: &str) -> Vec<String> {
    let lines = screen.lines().map(str::trim);
    lines.filter(|line| line.contains(char::is_alphabetic)).map(str::to_owned).collect()
}

/// The user's settings: Codex notes by itself, in a table of its own, that it has looked for a screen reader.
fn settings(place: &Place) -> String {
    let text = fs::read_to_string(place.codex_dir().join("config.toml")).unwrap();
    let own = ["[tui]", "screen_reader_detection_done = true", ""];
    text.lines().filter(|line| !own.contains(&line.trim())).collect::<Vec<_>>().join("\n")
}

// SPEC 6: the question for a directory and the update that would be installed by a blind Enter never come to a seat: asked for by its own command, no file of the user's is edited for it.
#[test]
fn a_codex_seat_is_asked_neither_for_its_directory_nor_for_an_update() {
    let place = Place::new(&codex());
    let elsewhere = place.dir("elsewhere");
    let parent = make_parent(&place, &place.work, 1);
    let version = json!({"latest_version": "9.9.9", "last_checked_at": "2099-01-01T00:00:00Z"});
    let file = place.codex_dir().join("version.json");
    fs::write(&file, version.to_string()).unwrap();
    // As most people have it: the launcher of the package, a script that starts the program below itself.
    place.install("codex", &launcher(&place));
    asked_by_hand(&place, &parent);
    place.rig(&Rig::named("calm").of(Kind::Codex).fork_in("reviewer", &parent.id, &elsewhere));
    let before = Files::below([&file]);
    let (code, up) = place.up();
    assert_eq!(code, 0, "{up:#}");
    let reviewer = seat(&up, "reviewer");
    let child = assert_forked(&place, reviewer, &parent);
    assert_eq!(child.header()["cwd"], json!(elsewhere));
    let request = ask(&place, "reviewer", text(reviewer, "/token"));
    assert_eq!(request.user_codewords(), parent.codewords);
    assert_eq!(before.changes(&Files::below([&file])), [""; 0]);
    let pid = place.pane("reviewer").pid();
    drop(place.run(["down"]).exits(0));
    assert!(!runs(pid) && !place.is_written(&child.id), "what the launcher started is ended too");
}

/// The launcher that npm puts on the PATH.
fn launcher(place: &Place) -> std::path::PathBuf {
    let program = &place.runtime.program;
    let modules = program.ancestors().find(|path| path.ends_with("node_modules")).unwrap();
    modules.join("@openai/codex/bin/codex.js")
}

/// That the update is asked for in a pane of the user's own: else its absence would say nothing.
fn asked_by_hand(place: &Place, parent: &CodexThread) {
    let socket = place.root().join("run/outside.sock");
    let tmux = |args: &[&str]| {
        let mut tmux = place.command("tmux");
        tmux.arg("-S").arg(&socket).args(["-f", "/dev/null"]).args(args);
        tmux.current_dir(&place.work);
        place.finish(tmux, "tmux").exits(0).stdout().to_owned()
    };
    let program = place.root().join("bin/codex");
    let program = program.to_str().unwrap();
    tmux(&[
        "new-session",
        "-d",
        "-s",
        "p",
        "-x",
        "100",
        "-y",
        "40",
        program,
        "resume",
        "--no-daemon",
        &parent.id,
    ]);
    place.wait_until("the question of an update", || {
        tmux(&["capture-pane", "-p", "-t", "p"]).contains("1. Update now").then_some(())
    });
    tmux(&["kill-server"]);
}

/// The screens that wait for a person, shown by the fake runtime, which writes down each key it gets.
const SCREENS: [(Screen, &str); 6] = [
    (Screen::Trust, "attention-trust"),
    (Screen::Update, "attention-update"),
    (Screen::WorkingDirectory, "attention-directory"),
    (Screen::Hooks, "attention-hooks"),
    (Screen::Login, "attention-login"),
    (Screen::ActiveWriter, "attention-"),
];

// SPEC 6: no key is pressed at any dialog, and no file of the user's is edited.
#[test]
fn no_key_is_pressed_at_any_dialog_of_codex() {
    let place = Faked::codex();
    let script = SCREENS.iter().enumerate().fold(place.faithful(), |script, (nth, (screen, _))| {
        script.on_nth(Phase::Pane, nth, [Act::Dialog { screen: *screen }])
    });
    place.fake.script(&script);
    let member = |nth: usize| format!("seat-{nth}");
    let rig = (0..SCREENS.len()).fold(Rig::named("dialogs").of(Kind::Codex), |rig, nth| {
        rig.fork(&member(nth), &place.parent.id)
    });
    place.rig(&rig);
    let config = place.codex_dir().join("config.toml");
    let files = || Files::below([Path::new(&config), &place.parent.path]);
    let before = files();
    let up = ["up", "--json", "--jobs", "1", "--ready-timeout", "2", "work/rig.yaml"];
    let up = place.run(up).exits(1).json();
    let (code, ps) = place.ps();
    assert_eq!(code, 1, "{ps:#}");
    for (nth, (screen, code)) in SCREENS.iter().enumerate() {
        for report in [&up, &ps] {
            waits(report, &member(nth), &[]);
            let said = text(seat(report, &member(nth)), "/error/code");
            assert!(said.starts_with(code), "{screen:?}: {said}");
        }
    }
    assert_eq!(place.fake.typed(), "", "a key was pressed");
    assert_eq!(place.fake.asked(Phase::Pane).len(), SCREENS.len());
    assert_eq!(before.changes(&files()), [""; 0]);
}

// SPEC 6: a conversation whose writer is another process is not opened beside it: who holds it is named, the seat waits, and comes when it is let go of.
#[test]
fn a_fork_whose_child_another_process_writes_names_it_and_comes_when_it_is_let_go() {
    let (place, parent) = with_parent(1);
    place.rig(&Rig::named("review").of(Kind::Codex).fork("a", &parent.id));
    let (code, up) = place.up();
    assert_eq!(code, 0, "{up:#}");
    let token = text(seat(&up, "a"), "/token").to_owned();
    drop(place.run(["down"]).exits(0));
    let other = seatfork_testkit::codex::CodexTalk::resume(&place, &place.work, &token);
    let (code, refused) = place.up();
    assert_eq!(code, 1, "{refused:#}");
    let a = seat(&refused, "a");
    assert_eq!(text(a, "/error/code"), "conversation-in-use", "{a:#}");
    assert!(text(a, "/error/message").contains(&format!("process {}", other.pid())), "{a:#}");
    assert_eq!(place.tmux_sessions(), [""; 0], "nothing was started");
    assert!(runs(other.pid()), "who has it is left alone");
    other.end();
    let (code, back) = place.up();
    let a = seat(&back, "a");
    assert_eq!(
        (code, &a["action"], text(a, "/token")),
        (0, &json!("resumed"), &*token),
        "{back:#}"
    );
}

// SPEC 6: one that is let go of within the deadline is waited for: the seat comes without another command.
#[test]
fn a_writer_that_lets_go_within_the_deadline_is_waited_for() {
    let place = Faked::codex();
    place.rig(&place.fork_rig());
    let mut up = place.command(env!("CARGO_BIN_EXE_seatfork"));
    up.args(["up", "work/rig.yaml"]).env("SEATFORK_CRASH_AT", "after-realized");
    assert_eq!(place.finish(up, "seatfork").status().code(), None);
    let (_, ps) = place.ps();
    let token = text(seat(&ps, "a"), "/token").to_owned();
    let lock = place.codex_dir().join(format!("thread-writer-locks/{token}.lock"));
    let lock = fs::File::options().create(true).append(true).open(lock).unwrap();
    lock.lock().unwrap();
    let up = place.start(["up", "--json", "work/rig.yaml"]);
    thread::sleep(Duration::from_millis(1500));
    drop(lock);
    let report = up.wait().exits(0).json();
    let a = seat(&report, "a");
    assert_eq!((text(a, "/token"), &a["process_state"]), (&*token, &json!("ready")), "{a:#}");
    assert_eq!(place.made(), 1);
}
