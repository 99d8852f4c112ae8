//! The path of a value: `pods[0].members[1].session_source.ref.kind` (SPEC 13).
//!
//! Validation walks with a [`Path`], a linked list on the stack that costs
//! nothing until a problem needs its text. Keys that are not plain words stand
//! in brackets and quotes, so that a path has one reading.

use crate::printable;
use std::fmt::Write as _;

/// How many characters of a text from a spec are shown in a path or a message.
pub const SHOWN_CHARS: usize = 80;

/// One step of a walk, with the steps above it.
#[derive(Debug, Clone, Copy)]
pub struct Path<'p> {
    up: Option<&'p Self>,
    step: Step<'p>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl<'p> Path<'p> {
    /// The document itself, whose path is empty.
    pub const ROOT: Self = Self { up: None, step: Step::Root };

    /// The value of a key of the mapping here.
    #[must_use]
    pub const fn key(&'p self, key: &'p str) -> Self {
        Self { up: Some(self), step: Step::Key(key) }
    }

    /// An item of the list here, from 0.
    #[must_use]
    pub const fn index(&'p self, index: usize) -> Self {
        Self { up: Some(self), step: Step::Index(index) }
    }

    /// The text of the path.
    ///
    /// ```
    /// use seatfork_schema::path::Path;
    /// let pods = Path::ROOT.key("pods");
    /// let pod = pods.index(0);
    /// assert_eq!(pod.key("id").text(), "pods[0].id");
    /// assert_eq!(pod.key("a.b").text(), "pods[0][\"a.b\"]");
    /// ```
    pub fn text(&self) -> String {
        // Depth is bounded by the depth of a document, which is small.
        let mut text = self.up.map(Self::text).unwrap_or_default();
        match self.step {
            Step::Root => {}
            Step::Key(key) => push_key(&mut text, key),
            Step::Index(index) => push_index(&mut text, index),
        }
        text
    }
}

/// Adds a key to the text of a path.
pub fn push_key(path: &mut String, key: &str) {
    let plain = !key.is_empty()
        && key.len() <= SHOWN_CHARS
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if plain {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    } else {
        path.push_str("[\"");
        path.push_str(&shown(key));
        path.push_str("\"]");
    }
}

/// Adds an index to the text of a path.
pub fn push_index(path: &mut String, index: usize) {
    write!(path, "[{index}]").expect("a String takes any text");
}

/// A text from a spec as a message shows it: printable, and cut after [`SHOWN_CHARS`] characters.
pub fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", printable(&text[..end])),
        None => printable(text),
    }
}
