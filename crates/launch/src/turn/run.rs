//! A member's turn: facts, decision, act, until nothing old stands before the decision any more.

use super::Turn;
use super::before::before_attempt;
use super::occupied::{bring_back, first_pane, unchanged};
use super::say::{cannot_look, failed, failed_by, interrupted, left, store_failed};
use crate::converge::{Act, Owner as OwnerLife, WhyFresh, decide};
use crate::fail::resolve_error;
use crate::machine::{Attempt, attempt, let_go};
use crate::pane::Presence;
use crate::recover::{Recovered, recover};
use crate::report::{Action, ErrorReport, Finding, Step};
use crate::seat_report::Said;
use crate::state::{SeatState, facts, look_at, owner_life};
use seatfork_schema::LaunchCode;
use seatfork_store::{EndReason, ForkVia, Launch, OwnerLock, Replaces, StoreError, Work};

/// How often something old may come first. Every round ends a launch for good, so more would be a loop.
const ROUNDS: u32 = 8;

/// What a turn came to, besides what the store holds.
enum Round {
    /// It is over.
    Done(Box<Said>),
    /// Something old came first; decide again.
    Again,
}

fn done(said: Said) -> Round {
    Round::Done(Box::new(said))
}

/// What a turn carries from one round to the next.
#[derive(Default)]
pub(super) struct Carried {
    /// What was done so far.
    pub(super) acted: Option<Action>,
    /// Whether nothing new is to be started.
    pub(super) only_mend: bool,
    /// The lock of the launch it realized: its owner's life, until its pane is open and seen.
    pub(super) lock: Option<OwnerLock>,
}

/// Runs the turn to its end.
pub(super) async fn run(turn: &Turn) -> Said {
    whole(turn, Carried::default()).await
}

/// Finishes what is begun: an interrupted launch, a missing first pane. Starts nothing new.
pub(super) async fn mend(turn: &Turn) -> Said {
    whole(turn, Carried { only_mend: true, ..Carried::default() }).await
}

async fn whole(turn: &Turn, mut carried: Carried) -> Said {
    // A turn is a large future; it is kept off its caller's.
    let said = Box::pin(rounds(turn, &mut carried)).await;
    if let Some(lock) = carried.lock.take() {
        let_go(turn, lock);
    }
    Said { made_now: carried.acted.is_some(), ..said }
}

