//! The conversations that stay when a rig goes: no verb deletes one, and every one is named (SPEC 7).

use crate::ground::Ground;
use crate::pane::chain;
use crate::ps::equipment;
use crate::report::{ConversationReport, Finding};
use seatfork_schema::{Intent, LaunchCode};
use seatfork_store::{Launch, SeatRow, StoreError, rescue};

/// Every conversation that lives in a seat of the rig, or was made for one, its token stored or not.
pub(super) async fn conversations(
    ground: &Ground,
    rows: &[SeatRow],
    warnings: &mut Vec<Finding>,
) -> Result<Vec<ConversationReport>, StoreError> {
    let mut kept: Vec<ConversationReport> = Vec::new();
    let mut keep = |report: ConversationReport| {
        if !kept.contains(&report) {
            kept.push(report);
        }
    };
    for row in rows {
        let id = row.seat.id;
        for launch in ground.store.ask(move |store| store.launches_of(id)).await? {
            if let Some(child) = &launch.child {
                keep(child.into());
                continue;
            }
            match rescued(ground, &launch).await {
                Ok(Some(child)) => keep(child),
                Ok(None) => {}
                Err(why) => warnings.push(Finding::new(LaunchCode::RescueFile, why)),
            }
            match unstored(ground, row, &launch).await {
                Ok(Some(child)) => keep(child),
                Ok(None) => {}
                Err(why) => warnings.push(Finding::new(LaunchCode::LookFailed, why)),
            }
        }
    }
    Ok(kept)
}

/// What bears the mark of a launch whose row knows no child.
async fn unstored(
    ground: &Ground,
    row: &SeatRow,
    launch: &Launch,
) -> Result<Option<ConversationReport>, String> {
    // A resume makes none, an adopted rotation is on its row, and before `forking` nothing was started.
    let makes = matches!(launch.intent, Intent::Fork | Intent::Fresh | Intent::Rebuild);
    if !makes || launch.forking_at.is_none() {
        return Ok(None);
    }
    let Some((adapter, env)) = equipment(ground, &row.seat) else { return Ok(None) };
    let made = adapter.find_made(launch.planned_child.as_ref(), launch.nonce.as_str(), &env).await;
    match made {
        Ok(made) => Ok(made.map(|made| (&made.conversation).into())),
        Err(error) => Err(format!(
            "{}: whether attempt {} left a conversation could not be seen: {}",
            row.seat.name,
            launch.attempt,
            chain(&error)
        )),
    }
}

/// What a launch's rescue file holds, which a purge removes.
async fn rescued(ground: &Ground, launch: &Launch) -> Result<Option<ConversationReport>, String> {
    let id = launch.id;
    let found = ground.store.ask(|store| rescue::list(&store.rescue_dir())).await;
    let found = found.map_err(|error| chain(&error))?;
    let mine = found.into_iter().filter_map(|file| file.rescue.ok()).find(|one| one.launch == id);
    Ok(mine.map(|rescue| (&rescue.child).into()))
}
