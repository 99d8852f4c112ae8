//! Before a new attempt: what the last one left is over, and what it made is named (SPEC 7).

use super::Turn;
use crate::machine::{Failure, evidence_of};
use crate::pane::chain;
use crate::phase1::end_started;
use crate::report::{Finding, Step};
use seatfork_adapters::contract::failure::ProveError;
use seatfork_adapters::{Adapter, Made, SeatEnv};
use seatfork_schema::{Intent, LaunchCode, LaunchState, ProofStatus};
use seatfork_store::Launch;

/// Ends what still runs of the last launch where it ended without a seat, and reports every child that bears the mark
/// of one that did.
pub(super) async fn before_attempt(turn: &Turn, last: &Launch) -> Result<(), Failure> {
    let stopped = |code, message: String| {
        Failure::of(Step::Declare, code, format!("{message}; nothing was started"))
    };
    if is_without_seat(last) {
        end_started(last, turn.ground.clock.as_ref())
            .await
            .map_err(|not_over| stopped(not_over.code(), not_over.to_string()))?;
    }
    let seat = turn.seat;
    let launches = turn.ground.store.ask(move |store| store.launches_of(seat)).await;
    let launches = launches.map_err(|error| stopped(LaunchCode::LookFailed, chain(&error)))?;
    for launch in without_seat(&launches) {
        let made = turn
            .adapter
            .find_made(launch.planned_child.as_ref(), launch.nonce.as_str(), &turn.env)
            .await
            .map_err(|error| stopped(LaunchCode::LookFailed, error.to_string()))?;
        if let Some(made) = made {
            turn.note(orphan_finding(turn.adapter, &turn.env, launch, &made).await);
        }
    }
    Ok(())
}

/// The launches of a seat that ended without one, but for those whose child was bound to it later.
pub(crate) fn without_seat(launches: &[Launch]) -> impl Iterator<Item = &Launch> {
    let bound = |launch: &Launch| {
        launches.iter().any(|other| other.adopts == Some(launch.id) && other.child.is_some())
    };
    launches.iter().filter(move |launch| is_without_seat(launch) && !bound(launch))
}

/// Whether a launch was to make a conversation and no seat came of it.
pub(crate) fn is_without_seat(launch: &Launch) -> bool {
    matches!(launch.state, LaunchState::Failed | LaunchState::Abandoned)
        && matches!(launch.intent, Intent::Fork | Intent::Fresh | Intent::Rebuild)
}

/// What is said of a conversation that bears a launch's mark. One that the proof refuses, then or now, is named as what
/// it is, a leftover: it cannot be bound.
pub(crate) async fn orphan_finding(
    adapter: &dyn Adapter,
    env: &SeatEnv,
    launch: &Launch,
    made: &Made,
) -> Finding {
    let id = &made.conversation.native_id;
    let place = format!("{} ({} bytes)", made.path, made.bytes);
    let mark = format!("conversation {id} at {place} bears the mark of attempt {}", launch.attempt);
    let unverified =
        launch.proof.as_ref().is_some_and(|proof| proof.status == ProofStatus::Unverifiable);
    if launch.failed_step.as_deref() == Some(Step::Prove.as_str()) && !unverified {
        return Finding::new(LaunchCode::PartialChild, format!("{mark}, whose proof was refused"));
    }
    if let Some(why) = refuted(adapter, env, launch, made).await {
        let message = format!("{mark}, and is no whole child of its source: {why}");
        return Finding::new(LaunchCode::PartialChild, message);
    }
    Finding::new(LaunchCode::OrphanFound, format!("{mark}, which ended without a seat"))
}

/// What the proof has against it. What cannot be looked at is no evidence against anything.
async fn refuted(
    adapter: &dyn Adapter,
    env: &SeatEnv,
    launch: &Launch,
    made: &Made,
) -> Option<String> {
    let evidence = evidence_of(launch).ok()?;
    if launch.source.is_some() && evidence.is_none() {
        return None;
    }
    let child = &made.conversation;
    match adapter.prove_untouched(evidence.as_ref(), child, env, &launch.cwd).await {
        Err(ProveError::Refuted { message, .. }) => Some(message),
        Err(ProveError::Unverifiable { .. }) | Ok(_) => None,
    }
}
