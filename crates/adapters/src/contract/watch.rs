//! What is seen of a pane (SPEC 6, 7).

use seatfork_schema::{ConversationId, LaunchCode};

/// Which conversation a pane's process serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observation {
    /// Nothing can be said yet.
    Unknown,
    /// It serves this conversation; `ready` when it waits for input or works, with no dialog before it.
    Serving {
        /// The conversation.
        conversation: ConversationId,
        /// Seen ready.
        ready: bool,
    },
    /// It is up and holds no conversation by design (terminal).
    Up,
    /// The process is gone.
    Gone,
}

/// A dialog of a runtime: data, never acted on (SPEC 6 "Dialogs").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// Which one: `attention-trust`.
    pub code: LaunchCode,
    /// What it asks, in our words: `trust this folder?`.
    pub question: &'static str,
}

/// A dialog foretold from files, before anything runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foretold {
    /// The dialog.
    pub dialog: Dialog,
    /// Why we expect it, and how the user can answer it beforehand.
    pub why: String,
}
