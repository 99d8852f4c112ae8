//! The steps of a launch between its declaration and its end, and its ends without a seat (SPEC 7).

use super::{ArtifactFact, ArtifactState, Launch, Owner, ProcessMark, SourceEvidence, by_id};
use crate::column::{bits, time_text};
use crate::db::Db;
use crate::error::StoreError;
use crate::id::LaunchId;
use crate::lineage::see;
use crate::open::Store;
use crate::owner_lock::OwnerLock;
use camino::Utf8PathBuf;
use jiff::Timestamp;
use rusqlite::named_params;
use seatfork_schema::{ConversationId, LaunchCode, LaunchState, NoticeState, Proof};
use thiserror::Error;

/// What was found before anything is started (SPEC 7, state 2).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolution {
    /// The source's evidence; a fork needs it, nothing else has it.
    pub evidence: Option<SourceEvidence>,
    /// Artifact files in trust order, gaps included.
    pub artifacts: Vec<ArtifactFact>,
}

/// Why a launch failed, as `up --json` gives it (SPEC 13).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaunchError {
    /// A stable kebab-case code.
    pub code: String,
    /// What failed, what was and was not done.
    pub text: String,
    /// The next command.
    pub hint: Option<String>,
    /// The runtime's output, verbatim, in a 0600 file.
    pub output_path: Option<Utf8PathBuf>,
    /// What exists now although no seat came of it.
    pub leftover: Option<String>,
}

/// Why a step was not stored. The launch is as it was.
#[derive(Debug, Error)]
pub enum StepError {
    /// The launch is not where this step begins.
    #[error("launch {launch} is {state}, not {needed}")]
    OutOfStep {
        /// The launch.
        launch: LaunchId,
        /// Where it is.
        state: LaunchState,
        /// Where it would have to be.
        needed: &'static str,
    },
    /// The database said no.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// declared → resolved, with what was seen.
    pub fn resolved(
        &mut self,
        launch: LaunchId,
        resolution: &Resolution,
        at: Timestamp,
    ) -> Result<(), StepError> {
        self.write("storing what was resolved", |db| {
            standing(db, launch, LaunchState::Declared)?;
            for (artifact, n) in resolution.artifacts.iter().zip(1..) {
                record_artifact(db, launch, n, artifact)?;
            }
            let seen = resolution.evidence.as_ref();
            let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
            db.execute(
                "storing what was resolved",
                "UPDATE launches SET state='resolved', resolved_at=:at, evidence_path=:path, evidence_dev=:dev, evidence_ino=:ino,
                   evidence_bytes=:bytes, evidence_sha256=:sha256, evidence_records=:records, evidence_detail=:detail
                 WHERE launch_id=:id",
                named_params! {
                    ":at": time_text(at),
                    ":path": seen.map(|seen| seen.path.as_str()),
                    ":dev": seen.map(|seen| bits(seen.device)),
                    ":ino": seen.map(|seen| bits(seen.inode)),
                    ":bytes": seen.map(|seen| count(seen.bytes)),
                    ":sha256": seen.map(|seen| seen.sha256.as_str()),
                    ":records": seen.map(|seen| count(seen.records)),
                    ":detail": seen.map(|seen| seen.detail.to_string()),
                    ":id": launch.to_string(),
                },
            )?;
            Ok(())
        })
    }

    /// resolved → forking. When this returns the intent is on disk, and only then may the runtime run.
    pub fn forking(&mut self, launch: LaunchId, at: Timestamp) -> Result<(), StepError> {
        self.write("storing that the runtime is about to run", |db| {
            standing(db, launch, LaunchState::Resolved)?;
            db.execute(
                "storing that the runtime is about to run",
                "UPDATE launches SET state='forking', forking_at=? WHERE launch_id=?",
                (time_text(at), launch.to_string()),
            )?;
            Ok(())
        })
    }

    /// The process of phase 1, once it runs. A launch has one.
    pub fn phase1_spawned(
        &mut self,
        launch: LaunchId,
        process: &ProcessMark,
    ) -> Result<(), StepError> {
        self.write("storing the process of phase 1", |db| {
            standing(db, launch, LaunchState::Forking)?;
            db.execute(
                "storing the process of phase 1",
                "UPDATE launches SET phase1_pid=?, phase1_start=? WHERE launch_id=?",
                (process.pid, &process.start, launch.to_string()),
            )?;
            Ok(())
        })
    }

    /// The id of the conversation a launch made, before it is proved or while artifacts are delivered (SPEC 9, rebuild).
    ///
    /// It burns the id for every other launch and makes no token. A launch makes one child.
    pub fn made(
        &mut self,
        launch: LaunchId,
        child: &ConversationId,
        at: Timestamp,
    ) -> Result<(), StepError> {
        self.write("storing the new conversation", |db| {
            standing(db, launch, LaunchState::Forking)?;
            see(db, child, "made", at)?;
            db.execute(
                "storing the new conversation on the launch",
                "UPDATE launches SET child_id=? WHERE launch_id=?",
                (child.native_id.as_str(), launch.to_string()),
            )?;
            Ok(())
        })
    }

    /// An open launch ends as failed at a step. `proof` is given where evidence refuted it.
    pub fn fail(
        &mut self,
        launch: LaunchId,
        step: &str,
        error: &LaunchError,
        proof: Option<&Proof>,
        at: Timestamp,
    ) -> Result<(), StepError> {
        self.write("storing the failure", |db| {
            end(db, launch, LaunchState::Failed, step, error, proof, at)
        })
    }

