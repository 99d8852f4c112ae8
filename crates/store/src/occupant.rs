//! Occupants: who lives in a seat, and the seat token (SPEC 1, 11).

use crate::column::{Columns, time_text};
use crate::db::Db;
use crate::error::StoreError;
use crate::id::{LaunchId, SeatId};
use crate::open::Store;
use jiff::Timestamp;
use rusqlite::{Row, named_params};
use seatfork_schema::{ConversationId, Runtime, SeatToken, SourceId};
use thiserror::Error;

/// Why an occupant is no longer the current one (SPEC 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// Another occupant was bound to the seat.
    Handover,
    /// The pane serves another conversation, adopted in its place.
    Rotated,
    /// The seat was forgotten.
    Retired,
    /// A fresh conversation was started in its place.
    Relaunched,
}

impl EndReason {
    /// Every reason.
    pub const ALL: &'static [Self] =
        &[Self::Handover, Self::Rotated, Self::Retired, Self::Relaunched];

    /// The one spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Handover => "handover",
            Self::Rotated => "rotated",
            Self::Retired => "retired",
            Self::Relaunched => "relaunched",
        }
    }

    /// Reads the one spelling; nothing else is understood.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|reason| reason.as_str() == word)
    }
}

/// The conversation living in a seat. It has no field for a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occupant {
    /// The seat.
    pub seat: SeatId,
    /// Which occupant of the seat it is, from 1.
    pub n: u32,
    /// What holds its conversation.
    pub runtime: Runtime,
    /// The seat token; `None` for terminal, and for a Codex token that is not stored yet.
    pub token: Option<SeatToken>,
    /// The launch that made it.
    pub launch: LaunchId,
    /// Since when it lives there.
    pub since: Timestamp,
    /// When and why it ended.
    pub ended: Option<(Timestamp, EndReason)>,
}

/// Why an occupant was not ended.
#[derive(Debug, Error)]
pub enum EndError {
    /// Nobody lives there.
    #[error("nobody lives in seat {seat}")]
    Nobody {
        /// The seat.
        seat: SeatId,
    },
    /// The database said no.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// Ends the current occupant; its row and its token stay as history.
    pub fn end_occupant(
        &mut self,
        seat: SeatId,
        reason: EndReason,
        at: Timestamp,
    ) -> Result<(), EndError> {
        self.write("ending the occupant", |db| {
            if end_current(db, seat, reason, at)? { Ok(()) } else { Err(EndError::Nobody { seat }) }
        })
    }

    /// Every occupant a seat ever had, oldest first.
    pub fn occupants_of(&self, seat: SeatId) -> Result<Vec<Occupant>, StoreError> {
        self.read("listing occupants", |db| {
            db.all(
                "listing occupants",
                "SELECT * FROM occupants WHERE seat_id=? ORDER BY n",
                [seat.to_string()],
                read_occupant,
            )
        })
    }

    /// The seat whose current token a conversation is, ids compared as the runtime compares them.
    pub fn is_token_of(&self, conversation: &ConversationId) -> Result<Option<SeatId>, StoreError> {
        self.read("looking for the token", |db| owner_of(db, conversation))
    }

    /// Every source any launch of a seat ever had, oldest first. None of them can be its token.
    pub fn sources_of(&self, seat: SeatId) -> Result<Vec<SourceId>, StoreError> {
        self.read("listing sources", |db| {
            let sources = db.all(
                "listing sources",
                "SELECT runtime,source_scope,source_id FROM launches
                 WHERE seat_id=? AND source_id IS NOT NULL
                 GROUP BY runtime,source_scope,source_id ORDER BY min(attempt)",
                [seat.to_string()],
                |row| row.conversation("runtime", "source_scope", "source_id"),
            )?;
            Ok(sources.into_iter().flatten().map(SourceId::new).collect())
        })
    }
}

/// Ends the current occupant; whether there was one.
pub(crate) fn end_current(
    db: Db<'_>,
    seat: SeatId,
    reason: EndReason,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let ended = db.execute(
        "ending the occupant",
        "UPDATE occupants SET ended_at=?, end_reason=? WHERE seat_id=? AND ended_at IS NULL",
        (time_text(at), reason.as_str(), seat.to_string()),
    )?;
    Ok(ended > 0)
}

/// Adds the next occupant of a seat, who lives by a realized launch.
pub(crate) fn begin(
    db: Db<'_>,
    seat: SeatId,
    runtime: Runtime,
    scope: &str,
    token: Option<&ConversationId>,
    launch: LaunchId,
    at: Timestamp,
) -> Result<(), StoreError> {
    db.execute(
        "storing the occupant",
        "INSERT INTO occupants(seat_id,n,runtime,scope,resume_token,launch_id,since)
         SELECT :seat, 1+coalesce(max(n),0), :runtime, :scope, :token, :launch, :at FROM occupants WHERE seat_id=:seat",
        named_params! {
            ":seat": seat.to_string(),
            ":runtime": runtime.as_str(),
            ":scope": scope,
            ":token": token.map(|token| token.native_id.as_str()),
            ":launch": launch.to_string(),
            ":at": time_text(at),
        },
    )?;
    Ok(())
}

/// The seat whose current token a conversation is.
pub(crate) fn owner_of(
    db: Db<'_>,
    conversation: &ConversationId,
) -> Result<Option<SeatId>, StoreError> {
    db.first(
        "looking for the token",
        "SELECT seat_id FROM occupants WHERE runtime=:runtime AND scope=:scope AND ended_at IS NULL
         AND token_key=CASE :runtime WHEN 'pixir' THEN :id ELSE lower(:id) END",
        named_params! {
            ":runtime": conversation.runtime.as_str(),
            ":scope": conversation.scope.as_str(),
            ":id": conversation.native_id.as_str(),
        },
        |row| row.parsed("seat_id"),
    )
}

pub(crate) fn current(db: Db<'_>, seat: SeatId) -> Result<Option<Occupant>, StoreError> {
    db.first(
        "reading the occupant",
        "SELECT * FROM occupants WHERE seat_id=? AND ended_at IS NULL",
        [seat.to_string()],
        read_occupant,
    )
}

/// The occupant a launch made.
pub(crate) fn of_launch(db: Db<'_>, launch: LaunchId) -> Result<Option<Occupant>, StoreError> {
    db.first(
        "reading the occupant",
        "SELECT * FROM occupants WHERE launch_id=?",
        [launch.to_string()],
        read_occupant,
    )
}

fn read_occupant(row: &Row<'_>) -> rusqlite::Result<Occupant> {
    let ended_at = row.time_opt("ended_at")?;
    let reason = row.word_opt("end_reason", EndReason::from_word)?;
    Ok(Occupant {
        seat: row.parsed("seat_id")?,
        n: row.get("n")?,
        runtime: row.word("runtime", Runtime::from_word)?,
        token: row.token("runtime", "scope", "resume_token")?,
        launch: row.parsed("launch_id")?,
        since: row.time("since")?,
        ended: ended_at.zip(reason),
    })
}
