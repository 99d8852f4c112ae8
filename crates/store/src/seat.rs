//! Seats (SPEC 1). A seat has no token and no source: there is no field for either.

pub(crate) mod state;

use crate::column::{Columns, time_text};
use crate::db::Db;
use crate::error::StoreError;
use crate::id::{RigId, SeatId};
use crate::open::Store;
use camino::Utf8PathBuf;
use jiff::Timestamp;
use rusqlite::{Row, named_params};
use seatfork_schema::Runtime;

/// The location variables of the runtimes, read once at plan and given identically to every start (SPEC 14).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Location {
    /// `CLAUDE_CONFIG_DIR`, where it was set.
    pub claude_config_dir: Option<String>,
    /// `CODEX_HOME`, where it was set.
    pub codex_home: Option<String>,
}

/// A seat to be known to the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSeat {
    /// Its rig.
    pub rig: RigId,
    /// Its pod's id.
    pub pod: String,
    /// Its member's id.
    pub member: String,
    /// What holds its conversation.
    pub runtime: Runtime,
    /// The real path of its working directory.
    pub cwd: Utf8PathBuf,
    /// Where the runtime keeps its things.
    pub location: Location,
    /// Names of environment variables passed on to it beyond the base. Names only.
    pub pass_env: Vec<String>,
    /// Now.
    pub at: Timestamp,
}

/// A seat as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// Its id.
    pub id: SeatId,
    /// Its rig.
    pub rig: RigId,
    /// Its pod's id.
    pub pod: String,
    /// Its member's id.
    pub member: String,
    /// `<pod>-<member>@<rig>`.
    pub name: String,
    /// What holds its conversation.
    pub runtime: Runtime,
    /// Its working directory.
    pub cwd: Utf8PathBuf,
    /// Where the runtime keeps its things.
    pub location: Location,
    /// Names of environment variables passed on to it.
    pub pass_env: Vec<String>,
    /// When it was first declared.
    pub created_at: Timestamp,
    /// When it was forgotten; its name is free since.
    pub retired_at: Option<Timestamp>,
}

/// Something asked of a seat that has an occupant, and left as it was (SPEC 7, convergence).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// Another runtime was asked for.
    Runtime {
        /// The seat's.
        recorded: Runtime,
        /// The spec's.
        asked: Runtime,
    },
    /// Another working directory was asked for.
    Cwd {
        /// The seat's.
        recorded: Utf8PathBuf,
        /// The spec's.
        asked: Utf8PathBuf,
    },
    /// The runtime's home is another now.
    Location {
        /// The seat's.
        recorded: Location,
        /// The environment's.
        asked: Location,
    },
}

/// A seat that is known now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ensured {
    /// It.
    pub seat: Seat,
    /// Whether it is new.
    pub created: bool,
    /// What was asked and left, to be said.
    pub kept: Vec<Kept>,
}

impl Store {
    /// The seat at that place, made where it is new.
    ///
    /// A seat nobody lives in takes the runtime, directory and location asked
    /// for (another runtime makes it another seat, the old row is retired);
    /// an occupied one keeps them and says so. `pass_env` always follows.
    pub fn ensure_seat(&mut self, new: &NewSeat) -> Result<Ensured, StoreError> {
        self.write("recording the seat", |db| {
            let Some(known) = live_at(db, new)? else {
                let seat = insert(db, new)?;
                return Ok(Ensured { seat, created: true, kept: Vec::new() });
            };
            let occupied = crate::occupant::current(db, known.id)?.is_some()
                || crate::launch::open_of(db, known.id)?.is_some();
            let kept = if occupied { differences(&known, new) } else { Vec::new() };
            if !occupied && known.runtime != new.runtime {
                db.execute(
                    "retiring the seat of another runtime",
                    "UPDATE seats SET retired_at=? WHERE seat_id=?",
                    (time_text(new.at), known.id.to_string()),
                )?;
                let seat = insert(db, new)?;
                return Ok(Ensured { seat, created: true, kept });
            }
            let (cwd, location) =
                if occupied { (&known.cwd, &known.location) } else { (&new.cwd, &new.location) };
            db.execute(
                "recording the seat's settings",
                "UPDATE seats SET cwd=:cwd, claude_config_dir=:claude, codex_home=:codex, pass_env=:pass
                 WHERE seat_id=:id AND (cwd<>:cwd OR claude_config_dir IS NOT :claude OR codex_home IS NOT :codex OR pass_env<>:pass)",
                named_params! {
                    ":cwd": cwd.as_str(),
                    ":claude": location.claude_config_dir,
                    ":codex": location.codex_home,
                    ":pass": names(&new.pass_env),
                    ":id": known.id.to_string(),
                },
            )?;
            Ok(Ensured { seat: by_id(db, known.id)?, created: false, kept })
        })
    }

