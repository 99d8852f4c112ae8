//! The first line of a rollout: whose it is, and what it goes on from.
//!
//! Only the first line counts. A child that copied its source's history holds
//! the source's first line too, further down.

use crate::record::{MAX_LINE, RecordFile};
use serde::Deserialize;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes asked for at a time: the first line holds the instructions, 14 to 20 KB.
const PIECE: usize = 32 * 1024;

/// What a first line says. Only what must hold is read.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Meta {
    /// The thread.
    pub(super) id: String,
    /// The thread it was forked from.
    pub(super) forked_from_id: Option<String>,
    /// Who asked for it; a launch's mark stands here.
    #[serde(default)]
    pub(super) thread_source: Mark,
    /// Where it was started.
    pub(super) cwd: Option<String>,
    /// The version that wrote it.
    pub(super) cli_version: Option<String>,
    /// `paginated`, or `legacy`, which older versions do not say.
    pub(super) history_mode: Option<String>,
    /// Where its history goes on from.
    pub(super) history_base: Option<Base>,
    /// What it was started as; a word for a thread of its own, an object for one that another thread started.
    #[serde(default)]
    pub(super) source: Origin,
}

/// A place in another rollout.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Base {
    /// That rollout's own id.
    pub(super) thread_id: String,
    /// The ordinal after the last record that is taken.
    pub(super) end_ordinal_exclusive: u64,
    /// The byte after it.
    pub(super) end_byte_offset: u64,
}

/// A word, or something else, which is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "serde_json::Value")]
pub(super) struct Mark(pub(super) Option<String>);

impl From<serde_json::Value> for Mark {
    fn from(value: serde_json::Value) -> Self {
        Self(value.as_str().map(ToOwned::to_owned))
    }
}

/// Whether another thread of the same program started this one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "serde_json::Value")]
pub(super) struct Origin {
    pub(super) is_helper: bool,
}

impl From<serde_json::Value> for Origin {
    fn from(value: serde_json::Value) -> Self {
        Self { is_helper: value.get("subagent").is_some() }
    }
}

impl Meta {
    /// Reads a first line.
    pub(super) fn parse(line: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Line {
            r#type: String,
            payload: Meta,
        }
        #[derive(Deserialize)]
        struct Kind {
            r#type: Option<String>,
        }
        match serde_json::from_slice::<Line>(line) {
            Ok(line) if line.r#type == "session_meta" => Ok(line.payload),
            Ok(_) => Err("it is no session_meta".to_owned()),
            Err(error) => match serde_json::from_slice::<Kind>(line) {
                Ok(Kind { r#type: Some(kind) }) if kind != "session_meta" => {
                    Err("it is no session_meta".to_owned())
                }
                _ => {
                    let what = error.to_string();
                    Err(what.split(" at line ").next().unwrap_or_default().to_owned())
                }
            },
        }
    }

    /// Whether the history goes on from another rollout's bytes.
    pub(super) fn is_paginated(&self) -> bool {
        self.history_mode.as_deref() == Some("paginated")
    }
}

/// The first line of a record, without its line feed; `None` while it is not whole.
pub(super) fn first_line(record: &RecordFile) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    while (line.len() as u64) < record.bytes && line.len() < MAX_LINE {
        let start = line.len();
        line.resize(start + PIECE, 0);
        let read = record.file.read_at(&mut line[start..], start as u64)?;
        line.truncate(start + read);
        if let Some(end) = memchr::memchr(b'\n', &line[start..]) {
            line.truncate(start + end);
            return Ok(Some(line));
        }
        if read == 0 {
            break;
        }
    }
    Ok(None)
}
