//! What a dead owner left, dealt with before anything new (SPEC 7, the table of windows).
//!
//! The lock tells that the owner is dead; a process with the nonce is waited
//! for or ended before anything else; a child with the mark is proved and
//! stored by the code of the live path; where nothing was made the launch is
//! abandoned. An error is not an absence: it leaves the launch as it is.

use crate::crash::CrashPoint;
use crate::machine::{
    Drove, Failure, abandon, evidence_of, fail, fail_and_leave, in_pane, let_go, prove, realize,
};
use crate::observer::Event;
use crate::pane::{Look, Presence, Seen, chain};
use crate::phase1::{end_started, marked};
use crate::report::{Finding, Step};
use crate::resume::{Resumed, settle};
use crate::seat_pane::{OpenPane, adopt_stray, see};
use crate::state::{SeatState, look_at, process_id};
use crate::turn::Turn;
use jiff::Timestamp;
use seatfork_adapters::{Evidence, Phase1Ask, Surroundings};
use seatfork_schema::{Intent, LaunchCode, LaunchState, SeatToken};
use seatfork_store::{Launch, LockError, OwnerLock, StepError};
use std::time::Duration;

/// How often a process of an earlier attempt is looked for.
const PROCESS_TICK: Duration = Duration::from_millis(100);

/// How the launch of a dead owner was dealt with.
#[derive(Debug)]
pub(crate) enum Recovered {
    /// Its conversation lives in the seat now. The lock is held until its pane is open.
    Realized(OwnerLock),
    /// Its seat's own conversation is served again.
    Resumed(Seen),
    /// Its pane is open and its outcome is not known yet.
    Waiting(Seen),
    /// It ended without a seat; decide again.
    Ended,
    /// Its owner lives after all, or somebody else was faster.
    Left(Box<Launch>),
    /// It could not be dealt with.
    Failed(Failure),
}

/// Deals with the open launch of a seat whose owner is dead.
pub(crate) async fn recover(turn: &Turn, launch: &Launch) -> Recovered {
    turn.entered(Step::Recover);
    let owner = turn.ground.owner.clone();
    let id = launch.id;
    let taken = turn
        .ground
        .store
        .ask(move |store| {
            let lock = OwnerLock::take_over(&store.locks_dir(), id)?;
            Ok::<_, LockError>(match store.take_over(&lock, &owner) {
                Ok(launch) => Ok((lock, launch)),
                Err(error) => {
                    // Its launch is over or stays for a later run; a file that stays is free and harms nobody.
                    drop(lock.release());
                    Err(error)
                }
            })
        })
        .await;
    let (lock, launch) = match taken {
        Ok(Ok(taken)) => taken,
        // Somebody else dealt with it meanwhile.
        Ok(Err(StepError::OutOfStep { .. })) => return Recovered::Ended,
        Ok(Err(error)) => return Recovered::Failed(Failure::store(Step::Recover, &error)),
        Err(LockError::Held { .. }) => return Recovered::Left(Box::new(launch.clone())),
        Err(error) => {
            let failure = Failure::of(Step::Recover, LaunchCode::LookFailed, chain(&error));
            return Recovered::Failed(failure.open());
        }
    };
    match deal(turn, &launch).await {
        Ok(Dealt::Realized) => Recovered::Realized(lock),
        Ok(Dealt::Ended) => {
            let_go(turn, lock);
            Recovered::Ended
        }
        Ok(Dealt::Otherwise(recovered)) => {
            let_go(turn, lock);
            *recovered
        }
        Err(failure) => {
            let_go(turn, lock);
            Recovered::Failed(failure)
        }
    }
}

/// How it was dealt with, before the lock is thought of.
enum Dealt {
    Realized,
    Ended,
    Otherwise(Box<Recovered>),
}

async fn deal(turn: &Turn, launch: &Launch) -> Result<Dealt, Failure> {
    match (launch.state, launch.intent) {
        // Nothing may have been started before `forking` was durable.
        (LaunchState::Declared | LaunchState::Resolved, _) => {
            abandon(turn, launch, "its owner died before anything was started").await?;
            Ok(Dealt::Ended)
        }
        (_, Intent::Resume) => {
            reopen(turn, launch).await.map(|dealt| Dealt::Otherwise(Box::new(dealt)))
        }
        (_, Intent::Adopt) => {
            abandon(turn, launch, "its owner died before anything was adopted").await?;
            Ok(Dealt::Ended)
        }
        (_, Intent::Fork | Intent::Fresh | Intent::Rebuild) => {
            match in_pane::evidence_in_pane(turn, launch) {
                Some(evidence) => Box::pin(finish_in_pane(turn, launch, &evidence)).await,
                None => finish(turn, launch).await,
            }
        }
    }
}

