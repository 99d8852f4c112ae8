//! Opening and making a store: pragmas, modes, and every distinct way in which the file is not what it should be (SPEC 11).

mod create;
mod error;
pub(crate) mod filesystem;
mod place;

pub use error::OpenError;

use crate::db::Db;
use crate::error::StoreError;
use crate::migrate::{self, MIGRATIONS, SCHEMA_VERSION};
use camino::{Utf8Path, Utf8PathBuf};
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, TransactionBehavior};
use std::time::Duration;

/// How a store file says it is ours: `SFRK` in SQLite's application id.
pub const APPLICATION_ID: i32 = 0x5346_524B;

/// How long one process waits for another before it says busy.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// What the caller may do with the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Everything; an older store is migrated first. For verbs that change seats.
    ReadWrite,
    /// Writes what is observed, never migrates. For `ps` and `verify` (SPEC 13), which fall back to [`Mode::ReadOnly`].
    Observe,
    /// Writes nothing, never migrates, works where the directory is read-only.
    ///
    /// There SQLite cannot make the shared index of a write-ahead log; then the
    /// file is opened as immutable, but only where no log stands beside it, so
    /// that nothing committed can be missed. With a log and no way to read it
    /// the store is refused ([`OpenError::WalUnreadable`]).
    ReadOnly,
}

/// An open store (SPEC 11). Each call is one transaction.
///
/// Synchronous and `Send`: keep it on one thread of its own where the caller
/// is async. It has no clock: times are given by the caller.
#[derive(Debug)]
pub struct Store {
    conn: Connection,
    path: Utf8PathBuf,
    mode: Mode,
}

impl Store {
    /// Opens a store that is there. Never creates one.
    pub fn open(path: &Utf8Path, mode: Mode) -> Result<Self, OpenError> {
        let path = place::existing(path).map_err(|error| no_store_after_all(path, error))?;
        is_ours(&path)?;
        let mut conn = match mode {
            Mode::ReadOnly => connect_read_only(&path)?,
            Mode::ReadWrite | Mode::Observe => connect_writable(&path)?,
        };
        sound(&conn, &path, mode)?;
        let found = migrate::version_of(&conn)
            .map_err(|source| OpenError::of(&path, "asking for its version", source))?;
        if found > SCHEMA_VERSION {
            return Err(OpenError::Newer { path, found, ours: SCHEMA_VERSION });
        }
        if found < SCHEMA_VERSION {
            if mode != Mode::ReadWrite {
                return Err(OpenError::Older { path, found, ours: SCHEMA_VERSION });
            }
            migrate::migrate(&mut conn, &path, MIGRATIONS)?;
        }
        Ok(Self { conn, path, mode })
    }

    /// Makes a new store with its 0700 directory, and opens it. Fails where one stands.
    ///
    /// It appears under its name only when it is complete, so no other process ever sees half of it.
    pub fn create(path: &Utf8Path) -> Result<Self, OpenError> {
        create::create(path)?;
        Self::open(path, Mode::ReadWrite)
    }

    /// Opens the store for changes, or makes it where nothing stands.
    pub fn open_or_create(path: &Utf8Path) -> Result<Self, OpenError> {
        match Self::open(path, Mode::ReadWrite) {
            Err(OpenError::Missing { .. }) => match Self::create(path) {
                // Another process was faster by a moment.
                Err(OpenError::AlreadyThere { .. }) => Self::open(path, Mode::ReadWrite),
                made => made,
            },
            opened => opened,
        }
    }

    /// The file, by the real path of its directory.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// What the caller may do.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The directory of what is kept beside the store.
    pub fn directory(&self) -> &Utf8Path {
        self.path.parent().unwrap_or(Utf8Path::new("."))
    }

    /// Where the lock files of launches' owners are.
    pub fn locks_dir(&self) -> Utf8PathBuf {
        self.directory().join("locks")
    }

    /// Where rescue files are (SPEC 7, `token-not-stored`).
    pub fn rescue_dir(&self) -> Utf8PathBuf {
        self.directory().join("rescue")
    }

