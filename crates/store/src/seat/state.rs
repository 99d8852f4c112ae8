//! Everything `up` and `ps` decide by, read in one transaction (SPEC 7, 13).

use super::{Seat, by_id, read_seat};
use crate::db::Db;
use crate::error::StoreError;
use crate::id::{RigId, SeatId};
use crate::launch::{self, Launch};
use crate::occupant::{self, Occupant};
use crate::open::Store;
use crate::pane::{self, Pane};

/// A seat with what lives in it and what was tried for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatRow {
    /// The seat.
    pub seat: Seat,
    /// Who lives in it now.
    pub occupant: Option<Occupant>,
    /// The launch that made its occupant: `ps` shows its source, proof and notice.
    pub occupant_launch: Option<Launch>,
    /// The launch that is open, if one is; whether its owner lives is its lock's answer.
    pub open_launch: Option<Launch>,
    /// The latest launch, open or ended: `ps` shows its attempt, state, outcome and error.
    pub last_launch: Option<Launch>,
    /// The pane opened last, of any launch of the seat.
    pub last_pane: Option<Pane>,
}

impl Store {
    /// One seat's state.
    pub fn seat_state(&self, seat: SeatId) -> Result<SeatRow, StoreError> {
        self.read("reading the seat", |db| by_id(db, seat).and_then(|seat| state_of(db, seat)))
    }

    /// The state of every seat a rig ever had, retired ones included, in the order they were declared.
    pub fn rig_state_ever(&self, rig: RigId) -> Result<Vec<SeatRow>, StoreError> {
        self.read("reading the rig", |db| {
            crate::rig::by_id(db, rig)?;
            let seats = db.all(
                "listing the rig's seats",
                "SELECT * FROM seats WHERE rig_id=? ORDER BY rowid",
                [rig.to_string()],
                read_seat,
            )?;
            seats.into_iter().map(|seat| state_of(db, seat)).collect()
        })
    }

    /// The state of every seat of a rig that is not retired, in the order they were declared.
    pub fn rig_state(&self, rig: RigId) -> Result<Vec<SeatRow>, StoreError> {
        self.read("reading the rig", |db| {
            crate::rig::by_id(db, rig)?;
            let seats = db.all(
                "listing the rig's seats",
                "SELECT * FROM seats WHERE rig_id=? AND retired_at IS NULL ORDER BY rowid",
                [rig.to_string()],
                read_seat,
            )?;
            seats.into_iter().map(|seat| state_of(db, seat)).collect()
        })
    }
}

fn state_of(db: Db<'_>, seat: Seat) -> Result<SeatRow, StoreError> {
    let occupant = occupant::current(db, seat.id)?;
    let occupant_launch =
        occupant.as_ref().map(|occupant| launch::by_id(db, occupant.launch)).transpose()?;
    let last_launch = launch::last_of(db, seat.id)?;
    let open_launch = last_launch.clone().filter(|launch| launch.state.is_open());
    let last_pane = pane::last_of(db, seat.id)?;
    Ok(SeatRow { seat, occupant, occupant_launch, open_launch, last_launch, last_pane })
}
