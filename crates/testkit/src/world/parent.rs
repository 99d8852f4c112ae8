//! Prior conversations made by the real program.

use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::{Talk, World};
use crate::{claude_home::ClaudeHome as _, transcript::Transcript};

/// A prior conversation to fork.
#[derive(Clone, Debug)]
pub struct Parent {
    /// Its native id.
    pub id: String,
    /// The codewords a fork of it must know.
    pub codewords: Vec<String>,
    /// The codewords in its file that a fork must not know: before a compaction, on a branch left
    /// behind, in a sidechain.
    pub left_out: Vec<String>,
    /// Its transcript.
    pub path: PathBuf,
    /// The directory it was recorded in.
    pub cwd: PathBuf,
}

/// A word nobody else says: `CODEWORD-` and eight hexadecimal digits.
pub(crate) fn codeword() -> String {
    format!("CODEWORD-{}", &Uuid::new_v4().simple().to_string()[..8])
}

impl World {
    /// A conversation of so many turns, each with a codeword of its own.
    ///
    /// # Panics
    /// When the real program does not make it.
    pub fn make_parent(&self, cwd: &Path, turns: usize) -> Parent {
        let mut talk = self.talk(cwd, &[]);
        let codewords = say_words(&mut talk, turns);
        self.parent(talk, codewords, Vec::new())
    }

    /// What a talk that is over has come to.
    pub(super) fn parent(
        &self,
        talk: Talk,
        codewords: Vec<String>,
        left_out: Vec<String>,
    ) -> Parent {
        let cwd = talk.cwd().to_path_buf();
        let id = talk.end();
        let path = self.transcript(&cwd, &id);
        Parent { id, codewords, left_out, path, cwd }
    }
}

/// So many turns, each with a new codeword; the words.
pub(super) fn say_words(talk: &mut Talk, turns: usize) -> Vec<String> {
    (0..turns)
        .map(|turn| {
            let word = codeword();
            talk.turn(&format!("Turn {turn}: please remember {word}"));
            word
        })
        .collect()
}

impl Parent {
    /// Its transcript, read.
    ///
    /// # Panics
    /// When it cannot be read or a line is no JSON.
    pub fn read(&self) -> Transcript {
        Transcript::read(&self.path)
    }

    /// The transcript edited and written beside it under a new id, as a parent of its own.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn edited(&self, edit: impl FnOnce(&mut Transcript)) -> Self {
        let mut transcript = self.read().under_new_id();
        edit(&mut transcript);
        let path = transcript.write_into(self.folder());
        Self { id: transcript.id, path, ..self.clone() }
    }

    /// The folder its transcript is in.
    ///
    /// # Panics
    /// Never: a transcript is in a folder.
    pub fn folder(&self) -> &Path {
        self.path.parent().expect("a transcript is in a folder")
    }
}
