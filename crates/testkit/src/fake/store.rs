//! The files of the fake runtime: where conversations are, and rows as the real one writes them.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use uuid::Uuid;

use crate::{process, transcript::project_slug};

/// The place a fake runtime runs in.
#[derive(Clone, Debug)]
pub(super) struct Store {
    /// `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub(super) dir: PathBuf,
    /// The home.
    pub(super) home: PathBuf,
    /// The real path of the working directory.
    pub(super) cwd: PathBuf,
    /// The version that writes.
    pub(super) version: String,
}

impl Store {
    /// The store of this process.
    pub(super) fn here(version: &str) -> io::Result<Self> {
        let home = process::var("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from);
        let dir = process::var("CLAUDE_CONFIG_DIR").filter(|dir| !dir.is_empty());
        let dir = dir.map_or_else(|| home.join(".claude"), PathBuf::from);
        let cwd = std::env::current_dir()?.canonicalize()?;
        Ok(Self { dir, home, cwd, version: version.into() })
    }

    /// Where a new conversation of this working directory is written.
    pub(super) fn path(&self, id: &str) -> PathBuf {
        self.dir.join("projects").join(project_slug(&self.cwd)).join(format!("{id}.jsonl"))
    }

    /// Where a conversation is; of several copies the one of this working directory.
    pub(super) fn find(&self, id: &str) -> Option<PathBuf> {
        let own = self.path(id);
        if own.exists() {
            return Some(own);
        }
        // No folder, no conversation.
        let projects = fs::read_dir(self.dir.join("projects")).ok()?;
        let files = projects.filter_map(Result::ok).map(|e| e.path().join(format!("{id}.jsonl")));
        let mut found = files.filter(|path| path.exists());
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// A row of the conversation: its own fields, then those every such row has.
    pub(super) fn row(
        &self,
        parent: Option<&str>,
        id: &str,
        entrypoint: &str,
        own: &Value,
    ) -> Value {
        let mut row = json!({
            "parentUuid": parent, "isSidechain": false, "uuid": Uuid::new_v4().to_string(),
            "timestamp": now(), "userType": "external", "entrypoint": entrypoint,
            "cwd": self.cwd, "sessionId": id, "version": self.version, "gitBranch": "HEAD",
        });
        if let (Some(row), Some(own)) = (row.as_object_mut(), own.as_object()) {
            row.extend(own.clone());
        }
        row
    }
}

/// Appends text to a transcript, making it and its folder if need be, in one write.
pub(super) fn append(path: &Path, text: &str) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

/// The time as the real program writes it: UTC, milliseconds.
pub(super) fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}

/// Milliseconds since 1970.
pub(super) fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}
