//! Before a new attempt: what the last one left is over, and what it made is named (SPEC 7).

use super::Turn;
use crate::machine::Failure;
use crate::phase1::end_started;
use crate::report::{Finding, Step};
use seatfork_adapters::Made;
use seatfork_schema::{Intent, LaunchCode, LaunchState, ProofStatus};
use seatfork_store::Launch;

/// Ends what still runs of a launch that ended without a seat, and reports a child that bears its mark.
pub(super) async fn before_attempt(turn: &Turn, last: &Launch) -> Result<(), Failure> {
    if !is_without_seat(last) {
        return Ok(());
    }
    end_started(last, turn.ground.clock.as_ref()).await.map_err(|not_over| {
        let message = format!("{not_over}; nothing was started");
        Failure::of(Step::Declare, not_over.code(), message)
    })?;
    match orphan(turn, last).await {
        Ok(Some(made)) => turn.note(orphan_finding(last, &made)),
        Ok(None) => {}
        Err(error) => {
            let message = format!("{error}; nothing was started");
            return Err(Failure::of(Step::Declare, LaunchCode::LookFailed, message));
        }
    }
    Ok(())
}

/// Whether a launch was to make a conversation and no seat came of it.
pub(crate) fn is_without_seat(launch: &Launch) -> bool {
    matches!(launch.state, LaunchState::Failed | LaunchState::Abandoned)
        && matches!(launch.intent, Intent::Fork | Intent::Fresh | Intent::Rebuild)
}

/// The conversation that bears the mark of a launch that ended without a seat.
async fn orphan(
    turn: &Turn,
    launch: &Launch,
) -> Result<Option<Made>, seatfork_adapters::FindError> {
    turn.adapter.find_made(launch.planned_child.as_ref(), launch.nonce.as_str(), &turn.env).await
}

/// What is said of it. One that proof refused before is named, and cannot be bound.
pub(crate) fn orphan_finding(launch: &Launch, made: &Made) -> Finding {
    let id = &made.conversation.native_id;
    let place = format!("{} ({} bytes)", made.path, made.bytes);
    let attempt = launch.attempt;
    let unverified =
        launch.proof.as_ref().is_some_and(|proof| proof.status == ProofStatus::Unverifiable);
    if launch.failed_step.as_deref() == Some(Step::Prove.as_str()) && !unverified {
        let message = format!(
            "conversation {id} at {place} bears the mark of attempt {attempt}, whose proof was refused"
        );
        return Finding::new(LaunchCode::PartialChild, message);
    }
    let message = format!(
        "conversation {id} at {place} bears the mark of attempt {attempt}, which ended without a seat"
    );
    Finding::new(LaunchCode::OrphanFound, message)
}
