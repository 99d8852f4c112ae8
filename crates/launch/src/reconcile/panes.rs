//! Panes on our server that belong to nothing we know (SPEC 7): named, never ended.

use crate::ground::Ground;
use crate::pane::{NONCE_OPTION, chain};
use crate::report::Finding;
use crate::tasks::off_thread;
use seatfork_schema::LaunchCode;
use seatfork_store::{Nonce, StoreError};
use seatfork_tmux::Lookup;

/// The findings for panes of no seat.
pub(super) async fn strays(ground: &Ground) -> Result<Vec<Finding>, StoreError> {
    let server = ground.tmux.clone();
    let listed = off_thread(move || server.list(&[NONCE_OPTION])).await;
    let panes = match listed {
        Ok(Lookup::Found(panes)) => panes,
        Ok(_) => return Ok(Vec::new()),
        Err(error) => return Ok(vec![Finding::new(LaunchCode::PaneUnknown, chain(&error))]),
    };
    let mut findings = Vec::new();
    for report in panes {
        let name = report.pane.name.to_string();
        let nonce = report.options.get(NONCE_OPTION).and_then(|text| Nonce::new(text).ok());
        let Some(nonce) = nonce else {
            let message = format!("tmux session {name} bears no mark of ours");
            findings.push(Finding::new(LaunchCode::StrayPane, message));
            continue;
        };
        let launch = ground.store.ask(move |store| store.launch_by_nonce(&nonce)).await?;
        let Some(launch) = launch else {
            let message = format!("tmux session {name} bears a mark this store does not know");
            findings.push(Finding::new(LaunchCode::StrayPane, message));
            continue;
        };
        let id = launch.seat;
        let row = ground.store.ask(move |store| store.seat_state(id)).await?;
        let latest = row.last_pane.as_ref().map(|pane| pane.launch);
        let current = latest == Some(launch.id) || (latest.is_none() && !report.dead);
        if row.seat.retired_at.is_some() || !current {
            let message = format!(
                "tmux session {name} is of attempt {} of {}, which lives there no more",
                launch.attempt, row.seat.name
            );
            findings.push(Finding::new(LaunchCode::StrayPane, message));
        }
    }
    Ok(findings)
}
