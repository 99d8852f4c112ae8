//! What the store says of a seat, read in one go, and what its process is seen to be.

use crate::converge::{Facts, Occupancy, Owner, Pane as PaneFact};
use crate::ground::Ground;
use crate::pane::{Known, Look, Presence, chain, look, session_name};
use crate::plan::SeatPlan;
use crate::report::Finding;
use seatfork_adapters::{Adapter, SeatEnv};
use seatfork_process::ProcessId;
use seatfork_schema::{ConversationId, Intent, LaunchCode, ProcessState};
use seatfork_store::{Launch, OwnerLock, Pane, ProcessMark, SeatId, SeatRow, Store, StoreError};

/// A seat with the pane of its present occupant, or of its open launch.
#[derive(Debug, Clone)]
pub(crate) struct SeatState {
    /// The rows.
    pub(crate) row: SeatRow,
    /// The pane, if one was opened for who lives there now.
    pub(crate) pane: Option<Pane>,
    /// The launch that pane was opened by.
    pub(crate) pane_launch: Option<Launch>,
}

impl SeatState {
    /// Reads a seat.
    pub(crate) fn read(store: &Store, seat: SeatId) -> Result<Self, StoreError> {
        Self::of(store, store.seat_state(seat)?)
    }

    /// Adds the pane to a row that was read already.
    pub(crate) fn of(store: &Store, row: SeatRow) -> Result<Self, StoreError> {
        let Some(pane) = row.last_pane.clone() else {
            return Ok(Self { row, pane: None, pane_launch: None });
        };
        let opened_by = store.launch(pane.launch)?;
        let since = row.occupant_launch.as_ref().or(row.open_launch.as_ref());
        // A pane of an earlier attempt than the one that made the occupant was an earlier occupant's, but
        // for a rotation: that occupant was taken over from the pane it lives in.
        let current = since.is_some_and(|since| {
            since.intent == Intent::Adopt || opened_by.attempt >= since.attempt
        });
        Ok(if current {
            Self { row, pane: Some(pane), pane_launch: Some(opened_by) }
        } else {
            Self { row, pane: None, pane_launch: None }
        })
    }

    /// The number of its latest launch, 0 where it has none: what is decided by this state holds while it is that.
    pub(crate) fn latest(&self) -> u32 {
        self.row.last_launch.as_ref().map_or(0, |launch| launch.attempt)
    }

    /// The conversation that lives there.
    pub(crate) fn token(&self) -> Option<&ConversationId> {
        self.row.occupant.as_ref()?.token.as_ref().map(seatfork_schema::SeatToken::conversation)
    }
}

/// A recorded process as one that can be asked for. `None`: its start is no number of this system.
pub(crate) fn process_id(mark: &ProcessMark) -> Option<ProcessId> {
    Some(ProcessId { pid: mark.pid, start: mark.start.parse().ok()? })
}

/// A process as it is recorded.
pub(crate) fn process_mark(process: ProcessId) -> ProcessMark {
    ProcessMark { pid: process.pid, start: process.start.to_string() }
}

/// Looks at the pane of a seat, if it has one, and records what was seen.
pub(crate) async fn look_at(
    ground: &Ground,
    adapter: &dyn Adapter,
    state: &SeatState,
    env: &SeatEnv,
) -> Option<Look> {
    let (pane, launch) = (state.pane.as_ref()?, state.pane_launch.as_ref()?);
    let unknown = |why: String| Look { presence: Presence::Unknown(why), seen: None, pane: None };
    let Some(process) = process_id(&pane.process) else {
        return Some(unknown(format!(
            "its recorded process start {:?} is no number",
            pane.process.start
        )));
    };
    let session = match session_name(pane.launch) {
        Ok(session) => session,
        Err(error) => return Some(unknown(error.to_string())),
    };
    let known = Known {
        socket: pane.socket.clone(),
        session,
        nonce: launch.nonce.as_str().to_owned(),
        process,
    };
    let mut look = look(&ground.tmux, adapter, &known, env, ground.clock.as_ref()).await;
    // Its end was seen before, by `down` or an earlier look: it is not lost.
    if pane.observed == ProcessState::Exited
        && look.seen.as_ref().is_some_and(|seen| seen.state == ProcessState::Lost)
    {
        look.seen = None;
    }
    Some(look)
}

/// The facts `up` decides by, and the findings that come with them.
pub(crate) fn facts(
    state: &SeatState,
    plan: &SeatPlan,
    owner: Option<Owner>,
    look: Option<&Look>,
) -> Facts {
    let occupant = state.row.occupant.as_ref().map(|occupant| Occupancy {
        has_token: occupant.token.is_some(),
        pane: match pane_fact(state, look) {
            PaneFact::NeverOpened | PaneFact::Gone if !plan.needs_process => PaneFact::NotNeeded,
            pane => pane,
        },
    });
    Facts {
        runtime: state.row.seat.runtime,
        source: plan.wanted(),
        policy: plan.policy,
        open: owner,
        occupant,
    }
}

fn pane_fact(state: &SeatState, look: Option<&Look>) -> PaneFact {
    let Some(look) = look else { return PaneFact::NeverOpened };
    match &look.presence {
        Presence::Running if rotation(state, Some(look)).is_some() => PaneFact::ServesAnother,
        Presence::Running => PaneFact::Running,
        // A process astray is found again by the question who uses the conversation; a relaunch, which asks none, refuses.
        Presence::Gone | Presence::Astray(_) => PaneFact::Gone,
        Presence::Unknown(_) => PaneFact::Unknown,
    }
}

/// Whether somebody is at work on a seat, by the kernel lock of its latest launch: held from before it is declared
/// until its pane was seen.
pub(crate) async fn owner_life(
    ground: &Ground,
    launch: Option<&Launch>,
) -> Result<Option<Owner>, String> {
    let Some(launch) = launch else { return Ok(None) };
    let name = launch.owner_lock.clone();
    let free =
        ground.store.ask(move |store| OwnerLock::is_free(&store.locks_dir().join(name))).await;
    match free {
        Ok(true) => Ok(launch.state.is_open().then_some(Owner::Dead)),
        Ok(false) => Ok(Some(Owner::Alive)),
        Err(error) => Err(chain(&error)),
    }
}

/// The conversation a pane serves in place of its seat's token, if it does.
pub(crate) fn rotation<'a>(
    state: &SeatState,
    look: Option<&'a Look>,
) -> Option<&'a ConversationId> {
    look?.seen.as_ref()?.other_than(state.token()?)
}

/// The finding for a rotated seat.
pub(crate) fn rotation_finding(state: &SeatState, look: Option<&Look>) -> Option<Finding> {
    let served = rotation(state, look)?;
    let token = state.token()?;
    let message =
        format!("the pane serves {}, the seat's token is {}", served.native_id, token.native_id);
    Some(Finding::new(LaunchCode::ServesAnotherConversation, message))
}
