//! What phase 1 itself leaves in a child, told from everything else.
//!
//! Beside the thread's settings and the notice, the runtime tells a model what
//! surrounds it (skills, permissions, the directory, AGENTS.md) before the
//! first thing that is said in a thread, and that a turn of the source was not
//! ended. It names itself as the author of each such piece.

use super::scan::Line;
use serde::Deserialize;
use std::borrow::Cow;

/// How the notice begins, whatever seat it speaks to.
const NOTICE: &str = "[seatfork notice ";

/// Kinds of records a model is shown, or that decide what it is shown.
const SHOWN: &[&str] = &["response_item", "compacted", "turn_context", "session_meta"];

/// Events that begin or hold a turn: somebody spoke.
const TURNS: &[&str] =
    &["task_started", "user_message", "agent_message", "item_completed", "task_complete"];

/// Events that come with a fork of a turn that was not ended.
const KNOWN: &[&str] = &["turn_aborted"];

/// Whose a record is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Own {
    /// The settings a thread begins with.
    Settings,
    /// The notice (SPEC 6).
    Notice,
    /// What the runtime tells a model of its surroundings.
    Context,
    /// A kind no model is shown.
    Unseen(String),
    /// Somebody's words, or the runtime's to the model.
    Other,
}

#[derive(Debug, Deserialize)]
struct Payload<'a> {
    #[serde(borrow, default)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    thread_id: Option<Cow<'a, str>>,
    #[serde(default)]
    content: Vec<Piece>,
    #[serde(default)]
    internal_chat_message_metadata_passthrough: Option<Authors>,
}

#[derive(Debug, Deserialize)]
struct Piece {
    text: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Authors {
    #[serde(default)]
    content_item_metadata: Vec<Author>,
}

#[derive(Debug, Deserialize)]
struct Author {
    provenance: Option<Provenance>,
}

#[derive(Debug, Deserialize)]
struct Provenance {
    r#type: String,
}

impl Payload<'_> {
    /// Whether the runtime says of every piece that it is no person's.
    fn is_the_runtimes(&self) -> bool {
        let Some(authors) = &self.internal_chat_message_metadata_passthrough else { return false };
        let authors = &authors.content_item_metadata;
        let is_own = |author: &Author| {
            author
                .provenance
                .as_ref()
                .is_some_and(|one| !matches!(one.r#type.as_str(), "user" | "unknown"))
        };
        !authors.is_empty() && authors.len() == self.content.len() && authors.iter().all(is_own)
    }
}

/// Whether a kind of record is one a model is shown.
pub(super) fn is_shown(kind: &str) -> bool {
    SHOWN.contains(&kind)
}

/// Whose a record of a thread is.
pub(super) fn own_of(line: &Line<'_>, thread: &str) -> Own {
    let kind = &*line.r#type;
    if matches!(kind, "turn_context" | "world_state") {
        // Without somebody's words beside it, it says what surrounds the thread.
        return Own::Context;
    }
    let Ok(payload) = serde_json::from_str::<Payload<'_>>(line.payload.get()) else {
        return if is_shown(kind) { Own::Other } else { Own::Unseen(kind.to_owned()) };
    };
    match (kind, payload.r#type.as_deref(), payload.role.as_deref()) {
        ("event_msg", Some("thread_settings_applied"), _) => {
            if payload.thread_id.as_deref() == Some(thread) { Own::Settings } else { Own::Other }
        }
        ("event_msg", Some(event), _) if TURNS.contains(&event) => Own::Other,
        ("event_msg", Some(event), _) if KNOWN.contains(&event) => Own::Context,
        ("event_msg", event, _) => Own::Unseen(event.unwrap_or(kind).to_owned()),
        ("response_item", Some("message"), Some(role @ ("developer" | "user"))) => {
            match payload.content.as_slice() {
                [Piece { text: Some(text) }] if role == "developer" && text.starts_with(NOTICE) => {
                    Own::Notice
                }
                _ if payload.is_the_runtimes() => Own::Context,
                _ => Own::Other,
            }
        }
        _ if is_shown(kind) => Own::Other,
        _ => Own::Unseen(kind.to_owned()),
    }
}
