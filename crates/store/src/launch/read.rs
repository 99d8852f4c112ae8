//! Reading launches.

use super::{
    ArtifactFact, ArtifactState, ImageRef, Launch, LaunchError, Owner, ProcessMark, Replaces,
    RuntimeBinary, SourceEvidence,
};
use crate::column::Columns;
use crate::db::Db;
use crate::error::StoreError;
use crate::id::{LaunchId, Nonce, SeatId};
use crate::occupant::EndReason;
use crate::open::Store;
use rusqlite::{Row, named_params};
use seatfork_schema::proof::Inherited;
use seatfork_schema::{
    ContinuityOutcome, ConversationId, CreatedVia, Intent, LaunchState, NoticeState, PlannedChild,
    Proof, ProofGrade, ProofStatus, Runtime, SourceId,
};

/// A launch with what its lineage measured.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT l.*, x.inherited_records, x.inherited_bytes, x.inherited_sha256, x.last_inherited, x.not_inherited, x.depends_on_source
             FROM launches l LEFT JOIN lineage x ON x.launch_id=l.launch_id ",
            $rest
        )
    };
}

impl Store {
    /// A launch by its id.
    pub fn launch(&self, launch: LaunchId) -> Result<Launch, StoreError> {
        self.read("reading the launch", |db| by_id(db, launch))
    }

    /// Every launch of a seat, oldest first.
    pub fn launches_of(&self, seat: SeatId) -> Result<Vec<Launch>, StoreError> {
        self.read("listing launches", |db| {
            db.all(
                "listing launches",
                select!("WHERE l.seat_id=? ORDER BY l.attempt"),
                [seat.to_string()],
                read_launch,
            )
        })
    }

    /// Every open launch of the store, oldest first. Its owner may be alive or dead: ask its lock.
    pub fn open_launches(&self) -> Result<Vec<Launch>, StoreError> {
        self.read("listing open launches", |db| {
            db.all(
                "listing open launches",
                select!("WHERE l.state IN('declared','resolved','forking') ORDER BY l.declared_at, l.launch_id"),
                [],
                read_launch,
            )
        })
    }

    /// The launch a mark belongs to (SPEC 7): what a record on disk or a process says of itself.
    pub fn launch_by_nonce(&self, nonce: &Nonce) -> Result<Option<Launch>, StoreError> {
        self.read("looking for the launch", |db| {
            db.first(
                "looking for the launch",
                select!("WHERE l.nonce=?"),
                [nonce.as_str()],
                read_launch,
            )
        })
    }

    /// The launch that planned this child, or made it; the one that ended as a seat before one that did not.
    pub fn launch_by_child(&self, child: &ConversationId) -> Result<Option<Launch>, StoreError> {
        self.read("looking for the launch", |db| {
            db.first(
                "looking for the launch",
                select!(
                    "WHERE l.runtime=:runtime AND l.child_scope=:scope AND l.intent<>'resume'
                     AND CASE :runtime WHEN 'pixir' THEN :id ELSE lower(:id) END IN(l.planned_key,l.child_key)
                     ORDER BY l.state='realized' DESC, l.declared_at DESC LIMIT 1"
                ),
                named_params! {
                    ":runtime": child.runtime.as_str(),
                    ":scope": child.scope.as_str(),
                    ":id": child.native_id.as_str(),
                },
                read_launch,
            )
        })
    }

    /// The artifact files recorded with a launch, in trust order, gaps included.
    pub fn artifacts_of(&self, launch: LaunchId) -> Result<Vec<ArtifactFact>, StoreError> {
        self.read("listing artifacts", |db| {
            db.all(
                "listing artifacts",
                "SELECT * FROM launch_artifacts WHERE launch_id=? ORDER BY n",
                [launch.to_string()],
                |row| {
                    let bytes: Option<i64> = row.get("bytes")?;
                    let sha256: Option<String> = row.get("sha256")?;
                    let state = match (bytes, sha256, row.get::<_, String>("state")?.as_str()) {
                        (Some(_), Some(sha256), _) => {
                            ArtifactState::Found { bytes: row.count("bytes")?, sha256 }
                        }
                        (_, _, "missing") => ArtifactState::Missing,
                        _ => ArtifactState::Unreadable,
                    };
                    Ok(ArtifactFact { path: row.get("path")?, state })
                },
            )
        })
    }
}

pub(crate) fn by_id(db: Db<'_>, id: LaunchId) -> Result<Launch, StoreError> {
    db.first("reading the launch", select!("WHERE l.launch_id=?"), [id.to_string()], read_launch)?
        .ok_or_else(|| db.missing("launch", id))
}

/// The latest launch of a seat.
pub(crate) fn last_of(db: Db<'_>, seat: SeatId) -> Result<Option<Launch>, StoreError> {
    db.first(
        "reading the seat's last launch",
        select!("WHERE l.seat_id=? ORDER BY l.attempt DESC LIMIT 1"),
        [seat.to_string()],
        read_launch,
    )
}

/// The open launch of a seat.
pub(crate) fn open_of(db: Db<'_>, seat: SeatId) -> Result<Option<Launch>, StoreError> {
    Ok(last_of(db, seat)?.filter(|launch| launch.state.is_open()))
}

