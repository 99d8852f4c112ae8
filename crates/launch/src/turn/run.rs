//! A member's turn: facts, decision, act, until nothing old stands before the decision any more.

use super::Turn;
use super::before::before_attempt;
use crate::codes::LaunchCode;
use crate::converge::{Act, Owner as OwnerLife, WhyFresh, decide};
use crate::machine::{Attempt, Failure, attempt};
use crate::owner::told;
use crate::pane::{Look, Presence, Seen, chain};
use crate::recover::{Recovered, recover};
use crate::report::{Action, ErrorReport, Finding, Step};
use crate::resume::{Resumed, resume};
use crate::seat_pane::{adopt_stray, may_resume, observed, open, see};
use crate::seat_report::Said;
use crate::state::{SeatState, facts, look_at, rotation_finding};
use seatfork_schema::SeatToken;
use seatfork_store::{EndReason, ForkVia, Launch, OwnerLock, Replaces, StoreError, Work};

/// How often something old may come first. Every round ends a launch for good, so more would be a loop.
const ROUNDS: u32 = 8;

/// What a turn came to, besides what the store holds.
enum Round {
    /// It is over.
    Done(Said),
    /// Something old came first; decide again.
    Again,
}

/// Runs the turn to its end.
pub(super) async fn run(turn: &Turn) -> Said {
    let mut acted = None;
    for _ in 0..ROUNDS {
        let state = match read(turn).await {
            Ok(state) => state,
            Err(error) => return store_failed(&error),
        };
        match round(turn, &state, &mut acted).await {
            Round::Done(said) => return said,
            Round::Again => {}
        }
    }
    let message = "earlier launches of the seat kept coming first; nothing more was started";
    failed(Step::Recover, ErrorReport::new(LaunchCode::LookFailed, message), None)
}

pub(super) async fn read(turn: &Turn) -> Result<SeatState, StoreError> {
    let seat = turn.seat;
    turn.ground.store.ask(move |store| SeatState::read(store, seat)).await
}

async fn round(turn: &Turn, state: &SeatState, acted: &mut Option<Action>) -> Round {
    let owner = match owner_life(turn, state.row.open_launch.as_ref()).await {
        Ok(owner) => owner,
        Err(why) => return Round::Done(cannot_look(why)),
    };
    let look = look_at(&turn.ground, turn.adapter.as_ref(), state, &turn.env).await;
    match decide(facts(state, &turn.plan, owner, look.as_ref())) {
        Act::Leave => Round::Done(left(state.row.open_launch.as_ref())),
        Act::Recover => recovered(turn, state, acted).await,
        Act::Nothing => Round::Done(unchanged(turn, state, look, *acted).await),
        Act::OpenFirstPane => {
            acted.get_or_insert(Action::Created);
            Round::Done(first_pane(turn, state).await)
        }
        Act::LeaveDown(code) => {
            let error = ErrorReport::new(
                code,
                "its restore_policy is checkpoint_only, and this version keeps no checkpoints; its token is kept",
            );
            Round::Done(Said {
                action: Some(Action::Skipped),
                seen: look.and_then(|look| look.seen),
                error: Some((Step::Declare.to_string(), error)),
                ..Said::default()
            })
        }
        Act::Refuse(code) => {
            let why = match look.map(|look| look.presence) {
                Some(Presence::Unknown(why)) => why,
                _ => "its pane could not be looked at".to_owned(),
            };
            let error = ErrorReport::new(code, format!("{why}; nothing was started"));
            Round::Done(failed(Step::Recover, error, None))
        }
        act @ (Act::Resume | Act::RelaunchFresh(_) | Act::Attempt(_)) => {
            if turn.ground.cancel.is_requested() {
                return Round::Done(interrupted());
            }
            match act {
                Act::Resume => Round::Done(bring_back(turn, state).await),
                Act::RelaunchFresh(why) => relaunch(turn, state, why, acted).await,
                _ => new_attempt(turn, state, acted).await,
            }
        }
    }
}

/// Whether the owner of an open launch lives, by its kernel lock.
async fn owner_life(turn: &Turn, launch: Option<&Launch>) -> Result<Option<OwnerLife>, String> {
    let Some(launch) = launch else { return Ok(None) };
    let name = launch.owner_lock.clone();
    let free =
        turn.ground.store.ask(move |store| OwnerLock::is_free(&store.locks_dir().join(name))).await;
    match free {
        Ok(true) => Ok(Some(OwnerLife::Dead)),
        Ok(false) => Ok(Some(OwnerLife::Alive)),
        Err(error) => Err(chain(&error)),
    }
}

