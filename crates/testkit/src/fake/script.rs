//! What a fake runtime is told to do otherwise than the real one.

use serde::{Deserialize, Serialize};

/// The script of a fake runtime: who it says it is, and rules for what it does when.
///
/// ```
/// use seatfork_testkit::fake::{Act, ChildChange, Phase, Script};
///
/// let script = Script::faithful()
///     .on(Phase::Fork, [Act::Child { change: ChildChange::ChangeRecord { at: None } }]);
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Script {
    /// The version it claims and whose rows it writes.
    pub version: String,
    /// What `--version` prints in place of `<version> (Claude Code)`.
    pub version_line: Option<String>,
    /// Options it does not have: `--help` does not tell them and their use is an error.
    pub without_options: Vec<String>,
    /// The rules; the first that fits an invocation counts.
    pub rules: Vec<Rule>,
}

/// What to do on which invocation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rule {
    /// On which kind of invocation.
    pub on: Phase,
    /// On which of them only, counted from 0.
    pub nth: Option<usize>,
    /// What to do, all of it, in this order.
    pub acts: Vec<Act>,
}

/// The kinds of invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// `--version`.
    Version,
    /// `--help`.
    Help,
    /// `-p --resume P --fork-session`.
    Fork,
    /// `-p` without `--resume`.
    Fresh,
    /// `-p --resume ID` without a fork: a turn on that conversation.
    Turn,
    /// Interactive.
    Pane,
    /// `codex app-server`: what is asked of it there is a fork or a fresh conversation besides.
    Server,
}

/// One thing to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "kebab-case")]
pub enum Act {
    /// Says this and ends, nothing else done.
    Exit {
        /// The exit code.
        code: i32,
        /// On standard output, escape sequences and all.
        stdout: String,
        /// On standard error.
        stderr: String,
    },
    /// Never ends.
    Hang {
        /// Takes no notice of SIGHUP, SIGINT and SIGTERM either.
        stubborn: bool,
    },
    /// Waits before it goes on.
    Slow {
        /// Milliseconds.
        ms: u64,
    },
    /// Says this much before it goes on.
    Flood {
        /// Mebibytes.
        mebibytes: usize,
        /// Where.
        to: Stream,
    },
    /// Prints success and writes nothing, as on a read-only home.
    LieSuccess,
    /// Prints another id than the child's.
    AnswerId {
        /// The id.
        id: String,
    },
    /// Prints the source's id.
    AnswerSourceId,
    /// Says that it asked the model (`num_turns` 1).
    CallModel,
    /// Appends a row to the source.
    AppendToSource,
    /// Changes a byte of the source in place.
    ChangeSource,
    /// Writes a child that is not what it should be.
    Child {
        /// How not.
        change: ChildChange,
    },
    /// Writes the child, then dies without a word.
    DieAfterWriting {
        /// With this exit code; `None`: killed.
        code: Option<i32>,
    },
    /// Ends with success at once; a process it leaves behind writes the child later.
    WriteLate {
        /// Milliseconds after the end.
        ms: u64,
    },
    /// Changes a file of the user's.
    ChangeFile {
        /// Its path below the home.
        path: String,
    },
    /// In a pane: ends by itself.
    DieAfter {
        /// Milliseconds after the start.
        ms: u64,
        /// The exit code.
        code: i32,
    },
    /// In a pane: shows a dialog and waits.
    Dialog {
        /// Which.
        screen: Screen,
    },
    /// In a pane: serves another conversation than asked for.
    Serve {
        /// Its id.
        id: String,
    },
    /// In a pane: leaves no record of the session.
    NoSessionFile,
    /// In a pane: its record has a start time that is not this process's.
    StaleStart,
}

/// A standard stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// How a child is not what it should be. `at` is the place among the inherited rows; `None` is
/// the middle. Rows are relinked, so that the chain is whole and only its content is wrong.
///
/// A child of Codex that names its history by reference is wrong in what it names: a byte that is
/// within a record (`ChangeRecord`), an end that is a record too early (`MissRecord`), an ordinal
/// and a byte of different records (`SwapRecords`), a record of its own that nobody said
/// (`ForeignRecord`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum ChildChange {
    /// One record says something else.
    ChangeRecord {
        /// Which.
        at: Option<usize>,
    },
    /// One record is not there.
    MissRecord {
        /// Which.
        at: Option<usize>,
    },
    /// One record and the next have changed places.
    SwapRecords {
        /// The first of them.
        at: Option<usize>,
    },
    /// There is one record more, that the source does not have.
    ForeignRecord {
        /// Before which.
        at: Option<usize>,
    },
    /// One record has a field nobody knows.
    UnknownField {
        /// Which.
        at: Option<usize>,
    },
    /// Only the first records are there.
    Partial {
        /// How many.
        rows: usize,
    },
    /// The history of another conversation.
    OtherHistory {
        /// Its id.
        id: String,
    },
    /// The rows about it and its own, nothing inherited.
    Empty,
    /// No byte.
    ZeroBytes,
    /// The last line is torn.
    TornLastLine,
    /// The rows still say the source's `sessionId`.
    SourceSessionId,
}

/// A dialog of the real program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Screen {
    /// First run.
    Onboarding,
    /// "Is this a project you created or one you trust?"
    Trust,
    /// "Do you want to use this API key?"
    ApiKey,
    /// Ready, with "Not logged in" in the footer.
    Login,
    /// The warning of bypassed permissions.
    Bypass,
    /// A new MCP server of the project.
    Mcp,
    /// The list to choose a conversation from.
    Picker,
    /// "Resume from summary" or full; its words are from the program, it was never seen offline.
    Summary,
    /// Codex: an update to install now or later.
    Update,
    /// Codex: the conversation's directory or the current one.
    WorkingDirectory,
    /// Codex: hooks that nobody has looked at.
    Hooks,
    /// Codex: the conversation is open in another process.
    ActiveWriter,
}

impl Default for Script {
    fn default() -> Self {
        Self::faithful()
    }
}

impl Script {
    /// Behaves like the real Claude Code.
    pub fn faithful() -> Self {
        Self {
            version: crate::npm::CLAUDE_CODE_VERSIONS[0].into(),
            version_line: None,
            without_options: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// Behaves like the real Codex.
    pub fn faithful_codex() -> Self {
        Self { version: crate::npm::CODEX_VERSIONS[0].into(), ..Self::faithful() }
    }

    /// Claims another version.
    #[must_use]
    pub fn version(mut self, version: &str) -> Self {
        self.version = version.into();
        self
    }

    /// Does not have an option, as older versions.
    #[must_use]
    pub fn without(mut self, option: &str) -> Self {
        self.without_options.push(option.into());
        self
    }

    /// Does this on every invocation of a kind.
    #[must_use]
    pub fn on(mut self, on: Phase, acts: impl IntoIterator<Item = Act>) -> Self {
        self.rules.push(Rule { on, nth: None, acts: acts.into_iter().collect() });
        self
    }

    /// Does this on the nth invocation of a kind only, counted from 0.
    #[must_use]
    pub fn on_nth(mut self, on: Phase, nth: usize, acts: impl IntoIterator<Item = Act>) -> Self {
        self.rules.push(Rule { on, nth: Some(nth), acts: acts.into_iter().collect() });
        self
    }

    /// What to do on the nth invocation of a kind.
    pub(super) fn acts(&self, on: Phase, nth: usize) -> &[Act] {
        let fits = |rule: &&Rule| rule.on == on && rule.nth.is_none_or(|only| only == nth);
        self.rules.iter().find(fits).map_or(&[], |rule| rule.acts.as_slice())
    }
}
