//! The files of the fake Codex: where rollouts are, their lines as the real one writes them.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use uuid::Uuid;

use crate::{process, transcript::Row};

/// The place a fake Codex runs in.
#[derive(Clone, Debug)]
pub(super) struct Store {
    /// `$CODEX_HOME`, else `~/.codex`.
    pub(super) dir: PathBuf,
    /// The version that writes.
    pub(super) version: String,
}

/// A conversation as it is read.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub(super) id: String,
    pub(super) path: PathBuf,
    /// Its complete lines.
    pub(super) rows: Vec<Row>,
    /// The byte after each of them.
    pub(super) ends: Vec<u64>,
}

impl Thread {
    /// Whether it is of the format before pagination.
    pub(super) fn is_legacy(&self) -> bool {
        self.rows[0].json["payload"]["history_mode"] != "paginated"
    }

    /// The ordinal after the first so many rows.
    pub(super) fn ordinal_after(&self, rows: usize) -> u64 {
        let last = rows.checked_sub(1).and_then(|at| self.rows[at].json["ordinal"].as_u64());
        last.map_or(0, |ordinal| ordinal + 1)
    }
}

impl Store {
    /// The store of this process.
    pub(super) fn here(version: &str) -> io::Result<Self> {
        let home = process::var("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from);
        let dir = process::var("CODEX_HOME").filter(|dir| !dir.is_empty());
        let dir = dir.map_or_else(|| home.join(".codex"), PathBuf::from);
        if !dir.is_dir() {
            fs::create_dir_all(&dir)?;
        }
        Ok(Self { dir, version: version.into() })
    }

    /// Where a new conversation is written.
    pub(super) fn path(&self, id: &str) -> PathBuf {
        let now = now();
        let (day, time) = (now[..10].replace('-', "/"), now[..19].replace(':', "-"));
        self.dir.join("sessions").join(day).join(format!("rollout-{time}-{id}.jsonl"))
    }

    /// Where a conversation is.
    pub(super) fn find(&self, id: &str) -> Option<PathBuf> {
        let mut found = Vec::new();
        below(&self.dir.join("sessions"), &format!("-{id}.jsonl"), &mut found);
        found.into_iter().next()
    }

    /// A conversation read as the real program does: up to its last complete line. The error is
    /// what the real program says.
    pub(super) fn read(&self, id: &str) -> Result<Thread, String> {
        if Uuid::parse_str(id).is_err() {
            return Err(format!("Session not found: {id}"));
        }
        let mut archived = Vec::new();
        below(&self.dir.join("archived_sessions"), &format!("-{id}.jsonl"), &mut archived);
        if !archived.is_empty() {
            return Err(format!(
                "session {id} is archived. Run `codex unarchive {id}` to unarchive it first."
            ));
        }
        let path = self.find(id).ok_or(format!("no rollout found for thread id {id}"))?;
        let text = fs::read_to_string(&path).map_err(|err| format!("{}: {err}", path.display()))?;
        let (mut rows, mut ends, mut end) = (Vec::new(), Vec::new(), 0);
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            end += line.len() as u64;
            let line = line.trim_end_matches('\n');
            let Ok(json) = serde_json::from_str(line) else { continue };
            rows.push(Row { text: line.to_owned(), json });
            ends.push(end);
        }
        if rows.is_empty() {
            return Err(format!("rollout at {} is empty", path.display()));
        }
        Ok(Thread { id: id.to_owned(), path, rows, ends })
    }

    /// The lock of a conversation's writer, held by this process; `None` when another has it.
    pub(super) fn lock(&self, id: &str) -> io::Result<Option<File>> {
        let folder = self.dir.join("thread-writer-locks");
        fs::create_dir_all(&folder)?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join(format!("{id}.lock")))?;
        Ok(lock.try_lock().is_ok().then_some(lock))
    }
}

fn below(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    // No folder, no conversation.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            below(&path, ending, found);
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
}

/// One line. Only the paginated format counts them.
pub(super) fn line(ordinal: Option<u64>, kind: &str, payload: &Value) -> Row {
    let ordinal = ordinal.map(|ordinal| format!(",\"ordinal\":{ordinal}")).unwrap_or_default();
    let text = format!(
        "{{\"timestamp\":\"{}\"{ordinal},\"type\":\"{kind}\",\"payload\":{payload}}}",
        now()
    );
    let json = serde_json::from_str(&text).unwrap_or_default();
    Row { text, json }
}

/// What is said in one turn, and the answer to it.
pub(super) fn turn(mut ordinal: Option<u64>, prompt: &str) -> Vec<Row> {
    let turn = Uuid::now_v7().to_string();
    let message = |role: &str, kind: &str, text: &str| {
        json!({"type": "message", "id": format!("msg_{}", Uuid::now_v7()), "role": role,
               "content": [{"type": kind, "text": text}]})
    };
    let answer = "FAKE-REPLY";
    let rows = [
        ("event_msg", json!({"type": "task_started", "turn_id": turn})),
        ("response_item", message("user", "input_text", prompt)),
        ("response_item", message("assistant", "output_text", answer)),
        (
            "event_msg",
            json!({"type": "task_complete", "turn_id": turn, "last_agent_message": answer}),
        ),
    ];
    let count = |(kind, payload): (&str, Value)| {
        let row = line(ordinal, kind, &payload);
        ordinal = ordinal.map(|ordinal| ordinal + 1);
        row
    };
    rows.map(count).into()
}

/// Appends text to a rollout, making it and its folder if need be, in one write.
pub(super) fn append(path: &Path, text: &str) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

pub(super) fn lines(rows: &[Row]) -> String {
    rows.iter().map(|row| row.text.clone() + "\n").collect::<Vec<_>>().concat()
}

/// The time as the real program writes it: UTC, milliseconds.
pub(super) fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}
