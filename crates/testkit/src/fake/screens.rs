//! The dialogs of the real program, as it shows them.

use std::path::Path;

use super::Screen;

macro_rules! recorded {
    ($version:literal, $name:literal) => {
        include_str!(concat!("../../fixtures/screens/claude/", $version, "/", $name, ".txt"))
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
    };
    let cwd = cwd.to_string_lossy();
    text.replace("/home/user/untrusted", &cwd)
        .replace("/home/user/w", &cwd)
        .replace("2.1.332", version)
        .replace("[exit 1]\n", "")
}
