//! Ending one seat's process, and only that one (SPEC 7: it kills nothing it cannot prove ours).

use super::DownDepth;
use super::leftovers::{close_open, with_stray};
use crate::ground::Ground;
use crate::owner;
use crate::pane::{EndError, Look, NONCE_OPTION, Presence, Seen, chain, end};
use crate::phase1::marked;
use crate::ps::equipment;
use crate::report::{DownAction, DownSeat, ErrorReport, Finding};
use crate::state::{SeatState, look_at, process_id};
use crate::tasks::off_thread;
use seatfork_schema::{LaunchCode, ProcessState};
use seatfork_store::{Launch, LockError, OwnerLock, SeatId, SeatRow, StoreError};
use seatfork_tmux::{Lookup, PaneReport};

/// How often a launch of somebody else's may come first.
const ROUNDS: u32 = 8;

/// A seat that was stopped.
#[derive(Debug)]
pub(super) struct Stopped {
    /// What is said of it.
    pub(super) said: DownSeat,
    /// The number of the launch it was stopped at; a later one means that somebody started it again.
    pub(super) latest: u32,
    /// That launch's lock, held until the whole rig is dealt with.
    pub(super) lock: Option<OwnerLock>,
}

/// Ends what runs for a seat, as it is now: it is read again under the lock of its latest launch.
pub(super) async fn stop(
    ground: &Ground,
    seat: SeatId,
    depth: DownDepth,
    warnings: &mut Vec<Finding>,
) -> Result<Stopped, StoreError> {
    let mut state = read(ground, seat).await?;
    for _ in 0..ROUNDS {
        let latest = state.latest();
        let left = |action, error| {
            let said = DownSeat { action, error: Some(error), ..blank(&state) };
            Ok(Stopped { said, latest, lock: None })
        };
        let lock = match take(ground, state.row.last_launch.as_ref()).await {
            Taken::None => None,
            Taken::Dead(lock) => Some(lock),
            Taken::Alive(error) => return left(DownAction::Left, error),
            Taken::Unknown(error) => return left(DownAction::Failed, error),
        };
        state = read(ground, seat).await?;
        if state.latest() == latest {
            let said = Box::pin(held(ground, state, depth, warnings)).await?;
            return Ok(Stopped { said, latest, lock });
        }
        release(lock, warnings);
    }
    let message = "launches of others kept coming first; it was left alone";
    let error = ErrorReport::new(LaunchCode::LaunchInProgress, message);
    let said = DownSeat { action: DownAction::Left, error: Some(error), ..blank(&state) };
    Ok(Stopped { said, latest: state.latest(), lock: None })
}

/// A seat whose turn did not come.
pub(super) fn interrupted(row: &SeatRow) -> Stopped {
    let message = "interrupted before it was looked at; it was left alone";
    let token = row.occupant.as_ref().and_then(|occupant| occupant.token.as_ref());
    let pane = row.last_pane.as_ref();
    let said = DownSeat {
        seat: row.seat.name.clone(),
        action: DownAction::Skipped,
        retired: false,
        process_state: pane.map_or(ProcessState::None, |pane| pane.observed),
        observed_at: pane.map(|pane| pane.observed_at),
        token: token.map(|token| token.conversation().native_id.to_string()),
        error: Some(ErrorReport::new(LaunchCode::Interrupted, message)),
    };
    let latest = row.last_launch.as_ref().map_or(0, |launch| launch.attempt);
    Stopped { said, latest, lock: None }
}

/// Lets go of a launch's lock.
pub(super) fn release(lock: Option<OwnerLock>, warnings: &mut Vec<Finding>) {
    if let Some(Err(error)) = lock.map(OwnerLock::release) {
        warnings.push(Finding::new(LaunchCode::Remark, chain(&error)));
    }
}

/// A seat as it is now.
pub(super) async fn read(ground: &Ground, seat: SeatId) -> Result<SeatState, StoreError> {
    ground.store.ask(move |store| SeatState::read(store, seat)).await
}

fn blank(state: &SeatState) -> DownSeat {
    DownSeat {
        seat: state.row.seat.name.clone(),
        action: DownAction::NotRunning,
        retired: false,
        process_state: ProcessState::None,
        observed_at: None,
        token: state.token().map(|conversation| conversation.native_id.to_string()),
        error: None,
    }
}

/// The seat's pane and its open launch, with nobody else at work on it.
async fn held(
    ground: &Ground,
    state: SeatState,
    depth: DownDepth,
    warnings: &mut Vec<Finding>,
) -> Result<DownSeat, StoreError> {
    let blank = blank(&state);
    let state = match with_stray(ground, state).await {
        Ok(state) => state?,
        Err(failure) => {
            let error = Some(failure.told().1);
            return Ok(DownSeat { action: DownAction::Failed, error, ..blank });
        }
    };
    let mut seat = end_pane(ground, &state, blank, warnings).await;
    close_dead(ground, &state, warnings).await?;
    if let Some(launch) = &state.row.open_launch
        && let Err(error) = close_open(ground, &state, launch, depth, &mut seat).await
    {
        seat.action = DownAction::Failed;
        seat.error = Some(error);
    }
    Ok(seat)
}

