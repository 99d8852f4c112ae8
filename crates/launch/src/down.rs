//! `down`: processes end, tokens stay; `--forget` retires the seats, `--purge` also removes what we keep beside the store (SPEC 7).

mod kept;
mod leftovers;
mod socket;
mod stop;

use crate::ground::Ground;
use crate::pane::chain;
use crate::phase1::OutputFiles;
use crate::pins::Pins;
use crate::report::{DownAction, DownReport, ErrorReport, Finding};
use crate::store_thread::StoreThread;
use camino::Utf8PathBuf;
use seatfork_adapters::contract::environment::NONCE_VAR;
use seatfork_schema::LaunchCode;
use seatfork_store::{
    LaunchId, Nonce, RetireError, Rig, Seat, SeatId, SeatRow, StoreError, rescue,
};
use stop::Stopped;

/// How far `down` goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DownDepth {
    /// Processes end.
    #[default]
    Stop,
    /// And the seats are retired: their rows stay, their names are free.
    Forget,
    /// And captured output and rescue files of the rig are removed, and the socket where no pane needs it any more.
    Purge,
}

/// Takes a rig down. No conversation is deleted; those that stay are named.
///
/// A seat in whose own pane this command runs comes last ([`own_seat`]): what it says may reach nobody after that, but
/// everything is done and written down. An interruption leaves the seats alone whose turn has not come.
///
/// Every seat is looked at when its turn comes, under the lock of its latest launch, and the locks are held until the
/// seats are retired: one that somebody starts meanwhile is stopped, or left and told, never retired running. Of a rig
/// that was forgotten before ([`forgotten`]) only what is kept beside the store is removed.
pub async fn down(ground: &Ground, rig: &Rig, depth: DownDepth) -> Result<DownReport, StoreError> {
    let id = rig.id;
    let mut warnings = Vec::new();
    let mut removed = Vec::new();
    if rig.retired_at.is_some() {
        let rows = ground.store.ask(move |store| store.rig_state_ever(id)).await?;
        let kept = kept::conversations(ground, &rows, &mut warnings).await?;
        if depth == DownDepth::Purge {
            removed = purge(ground, &rows, &mut warnings).await?;
            removed.extend(socket::remove(ground, &mut warnings).await);
        }
        return Ok(DownReport::new(rig.name.clone(), Vec::new(), kept, removed, warnings));
    }
    let mut rows = ground.store.ask(move |store| store.rig_state(id)).await?;
    let own = own_seat(ground).await?;
    rows.sort_by_key(|row| own.as_ref().is_some_and(|own| own.id == row.seat.id));
    let mut all = Vec::new();
    for row in &rows {
        if ground.cancel.is_requested() {
            all.push(stop::interrupted(row));
            continue;
        }
        // Ending a seat is a large future; it is kept off the caller's.
        all.push(Box::pin(stop::stop(ground, row.seat.id, depth, &mut warnings)).await?);
    }
    let is_over = |seat: &Stopped| {
        matches!(seat.said.action, DownAction::Stopped | DownAction::NotRunning)
            && seat.said.error.is_none()
    };
    let mut kept = Vec::new();
    if depth != DownDepth::Stop {
        if all.iter().all(is_over) {
            kept = kept::conversations(ground, &rows, &mut warnings).await?;
            retire(ground, rig, &rows, &mut all).await?;
        } else {
            let left: Vec<_> =
                all.iter().filter(|seat| !is_over(seat)).map(|seat| &seat.said).collect();
            let are = |action| left.iter().all(|seat| seat.action == action);
            let (code, what) = if are(DownAction::Left) {
                (LaunchCode::LaunchInProgress, "could not be ended")
            } else if are(DownAction::Skipped) {
                (LaunchCode::Interrupted, "came after the interruption")
            } else {
                (LaunchCode::ProcessStillRunning, "could not be ended")
            };
            let names: Vec<_> = left.iter().map(|seat| seat.seat.as_str()).collect();
            let message = format!("no seat was retired: {} {what}", names.join(", "));
            warnings.push(Finding::new(code, message));
        }
    }
    if depth == DownDepth::Purge && all.iter().all(is_over) {
        removed = purge(ground, &rows, &mut warnings).await?;
        removed.extend(socket::remove(ground, &mut warnings).await);
    }
    let mut seats = Vec::new();
    for seat in all {
        stop::release(seat.lock, &mut warnings);
        seats.push(seat.said);
    }
    Ok(DownReport::new(rig.name.clone(), seats, kept, removed, warnings))
}

