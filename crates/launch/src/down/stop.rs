//! Ending one seat's process, and only that one (SPEC 7: it kills nothing it cannot prove ours).

use super::DownDepth;
use crate::ground::Ground;
use crate::owner::told;
use crate::pane::{Look, Presence, Seen, chain};
use crate::phase1::{Swept, end_marked, marked};
use crate::ps::equipment;
use crate::report::{DownAction, DownSeat, ErrorReport, Finding, Step};
use crate::state::{SeatState, look_at, process_id};
use crate::tasks::off_thread;
use seatfork_schema::{Intent, LaunchCode, LaunchState, ProcessState, SeatToken};
use seatfork_store::{Launch, LaunchError, LockError, OwnerLock, SeatRow, StepError, StoreError};
use seatfork_tmux::{Ended, Pane, ProcessId, end_process};
use std::time::Duration;

/// How long a seat's process may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// Ends what runs for a seat.
pub(super) async fn stop(
    ground: &Ground,
    row: &SeatRow,
    depth: DownDepth,
    warnings: &mut Vec<Finding>,
) -> Result<DownSeat, StoreError> {
    let asked = row.clone();
    let state = ground.store.ask(move |store| SeatState::of(store, asked)).await?;
    let blank = DownSeat {
        seat: row.seat.name.clone(),
        action: DownAction::NotRunning,
        retired: false,
        process_state: ProcessState::None,
        observed_at: None,
        token: row
            .occupant
            .as_ref()
            .and_then(|occupant| occupant.token.as_ref())
            .map(SeatToken::conversation)
            .map(|conversation| conversation.native_id.to_string()),
        error: None,
    };
    let lock = match take(ground, state.row.last_launch.as_ref()).await {
        Taken::None => None,
        Taken::Dead(lock) => Some(lock),
        Taken::Alive(error) => {
            return Ok(DownSeat { action: DownAction::Left, error: Some(error), ..blank });
        }
        Taken::Unknown(error) => {
            return Ok(DownSeat { action: DownAction::Failed, error: Some(error), ..blank });
        }
    };
    let mut seat = end_pane(ground, &state, blank, warnings).await;
    let Some(lock) = lock else { return Ok(seat) };
    if let Some(launch) = &state.row.open_launch
        && let Err(error) = close_open(ground, &state, launch, depth, &mut seat).await
    {
        seat.action = DownAction::Failed;
        seat.error = Some(error);
    }
    if let Err(error) = lock.release() {
        warnings.push(Finding::new(LaunchCode::Remark, chain(&error)));
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
                format!("{} is launching this seat; it was left alone", told(&launch.owner));
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
    let ended = match presence {
        Presence::Unknown(why) => Err(ErrorReport::new(LaunchCode::PaneUnknown, why)),
        Presence::Gone => {
            // The dead pane of a process that ended by itself goes as well.
            close(ground, pane).await.map(|()| None)
        }
        Presence::Running | Presence::Astray(_) => match close(ground, pane).await {
            Ok(()) => finish(recorded).await.map(|()| Some(())),
            Err(error) => Err(error),
        },
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

async fn close(ground: &Ground, pane: Option<Pane>) -> Result<(), ErrorReport> {
    let Some(pane) = pane else { return Ok(()) };
    let server = ground.tmux.clone();
    // A session that is not there is as good as one that was ended.
    let closed = off_thread(move || server.kill(&pane)).await;
    closed
        .map(|_| ())
        .map_err(|error| ErrorReport::new(LaunchCode::TmuxServerFailed, chain(&error)))
}

/// The process got SIGHUP with its pane; one that does not mind is ended by its identity.
async fn finish(process: Option<ProcessId>) -> Result<(), ErrorReport> {
    let Some(process) = process else { return Ok(()) };
    let ended = off_thread(move || {
        let until = std::time::Instant::now() + GRACE;
        while std::time::Instant::now() < until {
            if !process.alive()? {
                return Ok(Ended::Before);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        end_process(process, GRACE)
    });
    match ended.await {
        Ok(Ended::StillRunning) => {
            let message = format!("process {} still runs", process.pid);
            Err(ErrorReport::new(LaunchCode::ProcessStillRunning, message))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(ErrorReport::new(LaunchCode::LookFailed, chain(&error))),
    }
}

/// Processes that were started in the seat and outlive it are named, not ended: they may be somebody's work.
async fn name_rest(state: &SeatState, warnings: &mut Vec<Finding>) {
    let Some(launch) = &state.pane_launch else { return };
    match marked(launch.nonce.as_str()).await {
        Ok(census) => warnings.extend(census.found.iter().map(|process| {
            let message = format!(
                "process {} was started in {} and still runs",
                process.pid, state.row.seat.name
            );
            Finding::new(LaunchCode::ProcessStillRunning, message)
        })),
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

/// An open launch of a dead owner: what it started is ended. A resume ends with its pane; a launch that
/// may have made a conversation stays open for `up` to finish, unless the seat is to be forgotten.
async fn close_open(
    ground: &Ground,
    state: &SeatState,
    launch: &Launch,
    depth: DownDepth,
    seat: &mut DownSeat,
) -> Result<(), ErrorReport> {
    let recorded = launch.phase1.as_ref().and_then(process_id);
    match end_marked(launch.nonce.as_str(), recorded).await {
        Ok(Swept::Clear) => {}
        Ok(Swept::Left(pids)) => {
            let message = format!("processes of its open launch still run: {pids:?}");
            return Err(ErrorReport::new(LaunchCode::ProcessStillRunning, message));
        }
        Err(error) => return Err(ErrorReport::new(LaunchCode::LookFailed, chain(&error))),
    }
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
