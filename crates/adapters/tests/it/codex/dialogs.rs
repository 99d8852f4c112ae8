//! Dialogs on a screen, dialogs foretold, and what lists show.

use super::home::{CHILD, Home, Lines, SOURCE};
use super::resolve::talk;
use crate::support::block_on;
use camino::Utf8Path;
use seatfork_adapters::codex::{Codex, dialogs::PATTERNS};
use seatfork_adapters::{Adapter, SeatWish, Server};
use std::fmt::Write as _;

fn wish(cwd: &Utf8Path) -> SeatWish {
    SeatWish {
        seat_name: "dev-a@rig".to_owned(),
        cwd: cwd.to_owned(),
        model: None,
        codex_config_profile: Some("fast".to_owned()),
        permission: None,
        allow_yolo: false,
        wants_fork: true,
        notice: true,
    }
}

fn lines(screen: &str) -> Vec<String> {
    screen.lines().map(ToOwned::to_owned).collect()
}

// SPEC 6: every dialog is told by its words, wherever the screen breaks its lines; an ordinary screen is none.
// code: attention-update, attention-login, attention-hooks, attention-directory, attention-open-elsewhere, attention-trust
#[test]
fn every_dialog_is_told_by_its_words() {
    let screens = [
        ("attention-trust", "Folder access\n /w/a\n Trust this\n folder?\n> 1. Trust and continue"),
        (
            "attention-update",
            "Update available · 0.171.0 → 9.9.9\n> 1. Update now (runs `npm install`)\n 2. Skip",
        ),
        (
            "attention-login",
            "Welcome to Codex\n Choose how you want to use Codex.\n> 1. Sign in with ChatGPT",
        ),
        ("attention-hooks", "Hooks need review\n1 hook is new or changed."),
        (
            "attention-directory",
            "Working directory · fork\n 1. Use session directory (/a)\n 2. Use current directory (/b)",
        ),
        ("attention-open-elsewhere", "This conversation is open in another app\n r retry   f fork"),
    ];
    for (code, screen) in screens {
        assert_eq!(Codex.recognise(&lines(screen)).unwrap().code, code);
    }
    for pattern in PATTERNS {
        assert!(screens.iter().any(|(code, _)| pattern.code == *code), "{}", pattern.code);
    }
    for ordinary in
        ["", ">_ OpenAI Codex (v0.171.0)\n› Ask Codex to do anything", "• Update the README"]
    {
        assert_eq!(Codex.recognise(&lines(ordinary)), None);
    }
}

// SPEC 6, 14: a trust question is foretold for a repository nobody decided about, from the user's own settings alone.
#[test]
fn what_the_settings_say_is_foretold() {
    let home = Home::new();
    let (repo, plain) = (home.place.path.join("repo"), home.place.path.join("plain"));
    std::fs::create_dir_all(repo.join(".git/worktrees/w")).unwrap();
    std::fs::create_dir_all(repo.join("below")).unwrap();
    std::fs::create_dir_all(&plain).unwrap();
    let tree = home.place.path.join("tree");
    home.place.file("tree/.git", format!("gitdir: {repo}/.git/worktrees/w\n"));
    let told = |cwd: &Utf8Path| -> Vec<String> {
        let told = block_on(Codex.foretell(&wish(cwd), &home.env));
        told.iter().map(|one| one.dialog.code.to_string()).collect()
    };
    assert!(told(&plain).is_empty());
    assert_eq!(told(&repo.join("below")), ["attention-trust"]);
    assert_eq!(told(&tree), ["attention-trust"]);
    for level in ["trusted", "untrusted"] {
        home.file("config.toml", format!("[projects.\"{repo}\"]\ntrust_level = \"{level}\"\n"));
        assert!(told(&repo.join("below")).is_empty(), "{level}");
        assert!(told(&tree).is_empty(), "a worktree of it, {level}");
    }
    home.file("config.toml", "[[hooks.SessionStart]]\nmatcher = \"*\"\n");
    assert_eq!(told(&plain), ["attention-hooks"]);
    home.file("config.toml", "not = toml = at all");
    assert!(told(&repo).is_empty(), "the runtime says so itself");
}

// SPEC 6: every server that any settings name is found, by name and kind; what else stands there is not kept.
#[test]
fn the_servers_of_all_settings_are_found_by_name() {
    let home = Home::new();
    let cwd = home.place.path.join("repo/below");
    std::fs::create_dir_all(&cwd).unwrap();
    let surroundings = || block_on(Codex.surroundings(&wish(&cwd), &home.env));
    assert!(surroundings().unwrap().servers.is_empty());
    home.file(
        "config.toml",
        "[mcp_servers.user]\ncommand = \"x\"\nenv = { SECRET = \"s3cret\" }\n",
    );
    home.file("fast.config.toml", "[mcp_servers.\"of.profile\"]\nurl = \"https://u:s3cret@h/\"\n");
    home.file("other.config.toml", "[mcp_servers.other]\ncommand = \"x\"\n");
    home.place.file("repo/.codex/config.toml", "[mcp_servers.project]\ncommand = \"x\"\n");
    let found = surroundings().unwrap();
    let server = |name: &str, is_remote| Server { name: name.to_owned(), is_remote };
    assert_eq!(
        found.servers,
        [server("of.profile", true), server("project", false), server("user", false)]
    );
    assert!(!format!("{found:?}").contains("s3cret"));
    home.file("config.toml", "ok = 1\nkey = s3cret and more\n");
    let error = surroundings().unwrap_err().to_string();
    assert!(error.contains("line 2 is no TOML") && !error.contains("s3cret"), "{error}");
}

// SPEC 12: every thread is listed once, the newest first, with its name, and whether it can be forked or why not.
#[test]
fn every_thread_is_listed_with_why_it_cannot_be_forked() {
    let home = Home::new();
    let id = |n: u32| format!("01a00000-0000-7000-8000-0000000001{n:02}");
    let write = |n: u32, text: String| home.write(&id(n), text);
    write(1, talk(&id(1)).text);
    write(2, Lines::of(&id(2)).text);
    write(3, talk(SOURCE).text);
    write(4, format!("{}garbage\n", talk(&id(4)).text));
    write(5, String::new());
    write(6, Lines::forked(&id(6), &id(1), &talk(&id(1)), "user").text);
    write(7, Lines::forked(&id(7), CHILD, &talk(CHILD), "user").text);
    home.file(&format!("archived_sessions/rollout-x-{}.jsonl", id(8)), talk(&id(8)).text);
    write(9, talk(&id(9)).text);
    home.file(&format!("sessions/2020/01/01/rollout-x-{}.jsonl", id(9)), talk(&id(9)).text);
    home.file(
        "session_index.jsonl",
        format!("{{\"id\":\"{}\",\"thread_name\":\"named\"}}\nx\n", id(1)),
    );
    let _lock = home.hold(&id(1));
    let all = block_on(Codex.sessions(&home.env)).unwrap();
    let mut rows: Vec<String> = Vec::new();
    for one in all {
        let mut row = String::new();
        let records = one.records.map_or("?".to_owned(), |records| records.to_string());
        let live = if one.live.is_some() { ", live" } else { "" };
        let why = one.not_forkable.unwrap_or("forkable".to_owned());
        let shown = one.preview.unwrap_or_default();
        write!(row, "{}: {records} records, {shown:?}{live}: {why}", one.conversation.native_id)
            .unwrap();
        rows.push(row);
    }
    rows.sort();
    insta::assert_snapshot!("sessions", rows.join("\n").replace(home.place.path.as_str(), "~"));
}
