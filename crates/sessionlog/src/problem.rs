//! What can be wrong with one line of a log, and where.

use serde::Serialize;
use thiserror::Error;

/// What is wrong with a line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum LineProblem {
    /// Bytes that are no UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// The line ends inside a value.
    #[error("the line ends in the middle of a value")]
    Unfinished,
    /// Not JSON, or not the JSON of RFC 8259.
    #[error("not JSON: {what}")]
    Json {
        /// What was expected.
        what: &'static str,
    },
    /// Over 128 levels.
    #[error("over {} levels deep", crate::scan::MAX_DEPTH)]
    TooDeep,
    /// A value that is no object.
    #[error("an event is a JSON object")]
    NotAnObject,
    /// Something after the event.
    #[error("something stands after the event")]
    Trailing,
    /// A key no event has: reading past it would lose it.
    #[error("an event has no key `{}`", .key.escape_debug())]
    UnknownKey {
        /// The key, cut at 40 characters.
        key: String,
    },
    /// A key twice.
    #[error("`{key}` stands twice")]
    DuplicateKey {
        /// The key.
        key: &'static str,
    },
    /// A key that is not there.
    #[error("`{key}` is missing")]
    MissingKey {
        /// The key.
        key: &'static str,
    },
    /// A value of another type.
    #[error("`{key}` must be {wanted}")]
    WrongType {
        /// The key.
        key: &'static str,
        /// What it must be.
        wanted: &'static str,
    },
    /// A number that does not follow on the one before: events are missing, doubled or out of order.
    #[error("seq is {found} where {expected} must stand: {}", seq_said(*.expected, *.found))]
    Seq {
        /// The number that follows on the line before.
        expected: u64,
        /// The number that stands there.
        found: u64,
    },
    /// An event of another session.
    #[error("the event is of another session")]
    ForeignSession,
    /// A first line that says where the log comes from, and cannot be true.
    #[error("the first line's session_fork is not coherent: {why}")]
    Lineage {
        /// Why not.
        why: &'static str,
    },
    /// So many calls without a result that whether this one has one would be guessed.
    #[error("over {} tool calls stand without a result", crate::prefix::MOST_OPEN)]
    TooManyOpenCalls,
    /// A line over [`MAX_LINE`](crate::MAX_LINE) bytes.
    #[error("a line has at most {} bytes", crate::read::MAX_LINE)]
    LineTooLong,
}

fn seq_said(expected: u64, found: u64) -> &'static str {
    if found > expected { "events are missing" } else { "events stand twice or out of order" }
}

/// A problem at a byte of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misplaced {
    pub(crate) at: usize,
    pub(crate) problem: LineProblem,
}