    /// Bounds the file to this many pages of 4 KiB for as long as this handle is open; over it, calls fail with [`StoreError::Full`].
    pub fn set_max_pages(&mut self, pages: u32) -> Result<(), StoreError> {
        self.conn
            .pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
            .map_err(|source| StoreError::of(&self.path, "bounding its size", source))
    }

    /// One read transaction: several queries see one state.
    pub(crate) fn read<T, E: From<StoreError>>(
        &self,
        during: &'static str,
        f: impl FnOnce(Db<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let failed = |source| StoreError::of(&self.path, during, source);
        let tx = self.conn.unchecked_transaction().map_err(failed)?;
        let answer = f(Db { conn: &tx, path: &self.path })?;
        tx.commit().map_err(failed)?;
        Ok(answer)
    }

    /// One write transaction, `BEGIN IMMEDIATE`: all of it is durable when this returns `Ok`, none of it otherwise.
    pub(crate) fn write<T, E: From<StoreError>>(
        &mut self,
        during: &'static str,
        f: impl FnOnce(Db<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let failed = |source| StoreError::of(&self.path, during, source);
        let tx =
            self.conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let answer = f(Db { conn: &tx, path: &self.path })?;
        tx.commit().map_err(failed)?;
        Ok(answer)
    }
}

const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX.union(OpenFlags::SQLITE_OPEN_NOFOLLOW);

/// Asks for the application id in a way that makes no file beside it and takes no lock.
///
/// Through SQLite and not by reading the header ourselves: closing a file drops
/// every lock this process has on it, those of another open store included.
///
/// Without its log a file is only half of the story: one whose owner died while the log was moved into it has a first
/// page that tells of more pages than it has. Here that is no error, whatever becomes of the log meanwhile; whether the
/// store is sound is asked of both together ([`sound`]).
fn is_ours(path: &Utf8Path) -> Result<(), OpenError> {
    let flags = FLAGS | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let ask = || -> rusqlite::Result<i32> {
        let conn = Connection::open_with_flags(immutable_uri(path), flags)?;
        // The one setting under which SQLite reads a file that is shorter than it says.
        conn.pragma_update(None, "writable_schema", true)?;
        conn.pragma_query_value(None, "application_id", |row| row.get(0))
    };
    let application_id =
        ask().map_err(|source| OpenError::of(path, "reading its header", source))?;
    if application_id == APPLICATION_ID {
        Ok(())
    } else {
        Err(OpenError::Foreign { path: path.to_owned(), application_id })
    }
}

/// A file that others may touch is told to be made private only where it is a store: nothing else is ours to judge.
fn no_store_after_all(path: &Utf8Path, error: OpenError) -> OpenError {
    let open = match &error {
        OpenError::FileOpenToOthers { path, .. } => Some(path.as_path()),
        OpenError::DirectoryOpenToOthers { .. } if path.is_file() => Some(path),
        _ => None,
    };
    match open.map(is_ours) {
        Some(Err(other @ (OpenError::Foreign { .. } | OpenError::NotADatabase { .. }))) => other,
        _ => error,
    }
}

fn connect_writable(path: &Utf8Path) -> Result<Connection, OpenError> {
    let failed = |doing: &'static str| {
        move |source: rusqlite::Error| match source.sqlite_error_code() {
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => {
                OpenError::NotWritable { path: path.to_owned(), source: Some(source) }
            }
            _ => OpenError::of(path, doing, source),
        }
    };
    let flags = FLAGS | OpenFlags::SQLITE_OPEN_READ_WRITE;
    let conn = Connection::open_with_flags(path, flags).map_err(failed("opening it"))?;
    conn.busy_timeout(BUSY_TIMEOUT).map_err(failed("setting it up"))?;
    if conn.is_readonly(MAIN_DB).map_err(failed("setting it up"))? {
        return Err(OpenError::NotWritable { path: path.to_owned(), source: None });
    }
    write_ahead_log(&conn, path).map_err(|error| match error {
        OpenError::Sqlite { doing, source, .. } => failed(doing)(source),
        other => other,
    })?;
    harden(&conn).map_err(failed("setting it up"))?;
    Ok(conn)
}

/// Asks for the write-ahead log and believes only the answer.
fn write_ahead_log(conn: &Connection, path: &Utf8Path) -> Result<(), OpenError> {
    let answered: String = conn
        .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))
        .map_err(|source| OpenError::of(path, "asking for a write-ahead log", source))?;
    if answered == "wal" {
        Ok(())
    } else {
        Err(OpenError::NotWal { path: path.to_owned(), answered })
    }
}