async fn recovered(turn: &Turn, state: &SeatState, acted: &mut Option<Action>) -> Round {
    let Some(launch) = state.row.open_launch.as_ref() else { return Round::Again };
    match recover(turn, state, launch).await {
        Recovered::Ended => Round::Again,
        Recovered::Realized => {
            *acted = Some(Action::Created);
            Round::Again
        }
        Recovered::Resumed(seen) => {
            Round::Done(Said { action: Some(Action::Resumed), seen: Some(seen), ..Said::default() })
        }
        Recovered::Waiting(seen) => Round::Done(Said { seen: Some(seen), ..Said::default() }),
        Recovered::Left(owned) => Round::Done(left(Some(&owned))),
        Recovered::Failed(failure) => Round::Done(failed_by(failure, None)),
    }
}

/// A seat that runs: what was seen is written down, and what differs from the spec is said.
async fn unchanged(
    turn: &Turn,
    state: &SeatState,
    look: Option<Look>,
    acted: Option<Action>,
) -> Said {
    let mut findings: Vec<Finding> = rotation_finding(state, look.as_ref()).into_iter().collect();
    findings.extend(later(turn, state));
    let seen = look.and_then(|look| look.seen);
    if let (Some(seen), Some(pane)) = (&seen, &state.pane)
        && let Err(message) = observed(turn, pane.launch, seen).await
    {
        turn.remark(message);
    }
    Said { action: Some(acted.unwrap_or(Action::Unchanged)), seen, findings, ..Said::default() }
}

/// Settings of the spec that take effect at the next start (SPEC 6 "Permissions").
fn later(turn: &Turn, state: &SeatState) -> Option<Finding> {
    let launch = state.pane_launch.as_ref()?;
    let wish = &turn.plan.wish;
    let permission = wish.permission.as_deref().unwrap_or("none");
    let mut changed = Vec::new();
    if launch.model != wish.model {
        changed.push("model");
    }
    if launch.permission != permission {
        changed.push("permission_policy");
    }
    (!changed.is_empty()).then(|| {
        let message = format!("{} changed in the spec", changed.join(" and "));
        Finding::new(LaunchCode::TakesEffectLater, message)
    })
}

/// The first pane of a realized launch, which belongs to that launch, even after a crash.
async fn first_pane(turn: &Turn, state: &SeatState) -> Said {
    let created = Some(Action::Created);
    let Some(launch) = state.row.occupant_launch.as_ref() else {
        return failed(
            Step::Pane,
            ErrorReport::new(LaunchCode::PaneFailed, "no launch made its occupant"),
            created,
        );
    };
    let token = state.row.occupant.as_ref().and_then(|occupant| occupant.token.as_ref());
    let pane = match adopt_stray(turn, launch).await {
        Ok(Some(pane)) => pane,
        Ok(None) if turn.ground.cancel.is_requested() => {
            let error = ErrorReport::new(
                LaunchCode::Interrupted,
                "the seat is stored and its pane was not opened",
            );
            return Said {
                action: created,
                error: Some((Step::Pane.to_string(), error)),
                ..Said::default()
            };
        }
        Ok(None) => match open_first(turn, state, launch, token).await {
            Ok(pane) => pane,
            Err(failure) => return failed_by(failure, created),
        },
        Err(failure) => return failed_by(failure, created),
    };
    let seen = see(turn, &pane).await;
    let after = Look { presence: Presence::Running, seen: Some(seen.clone()), pane: None };
    let findings = rotation_finding(state, Some(&after)).into_iter().collect();
    Said { action: created, seen: Some(seen), findings, ..Said::default() }
}

async fn open_first(
    turn: &Turn,
    state: &SeatState,
    launch: &Launch,
    token: Option<&SeatToken>,
) -> Result<crate::seat_pane::OpenPane, Failure> {
    if let Some(token) = token {
        may_resume(turn, state, token.conversation()).await?;
    }
    open(turn, launch, token).await
}

