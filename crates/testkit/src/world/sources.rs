//! Sources of every odd kind: made by the real program where it can make them offline, else by
//! hand from what it made.

use std::{
    fs::{self, OpenOptions},
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
};

use serde_json::json;
use uuid::Uuid;

use super::{
    Parent, World,
    growing::{last_turn, turn},
    parent::{codeword, say_words},
};
use crate::{
    claude_home::ClaudeHome as _,
    transcript::{Row, Transcript, write_private},
};

/// Sources the real program makes.
impl World {
    /// Turns, `/compact`, turns, and so on: `turns[0]` turns before the first compaction. A last
    /// `0` makes a source compacted at its very end.
    ///
    /// # Panics
    /// When the real program does not make it.
    pub fn make_compacted(&self, cwd: &Path, turns: &[usize]) -> Parent {
        let mut talk = self.talk(cwd, &[]);
        let (mut codewords, mut left_out) = (Vec::new(), Vec::new());
        for (part, turns) in turns.iter().enumerate() {
            if part > 0 {
                talk.turn("/compact");
                left_out.append(&mut codewords);
            }
            codewords.extend(say_words(&mut talk, *turns));
        }
        self.parent(talk, codewords, left_out)
    }

    /// A conversation taken back to after its second turn and gone on from there.
    ///
    /// # Panics
    /// When the real program does not make it.
    pub fn make_rewound(&self, cwd: &Path) -> Parent {
        let first = self.make_parent(cwd, 4);
        let transcript = first.read();
        let second = transcript.replies()[1].uuid().expect("a reply has a uuid").to_owned();
        let mut talk = self.talk(cwd, &["--resume", &first.id, "--resume-session-at", &second]);
        let mut codewords = first.codewords[..2].to_vec();
        codewords.extend(say_words(&mut talk, 2));
        self.parent(talk, codewords, first.codewords[2..].to_vec())
    }

    /// A conversation with results of tools: one call, several at once, a file mentioned with
    /// `@`. What they bring are codewords too.
    ///
    /// # Panics
    /// When the real program does not make it.
    pub fn make_with_tools(&self, cwd: &Path) -> Parent {
        let words: Vec<_> = (0..5).map(|_| codeword()).collect();
        let file = cwd.join(format!("note-{}.txt", &words[2][9..]));
        fs::write(&file, format!("a note: {}\n", words[2])).expect("write the note");
        let bash = |text: &str| format!("[[tool Bash {}]]", json!({"command": text}));
        let read = format!("[[tool Read {}]]", json!({"file_path": file}));
        let mut talk = self.talk(cwd, &["--allowedTools", "Bash,Read"]);
        talk.turn(&format!("Turn 0: please remember {}", words[0]));
        // The words are put together by the shell, so that only its output has them whole.
        let split = |word: &str| bash(&format!("printf %s%s CODEWORD- {}", &word[9..]));
        talk.turn(&format!("Run this. {}", split(&words[1])));
        talk.turn(&format!("All of these. {} {read} {}", split(&words[3]), bash("echo done")));
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        talk.turn(&format!("See @{name} and remember {}", words[4]));
        let order = [0, 1, 3, 2, 4].map(|i| words[i].clone());
        self.parent(talk, order.to_vec(), Vec::new())
    }

    /// A conversation that had a sub-agent do something; the agent's own rows are a sidechain in
    /// a file beside it, and its word is known to the conversation by the agent's report.
    ///
    /// # Panics
    /// When the real program does not make it.
    pub fn make_with_subagent(&self, cwd: &Path) -> Parent {
        let mut talk = self.talk(cwd, &["--allowedTools", "Agent,Task"]);
        let codewords = say_words(&mut talk, 2);
        let call = json!({"description": "look", "prompt": "Say nothing.",
                          "subagent_type": "general-purpose"});
        talk.turn(&format!("Let it look. [[tool Agent {call}]]"));
        self.parent(talk, codewords, Vec::new())
    }
}

/// Sources made by hand from a real one; each is written beside it under a new id.
impl Parent {
    /// With a `last-prompt` row at the end that names `leaf`.
    #[must_use]
    pub fn with_last_prompt(&self, leaf: &str) -> Self {
        self.edited(|t| t.rows.push(t.last_prompt(leaf)))
    }

    /// A rewound conversation whose last `last-prompt` row names the old branch: a fork knows the
    /// old words and not the new ones.
    ///
    /// # Panics
    /// When this is no conversation from [`World::make_rewound`].
    #[must_use]
    pub fn on_its_old_branch(&self) -> Self {
        let leaf = self.read().replies()[3].uuid().expect("a reply has a uuid").to_owned();
        let mut old = self.with_last_prompt(&leaf);
        let new = old.codewords.split_off(2);
        old.codewords.append(&mut old.left_out);
        old.left_out = new;
        old
    }

