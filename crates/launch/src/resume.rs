//! A seat brought back by its own token: a launch of intent `resume`, which adds no occupant and no lineage (SPEC 7).
//!
//! `resumed` is said only when the pane was seen to serve the token. A pane
//! that waits for a person, or is not seen ready in time, leaves the launch
//! open: its outcome is not known yet, and a later run settles it.

use crate::crash::CrashPoint;
use crate::machine::{Declared, Failure, declare, fail, let_go};
use crate::pane::{Seen, chain};
use crate::report::{ErrorReport, Step};
use crate::seat_pane::{OpenPane, end_pane, may_resume, open, see};
use crate::state::SeatState;
use crate::turn::Turn;
use seatfork_adapters::PaneStart;
use seatfork_schema::{LaunchCode, ProcessState, SeatToken};
use seatfork_store::{Launch, Resolution, Work};

/// How a resume came out.
#[derive(Debug)]
pub(crate) enum Resumed {
    /// The pane serves the token, and the store has it.
    Yes(Seen),
    /// The pane is open and its outcome is not known yet.
    Waiting(Seen),
    /// It failed; the seat keeps its token.
    Failed(Failure, Option<Seen>),
    /// Somebody else launches this seat.
    Left(Box<Launch>),
    /// Somebody was faster, and the seat is another than was decided about. Decide again.
    Stale,
}

/// Brings a seat back.
pub(crate) async fn resume(turn: &Turn, state: &SeatState, token: &SeatToken) -> Resumed {
    let work = Work::Resume { token: token.clone() };
    let (lock, launch) = match declare(turn, work, None, state.latest()).await {
        Declared::Yes(lock, launch) => (lock, launch),
        Declared::Open(owned) => return Resumed::Left(owned),
        Declared::Stale => return Resumed::Stale,
        Declared::No(failure) => return Resumed::Failed(failure, None),
    };
    turn.ground.crash.reach(CrashPoint::AfterDeclared);
    let ended = match start(turn, state, &launch, token).await {
        Ok(pane) => {
            let seen = see(turn, &pane).await;
            settle(turn, &launch, &pane, seen).await
        }
        Err(failure) => Resumed::Failed(fail(turn, &launch, failure).await, None),
    };
    let_go(turn, lock);
    ended
}

/// From declared to an open pane.
async fn start(
    turn: &Turn,
    state: &SeatState,
    launch: &Launch,
    token: &SeatToken,
) -> Result<OpenPane, Failure> {
    turn.entered(Step::Resolve);
    may_resume(turn, state, token.conversation()).await?;
    let (id, at) = (launch.id, turn.ground.now());
    let stored =
        turn.ground.store.ask(move |store| store.resolved(id, &Resolution::default(), at)).await;
    stored.map_err(|error| Failure::store(Step::Resolve, &error))?;
    turn.ground.crash.reach(CrashPoint::AfterResolved);
    let at = turn.ground.now();
    let stored = turn.ground.store.ask(move |store| store.forking(id, at)).await;
    stored.map_err(|error| Failure::store(Step::Pane, &error))?;
    turn.ground.crash.reach(CrashPoint::BeforeSpawn);
    open(turn, launch, PaneStart::Resume(token)).await
}

/// Ends a resume by what its pane was seen to do; also for a pane that a dead owner opened.
pub(crate) async fn settle(turn: &Turn, launch: &Launch, pane: &OpenPane, seen: Seen) -> Resumed {
    match seen.state {
        ProcessState::Ready => {}
        ProcessState::Starting | ProcessState::AttentionRequired => return Resumed::Waiting(seen),
        ProcessState::Exited | ProcessState::Lost | ProcessState::None => {
            let how = seen.ended.as_deref().unwrap_or("how is not known");
            let report = ErrorReport::new(
                LaunchCode::PaneFailed,
                format!("the process that was to serve the seat's conversation ended ({how})"),
            );
            let report = report.hint("read its last words, then run up again; the token is kept");
            let failure = Failure::new(Step::Ready, report.output(seen.output()));
            return Resumed::Failed(fail(turn, launch, failure).await, Some(seen));
        }
    }
    let token = launch.resumes.as_ref().map(SeatToken::conversation);
    if let Some(token) = token
        && let Some(served) = seen.other_than(token)
    {
        let ended = end_pane(turn, pane).await;
        let message = format!(
            "the pane serves {} and not the seat's own {}; it {}",
            served.native_id,
            token.native_id,
            ended.as_ref().map_or_else(String::as_str, |_| "was ended")
        );
        let failure = Failure::of(Step::Ready, LaunchCode::ServesAnotherConversation, message);
        return Resumed::Failed(fail(turn, launch, failure).await, ended.ok());
    }
    let (id, at) = (launch.id, turn.ground.now());
    match turn.ground.store.ask(move |store| store.realize_resume(id, None, at)).await {
        Ok(_) => {
            turn.ground.crash.reach(CrashPoint::AfterRealized);
            Resumed::Yes(seen)
        }
        Err(error) => {
            let message = format!(
                "the pane serves the seat's own conversation, and that could not be stored: {}",
                chain(&error)
            );
            let failure = Failure::of(Step::Store, LaunchCode::ResultNotStored, message);
            Resumed::Failed(failure.open(), Some(seen))
        }
    }
}
