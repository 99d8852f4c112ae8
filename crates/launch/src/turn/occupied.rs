//! What a turn does with a seat that has an occupant: leave it, open its first pane, bring it back.

use super::Turn;
use super::run::{Carried, Round, done};
use super::say::{cannot_look, failed, failed_by, left};
use crate::machine::Failure;
use crate::pane::{Look, Presence, Seen, chain};
use crate::report::{Action, ErrorReport, Finding, Step};
use crate::resume::{Resumed, resume};
use crate::seat_pane::{OpenPane, adopt_stray, may_resume, observed, open, see};
use crate::seat_report::Said;
use crate::state::{SeatState, rotation_finding};
use seatfork_schema::{LaunchCode, ProcessState, SeatToken};
use seatfork_store::{Launch, LockError, OwnerLock};

/// A seat that runs: what was seen is written down, and what differs from the spec is said.
pub(super) async fn unchanged(
    turn: &Turn,
    state: &SeatState,
    look: Option<Look>,
    acted: Option<Action>,
) -> Said {
    let look = match look {
        Some(look) => Some(started(turn, state, look).await),
        None => None,
    };
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

/// A pane that still starts, whoever opened it a moment ago, is waited for: `up` is over when its seats are ready.
async fn started(turn: &Turn, state: &SeatState, look: Look) -> Look {
    let starts = look.seen.as_ref().is_some_and(|seen| seen.state == ProcessState::Starting);
    match (&look.pane, &state.pane) {
        (Some(pane), Some(row)) if starts => {
            let open = OpenPane { launch: row.launch, pane: pane.clone() };
            Look { seen: Some(see(turn, &open).await), ..look }
        }
        _ => look,
    }
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
pub(super) async fn first_pane(turn: &Turn, state: &SeatState, carried: &mut Carried) -> Round {
    let Some(launch) = state.row.occupant_launch.as_ref() else {
        return done(failed(
            Step::Pane,
            ErrorReport::new(LaunchCode::PaneFailed, "no launch made its occupant"),
            Some(Action::Created),
        ));
    };
    if carried.lock.is_none() {
        let id = launch.id;
        let taken =
            turn.ground.store.ask(move |store| OwnerLock::take_over(&store.locks_dir(), id));
        return match taken.await {
            Ok(lock) => {
                // What was read without the lock may be old: somebody may have opened the pane meanwhile.
                carried.lock = Some(lock);
                Round::Again
            }
            Err(LockError::Held { .. }) => done(left(Some(launch))),
            Err(error) => done(cannot_look(&chain(&error))),
        };
    }
    done(open_for(turn, state, launch).await)
}

async fn open_for(turn: &Turn, state: &SeatState, launch: &Launch) -> Said {
    let created = Some(Action::Created);
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
) -> Result<OpenPane, Failure> {
    if let Some(token) = token {
        may_resume(turn, state, token.conversation()).await?;
    }
    open(turn, launch, token).await
}

/// Brings a seat back by its own token.
pub(super) async fn bring_back(turn: &Turn, state: &SeatState) -> Round {
    let token = state.row.occupant.as_ref().and_then(|occupant| occupant.token.clone());
    let Some(token) = token else {
        let error = ErrorReport::new(LaunchCode::OwnConversationGone, "the seat has no token");
        return done(failed(Step::Resolve, error, None));
    };
    let said =
        |seen: Seen| Said { action: Some(Action::Resumed), seen: Some(seen), ..Said::default() };
    match resume(turn, state, &token).await {
        Resumed::Yes(seen) | Resumed::Waiting(seen) => done(said(seen)),
        Resumed::Failed(failure, seen) => done(Said { seen, ..failed_by(failure, None) }),
        Resumed::Left(owned) => done(left(Some(&owned))),
        Resumed::Overtaken => Round::Again,
    }
}
