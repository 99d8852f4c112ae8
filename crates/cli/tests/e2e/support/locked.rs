//! A store that cannot be written: somebody else holds SQLite's one write lock.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::Place;

const PATIENCE: Duration = Duration::from_secs(20);
const STEP: Duration = Duration::from_millis(10);

/// The store of a place, locked against every writer as long as this lives.
#[derive(Debug)]
pub(crate) struct Locked(Connection);

impl Locked {
    /// Locks it now.
    pub(crate) fn now(place: &Place) -> Self {
        Self::file(&place.state_dir().join("seatfork.db"))
    }

    /// Locks it once the processes of so many launches that make a conversation are written down.
    pub(crate) fn once_spawned(place: &Place, count: i64) -> Self {
        let file = place.state_dir().join("seatfork.db");
        let end = Instant::now() + PATIENCE;
        while spawned(&file) < count {
            assert!(Instant::now() < end, "no {count} launches came to run their runtime");
            thread::sleep(STEP);
        }
        Self::file(&file)
    }

    fn file(file: &Path) -> Self {
        let conn = Connection::open(file).unwrap();
        conn.busy_timeout(PATIENCE).unwrap();
        conn.execute_batch("BEGIN IMMEDIATE").unwrap();
        Self(conn)
    }

    /// It can be written again.
    pub(crate) fn unlock(self) {
        self.0.execute_batch("ROLLBACK").unwrap();
    }
}

/// How many launches have their runtime's process written down.
fn spawned(file: &Path) -> i64 {
    // No store yet, no launch yet.
    let Ok(conn) = Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)
    else {
        return 0;
    };
    let counted =
        conn.query_row("SELECT count(*) FROM launches WHERE phase1_pid IS NOT NULL", [], |row| {
            row.get(0)
        });
    counted.unwrap_or(0)
}