    /// An open launch whose owner died and that made nothing ends as abandoned, at the step it was at.
    pub fn abandon(&mut self, launch: LaunchId, why: &str, at: Timestamp) -> Result<(), StepError> {
        self.write("storing that the launch is abandoned", |db| {
            let step = by_id(db, launch)?.state.as_str();
            let error = LaunchError {
                code: LaunchCode::LaunchAbandoned.as_str().to_owned(),
                text: why.to_owned(),
                ..LaunchError::default()
            };
            end(db, launch, LaunchState::Abandoned, step, &error, None, at)
        })
    }

    /// Makes the holder of a dead owner's lock the launch's owner, to finish or end it.
    pub fn take_over(&mut self, lock: &OwnerLock, owner: &Owner) -> Result<Launch, StepError> {
        self.write("taking over the launch", |db| {
            open(db, lock.launch())?;
            db.execute(
                "taking over the launch",
                "UPDATE launches SET owner_host=:host, owner_boot=:boot, owner_pid=:pid, owner_start=:start, owner_lock=:lock
                 WHERE launch_id=:id",
                named_params! {
                    ":host": owner.host,
                    ":boot": owner.boot,
                    ":pid": owner.process.pid,
                    ":start": owner.process.start,
                    ":lock": lock.file_name(),
                    ":id": lock.launch().to_string(),
                },
            )?;
            Ok(by_id(db, lock.launch())?)
        })
    }

    /// Adds things that were said and did not stop the launch; they may come after its end too.
    pub fn warn(&mut self, launch: LaunchId, warnings: &[String]) -> Result<(), StoreError> {
        if warnings.is_empty() {
            return Ok(());
        }
        self.write("storing warnings", |db| {
            let mut all = by_id(db, launch)?.warnings;
            all.extend(
                warnings
                    .iter()
                    .filter(|warning| !all.contains(warning))
                    .cloned()
                    .collect::<Vec<_>>(),
            );
            db.execute(
                "storing warnings",
                "UPDATE launches SET warnings=? WHERE launch_id=?",
                (crate::seat::names(&all), launch.to_string()),
            )?;
            Ok(())
        })
    }

    /// Whether the seat was told what it is (SPEC 6, notice), as it becomes known.
    pub fn note_notice(&mut self, launch: LaunchId, notice: NoticeState) -> Result<(), StoreError> {
        self.write("storing the notice", |db| {
            by_id(db, launch)?;
            db.execute(
                "storing the notice",
                "UPDATE launches SET notice=? WHERE launch_id=?",
                (notice.as_str(), launch.to_string()),
            )?;
            Ok(())
        })
    }
}

/// The launch, if it is at that state.
pub(crate) fn standing(
    db: Db<'_>,
    launch: LaunchId,
    needed: LaunchState,
) -> Result<Launch, StepError> {
    let found = by_id(db, launch)?;
    if found.state == needed {
        Ok(found)
    } else {
        Err(StepError::OutOfStep { launch, state: found.state, needed: needed.as_str() })
    }
}

fn open(db: Db<'_>, launch: LaunchId) -> Result<Launch, StepError> {
    let found = by_id(db, launch)?;
    if found.state.is_open() {
        Ok(found)
    } else {
        Err(StepError::OutOfStep { launch, state: found.state, needed: "open" })
    }
}

fn end(
    db: Db<'_>,
    launch: LaunchId,
    state: LaunchState,
    step: &str,
    error: &LaunchError,
    proof: Option<&Proof>,
    at: Timestamp,
) -> Result<(), StepError> {
    open(db, launch)?;
    db.execute(
        "storing how the launch ended",
        "UPDATE launches SET state=:state, outcome='failed', ended_at=:at, failed_step=:step, error_code=:code, error_text=:text,
           error_hint=:hint, output_path=:output, leftover=:leftover, proof_grade=:grade, proof_status=:status, proof_detail=:detail
         WHERE launch_id=:id",
        named_params! {
            ":state": state.as_str(),
            ":at": time_text(at),
            ":step": step,
            ":code": error.code,
            ":text": error.text,
            ":hint": error.hint,
            ":output": error.output_path.as_ref().map(|path| path.as_str()),
            ":leftover": error.leftover,
            ":grade": proof.map(|proof| proof.grade.as_str()),
            ":status": proof.map(|proof| proof.status.as_str()),
            ":detail": proof.map(|proof| proof.detail.as_str()),
            ":id": launch.to_string(),
        },
    )?;
    Ok(())
}

fn record_artifact(
    db: Db<'_>,
    launch: LaunchId,
    n: u32,
    artifact: &ArtifactFact,
) -> Result<(), StoreError> {
    let (state, found) = match &artifact.state {
        ArtifactState::Found { bytes, sha256 } => ("found", Some((*bytes, sha256))),
        ArtifactState::Missing => ("missing", None),
        ArtifactState::Unreadable => ("unreadable", None),
    };
    db.execute(
        "storing the artifacts",
        "INSERT INTO launch_artifacts(launch_id,n,path,state,bytes,sha256) VALUES(?,?,?,?,?,?)",
        (
            launch.to_string(),
            n,
            &artifact.path,
            state,
            found.map(|(bytes, _)| i64::try_from(bytes).unwrap_or(i64::MAX)),
            found.map(|(_, sha256)| sha256),
        ),
    )?;
    Ok(())
}
