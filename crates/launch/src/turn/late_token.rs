//! The token of a seat whose conversation its pane began: taken once, from what the pane's own process holds (SPEC 6).

use super::Turn;
use crate::pane::{Look, Presence, chain};
use crate::report::Finding;
use crate::state::SeatState;
use jiff::SignedDuration;
use seatfork_adapters::ProveError;
use seatfork_schema::{ConversationId, LaunchCode, ProvedChild};
use seatfork_store::Launch;

/// How far two clocks that the same machine reads may seem apart.
const SLACK: SignedDuration = SignedDuration::from_secs(2);

/// Takes the token where it is missing and the pane serves a conversation that began in it. What speaks against it is said.
pub(super) async fn take(turn: &Turn, state: &SeatState, look: &Look) {
    let waits = state.row.occupant.as_ref().is_some_and(|occupant| occupant.token.is_none());
    let (true, Presence::Running) = (waits && turn.adapter.describe().resume, &look.presence)
    else {
        return;
    };
    let Some(launch) = &state.row.occupant_launch else { return };
    let served = look.seen.as_ref().and_then(|seen| seen.serves.clone());
    let Some(served) = served else { return };
    if let Err(why) = store(turn, launch, served).await {
        turn.note(Finding::new(LaunchCode::TokenNotTaken, why));
    }
}

async fn store(turn: &Turn, launch: &Launch, served: ConversationId) -> Result<(), String> {
    let id = served.native_id.clone();
    let begun = launch.forking_at.unwrap_or(launch.declared_at);
    // Somebody may have gone over to an older conversation in the pane: that is not the one it began.
    match turn.adapter.born(&served) {
        Some(born) if born + SLACK >= begun => {}
        Some(_) => return Err(format!("the pane serves {id}, which is older than the seat")),
        None => return Err(format!("when {id}, which the pane serves, began cannot be told")),
    }
    let proof = turn.adapter.prove(None, &served, &turn.env, &launch.cwd).await;
    let proof = proof.map_err(|error| match error {
        ProveError::Refuted { message, .. } | ProveError::Unverifiable { message, .. } => {
            format!("the pane serves {id}: {message}")
        }
    })?;
    let proved = ProvedChild::fresh(served, proof).map_err(|error| error.to_string())?;
    let (launch, at) = (launch.id, turn.ground.now());
    let stored = turn.ground.store.ask(move |store| store.late_token(launch, &proved, at)).await;
    stored.map(|_| ()).map_err(|error| format!("the pane serves {id}: {}", chain(&error)))
}