enum Taken {
    None,
    Dead(OwnerLock),
    Alive(ErrorReport),
    Unknown(ErrorReport),
}

/// The lock of the seat's latest launch, so that nobody goes on with it meanwhile.
async fn take(ground: &Ground, launch: Option<&Launch>) -> Taken {
    let Some(launch) = launch else { return Taken::None };
    let id = launch.id;
    match ground.store.ask(move |store| OwnerLock::take_over(&store.locks_dir(), id)).await {
        Ok(lock) => Taken::Dead(lock),
        Err(LockError::Held { .. }) => {
            let message =
                format!("{} is launching this seat; it was left alone", owner::told(&launch.owner));
            Taken::Alive(ErrorReport::new(LaunchCode::LaunchInProgress, message))
        }
        Err(error) => Taken::Unknown(ErrorReport::new(LaunchCode::LookFailed, chain(&error))),
    }
}

/// Ends the seat's pane, if there is one.
async fn end_pane(
    ground: &Ground,
    state: &SeatState,
    blank: DownSeat,
    warnings: &mut Vec<Finding>,
) -> DownSeat {
    let Some((adapter, env)) = equipment(ground, &state.row.seat) else {
        let message = format!("this build has no adapter for {}", state.row.seat.runtime);
        let error = ErrorReport::new(LaunchCode::NotInThisBuild, message);
        return DownSeat { action: DownAction::Failed, error: Some(error), ..blank };
    };
    let Some(look) = look_at(ground, adapter, state, &env).await else { return blank };
    let recorded = state.pane.as_ref().and_then(|pane| process_id(&pane.process));
    let Look { presence, seen, pane } = look;
    let told = |error: EndError| ErrorReport::new(error.code(), chain(&error));
    let ended = match presence {
        Presence::Unknown(why) => Err(ErrorReport::new(LaunchCode::PaneUnknown, why)),
        Presence::Gone => {
            // The dead pane of a process that ended by itself goes as well.
            end(&ground.tmux, pane, None).await.map_err(told).map(|()| None)
        }
        Presence::Running | Presence::Astray(_) => {
            end(&ground.tmux, pane, recorded).await.map_err(told).map(|()| Some(()))
        }
    };
    match ended {
        Err(error) => DownSeat { action: DownAction::Failed, error: Some(error), ..blank },
        Ok(stopped) => {
            name_rest(state, warnings).await;
            let seen = match (stopped, seen) {
                (None, Some(seen)) => seen,
                _ => Seen::just(ProcessState::Exited, ground.now()),
            };
            record(ground, state, &seen, warnings).await;
            let action =
                if stopped.is_some() { DownAction::Stopped } else { DownAction::NotRunning };
            DownSeat { action, process_state: seen.state, observed_at: Some(seen.at), ..blank }
        }
    }
}

/// The dead panes of earlier launches of the seat go with it: by their mark they are ours, and nothing runs in them.
async fn close_dead(
    ground: &Ground,
    state: &SeatState,
    warnings: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let seat = state.row.seat.id;
    let launches = ground.store.ask(move |store| store.launches_of(seat)).await?;
    let server = ground.tmux.clone();
    let panes = match off_thread(move || server.list(&[NONCE_OPTION])).await {
        Ok(Lookup::Found(panes)) => panes,
        Ok(_) => return Ok(()),
        Err(error) => {
            warnings.push(Finding::new(LaunchCode::Remark, chain(&error)));
            return Ok(());
        }
    };
    let is_ours = |report: &PaneReport| {
        let mark = report.options.get(NONCE_OPTION);
        mark.is_some_and(|mark| launches.iter().any(|launch| launch.nonce.as_str() == mark))
    };
    for report in panes.into_iter().filter(|report| report.dead && is_ours(report)) {
        if let Err(error) = end(&ground.tmux, Some(report.pane), None).await {
            warnings.push(Finding::new(LaunchCode::Remark, chain(&error)));
        }
    }
    Ok(())
}

/// Processes that were started in the seat and outlive it are named, not ended: they may be somebody's work.
async fn name_rest(state: &SeatState, warnings: &mut Vec<Finding>) {
    let Some(launch) = &state.pane_launch else { return };
    match marked(launch.nonce.as_str()).await {
        // This very command may have been started there, and does not outlive it for long.
        Ok(census) => warnings.extend(
            census.found.iter().filter(|process| process.pid != std::process::id()).map(
                |process| {
                    let message = format!(
                        "process {} was started in {} and still runs",
                        process.pid, state.row.seat.name
                    );
                    Finding::new(LaunchCode::ProcessStillRunning, message)
                },
            ),
        ),
        Err(error) => warnings.push(Finding::new(LaunchCode::LookFailed, chain(&error))),
    }
}

async fn record(ground: &Ground, state: &SeatState, seen: &Seen, warnings: &mut Vec<Finding>) {
    let Some(pane) = &state.pane else { return };
    let (id, now, at) = (pane.launch, seen.state, seen.at);
    let code = seen.exit_code.filter(|_| now == ProcessState::Exited);
    if let Err(error) = ground.store.ask(move |store| store.observe_pane(id, now, code, at)).await {
        let message = format!("that the process ended could not be stored: {}", chain(&error));
        warnings.push(Finding::new(LaunchCode::ResultNotStored, message));
    }
}
