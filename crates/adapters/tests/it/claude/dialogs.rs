//! Dialogs: told from the screen, foretold from files, never answered.

use super::home::Home;
use crate::support::{block_on, env};
use camino::Utf8Path;
use seatfork_adapters::claude_code::{ClaudeCode, dialogs::PATTERNS};
use seatfork_adapters::{Adapter, SeatWish};
use seatfork_schema::LaunchCode;
use std::collections::BTreeSet;

/// Screens as they were seen, some with lines broken by a narrow pane.
const SCREENS: &[(&str, &str)] = &[
    (
        "attention-trust",
        " Accessing workspace:\n\n /w/a\n\n Quick safety check: Is this a project you created or one you trust? (Like your own code, a\n well-known open source project, or work from your team).\n\n ❯ No, exit\n   Yes, I trust this folder",
    ),
    (
        "attention-trust",
        "╭──────────────╮\n Accessing\n workspace:\n\n /w/a\n\n Quick\n safety\n check: Is this a project you created\n ❯ 1. Yes, I trust this folder\n   2. No, exit",
    ),
    (
        "attention-onboarding",
        ".......█ █   █ █....\n Unable to connect to Anthropic services\n Failed to connect to api.anthropic.com: EAI_AGAIN\n Check your internet connection and network settings.\n Claude Code might not be available in your country. Check supported countries at\n https://anthropic.com/supported-countries",
    ),
    (
        "attention-onboarding",
        "Welcome to Claude Code v2.1.197\n Let's get started.\n\n Choose the text style that looks best with your terminal\n ❯ 1. Auto",
    ),
    (
        "attention-api-key",
        " Detected a custom API key in your environment\n\n ANTHROPIC_API_KEY: sk-ant-...xxxx\n\n Do you want to use this API key?\n   1. Yes\n ❯ 2. No (recommended)",
    ),
    (
        "attention-bypass-warning",
        " WARNING: Claude Code running in Bypass Permissions mode\n\n In Bypass Permissions mode, Claude Code will not ask for your approval\n ❯ 1. No, exit\n   2. Yes, I accept",
    ),
    (
        "attention-mcp-server",
        " New MCP server found in this project: marker\n\n MCP servers may execute code\n   1. Use this MCP server\n ❯ 3. Continue without using this MCP server",
    ),
    (
        "attention-mcp-server",
        "  2 new MCP servers found in this project\n  Select any you wish to enable.\n  ❯ [✔] a\n    [✔] b\n Space to select · Enter to confirm",
    ),
    (
        "attention-summary-choice",
        " This session is 3h old and 120k tokens.\n ❯ Resume from summary (instant, recommended)\n   Resume full session as-is\n   Don't ask again",
    ),
    ("attention-session-picker", " Resume session  ⌕ nonsense\n\n No sessions match \"nonsense\"."),
];

/// Screens that are no dialog.
const NO_DIALOGS: &[&str] = &[
    "",
    "╭─────────────────────────── dev-reviewer@rig ─╮\n│ ❯                                            │\n  ? for shortcuts          Not logged in · Run /login",
    "❯ Remember CODEWORD\n\n● Not logged in · Please run /login",
    "✻ 500 fake 500 · retrying in 4s · attempt 4/10",
    "❯ what does `Accessing workspace` mean?\n● It is a heading.",
    "● You can resume from summary next time.",
    "⚠ Transcript writes are failing (read-only filesystem — EROFS) · recent messages may not be saved",
];

fn lines(screen: &str) -> Vec<String> {
    screen.lines().map(ToOwned::to_owned).collect()
}

// SPEC 6: every dialog is told from its screen, by its words alone; what is no dialog is none, a login footer neither.
// code: attention-onboarding, attention-api-key, attention-mcp-server, attention-bypass-warning, attention-session-picker, attention-summary-choice
#[test]
fn every_dialog_is_told_from_its_screen_and_nothing_else_is() {
    for (code, screen) in SCREENS {
        let found =
            ClaudeCode.recognise(&lines(screen)).unwrap_or_else(|| panic!("{code}: {screen}"));
        assert_eq!(found.code, *code, "{screen}");
        assert!(!found.question.is_empty());
    }
    for screen in NO_DIALOGS {
        assert_eq!(ClaudeCode.recognise(&lines(screen)), None, "{screen}");
    }
    let known: BTreeSet<&str> = PATTERNS.iter().map(|pattern| pattern.code.as_str()).collect();
    let shown: BTreeSet<&str> = SCREENS.iter().map(|(code, _)| *code).collect();
    assert_eq!(known, shown, "every dialog has a screen");
    assert!(PATTERNS.iter().all(|pattern| pattern.versions.contains("2.1.")));
}

