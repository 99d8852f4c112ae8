//! Append-only migrations on `user_version` (SPEC 11): one exclusive transaction each, invariants asked before it commits.

mod invariants;

use crate::open::OpenError;
use camino::Utf8Path;
use rusqlite::{Connection, TransactionBehavior};

/// One step of the schema. Released steps are never edited; a new one is added below them.
#[derive(Debug)]
pub(crate) struct Migration {
    /// The `user_version` it leads to.
    pub(crate) version: u32,
    /// Its SQL files, in order.
    pub(crate) sql: &'static [&'static str],
    /// Queries that must find nothing once it is done: name and SQL.
    pub(crate) invariants: &'static [(&'static str, &'static str)],
}

/// Every step, oldest first.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: &[
        include_str!("migrations/v1/01_rigs_and_seats.sql"),
        include_str!("migrations/v1/02_launches.sql"),
        include_str!("migrations/v1/03_occupants.sql"),
        include_str!("migrations/v1/04_lineage.sql"),
        include_str!("migrations/v1/05_observations.sql"),
    ],
    invariants: invariants::V1,
}];

/// The schema version this build reads and writes.
pub const SCHEMA_VERSION: u32 = 1;

/// The version a store has.
pub(crate) fn version_of(conn: &Connection) -> rusqlite::Result<u32> {
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Brings a store up to the last of `steps`; does nothing where it is there already.
pub(crate) fn migrate(
    conn: &mut Connection,
    path: &Utf8Path,
    steps: &[Migration],
) -> Result<(), OpenError> {
    let failed = |version: u32| {
        move |source: rusqlite::Error| OpenError::Migration {
            path: path.to_owned(),
            version,
            source,
        }
    };
    let newest = steps.last().map_or(0, |step| step.version);
    for step in steps {
        let failed = failed(step.version);
        if version_of(conn).map_err(failed)? >= step.version {
            continue;
        }
        let tx = conn.transaction_with_behavior(TransactionBehavior::Exclusive).map_err(failed)?;
        // Asked again inside: another process may have done this step while we waited.
        let found = version_of(&tx).map_err(failed)?;
        if found > newest {
            return Err(OpenError::Newer { path: path.to_owned(), found, ours: newest });
        }
        if found >= step.version {
            continue;
        }
        for sql in step.sql {
            tx.execute_batch(sql).map_err(failed)?;
        }
        check(&tx, path, step)?;
        tx.pragma_update(None, "user_version", step.version).map_err(failed)?;
        tx.commit().map_err(failed)?;
    }
    Ok(())
}

/// Triggers do not fire for rows older than themselves, so each guarantee is asked for as a query.
fn check(conn: &Connection, path: &Utf8Path, step: &Migration) -> Result<(), OpenError> {
    let failed =
        |source| OpenError::Migration { path: path.to_owned(), version: step.version, source };
    let foreign = ("foreign_keys", "SELECT 1 FROM pragma_foreign_key_check");
    for (name, sql) in std::iter::once(&foreign).chain(step.invariants) {
        let rows: u64 = conn
            .query_row(&format!("SELECT count(*) FROM ({sql})"), [], |row| {
                row.get::<_, i64>(0).map(i64::cast_unsigned)
            })
            .map_err(failed)?;
        if rows > 0 {
            return Err(OpenError::Invariant {
                path: path.to_owned(),
                version: step.version,
                invariant: (*name).to_owned(),
                rows,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
