//! Prior conversations made by the real Codex.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{CodexHome as _, CodexTalk, Rollout};
use crate::{TestEnv, transcript::write_private, world::codeword};

/// A prior conversation to fork.
#[derive(Clone, Debug)]
pub struct CodexThread {
    /// Its native id.
    pub id: String,
    /// The codewords a fork of it must know, in order.
    pub codewords: Vec<String>,
    /// Its rollout.
    pub path: PathBuf,
    /// The directory it was recorded in.
    pub cwd: PathBuf,
}

/// A conversation of so many turns, each with a codeword of its own.
///
/// # Panics
/// When the real program does not make it.
#[track_caller]
pub fn make_parent(env: &TestEnv, cwd: &Path, turns: usize) -> CodexThread {
    finished(env, CodexTalk::start(env, cwd), Vec::new(), turns)
}

/// A fork of a conversation by the user's own hand, with so many turns of its own after it.
///
/// # Panics
/// When the real program does not make it.
#[track_caller]
pub fn make_fork(env: &TestEnv, parent: &CodexThread, turns: usize) -> CodexThread {
    let talk = CodexTalk::fork(env, &parent.cwd, &parent.id);
    finished(env, talk, parent.codewords.clone(), turns)
}

#[track_caller]
fn finished(
    env: &TestEnv,
    mut talk: CodexTalk,
    mut codewords: Vec<String>,
    turns: usize,
) -> CodexThread {
    for turn in 0..turns {
        let word = codeword();
        talk.turn(&format!("Turn {turn}: please remember {word}"));
        codewords.push(word);
    }
    let cwd = talk.cwd().to_path_buf();
    let id = talk.end();
    CodexThread { path: env.rollout_of(&id), id, codewords, cwd }
}

impl CodexThread {
    /// Its rollout, read.
    ///
    /// # Panics
    /// When it cannot be read or a line is no JSON.
    #[track_caller]
    pub fn read(&self) -> Rollout {
        Rollout::read(&self.path)
    }

    /// The rollout edited and written beside it under a new id: a conversation of its own, which
    /// Codex has in no index.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn edited(&self, edit: impl FnOnce(&mut Rollout)) -> Self {
        let mut rollout = self.read().under_new_id();
        edit(&mut rollout);
        let path = self.sibling(&rollout.id);
        write_private(&path, rollout.text().as_bytes());
        Self { id: rollout.id, path, ..self.clone() }
    }

    /// Where a conversation of another id would stand beside it.
    pub(super) fn sibling(&self, id: &str) -> PathBuf {
        PathBuf::from(self.path.to_string_lossy().replace(&self.id, id))
    }

    /// Its bytes.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).unwrap_or_else(|e| panic!("read {}: {e}", self.path.display()))
    }
}
