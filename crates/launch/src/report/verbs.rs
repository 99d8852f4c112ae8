//! What the other verbs say in the end (SPEC 13).

use super::{ConversationReport, ErrorReport, Finding, SCHEMA_VERSION, SeatReport};
use crate::exit::ExitClass;
use crate::words::words;
use camino::Utf8PathBuf;
use jiff::Timestamp;
use seatfork_schema::{ContinuityOutcome, LaunchCode, ProcessState, ProofGrade, ProofStatus};
use serde::Serialize;

/// What `ps` says: the seats as they are now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PsReport {
    /// The version of this shape.
    pub schema_version: u32,
    /// True exactly when the exit is 0.
    pub ok: bool,
    /// The rig asked for; `None` for all of them.
    pub rig: Option<String>,
    /// The seats.
    pub seats: Vec<SeatReport>,
    /// What concerns more than one seat, such as a store that cannot be written.
    pub warnings: Vec<Finding>,
    /// How the command ends.
    #[serde(skip)]
    pub exit: ExitClass,
}

impl PsReport {
    /// Sums up: 1 where a seat is not ready, else 6 where one serves another conversation.
    pub fn new(rig: Option<String>, seats: Vec<SeatReport>, warnings: Vec<Finding>) -> Self {
        let exit = seats.iter().fold(ExitClass::Ok, |exit, seat| {
            let rotated =
                seat.warnings.iter().any(|w| w.code == LaunchCode::ServesAnotherConversation);
            let own = if rotated {
                ExitClass::Findings
            } else if seat.is_running() {
                ExitClass::Ok
            } else {
                ExitClass::Failed
            };
            exit.or(own)
        });
        let ok = exit == ExitClass::Ok;
        Self { schema_version: SCHEMA_VERSION, ok, rig, seats, warnings, exit }
    }
}

words! {
    /// What `down` did with a seat.
    DownAction {
        /// Its process was ended.
        Stopped = "stopped",
        /// Nothing ran.
        NotRunning = "not_running",
        /// It is left to the living owner of an open launch.
        Left = "left",
        /// Its process could not be ended, or could not be looked at.
        Failed = "failed",
        /// The command was interrupted before its turn; it was left alone.
        Skipped = "skipped",
    }
}

/// One seat of `down`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DownSeat {
    /// Its name.
    pub seat: String,
    /// What was done.
    pub action: DownAction,
    /// Whether the seat was retired; its rows stay and its name is free.
    pub retired: bool,
    /// What its process is now.
    pub process_state: ProcessState,
    /// When that was seen.
    pub observed_at: Option<Timestamp>,
    /// Its token, which is kept.
    pub token: Option<String>,
    /// Why it did not succeed.
    pub error: Option<ErrorReport>,
}

/// What `down` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DownReport {
    /// The version of this shape.
    pub schema_version: u32,
    /// True exactly when the exit is 0.
    pub ok: bool,
    /// The rig.
    pub rig: String,
    /// The seats.
    pub seats: Vec<DownSeat>,
    /// Conversations that stay where they are: no verb deletes one.
    pub kept: Vec<ConversationReport>,
    /// Files of ours that were removed (`--purge`).
    pub removed: Vec<Utf8PathBuf>,
    /// What deserves a look.
    pub warnings: Vec<Finding>,
    /// How the command ends.
    #[serde(skip)]
    pub exit: ExitClass,
}

impl DownReport {
    /// Sums up.
    pub fn new(
        rig: String,
        seats: Vec<DownSeat>,
        kept: Vec<ConversationReport>,
        removed: Vec<Utf8PathBuf>,
        warnings: Vec<Finding>,
    ) -> Self {
        let exit = seats.iter().fold(ExitClass::Ok, |exit, seat| {
            exit.or(match seat.action {
                DownAction::Failed => ExitClass::Failed,
                DownAction::Left => ExitClass::Conflict,
                DownAction::Skipped => ExitClass::Interrupted,
                _ if seat.error.is_some() => ExitClass::Failed,
                DownAction::Stopped | DownAction::NotRunning => ExitClass::Ok,
            })
        });
        let ok = exit == ExitClass::Ok;
        Self { schema_version: SCHEMA_VERSION, ok, rig, seats, kept, removed, warnings, exit }
    }
}

