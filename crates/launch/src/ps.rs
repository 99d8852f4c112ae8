//! `ps` and `attach`: the seats as they are now, observed afresh (SPEC 7, 13).

use crate::adapters::{Adapters, CallerEnv, Locations, seat_env};
use crate::ground::Ground;
use crate::pane::{Presence, chain};
use crate::report::{Finding, PsReport, SeatReport};
use crate::seat_report::{Said, seat_report};
use crate::state::{SeatState, look_at, rotation_finding};
use crate::target::{Target, seats_of};
use seatfork_adapters::{Adapter, SeatEnv};
use seatfork_schema::{LaunchCode, ProcessState};
use seatfork_store::{Seat, SeatRow, StoreError};
use seatfork_tmux::SessionName;
use thiserror::Error;

/// Looks at seats: of one rig, one seat, or all.
///
/// Starts, stops and types nothing. What was seen is written to our own store where that can be
/// written; where it cannot, that is said and the answer is the same.
pub async fn ps(ground: &Ground, which: Option<&Target>) -> Result<PsReport, StoreError> {
    let rows = seats_of(&ground.store, which).await?;
    let mut seats = Vec::new();
    let mut unwritten = None;
    for row in rows {
        // A look is a large future; it is kept off the caller's.
        seats.push(Box::pin(one(ground, row, &mut unwritten)).await?);
    }
    let warnings = unwritten.map(|why| {
        Finding::new(
            LaunchCode::StoreUnwritable,
            format!("what was seen was not written down: {why}"),
        )
    });
    let rig = match which {
        Some(Target::Rig(rig)) => Some(rig.name.clone()),
        _ => None,
    };
    Ok(PsReport::new(rig, seats, warnings.into_iter().collect()))
}

async fn one(
    ground: &Ground,
    row: SeatRow,
    unwritten: &mut Option<String>,
) -> Result<SeatReport, StoreError> {
    let state = ground.store.ask(move |store| SeatState::of(store, row)).await?;
    let Some((adapter, env)) = equipment(ground, &state.row.seat) else {
        let message = format!("this build has no adapter for {}", state.row.seat.runtime);
        let findings = vec![Finding::new(LaunchCode::NotInThisBuild, message)];
        return Ok(seat_report(&state, Said { findings, ..Said::default() }));
    };
    let look = look_at(ground, adapter, &state, &env).await;
    let mut findings: Vec<_> = rotation_finding(&state, look.as_ref()).into_iter().collect();
    if let Some(Presence::Unknown(why)) = look.as_ref().map(|look| &look.presence) {
        findings.push(Finding::new(LaunchCode::PaneUnknown, why.clone()));
    }
    let seen = look.and_then(|look| look.seen);
    if let (Some(seen), Some(pane)) = (&seen, &state.pane)
        && seen.state != ProcessState::None
    {
        let (id, now, at) = (pane.launch, seen.state, seen.at);
        let code = seen.exit_code.filter(|_| now == ProcessState::Exited);
        let stored = ground.store.ask(move |store| store.observe_pane(id, now, code, at)).await;
        if let Err(error) = stored {
            unwritten.get_or_insert(chain(&error));
        }
    }
    Ok(seat_report(&state, Said { seen, findings, ..Said::default() }))
}

/// A seat's adapter and its environment, with the locations it was made with.
pub(crate) fn equipment(ground: &Ground, seat: &Seat) -> Option<(&'static dyn Adapter, SeatEnv)> {
    equipped(&ground.adapters, &ground.caller, seat)
}

/// The same, of the parts it takes.
pub(crate) fn equipped(
    adapters: &Adapters,
    caller: &CallerEnv,
    seat: &Seat,
) -> Option<(&'static dyn Adapter, SeatEnv)> {
    let adapter = adapters.get(seat.runtime)?;
    let locations = Locations::from_store(&seat.location);
    let env = seat_env(caller, adapter.describe(), &seat.pass_env, &locations);
    Some((adapter, env))
}

/// Why a pane cannot be shown.
#[derive(Debug, Error)]
pub enum AttachError {
    /// No pane was opened for whoever lives there.
    #[error("{seat} has no pane; seatfork up opens one")]
    NoPane {
        /// The seat.
        seat: String,
    },
    /// Its pane is gone.
    #[error("the pane of {seat} is gone; seatfork up brings the seat back")]
    Gone {
        /// The seat.
        seat: String,
    },
    /// It could not be looked at.
    #[error("the pane of {seat} cannot be looked at: {why}")]
    Unknown {
        /// The seat.
        seat: String,
        /// Why.
        why: String,
    },
    /// The store could not be read.
    #[error("{}", chain(.0))]
    Store(#[from] StoreError),
}

/// The command that shows a seat's pane to a person, for `exec` in their terminal. Starts nothing itself.
///
/// A pane whose process ended is shown too: its last words stand there.
pub async fn attach(ground: &Ground, row: &SeatRow) -> Result<Vec<String>, AttachError> {
    let seat = || row.seat.name.clone();
    let asked = row.clone();
    let state = ground.store.ask(move |store| SeatState::of(store, asked)).await?;
    let (Some(pane), Some((adapter, env))) = (&state.pane, equipment(ground, &row.seat)) else {
        return Err(AttachError::NoPane { seat: seat() });
    };
    let look = look_at(ground, adapter, &state, &env).await;
    match look {
        Some(look) if look.pane.is_some() => {}
        Some(look) => {
            return Err(match look.presence {
                Presence::Unknown(why) => AttachError::Unknown { seat: seat(), why },
                _ => AttachError::Gone { seat: seat() },
            });
        }
        None => return Err(AttachError::NoPane { seat: seat() }),
    }
    let session: SessionName =
        pane.session.parse().map_err(|error: seatfork_tmux::NameError| AttachError::Unknown {
            seat: seat(),
            why: error.to_string(),
        })?;
    Ok(ground.tmux.attach_argv(&session))
}