async fn rounds(turn: &Turn, carried: &mut Carried) -> Said {
    for _ in 0..ROUNDS {
        let state = match read(turn).await {
            Ok(state) => state,
            Err(error) => return store_failed(&error),
        };
        match round(turn, &state, carried).await {
            Round::Done(said) => return *said,
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

async fn round(turn: &Turn, state: &SeatState, carried: &mut Carried) -> Round {
    if state.row.seat.retired_at.is_some() {
        let message = "the seat was forgotten meanwhile; nothing was started";
        return done(failed(Step::Declare, ErrorReport::new(LaunchCode::TakenDown, message), None));
    }
    let owner = match others(turn, state.row.last_launch.as_ref(), carried).await {
        Ok(owner) => owner,
        Err(why) => return done(cannot_look(&why)),
    };
    let look = look_at(&turn.ground, turn.adapter, state, &turn.env).await;
    match decide(facts(state, &turn.plan, owner, look.as_ref())) {
        Act::Leave => done(left(state.row.last_launch.as_ref())),
        Act::Recover => recovered(turn, state, carried).await,
        Act::Nothing => done(unchanged(turn, state, look, carried.acted).await),
        Act::OpenFirstPane => first_pane(turn, state, carried).await.map_or(Round::Again, done),
        Act::LeaveDown(code) => {
            let error = ErrorReport::new(
                code,
                "its restore_policy is checkpoint_only, and this version keeps no checkpoints; its token is kept",
            );
            done(Said {
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
            done(failed(Step::Recover, error, None))
        }
        Act::Resume | Act::RelaunchFresh(_) | Act::Attempt(_) if carried.only_mend => done(Said {
            action: Some(carried.acted.unwrap_or(Action::Unchanged)),
            ..Said::default()
        }),
        act @ (Act::Resume | Act::RelaunchFresh(_) | Act::Attempt(_)) => {
            if turn.ground.cancel.is_requested() {
                return done(interrupted());
            }
            match act {
                Act::Resume => bring_back(turn, state).await.map_or(Round::Again, done),
                Act::RelaunchFresh(why) => {
                    if let Some(Presence::Astray(pid)) = look.map(|look| look.presence) {
                        return done(beside(pid));
                    }
                    relaunch(turn, state, why, carried).await
                }
                _ => new_attempt(turn, state, carried).await,
            }
        }
    }
}

/// Whether somebody else is at work on the seat.
async fn others(
    turn: &Turn,
    launch: Option<&Launch>,
    carried: &Carried,
) -> Result<Option<OwnerLife>, String> {
    let ours =
        |launch: &Launch| carried.lock.as_ref().is_some_and(|lock| lock.launch() == launch.id);
    if launch.is_some_and(ours) { Ok(None) } else { owner_life(&turn.ground, launch).await }
}

async fn recovered(turn: &Turn, state: &SeatState, carried: &mut Carried) -> Round {
    let Some(launch) = state.row.open_launch.as_ref() else { return Round::Again };
    match recover(turn, launch).await {
        Recovered::Ended => Round::Again,
        Recovered::Realized(lock) => {
            carried.acted = Some(Action::Created);
            carried.lock = Some(lock);
            Round::Again
        }
        Recovered::Resumed(seen) => {
            done(Said { action: Some(Action::Resumed), seen: Some(seen), ..Said::default() })
        }
        Recovered::Waiting(seen) => done(Said { seen: Some(seen), ..Said::default() }),
        Recovered::Left(owned) => done(left(Some(&owned))),
        Recovered::Failed(failure) => done(failed_by(failure, None)),
    }
}

async fn relaunch(turn: &Turn, state: &SeatState, why: WhyFresh, carried: &mut Carried) -> Round {
    let Some(occupant) = state.row.occupant.as_ref() else { return Round::Again };
    if let Some(last) = &state.row.last_launch
        && let Err(failure) = before_attempt(turn, last).await
    {
        return done(failed_by(failure, None));
    }
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
    let work = Work::Fresh { planned: turn.planned_child() };
    let ended = attempt(turn, work, Some(replaces), state.latest()).await;
    if matches!(ended, Attempt::Realized(_)) {
        turn.note(Finding::new(LaunchCode::RelaunchedFresh, message));
    }
    attempted(ended, carried)
}

async fn new_attempt(turn: &Turn, state: &SeatState, carried: &mut Carried) -> Round {
    if let Some(last) = &state.row.last_launch
        && let Err(failure) = before_attempt(turn, last).await
    {
        return done(failed_by(failure, None));
    }
    // What is no id of the runtime binds nothing: declared, it would be a known conversation for good, in a
    // spelling that shuts out the right one.
    if let Some(source) = &turn.plan.source
        && let Err(error) = turn.adapter.check_source(source)
    {
        return done(failed(Step::Resolve, resolve_error(&error), None));
    }
    let planned = turn.planned_child();
    let via = if turn.adapter.warm_starts() { ForkVia::WarmStart } else { ForkVia::Fork };
    let work = match &turn.plan.source {
        Some(source) => Work::Fork { source: source.clone(), planned, via },
        None => Work::Fresh { planned },
    };
    attempted(attempt(turn, work, None, state.latest()).await, carried)
}

/// The seat's own process outlived its pane: nothing is started beside it, and it may be somebody's work.
fn beside(pid: u32) -> Said {
    let message = format!(
        "process {pid} of the seat still runs, in no pane of ours any more; nothing was started"
    );
    let error = ErrorReport::new(LaunchCode::ProcessStillRunning, message)
        .hint("seatfork down ends it, and up starts the seat anew");
    failed(Step::Declare, error, None)
}

fn attempted(ended: Attempt, carried: &mut Carried) -> Round {
    match ended {
        Attempt::Realized(lock) => {
            carried.acted = Some(Action::Created);
            carried.lock = Some(lock);
            Round::Again
        }
        Attempt::Waiting(seen) => done(Said { seen: Some(seen), ..Said::default() }),
        Attempt::Failed(failure) => done(failed_by(failure, None)),
        Attempt::Left(owned) => done(left(Some(&owned))),
        Attempt::Stale => Round::Again,
    }
}
