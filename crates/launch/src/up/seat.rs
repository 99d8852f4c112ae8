//! One member made ready: its seat in the store, and a turn to take (SPEC 7).

use super::{UpError, rig_finding, store_code};
use crate::adapters::{Locations, seat_env};
use crate::ground::Ground;
use crate::pane::{Presence, chain};
use crate::plan::{RigPlan, SeatPlan};
use crate::report::{Action, ErrorReport, Finding, SeatReport};
use crate::seat_report::{Said, blank_report, seat_report};
use crate::state::{SeatState, look_at};
use crate::turn::{Turn, interrupted};
use seatfork_schema::{CreatedVia, LaunchCode, LaunchState, SourceId};
use seatfork_store::{Kept, Launch, NewSeat, RigId, Seat, SeatRow, StoreError};
use std::sync::Arc;

/// A member ready for its turn.
#[derive(Debug)]
pub(super) enum Prepared {
    /// Its turn may begin.
    Turn(Box<Turn>),
    /// Its seat has another runtime than the spec wants: it is told and left.
    OtherRuntime(Box<Left>),
}

/// A seat that is left as it is.
#[derive(Debug)]
pub(super) struct Left {
    ground: Arc<Ground>,
    seat: Seat,
    findings: Vec<Finding>,
}

/// Makes sure the seat is known, and gathers what differs from the spec.
pub(super) async fn prepare(
    ground: &Arc<Ground>,
    rig: RigId,
    plan: &SeatPlan,
) -> Result<Prepared, UpError> {
    let new = NewSeat {
        rig,
        pod: plan.pod.to_string(),
        member: plan.member.to_string(),
        runtime: plan.runtime,
        cwd: plan.wish.cwd.clone(),
        location: plan.locations.to_store(),
        pass_env: plan.pass_env.clone(),
        at: ground.now(),
    };
    let ensured =
        ground.store.ask(move |store| store.ensure_seat(&new)).await.map_err(|error| {
            if error
                .rule()
                .is_some_and(|rule| rule.contains("seat_no_replace") || rule.contains("seat_name"))
            {
                UpError::SeatNameTaken(error)
            } else {
                UpError::Store(error)
            }
        })?;
    let seat = ensured.seat;
    let mut findings: Vec<Finding> = ensured.kept.iter().map(kept).collect();
    let id = seat.id;
    let launches =
        ground.store.ask(move |store| store.launches_of(id)).await.map_err(UpError::Store)?;
    findings.extend(source_differs(&launches, plan.source.as_ref()));
    let Some(adapter) = ground.adapters.get(seat.runtime).filter(|_| seat.runtime == plan.runtime)
    else {
        let left = Left { ground: Arc::clone(ground), seat, findings };
        return Ok(Prepared::OtherRuntime(Box::new(left)));
    };
    let locations = Locations::from_store(&seat.location);
    let env = seat_env(&ground.caller, adapter.describe(), &seat.pass_env, &locations);
    let mut plan = plan.clone();
    // An occupied seat keeps its directory; one that is empty took the spec's just now.
    plan.wish.cwd.clone_from(&seat.cwd);
    let own = plan.findings.clone();
    let turn = Turn::new(Arc::clone(ground), adapter, plan, seat.id, env);
    for finding in findings.into_iter().chain(own) {
        turn.note(finding);
    }
    Ok(Prepared::Turn(Box::new(turn)))
}

impl Prepared {
    /// Takes the turn, if there is one to be taken.
    pub(super) async fn run(self) -> SeatReport {
        match self {
            Self::OtherRuntime(left) => left.report().await,
            Self::Turn(turn) => {
                let taken = if turn.ground.cancel.is_requested() {
                    turn.report(interrupted()).await
                } else {
                    turn.take().await
                };
                taken.unwrap_or_else(|error| {
                    let plan = &turn.plan;
                    unreadable(
                        &error,
                        blank_report(&plan.seat, &plan.pod, &plan.member, plan.runtime),
                    )
                })
            }
        }
    }
}