async fn bring_back(turn: &Turn, state: &SeatState) -> Said {
    let token = state.row.occupant.as_ref().and_then(|occupant| occupant.token.clone());
    let Some(token) = token else {
        let error = ErrorReport::new(LaunchCode::ConversationGone, "the seat has no token");
        return failed(Step::Resolve, error, None);
    };
    let said =
        |seen: Seen| Said { action: Some(Action::Resumed), seen: Some(seen), ..Said::default() };
    match resume(turn, state, &token).await {
        Resumed::Yes(seen) | Resumed::Waiting(seen) => said(seen),
        Resumed::Failed(failure, seen) => Said { seen, ..failed_by(failure, None) },
        Resumed::Left(owned) => left(Some(&owned)),
    }
}

async fn relaunch(
    turn: &Turn,
    state: &SeatState,
    why: WhyFresh,
    acted: &mut Option<Action>,
) -> Round {
    let Some(occupant) = state.row.occupant.as_ref() else { return Round::Again };
    let message = match why {
        WhyFresh::Policy => {
            "a new conversation was started in it, by its restore_policy; the old one is left where it is"
        }
        WhyFresh::Terminal => "a new shell was started in it; a terminal holds no conversation",
        WhyFresh::NoToken => {
            "a new conversation was started in it: the token of the old one was never stored"
        }
    };
    turn.ground.crash.reach(crate::crash::CrashPoint::BeforeRelaunch);
    let replaces = Replaces { n: occupant.n, reason: EndReason::Relaunched };
    let work = Work::Fresh { planned: turn.adapter.plan_child() };
    let ended = attempt(turn, work, Some(replaces)).await;
    if matches!(ended, Attempt::Realized) {
        turn.note(Finding::new(LaunchCode::RelaunchedFresh, message));
    }
    attempted(ended, acted)
}

async fn new_attempt(turn: &Turn, state: &SeatState, acted: &mut Option<Action>) -> Round {
    if let Some(last) = &state.row.last_launch
        && let Err(failure) = before_attempt(turn, last).await
    {
        return Round::Done(failed_by(failure, None));
    }
    let planned = turn.adapter.plan_child();
    let work = match &turn.plan.source {
        Some(source) => Work::Fork { source: source.clone(), planned, via: ForkVia::Fork },
        None => Work::Fresh { planned },
    };
    attempted(attempt(turn, work, None).await, acted)
}

fn attempted(ended: Attempt, acted: &mut Option<Action>) -> Round {
    match ended {
        Attempt::Realized => {
            *acted = Some(Action::Created);
            Round::Again
        }
        Attempt::Failed(failure) => Round::Done(failed_by(failure, None)),
        Attempt::Left(owned) => Round::Done(left(Some(&owned))),
    }
}

/// A seat that is left to the owner of its open launch.
fn left(launch: Option<&Launch>) -> Said {
    let who = launch.map_or_else(|| "another process".to_owned(), |launch| told(&launch.owner));
    let error = ErrorReport::new(
        LaunchCode::LaunchOwnedElsewhere,
        format!("{who} is launching this seat; it was left alone"),
    );
    Said {
        action: Some(Action::Skipped),
        error: Some((Step::Declare.to_string(), error)),
        ..Said::default()
    }
}

/// A seat that was not begun because the user asked to stop.
pub(crate) fn interrupted() -> Said {
    let error = ErrorReport::new(
        LaunchCode::Interrupted,
        "interrupted before it was begun; nothing was started for it",
    );
    Said {
        action: Some(Action::Skipped),
        error: Some((Step::Declare.to_string(), error)),
        ..Said::default()
    }
}

fn failed(step: Step, error: ErrorReport, action: Option<Action>) -> Said {
    Said {
        action: Some(action.unwrap_or(Action::Failed)),
        error: Some((step.to_string(), error)),
        ..Said::default()
    }
}

fn failed_by(failure: Failure, action: Option<Action>) -> Said {
    failed(failure.step, failure.report, action)
}

fn cannot_look(why: String) -> Said {
    let error = ErrorReport::new(LaunchCode::LookFailed, format!("{why}; nothing was started"));
    failed(Step::Recover, error, None)
}

fn store_failed(error: &StoreError) -> Said {
    let message = format!("the store could not be read: {}; nothing was started", chain(error));
    failed(Step::Recover, ErrorReport::new(LaunchCode::StoreUnusable, message), None)
}
