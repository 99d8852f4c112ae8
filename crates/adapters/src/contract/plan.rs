//! Plans: plain data that says what would be run (SPEC 6).

use super::dialogue::Dialogue;
use super::evidence::Evidence;
use camino::Utf8PathBuf;
use seatfork_schema::{NativeId, PlannedChild, Runtime, SeatToken};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a runtime can do, as documented; [`Binary`] says what the one at hand can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The runtime.
    pub runtime: Runtime,
    /// It can fork a prior conversation.
    pub fork: bool,
    /// It can resume its own.
    pub resume: bool,
    /// It can start a fresh one before its pane opens.
    pub fresh: bool,
    /// Versions this adapter was tested with.
    pub tested_versions: &'static [&'static str],
    /// What a child takes over from its source.
    pub inherits: &'static [&'static str],
    /// What it does not.
    pub does_not_inherit: &'static [&'static str],
    /// What a child needs of its source for as long as it lives; `None` where it stands by itself.
    pub depends: Option<&'static str>,
    /// The variables that say where the runtime keeps its things; read once, recorded, given identically to every start.
    pub location_vars: &'static [&'static str],
    /// Further variables a seat of this runtime gets from the caller (keys, base URLs, proxies).
    pub pass_vars: &'static [&'static str],
}

/// The binary that answers for a runtime on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binary {
    /// Its absolute real path.
    pub path: Utf8PathBuf,
    /// Its device.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// Its length and modification time, to notice an update in place.
    pub stamp: String,
    /// What it says its version is: `2.1.332`.
    pub version: String,
    /// Abilities it was seen to have: `safe-mode`.
    pub abilities: Vec<String>,
}

/// What a seat asks of its runtime: from the spec alone (SPEC 6 "Permissions").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatWish {
    /// `<pod>-<member>@<rig>`.
    pub seat_name: String,
    /// The real path of the working directory.
    pub cwd: Utf8PathBuf,
    /// The member's model.
    pub model: Option<String>,
    /// Codex's configuration profile.
    pub codex_config_profile: Option<String>,
    /// The member's permission policy, else the rig's, as written; `None` when absent in both.
    pub permission: Option<String>,
    /// Whether `--allow-yolo` was given.
    pub allow_yolo: bool,
    /// Whether the member asks for a fork.
    pub wants_fork: bool,
    /// Whether a fork is told what it is (SPEC 6 Notice).
    pub notice: bool,
}

/// A record to write: where, from what, and with which permissions of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WritePlan {
    /// The new conversation's id, chosen beforehand.
    pub child: NativeId,
    /// The workspace it is written into, real.
    pub workspace: Utf8PathBuf,
    /// What it starts from; `None` for an empty one.
    pub seed: Option<Seed>,
    /// What the new conversation may do: from the spec alone, never from the seed.
    pub posture: Posture,
    /// The seat it is for.
    pub seat: String,
    /// The launch it belongs to.
    pub nonce: String,
}

/// What a written record starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seed {
    /// Its id.
    pub native_id: NativeId,
    /// The workspace it is read from, real.
    pub workspace: Utf8PathBuf,
}

/// What a written conversation may do (SPEC 6 "Permissions").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Posture {
    /// Nothing is changed.
    ReadOnly,
    /// Every change is asked for.
    Ask,
    /// Changes within the workspace are not asked for.
    AutoInWorkspace,
}

/// A command to run: an argument vector, never a shell string.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProcessPlan {
    /// The program by absolute path, then its arguments.
    pub argv: Vec<String>,
    /// The working directory.
    pub cwd: Utf8PathBuf,
    /// Variables set on top of the seat's environment. None of them is a secret.
    pub set_env: Vec<(String, String)>,
    /// Names taken out of the seat's environment for this command.
    pub unset_env: Vec<String>,
    /// How long it may take.
    pub deadline: Duration,
    /// What is said to it on its standard input; without one there is nothing to read there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialogue: Option<Dialogue>,
}

/// How a seat's conversation comes to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Phase1 {
    /// Not at all: a seat of this runtime holds none (terminal).
    NoConversation,
    /// A headless command makes it.
    Headless(Box<ProcessPlan>),
    /// This build writes its record itself: no program is started ([`Adapter::write`](crate::Adapter::write)).
    Write(Box<WritePlan>),
    /// This binary cannot make it headless: its pane makes it, and it is proved there (SPEC 6).
    InPane,
}

impl Phase1 {
    /// How long it may take; `None` where no headless command makes it.
    pub fn deadline(&self) -> Option<Duration> {
        match self {
            Self::Headless(plan) => Some(plan.deadline),
            Self::NoConversation | Self::Write(_) | Self::InPane => None,
        }
    }
}

/// What the runtime's own settings hold that a headless start must know, read right before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    /// The programs the runtime would start beside itself, by the name its settings give them.
    pub servers: Vec<Server>,
}

/// One such program. Its command, its address and its secrets are not kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// Whether it is reached at an address and not started.
    pub is_remote: bool,
}

/// Everything [`Adapter::phase1`](crate::Adapter::phase1) decides from.
#[derive(Debug, Clone, Copy)]
pub struct Phase1Ask<'a> {
    /// What the seat asks.
    pub wish: &'a SeatWish,
    /// The binary that answers.
    pub binary: &'a Binary,
    /// The source of a fork; absent for a fresh conversation.
    pub source: Option<&'a Evidence>,
    /// The child's id, where it was chosen beforehand.
    pub child: Option<&'a PlannedChild>,
    /// The launch's nonce.
    pub nonce: &'a str,
    /// What the runtime's settings hold.
    pub surroundings: &'a Surroundings,
}

/// How a pane begins.
#[derive(Debug, Clone, Copy)]
pub enum PaneStart<'a> {
    /// With the seat's own conversation.
    Resume(&'a SeatToken),
    /// With a new one, or none (terminal).
    Fresh,
    /// With a fork of this source, where phase 1 was [`Phase1::InPane`].
    Fork(&'a Evidence),
}

/// What a finished headless command said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase1Output {
    /// Its exit code; `None` when a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The first bytes of its standard output, capped.
    pub stdout: Vec<u8>,
    /// The first bytes of its standard error, capped.
    pub stderr: Vec<u8>,
    /// Whether either was longer than the cap.
    pub truncated: bool,
    /// Whether it was ended by us at its deadline.
    pub timed_out: bool,
}
