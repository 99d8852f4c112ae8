//! What `up` would do, and what it refuses before anything starts (SPEC 6, 7, 14).
//!
//! [`plan`] reads: directories, the answering binaries, the runtimes' files, the
//! sources. It starts nothing but `--version` questions and changes nothing.
//! `up` makes the same plan first and goes on only where it holds no refusal.

mod build;
mod cwd;
mod make;
mod show;
mod unacted;

pub use make::plan;
pub(crate) use make::source_findings;
pub use show::{PlanReport, SeatPlanReport, SourcePlanReport};

use crate::adapters::Locations;
use crate::converge::{Policy, Wanted};
use crate::report::{ErrorReport, Finding};
use camino::Utf8PathBuf;
use seatfork_adapters::contract::environment::SeatEnv;
use seatfork_adapters::contract::evidence::Evidence;
use seatfork_adapters::contract::plan::{Binary, SeatWish};
use seatfork_adapters::contract::watch::Foretold;
use seatfork_schema::spec::{MemberId, PodId, RigName, SeatName};
use seatfork_schema::{LaunchCode, Runtime, SourceId};
use std::time::Duration;

/// Where a spec comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecOrigin {
    /// The real path of the directory its relative paths are taken from; with the name, the rig's identity.
    pub root: Utf8PathBuf,
    /// The file; `None` when it was read from stdin.
    pub path: Option<Utf8PathBuf>,
    /// SHA-256 of its bytes, lower-case hex.
    pub sha256: String,
}

/// How a plan is made.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "flags of a command, each independent of the others"
)]
pub struct PlanOptions {
    /// Another name for the rig.
    pub rig_name: Option<RigName>,
    /// `--allow-yolo` was given.
    pub allow_yolo: bool,
    /// Names the user adds to a seat's environment.
    pub pass_env: Vec<String>,
    /// `--workspace`: where the children of members whose runtime keeps them in a workspace go; absolute.
    pub workspace: Option<Utf8PathBuf>,
    /// `--no-notice` was given: a fork is not told what it is.
    pub no_notice: bool,
    /// `--pin-source` was given: a link to every record a fork depends on is kept.
    pub pin_source: bool,
    /// Leave the sources unread: `up` reads each when its member's turn comes.
    pub skip_sources: bool,
}

/// What would be done.
#[derive(Debug, Clone)]
pub struct RigPlan {
    /// The rig's name.
    pub rig: RigName,
    /// Where the spec comes from.
    pub origin: SpecOrigin,
    /// Every member, in the order of the spec. Complete only when nothing is refused.
    pub seats: Vec<SeatPlan>,
    /// What deserves a look.
    pub findings: Vec<Finding>,
    /// What stops the whole command; empty when all is well.
    pub refusals: Vec<Refusal>,
    /// Keys of the spec that are read and not acted on, each once.
    pub not_acted_on: Vec<&'static str>,
}

/// One seat as the spec wants it, with everything a launch needs.
#[derive(Debug, Clone)]
pub struct SeatPlan {
    /// Its name.
    pub seat: SeatName,
    /// Its pod.
    pub pod: PodId,
    /// Its member id.
    pub member: MemberId,
    /// Its place in the spec: `pods[0].members[1]`.
    pub path: String,
    /// Its runtime.
    pub runtime: Runtime,
    /// The conversation it is to start from.
    pub source: Option<SourceId>,
    /// What it asks of its runtime.
    pub wish: SeatWish,
    /// The workspace its conversation goes into, real, where that is not its cwd.
    pub workspace: Option<Utf8PathBuf>,
    /// How it is brought back.
    pub policy: Policy,
    /// Whether links to the records a fork depends on are kept.
    pub pin_source: bool,
    /// The runtime's location variables.
    pub locations: Locations,
    /// Names the user adds.
    pub pass_env: Vec<String>,
    /// Its environment.
    pub env: SeatEnv,
    /// The binary that answered.
    pub binary: Binary,
    /// Whether it has a process on this machine; a seat that needs none is ready without.
    pub needs_process: bool,
    /// Dialogs to expect.
    pub foretold: Vec<Foretold>,
    /// What was seen of its source; `None` where it has none, or it was not looked at.
    pub look: Option<Result<SourceLook, ErrorReport>>,
    /// What deserves a look.
    pub findings: Vec<Finding>,
}

impl SeatPlan {
    /// Whether it asks for a fork.
    pub fn wanted(&self) -> Wanted {
        if self.source.is_some() { Wanted::Fork } else { Wanted::Fresh }
    }
}

/// What was seen of a source, and what forking it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLook {
    /// What stands on disk.
    pub evidence: Evidence,
    /// How long the runtime may take.
    pub deadline: Duration,
    /// Bytes a child needs at most.
    pub disk_bytes: u64,
    /// Bytes free where it will be written; `None` where that could not be asked.
    pub disk_free: Option<u64>,
}

/// Something that stops the whole command before anything starts: exit 7.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The seat it is about; `None` for the rig.
    pub seat: Option<String>,
    /// Its place in the spec.
    pub path: String,
    /// The stable code.
    pub code: LaunchCode,
    /// What is refused and why.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl Refusal {
    /// A refusal with its code's own help.
    pub(crate) fn new(
        path: impl Into<String>,
        code: LaunchCode,
        message: impl Into<String>,
    ) -> Self {
        Self {
            seat: None,
            path: path.into(),
            code,
            message: message.into(),
            help: code.next().to_owned(),
        }
    }

    /// The same, about a seat.
    #[must_use]
    pub(crate) fn of(mut self, seat: &SeatName) -> Self {
        self.seat = Some(seat.to_string());
        self
    }

    /// The same with a help of its own.
    #[must_use]
    pub(crate) fn help(mut self, help: Option<String>) -> Self {
        if let Some(help) = help {
            self.help = help;
        }
        self
    }
}
