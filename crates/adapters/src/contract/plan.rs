//! Plans: plain data that says what would be run (SPEC 6).

use camino::Utf8PathBuf;
use seatfork_schema::{NativeId, Runtime};
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
}

/// How phase 1 makes a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase1 {
    /// A program of the runtime's makes it.
    Run(ProcessPlan),
    /// This build writes its record itself: no program is started ([`crate::Adapter::write`]).
    Write(WritePlan),
}

impl Phase1 {
    /// How long it may take; `None` where it is as long as the disk takes.
    pub fn deadline(&self) -> Option<Duration> {
        match self {
            Self::Run(plan) => Some(plan.deadline),
            Self::Write(_) => None,
        }
    }

    /// The command, where it is one.
    pub fn command(self) -> Option<ProcessPlan> {
        match self {
            Self::Run(plan) => Some(plan),
            Self::Write(_) => None,
        }
    }
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
