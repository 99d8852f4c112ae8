//! The dialogs of Claude Code, as data. None is ever answered (SPEC 6 Dialogs).
//!
//! Defaults differ between versions (the trust question's is `No, exit` in
//! 2.1.332 and `Yes` in 2.1.197), so a blind key is never right.

use crate::contract::watch::Dialog;
use seatfork_schema::LaunchCode;

/// A dialog, and the words that tell it on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// Which one: `attention-trust`.
    pub code: LaunchCode,
    /// What it asks, in our words.
    pub question: &'static str,
    /// All of these stand on the screen. The screen breaks lines where it likes, so runs of blanks count as one.
    pub all_of: &'static [&'static str],
    /// The versions it was seen in, or read in.
    pub versions: &'static str,
}

/// Every dialog that is known, the more particular first.
pub const PATTERNS: &[Pattern] = &[
    Pattern {
        code: LaunchCode::AttentionTrust,
        question: "trust this folder?",
        all_of: &["Accessing workspace:", "Quick safety check"],
        versions: "seen in 2.1.197 and 2.1.332",
    },
    Pattern {
        code: LaunchCode::AttentionBypassWarning,
        question: "accept running with every permission bypassed?",
        all_of: &["WARNING: Claude Code running in Bypass Permissions mode"],
        versions: "seen in 2.1.197 and 2.1.332",
    },
    Pattern {
        code: LaunchCode::AttentionApiKey,
        question: "use the API key from the environment?",
        all_of: &["Detected a custom API key in your environment"],
        versions: "seen in 2.1.197 and 2.1.332",
    },
    Pattern {
        code: LaunchCode::AttentionMcpServer,
        question: "use the MCP server of this project?",
        all_of: &["New MCP server found in this project"],
        versions: "seen in 2.1.197 and 2.1.332",
    },
    Pattern {
        code: LaunchCode::AttentionMcpServer,
        question: "use the MCP servers of this project?",
        all_of: &["new MCP servers found in this project"],
        versions: "seen in 2.1.197 and 2.1.332",
    },
    Pattern {
        code: LaunchCode::AttentionSummaryChoice,
        question: "go on from a summary, or from the full conversation?",
        all_of: &["Resume from summary", "Resume full session as-is"],
        versions: "read in 2.1.332",
    },
    Pattern {
        code: LaunchCode::AttentionSessionPicker,
        question: "which conversation? The id was not taken as one",
        all_of: &["Resume session", "No sessions match"],
        versions: "seen in 2.1.197 and 2.1.332",
    },
    Pattern {
        code: LaunchCode::AttentionOnboarding,
        question: "first start: choose a theme and sign in",
        all_of: &["Welcome to Claude Code v", "Choose the text style"],
        versions: "read in 2.1.197 and 2.1.332",
    },
    Pattern {
        code: LaunchCode::AttentionOnboarding,
        question: "first start: sign in",
        all_of: &["Unable to connect to Anthropic services", "supported-countries"],
        versions: "seen in 2.1.197 and 2.1.332",
    },
    Pattern {
        code: LaunchCode::AttentionOnboarding,
        question: "first start: choose how to sign in",
        all_of: &["Welcome to Claude Code v", "Select login method"],
        versions: "read in 2.1.197 and 2.1.332",
    },
];

/// The dialog on a screen, if it is a known one.
pub(super) fn recognise(screen: &[String]) -> Option<Dialog> {
    let words: Vec<&str> = screen.iter().flat_map(|line| line.split_whitespace()).collect();
    let text = words.join(" ");
    PATTERNS
        .iter()
        .find(|pattern| pattern.all_of.iter().all(|words| text.contains(words)))
        .map(|pattern| Dialog { code: pattern.code, question: pattern.question })
}
