//! Ids of sessions, events and resources.

use jiff::Timestamp;
use seatfork_schema::{NativeId, NativeIdError, Runtime};
use std::fmt;
use thiserror::Error;

/// The id of a session: the name of its log, and its native id as a `pixir` conversation.
///
/// 1 to 235 bytes: a letter, number or `_`, then letters, numbers, combining
/// marks, `_`, `.`, `-`. So no id is a path, and every one is a file name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(String);

/// Why a text is no session id. The text itself is never repeated.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SessionIdError {
    /// Nothing there.
    #[error("a session id is not empty")]
    Empty,
    /// Over 235 bytes.
    #[error("a session id has at most {} bytes, this has {bytes}", SessionId::MAX_BYTES)]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Its first character is none that an id may start with.
    #[error("a session id starts with a letter, a number or '_'")]
    InvalidStart,
    /// A character no id has, at a byte offset.
    #[error(
        "a session id holds only letters, numbers, combining marks, '_', '.' and '-'; byte {at} is none of them"
    )]
    InvalidCharacter {
        /// Its byte offset.
        at: usize,
    },
    /// Readable, but never given to a new log: its files would be taken for those of another session.
    #[error("a new session id neither ends in .ndjson nor holds .ndjson.tmp-")]
    Reserved,
}

impl SessionIdError {
    /// A stable word for the reason.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong { .. } => "too_long",
            Self::InvalidStart => "invalid_start",
            Self::InvalidCharacter { .. } => "invalid_character",
            Self::Reserved => "reserved",
        }
    }
}

impl SessionId {
    /// The longest session id, in bytes: a file name less what the name of an unfinished log adds.
    pub const MAX_BYTES: usize = NativeId::MAX_SESSION_BYTES;

    /// Takes a text as it is, or says why it is no session id. No file system is asked.
    ///
    /// ```
    /// use seatfork_sessionlog::SessionId;
    /// assert!(SessionId::new("20260101T000000-abcdef").is_ok());
    /// assert_eq!(SessionId::new("../etc").unwrap_err().reason(), "invalid_start");
    /// ```
    pub fn new(text: impl Into<String>) -> Result<Self, SessionIdError> {
        let text = text.into();
        match NativeId::for_runtime(Runtime::Pixir, text.as_str()) {
            Ok(_) => Ok(Self(text)),
            Err(NativeIdError::Empty) => Err(SessionIdError::Empty),
            Err(NativeIdError::SessionTooLong { bytes } | NativeIdError::TooLong { bytes }) => {
                Err(SessionIdError::TooLong { bytes })
            }
            Err(NativeIdError::NotASession { at: 0, .. } | NativeIdError::Unsafe { at: 0, .. }) => {
                Err(SessionIdError::InvalidStart)
            }
            Err(NativeIdError::NotASession { at, .. } | NativeIdError::Unsafe { at, .. }) => {
                Err(SessionIdError::InvalidCharacter { at })
            }
            Err(NativeIdError::NotAPiPath { .. }) => {
                Err(SessionIdError::InvalidCharacter { at: 0 })
            }
        }
    }

    /// Takes a text as the id of a log that is yet to be made.
    pub fn for_new_log(text: impl Into<String>) -> Result<Self, SessionIdError> {
        let id = Self::new(text)?;
        if id.is_reserved() { Err(SessionIdError::Reserved) } else { Ok(id) }
    }

    /// A new random id, `YYYYMMDDTHHMMSS-` and 64 random bits in hexadecimal.
    pub fn generate(at: Timestamp) -> Result<Self, RandomError> {
        let random = u64::from_be_bytes(random_bytes()?);
        Ok(Self(format!("{}-{random:016x}", at.strftime("%Y%m%dT%H%M%S"))))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of its log in the folder of sessions.
    pub fn log_name(&self) -> String {
        format!("{}.ndjson", self.0)
    }

    pub(crate) fn is_reserved(&self) -> bool {
        self.0.ends_with(".ndjson") || self.0.contains(UNFINISHED)
    }
}

/// What stands between a session id and the random end of the name of something unfinished.
pub(crate) const UNFINISHED: &str = ".ndjson.tmp-";

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl serde::Serialize for SessionId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// The system gave no random numbers, without which no id is unique.
#[derive(Debug, Clone, Error)]
#[error("the system gave no random numbers for a new id")]
pub struct RandomError(#[source] getrandom::Error);

pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], RandomError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(RandomError)?;
    Ok(bytes)
}