fn read_launch(row: &Row<'_>) -> rusqlite::Result<Launch> {
    let image_name: Option<String> = row.get("image_name")?;
    let image_version = row.get("image_version")?;
    let replaces_n: Option<u32> = row.get("replaces_n")?;
    let replaces_reason = row.word_opt("replaces_reason", EndReason::from_word)?;
    let phase1_pid: Option<u32> = row.get("phase1_pid")?;
    let phase1_start: Option<String> = row.get("phase1_start")?;
    Ok(Launch {
        id: row.parsed("launch_id")?,
        seat: row.parsed("seat_id")?,
        runtime: row.word("runtime", Runtime::from_word)?,
        attempt: row.get("attempt")?,
        intent: row.word("intent", Intent::from_word)?,
        created_via: row.word_opt("created_via", CreatedVia::from_word)?,
        state: row.word("state", LaunchState::from_word)?,
        nonce: row.word("nonce", |text| Nonce::new(text).ok())?,
        owner: Owner {
            host: row.get("owner_host")?,
            boot: row.get("owner_boot")?,
            process: ProcessMark { pid: row.get("owner_pid")?, start: row.get("owner_start")? },
        },
        owner_lock: row.get("owner_lock")?,
        source: row.conversation("runtime", "source_scope", "source_id")?.map(SourceId::new),
        resumes: row.token("runtime", "child_scope", "resume_id")?,
        planned_child: row
            .conversation("runtime", "child_scope", "planned_child_id")?
            .map(PlannedChild::new),
        adopts: row.parsed_opt("adopts_launch")?,
        image: image_name.map(|name| ImageRef { name, version: image_version }),
        replaces: replaces_n.zip(replaces_reason).map(|(n, reason)| Replaces { n, reason }),
        cwd: row.path("cwd")?,
        model: row.get("model")?,
        profile: row.get("profile")?,
        notice_wanted: row.get("notice_wanted")?,
        permission: row.get("permission")?,
        build: row.get("build_identity")?,
        binary: binary(row)?,
        declared_at: row.time("declared_at")?,
        resolved_at: row.time_opt("resolved_at")?,
        evidence: evidence(row)?,
        forking_at: row.time_opt("forking_at")?,
        phase1: phase1_pid.zip(phase1_start).map(|(pid, start)| ProcessMark { pid, start }),
        child: row.conversation("runtime", "child_scope", "child_id")?,
        proof: proof(row)?,
        outcome: row.word_opt("outcome", ContinuityOutcome::from_word)?,
        failed_step: row.get("failed_step")?,
        error: error(row)?,
        ended_at: row.time_opt("ended_at")?,
        notice: row.word_opt("notice", NoticeState::from_word)?,
        warnings: row.json("warnings")?,
    })
}

fn binary(row: &Row<'_>) -> rusqlite::Result<Option<RuntimeBinary>> {
    let Some(path) = row.path_opt("binary_path")? else { return Ok(None) };
    let version: Option<String> = row.get("runtime_version")?;
    Ok(Some(RuntimeBinary {
        version: version.unwrap_or_default(),
        path,
        device: row.unbits("binary_dev")?,
        inode: row.unbits("binary_ino")?,
        modified: row.time("binary_mtime")?,
    }))
}

fn evidence(row: &Row<'_>) -> rusqlite::Result<Option<SourceEvidence>> {
    let Some(path) = row.path_opt("evidence_path")? else { return Ok(None) };
    Ok(Some(SourceEvidence {
        path,
        device: row.unbits("evidence_dev")?,
        inode: row.unbits("evidence_ino")?,
        bytes: row.count("evidence_bytes")?,
        sha256: row.get("evidence_sha256")?,
        records: row.count("evidence_records")?,
        detail: row.json("evidence_detail")?,
    }))
}

fn error(row: &Row<'_>) -> rusqlite::Result<Option<LaunchError>> {
    let Some(code) = row.get::<_, Option<String>>("error_code")? else { return Ok(None) };
    Ok(Some(LaunchError {
        code,
        text: row.get::<_, Option<String>>("error_text")?.unwrap_or_default(),
        hint: row.get("error_hint")?,
        output_path: row.path_opt("output_path")?,
        leftover: row.get("leftover")?,
    }))
}

/// What was proved, with what its lineage row measured.
pub(crate) fn proof(row: &Row<'_>) -> rusqlite::Result<Option<Proof>> {
    let Some(grade) = row.word_opt("proof_grade", ProofGrade::from_word)? else {
        return Ok(None);
    };
    let inherited = match row.get::<_, Option<i64>>("inherited_records")? {
        None => None,
        Some(_) => Some(Inherited {
            records: row.count("inherited_records")?,
            source_bytes: row.count("inherited_bytes")?,
            sha256: row.get("inherited_sha256")?,
            last_record: row.get("last_inherited")?,
            not_inherited: row.json("not_inherited")?,
            depends_on_source: row.get("depends_on_source")?,
            depends_on: Vec::new(),
        }),
    };
    Ok(Some(Proof {
        grade,
        status: row.word("proof_status", ProofStatus::from_word)?,
        detail: row.get("proof_detail")?,
        inherited,
    }))
}
