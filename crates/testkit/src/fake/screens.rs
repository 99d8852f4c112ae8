//! The dialogs of the real program, as it shows them.

use std::path::Path;

use super::Screen;

macro_rules! recorded {
    ($version:literal, $name:literal) => {
        include_str!(concat!("../../fixtures/screens/claude/", $version, "/", $name, ".txt"))
    };
}

macro_rules! recorded_codex {
    ($name:literal) => {
        include_str!(concat!("../../fixtures/screens/codex/0.171.0/", $name, ".txt"))
    };
}

/// The choice that was never seen offline: its words are in the programs, their layout is that
/// of the other dialogs.
const SUMMARY: &str = "\
 This session is 2h old and 120k tokens.

 Resuming the full session uses a lot of your usage limits. Resuming from a summary uses less.

 ❯ Resume from summary (instant, recommended)
   Resume full session as-is
   Don't ask again

 Enter to confirm · Esc to cancel
";
/// The same of the older version.
const OLD_SUMMARY: &str = "\
 This session is 2h old and 120k tokens.

 Resuming the full session will consume a substantial portion of your usage limits. We recommend
 resuming from a summary.

 ❯ 1. Resume from summary (recommended)
   2. Resume full session as-is
   3. Don't ask me again

 Enter to confirm · Esc to cancel
";

/// The text of a screen of Codex, its paths put in.
pub(super) fn codex(screen: Screen, cwd: &Path) -> String {
    let text = match screen {
        Screen::Trust | Screen::Bypass => recorded_codex!("trust"),
        Screen::Update => recorded_codex!("update"),
        Screen::WorkingDirectory => recorded_codex!("cwd"),
        Screen::Hooks | Screen::Mcp => recorded_codex!("hooks"),
        Screen::ActiveWriter => recorded_codex!("writer"),
        Screen::Onboarding | Screen::ApiKey | Screen::Login | Screen::Picker | Screen::Summary => {
            recorded_codex!("login")
        }
    };
    let cwd = cwd.to_string_lossy();
    let text = text.replace("/home/user/untrusted", &cwd).replace("/home/user/w", &cwd);
    // A recording is a whole screen; what is below its text is empty.
    text.trim_end().to_owned() + "\n"
}

/// What Codex shows when it waits for a message.
pub(super) const CODEX_READY: &str = recorded_codex!("ready");

/// The text of a dialog for a version, its paths put in.
pub(super) fn text(screen: Screen, version: &str, cwd: &Path) -> String {
    let old = super::args::is_old(version);
    let text = match (screen, old) {
        (Screen::Onboarding, false) => recorded!("2.1.332", "onboarding"),
        (Screen::Onboarding, true) => recorded!("2.1.197", "onboarding"),
        (Screen::Trust, false) => recorded!("2.1.332", "trust"),
        (Screen::Trust, true) => recorded!("2.1.197", "trust"),
        (Screen::ApiKey, false) => recorded!("2.1.332", "api-key"),
        (Screen::ApiKey, true) => recorded!("2.1.197", "api-key"),
        (Screen::Login, false) => recorded!("2.1.332", "login"),
        (Screen::Login, true) => recorded!("2.1.197", "login"),
        (Screen::Bypass, false) => recorded!("2.1.332", "bypass"),
        (Screen::Bypass, true) => recorded!("2.1.197", "bypass"),
        (Screen::Mcp, false) => recorded!("2.1.332", "mcp"),
        (Screen::Mcp, true) => recorded!("2.1.197", "mcp"),
        (Screen::Picker, false) => recorded!("2.1.332", "picker"),
        (Screen::Picker, true) => recorded!("2.1.197", "picker"),
        (Screen::Summary, false) => SUMMARY,
        (Screen::Summary, true) => OLD_SUMMARY,
        (Screen::Update | Screen::WorkingDirectory | Screen::Hooks | Screen::ActiveWriter, _) => {
            return codex(screen, cwd);
        }
    };
    let cwd = cwd.to_string_lossy();
    text.replace("/home/user/untrusted", &cwd)
        .replace("/home/user/w", &cwd)
        .replace("2.1.332", version)
        .replace("[exit 1]\n", "")
}
