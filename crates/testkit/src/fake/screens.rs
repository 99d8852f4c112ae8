//! The dialogs of the real program, as it shows them.

use std::path::Path;

use super::Screen;

macro_rules! recorded {
    ($version:literal, $name:literal) => {
        include_str!(concat!("../../fixtures/screens/claude/", $version, "/", $name, ".txt"))
    };
}

/// The words of the program for the choice that was never seen offline.
const SUMMARY: &str = "\
 This session is 2h old and 120k tokens.

 Resuming the full session will consume a substantial portion of your usage limits.

 ❯ 1. Resume from summary (instant, recommended)
   2. Resume full session as-is
   3. Don't ask again

 Enter to confirm · Esc to cancel
";

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
        (Screen::Summary, _) => SUMMARY,
    };
    let cwd = cwd.to_string_lossy();
    text.replace("/home/user/untrusted", &cwd)
        .replace("/home/user/w", &cwd)
        .replace("2.1.332", version)
        .replace("[exit 1]\n", "")
}
