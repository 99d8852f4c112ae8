//! From evidence to a seat: conversation, launch, occupant, proof and lineage in one transaction (SPEC 7, state 4).

pub(crate) mod adopt;
mod other;

use crate::column::time_text;
use crate::db::Db;
use crate::error::StoreError;
use crate::id::{LaunchId, SeatId};
use crate::launch::{self, Launch};
use crate::lineage::{self, Descent, SourceRange, see};
use crate::occupant;
use crate::open::Store;
use jiff::Timestamp;
use rusqlite::named_params;
use seatfork_schema::{
    ContinuityOutcome, ConversationId, Intent, LaunchState, NoticeState, PlannedChild, ProvedChild,
    SeatToken, SourceId,
};
use thiserror::Error;

/// What is stored with a realized launch beside the proved child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Realized {
    /// Whether the seat was or will be told what it is.
    pub notice: NoticeState,
    /// Bytes of other files the child's content lives in (Codex paginated), nearest ancestor first.
    pub ranges: Vec<SourceRange>,
    /// Now.
    pub at: Timestamp,
}

/// Why no seat came of a launch. Nothing of it was stored: the seat is not launched (`token-not-stored`, SPEC 7, 10).
#[derive(Debug, Error)]
pub enum RealizeError {
    /// The launch is not forking.
    #[error("launch {launch} is {state}, not forking")]
    OutOfStep {
        /// The launch.
        launch: LaunchId,
        /// Where it is.
        state: LaunchState,
    },
    /// The launch has another child already, or planned another.
    #[error("launch {launch} has {}, not {given}", .known.as_ref().map_or_else(|| "no child".to_owned(), |known| format!("the child {}", known.native_id)))]
    OtherChild {
        /// The launch.
        launch: LaunchId,
        /// The child it has or planned.
        known: Option<ConversationId>,
        /// The one given.
        given: String,
    },
    /// The proof is about another source than the declared one.
    #[error("launch {launch} has another source than the proof")]
    OtherSource {
        /// The launch.
        launch: LaunchId,
        /// The declared one.
        declared: Option<Box<SourceId>>,
        /// The proof's.
        proved: Option<Box<SourceId>>,
    },
    /// This is not how a launch of that intent ends.
    #[error("a launch of intent {intent} of this runtime does not end this way")]
    WrongEnd {
        /// The launch's intent.
        intent: Intent,
    },
    /// The child was a source of this seat.
    #[error("{child} was a source of this seat, so it cannot be its token")]
    IsASource {
        /// The child.
        child: String,
    },
    /// The child is another seat's token.
    #[error("{child} is the token of seat {owner}")]
    OwnedBy {
        /// The child.
        child: String,
        /// The other seat.
        owner: SeatId,
    },
    /// Somebody else lives in the seat than the launch was declared for.
    #[error("the seat's occupant is another one than launch {launch} was declared for")]
    OccupantChanged {
        /// The launch.
        launch: LaunchId,
    },
    /// The occupant has ended; a late token comes too late for it.
    #[error("the occupant of launch {launch} has ended")]
    OccupantEnded {
        /// The launch.
        launch: LaunchId,
    },
    /// The database said no.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// forking → realized for a fork, a fresh conversation or a rebuild. The only call that makes a seat's token.
    ///
    /// All or nothing, durable on return; only then may anything say so. The
    /// same call again is recognised and gives the same token.
    pub fn realize(
        &mut self,
        launch: LaunchId,
        proved: &ProvedChild,
        facts: &Realized,
    ) -> Result<SeatToken, RealizeError> {
        self.write("storing the token", |db| {
            let found = launch::by_id(db, launch)?;
            if !matches!(found.intent, Intent::Fork | Intent::Fresh | Intent::Rebuild) {
                return Err(RealizeError::WrongEnd { intent: found.intent });
            }
            check_child(&found, proved)?;
            if found.state == LaunchState::Realized {
                return known_token(db, &found, proved.child());
            }
            forking(&found)?;
            check_free(db, found.seat, proved.child())?;
            let child = proved.child();
            see(db, child, "made", facts.at)?;
            let outcome = match found.intent {
                Intent::Fork => ContinuityOutcome::Forked,
                Intent::Rebuild => ContinuityOutcome::Rebuilt,
                Intent::Fresh | Intent::Resume | Intent::Adopt => ContinuityOutcome::Fresh,
            };
            end_launch(
                db,
                launch,
                &Ending {
                    outcome: Some(outcome),
                    child: Some(child),
                    proof: Some(proved.proof()),
                    notice: Some(facts.notice),
                    at: facts.at,
                },
            )?;
            move_in(db, &found, Some(child), facts.at)?;
            descend(db, &found, proved, &facts.ranges, facts.at)?;
            token_of(db, launch)
        })
    }
}

