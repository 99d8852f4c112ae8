//! A workspace of a test's own, and lines to put into it.

use crate::id::SessionId;
use crate::workspace::Workspace;
use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

pub(crate) struct Home {
    _dir: TempDir,
    pub(crate) workspace: Workspace,
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(Utf8Path::from_path(dir.path()).unwrap()).unwrap();
        std::fs::create_dir_all(workspace.path().join(".pixir/sessions")).unwrap();
        Self { _dir: dir, workspace }
    }

    pub(crate) fn path(&self) -> &Utf8Path {
        self.workspace.path()
    }

    pub(crate) fn sessions(&self) -> Utf8PathBuf {
        self.path().join(".pixir/sessions")
    }

    pub(crate) fn log(&self, session: &str, text: &str) {
        self.log_bytes(session, text.as_bytes());
    }

    pub(crate) fn log_bytes(&self, session: &str, bytes: &[u8]) {
        std::fs::write(self.workspace.log_path(&id(session)), bytes).unwrap();
    }

    /// Every file below `.pixir`, by its path there.
    pub(crate) fn names(&self) -> Vec<String> {
        fn walk(folder: &Utf8Path, found: &mut Vec<Utf8PathBuf>) {
            for entry in folder.read_dir_utf8().unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_dir() {
                    walk(entry.path(), found);
                } else {
                    found.push(entry.into_path());
                }
            }
        }
        let (state, mut found) = (self.path().join(".pixir"), Vec::new());
        walk(&state, &mut found);
        let mut names: Vec<String> =
            found.iter().map(|path| path.strip_prefix(&state).unwrap().to_string()).collect();
        names.sort();
        names
    }

    /// Everything below the workspace: folders with their mode, files with mode and bytes, links with their target.
    pub(crate) fn all(&self) -> BTreeMap<String, (u32, String)> {
        all_below(self.path())
    }

    pub(crate) fn append(&self, session: &str, text: &str) {
        let path = self.workspace.log_path(&id(session));
        let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
}

/// A time, in milliseconds from one.
pub(crate) fn at(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(1_767_323_045_000 + ms).unwrap()
}

pub(crate) fn id(text: &str) -> SessionId {
    SessionId::new(text).unwrap()
}

/// One event as its line.
pub(crate) fn line(session: &str, seq: u64, kind: &str, data: &str) -> String {
    format!(
        "{{\"data\":{data},\"id\":\"{seq:016x}\",\"seq\":{seq},\"session_id\":\"{session}\",\"ts\":\"2026-01-02T03:04:05.000000Z\",\"type\":\"{kind}\"}}\n"
    )
}

pub(crate) fn all_below(root: &Utf8Path) -> BTreeMap<String, (u32, String)> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in folder.read_dir_utf8().unwrap() {
            let path = entry.unwrap().into_path();
            let facts = path.symlink_metadata().unwrap();
            let bytes = if facts.is_dir() {
                open.push(path.clone());
                Vec::new()
            } else if facts.is_symlink() {
                path.read_link_utf8().unwrap().into_string().into_bytes()
            } else {
                std::fs::read(&path).unwrap()
            };
            let name = path.strip_prefix(root).unwrap().to_string();
            let content = format!("{} bytes, {:x?}", bytes.len(), &Sha256::digest(&bytes)[..8]);
            found.insert(name, (facts.permissions().mode(), content));
        }
    }
    found
}

/// One line of a log, read by `serde_json` and not by us.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plain {
    pub(crate) id: String,
    pub(crate) session_id: String,
    pub(crate) seq: u64,
    pub(crate) ts: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(deserialize_with = "raw")]
    pub(crate) data: String,
}

fn raw<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(|raw| raw.get().to_owned())
}

impl Plain {
    /// Its data, decoded.
    pub(crate) fn value(&self) -> serde_json::Value {
        serde_json::from_str(&self.data).unwrap()
    }
}

/// All lines of a log, each of which must end in a line feed.
pub(crate) fn plain(path: &Utf8Path) -> Vec<Plain> {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
