//! What stands at a store's path and in its directory: each wrong thing has its own error (SPEC 11).

use crate::support::*;
use camino::{Utf8Path, Utf8PathBuf};
use rusqlite::Connection;
use seatfork_store::{APPLICATION_ID, Mode, OpenError, SCHEMA_VERSION, Store};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use tempfile::TempDir;

const MODES: [Mode; 3] = [Mode::ReadWrite, Mode::Observe, Mode::ReadOnly];

fn home() -> (TempDir, Utf8PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = db_path(&dir);
    (dir, path)
}

fn made() -> (TempDir, Utf8PathBuf) {
    let (dir, path) = home();
    drop(Store::create(&path).unwrap());
    (dir, path)
}

fn wal(path: &Utf8Path) -> Utf8PathBuf {
    Utf8PathBuf::from(format!("{path}-wal"))
}

/// What every mode says; and nothing was changed by asking.
fn refusals(path: &Utf8Path) -> [OpenError; 3] {
    let listing = || -> Vec<(String, u64)> {
        let Ok(entries) = path.parent().unwrap().read_dir_utf8() else { return Vec::new() };
        let mut all: Vec<_> = entries
            .map(|entry| entry.unwrap())
            .map(|entry| {
                let len = entry.path().symlink_metadata().unwrap().len();
                (entry.file_name().to_owned(), len)
            })
            .collect();
        all.sort();
        all
    };
    let before = listing();
    let refused = MODES.map(|mode| match Store::open(path, mode) {
        Ok(_) => panic!("{mode:?} opened {path}"),
        Err(error) => error,
    });
    assert_eq!(listing(), before, "looking changed something");
    refused
}

macro_rules! refused {
    ($path:expr, $pattern:pat) => {
        for error in refusals($path) {
            assert!(matches!(error, $pattern), "{error:?}");
        }
    };
}

// SPEC 11: 0700 directory, 0600 files, the log and its index included.
#[test]
fn a_new_store_is_private() {
    let (_dir, path) = home();
    let mut store = Store::create(&path).unwrap();
    store.ensure_rig(&new_rig("review")).unwrap();
    let mode = |path: &Utf8Path| path.metadata().unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    let files: Vec<_> =
        path.parent().unwrap().read_dir_utf8().unwrap().map(|entry| entry.unwrap()).collect();
    assert_eq!(files.len(), 3, "{files:?}");
    for file in files {
        assert_eq!(mode(file.path()), 0o600, "{}", file.path());
    }
    assert_eq!(store.mode(), Mode::ReadWrite);
    assert_eq!(store.path(), path);
}