/// Runtime, planned id and source are the declared ones.
fn check_child(launch: &Launch, proved: &ProvedChild) -> Result<(), RealizeError> {
    let child = proved.child();
    let planned = launch.planned_child.as_ref().map(PlannedChild::conversation);
    let known = launch.child.as_ref().or(planned);
    let other = known.is_some_and(|known| known != child) || child.runtime != launch.runtime;
    if other {
        return Err(RealizeError::OtherChild {
            launch: launch.id,
            known: known.cloned(),
            given: child.native_id.to_string(),
        });
    }
    if launch.source.as_ref() != proved.source() {
        return Err(RealizeError::OtherSource {
            launch: launch.id,
            declared: launch.source.clone().map(Box::new),
            proved: proved.source().cloned().map(Box::new),
        });
    }
    Ok(())
}

fn forking(launch: &Launch) -> Result<(), RealizeError> {
    if launch.state == LaunchState::Forking {
        Ok(())
    } else {
        Err(RealizeError::OutOfStep { launch: launch.id, state: launch.state })
    }
}

/// The conversation is nobody's token and was no source of this seat.
fn check_free(db: Db<'_>, seat: SeatId, child: &ConversationId) -> Result<(), RealizeError> {
    if let Some(owner) = occupant::owner_of(db, child)? {
        return Err(RealizeError::OwnedBy { child: child.native_id.to_string(), owner });
    }
    let source = db.exists(
        "comparing with the seat's sources",
        "SELECT 1 FROM launches WHERE seat_id=? AND source_id IS NOT NULL AND lower(trim(source_id))=lower(trim(?))",
        (seat.to_string(), child.native_id.as_str()),
    )?;
    if source {
        return Err(RealizeError::IsASource { child: child.native_id.to_string() });
    }
    Ok(())
}

/// A re-run of a launch that is realized already.
fn known_token(
    db: Db<'_>,
    launch: &Launch,
    child: &ConversationId,
) -> Result<SeatToken, RealizeError> {
    if launch.child.as_ref() == Some(child) {
        token_of(db, launch.id)
    } else {
        Err(RealizeError::OtherChild {
            launch: launch.id,
            known: launch.child.clone(),
            given: child.native_id.to_string(),
        })
    }
}

/// How a realized launch's row ends.
struct Ending<'a> {
    outcome: Option<ContinuityOutcome>,
    child: Option<&'a ConversationId>,
    proof: Option<&'a seatfork_schema::Proof>,
    notice: Option<NoticeState>,
    at: Timestamp,
}

fn end_launch(db: Db<'_>, launch: LaunchId, ending: &Ending<'_>) -> Result<(), StoreError> {
    db.execute(
        "storing the realized launch",
        "UPDATE launches SET state='realized', outcome=:outcome, child_id=:child, ended_at=:at,
           proof_grade=:grade, proof_status=:status, proof_detail=:detail, notice=coalesce(:notice,notice)
         WHERE launch_id=:id",
        named_params! {
            ":outcome": ending.outcome.map(ContinuityOutcome::as_str),
            ":child": ending.child.map(|child| child.native_id.as_str()),
            ":at": time_text(ending.at),
            ":grade": ending.proof.map(|proof| proof.grade.as_str()),
            ":status": ending.proof.map(|proof| proof.status.as_str()),
            ":detail": ending.proof.map(|proof| proof.detail.as_str()),
            ":notice": ending.notice.map(NoticeState::as_str),
            ":id": launch.to_string(),
        },
    )?;
    Ok(())
}

/// Ends the occupant the launch was declared to replace and adds its own.
fn move_in(
    db: Db<'_>,
    launch: &Launch,
    token: Option<&ConversationId>,
    at: Timestamp,
) -> Result<(), RealizeError> {
    let current = occupant::current(db, launch.seat)?;
    if current.as_ref().map(|current| current.n) != launch.replaces.map(|replaces| replaces.n) {
        return Err(RealizeError::OccupantChanged { launch: launch.id });
    }
    if let Some(replaces) = launch.replaces {
        occupant::end_current(db, launch.seat, replaces.reason, at)?;
    }
    let scope = token.map_or("", |token| token.scope.as_str());
    occupant::begin(db, launch.seat, launch.runtime, scope, token, launch.id, at)?;
    Ok(())
}

fn descend(
    db: Db<'_>,
    launch: &Launch,
    proved: &ProvedChild,
    ranges: &[SourceRange],
    at: Timestamp,
) -> Result<(), StoreError> {
    lineage::record(
        db,
        &Descent {
            child: proved.child(),
            parent: proved.source().map(SourceId::conversation),
            launch: launch.id,
            inherited: proved.proof().inherited.as_ref(),
            ranges,
            at,
        },
    )
}

/// The token as the store holds it now.
fn token_of(db: Db<'_>, launch: LaunchId) -> Result<SeatToken, RealizeError> {
    let occupant = occupant::of_launch(db, launch)?;
    occupant
        .and_then(|occupant| occupant.token)
        .ok_or_else(|| RealizeError::Store(db.missing("token of launch", launch)))
}
