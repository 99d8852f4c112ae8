//! What `up` would do with each seat of a plan, given what the store and the panes say now (SPEC 7 "Convergence").

use std::collections::BTreeMap;

use seatfork_launch::converge::{Act, Facts, Occupancy, Owner, Pane, decide};
use seatfork_launch::plan::{RigPlan, SeatPlan};
use seatfork_launch::{Ground, LaunchCode, SeatReport, Target, ps};
use seatfork_schema::{Intent, ProcessState};
use seatfork_store::{OwnerLock, SeatRow};

use crate::exit::Exit;
use crate::failing;
use crate::output::Failure;

/// What would be done, by seat name. A seat that is not in it would be made.
pub(crate) type Acts = BTreeMap<String, Act>;

/// Asks the store and looks at the panes. Nothing is started or changed.
pub(crate) async fn acts(ground: &Ground, plan: &RigPlan) -> Result<Acts, Failure> {
    let name = plan.rig.to_string();
    let known = ground.store.ask(move |store| store.rig_by_name(&name)).await;
    let Some(rig) = known.map_err(|error| failing::store(&error))? else { return Ok(Acts::new()) };
    if rig.name != plan.rig.to_string() {
        let code = LaunchCode::RigNameTaken;
        let message = format!(
            "the rig name {} differs from that of rig {} by letter case alone; nothing was started",
            plan.rig, rig.name
        );
        return Err(Failure::new(Exit::Conflict, code, message).hint(code.next()));
    }
    if rig.root != plan.origin.root {
        return Err(taken(&rig.name, rig.root.as_str(), plan.origin.root.as_str()));
    }
    let id = rig.id;
    let rows = ground.store.ask(move |store| store.rig_state(id)).await;
    let rows = rows.map_err(|error| failing::store(&error))?;
    let target = Target::Rig(rig);
    let seen = Box::pin(ps(ground, Some(&target))).await.map_err(|error| failing::store(&error))?;
    let mut acts = Acts::new();
    for seat in &plan.seats {
        let is = |name: &str| name.eq_ignore_ascii_case(seat.seat.as_str());
        let row = rows.iter().find(|row| is(&row.seat.name));
        let report = seen.seats.iter().find(|report| is(&report.seat));
        if let (Some(row), Some(report)) = (row, report) {
            let facts = facts(ground, seat, row, report).await?;
            acts.insert(seat.seat.to_string(), decide(facts));
        }
    }
    Ok(acts)
}

/// The word for programs.
pub(crate) const fn word(act: Act) -> &'static str {
    match act {
        Act::Nothing => "unchanged",
        Act::OpenFirstPane => "open_pane",
        Act::Resume => "resume",
        Act::RelaunchFresh(_) => "relaunch_fresh",
        Act::LeaveDown(_) => "leave_down",
        Act::Refuse(_) => "refuse",
        Act::Leave => "leave",
        Act::Recover => "recover",
        Act::Attempt(_) => "create",
    }
}

/// The words for people.
pub(crate) const fn words(act: Act) -> &'static str {
    match act {
        Act::Nothing => "unchanged: it runs",
        Act::OpenFirstPane => "its pane is opened; its conversation is there",
        Act::Resume => "its own conversation is resumed; its source is not read",
        Act::RelaunchFresh(_) => "a fresh conversation; its source is not read",
        Act::LeaveDown(_) => "left down, as its restore_policy says",
        Act::Refuse(_) => "fails: what runs in its pane cannot be told",
        Act::Leave => "left to the command that is launching it",
        Act::Recover => "an interrupted launch is finished or abandoned first",
        Act::Attempt(Intent::Fork) => "forked",
        Act::Attempt(_) => "fresh",
    }
}

/// Whether a new conversation would be made from the member's own words.
pub(crate) const fn is_new(act: Option<Act>) -> bool {
    matches!(act, None | Some(Act::Attempt(_)))
}

async fn facts(
    ground: &Ground,
    seat: &SeatPlan,
    row: &SeatRow,
    report: &SeatReport,
) -> Result<Facts, Failure> {
    let open = match &row.last_launch {
        None => None,
        Some(launch) => {
            // The lock is held from before a launch is declared until its pane was seen.
            let lock = launch.owner_lock.clone();
            let free = ground
                .store
                .ask(move |store| OwnerLock::is_free(&store.locks_dir().join(&lock)))
                .await
                .map_err(|error| {
                    let code = LaunchCode::LookFailed;
                    Failure::new(Exit::NotReady, code, failing::chain(&error)).hint(code.next())
                })?;
            if free { launch.state.is_open().then_some(Owner::Dead) } else { Some(Owner::Alive) }
        }
    };
    let occupant = row
        .occupant
        .as_ref()
        .map(|occupant| Occupancy { has_token: occupant.token.is_some(), pane: pane(row, report) });
    Ok(Facts {
        runtime: row.seat.runtime,
        source: seat.wanted(),
        policy: seat.policy,
        open,
        occupant,
    })
}

/// What `ps` saw, as convergence asks it.
fn pane(row: &SeatRow, report: &SeatReport) -> Pane {
    let says = |code| report.warnings.iter().any(|finding| finding.code == code);
    match report.process_state {
        _ if says(LaunchCode::PaneUnknown) => Pane::Unknown,
        _ if says(LaunchCode::ServesAnotherConversation) => Pane::ServesAnother,
        ProcessState::Starting | ProcessState::Ready | ProcessState::AttentionRequired => {
            Pane::Running
        }
        ProcessState::None if report.is_running() => Pane::NotNeeded,
        ProcessState::None if row.last_pane.is_none() => Pane::NeverOpened,
        ProcessState::Exited | ProcessState::Lost | ProcessState::None => Pane::Gone,
    }
}

fn taken(rig: &str, recorded: &str, asked: &str) -> Failure {
    let code = LaunchCode::RigNameTaken;
    let message =
        format!("the rig name {rig} belongs to {recorded}, not to {asked}; nothing was started");
    Failure::new(Exit::Conflict, code, message).hint(code.next())
}
