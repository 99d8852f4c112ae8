//! What a command says in the end: the JSON shapes of SPEC 13, typed.

mod finding;
mod looks;
mod verbs;

pub use finding::Finding;
pub use looks::{
    Check, CheckStatus, DoctorReport, LineageEdgeReport, LineageNodeReport, LineageReport,
};
pub use verbs::{
    DownAction, DownReport, DownSeat, PsReport, ReconcileItem, ReconcileReport, VerifiedSeat,
    VerifyReport,
};

use crate::exit::ExitClass;
use crate::words::words;
use jiff::Timestamp;
use seatfork_schema::{
    BindingOutcome, ContinuityOutcome, ConversationId, LaunchCode, LaunchState, NoticeState,
    ProcessState, Proof, ProofGrade, ProofStatus, Runtime, SourceId,
};
use serde::Serialize;

/// The version of the JSON shapes.
pub const SCHEMA_VERSION: u32 = 1;

words! {
    /// What a command did with a seat.
    Action {
        /// A launch of a new conversation for it was carried through.
        Created = "created",
        /// Its own conversation was brought back.
        Resumed = "resumed",
        /// It was left as it is.
        Unchanged = "unchanged",
        /// It was tried and did not succeed.
        Failed = "failed",
        /// It was not tried.
        Skipped = "skipped",
    }
}

words! {
    /// The steps of a launch, as `failed_step` names them.
    Step {
        /// Writing down that the launch is to be.
        Declare = "declare",
        /// Looking at the source, or at the seat's own conversation.
        Resolve = "resolve",
        /// Making the conversation headless.
        Fork = "fork",
        /// Reading the new id.
        Learn = "learn",
        /// Comparing the child with the source.
        Prove = "prove",
        /// Storing the token.
        Store = "store",
        /// Opening the pane.
        Pane = "pane",
        /// Seeing the pane serve the token.
        Ready = "ready",
        /// Dealing with what a dead owner left.
        Recover = "recover",
    }
}

/// A conversation, as JSON names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConversationReport {
    /// Its runtime.
    pub runtime: Runtime,
    /// Where its id is unique; empty but for pixir.
    pub scope: String,
    /// The runtime's own id, whole.
    pub native_id: String,
}

impl From<&ConversationId> for ConversationReport {
    fn from(id: &ConversationId) -> Self {
        Self {
            runtime: id.runtime,
            scope: id.scope.as_str().to_owned(),
            native_id: id.native_id.to_string(),
        }
    }
}

impl From<&SourceId> for ConversationReport {
    fn from(source: &SourceId) -> Self {
        source.conversation().into()
    }
}

/// The evidence for a seat's conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProofReport {
    /// How much was seen.
    pub grade: ProofGrade,
    /// What it says.
    pub status: ProofStatus,
    /// One line for people.
    pub detail: String,
    /// Whether the conversation lives in its source's record, and breaks where that is deleted.
    pub depends_on_source: bool,
}

impl From<&Proof> for ProofReport {
    fn from(proof: &Proof) -> Self {
        let inherited = proof.inherited.as_ref();
        Self {
            grade: proof.grade,
            status: proof.status,
            detail: proof.detail.clone(),
            depends_on_source: inherited.is_some_and(|inherited| inherited.depends_on_source),
        }
    }
}

impl ProofReport {
    /// The grade as it is shown: `L3 (by reference)` where the content lives in other records (SPEC 8).
    pub fn shown_grade(&self) -> String {
        let grade = self.grade;
        if self.depends_on_source { format!("{grade} (by reference)") } else { grade.to_string() }
    }
}

/// Why something did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorReport {
    /// The stable code. Text, as a row of another version may hold one this build does not know.
    pub code: String,
    /// What failed, and what was and was not done.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
    /// The runtime's own words, or the last lines of its screen; text from outside, unescaped.
    pub output: Option<String>,
}

impl ErrorReport {
    /// An error with its code's own hint.
    pub fn new(code: LaunchCode, message: impl Into<String>) -> Self {
        Self {
            code: code.as_str().to_owned(),
            message: message.into(),
            hint: Some(code.next().to_owned()),
            output: None,
        }
    }

    /// The same with a hint of its own.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with somebody else's words.
    #[must_use]
    pub fn output(mut self, output: Option<String>) -> Self {
        self.output = output;
        self
    }