/// Eight random hexadecimal digits: what tells the names of unfinished things apart.
pub(crate) fn random_suffix() -> Result<String, RandomError> {
    Ok(format!("{:08x}", u32::from_be_bytes(random_bytes()?)))
}

/// Event ids, 16 lower-case hexadecimal digits each, with one call of the system for 512 of them.
#[derive(Debug)]
pub(crate) struct EventIds {
    pool: [u8; 4096],
    used: usize,
}

impl EventIds {
    pub(crate) fn new() -> Self {
        Self { pool: [0; 4096], used: 4096 }
    }

    pub(crate) fn next(&mut self) -> Result<[u8; 16], RandomError> {
        if self.used == self.pool.len() {
            getrandom::fill(&mut self.pool).map_err(RandomError)?;
            self.used = 0;
        }
        let mut id = [0; 16];
        for (byte, digits) in self.pool[self.used..self.used + 8].iter().zip(id.chunks_exact_mut(2))
        {
            digits[0] = HEX[usize::from(byte >> 4)];
            digits[1] = HEX[usize::from(byte & 15)];
        }
        self.used += 8;
        Ok(id)
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

pub(crate) fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// A time as logs have it: UTC with microseconds.
pub(crate) fn stamp(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 3: an id is held to its grammar before any path is built, and never repeated in the error.
    #[test]
    fn an_id_that_is_no_session_id_is_refused_with_its_reason_and_without_itself() {
        for (text, reason) in [
            ("", "empty"),
            ("../etc", "invalid_start"),
            (".x", "invalid_start"),
            ("\u{301}x", "invalid_start"),
            ("a/b", "invalid_character"),
            ("a b", "invalid_character"),
            ("a\u{0}", "invalid_character"),
            ("a\u{202e}b", "invalid_character"),
        ] {
            let error = SessionId::new(text).unwrap_err();
            assert_eq!(error.reason(), reason, "{text:?}");
            assert!(text.len() < 3 || !error.to_string().contains(text), "{error}");
        }
        assert!(SessionId::new("größe-٣.e\u{301}").is_ok());
        let wide = format!("{}é", "x".repeat(233));
        assert_eq!(wide.len(), 235);
        assert!(SessionId::new(wide.clone()).is_ok());
        assert_eq!(SessionId::new(format!("{wide}x")), Err(SessionIdError::TooLong { bytes: 236 }));
    }

    #[test]
    fn an_id_whose_files_would_be_anothers_is_not_given_to_a_new_log() {
        for text in ["a.ndjson", "a.ndjson.tmp-0011aabb", "a.ndjson.tmp-x"] {
            assert!(SessionId::new(text).is_ok(), "{text}");
            assert_eq!(SessionId::for_new_log(text), Err(SessionIdError::Reserved), "{text}");
        }
        assert!(SessionId::for_new_log("a.ndjson.b").is_ok());
    }

    #[test]
    fn generated_ids_differ_and_are_ids() {
        let at = "2026-01-02T03:04:05.678901Z".parse().unwrap();
        let (one, two) = (SessionId::generate(at).unwrap(), SessionId::generate(at).unwrap());
        assert_ne!(one, two);
        assert!(one.as_str().starts_with("20260102T030405-") && one.as_str().len() == 32);
        assert!(SessionId::for_new_log(one.as_str()).is_ok());
        let mut ids = EventIds::new();
        let all: std::collections::BTreeSet<_> = (0..2000).map(|_| ids.next().unwrap()).collect();
        assert_eq!(all.len(), 2000);
        assert_eq!(stamp(at), "2026-01-02T03:04:05.678901Z");
    }
}
