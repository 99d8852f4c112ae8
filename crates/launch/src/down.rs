//! `down`: processes end, tokens stay; `--forget` retires the seats, `--purge` also removes what we keep beside the store (SPEC 7).

mod stop;

use crate::ground::Ground;
use crate::pane::chain;
use crate::phase1::OutputFiles;
use crate::report::{ConversationReport, DownAction, DownReport, DownSeat, Finding};
use camino::Utf8PathBuf;
use seatfork_schema::LaunchCode;
use seatfork_store::{LaunchId, RetireError, Rig, SeatRow, StoreError, rescue};

/// How far `down` goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DownDepth {
    /// Processes end.
    #[default]
    Stop,
    /// And the seats are retired: their rows stay, their names are free.
    Forget,
    /// And captured output and rescue files of the rig are removed.
    Purge,
}

/// Takes a rig down. No conversation is deleted; those that stay are named.
pub async fn down(ground: &Ground, rig: &Rig, depth: DownDepth) -> Result<DownReport, StoreError> {
    let id = rig.id;
    let rows = ground.store.ask(move |store| store.rig_state(id)).await?;
    let mut warnings = Vec::new();
    let mut seats = Vec::new();
    for row in &rows {
        seats.push(stop::stop(ground, row, depth, &mut warnings).await?);
    }
    let stopped = seats.iter().all(is_down);
    let mut kept = Vec::new();
    let mut removed = Vec::new();
    if depth != DownDepth::Stop {
        if stopped {
            kept = conversations(ground, &rows).await?;
            retire(ground, rig, &mut seats, &mut warnings).await?;
        } else {
            let left: Vec<_> = seats.iter().filter(|seat| !is_down(seat)).collect();
            let owned = left.iter().all(|seat| seat.action == DownAction::Left);
            let code =
                if owned { LaunchCode::LaunchInProgress } else { LaunchCode::ProcessStillRunning };
            let names: Vec<_> = left.iter().map(|seat| seat.seat.as_str()).collect();
            let message = format!("no seat was retired: {} could not be ended", names.join(", "));
            warnings.push(Finding::new(code, message));
        }
    }
    if depth == DownDepth::Purge && stopped {
        removed = purge(ground, &rows, &mut warnings).await?;
    }
    Ok(DownReport::new(rig.name.clone(), seats, kept, removed, warnings))
}

fn is_down(seat: &DownSeat) -> bool {
    matches!(seat.action, DownAction::Stopped | DownAction::NotRunning)
}

async fn retire(
    ground: &Ground,
    rig: &Rig,
    seats: &mut [DownSeat],
    warnings: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let (id, at) = (rig.id, ground.now());
    match ground.store.ask(move |store| store.retire_rig(id, at)).await {
        Ok(()) => {
            for seat in seats {
                seat.retired = true;
            }
            Ok(())
        }
        Err(RetireError::OpenLaunch { seat, launch }) => {
            let message = format!("no seat was retired: {seat} has an open launch {launch}");
            warnings.push(Finding::new(LaunchCode::LaunchInProgress, message));
            Ok(())
        }
        Err(RetireError::Store(error)) => Err(error),
    }
}

/// Every conversation that lives in a seat of the rig, or was made for one.
async fn conversations(
    ground: &Ground,
    rows: &[SeatRow],
) -> Result<Vec<ConversationReport>, StoreError> {
    let mut kept: Vec<ConversationReport> = Vec::new();
    for row in rows {
        let id = row.seat.id;
        for launch in ground.store.ask(move |store| store.launches_of(id)).await? {
            if let Some(child) = &launch.child {
                let report = ConversationReport::from(child);
                if !kept.contains(&report) {
                    kept.push(report);
                }
            }
        }
    }
    Ok(kept)
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
