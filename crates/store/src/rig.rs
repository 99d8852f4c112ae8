//! Rigs: a name and the real path of a spec's directory (SPEC 7).

use crate::column::{Columns, time_text};
use crate::db::Db;
use crate::error::StoreError;
use crate::id::{RigId, SeatId};
use crate::occupant::{EndReason, end_current};
use crate::open::Store;
use camino::Utf8PathBuf;
use jiff::Timestamp;
use rusqlite::{Row, named_params};
use thiserror::Error;

/// A rig to be known to the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRig {
    /// Its name.
    pub name: String,
    /// The real path of its spec's directory.
    pub root: Utf8PathBuf,
    /// The spec file; `None` where it was read from stdin.
    pub spec_path: Option<Utf8PathBuf>,
    /// SHA-256 of the spec's bytes, lower-case hex.
    pub spec_sha256: String,
    /// Now.
    pub at: Timestamp,
}

/// A rig as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rig {
    /// Its id.
    pub id: RigId,
    /// Its name.
    pub name: String,
    /// The real path of its spec's directory.
    pub root: Utf8PathBuf,
    /// The spec file it was last brought up from.
    pub spec_path: Option<Utf8PathBuf>,
    /// SHA-256 of that spec's bytes.
    pub spec_sha256: String,
    /// When it was first brought up.
    pub created_at: Timestamp,
    /// When it was forgotten; its name is free since.
    pub retired_at: Option<Timestamp>,
}

/// Why a rig is not known under that name.
#[derive(Debug, Error)]
pub enum EnsureRigError {
    /// `rig-name-taken`: the name belongs to a spec in another directory.
    #[error("the rig name {name} belongs to {recorded}, not to {asked}")]
    NameTaken {
        /// The name, as recorded.
        name: String,
        /// The directory it belongs to.
        recorded: Utf8PathBuf,
        /// The directory of this spec.
        asked: Utf8PathBuf,
    },
    /// `rig-name-taken`: the names differ by letter case alone.
    #[error("the rig name {asked} differs from that of rig {recorded} by letter case alone")]
    OtherCase {
        /// The name, as recorded.
        recorded: String,
        /// The name of this spec.
        asked: String,
    },
    /// The database said no.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a seat or rig is not forgotten.
#[derive(Debug, Error)]
pub enum RetireError {
    /// A launch is open; its owner may be alive.
    #[error("seat {seat} has an open launch {launch}")]
    OpenLaunch {
        /// The seat's name.
        seat: String,
        /// Its open launch.
        launch: crate::id::LaunchId,
    },
    /// Somebody launched a seat, or added one, since the caller looked.
    #[error("seat {seat} was launched or added by somebody else meanwhile")]
    Overtaken {
        /// The seat's name.
        seat: String,
    },
    /// The database said no.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// The rig of that name and root, made where it is new; the recorded spec is brought up to date.
    pub fn ensure_rig(&mut self, new: &NewRig) -> Result<Rig, EnsureRigError> {
        self.write("recording the rig", |db| {
            if let Some(known) = live_by_name(db, &new.name)? {
                if known.name != new.name {
                    let asked = new.name.clone();
                    return Err(EnsureRigError::OtherCase { recorded: known.name, asked });
                }
                if known.root != new.root {
                    return Err(EnsureRigError::NameTaken {
                        name: known.name,
                        recorded: known.root,
                        asked: new.root.clone(),
                    });
                }
                db.execute(
                    "recording the rig's spec",
                    "UPDATE rigs SET spec_path=:path, spec_sha256=:sha256 WHERE rig_id=:id
                     AND (spec_path IS NOT :path OR spec_sha256<>:sha256)",
                    named_params! {
                        ":path": new.spec_path.as_ref().map(|path| path.as_str()),
                        ":sha256": new.spec_sha256,
                        ":id": known.id.to_string(),
                    },
                )?;
                return Ok(by_id(db, known.id)?);
            }
            let id = RigId::new(new.at);
            db.execute(
                "recording the rig",
                "INSERT INTO rigs(rig_id,name,root,spec_path,spec_sha256,created_at)
                 VALUES(:id,:name,:root,:path,:sha256,:at)",
                named_params! {
                    ":id": id.to_string(),
                    ":name": new.name,
                    ":root": new.root.as_str(),
                    ":path": new.spec_path.as_ref().map(|path| path.as_str()),
                    ":sha256": new.spec_sha256,
                    ":at": time_text(new.at),
                },
            )?;
            Ok(by_id(db, id)?)
        })
    }

