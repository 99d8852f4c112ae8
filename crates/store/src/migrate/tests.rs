//! Migrations tried with steps beyond the released ones.

use super::*;
use crate::open::Store;
use camino::Utf8PathBuf;
use tempfile::TempDir;

const SECOND: Migration = Migration {
    version: 2,
    sql: &["CREATE TABLE extra(x TEXT NOT NULL) STRICT", "INSERT INTO extra SELECT name FROM rigs"],
    invariants: &[("no extra is empty", "SELECT 1 FROM extra WHERE x=''")],
};
const BROKEN: Migration = Migration {
    version: 2,
    sql: &["CREATE TABLE extra(x TEXT) STRICT", "INSERT INTO nowhere VALUES(1)"],
    invariants: &[],
};
const UNSOUND: Migration = Migration {
    version: 2,
    sql: &["CREATE TABLE extra(x TEXT) STRICT; INSERT INTO extra VALUES('')"],
    invariants: &[("no extra is empty", "SELECT 1 FROM extra WHERE x=''")],
};

fn store() -> (TempDir, Utf8PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(dir.path()).unwrap().join("state/seatfork.db");
    let mut store = Store::create(&path).unwrap();
    store
        .ensure_rig(&crate::rig::NewRig {
            name: "review".into(),
            root: "/w".into(),
            spec_path: None,
            spec_sha256: "0".repeat(64),
            at: "2026-01-02T03:04:05Z".parse().unwrap(),
        })
        .unwrap();
    (dir, path)
}

fn first_and(second: &'static Migration) -> Vec<Migration> {
    [&MIGRATIONS[0], second]
        .map(|step| Migration { version: step.version, sql: step.sql, invariants: step.invariants })
        .into()
}

fn tables(conn: &Connection) -> i64 {
    conn.query_row("SELECT count(*) FROM sqlite_schema WHERE name='extra'", [], |row| row.get(0))
        .unwrap()
}

// SPEC 11: migrating twice does nothing the second time.
#[test]
fn migrate_twice() {
    let (_dir, path) = store();
    let mut conn = Connection::open(&path).unwrap();
    migrate(&mut conn, &path, MIGRATIONS).unwrap();
    assert_eq!(version_of(&conn).unwrap(), SCHEMA_VERSION);
    for _ in 0..2 {
        migrate(&mut conn, &path, &first_and(&SECOND)).unwrap();
        assert_eq!(version_of(&conn).unwrap(), 2);
    }
    let rows: i64 = conn.query_row("SELECT count(*) FROM extra", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 1);
}

// SPEC 11: the released steps end at the version this build says it has, and count up.
#[test]
fn versions_count_up_to_ours() {
    let versions: Vec<u32> = MIGRATIONS.iter().map(|step| step.version).collect();
    assert_eq!(versions, (1..=SCHEMA_VERSION).collect::<Vec<_>>());
}

// SPEC 11: a step that fails leaves the store as it was, at its old version.
#[test]
fn a_failing_step_leaves_the_store_as_it_was() {
    let (_dir, path) = store();
    let mut conn = Connection::open(&path).unwrap();
    let failed = migrate(&mut conn, &path, &first_and(&BROKEN)).unwrap_err();
    assert!(matches!(failed, OpenError::Migration { version: 2, .. }), "{failed:?}");
    assert_eq!((version_of(&conn).unwrap(), tables(&conn)), (1, 0));
    migrate(&mut conn, &path, &first_and(&SECOND)).unwrap();
    assert_eq!((version_of(&conn).unwrap(), tables(&conn)), (2, 1));
}

