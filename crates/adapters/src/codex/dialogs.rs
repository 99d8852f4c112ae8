//! The dialogs of Codex, as data. None is ever answered (SPEC 6 Dialogs).
//!
//! The default answers differ: an update is what a blind key would start.

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
        all_of: &["Trust this folder?"],
        versions: "seen in 0.171.0",
    },
    Pattern {
        code: LaunchCode::AttentionUpdate,
        question: "update Codex first?",
        all_of: &["Update available", "Update now", "Skip"],
        versions: "seen in 0.171.0",
    },
    Pattern {
        code: LaunchCode::AttentionLogin,
        question: "sign in to Codex?",
        all_of: &["Welcome to Codex", "Sign in with"],
        versions: "seen in 0.171.0",
    },
    Pattern {
        code: LaunchCode::AttentionHooks,
        question: "review the hooks of this configuration?",
        all_of: &["Hooks need review"],
        versions: "seen in 0.171.0",
    },
    Pattern {
        code: LaunchCode::AttentionDirectory,
        question: "work in the session's directory, or in this one?",
        all_of: &["Use session directory", "Use current directory"],
        versions: "seen in 0.171.0",
    },
    Pattern {
        code: LaunchCode::AttentionOpenElsewhere,
        question: "the conversation is open in another Codex; close it there?",
        all_of: &["This conversation is open in another app"],
        versions: "seen in 0.171.0",
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