// SPEC 11: WAL, checked, and the pragmas that durability and the guarantees need.
#[test]
fn a_store_is_durable_and_says_whose_it_is() {
    let (_dir, path) = made();
    let conn = Connection::open(&path).unwrap();
    let get =
        |name: &str| -> i64 { conn.pragma_query_value(None, name, |row| row.get(0)).unwrap() };
    let journal: String = conn.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(journal, "wal");
    assert_eq!(get("application_id"), i64::from(APPLICATION_ID));
    assert_eq!(get("user_version"), i64::from(SCHEMA_VERSION));
    let loose: i64 = conn
        .query_row("SELECT count(*) FROM pragma_table_list WHERE schema='main' AND type='table' AND NOT strict AND name NOT LIKE 'sqlite_%'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(loose, 0, "tables that are not STRICT");
}

// SPEC 13: no mode creates a store.
#[test]
fn opening_creates_nothing() {
    let (_dir, path) = home();
    refused!(&path, OpenError::Missing { .. });
    assert!(!path.parent().unwrap().exists());
    fs::create_dir(path.parent().unwrap()).unwrap();
    refused!(&path, OpenError::Missing { .. });
}

// SPEC 11: a database that is gone while its log stands was here.
#[test]
fn a_missing_database_beside_its_log_is_not_a_missing_store() {
    let (_dir, path) = made();
    fs::write(wal(&path), "x").unwrap();
    fs::remove_file(&path).unwrap();
    refused!(&path, OpenError::MissingBesideWal { .. });
    let create = Store::create(&path).unwrap_err();
    assert!(matches!(create, OpenError::MissingBesideWal { .. }), "{create:?}");
    let either = Store::open_or_create(&path).unwrap_err();
    assert!(matches!(either, OpenError::MissingBesideWal { .. }), "{either:?}");
}

// SPEC 11: a 0-byte file is a loud stop, never a new store.
#[test]
fn an_emptied_store_is_not_made_anew() {
    let (_dir, path) = made();
    fs::write(&path, "").unwrap();
    refused!(&path, OpenError::Empty { wal_beside: false, .. });
    fs::write(wal(&path), "x").unwrap();
    refused!(&path, OpenError::Empty { wal_beside: true, .. });
    let either = Store::open_or_create(&path).unwrap_err();
    assert!(matches!(either, OpenError::Empty { .. }), "{either:?}");
}

// SPEC 11: another program's file is told from ours, and not touched.
#[test]
fn foreign_files_are_told_from_ours() {
    let (_dir, path) = made();
    for text in ["hello\n", &"no database at all\n".repeat(100)] {
        fs::write(&path, text).unwrap();
        refused!(&path, OpenError::NotADatabase { .. });
    }
    fs::remove_file(&path).unwrap();
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update(None, "journal_mode", "wal").unwrap();
    conn.execute_batch("CREATE TABLE t(x); PRAGMA user_version=7").unwrap();
    drop(conn);
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    refused!(&path, OpenError::Foreign { application_id: 0, .. });
}

// SPEC 11: no symlink, no directory, no device in place of the file.
#[test]
fn only_a_regular_file_is_a_store() {
    let (_dir, path) = made();
    let real = path.with_file_name("real.db");
    fs::rename(&path, &real).unwrap();
    symlink(&real, &path).unwrap();
    refused!(&path, OpenError::Symlink { .. });
    let create = Store::create(&path).unwrap_err();
    assert!(matches!(create, OpenError::Symlink { .. }), "{create:?}");
    fs::remove_file(&path).unwrap();
    symlink("/nowhere/at/all", &path).unwrap();
    refused!(&path, OpenError::Symlink { .. });
    let create = Store::create(&path).unwrap_err();
    assert!(matches!(create, OpenError::Symlink { .. }), "{create:?}");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    refused!(&path, OpenError::NotAFile { .. });
}

// SPEC 11: a link to the directory is followed; the store is known by its real path.
#[test]
fn a_linked_directory_is_resolved() {
    let (dir, path) = made();
    let link = Utf8Path::from_path(dir.path()).unwrap().join("link");
    symlink(path.parent().unwrap(), &link).unwrap();
    let store = Store::open(&link.join("seatfork.db"), Mode::ReadWrite).unwrap();
    assert_eq!(store.path(), path);
}

// SPEC 11: refused in directories others can write; files others can read are refused too.
#[test]
fn others_must_not_reach_the_store() {
    let (_dir, path) = made();
    let directory = path.parent().unwrap();
    for mode in [0o770, 0o702, 0o777, 0o1777] {
        fs::set_permissions(directory, Permissions::from_mode(mode)).unwrap();
        refused!(&path, OpenError::DirectoryOpenToOthers { .. });
    }
    fs::set_permissions(directory, Permissions::from_mode(0o755)).unwrap();
    assert!(Store::open(&path, Mode::ReadWrite).is_ok(), "others may look into the directory");
    for mode in [0o640, 0o604, 0o660] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        refused!(&path, OpenError::FileOpenToOthers { .. });
    }
    let (_dir, path) = home();
    fs::create_dir(path.parent().unwrap()).unwrap();
    fs::set_permissions(path.parent().unwrap(), Permissions::from_mode(0o777)).unwrap();
    let create = Store::create(&path).unwrap_err();
    assert!(matches!(create, OpenError::DirectoryOpenToOthers { .. }), "{create:?}");
    assert_eq!(path.parent().unwrap().read_dir_utf8().unwrap().count(), 0);
}