/// What holds for every connection of ours.
fn harden(conn: &Connection) -> rusqlite::Result<()> {
    conn.pragma_update(None, "synchronous", "FULL")?;
    // Where a plain fsync does not reach the medium (macOS); without effect elsewhere.
    conn.pragma_update(None, "fullfsync", true)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // Else INSERT OR REPLACE deletes rows without firing delete triggers.
    conn.pragma_update(None, "recursive_triggers", true)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "cell_size_check", true)?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok(())
}

fn connect_read_only(path: &Utf8Path) -> Result<Connection, OpenError> {
    let flags = FLAGS | OpenFlags::SQLITE_OPEN_READ_ONLY;
    let open = |name: &str, flags| -> rusqlite::Result<Connection> {
        let conn = Connection::open_with_flags(name, flags)?;
        conn.busy_timeout(BUSY_TIMEOUT)?;
        harden(&conn)?;
        // Opening is lazy: this is what maps the log's shared index.
        conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(conn)
    };
    let source = match open(path.as_str(), flags) {
        Ok(conn) => return Ok(conn),
        Err(source) => source,
    };
    let unmappable =
        matches!(source.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly));
    if !unmappable {
        return Err(OpenError::of(path, "opening it to read", source));
    }
    if place::wal_has_content(path)? {
        return Err(OpenError::WalUnreadable { path: path.to_owned(), source });
    }
    open(&immutable_uri(path), flags | OpenFlags::SQLITE_OPEN_URI)
        .map_err(|source| OpenError::of(path, "opening it as immutable", source))
}

fn immutable_uri(path: &Utf8Path) -> String {
    let mut uri = String::from("file:");
    for c in path.as_str().chars() {
        match c {
            '%' => uri.push_str("%25"),
            '?' => uri.push_str("%3f"),
            '#' => uri.push_str("%23"),
            c => uri.push(c),
        }
    }
    uri.push_str("?immutable=1");
    uri
}

/// A damaged file still answers some questions, so it is asked for its soundness before any.
///
/// Pages, records and indexes always; CHECK constraints of rows only by those
/// who go on to change them, for that takes as long again (read-only
/// connections do not even load them).
fn sound(conn: &Connection, path: &Utf8Path, mode: Mode) -> Result<(), OpenError> {
    let findings = || -> rusqlite::Result<Vec<String>> {
        conn.pragma_update(None, "ignore_check_constraints", mode != Mode::ReadWrite)?;
        let findings = conn
            .prepare("PRAGMA integrity_check(3)")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        conn.pragma_update(None, "ignore_check_constraints", false)?;
        Ok(findings)
    };
    let findings = findings().map_err(|source| OpenError::of(path, "checking it", source))?;
    if findings == ["ok"] {
        Ok(())
    } else {
        Err(OpenError::Corrupt { path: path.to_owned(), findings, source: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 11: what durability and the guarantees need holds for every connection of ours, not only for the file.
    #[test]
    fn every_writing_connection_is_durable_and_keeps_the_guarantees() {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("state/seatfork.db");
        drop(Store::create(&path).unwrap());
        for mode in [Mode::ReadWrite, Mode::Observe] {
            let store = Store::open(&path, mode).unwrap();
            let get = |name: &str| -> i64 {
                store.conn.pragma_query_value(None, name, |row| row.get(0)).unwrap()
            };
            assert_eq!(get("synchronous"), 2, "FULL");
            assert_eq!(get("busy_timeout"), 5000);
            for on in ["foreign_keys", "recursive_triggers", "fullfsync", "cell_size_check"] {
                assert_eq!(get(on), 1, "{on}");
            }
            for off in ["trusted_schema", "ignore_check_constraints"] {
                assert_eq!(get(off), 0, "{off}");
            }
        }
    }
}
