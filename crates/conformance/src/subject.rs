//! What comes to be tested.

use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::{Adapter, ProcessId, ProcessPlan, SeatEnv};
use std::fmt;

/// A prior conversation.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its native id.
    pub id: String,
    /// Its record.
    pub path: Utf8PathBuf,
    /// Where it was had.
    pub cwd: Utf8PathBuf,
}

/// What a fake runtime is told to do in place of making a conversation as it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misdeed {
    /// Never ends, whatever signal asks it to.
    Hang,
    /// Says this on its standard error and fails.
    Fail {
        /// The words.
        words: String,
    },
    /// Says success and makes nothing.
    Lie,
    /// Tells the id of another conversation.
    TellId {
        /// The id.
        id: String,
    },
    /// Tells the source's id.
    TellSourceId,
    /// Makes a child with no history.
    EmptyChild,
    /// Makes a child with the history of another conversation.
    OtherHistory {
        /// Whose.
        id: String,
    },
    /// Changes a byte of the source.
    ChangeSource,
}

/// A command in a pane.
pub trait Pane: fmt::Debug {
    /// The pane's own process.
    fn process(&self) -> ProcessId;

    /// What is on the screen, for a check that fails.
    fn screen(&self) -> String;

    /// Ends it, as closing the pane does, and waits until its process is gone.
    fn close(&self);
}

/// An adapter with a runtime to test it by: a home of its own, and what is in it.
pub trait Subject: fmt::Debug {
    /// The adapter.
    fn adapter(&self) -> &'static dyn Adapter;

    /// The environment of its seats.
    fn env(&self) -> SeatEnv;

    /// The home; everything of the runtime's is below it.
    fn home(&self) -> &Utf8Path;

    /// The directory of its seats, a real path.
    fn cwd(&self) -> Utf8PathBuf;

    /// Another one.
    fn other_cwd(&self) -> Utf8PathBuf;

    /// A new prior conversation of so many turns, had in `cwd`; `None` where the runtime has none.
    fn source(&self, turns: usize) -> Option<Source>;

    /// The same conversation under another id, a line in its middle spoilt.
    fn damaged(&self, of: &Source) -> Source;

    /// The same with nothing said.
    fn unspoken(&self, of: &Source) -> Source;

    /// Tells the runtime to do this when it is next asked for a conversation, `None` to behave; whether it can be told.
    fn tell(&self, misdeed: Option<&Misdeed>) -> bool;

    /// How often a process of the runtime was started so far, as far as anybody counts.
    fn starts(&self) -> usize;

    /// How often a model was asked, or something else of the user's ran, so far.
    fn side_effects(&self) -> Vec<String>;

    /// Opens a pane with a command.
    fn open(&self, plan: &ProcessPlan) -> Box<dyn Pane>;
}
