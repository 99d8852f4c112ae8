//! The other ways in which a launch is realized: a resume, a terminal, and a Codex whose token comes late (SPEC 6, 7).

use super::{
    Ending, RealizeError, check_child, check_free, descend, end_launch, forking, known_token,
    move_in, token_of,
};
use crate::id::LaunchId;
use crate::launch;
use crate::lineage::see;
use crate::occupant;
use crate::open::Store;
use jiff::Timestamp;
use rusqlite::named_params;
use seatfork_schema::{
    ContinuityOutcome, Intent, LaunchState, NoticeState, Proof, ProvedChild, Runtime, SeatToken,
};

impl Store {
    /// forking → realized for a resume: the occupant's own token serves again. Adds no occupant and no lineage.
    pub fn realize_resume(
        &mut self,
        launch: LaunchId,
        proof: Option<&Proof>,
        at: Timestamp,
    ) -> Result<SeatToken, RealizeError> {
        self.write("storing that the seat was resumed", |db| {
            let found = launch::by_id(db, launch)?;
            let Some(token) = found.resumes.clone() else {
                return Err(RealizeError::WrongEnd { intent: found.intent });
            };
            if found.state == LaunchState::Realized {
                return Ok(token);
            }
            forking(&found)?;
            let current = occupant::current(db, found.seat)?;
            if current.and_then(|current| current.token).as_ref() != Some(&token) {
                return Err(RealizeError::OccupantChanged { launch });
            }
            let ending = Ending {
                outcome: Some(ContinuityOutcome::Resumed),
                child: Some(token.conversation()),
                proof,
                notice: None,
                at,
            };
            end_launch(db, launch, &ending)?;
            Ok(token)
        })
    }

    /// forking → realized for a terminal: an occupant without a token, by definition.
    pub fn realize_terminal(
        &mut self,
        launch: LaunchId,
        at: Timestamp,
    ) -> Result<(), RealizeError> {
        self.realize_tokenless(launch, &[Runtime::Terminal], None, at)
    }

    /// forking → realized for a Codex that opens its pane before its id is known: an occupant whose token comes late.
    pub fn realize_without_token(
        &mut self,
        launch: LaunchId,
        notice: NoticeState,
        at: Timestamp,
    ) -> Result<(), RealizeError> {
        self.realize_tokenless(launch, &[Runtime::Codex], Some(notice), at)
    }

    fn realize_tokenless(
        &mut self,
        launch: LaunchId,
        runtimes: &[Runtime],
        notice: Option<NoticeState>,
        at: Timestamp,
    ) -> Result<(), RealizeError> {
        self.write("storing the occupant without a token", |db| {
            let found = launch::by_id(db, launch)?;
            let outcome = match found.intent {
                Intent::Fresh => ContinuityOutcome::Fresh,
                Intent::Rebuild => ContinuityOutcome::Rebuilt,
                intent => return Err(RealizeError::WrongEnd { intent }),
            };
            if !runtimes.contains(&found.runtime) {
                return Err(RealizeError::WrongEnd { intent: found.intent });
            }
            if found.state == LaunchState::Realized && found.child.is_none() {
                return Ok(());
            }
            forking(&found)?;
            if found.child.is_some() {
                return Err(RealizeError::OtherChild {
                    launch,
                    known: found.child,
                    given: "no token".to_owned(),
                });
            }
            let ending = Ending { outcome: Some(outcome), child: None, proof: None, notice, at };
            end_launch(db, launch, &ending)?;
            move_in(db, &found, None, at)
        })
    }

    /// The token of a Codex seat that was realized without one: onto launch and occupant together, with proof and lineage, once.
    ///
    /// The same call again is recognised. An occupant that has ended takes none.
    pub fn late_token(
        &mut self,
        launch: LaunchId,
        proved: &ProvedChild,
        at: Timestamp,
    ) -> Result<SeatToken, RealizeError> {
        self.write("storing the late token", |db| {
            let found = launch::by_id(db, launch)?;
            if found.runtime != Runtime::Codex || found.state != LaunchState::Realized {
                return Err(RealizeError::OutOfStep { launch, state: found.state });
            }
            check_child(&found, proved)?;
            let child = proved.child();
            if found.child.is_some() {
                return known_token(db, &found, child);
            }
            let occupant = occupant::of_launch(db, launch)?;
            if occupant.is_none_or(|occupant| occupant.ended.is_some()) {
                return Err(RealizeError::OccupantEnded { launch });
            }
            check_free(db, found.seat, child)?;
            see(db, child, "made", at)?;
            let proof = proved.proof();
            db.execute(
                "storing the late token on the launch",
                "UPDATE launches SET child_id=:child, proof_grade=:grade, proof_status=:status, proof_detail=:detail
                 WHERE launch_id=:id",
                named_params! {
                    ":child": child.native_id.as_str(),
                    ":grade": proof.grade.as_str(),
                    ":status": proof.status.as_str(),
                    ":detail": proof.detail,
                    ":id": launch.to_string(),
                },
            )?;
            db.execute(
                "storing the late token on the occupant",
                "UPDATE occupants SET resume_token=? WHERE launch_id=?",
                (child.native_id.as_str(), launch.to_string()),
            )?;
            descend(db, &found, proved, &[], at)?;
            token_of(db, launch)
        })
    }
}