// SPEC 11: a guarantee that rows already break stops the migration, named.
#[test]
fn a_broken_guarantee_stops_the_migration_by_name() {
    let (_dir, path) = store();
    let mut conn = Connection::open(&path).unwrap();
    match migrate(&mut conn, &path, &first_and(&UNSOUND)) {
        Err(OpenError::Invariant { invariant, rows: 1, version: 2, .. }) => {
            assert_eq!(invariant, "no extra is empty");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!((version_of(&conn).unwrap(), tables(&conn)), (1, 0));
}

// SPEC 11: each guarantee's query finds the row that breaks it.
#[test]
fn every_invariant_finds_what_breaks_it() {
    let (_dir, path) = store();
    let conn = Connection::open(&path).unwrap();
    // Every trigger, index and check out of the way, so that the queries stand alone.
    let guards: Vec<String> = conn
        .prepare("SELECT 'DROP '||type||' '||name FROM sqlite_schema WHERE type IN('trigger','index') AND sql IS NOT NULL")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    conn.execute_batch(&guards.join(";")).unwrap();
    conn.execute_batch("PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON").unwrap();
    let seat = |id: &str, retired: &str| {
        format!(
            "INSERT INTO seats(seat_id,rig_id,pod,member,name,runtime,cwd,created_at,retired_at) VALUES('{id}','r','p','m','n','codex','/w','t',{retired});"
        )
    };
    let launch = |id: &str, seat: &str, columns: &str, values: &str| {
        format!(
            "INSERT INTO launches(launch_id,seat_id,runtime,attempt,owner_host,owner_boot,owner_pid,owner_start,owner_lock,nonce,cwd,permission,build_identity,declared_at,intent{columns}) VALUES('{id}','{seat}','codex',{attempt},'','',0,'','','{id}','','','',''{values});",
            attempt = id.len()
        )
    };
    let occupant = |seat: &str, n: u32, token: &str, launch: &str| {
        format!(
            "INSERT INTO occupants(seat_id,n,runtime,resume_token,launch_id,since) VALUES('{seat}',{n},'codex',{token},'{launch}','');"
        )
    };
    let realized = ",state,outcome,child_id";
    let broken = [
        (
            "a token is no source of its seat",
            launch("l", "s", ",source_id", ",'fork','X'") + &occupant("s", 1, "'x'", "l"),
        ),
        (
            "a token is its realized launch's child",
            launch("l", "s", realized, ",'fresh','realized','fresh','y'")
                + &occupant("s", 1, "'x'", "l"),
        ),
        (
            "a realized launch has its occupant",
            launch("l", "s", realized, ",'fresh','realized','fresh','y'"),
        ),
        (
            "a realized child has its lineage",
            launch("l", "s", realized, ",'fresh','realized','fresh','y'"),
        ),
        (
            "one current occupant per seat",
            occupant("s", 1, "NULL", "l") + &occupant("s", 2, "NULL", "k"),
        ),
        ("one seat per token", occupant("s", 1, "'x'", "l") + &occupant("q", 1, "'X'", "k")),
        (
            "one open launch per seat",
            launch("l", "s", "", ",'fresh'") + &launch("kk", "s", "", ",'fresh'"),
        ),
        ("a retired seat is empty", seat("s", "'t'") + &launch("l", "s", "", ",'fresh'")),
        ("live names are free of each other", seat("s", "NULL") + &seat("q", "NULL")),
        (
            "a child keeps the source's runtime and another id",
            launch("l", "s", ",source_id,child_id", ",'fork','x','X'"),
        ),
        ("forked is proved", launch("l", "s", realized, ",'fork','realized','forked','y'")),
    ];
    for (name, sql) in MIGRATIONS[0].invariants {
        let find = |when: &str| -> i64 {
            conn.query_row(&format!("SELECT count(*) FROM ({sql})"), [], |row| row.get(0))
                .unwrap_or_else(|error| panic!("{name}, {when}: {error}"))
        };
        assert_eq!(find("before"), 0, "{name}");
        let (_, breaks) = broken.iter().find(|(of, _)| of == name).unwrap();
        conn.execute_batch(&format!("SAVEPOINT broken; {breaks}")).unwrap();
        assert!(find("after") > 0, "{name} does not find {breaks}");
        conn.execute_batch("ROLLBACK TO broken; RELEASE broken").unwrap();
    }
}

// SPEC 11: of two that migrate at once one does it, the other finds it done.
#[test]
fn two_migrating_at_once_migrate_once() {
    let (_dir, path) = store();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut conn = Connection::open(&path).unwrap();
                conn.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
                migrate(&mut conn, &path, &first_and(&SECOND)).unwrap();
                assert_eq!(version_of(&conn).unwrap(), 2);
            });
        }
    });
}
