//! `reconcile`: what the store says against what is there (SPEC 7).
//!
//! It shows what it would do; with `apply` it does what needs no choice:
//! interrupted launches are finished or abandoned, missing first panes are
//! opened, rescue files the store has caught up with are removed. An orphan or
//! a rotation is taken over only when it is named. It kills nothing it cannot
//! prove ours, and an error is not an absence.

mod adopt;
mod again;
mod panes;

pub use adopt::{AdoptSeatError, adopt_orphan, adopt_seat};

use crate::converge::Owner;
use crate::ground::Ground;
use crate::machine::evidence_of;
use crate::owner::told;
use crate::pane::{Look, Presence, chain};
use crate::ps::equipment;
use crate::report::{
    Action, ConversationReport, ErrorReport, Finding, ReconcileItem, ReconcileReport, SeatReport,
};
use crate::state::{SeatState, look_at, owner_life, rotation, rotation_finding};
use crate::target::{Target, seats_of};
use crate::turn::{orphan_finding, without_seat};
use again::turn_of;
use seatfork_adapters::{Adapter, SeatEnv};
use seatfork_schema::{LaunchCode, Runtime};
use seatfork_store::rescue;
use seatfork_store::{LineageNode, LineageOf};
use seatfork_store::{SeatRow, StoreError};
use std::sync::Arc;

/// How `reconcile` goes about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReconcileOptions {
    /// Do it, instead of only showing it.
    pub apply: bool,
    /// `--allow-yolo` was given.
    pub allow_yolo: bool,
}

/// Compares, and with `apply` puts right what needs no choice.
pub async fn reconcile(
    ground: &Arc<Ground>,
    which: Option<&Target>,
    options: ReconcileOptions,
) -> Result<ReconcileReport, StoreError> {
    let mut items = Vec::new();
    let mut warnings = Vec::new();
    for row in seats_of(&ground.store, which).await? {
        if ground.cancel.is_requested() {
            let message = format!("interrupted before {} was looked at", row.seat.name);
            warnings.push(Finding::new(LaunchCode::Interrupted, message));
            break;
        }
        // One seat's turn is a large future; it is kept off the caller's.
        Box::pin(seat(ground, row, options, &mut items, &mut warnings)).await?;
    }
    if which.is_none() {
        warnings.extend(panes::strays(ground).await?);
    }
    rescues(ground, options, &mut items, &mut warnings).await?;
    let told = warnings.iter().any(|finding| finding.code == LaunchCode::Interrupted);
    if ground.cancel.is_requested() && !told {
        let message = "interrupted; what was begun was finished first";
        warnings.push(Finding::new(LaunchCode::Interrupted, message));
    }
    Ok(ReconcileReport::new(options.apply, items, warnings))
}

async fn seat(
    ground: &Arc<Ground>,
    row: SeatRow,
    options: ReconcileOptions,
    items: &mut Vec<ReconcileItem>,
    warnings: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let state = ground.store.ask(move |store| SeatState::of(store, row)).await?;
    let name = state.row.seat.name.clone();
    let Some((adapter, env)) = equipment(ground, &state.row.seat) else {
        let message = format!("{name}: this build has no adapter for {}", state.row.seat.runtime);
        warnings.push(Finding::new(LaunchCode::NotInThisBuild, message));
        return Ok(());
    };
    if let Some(launch) = &state.row.last_launch {
        match owner_life(ground, Some(launch)).await {
            Ok(None | Some(Owner::Dead)) => {}
            Ok(Some(Owner::Alive)) => {
                let message =
                    format!("{name}: {} is at work on it; it was left alone", told(&launch.owner));
                warnings.push(Finding::new(LaunchCode::LaunchInProgress, message));
                return Ok(());
            }
            Err(why) => {
                warnings.push(Finding::new(LaunchCode::LookFailed, format!("{name}: {why}")));
                return Ok(());
            }
        }
    }
    if let Some(item) = unfinished(&state) {
        // A whole turn is a large future; it is kept off the caller's.
        items.push(Box::pin(mended(ground, &state, item, options)).await);
    }
    let look = look_at(ground, adapter, &state, &env).await;
    if let Some(item) = late(&state, adapter, look.as_ref()) {
        items.push(Box::pin(mended(ground, &state, item, options)).await);
    }
    if let Some(finding) = rotation_finding(&state, look.as_ref()) {
        let adopt = adopt(&name);
        let plan = format!("nothing unless it is named: {adopt} takes it over");
        let conversation = rotation(&state, look.as_ref()).map(ConversationReport::from);
        items.push(ReconcileItem { next: Some(adopt), ..item(&name, finding, plan, conversation) });
    }
    if let Some(Presence::Unknown(why)) = look.map(|look| look.presence) {
        warnings.push(Finding::new(LaunchCode::PaneUnknown, format!("{name}: {why}")));
    }
    orphans(ground, &state, adapter, &env, items, warnings).await?;
    others(ground, &state, adapter, &env, items, warnings).await
}

