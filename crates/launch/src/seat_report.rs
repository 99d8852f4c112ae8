//! A seat's report, from what the store holds of it and what was seen of its process (SPEC 13).

use crate::pane::Seen;
use crate::phase1::told_again;
use crate::report::{Action, ConversationReport, ErrorReport, Finding, ProofReport, SeatReport};
use jiff::Timestamp;
use seatfork_schema::{LaunchCode, ProcessState, Runtime};
use seatfork_store::{Launch, SeatRow};

use crate::state::SeatState;

/// What a report says besides what the store holds.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// What was done.
    pub(crate) action: Option<Action>,
    /// Whether this command realized the seat's launch, its source seen before and after.
    pub(crate) made_now: bool,
    /// What was seen of the process just now; without it the stored observation stands.
    pub(crate) seen: Option<Seen>,
    /// What deserves a look.
    pub(crate) findings: Vec<Finding>,
    /// An error of this command that no launch row holds, and the step it happened at.
    pub(crate) error: Option<(String, ErrorReport)>,
}

/// Puts the two together.
///
/// `attempt`, `launch_state`, `continuity_outcome`, `failed_step` and `error` are of the latest launch;
/// `token`, `source`, `proof` and `notice` of the one that made the occupant.
pub(crate) fn seat_report(state: &SeatState, said: Said) -> SeatReport {
    let row = &state.row;
    let last = row.last_launch.as_ref();
    let maker = row.occupant_launch.as_ref();
    let (process_state, observed_at) = process(state, said.seen.as_ref());
    let stored = last.and_then(stored_error);
    let (failed_step, mut error) = match (said.error, stored) {
        (Some((step, error)), _) => (Some(step), Some(error)),
        (None, Some((step, error))) => (step, Some(error)),
        (None, None) => (None, None),
    };
    if error.is_none() {
        error = said.seen.as_ref().and_then(|seen| process_error(row, seen));
    }
    let mut warnings = said.findings;
    warnings.extend(stored_warnings(maker));
    SeatReport {
        seat: row.seat.name.clone(),
        pod: row.seat.pod.clone(),
        member: row.seat.member.clone(),
        runtime: row.seat.runtime,
        action: said.action.unwrap_or(Action::Unchanged),
        attempt: last.map(|launch| launch.attempt),
        continuity_outcome: last.and_then(|launch| launch.outcome),
        binding_outcome: None,
        launch_state: last.map(|launch| launch.state),
        process_state,
        observed_at,
        token: row
            .occupant
            .as_ref()
            .and_then(|occupant| occupant.token.as_ref())
            .map(|token| token.conversation().native_id.to_string()),
        workspace: state
            .token()
            .map(|conversation| conversation.scope.as_str().to_owned())
            .filter(|workspace| !workspace.is_empty()),
        source: maker.and_then(|launch| launch.source.as_ref()).map(ConversationReport::from),
        made_now: said.made_now,
        proof: maker.and_then(|launch| launch.proof.as_ref()).map(ProofReport::from),
        notice: maker.and_then(|launch| launch.notice),
        warnings,
        failed_step,
        error,
        attach: has_pane(process_state).then(|| format!("seatfork attach {}", row.seat.name)),
    }
}

/// A report of a seat of which nothing is known.
pub(crate) fn blank_report(
    seat: &impl ToString,
    pod: &impl ToString,
    member: &impl ToString,
    runtime: seatfork_schema::Runtime,
) -> SeatReport {
    SeatReport {
        seat: seat.to_string(),
        pod: pod.to_string(),
        member: member.to_string(),
        runtime,
        action: Action::Failed,
        attempt: None,
        continuity_outcome: None,
        binding_outcome: None,
        launch_state: None,
        process_state: ProcessState::None,
        observed_at: None,
        token: None,
        workspace: None,
        source: None,
        made_now: false,
        proof: None,
        notice: None,
        warnings: Vec::new(),
        failed_step: None,
        error: None,
        attach: None,
    }
}

/// The state of the process: as seen now, else as stored, else none.
fn process(state: &SeatState, seen: Option<&Seen>) -> (ProcessState, Option<Timestamp>) {
    match (seen, state.pane.as_ref()) {
        (Some(seen), _) => (seen.state, Some(seen.at)),
        (None, Some(pane)) => (pane.observed, Some(pane.observed_at)),
        (None, None) => (ProcessState::None, None),
    }
}

fn has_pane(state: ProcessState) -> bool {
    matches!(
        state,
        ProcessState::Starting
            | ProcessState::Ready
            | ProcessState::AttentionRequired
            | ProcessState::Exited
    )
}

/// The error a launch row holds.
fn stored_error(launch: &Launch) -> Option<(Option<String>, ErrorReport)> {
    let error = launch.error.as_ref()?;
    let mut message = error.text.clone();
    if let Some(leftover) = &error.leftover {
        message.push_str("; what exists now: ");
        message.push_str(leftover);
    }
    let report = ErrorReport {
        code: error.code.clone(),
        message,
        hint: error.hint.clone(),
        output: error.output_path.as_deref().and_then(told_again),
    };
    Some((launch.failed_step.clone(), report))
}

/// What a process state that is not ready says, with the last lines of the screen.
fn process_error(row: &SeatRow, seen: &Seen) -> Option<ErrorReport> {
    let name = &row.seat.name;
    let (code, message) = match seen.state {
        ProcessState::AttentionRequired => {
            let dialog = seen.dialog.as_ref()?;
            (dialog.code, format!("waiting at: {}", dialog.question))
        }
        ProcessState::Exited => {
            let how = seen.ended.as_deref().unwrap_or("how is not known");
            (LaunchCode::PaneFailed, format!("the process in the pane of {name} ended ({how})"))
        }
        ProcessState::Starting => {
            (LaunchCode::PaneTimeout, "not seen ready yet; it still runs".to_owned())
        }
        ProcessState::Ready | ProcessState::Lost | ProcessState::None => return None,
    };
    let error = ErrorReport::new(code, message).output(seen.output());
    Some(match seen.state {
        ProcessState::AttentionRequired => {
            error.hint(format!("answer it yourself: seatfork attach {name}"))
        }
        ProcessState::Exited => match (row.seat.runtime, &row.occupant) {
            (Runtime::Terminal, _) => {
                error.hint("read its last words, then run up again: it starts a new shell")
            }
            (_, Some(occupant)) if occupant.token.is_some() => {
                error.hint("read its last words, then run up again; the token is kept")
            }
            _ => error,
        },
        _ => error,
    })
}

/// Warnings are stored as `code: text`.
fn stored_warnings(launch: Option<&Launch>) -> Vec<Finding> {
    let said = launch.map(|launch| launch.warnings.as_slice()).unwrap_or_default();
    said.iter()
        .map(|said| {
            let (word, text) = said.split_once(": ").unwrap_or(("", said));
            match LaunchCode::from_word(word) {
                Some(code) => Finding::new(code, text),
                None => Finding::new(LaunchCode::Remark, said.clone()),
            }
        })
        .collect()
}

/// A finding as the store keeps it.
pub(crate) fn stored_warning(finding: &Finding) -> String {
    format!("{}: {}", finding.code, finding.message)
}