/// The seat in whose pane this command itself was started, told by the mark it inherited.
pub async fn own_seat(ground: &Ground) -> Result<Option<Seat>, StoreError> {
    let mark = ground.caller.0.get(NONCE_VAR).and_then(|mark| Nonce::new(mark).ok());
    let Some(mark) = mark else { return Ok(None) };
    ground
        .store
        .ask(move |store| match store.launch_by_nonce(&mark)? {
            Some(launch) => store.seat_state(launch.seat).map(|row| Some(row.seat)),
            None => Ok(None),
        })
        .await
}

/// The rigs of a name that were forgotten, the latest first: what is kept beside the store for them can still go.
pub async fn forgotten(store: &StoreThread, name: &str) -> Result<Vec<Rig>, StoreError> {
    let name = name.to_owned();
    let rigs = store.ask(|store| store.rigs_ever()).await?;
    let is_meant = |rig: &Rig| rig.retired_at.is_some() && rig.name.eq_ignore_ascii_case(&name);
    Ok(rigs.into_iter().rev().filter(is_meant).collect())
}

/// Retires the rig, where its seats are still those that were stopped.
async fn retire(
    ground: &Ground,
    rig: &Rig,
    rows: &[SeatRow],
    all: &mut [Stopped],
) -> Result<(), StoreError> {
    let (id, at) = (rig.id, ground.now());
    let as_stopped: Vec<(SeatId, u32)> =
        rows.iter().zip(&*all).map(|(row, seat)| (row.seat.id, seat.latest)).collect();
    let retired = ground.store.ask(move |store| store.retire_rig(id, &as_stopped, at)).await;
    let started = match retired {
        Ok(()) => None,
        Err(RetireError::OpenLaunch { seat, .. } | RetireError::Overtaken { seat }) => Some(seat),
        Err(RetireError::Store(error)) => return Err(error),
    };
    for seat in all {
        match &started {
            None => seat.said.retired = true,
            Some(name) => {
                let message = format!("no seat was retired: {name} was started meanwhile");
                seat.said.error = Some(ErrorReport::new(LaunchCode::LaunchInProgress, message));
            }
        }
    }
    Ok(())
}

/// Removes what we keep beside the store for the rig's launches.
async fn purge(
    ground: &Ground,
    rows: &[SeatRow],
    warnings: &mut Vec<Finding>,
) -> Result<Vec<Utf8PathBuf>, StoreError> {
    let mut removed = Vec::new();
    for row in rows {
        let id = row.seat.id;
        let launches = ground.store.ask(move |store| store.launches_of(id)).await?;
        for launch in launches {
            let files = OutputFiles::named(&ground.output_dir, launch.id);
            let there = files.present();
            match files.remove() {
                Ok(()) => removed.extend(there),
                Err(error) => warnings.push(Finding::new(LaunchCode::Remark, error.to_string())),
            }
            let pins = Pins::of(&ground.output_dir, launch.id);
            let there = pins.present();
            match pins.remove() {
                Ok(()) => removed.extend(there),
                Err(error) => warnings.push(Finding::new(LaunchCode::Remark, error.to_string())),
            }
            match remove_rescue(ground, launch.id).await {
                Ok(path) => removed.extend(path),
                Err(why) => warnings.push(Finding::new(LaunchCode::RescueFile, why)),
            }
        }
    }
    Ok(removed)
}

async fn remove_rescue(ground: &Ground, launch: LaunchId) -> Result<Option<Utf8PathBuf>, String> {
    ground
        .store
        .ask(move |store| {
            let path = store.rescue_dir().join(format!("{launch}.json"));
            if !path.exists() {
                return Ok(None);
            }
            rescue::remove(&path).map(|()| Some(path)).map_err(|error| chain(&error))
        })
        .await
}
