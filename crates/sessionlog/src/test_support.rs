//! A workspace of a test's own, and lines to put into it.

use crate::id::SessionId;
use crate::workspace::Workspace;
use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use std::io::Write;
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
