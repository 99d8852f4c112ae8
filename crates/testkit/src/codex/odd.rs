//! Rollouts that are not what they should be, and large ones; each is written beside the one it
//! is made from, under an id of its own.

use std::{
    collections::HashMap,
    fs::{self, OpenOptions},
    io::{BufWriter, Write as _},
    path::PathBuf,
};

use uuid::Uuid;

use super::{CodexHome as _, CodexThread};
use crate::{
    TestEnv,
    transcript::{Row, write_private},
};

impl CodexThread {
    /// Its last line cut in the middle, without a newline.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn torn(&self) -> Self {
        let new = self.edited(|_| {});
        let text = new.bytes();
        let last = text[..text.len() - 1].iter().rposition(|b| *b == b'\n').unwrap_or(0);
        write_private(&new.path, &text[..last + (text.len() - last) / 2]);
        new
    }

    /// With a line of binary rubbish in its middle. The line's number, counted from 1.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn with_garbage(&self) -> (Self, usize) {
        let new = self.edited(|_| {});
        let text = new.bytes();
        let mut lines: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').collect();
        let at = lines.len() / 2;
        lines.insert(at, b"\x00\xff{\"type\":\"response_item\",\n");
        write_private(&new.path, &lines.concat());
        (new, at + 1)
    }

    /// Two lines glued together. The line's number, counted from 1.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn with_glued_rows(&self) -> (Self, usize) {
        let at = self.read().rows.len() / 2;
        let new = self.edited(|r| r.rows[at].text.insert_str(0, "{\"timestamp\":\"2026-1"));
        (new, at + 1)
    }

    /// Of no length.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn emptied(&self) -> Self {
        let new = self.edited(|_| {});
        write_private(&new.path, b"");
        new
    }

    /// The header alone: nothing was said.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn only_header(&self) -> Self {
        self.edited(|rollout| rollout.rows.truncate(1))
    }

    /// A header that names another conversation than the file does.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn with_wrong_header(&self) -> Self {
        let new = self.edited(|_| {});
        let other = Uuid::now_v7().to_string();
        let text = String::from_utf8(new.bytes()).expect("a rollout is text");
        write_private(&new.path, text.replace(&new.id, &other).as_bytes());
        new
    }

    /// A directory where the rollout should be.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn as_directory(&self) -> Self {
        let id = Uuid::now_v7().to_string();
        let path = self.sibling(&id);
        fs::create_dir(&path).expect("make the directory");
        Self { id, path, ..self.clone() }
    }

    /// The path of its rollout a symbolic link to a real one.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn as_symlink(&self) -> Self {
        let real = self.edited(|_| {});
        let aside = real.path.with_extension("aside");
        fs::rename(&real.path, &aside).expect("put it aside");
        std::os::unix::fs::symlink(&aside, &real.path).expect("make the link");
        real
    }

    /// A copy of it in the folder of another day: the same id in two places.
    ///
    /// # Panics
    /// When it cannot be copied.
    #[must_use]
    pub fn on_two_days(&self, env: &TestEnv) -> (Self, PathBuf) {
        let new = self.edited(|_| {});
        let folder = env.codex_dir().join("sessions/2020/01/02");
        fs::create_dir_all(&folder).expect("make the folder of a day");
        let copy = folder.join(new.path.file_name().unwrap_or_default());
        fs::copy(&new.path, &copy).expect("copy the rollout");
        (new, copy)
    }

    /// Archived by Codex itself.
    ///
    /// # Panics
    /// When the real program does not.
    #[must_use]
    #[track_caller]
    pub fn archived(&self, env: &TestEnv) -> Self {
        drop(env.codex(&self.cwd, ["archive", &self.id]).exits(0));
        Self { path: env.rollout_of(&self.id), ..self.clone() }
    }

    /// Compressed, as Codex keeps old ones.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn compressed(&self) -> Self {
        let new = self.edited(|_| {});
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        let packed = ruzstd::encoding::compress_to_vec(new.bytes().as_slice(), level);
        let path = new.path.with_extension("jsonl.zst");
        write_private(&path, &packed);
        fs::remove_file(&new.path).expect("take the plain one away");
        Self { path, ..new }
    }

    /// In the format before pagination: no `history_mode`, no ordinals. A child of it is a copy.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn as_legacy(&self) -> Self {
        self.edited(|rollout| {
            for row in &mut rollout.rows {
                let mut json = row.json.clone();
                if let Some(fields) = json.as_object_mut() {
                    fields.remove("ordinal");
                }
                if let Some(payload) = json["payload"].as_object_mut() {
                    payload.remove("history_mode");
                }
                *row = Row::new(json);
            }
        })
    }

    /// Grown to at least so many bytes by valid turns. Codex has it in no index.
    ///
    /// # Panics
    /// When it has no whole turn to copy, or cannot be written.
    #[must_use]
    pub fn grown(&self, bytes: u64) -> Self {
        let new = self.edited(|_| {});
        let rollout = new.read();
        let start =
            rollout.rows.iter().rposition(|row| row.json["payload"]["type"] == "task_started");
        let turn = &rollout.rows[start.expect("a turn begins")..];
        let mut ordinal = rollout.rows.last().and_then(|row| row.json["ordinal"].as_u64());
        let file = OpenOptions::new().append(true).open(&new.path).expect("open it");
        let mut size = file.metadata().expect("its size").len();
        let mut file = BufWriter::new(file);
        while size < bytes {
            for line in again(turn, &new.id, &mut ordinal) {
                size += line.len() as u64 + 1;
                writeln!(file, "{line}").expect("append a row");
            }
        }
        file.flush().expect("append the rows");
        new
    }
}

/// The lines of a turn once more: with ids of its own, ordinals that go on, and a long answer.
fn again(turn: &[Row], thread: &str, ordinal: &mut Option<u64>) -> Vec<String> {
    let mut ids: HashMap<String, String> = HashMap::new();
    let long = "lorem ipsum ".repeat(800);
    let mut lines = Vec::new();
    for row in turn {
        let mut json = row.json.clone();
        if let Some(ordinal) = ordinal {
            *ordinal += 1;
            json["ordinal"] = (*ordinal).into();
        }
        let payload = &mut json["payload"];
        if payload["type"] == "message" && payload["role"] == "assistant" {
            payload["content"][0]["text"] = long.clone().into();
        }
        let mut line = String::new();
        for word in json.to_string().split_inclusive(['"', '_']) {
            let bare = word.trim_end_matches(['"', '_']);
            if is_id(bare) && bare != thread {
                let new = ids.entry(bare.to_owned()).or_insert_with(|| like(bare));
                line += &word.replace(bare, new);
            } else {
                line += word;
            }
        }
        lines.push(line);
    }
    lines
}

/// Whether a word is an id: a UUID, with or without its dashes.
fn is_id(word: &str) -> bool {
    matches!(word.len(), 32 | 36) && Uuid::parse_str(word).is_ok()
}

fn like(id: &str) -> String {
    let new = Uuid::now_v7();
    if id.len() == 32 { new.simple().to_string() } else { new.to_string() }
}