fn item(
    seat: &str,
    finding: Finding,
    plan: impl Into<String>,
    conversation: Option<ConversationReport>,
) -> ReconcileItem {
    ReconcileItem {
        seat: seat.to_owned(),
        code: finding.code,
        message: finding.message,
        plan: plan.into(),
        done: None,
        conversation,
        next: None,
        error: None,
    }
}

/// What is done without being named.
const APPLY: &str = "seatfork reconcile --apply";

/// What has to be named.
fn adopt(what: &str) -> String {
    format!("seatfork reconcile --adopt {what}")
}

/// An interrupted launch, or a realized seat whose first pane is missing.
fn unfinished(state: &SeatState) -> Option<ReconcileItem> {
    let name = &state.row.seat.name;
    if let Some(launch) = &state.row.open_launch {
        let message =
            format!("attempt {} is {} and its owner is gone", launch.attempt, launch.state);
        let finding = Finding::new(LaunchCode::InterruptedLaunch, message);
        let plan = "finish it where it made a conversation that can be proved, else abandon it";
        let child = launch.planned_child.as_ref().map(|child| child.conversation().into());
        let next = Some(APPLY.to_owned());
        return Some(ReconcileItem { next, ..item(name, finding, plan, child) });
    }
    // A session log needs no process, and whether a program for it is installed is asked by `up`.
    let needs_none = state.row.seat.runtime == Runtime::Pixir;
    let occupied = state.row.occupant.is_some() && state.pane.is_none() && !needs_none;
    occupied.then(|| {
        let finding = Finding::new(LaunchCode::NoPane, "no pane was ever opened for its occupant");
        let plan = "open its pane by a plain resume";
        let next = Some(APPLY.to_owned());
        ReconcileItem { next, ..item(name, finding, plan, state.token().map(Into::into)) }
    })
}

/// A seat whose conversation began in its pane, and stands on disk by now.
fn late(state: &SeatState, adapter: &dyn Adapter, look: Option<&Look>) -> Option<ReconcileItem> {
    let waits = state.row.occupant.as_ref().is_some_and(|occupant| occupant.token.is_none());
    let served = look?.seen.as_ref()?.serves.as_ref()?;
    (waits && adapter.describe().resume).then(|| {
        let message = format!("its pane began {}, and no token is stored", served.native_id);
        let finding = Finding::new(LaunchCode::TokenLate, message);
        let plan = "store its token, if it is the seat's own";
        item(&state.row.seat.name, finding, plan, Some(served.into()))
    })
}

async fn mended(
    ground: &Arc<Ground>,
    state: &SeatState,
    item: ReconcileItem,
    options: ReconcileOptions,
) -> ReconcileItem {
    if !options.apply {
        return item;
    }
    let turn = match turn_of(ground, state, options.allow_yolo).await {
        Ok(turn) => turn,
        Err(error) => return ReconcileItem { error: Some(error), ..item },
    };
    match turn.mend().await {
        Err(error) => {
            let report = ErrorReport::new(LaunchCode::StoreCorrupt, chain(&error));
            ReconcileItem { error: Some(report), ..item }
        }
        Ok(report) => {
            let failed = matches!(report.action, Action::Failed | Action::Skipped);
            let done = (!failed).then(|| told_of(&report));
            // What was abandoned went as planned; everything else that has an error did not end well.
            let planned = |error: &ErrorReport| !failed && error.is(LaunchCode::LaunchAbandoned);
            let error = report.error.filter(|error| !planned(error));
            ReconcileItem { done, error, ..item }
        }
    }
}

/// What came of a seat, in a few words.
fn told_of(report: &SeatReport) -> String {
    let said: Vec<_> = report.warnings.iter().map(|finding| finding.message.clone()).collect();
    let state = report.launch_state.map_or("none", seatfork_schema::LaunchState::as_str);
    let mut told = format!("launch {state}, process {}", report.process_state);
    if !said.is_empty() {
        told.push_str("; ");
        told.push_str(&said.join("; "));
    }
    told
}