// SPEC 11: corruption is a loud stop at open, wherever it is, and truncation is corruption.
#[test]
fn a_damaged_store_is_not_opened() {
    let mut home = Home::new();
    for member in 0..40 {
        let seat = home.seat(&format!("m{member}"), seatfork_schema::Runtime::ClaudeCode);
        home.fork(&seat, "s1", &format!("c{member}"));
    }
    let path = home.store.path().to_owned();
    drop(home.store);
    let sound = fs::read(&path).unwrap();
    let pages = sound.len() / 4096;
    assert!(pages > 20);
    let mut missed = Vec::new();
    for page in 1..pages {
        let mut bytes = sound.clone();
        bytes[page * 4096..page * 4096 + 2000].fill(0x5a);
        fs::write(&path, &bytes).unwrap();
        for mode in MODES {
            match Store::open(&path, mode) {
                Err(OpenError::Corrupt { .. }) => {}
                other => missed.push(format!("page {page}, {mode:?}: {other:?}")),
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    for length in [150, 4096, 4096 * 3 + 5, sound.len() - 4096] {
        fs::write(&path, &sound[..length]).unwrap();
        for error in refusals(&path) {
            assert!(
                matches!(error, OpenError::Corrupt { .. } | OpenError::NotADatabase { .. }),
                "{length}: {error:?}"
            );
        }
    }
    fs::write(&path, &sound).unwrap();
    assert!(Store::open(&path, Mode::ReadWrite).is_ok());
}

// SPEC 11: an index that does not hold its table's rows would answer "no such seat"; a quick look calls it sound, ours does not.
#[test]
fn an_index_that_lost_its_rows_is_a_loud_stop() {
    let mut home = Home::new();
    home.seat("a", seatfork_schema::Runtime::ClaudeCode);
    let path = home.store.path().to_owned();
    drop(home.store);
    let conn = Connection::open(&path).unwrap();
    let other = "UPDATE sqlite_schema SET sql=replace(sql,'lower(name)','lower(pod)') WHERE name='seat_name_live'";
    conn.pragma_update(None, "writable_schema", true).unwrap();
    assert_eq!(conn.execute(other, []).unwrap(), 1);
    drop(conn);
    let conn = Connection::open(&path).unwrap();
    let quick: String = conn.pragma_query_value(None, "quick_check", |row| row.get(0)).unwrap();
    assert_eq!(quick, "ok");
    drop(conn);
    for mode in MODES {
        let opened = Store::open(&path, mode);
        assert!(matches!(opened, Err(OpenError::Corrupt { .. })), "{mode:?}: {opened:?}");
    }
}

// SPEC 11: a store of a newer build is not written, and the refusal names both versions.
#[test]
fn a_newer_store_is_refused_naming_both_versions() {
    let (_dir, path) = made();
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    for mode in MODES {
        match Store::open(&path, mode) {
            Err(error @ OpenError::Newer { found: 99, ours: SCHEMA_VERSION, .. }) => {
                let said = error.to_string();
                assert!(
                    said.contains("99") && said.contains(&SCHEMA_VERSION.to_string()),
                    "{said}"
                );
            }
            other => panic!("{mode:?}: {other:?}"),
        }
    }
}

// SPEC 13: only a verb that changes seats migrates.
#[test]
fn observers_and_readers_do_not_migrate() {
    let (_dir, path) = home();
    fs::create_dir(path.parent().unwrap()).unwrap();
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    conn.pragma_update(None, "journal_mode", "wal").unwrap();
    drop(conn);
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(path.parent().unwrap(), Permissions::from_mode(0o700)).unwrap();
    for mode in [Mode::Observe, Mode::ReadOnly] {
        let refused = Store::open(&path, mode).unwrap_err();
        assert!(matches!(refused, OpenError::Older { found: 0, .. }), "{refused:?}");
    }
    let mut store = Store::open(&path, Mode::ReadWrite).unwrap();
    store.ensure_rig(&new_rig("review")).unwrap();
    assert!(Store::open(&path, Mode::Observe).is_ok());
}

// SPEC 11: what stands is never replaced by creating.
#[test]
fn creating_over_a_store_is_refused_and_leaves_no_litter() {
    let (_dir, path) = made();
    let create = Store::create(&path).unwrap_err();
    assert!(matches!(create, OpenError::AlreadyThere { .. }), "{create:?}");
    assert!(Store::open_or_create(&path).is_ok());
    let names: Vec<_> = path
        .parent()
        .unwrap()
        .read_dir_utf8()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_owned())
        .filter(|name| name.contains(".new-"))
        .collect();
    assert!(names.is_empty(), "{names:?}");
}

// SPEC 11: two open stores of one process do not take each other's locks away.
#[test]
fn a_second_open_in_the_same_process_leaves_the_firsts_locks_alone() {
    let (_dir, path) = made();
    let mut first = Store::open(&path, Mode::ReadWrite).unwrap();
    first.ensure_rig(&new_rig("review")).unwrap();
    drop(Store::open(&path, Mode::ReadOnly).unwrap());
    // Another process that closes last must not take the log away from under the first.
    let probe = crate::child::run("open", &[path.as_str()]);
    assert!(probe.contains("opened"), "{probe}");
    assert!(wal(&path).exists(), "the log is still in use");
    first.ensure_rig(&new_rig("second")).unwrap();
    drop(first);
    assert_eq!(Store::open(&path, Mode::ReadOnly).unwrap().rigs().unwrap().len(), 2);
}