    /// Whether it is this one.
    pub fn is(&self, code: LaunchCode) -> bool {
        self.code == code.as_str()
    }
}

/// One seat: the fields of SPEC 13, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeatReport {
    /// `<pod>-<member>@<rig>`.
    pub seat: String,
    /// The pod's id.
    pub pod: String,
    /// The member's id.
    pub member: String,
    /// The seat's runtime.
    pub runtime: Runtime,
    /// What was done; `ps` did nothing and says `unchanged`.
    pub action: Action,
    /// The number of the seat's latest launch, from 1.
    pub attempt: Option<u32>,
    /// How its latest launch ended.
    pub continuity_outcome: Option<ContinuityOutcome>,
    /// What became of a handover; `None` but for that verb.
    pub binding_outcome: Option<BindingOutcome>,
    /// The state of its latest launch.
    pub launch_state: Option<LaunchState>,
    /// What was last observed of its process.
    pub process_state: ProcessState,
    /// When.
    pub observed_at: Option<Timestamp>,
    /// The seat's own native id.
    pub token: Option<String>,
    /// The workspace its conversation is kept in, where the runtime keeps it in one (pixir).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Where its conversation was forked from.
    pub source: Option<ConversationReport>,
    /// Whether this command realized its launch, and so saw its source before and after. Not in the JSON.
    #[serde(skip)]
    pub made_now: bool,
    /// The evidence for it.
    pub proof: Option<ProofReport>,
    /// Whether the seat was told what it is.
    pub notice: Option<NoticeState>,
    /// What deserves a look.
    pub warnings: Vec<Finding>,
    /// The step its latest launch failed at: a [`Step`], or the state an abandoned one was left in.
    pub failed_step: Option<String>,
    /// Why.
    pub error: Option<ErrorReport>,
    /// The command that opens its pane.
    pub attach: Option<String>,
}

impl SeatReport {
    /// What this seat alone says about the exit.
    pub fn exit(&self, strict: bool) -> ExitClass {
        let error = self.error.as_ref();
        if error.is_some_and(|error| error.is(LaunchCode::LaunchInProgress)) {
            return ExitClass::Conflict;
        }
        if error.is_some_and(|error| error.is(LaunchCode::Interrupted)) {
            return ExitClass::Interrupted;
        }
        if self.action == Action::Failed || error.is_some() || !self.is_running() {
            return ExitClass::Failed;
        }
        if strict && self.warnings.iter().any(Finding::is_strict) {
            return ExitClass::Findings;
        }
        ExitClass::Ok
    }

    /// Whether its pane could not be looked at: what is stored of its process is then old.
    pub fn is_unknown(&self) -> bool {
        self.warnings.iter().any(|finding| finding.code == LaunchCode::PaneUnknown)
    }

    /// Whether it is up: ready, or needing no process on this machine. Where that could not be seen it is not said.
    pub fn is_running(&self) -> bool {
        if self.is_unknown() {
            return false;
        }
        match self.process_state {
            ProcessState::Ready => true,
            // A pixir seat without a program of its own needs no process (SPEC 6).
            ProcessState::None => self.runtime == Runtime::Pixir && self.token.is_some(),
            _ => false,
        }
    }
}

/// What `up` says in the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UpReport {
    /// The version of this shape.
    pub schema_version: u32,
    /// True exactly when the exit is 0.
    pub ok: bool,
    /// The rig's name.
    pub rig: String,
    /// Every member of the spec, in its order. Seats that are in it no more stand in `warnings`.
    pub seats: Vec<SeatReport>,
    /// What concerns the rig as a whole.
    pub warnings: Vec<Finding>,
    /// How the command ends.
    #[serde(skip)]
    pub exit: ExitClass,
}

impl UpReport {
    /// Sums up.
    pub fn new(
        rig: String,
        seats: Vec<SeatReport>,
        warnings: Vec<Finding>,
        strict: bool,
        interrupted: bool,
    ) -> Self {
        let mut exit = seats.iter().fold(ExitClass::Ok, |exit, seat| exit.or(seat.exit(strict)));
        if strict && warnings.iter().any(Finding::is_strict) {
            exit = exit.or(ExitClass::Findings);
        }
        if interrupted {
            exit = exit.or(ExitClass::Interrupted);
        }
        let ok = exit == ExitClass::Ok;
        Self { schema_version: SCHEMA_VERSION, ok, rig, seats, warnings, exit }
    }
}