/// One proof looked at again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifiedSeat {
    /// The seat.
    pub seat: String,
    /// The launch that made its conversation.
    pub launch: String,
    /// Its number.
    pub attempt: u32,
    /// The outcome as stored; only `refuted` doubts it.
    pub outcome: Option<ContinuityOutcome>,
    /// The conversation.
    pub conversation: ConversationReport,
    /// Where it was forked from.
    pub source: Option<ConversationReport>,
    /// What the evidence says now.
    pub status: ProofStatus,
    /// How much was seen; `None` where nothing could be.
    pub grade: Option<ProofGrade>,
    /// Whether the conversation lives in its source's record.
    pub depends_on_source: bool,
    /// One line for people.
    pub detail: String,
    /// A stable code where it is not proved.
    pub code: Option<LaunchCode>,
    /// When it was looked at.
    pub at: Timestamp,
    /// Whether the store has it; false where the store cannot be written.
    pub recorded: bool,
}

/// What `verify` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifyReport {
    /// The version of this shape.
    pub schema_version: u32,
    /// True exactly when the exit is 0.
    pub ok: bool,
    /// What was looked at.
    pub verified: Vec<VerifiedSeat>,
    /// Seats without a conversation to look at, each with why.
    pub skipped: Vec<Finding>,
    /// What could not be done.
    pub warnings: Vec<Finding>,
    /// How the command ends.
    #[serde(skip)]
    pub exit: ExitClass,
}

impl VerifyReport {
    /// Sums up: 6 where anything is refuted or unverifiable (SPEC 8).
    pub fn new(verified: Vec<VerifiedSeat>, skipped: Vec<Finding>, warnings: Vec<Finding>) -> Self {
        let proved = verified.iter().all(|seat| seat.status == ProofStatus::Proved);
        let exit = if proved { ExitClass::Ok } else { ExitClass::Findings };
        Self { schema_version: SCHEMA_VERSION, ok: proved, verified, skipped, warnings, exit }
    }
}

/// Something `reconcile` found, and what it did or would do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReconcileItem {
    /// The seat.
    pub seat: String,
    /// What it is.
    pub code: LaunchCode,
    /// What was seen.
    pub message: String,
    /// What would be done; empty where nothing would.
    pub plan: String,
    /// The command that does it; `None` where none does.
    pub next: Option<String>,
    /// What was done; `None` without `--apply`.
    pub done: Option<String>,
    /// The conversation it is about.
    pub conversation: Option<ConversationReport>,
    /// Why it could not be done.
    pub error: Option<ErrorReport>,
}

/// What `reconcile` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReconcileReport {
    /// The version of this shape.
    pub schema_version: u32,
    /// True exactly when the exit is 0.
    pub ok: bool,
    /// Whether anything was done.
    pub applied: bool,
    /// What was found.
    pub items: Vec<ReconcileItem>,
    /// What could not be looked at.
    pub warnings: Vec<Finding>,
    /// How the command ends.
    #[serde(skip)]
    pub exit: ExitClass,
}

impl ReconcileReport {
    /// Sums up: 130 where it was interrupted, 1 where something failed, 6 where something is left to be done.
    pub fn new(applied: bool, items: Vec<ReconcileItem>, warnings: Vec<Finding>) -> Self {
        let mut exit = warnings.iter().fold(ExitClass::Ok, |exit, finding| {
            exit.or(match finding.code {
                LaunchCode::Interrupted => ExitClass::Interrupted,
                _ => ExitClass::Findings,
            })
        });
        for item in &items {
            exit = exit.or(match (&item.error, &item.done) {
                (Some(error), _) if error.is(LaunchCode::Interrupted) => ExitClass::Interrupted,
                (Some(error), _) if error.is(LaunchCode::LaunchInProgress) => ExitClass::Conflict,
                (Some(_), _) => ExitClass::Failed,
                (None, Some(_)) => ExitClass::Ok,
                (None, None) => ExitClass::Findings,
            });
        }
        let ok = exit == ExitClass::Ok;
        Self { schema_version: SCHEMA_VERSION, ok, applied, items, warnings, exit }
    }
}