    /// A rig by its name, letter case aside; retired ones are not found by name.
    pub fn rig_by_name(&self, name: &str) -> Result<Option<Rig>, StoreError> {
        self.read("looking for the rig", |db| live_by_name(db, name))
    }

    /// Every rig that is not retired, by name.
    pub fn rigs(&self) -> Result<Vec<Rig>, StoreError> {
        self.read("listing rigs", |db| {
            db.all(
                "listing rigs",
                "SELECT * FROM rigs WHERE retired_at IS NULL ORDER BY lower(name)",
                [],
                read_rig,
            )
        })
    }

    /// Every rig there ever was, retired ones included, oldest first.
    pub fn rigs_ever(&self) -> Result<Vec<Rig>, StoreError> {
        self.read("listing rigs", |db| {
            db.all("listing rigs", "SELECT * FROM rigs ORDER BY rowid", [], read_rig)
        })
    }

    /// Forgets a rig and all its seats (`down --forget`): rows stay, names are free. Refused while a launch is open.
    ///
    /// `seen` is what the caller decided by: each seat with the number of its latest launch, 0 where it had none. Where a
    /// seat has a later one, or is not among them, nothing is retired ([`RetireError::Overtaken`]).
    pub fn retire_rig(
        &mut self,
        rig: RigId,
        seen: &[(SeatId, u32)],
        at: Timestamp,
    ) -> Result<(), RetireError> {
        self.write("retiring the rig", |db| {
            by_id(db, rig)?;
            let seats = db.all(
                "listing the rig's seats",
                "SELECT seat_id FROM seats WHERE rig_id=? AND retired_at IS NULL",
                [rig.to_string()],
                |row| row.parsed::<SeatId>("seat_id"),
            )?;
            for seat in seats {
                let latest = crate::launch::last_of(db, seat)?.map_or(0, |launch| launch.attempt);
                if !seen.contains(&(seat, latest)) {
                    return Err(RetireError::Overtaken {
                        seat: crate::seat::by_id(db, seat)?.name,
                    });
                }
                retire_one(db, seat, at)?;
            }
            db.execute(
                "retiring the rig",
                "UPDATE rigs SET retired_at=? WHERE rig_id=? AND retired_at IS NULL",
                (time_text(at), rig.to_string()),
            )?;
            Ok(())
        })
    }

    /// Forgets one seat: its occupant ends as `retired`, its rows stay, its name is free. Refused while a launch is open.
    pub fn retire_seat(&mut self, seat: SeatId, at: Timestamp) -> Result<(), RetireError> {
        self.write("retiring the seat", |db| retire_one(db, seat, at))
    }
}

fn retire_one(db: Db<'_>, seat: SeatId, at: Timestamp) -> Result<(), RetireError> {
    let known = crate::seat::by_id(db, seat)?;
    if known.retired_at.is_some() {
        return Ok(());
    }
    if let Some(open) = crate::launch::open_of(db, seat)? {
        return Err(RetireError::OpenLaunch { seat: known.name, launch: open.id });
    }
    end_current(db, seat, EndReason::Retired, at)?;
    db.execute(
        "retiring the seat",
        "UPDATE seats SET retired_at=? WHERE seat_id=?",
        (time_text(at), seat.to_string()),
    )?;
    Ok(())
}

fn live_by_name(db: Db<'_>, name: &str) -> Result<Option<Rig>, StoreError> {
    db.first(
        "looking for the rig",
        "SELECT * FROM rigs WHERE lower(name)=lower(?) AND retired_at IS NULL",
        [name],
        read_rig,
    )
}

pub(crate) fn by_id(db: Db<'_>, id: RigId) -> Result<Rig, StoreError> {
    db.first("reading the rig", "SELECT * FROM rigs WHERE rig_id=?", [id.to_string()], read_rig)?
        .ok_or_else(|| db.missing("rig", id))
}

fn read_rig(row: &Row<'_>) -> rusqlite::Result<Rig> {
    Ok(Rig {
        id: row.parsed("rig_id")?,
        name: row.get("name")?,
        root: row.path("root")?,
        spec_path: row.path_opt("spec_path")?,
        spec_sha256: row.get("spec_sha256")?,
        created_at: row.time("created_at")?,
        retired_at: row.time_opt("retired_at")?,
    })
}