    /// A seat by its name, letter case aside; retired ones are not found by name.
    pub fn seat_by_name(&self, name: &str) -> Result<Option<Seat>, StoreError> {
        self.read("looking for the seat", |db| {
            db.first(
                "looking for the seat",
                "SELECT * FROM seats WHERE lower(name)=lower(?) AND retired_at IS NULL",
                [name],
                read_seat,
            )
        })
    }

    /// A seat by its id, retired or not.
    pub fn seat(&self, seat: SeatId) -> Result<Seat, StoreError> {
        self.read("reading the seat", |db| by_id(db, seat))
    }
}

fn differences(known: &Seat, new: &NewSeat) -> Vec<Kept> {
    let mut kept = Vec::new();
    if known.runtime != new.runtime {
        kept.push(Kept::Runtime { recorded: known.runtime, asked: new.runtime });
    }
    if known.cwd != new.cwd {
        kept.push(Kept::Cwd { recorded: known.cwd.clone(), asked: new.cwd.clone() });
    }
    if known.location != new.location {
        kept.push(Kept::Location { recorded: known.location.clone(), asked: new.location.clone() });
    }
    kept
}

/// A list of texts as the JSON array that stands in a column.
pub(crate) fn names(texts: &[String]) -> String {
    serde_json::Value::from(texts).to_string()
}

fn insert(db: Db<'_>, new: &NewSeat) -> Result<Seat, StoreError> {
    let id = SeatId::new(new.at);
    let rig = crate::rig::by_id(db, new.rig)?;
    db.execute(
        "recording the seat",
        "INSERT INTO seats(seat_id,rig_id,pod,member,name,runtime,cwd,claude_config_dir,codex_home,pass_env,created_at)
         VALUES(:id,:rig,:pod,:member,:name,:runtime,:cwd,:claude,:codex,:pass,:at)",
        named_params! {
            ":id": id.to_string(),
            ":rig": rig.id.to_string(),
            ":pod": new.pod,
            ":member": new.member,
            ":name": format!("{}-{}@{}", new.pod, new.member, rig.name),
            ":runtime": new.runtime.as_str(),
            ":cwd": new.cwd.as_str(),
            ":claude": new.location.claude_config_dir,
            ":codex": new.location.codex_home,
            ":pass": names(&new.pass_env),
            ":at": time_text(new.at),
        },
    )?;
    by_id(db, id)
}

fn live_at(db: Db<'_>, new: &NewSeat) -> Result<Option<Seat>, StoreError> {
    db.first(
        "looking for the seat",
        "SELECT * FROM seats WHERE rig_id=? AND lower(pod)=lower(?) AND lower(member)=lower(?) AND retired_at IS NULL",
        (new.rig.to_string(), &new.pod, &new.member),
        read_seat,
    )
}

pub(crate) fn by_id(db: Db<'_>, id: SeatId) -> Result<Seat, StoreError> {
    db.first(
        "reading the seat",
        "SELECT * FROM seats WHERE seat_id=?",
        [id.to_string()],
        read_seat,
    )?
    .ok_or_else(|| db.missing("seat", id))
}

pub(crate) fn read_seat(row: &Row<'_>) -> rusqlite::Result<Seat> {
    Ok(Seat {
        id: row.parsed("seat_id")?,
        rig: row.parsed("rig_id")?,
        pod: row.get("pod")?,
        member: row.get("member")?,
        name: row.get("name")?,
        runtime: row.word("runtime", Runtime::from_word)?,
        cwd: row.path("cwd")?,
        location: Location {
            claude_config_dir: row.get("claude_config_dir")?,
            codex_home: row.get("codex_home")?,
        },
        pass_env: row.json("pass_env")?,
        created_at: row.time("created_at")?,
        retired_at: row.time_opt("retired_at")?,
    })
}
