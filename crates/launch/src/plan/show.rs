//! The plan as it is shown: `plan --json` (SPEC 13, 14).

use super::{Refusal, RigPlan, SeatPlan, SourceLook};
use crate::report::{ConversationReport, ErrorReport, Finding, SCHEMA_VERSION};
use camino::Utf8PathBuf;
use jiff::Timestamp;
use seatfork_adapters::contract::evidence::InUse;
use seatfork_schema::{LaunchCode, Runtime};
use serde::Serialize;

/// A plan for a program to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanReport {
    /// The version of this shape.
    pub schema_version: u32,
    /// True exactly when nothing is refused and every source looked at resolves.
    pub ok: bool,
    /// The rig's name.
    pub rig: String,
    /// The directory of the spec.
    pub root: Utf8PathBuf,
    /// The seats.
    pub seats: Vec<SeatPlanReport>,
    /// What deserves a look.
    pub warnings: Vec<Finding>,
    /// What stops the whole command.
    pub refusals: Vec<RefusalReport>,
    /// Keys that are read and not acted on.
    pub not_acted_on: Vec<&'static str>,
}

/// One seat of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeatPlanReport {
    /// Its name.
    pub seat: String,
    /// Its pod.
    pub pod: String,
    /// Its member id.
    pub member: String,
    /// Its runtime.
    pub runtime: Runtime,
    /// `fork`, `fresh`.
    pub start: &'static str,
    /// Its working directory, real.
    pub cwd: Utf8PathBuf,
    /// Its model.
    pub model: Option<String>,
    /// Its permission policy as written; `None`: the runtime's own default, passed explicitly.
    pub permission_policy: Option<String>,
    /// Names of the variables it gets; never a value.
    pub env: Vec<String>,
    /// The binary that answered.
    pub binary: Utf8PathBuf,
    /// Its version.
    pub runtime_version: String,
    /// Whether it has a process on this machine.
    pub needs_process: bool,
    /// Its source.
    pub source: Option<SourcePlanReport>,
    /// Dialogs to expect.
    pub foretold: Vec<ForetoldReport>,
    /// What deserves a look.
    pub warnings: Vec<Finding>,
}

/// A source of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourcePlanReport {
    /// It.
    pub conversation: ConversationReport,
    /// What stands on disk; `None` when it does not resolve or was not looked at.
    pub look: Option<LookReport>,
    /// Why it does not resolve.
    pub error: Option<ErrorReport>,
}

/// What stands on disk for a source, and what a fork of it takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LookReport {
    /// The record.
    pub path: Utf8PathBuf,
    /// Its length.
    pub bytes: u64,
    /// Its records.
    pub records: u64,
    /// Those a child inherits.
    pub effective_records: u64,
    /// What is not inherited, by reason.
    pub not_inherited: Vec<String>,
    /// Newest time in it.
    pub last_activity: Option<Timestamp>,
    /// The directory it was recorded in.
    pub recorded_cwd: Option<String>,
    /// A process that serves it now.
    pub live: Option<InUse>,
    /// How long the fork may take at most.
    pub deadline_seconds: u64,
    /// Bytes the child needs at most.
    pub disk_bytes: u64,
    /// Bytes free there.
    pub disk_free: Option<u64>,
}

/// A dialog to expect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForetoldReport {
    /// Which one: `attention-trust`.
    pub code: LaunchCode,
    /// What it asks.
    pub question: &'static str,
    /// Why it is expected, and how to answer it beforehand.
    pub why: String,
}

/// Something that stops the whole command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusalReport {
    /// The seat.
    pub seat: Option<String>,
    /// The place in the spec.
    pub path: String,
    /// The stable code.
    pub code: LaunchCode,
    /// What is refused.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl RigPlan {
    /// The plan as it is shown.
    pub fn report(&self) -> PlanReport {
        let resolves = |seat: &SeatPlan| !matches!(seat.look, Some(Err(_)));
        PlanReport {
            schema_version: SCHEMA_VERSION,
            ok: self.refusals.is_empty() && self.seats.iter().all(resolves),
            rig: self.rig.to_string(),
            root: self.origin.root.clone(),
            seats: self.seats.iter().map(seat).collect(),
            warnings: self.findings.clone(),
            refusals: self.refusals.iter().map(refusal).collect(),
            not_acted_on: self.not_acted_on.clone(),
        }
    }
}

fn seat(seat: &SeatPlan) -> SeatPlanReport {
    SeatPlanReport {
        seat: seat.seat.to_string(),
        pod: seat.pod.to_string(),
        member: seat.member.to_string(),
        runtime: seat.runtime,
        start: if seat.source.is_some() { "fork" } else { "fresh" },
        cwd: seat.wish.cwd.clone(),
        model: seat.wish.model.clone(),
        permission_policy: seat.wish.permission.clone(),
        env: seat.env.names().map(str::to_owned).collect(),
        binary: seat.binary.path.clone(),
        runtime_version: seat.binary.version.clone(),
        needs_process: seat.needs_process,
        source: seat.source.as_ref().map(|source| SourcePlanReport {
            conversation: source.into(),
            look: seat.look.as_ref().and_then(|look| look.as_ref().ok()).map(look),
            error: seat.look.as_ref().and_then(|look| look.as_ref().err()).cloned(),
        }),
        foretold: seat
            .foretold
            .iter()
            .map(|foretold| ForetoldReport {
                code: foretold.dialog.code,
                question: foretold.dialog.question,
                why: foretold.why.clone(),
            })
            .collect(),
        warnings: seat.findings.clone(),
    }
}

fn look(look: &SourceLook) -> LookReport {
    let evidence = &look.evidence;
    LookReport {
        path: evidence.path.clone(),
        bytes: evidence.bytes,
        records: evidence.records,
        effective_records: evidence.effective_records,
        not_inherited: evidence.not_inherited.clone(),
        last_activity: evidence.last_activity,
        recorded_cwd: evidence.recorded_cwd.clone(),
        live: evidence.live.clone(),
        deadline_seconds: look.deadline.as_secs(),
        disk_bytes: look.disk_bytes,
        disk_free: look.disk_free,
    }
}

fn refusal(refusal: &Refusal) -> RefusalReport {
    RefusalReport {
        seat: refusal.seat.clone(),
        path: refusal.path.clone(),
        code: refusal.code,
        message: refusal.message.clone(),
        help: refusal.help.clone(),
    }
}