// SPEC 6: the recorded screens of both versions, each told for what it is.
#[test]
fn the_recorded_screens_are_told_for_what_they_are() {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/fixtures/screens/claude");
    for version in ["2.1.197", "2.1.332"] {
        for (name, code) in [
            ("api-key", Some(LaunchCode::AttentionApiKey)),
            ("bypass", Some(LaunchCode::AttentionBypassWarning)),
            ("login", None),
            ("mcp", Some(LaunchCode::AttentionMcpServer)),
            ("not-found", None),
            ("onboarding", Some(LaunchCode::AttentionOnboarding)),
            ("picker", Some(LaunchCode::AttentionSessionPicker)),
            ("ready", None),
            ("trust", Some(LaunchCode::AttentionTrust)),
        ] {
            let screen =
                std::fs::read_to_string(root.join(format!("{version}/{name}.txt"))).unwrap();
            let found = ClaudeCode.recognise(&lines(&screen)).map(|dialog| dialog.code);
            assert_eq!(found, code, "{version} {name}");
        }
    }
}

// SPEC 6, 14: dialogs are foretold from three facts and the spec; the key itself is nowhere in what is told.
#[test]
fn dialogs_are_foretold_from_three_facts() {
    let home = Home::new();
    let cwd = home.place.path.join("w/a");
    std::fs::create_dir_all(&cwd).unwrap();
    let mut wish = SeatWish {
        seat_name: "d-r@rig".to_owned(),
        cwd: cwd.clone(),
        model: None,
        codex_config_profile: None,
        permission: None,
        allow_yolo: true,
        wants_fork: true,
        notice: true,
    };
    let key = "sk-ant-0123456789-abcdefghij0123456789";
    let seat = env(&[("HOME", home.place.path.as_str()), ("ANTHROPIC_API_KEY", key)]);
    let told = |wish: &SeatWish| {
        let told = block_on(ClaudeCode.foretell(wish, &seat));
        assert!(!format!("{told:?}").contains(&key[key.len() - 20..]), "no part of a key is told");
        told.into_iter().map(|one| one.dialog.code).collect::<Vec<_>>()
    };
    assert_eq!(
        told(&wish),
        ["attention-onboarding", "attention-trust", "attention-api-key"],
        "a home where it never ran"
    );
    let settings = |projects: &str, approved: &str, rejected: &str| {
        home.place.file(
            ".claude.json",
            format!("{{\"numStartups\":3,\"oauthAccount\":{{\"x\":1}},\"hasCompletedOnboarding\":true,\"projects\":{{{projects}}},\"customApiKeyResponses\":{{\"approved\":[{approved}],\"rejected\":[{rejected}]}}}}"),
        );
    };
    let tail = format!("\"{}\"", &key[key.len() - 20..]);
    let trusted =
        |dir: &str| format!("\"{dir}\":{{\"allowedTools\":[],\"hasTrustDialogAccepted\":true}}");
    settings("", "", "");
    assert_eq!(told(&wish), ["attention-trust", "attention-api-key"]);
    settings(&trusted(cwd.as_str()), &tail, "");
    assert!(told(&wish).is_empty());
    settings(&trusted(home.place.path.join("w").as_str()), "", &tail);
    assert!(
        told(&wish).is_empty(),
        "trust covers what lies below; a rejected key is not asked about"
    );
    settings(&trusted(home.place.path.join("w/a/b").as_str()), &tail, "");
    assert_eq!(told(&wish), ["attention-trust"], "not what lies above");
    settings(&trusted(cwd.as_str()), &tail, "");
    wish.permission = Some("builtin:yolo".to_owned());
    home.place.file("w/a/.mcp.json", "{}");
    assert_eq!(told(&wish), ["attention-bypass-warning", "attention-mcp-server"]);
    home.place.file(".claude.json", "{\"hasCompletedOnboarding\":tr");
    assert_eq!(
        told(&wish)[0],
        "attention-onboarding",
        "a file that cannot be read is told, not passed over"
    );
}

// SPEC 14: the variable that moves the runtime's home moves all of it.
#[test]
fn the_location_variable_moves_everything() {
    let home = Home::new();
    let moved = home.place.path.join("elsewhere");
    let seat = env(&[("HOME", home.place.path.as_str()), ("CLAUDE_CONFIG_DIR", moved.as_str())]);
    home.place.file("elsewhere/.claude.json", "{\"hasCompletedOnboarding\":true}");
    let wish = SeatWish {
        seat_name: "d-r@rig".to_owned(),
        cwd: "/w/a".into(),
        model: None,
        codex_config_profile: None,
        permission: None,
        allow_yolo: false,
        wants_fork: false,
        notice: true,
    };
    let told = block_on(ClaudeCode.foretell(&wish, &seat));
    assert_eq!(told.iter().map(|one| one.dialog.code).collect::<Vec<_>>(), ["attention-trust"]);
    assert_eq!(ClaudeCode.wake_dirs(&seat), [moved.join("sessions")]);
    let id = super::made::CHILD;
    let path = home.place.file(&format!("elsewhere/projects/-w-a/{id}.jsonl"), "");
    let found = block_on(ClaudeCode.locate(&super::home::claude(id), &seat)).unwrap();
    assert_eq!(found, Some(path));
    assert_eq!(ClaudeCode.describe().location_vars, ["CLAUDE_CONFIG_DIR"]);
}
