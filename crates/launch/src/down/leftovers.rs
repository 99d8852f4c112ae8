//! What a dead owner left of a seat that is taken down: a pane nobody wrote down, and an open launch (SPEC 7).

use super::{DownDepth, stop};
use crate::ground::Ground;
use crate::machine::Failure;
use crate::pane::chain;
use crate::phase1::end_started;
use crate::ps::equipment;
use crate::report::{DownAction, DownSeat, ErrorReport, Step};
use crate::seat_pane::adopt_stray;
use crate::state::SeatState;
use seatfork_schema::{Intent, LaunchCode, LaunchState};
use seatfork_store::{Launch, LaunchError, StepError, StoreError};

/// The seat with the pane that a dead owner opened and did not write down: found by name and nonce, as `up` finds it.
pub(super) async fn with_stray(
    ground: &Ground,
    state: SeatState,
) -> Result<Result<SeatState, StoreError>, Failure> {
    let Some(launch) = &state.row.last_launch else { return Ok(Ok(state)) };
    let opens = match launch.state {
        LaunchState::Realized => true,
        LaunchState::Forking => launch.intent == Intent::Resume,
        _ => false,
    };
    let known = state.row.last_pane.as_ref().is_some_and(|pane| pane.launch == launch.id);
    // What was taken over from a pane lives in the pane of an earlier launch.
    if !opens || known || launch.intent == Intent::Adopt {
        return Ok(Ok(state));
    }
    match adopt_stray(ground, launch).await? {
        None => Ok(Ok(state)),
        Some(_) => Ok(stop::read(ground, state.row.seat.id).await),
    }
}

/// An open launch of a dead owner: what it started is ended. A resume ends with its pane; a launch that
/// may have made a conversation stays open for `up` to finish, unless the seat is to be forgotten.
pub(super) async fn close_open(
    ground: &Ground,
    state: &SeatState,
    launch: &Launch,
    depth: DownDepth,
    seat: &mut DownSeat,
) -> Result<(), ErrorReport> {
    end_started(launch, ground.clock.as_ref())
        .await
        .map_err(|not_over| ErrorReport::new(not_over.code(), not_over.to_string()))?;
    if launch.intent != Intent::Resume && depth == DownDepth::Stop {
        return Ok(());
    }
    let leftover = match equipment(ground, &state.row.seat) {
        Some((adapter, env)) if launch.state == LaunchState::Forking => adapter
            .find_made(launch.planned_child.as_ref(), launch.nonce.as_str(), &env)
            .await
            .map_err(|error| ErrorReport::new(LaunchCode::LookFailed, error.to_string()))?
            .map(|made| format!("conversation {} at {}", made.conversation.native_id, made.path)),
        _ => None,
    };
    let error = LaunchError {
        code: LaunchCode::TakenDown.as_str().to_owned(),
        text: "the seat was taken down before this launch was over".to_owned(),
        hint: Some(LaunchCode::TakenDown.next().to_owned()),
        leftover,
        ..LaunchError::default()
    };
    let (id, at) = (launch.id, ground.now());
    let stored = ground
        .store
        .ask(move |store| store.fail(id, Step::Recover.as_str(), &error, None, at))
        .await;
    stored
        .map_err(|error: StepError| ErrorReport::new(LaunchCode::ResultNotStored, chain(&error)))?;
    seat.action = match seat.action {
        DownAction::NotRunning if launch.phase1.is_some() => DownAction::Stopped,
        other => other,
    };
    Ok(())
}
