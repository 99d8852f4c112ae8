//! Stores written by released builds, kept as files (SPEC 11).

use crate::support::*;
use camino::Utf8Path;
use rusqlite::Connection;
use seatfork_schema::{ContinuityOutcome, Intent, ProcessState, Runtime};
use seatfork_store::{LaunchError, LineageOf, Mode, Realized, SCHEMA_VERSION, Store, Work};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

fn copy_of(version: u32) -> (TempDir, Store) {
    let kept = Utf8Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("tests/fixtures/store-v{version}.db"));
    let dir = tempfile::tempdir().unwrap();
    let path = db_path(&dir);
    fs::create_dir(path.parent().unwrap()).unwrap();
    fs::set_permissions(path.parent().unwrap(), Permissions::from_mode(0o700)).unwrap();
    fs::copy(kept, &path).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    let store = Store::open(&path, Mode::ReadWrite).unwrap();
    (dir, store)
}

/// What the kept stores were filled with: a fork with pane and resume, and a failed fork.
fn populate(home: &mut Home) {
    let seat = home.seat("r2", Runtime::ClaudeCode);
    let launch = home.forking(&seat, fork("s1", "c1"));
    let facts = Realized { ranges: vec![range()], ..realized(9) };
    let proved = forked(&source("s1"), &claude("c1"));
    let token = home.store.realize(launch.id, &proved, &facts).unwrap();
    let resume = home.forking(&seat, Work::Resume { token });
    home.store.realize_resume(resume.id, None, at(30)).unwrap();
    home.store.record_pane(resume.id, &pane()).unwrap();
    home.store.observe_pane(resume.id, ProcessState::Ready, None, at(31)).unwrap();
    let other = home.seat("r3", Runtime::ClaudeCode);
    let lost = home.forking(&other, fork("s1", "c2"));
    let error = LaunchError { code: "x".into(), text: "y".into(), ..LaunchError::default() };
    home.store.fail(lost.id, "fork", &error, None, at(40)).unwrap();
}

fn check(store: &Store) {
    let rig = store.rig_by_name("review").unwrap().unwrap();
    let rows = store.rig_state(rig.id).unwrap();
    let row = rows.iter().find(|row| row.seat.member == "r2").unwrap();
    let token = row.occupant.as_ref().unwrap().token.as_ref().unwrap();
    assert_eq!(token.conversation(), &claude("c1"));
    let launch = row.occupant_launch.as_ref().unwrap();
    assert_eq!(launch.outcome, Some(ContinuityOutcome::Forked));
    assert_eq!(launch.evidence, Some(evidence()));
    assert_eq!(launch.proof, Some(proof(seatfork_schema::ProofGrade::L3)));
    assert_eq!(row.last_launch.as_ref().unwrap().intent, Intent::Resume);
    assert_eq!(row.last_pane.as_ref().unwrap().observed, ProcessState::Ready);
    let failed = rows.iter().find(|row| row.seat.member == "r3").unwrap();
    assert_eq!(failed.last_launch.as_ref().unwrap().error.as_ref().unwrap().code, "x");
    let lineage = store.lineage(&LineageOf::Rig(rig.id)).unwrap();
    assert_eq!((lineage.nodes.len(), lineage.edges.len()), (2, 1));
    assert_eq!(store.ranges_of(launch.id).unwrap(), [range()]);
}

// SPEC 11: a store of every released schema version is migrated and read.
#[test]
fn every_released_version_is_still_read() {
    for version in 1..=SCHEMA_VERSION {
        let (_dir, store) = copy_of(version);
        check(&store);
    }
}

// SPEC 11: what this build writes reads like what is kept.
#[test]
fn a_new_store_filled_the_same_way_reads_the_same() {
    let mut home = Home::new();
    populate(&mut home);
    check(&home.store);
    let path = home.store.path().to_owned();
    drop(home.store);
    check(&Store::open(&path, Mode::ReadOnly).unwrap());
}

// SPEC 11: released migrations are never edited: what they made is what they make.
#[test]
fn a_migrated_store_has_the_schema_of_a_new_one() {
    let schema = |path: &Utf8Path| -> Vec<String> {
        let conn = Connection::open(path).unwrap();
        let mut statement = conn
            .prepare("SELECT type||' '||name||' '||coalesce(sql,'') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY 1")
            .unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    };
    let new = Home::new();
    for version in 1..=SCHEMA_VERSION {
        let (_dir, store) = copy_of(version);
        assert_eq!(schema(store.path()), schema(new.store.path()), "from version {version}");
    }
}
