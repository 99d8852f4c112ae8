//! The identity of a conversation: (runtime, scope, native id) (SPEC 1).

use crate::words::Runtime;
use std::fmt;
use thiserror::Error;

/// A runtime's own id of a conversation, exactly as the runtime spells it (SPEC 3).
///
/// Held to the safety charset `[A-Za-z0-9_][A-Za-z0-9._-]*`, at most 200
/// bytes. Whether a runtime accepts the shape is its adapter's answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NativeId(String);

/// Why a text is no native id.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NativeIdError {
    /// Nothing there.
    #[error("a native id is not empty")]
    Empty,
    /// Over 200 bytes.
    #[error("a native id has at most 200 bytes, this has {bytes}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// A character outside the charset, at a byte offset.
    #[error("a native id holds only letters, digits, '.', '_' and '-', and starts with a letter, digit or '_'; found {} at byte {at}", .found.escape_default())]
    Unsafe {
        /// The first such character.
        found: char,
        /// Its byte offset.
        at: usize,
    },
}

impl NativeId {
    /// The longest native id, in bytes.
    pub const MAX_BYTES: usize = 200;

    /// Takes a text as it is, or says why it cannot be a native id.
    ///
    /// ```
    /// use seatfork_schema::NativeId;
    /// assert!(NativeId::new("0b0165d7-cb4d-4650-90de-15c0a1ede9e6").is_ok());
    /// assert!(NativeId::new("$(id)").is_err());
    /// ```
    pub fn new(text: impl Into<String>) -> Result<Self, NativeIdError> {
        let text = text.into();
        if text.is_empty() {
            return Err(NativeIdError::Empty);
        }
        if text.len() > Self::MAX_BYTES {
            return Err(NativeIdError::TooLong { bytes: text.len() });
        }
        let bad = text.char_indices().find(|&(at, c)| {
            let ok = c.is_ascii_alphanumeric() || c == '_' || (at > 0 && matches!(c, '.' | '-'));
            !ok
        });
        match bad {
            Some((at, found)) => Err(NativeIdError::Unsafe { found, at }),
            None => Ok(Self(text)),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is a lower-case hyphenated UUID, as Claude Code and Codex need.
    pub fn is_lowercase_uuid(&self) -> bool {
        let bytes = self.0.as_bytes();
        bytes.len() == 36
            && bytes.iter().enumerate().all(|(at, b)| match at {
                8 | 13 | 18 | 23 => *b == b'-',
                _ => b.is_ascii_digit() || (b'a'..=b'f').contains(b),
            })
    }
}

impl fmt::Display for NativeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl serde::Serialize for NativeId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> serde::Deserialize<'de> for NativeId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// Where a native id is unique: everywhere for Claude Code and Codex, in one workspace for pixir (SPEC 1).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Scope(String);

impl Scope {
    /// The scope of runtimes whose ids are unique everywhere.
    pub fn everywhere() -> Self {
        Self::default()
    }

    /// A pixir workspace by its real path.
    pub fn workspace(real_path: impl Into<String>) -> Self {
        Self(real_path.into())
    }

    /// The path, or the empty string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One conversation of one runtime.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConversationId {
    /// The runtime that holds it.
    pub runtime: Runtime,
    /// Where its id is unique.
    pub scope: Scope,
    /// The runtime's own id.
    pub native_id: NativeId,
}

impl ConversationId {
    /// A conversation of a runtime whose ids are unique everywhere.
    pub fn new(runtime: Runtime, native_id: NativeId) -> Self {
        Self { runtime, scope: Scope::everywhere(), native_id }
    }

    /// Whether both name one conversation, where Claude Code and Codex ids differ by case only if at all (SPEC 6: "by case or padding too").
    pub fn is_same(&self, other: &Self) -> bool {
        self.runtime == other.runtime
            && self.scope == other.scope
            && if self.runtime == Runtime::Pixir {
                self.native_id == other.native_id
            } else {
                self.native_id.as_str().eq_ignore_ascii_case(other.native_id.as_str())
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 3: the safety charset of a native id.
    #[test]
    fn hostile_ids_are_refused_before_anything_else() {
        for bad in [
            "",
            " x",
            "x ",
            "--help",
            ".x",
            "../x",
            "$(id)",
            "a b",
            "a/b",
            "ä",
            "x\n",
            "x\u{200b}",
            "a;b",
        ] {
            assert!(NativeId::new(bad).is_err(), "{bad:?}");
        }
        assert!(NativeId::new("x".repeat(200)).is_ok());
        assert_eq!(NativeId::new("x".repeat(201)), Err(NativeIdError::TooLong { bytes: 201 }));
    }

    // SPEC 6: an id equal to the source's by case is the source's.
    #[test]
    fn ids_that_differ_by_case_name_one_conversation() {
        let id = |runtime, text: &str| ConversationId::new(runtime, NativeId::new(text).unwrap());
        assert!(id(Runtime::ClaudeCode, "AB").is_same(&id(Runtime::ClaudeCode, "ab")));
        assert!(!id(Runtime::Pixir, "AB").is_same(&id(Runtime::Pixir, "ab")));
        assert!(!id(Runtime::Codex, "ab").is_same(&id(Runtime::ClaudeCode, "ab")));
    }
}