/// A launch of a new conversation: what it started is over first, then what it made is looked at.
async fn finish(turn: &Turn, launch: &Launch) -> Result<Dealt, Failure> {
    let open = |code, message: String| Failure::of(Step::Recover, code, message).open();
    let evidence = evidence_of(launch).map_err(|error| {
        open(LaunchCode::StoreCorrupt, format!("its stored evidence cannot be read: {error}"))
    })?;
    outlive(turn, launch, evidence.as_ref()).await?;
    let found = turn
        .adapter
        .find_made(launch.planned_child.as_ref(), launch.nonce.as_str(), &turn.env)
        .await
        .map_err(|error| open(LaunchCode::LookFailed, error.to_string()))?;
    let Some(made) = found else {
        abandon(turn, launch, "its owner died and nothing was made").await?;
        return Ok(Dealt::Ended);
    };
    let stored = async {
        let proved = prove(turn, launch, evidence.as_ref(), made.conversation).await?;
        turn.ground.crash.reach(CrashPoint::RecoveredProof);
        realize(turn, launch, proved).await
    };
    match stored.await {
        Ok(()) => {
            let message = format!("finished an interrupted launch (attempt {})", launch.attempt);
            turn.note(Finding::new(LaunchCode::FinishedInterrupted, message));
            Ok(Dealt::Realized)
        }
        Err(failure) if failure.stays_open => Err(failure),
        Err(failure) if failure.is_unverified() => {
            // Nothing speaks against the child; what speaks for it cannot be looked at now.
            let hint = "make the named record readable and run up again: it proves this child and makes no second one; \
                        down --forget gives the launch up";
            Err(failure.hint(hint).open())
        }
        Err(failure) => {
            // Proof refused it: its id is burned, the leftover is named and stays.
            let failure = fail(turn, launch, failure).await;
            let (_, report) = failure.told();
            turn.note(Finding::new(LaunchCode::PartialChild, report.message));
            Ok(Dealt::Ended)
        }
    }
}

/// A launch whose pane makes the fork: the pane's own process tells what came of it.
async fn finish_in_pane(
    turn: &Turn,
    launch: &Launch,
    evidence: &Evidence,
) -> Result<Dealt, Failure> {
    let Some(pane) = pane_of(turn, launch).await? else {
        outlive(turn, launch, Some(evidence)).await?;
        abandon(turn, launch, "its owner died and its pane is gone").await?;
        return Ok(Dealt::Ended);
    };
    let seen = in_pane::served(turn, &pane).await;
    match in_pane::settle(turn, launch, evidence, seen).await {
        Ok(Drove::Realized) => {
            let message = format!("finished an interrupted launch (attempt {})", launch.attempt);
            turn.note(Finding::new(LaunchCode::FinishedInterrupted, message));
            Ok(Dealt::Realized)
        }
        Ok(Drove::Waiting(seen)) => Ok(Dealt::Otherwise(Box::new(Recovered::Waiting(seen)))),
        Err(failure) if failure.stays_open => Err(failure),
        Err(failure) => Err(fail(turn, launch, failure).await),
    }
}

/// Waits for every process with the launch's nonce to its deadline, then ends what is left. Nothing is
/// ever retried beside one.
async fn outlive(turn: &Turn, launch: &Launch, evidence: Option<&Evidence>) -> Result<(), Failure> {
    let open = |code, message: String| Failure::of(Step::Recover, code, message).open();
    let until = deadline(turn, launch, evidence);
    let recorded = launch.phase1.as_ref().and_then(process_id);
    let mut told = false;
    loop {
        let census = marked(launch.nonce.as_str())
            .await
            .map_err(|error| open(LaunchCode::LookFailed, chain(&error)))?;
        let alive = recorded.filter(|process| !matches!(process.alive(), Ok(false)));
        let Some(pid) = census.found.first().copied().or(alive).map(|process| process.pid) else {
            break;
        };
        if !told {
            told = true;
            let seat = turn.plan.seat.as_str();
            turn.ground.observer.event(&Event::WaitingForProcess { seat, pid });
        }
        if turn.ground.cancel.is_requested() {
            let message = format!("interrupted while process {pid} of an earlier attempt runs");
            return Err(open(LaunchCode::Interrupted, message));
        }
        if turn.ground.now() >= until {
            break;
        }
        tokio::time::sleep(PROCESS_TICK).await;
    }
    let ended = end_started(launch, turn.ground.clock.as_ref()).await;
    ended.map_err(|not_over| open(not_over.code(), not_over.to_string()))
}