/// Conversations that bear the mark of a launch that ended without a seat.
async fn orphans(
    ground: &Ground,
    state: &SeatState,
    adapter: &dyn Adapter,
    env: &SeatEnv,
    items: &mut Vec<ReconcileItem>,
    warnings: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let id = state.row.seat.id;
    let name = &state.row.seat.name;
    let launches = ground.store.ask(move |store| store.launches_of(id)).await?;
    for launch in without_seat(&launches) {
        let found =
            adapter.find_made(launch.planned_child.as_ref(), launch.nonce.as_str(), env).await;
        match found {
            Ok(None) => {}
            Ok(Some(made)) => {
                let finding = orphan_finding(adapter, env, launch, &made).await;
                let orphan = finding.code == LaunchCode::OrphanFound;
                let next = orphan.then(|| adopt(made.conversation.native_id.as_str()));
                let plan = match &next {
                    Some(adopt) => {
                        format!("nothing unless it is named: {adopt} binds it to the seat")
                    }
                    None => {
                        "nothing: its id is burned, and the leftover stays where it is".to_owned()
                    }
                };
                let found = item(name, finding, plan, Some((&made.conversation).into()));
                items.push(ReconcileItem { next, ..found });
            }
            Err(error) => {
                warnings.push(Finding::new(LaunchCode::LookFailed, format!("{name}: {error}")));
            }
        }
        if let Err(error) = evidence_of(launch) {
            let message = format!(
                "{name}: the stored evidence of attempt {} cannot be read: {error}",
                launch.attempt
            );
            warnings.push(Finding::new(LaunchCode::StoreCorrupt, message));
        }
    }
    Ok(())
}

/// Forks of a seat's source that are nobody's seat: told once, however many seats came from that source.
async fn others(
    ground: &Ground,
    state: &SeatState,
    adapter: &dyn Adapter,
    env: &SeatEnv,
    items: &mut Vec<ReconcileItem>,
    warnings: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let name = &state.row.seat.name;
    let launch = state.row.occupant_launch.as_ref().or(state.row.last_launch.as_ref());
    let Some(source) = launch.and_then(|launch| launch.source.as_ref()) else { return Ok(()) };
    let found = match adapter.forks_of_others(source, env).await {
        Ok(found) => found,
        Err(error) => {
            warnings.push(Finding::new(LaunchCode::LookFailed, format!("{name}: {error}")));
            return Ok(());
        }
    };
    for made in found {
        let conversation = ConversationReport::from(&made.conversation);
        if items.iter().any(|item| item.conversation.as_ref() == Some(&conversation)) {
            continue;
        }
        let of = LineageOf::Conversation(made.conversation.clone());
        let known = ground.store.ask(move |store| store.lineage(&of)).await?;
        let is_seat = |node: &LineageNode| {
            node.conversation.is_same(&made.conversation) && node.seat.is_some()
        };
        if !known.nodes.iter().any(is_seat) {
            let id = &made.conversation.native_id;
            let message = format!("{id} is a fork of this source, not ours");
            let finding = Finding::new(LaunchCode::ForkNotOurs, message);
            let plan = "nothing: it is left where it is";
            items.push(item(name, finding, plan, Some(conversation)));
        }
    }
    Ok(())
}

/// Rescue files: those the store has caught up with are not needed any more.
async fn rescues(
    ground: &Ground,
    options: ReconcileOptions,
    items: &mut Vec<ReconcileItem>,
    warnings: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let found = ground.store.ask(|store| rescue::list(&store.rescue_dir())).await;
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            warnings.push(Finding::new(LaunchCode::RescueFile, chain(&error)));
            return Ok(());
        }
    };
    for file in found {
        let rescued = match file.rescue {
            Ok(rescued) => rescued,
            Err(error) => {
                warnings.push(Finding::new(LaunchCode::RescueFile, chain(&error)));
                continue;
            }
        };
        let id = rescued.launch;
        let known = ground.store.ask(move |store| store.launch(id)).await;
        let stored = match known {
            Ok(launch) => launch.child.as_ref() == Some(&rescued.child) && !launch.state.is_open(),
            Err(StoreError::NotFound { .. }) => false,
            Err(error) => return Err(error),
        };
        let message = format!("{} holds {}", file.path, rescued.child.native_id);
        let finding = Finding::new(LaunchCode::RescueFile, message);
        let plan = if stored {
            "remove it: the store has that conversation"
        } else {
            "keep it until the launch is finished"
        };
        let mut found = item(&rescued.seat_name, finding, plan, Some((&rescued.child).into()));
        found.next = stored.then(|| APPLY.to_owned());
        if options.apply && stored {
            let path = file.path.clone();
            match ground.store.ask(move |_| rescue::remove(&path)).await {
                Ok(()) => found.done = Some("removed".to_owned()),
                Err(error) => {
                    found.error = Some(ErrorReport::new(LaunchCode::RescueFile, chain(&error)));
                }
            }
        }
        items.push(found);
    }
    Ok(())
}
