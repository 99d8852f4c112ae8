//! Rotation: a pane serves another conversation, and the seat takes it over (SPEC 7, `reconcile --adopt SEAT`).

use super::{Ending, RealizeError, check_free, end_launch, forking, move_in, token_of};
use crate::db::Db;
use crate::error::StoreError;
use crate::id::SeatId;
use crate::launch::declare::{DeclareError, Facts, NewLaunch, Work, insert};
use crate::launch::step::{StepError, standing};
use crate::launch::{self, Replaces};
use crate::lineage::{self, Descent, see};
use crate::occupant::{self, EndReason};
use crate::open::Store;
use crate::owner_lock::OwnerLock;
use seatfork_schema::{ConversationId, CreatedVia, Intent, LaunchState, Proof, SeatToken};
use thiserror::Error;

/// A rotation to be taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adoption {
    /// What the pane's own process was observed to serve.
    pub observed: ConversationId,
    /// Its parent, only where the runtime's own record names it.
    pub parent: Option<ConversationId>,
    /// What was seen, if it was graded.
    pub proof: Option<Proof>,
    /// The number of the seat's latest launch when its pane was looked at: with a later one it is another pane.
    pub after: u32,
}

/// Why a rotation was not taken over. The seat is as it was.
#[derive(Debug, Error)]
pub enum AdoptError {
    /// Nobody lives in the seat, so nothing rotated.
    #[error("nobody lives in seat {seat}")]
    Nobody {
        /// The seat.
        seat: SeatId,
    },
    /// The occupant's token is not stored yet: what its pane serves is its late token, no rotation.
    #[error("the token of seat {seat} is not stored yet; what its pane serves is that token")]
    TokenLate {
        /// The seat.
        seat: SeatId,
    },
    /// The conversation is the seat's token already.
    #[error("{conversation} is the token of seat {seat} already")]
    Unchanged {
        /// The seat.
        seat: SeatId,
        /// Its token.
        conversation: String,
    },
    /// The launch of the adoption could not be declared.
    #[error(transparent)]
    Declare(#[from] DeclareError),
    /// The conversation cannot be this seat's token.
    #[error(transparent)]
    Realize(#[from] RealizeError),
    /// The database said no.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// Ends the current occupant as `rotated` and adds the observed conversation through a launch of intent `adopt`, in one transaction.
    ///
    /// `new` carries owner, nonce and settings; its `work` and `replaces` are not looked at.
    pub fn adopt(
        &mut self,
        lock: &OwnerLock,
        new: &NewLaunch,
        adoption: &Adoption,
    ) -> Result<SeatToken, AdoptError> {
        self.write("adopting the conversation", |db| {
            let seat = crate::seat::by_id(db, new.seat)?;
            let observed = &adoption.observed;
            if observed.runtime != seat.runtime {
                let (seat, given) = (seat.runtime, observed.runtime);
                return Err(DeclareError::OtherRuntime { seat, given }.into());
            }
            launch::declare::check_latest(db, new.seat, Some(adoption.after))?;
            let current =
                occupant::current(db, new.seat)?.ok_or(AdoptError::Nobody { seat: new.seat })?;
            let token = current.token.ok_or(AdoptError::TokenLate { seat: new.seat })?;
            if token.conversation().is_same(observed) {
                let conversation = observed.native_id.to_string();
                return Err(AdoptError::Unchanged { seat: new.seat, conversation });
            }
            check_free(db, new.seat, observed)?;
            see(db, observed, "seen", new.at)?;
            let replaces = Replaces { n: current.n, reason: EndReason::Rotated };
            declare(db, lock, new, &seat, replaces, observed)?;
            run_through(db, lock, new, adoption)?;
            Ok(token_of(db, lock.launch())?)
        })
    }
}

fn declare(
    db: Db<'_>,
    lock: &OwnerLock,
    new: &NewLaunch,
    seat: &crate::seat::Seat,
    replaces: Replaces,
    observed: &ConversationId,
) -> Result<(), StoreError> {
    let attempt = launch::last_of(db, seat.id)?.map_or(1, |launch| launch.attempt + 1);
    let new =
        NewLaunch { work: Work::Fresh { planned: None }, replaces: Some(replaces), ..new.clone() };
    let facts = Facts {
        intent: Intent::Adopt,
        via: Some(CreatedVia::Rotated),
        source: None,
        planned: None,
        resume: None,
        adopts: None,
        image: None,
        child_scope: observed.scope.as_str().to_owned(),
    };
    insert(db, lock, &new, seat.runtime, attempt, &facts)
}

/// Through every state, since none may be skipped, and out with an occupant.
fn run_through(
    db: Db<'_>,
    lock: &OwnerLock,
    new: &NewLaunch,
    adoption: &Adoption,
) -> Result<(), RealizeError> {
    let id = lock.launch();
    let at = crate::column::time_text(new.at);
    for sql in [
        "UPDATE launches SET state='resolved', resolved_at=? WHERE launch_id=?",
        "UPDATE launches SET state='forking', forking_at=? WHERE launch_id=?",
    ] {
        db.execute("storing the adopting launch", sql, (&at, id.to_string()))?;
    }
    let found = standing(db, id, LaunchState::Forking).map_err(|error| match error {
        StepError::Store(error) => RealizeError::Store(error),
        StepError::OutOfStep { launch, state, .. } => RealizeError::OutOfStep { launch, state },
    })?;
    forking(&found)?;
    let observed = &adoption.observed;
    let ending = Ending {
        outcome: None,
        child: Some(observed),
        proof: adoption.proof.as_ref(),
        notice: None,
        at: new.at,
    };
    end_launch(db, id, &ending)?;
    move_in(db, &found, Some(observed), new.at)?;
    if let Some(parent) = &adoption.parent {
        see(db, parent, "seen", new.at)?;
    }
    lineage::record(
        db,
        &Descent {
            child: observed,
            parent: adoption.parent.as_ref(),
            launch: id,
            inherited: None,
            ranges: &[],
            at: new.at,
        },
    )?;
    Ok(())
}
