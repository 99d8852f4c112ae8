//! Rollouts as tests handle them: the lines of one conversation, its header first.

use std::{fs, path::Path};

use serde_json::Value;
use uuid::Uuid;

use crate::transcript::{Row, Transcript};

/// A rollout file, read whole.
#[derive(Clone, Debug)]
pub struct Rollout {
    /// The conversation's native id, by its header.
    pub id: String,
    /// Its lines.
    pub rows: Vec<Row>,
}

impl Rollout {
    /// Reads a rollout.
    ///
    /// # Panics
    /// When it cannot be read, a line is no JSON, or the first is no header.
    #[track_caller]
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path)
            .unwrap_or_else(|err| panic!("read the rollout {}: {err}", path.display()));
        let rows = Transcript::rows_of(&text);
        let first = rows.first().unwrap_or_else(|| panic!("{} is empty", path.display()));
        assert_eq!(first.kind(), "session_meta", "{}", path.display());
        let id = first.json["payload"]["id"].as_str().expect("a header has an id").to_owned();
        Self { id, rows }
    }

    /// What its first line says of it: `payload` of `session_meta`.
    pub fn header(&self) -> &Value {
        &self.rows[0].json["payload"]
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        self.rows.iter().map(|row| row.text.clone() + "\n").collect::<Vec<_>>().concat()
    }

    /// The same conversation under a new id, in every line that names the old one.
    #[must_use]
    pub fn under_new_id(&self) -> Self {
        let id = Uuid::now_v7().to_string();
        let text = self.text().replace(&self.id, &id);
        Self { id, rows: Transcript::rows_of(&text) }
    }

    /// The place of the first line of a kind (`type` of its payload), from a line on.
    pub fn find(&self, kind: &str, from: usize) -> Option<usize> {
        let is = |row: &Row| row.json["payload"]["type"] == kind;
        self.rows.iter().skip(from).position(is).map(|at| at + from)
    }
}

/// Of a header: the parent's id, the ordinal and the byte at which its part of the history ends.
pub fn history_base(header: &Value) -> Option<(String, u64, u64)> {
    let base = &header["history_base"];
    Some((
        base["thread_id"].as_str()?.to_owned(),
        base["end_ordinal_exclusive"].as_u64()?,
        base["end_byte_offset"].as_u64()?,
    ))
}