    /// With a sidechain row in the file, as older versions kept them.
    ///
    /// # Panics
    /// When there is no reply to copy.
    #[must_use]
    pub fn with_sidechain(&self) -> Self {
        let word = codeword();
        let mut new = self.edited(|t| {
            let reply = t.replies()[0].clone();
            let text = reply.json["message"]["content"][0]["text"].as_str().expect("a text");
            let id = reply.json["message"]["id"].as_str().expect("a message id");
            let side = reply
                .replacing("\"isSidechain\":false", "\"isSidechain\":true")
                .replacing(text, &format!("a side word {word}"))
                .replacing(id, &format!("msg_{}", Uuid::new_v4().simple()))
                .with("parentUuid", reply.uuid().unwrap_or_default())
                .with("uuid", &Uuid::new_v4().to_string());
            let at = t.rows.iter().position(|row| row.uuid() == reply.uuid()).unwrap_or(0);
            t.rows.insert(at + 1, side);
        });
        new.left_out.push(word);
        new
    }

    /// Its last line cut in the middle, without a newline: torn by a crash, or being written.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn torn(&self) -> Self {
        // A row of the conversation, so that the cut loses something.
        let new = self.edited(|t| {
            while t.rows.last().is_some_and(|row| row.kind() != "assistant") {
                t.rows.pop();
            }
        });
        let text = fs::read(&new.path).expect("read it back");
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
        let text = fs::read(&new.path).expect("read it back");
        let mut lines: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').collect();
        let at = lines.len() / 2;
        lines.insert(at, b"\x00\xff{\"type\":\"assistant\",\n");
        write_private(&new.path, &lines.concat());
        (new, at + 1)
    }

    /// Two rows glued together: an append after a crash in the middle of a row. The line's
    /// number, counted from 1.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn with_glued_rows(&self) -> (Self, usize) {
        let mut line = 0;
        let new = self.edited(|t| {
            line = t.rows.iter().position(|r| r.kind() == "assistant").expect("a reply") + 1;
            let cut = "{\"type\":\"file-history-sn";
            t.rows[line - 1].text.insert_str(0, cut);
        });
        (new, line)
    }

    /// Of no length.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn emptied(&self) -> Self {
        self.edited(|t| t.rows.clear())
    }

    /// With the rows about it, and nothing said.
    #[must_use]
    pub fn only_meta_rows(&self) -> Self {
        self.edited(|t| t.rows.retain(|row| row.uuid().is_none()))
    }

    /// A directory where the transcript should be.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn as_directory(&self) -> Self {
        let id = Uuid::new_v4().to_string();
        let path = self.folder().join(format!("{id}.jsonl"));
        fs::create_dir(&path).expect("make the directory");
        Self { id, path, ..self.clone() }
    }

    /// The path of its transcript a symbolic link to the real one.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn as_symlink(&self) -> Self {
        let id = Uuid::new_v4().to_string();
        let path = self.folder().join(format!("{id}.jsonl"));
        std::os::unix::fs::symlink(&self.path, &path).expect("make the link");
        Self { id, path, ..self.clone() }
    }

    /// A copy of it recorded for another directory too: the same id in two places.
    ///
    /// # Panics
    /// When it cannot be copied.
    pub fn copied_to(&self, world: &World, other_cwd: &Path) -> PathBuf {
        let path = world.transcript(other_cwd, &self.id);
        let folder = path.parent().expect("a transcript is in a folder");
        fs::create_dir_all(folder).expect("make the project's folder");
        fs::copy(&self.path, &path).expect("copy the transcript");
        path
    }

    /// Grown to at least so many bytes by valid rows, turn after turn.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn grown(&self, bytes: u64) -> Self {
        let new = self.edited(|_| {});
        let transcript = new.read();
        let (user, reply) = last_turn(&transcript);
        let text = reply.json["message"]["content"][0]["text"].as_str().expect("a text").to_owned();
        let reply = reply.replacing(&text, &"lorem ipsum ".repeat(800));
        let file = OpenOptions::new().append(true).open(&new.path).expect("open it");
        let mut size = file.metadata().expect("its size").len();
        let mut file = BufWriter::new(file);
        let mut tip = transcript.replies().pop().and_then(Row::uuid).expect("a tip").to_owned();
        while size < bytes {
            for row in turn(&user, &reply, &mut tip) {
                size += row.text.len() as u64 + 1;
                writeln!(file, "{}", row.text).expect("append a row");
            }
        }
        writeln!(file, "{}", transcript.last_prompt(&tip).text).expect("append a row");
        file.flush().expect("append the rows");
        new
    }
}

impl Transcript {
    /// The same transcript with one inherited record changed, for a child that must be refused.
    ///
    /// # Panics
    /// When there is no reply with a text.
    #[must_use]
    pub fn with_a_changed_reply(&self) -> Self {
        let mut changed = self.clone();
        let uuid = self.replies()[0].uuid().map(str::to_owned);
        for row in changed.rows.iter_mut().filter(|row| row.uuid() == uuid.as_deref()) {
            let text = row.json["message"]["content"][0]["text"].as_str().expect("a text");
            *row = row.replacing(text, "something else was said");
        }
        changed
    }
}
