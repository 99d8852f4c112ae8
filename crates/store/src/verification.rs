//! Proofs looked at again by `verify`, append-only (SPEC 8). They never change an outcome.

use crate::column::{Columns, time_text};
use crate::error::StoreError;
use crate::id::LaunchId;
use crate::open::Store;
use jiff::Timestamp;
use rusqlite::named_params;
use seatfork_schema::ProofStatus;

/// One look at a launch's proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// When.
    pub at: Timestamp,
    /// What the evidence says now.
    pub status: ProofStatus,
    /// One line for people.
    pub detail: String,
}

impl Store {
    /// Adds what a new look at a realized launch's proof gave.
    pub fn record_verification(
        &mut self,
        launch: LaunchId,
        seen: &Verification,
    ) -> Result<(), StoreError> {
        self.write("storing the verification", |db| {
            db.execute(
                "storing the verification",
                "INSERT INTO verifications(launch_id,n,at,status,detail)
                 SELECT :launch, 1+coalesce(max(n),0), :at, :status, :detail FROM verifications WHERE launch_id=:launch",
                named_params! {
                    ":launch": launch.to_string(),
                    ":at": time_text(seen.at),
                    ":status": seen.status.as_str(),
                    ":detail": seen.detail,
                },
            )?;
            Ok(())
        })
    }

    /// Every look at a launch's proof, oldest first.
    pub fn verifications_of(&self, launch: LaunchId) -> Result<Vec<Verification>, StoreError> {
        self.read("listing verifications", |db| {
            db.all(
                "listing verifications",
                "SELECT * FROM verifications WHERE launch_id=? ORDER BY n",
                [launch.to_string()],
                |row| {
                    Ok(Verification {
                        at: row.time("at")?,
                        status: row.word("status", ProofStatus::from_word)?,
                        detail: row.get("detail")?,
                    })
                },
            )
        })
    }
}
