//! Source ids and seat tokens are different types (SPEC 11).
//!
//! A [`SourceId`] names the conversation a launch starts from; a [`SeatToken`]
//! names the conversation that lives in a seat. Nothing turns a source into a
//! token. A token is made in two places only: from a [`ProvedChild`], and by
//! the store reading its own column.
//!
//! ```compile_fail
//! use seatfork_schema::{SeatToken, SourceId};
//! fn steal(source: SourceId) -> SeatToken { source.into() }
//! ```
//! ```compile_fail
//! use seatfork_schema::{ConversationId, SeatToken};
//! fn invent(id: ConversationId) -> SeatToken { SeatToken(id) }
//! ```
//! ```compile_fail
//! fn read(text: &str) -> seatfork_schema::SeatToken { serde_json::from_str(text).unwrap() }
//! ```

use crate::conversation::ConversationId;
use crate::proof::ProvedChild;
use std::fmt;

/// The conversation a launch starts from. Never a seat token.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(ConversationId);

impl SourceId {
    /// Declares a conversation to be a source.
    pub fn new(conversation: ConversationId) -> Self {
        Self(conversation)
    }

    /// The conversation.
    pub fn conversation(&self) -> &ConversationId {
        &self.0
    }
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0.native_id.as_str())
    }
}

/// The id we chose for a child before it exists (SPEC 7): an intent, not a token.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlannedChild(ConversationId);

impl PlannedChild {
    /// Plans a child's id.
    pub fn new(conversation: ConversationId) -> Self {
        Self(conversation)
    }

    /// The conversation it will be, if all goes well.
    pub fn conversation(&self) -> &ConversationId {
        &self.0
    }
}

/// The conversation that lives in a seat: its resume token (SPEC 1).
///
/// ```
/// use seatfork_schema::{ConversationId, NativeId, Proof, ProvedChild, Runtime, SeatToken};
/// let child = ConversationId::new(Runtime::ClaudeCode, NativeId::new("7c1f09aa").unwrap());
/// let proved = ProvedChild::fresh(child, Proof::new_id("a new record with one row")).unwrap();
/// let token = SeatToken::realize(&proved);
/// // The one conversion: a seat's conversation may be somebody else's source.
/// let source = token.as_source();
/// assert_eq!(source.conversation(), token.conversation());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeatToken(ConversationId);

impl SeatToken {
    /// Makes the token of a proved child.
    pub fn realize(proved: &ProvedChild) -> Self {
        Self(proved.child().clone())
    }

    /// For the store alone: what its own column holds. `cargo xtask verify` refuses any other caller.
    pub fn from_store_column(conversation: ConversationId) -> Self {
        Self(conversation)
    }

    /// The conversation.
    pub fn conversation(&self) -> &ConversationId {
        &self.0
    }

    /// A seat's conversation as the source of another seat: the one conversion between the two.
    pub fn as_source(&self) -> SourceId {
        SourceId(self.0.clone())
    }
}

impl fmt::Display for SeatToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0.native_id.as_str())
    }
}