impl Left {
    async fn report(self) -> SeatReport {
        let id = self.seat.id;
        let state = match self.ground.store.ask(move |store| SeatState::read(store, id)).await {
            Ok(state) => state,
            Err(error) => {
                let seat = &self.seat;
                return unreadable(
                    &error,
                    blank_report(&seat.name, &seat.pod, &seat.member, seat.runtime),
                );
            }
        };
        let look = match self.ground.adapters.get(self.seat.runtime) {
            Some(adapter) => {
                let locations = Locations::from_store(&self.seat.location);
                let pass = &self.seat.pass_env;
                let env = seat_env(&self.ground.caller, adapter.describe(), pass, &locations);
                look_at(&self.ground, adapter, &state, &env).await
            }
            None => None,
        };
        let running = look.as_ref().is_some_and(|look| look.presence == Presence::Running);
        let action = if running { Action::Unchanged } else { Action::Skipped };
        let said = Said {
            action: Some(action),
            seen: look.and_then(|look| look.seen),
            findings: self.findings,
            ..Said::default()
        };
        seat_report(&state, said)
    }
}

/// A seat whose rows could not be read: said loudly, never as a seat without a token.
fn unreadable(error: &StoreError, blank: SeatReport) -> SeatReport {
    let message = format!("the store could not be read: {}", chain(error));
    SeatReport { error: Some(ErrorReport::new(store_code(error), message)), ..blank }
}

fn kept(kept: &Kept) -> Finding {
    match kept {
        Kept::Runtime { recorded, asked } => Finding::new(
            LaunchCode::SeatDiffers,
            format!(
                "the seat's runtime is {recorded}, the spec's is {asked}; the seat is left as it is"
            ),
        ),
        Kept::Cwd { recorded, asked } => Finding::new(
            LaunchCode::SeatDiffers,
            format!(
                "the seat works in {recorded}, the spec's cwd is {asked}; the seat is left as it is"
            ),
        ),
        Kept::Location { .. } => Finding::new(
            LaunchCode::Remark,
            "the runtime's home is another one in this environment than the seat was made with; the seat keeps its own",
        ),
    }
}

/// Whether the spec's source is another one than the seat was made from.
fn source_differs(launches: &[Launch], wanted: Option<&SourceId>) -> Option<Finding> {
    let made = |launch: &&Launch| {
        launch.state == LaunchState::Realized
            && launch.replaces.is_none()
            && matches!(
                launch.created_via,
                Some(
                    CreatedVia::Fork
                        | CreatedVia::WarmStart
                        | CreatedVia::AgentImage
                        | CreatedVia::Fresh
                        | CreatedVia::Adopted
                )
            )
    };
    let first = launches.iter().rev().find(made)?;
    let was = first.source.as_ref();
    if was == wanted {
        return None;
    }
    let name = |source: Option<&SourceId>| source.map_or("none".to_owned(), ToString::to_string);
    let message = format!(
        "the seat was made from source {}, the spec's source is {}; the seat is left as it is",
        name(was),
        name(wanted)
    );
    Some(Finding::new(LaunchCode::SeatDiffers, message))
}

/// Seats of the rig that its spec does not hold any more.
pub(super) async fn not_in_spec(
    ground: &Ground,
    rig: RigId,
    plan: &RigPlan,
) -> Result<Vec<Finding>, UpError> {
    let rows = ground.store.ask(move |store| store.rig_state(rig)).await.map_err(UpError::Store)?;
    let gone = |row: &&SeatRow| {
        !plan.seats.iter().any(|seat| seat.seat.as_str().eq_ignore_ascii_case(&row.seat.name))
    };
    let say = |row: &SeatRow| {
        let message =
            format!("seat {} is not in the spec any more; it is left as it is", row.seat.name);
        rig_finding(LaunchCode::NotInSpec, message)
    };
    Ok(rows.iter().filter(gone).map(say).collect())
}