/// When the process of an interrupted phase 1 has had its time.
fn deadline(turn: &Turn, launch: &Launch, evidence: Option<&Evidence>) -> Timestamp {
    let begun = launch.forking_at.unwrap_or(launch.declared_at);
    if launch.intent == Intent::Resume {
        // A resume has no phase 1: without its pane there is nothing to wait for.
        return begun;
    }
    let planned = turn.adapter.phase1(&Phase1Ask {
        wish: &turn.wish(launch),
        binary: &turn.plan.binary,
        source: evidence,
        child: launch.planned_child.as_ref(),
        nonce: launch.nonce.as_str(),
        // They change no deadline.
        surroundings: &Surroundings::default(),
    });
    let planned = planned.ok().and_then(|plan| plan.deadline());
    let patience = turn.ground.patience.phase1.or(planned).unwrap_or_default();
    begun.checked_add(patience).unwrap_or(begun)
}

/// The pane of a launch, recorded or found by name and nonce; `None` when it is gone.
async fn pane_of(turn: &Turn, launch: &Launch) -> Result<Option<OpenPane>, Failure> {
    // Read again under the lock: who dealt with it before may have written its pane down.
    let seat = turn.seat;
    let state = turn.ground.store.ask(move |store| SeatState::read(store, seat)).await;
    let state = state.map_err(|error| {
        Failure::of(Step::Recover, LaunchCode::LookFailed, chain(&error)).open()
    })?;
    let recorded = state.pane_launch.as_ref().is_some_and(|opened_by| opened_by.id == launch.id);
    if !recorded {
        return adopt_stray(&turn.ground, launch).await.map_err(Failure::open);
    }
    match look_at(&turn.ground, turn.adapter, &state, &turn.env).await {
        Some(Look { presence: Presence::Running, pane: Some(pane), .. }) => {
            Ok(Some(OpenPane { launch: launch.id, pane }))
        }
        Some(Look { presence: Presence::Unknown(why), .. }) => {
            Err(Failure::of(Step::Recover, LaunchCode::PaneUnknown, why).open())
        }
        _ => Ok(None),
    }
}

/// A resume: its pane is settled by what it serves.
async fn reopen(turn: &Turn, launch: &Launch) -> Result<Recovered, Failure> {
    let pane = pane_of(turn, launch).await?;
    let Some(pane) = pane else {
        outlive(turn, launch, None).await?;
        abandon(turn, launch, "its owner died and its pane is gone").await?;
        return Ok(Recovered::Ended);
    };
    let seen = see(turn, &pane).await;
    let own = launch.resumes.as_ref().map(SeatToken::conversation);
    if let Some(own) = own
        && let Some(served) = seen.other_than(own)
    {
        // Somebody answered what it waited for and works in it since: it is told, and left.
        let message = format!(
            "the pane serves {} and not the seat's own {}; it was left, for it may be somebody's work",
            served.native_id, own.native_id
        );
        let failure = Failure::of(Step::Ready, LaunchCode::ServesAnotherConversation, message);
        fail_and_leave(turn, launch, failure).await;
        return Ok(Recovered::Ended);
    }
    Ok(match settle(turn, launch, &pane, seen).await {
        Resumed::Yes(seen) => {
            let message = format!("finished an interrupted launch (attempt {})", launch.attempt);
            turn.note(Finding::new(LaunchCode::FinishedInterrupted, message));
            Recovered::Resumed(seen)
        }
        Resumed::Waiting(seen) => Recovered::Waiting(seen),
        Resumed::Failed(failure, _) if failure.stays_open => Recovered::Failed(failure),
        Resumed::Failed(..) | Resumed::Stale => Recovered::Ended,
        Resumed::Left(owned) => Recovered::Left(owned),
    })
}
