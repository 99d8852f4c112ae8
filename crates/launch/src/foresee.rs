//! What `up` would do with each seat, by the very facts it decides by (SPEC 7 "Convergence").

use crate::converge::{Act, decide};
use crate::ground::Ground;
use crate::plan::RigPlan;
use crate::ps::equipment;
use crate::state::{SeatState, facts, look_at, owner_life};
use seatfork_store::{Rig, StoreError};
use std::collections::BTreeMap;
use thiserror::Error;

/// Why nothing can be foretold.
#[derive(Debug, Error)]
pub enum ForeseeError {
    /// Whether somebody is at work on a seat cannot be told.
    #[error("{0}")]
    Look(String),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What would be done with the seats of a rig that are known, by the name the plan has. One that is not in the answer
/// would be made. Looks at panes; starts, writes and changes nothing.
pub async fn foresee(
    ground: &Ground,
    rig: &Rig,
    plan: &RigPlan,
) -> Result<BTreeMap<String, Act>, ForeseeError> {
    let id = rig.id;
    let rows = ground.store.ask(move |store| store.rig_state(id)).await?;
    let mut acts = BTreeMap::new();
    for seat in &plan.seats {
        let is = |name: &str| name.eq_ignore_ascii_case(seat.seat.as_str());
        let Some(row) = rows.iter().find(|row| is(&row.seat.name)).cloned() else { continue };
        let state = ground.store.ask(move |store| SeatState::of(store, row)).await?;
        let last = state.row.last_launch.as_ref();
        let owner = owner_life(ground, last).await.map_err(ForeseeError::Look)?;
        let look = match equipment(ground, &state.row.seat) {
            Some((adapter, env)) => Box::pin(look_at(ground, adapter, &state, &env)).await,
            None => None,
        };
        acts.insert(seat.seat.to_string(), decide(facts(&state, seat, owner, look.as_ref())));
    }
    Ok(acts)
}
