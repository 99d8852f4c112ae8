//! What the verbs that only look say: lineage and doctor (SPEC 13).

use super::{ProofReport, SCHEMA_VERSION};
use crate::exit::ExitClass;
use crate::words::words;
use jiff::Timestamp;
use seatfork_schema::{ContinuityOutcome, CreatedVia, Runtime};
use serde::Serialize;

/// A conversation of the lineage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineageNodeReport {
    /// Its runtime.
    pub runtime: Runtime,
    /// Where its id is unique.
    pub scope: String,
    /// Its id.
    pub native_id: String,
    /// The seat it lives or lived in.
    pub seat: Option<String>,
    /// Whether that seat was forgotten: its name may be another seat's now.
    pub retired: bool,
    /// How the launch that made it ended.
    pub outcome: Option<ContinuityOutcome>,
    /// The first of its line.
    pub root_native_id: String,
    /// How it came to be; `None` for one that was only seen.
    pub created_via: Option<CreatedVia>,
    /// When.
    pub at: Option<Timestamp>,
    /// The evidence for it.
    pub proof: Option<ProofReport>,
    /// The records it lives in beside its own, nearest first; empty where it stands by itself.
    pub depends_on: Vec<String>,
}

/// Which conversation came from which.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineageEdgeReport {
    /// The parent's native id.
    pub parent: String,
    /// The child's native id.
    pub child: String,
    /// How.
    pub kind: CreatedVia,
    /// The runtime of both.
    pub runtime: Runtime,
    /// The parent's scope.
    pub parent_scope: String,
    /// The child's scope.
    pub child_scope: String,
}

/// What `lineage` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineageReport {
    /// The version of this shape.
    pub schema_version: u32,
    /// Always true: a question that could be answered.
    pub ok: bool,
    /// The conversations.
    pub nodes: Vec<LineageNodeReport>,
    /// Which came from which.
    pub edges: Vec<LineageEdgeReport>,
}

words! {
    /// How a check of `doctor` came out.
    CheckStatus {
        /// All is well.
        Ok = "ok",
        /// It is not on this machine, and nothing that was looked at needs it.
        Absent = "absent",
        /// It deserves a look and stops nothing.
        Warning = "warning",
        /// Seats cannot be launched with it.
        Problem = "problem",
    }
}

/// One check of `doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was looked at: `store`, `tmux`, `claude-code`, `output`, `rescue`.
    pub name: String,
    /// How it came out.
    pub status: CheckStatus,
    /// What was seen.
    pub detail: String,
    /// What to do.
    pub hint: Option<String>,
}

/// What `doctor` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorReport {
    /// The version of this shape.
    pub schema_version: u32,
    /// True exactly when the exit is 0.
    pub ok: bool,
    /// The checks.
    pub checks: Vec<Check>,
    /// How the command ends.
    #[serde(skip)]
    pub exit: ExitClass,
}

impl DoctorReport {
    /// Sums up: 7 where a problem would stop a launch, 6 for warnings.
    pub fn new(checks: Vec<Check>) -> Self {
        let exit = checks.iter().fold(ExitClass::Ok, |exit, check| {
            exit.or(match check.status {
                CheckStatus::Ok | CheckStatus::Absent => ExitClass::Ok,
                CheckStatus::Warning => ExitClass::Findings,
                CheckStatus::Problem => ExitClass::NotReady,
            })
        });
        Self { schema_version: SCHEMA_VERSION, ok: exit == ExitClass::Ok, checks, exit }
    }
}
