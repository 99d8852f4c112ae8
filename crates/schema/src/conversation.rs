//! The identity of a conversation: (runtime, scope, native id) (SPEC 1).

use crate::printable::is_printable;
use crate::words::Runtime;
use std::fmt;
use thiserror::Error;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// A runtime's own id of a conversation, exactly as the runtime spells it (SPEC 3).
///
/// Held to what is safe for its runtime: for Claude Code and Codex the charset
/// `[A-Za-z0-9_][A-Za-z0-9._-]*` in at most 200 bytes; for pixir its session id
/// grammar; for pi that charset or an absolute path to a `.jsonl`. Whether a
/// runtime accepts the shape is its adapter's answer.
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
    #[error("a native id holds only letters, digits, '.', '_' and '-', and starts with a letter, digit or '_'; found '{}' at byte {at}", .found.escape_default())]
    Unsafe {
        /// The first such character.
        found: char,
        /// Its byte offset.
        at: usize,
    },
    /// A character outside pixir's session id grammar, at a byte offset.
    #[error("a pixir session id holds only letters, numbers, combining marks, '.', '_' and '-', and starts with a letter, number or '_'; found '{}' at byte {at}", .found.escape_default())]
    NotASession {
        /// The first such character.
        found: char,
        /// Its byte offset.
        at: usize,
    },
    /// Over the limit of pixir's session ids.
    #[error(
        "a pixir session id has at most {} bytes, this has {bytes}",
        NativeId::MAX_SESSION_BYTES
    )]
    SessionTooLong {
        /// Its length.
        bytes: usize,
    },
    /// A path that is no pi conversation.
    #[error(
        "a pi conversation given as a path is an absolute path to a .jsonl without \"..\" and control characters; this one {why}"
    )]
    NotAPiPath {
        /// Why not, as a fragment.
        why: &'static str,
    },
}

impl NativeId {
    /// The longest native id of Claude Code and Codex, in bytes.
    pub const MAX_BYTES: usize = 200;
    /// The longest session id of pixir, in bytes.
    pub const MAX_SESSION_BYTES: usize = 235;
    /// The longest path of a pi conversation, in bytes.
    pub const MAX_PATH_BYTES: usize = 4096;

    /// Takes a text of the common safety charset as it is, or says why it cannot be a native id.
    ///
    /// ```
    /// use seatfork_schema::NativeId;
    /// assert!(NativeId::new("0b0165d7-cb4d-4650-90de-15c0a1ede9e6").is_ok());
    /// assert!(NativeId::new("$(id)").is_err());
    /// ```
    pub fn new(text: impl Into<String>) -> Result<Self, NativeIdError> {
        let text = text.into();
        safe(&text)?;
        Ok(Self(text))
    }

    /// Takes a text that is safe for a runtime as it is (SPEC 3).
    ///
    /// ```
    /// use seatfork_schema::{NativeId, Runtime};
    /// assert!(NativeId::for_runtime(Runtime::Pixir, "größe-1").is_ok());
    /// assert!(NativeId::for_runtime(Runtime::Codex, "größe-1").is_err());
    /// assert!(NativeId::for_runtime(Runtime::Pi, "/srv/pi/a.jsonl").is_ok());
    /// ```
    pub fn for_runtime(runtime: Runtime, text: impl Into<String>) -> Result<Self, NativeIdError> {
        let text = text.into();
        match runtime {
            Runtime::ClaudeCode | Runtime::Codex | Runtime::Terminal => safe(&text)?,
            Runtime::Pixir => session(&text)?,
            Runtime::Pi => {
                if text.contains('/') {
                    pi_path(&text)?;
                } else {
                    safe(&text)?;
                }
            }
        }
        Ok(Self(text))
    }

    /// Takes a text that is safe for some runtime: for readers that do not know which one.
    pub fn for_any_runtime(text: impl Into<String>) -> Result<Self, NativeIdError> {
        let text = text.into();
        match safe(&text) {
            Ok(()) => Ok(Self(text)),
            Err(_) if session(&text).is_ok() || pi_path(&text).is_ok() => Ok(Self(text)),
            Err(error) => Err(error),
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

fn safe(text: &str) -> Result<(), NativeIdError> {
    if text.is_empty() {
        return Err(NativeIdError::Empty);
    }
    // The character first: in a hostile text it says more than the length.
    let bad = text.char_indices().find(|&(at, c)| {
        !(c.is_ascii_alphanumeric() || c == '_' || (at > 0 && matches!(c, '.' | '-')))
    });
    match bad {
        Some((at, found)) => Err(NativeIdError::Unsafe { found, at }),
        None if text.len() > NativeId::MAX_BYTES => {
            Err(NativeIdError::TooLong { bytes: text.len() })
        }
        None => Ok(()),
    }
}

fn session(text: &str) -> Result<(), NativeIdError> {
    if text.is_empty() {
        return Err(NativeIdError::Empty);
    }
    let bad = text.char_indices().find(|&(at, c)| {
        let group = c.general_category_group();
        let starts = matches!(group, GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
            || c == '_';
        !(starts || (at > 0 && (group == GeneralCategoryGroup::Mark || matches!(c, '.' | '-'))))
    });
    match bad {
        Some((at, found)) => Err(NativeIdError::NotASession { found, at }),
        None if text.len() > NativeId::MAX_SESSION_BYTES => {
            Err(NativeIdError::SessionTooLong { bytes: text.len() })
        }
        None => Ok(()),
    }
}

fn pi_path(text: &str) -> Result<(), NativeIdError> {
    let why = if !text.starts_with('/') {
        "is not absolute"
    } else if !text.as_bytes().ends_with(b".jsonl") {
        "does not end in .jsonl"
    } else if text.split('/').any(|segment| segment == "..") {
        "holds \"..\""
    } else if text.chars().any(|c| !is_printable(c)) {
        "holds a character that cannot be seen"
    } else if text.len() > NativeId::MAX_PATH_BYTES {
        "is over 4096 bytes"
    } else {
        return Ok(());
    };
    Err(NativeIdError::NotAPiPath { why })
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
        Self::for_any_runtime(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
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

    // SPEC 3: each runtime has its own shape of id, and none lets a control character or `..` through.
    #[test]
    fn each_runtime_takes_the_ids_of_its_own_shape() {
        let ok = |runtime, text: &str| NativeId::for_runtime(runtime, text).is_ok();
        assert!(ok(Runtime::Pixir, "20260101T000000-abcdef"));
        assert!(ok(Runtime::Pixir, "٣e\u{301}"));
        assert!(ok(Runtime::Pixir, &"x".repeat(235)) && !ok(Runtime::Pixir, &"x".repeat(236)));
        for bad in ["", ".x", "-x", "\u{301}x", "a/b", "a b", "x\n", "x\u{202e}"] {
            assert!(!ok(Runtime::Pixir, bad), "{bad:?}");
        }
        assert!(ok(Runtime::Pi, "abc-1") && ok(Runtime::Pi, "/a/b c.jsonl"));
        for bad in
            ["a/b.jsonl", "/a/../b.jsonl", "/a/b", "/a\n.jsonl", "/a\u{202e}.jsonl", "./a.jsonl"]
        {
            assert!(!ok(Runtime::Pi, bad), "{bad:?}");
        }
        assert!(!ok(Runtime::ClaudeCode, "/a/b.jsonl") && !ok(Runtime::Codex, "ä"));
        for text in ["abc", "größe", "/a/b.jsonl"] {
            assert!(NativeId::for_any_runtime(text).is_ok());
        }
        assert!(NativeId::for_any_runtime("a b").is_err());
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
