//! A full disk at every statement of `realize` (SPEC 10, failure 5).

use crate::support::*;
use seatfork_schema::{LaunchState, Proof, ProofGrade, ProvedChild, Runtime};
use seatfork_store::{
    EndReason, LaunchId, Mode, RealizeError, Realized, Replaces, Store, StoreError,
};
use std::collections::BTreeMap;

/// Every statement of `realize` that writes.
const STATEMENTS: [&str; 5] = [
    "storing the conversation",
    "storing the realized launch",
    "storing the occupant",
    "storing the lineage",
    "storing the bytes the child depends on",
];

fn pages(home: &Home) -> u32 {
    home.raw().pragma_query_value(None, "page_count", |row| row.get(0)).unwrap()
}

/// Everything a realize could have written.
fn dump(home: &Home, launch: LaunchId) -> Vec<String> {
    let conn = home.raw();
    let mut all = Vec::new();
    for table in ["conversations", "occupants", "lineage", "lineage_ranges"] {
        let count: i64 =
            conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        all.push(format!("{table} {count}"));
    }
    all.push(format!("{:?}", home.store.launch(launch).unwrap()));
    all
}

// SPEC 10: where the token cannot be stored nothing of it is, whichever statement found the disk full; freed, the same call works.
#[test]
fn a_full_disk_at_any_statement_of_realize_leaves_nothing_half_written() {
    let mut home = Home::new();
    let path = home.store.path().to_owned();
    let mut failed: BTreeMap<&'static str, u32> = BTreeMap::new();
    for n in 0..60 {
        let seat = home.seat(&format!("m{n}"), Runtime::ClaudeCode);
        let child = format!("child-of-a-seat-with-a-longer-id-{n}");
        let launch = home.forking(&seat, fork("s1", &child));
        // Every third proof is long enough to need a page of its own.
        let detail = "content proved 10/10 ".repeat(if n % 3 == 0 { 200 } else { 1 });
        let long = Proof { detail, ..proof(ProofGrade::L3) };
        let proved = ProvedChild::forked(source("s1"), claude(&child), long).unwrap();
        let facts = Realized { ranges: vec![range(); 3], ..realized(9) };
        let before = dump(&home, launch.id);
        let mut limit = pages(&home);
        loop {
            let mut bounded = Store::open(&path, Mode::ReadWrite).unwrap();
            bounded.set_max_pages(limit).unwrap();
            match bounded.realize(launch.id, &proved, &facts) {
                Ok(token) => {
                    assert_eq!(token.conversation(), &claude(&child));
                    break;
                }
                Err(RealizeError::Store(error @ StoreError::Full { .. })) => {
                    *failed.entry(error.during().unwrap()).or_default() += 1;
                    assert_eq!(dump(&home, launch.id), before, "{error}");
                    assert!(error.to_string().contains("no space left"), "{error}");
                }
                Err(other) => panic!("{other:?}"),
            }
            // Room again: the same handle goes on without being opened anew.
            bounded.set_max_pages(limit + 40).unwrap();
            bounded.warn(launch.id, &[]).unwrap();
            limit += 1;
        }
        assert_eq!(home.store.launch(launch.id).unwrap().state, LaunchState::Realized);
    }
    for statement in STATEMENTS {
        assert!(failed.contains_key(statement), "never failed while {statement}: {failed:?}");
    }
}

// SPEC 10: with an occupant to be replaced a full disk leaves the old one living there.
#[test]
fn a_full_disk_while_relaunching_leaves_the_old_occupant() {
    let mut home = Home::new();
    let path = home.store.path().to_owned();
    let mut full = 0;
    for n in 0..25 {
        let seat = home.seat(&format!("m{n}"), Runtime::ClaudeCode);
        let (_, old) = home.fork(&seat, "s1", &format!("old-{n}"));
        let child = format!("new-{n}");
        let replaces = Replaces { n: 1, reason: EndReason::Relaunched };
        let launch = home.declare_replacing(&seat, fresh_work(&child), replaces).unwrap();
        home.drive_to_forking(&launch);
        let mut limit = pages(&home);
        loop {
            let mut bounded = Store::open(&path, Mode::ReadWrite).unwrap();
            bounded.set_max_pages(limit).unwrap();
            match bounded.realize(launch.id, &fresh(&claude(&child)), &realized(9)) {
                Ok(_) => break,
                Err(RealizeError::Store(StoreError::Full { .. })) => {
                    full += 1;
                    let row = home.store.seat_state(seat.id).unwrap();
                    assert_eq!(row.occupant.unwrap().token.as_ref(), Some(&old));
                    assert_eq!(row.open_launch.unwrap().id, launch.id);
                }
                Err(other) => panic!("{other:?}"),
            }
            limit += 1;
        }
    }
    assert!(full > 0);
}

// SPEC 7: a full disk before forking is known before anything is started.
#[test]
fn a_full_disk_while_declaring_declares_nothing() {
    let mut home = Home::new();
    let path = home.store.path().to_owned();
    let mut full = 0;
    for n in 0..25 {
        let seat = home.seat(&format!("m{n}"), Runtime::ClaudeCode);
        let mut bounded = Store::open(&path, Mode::ReadWrite).unwrap();
        bounded.set_max_pages(pages(&home)).unwrap();
        let lock = home.lock();
        let new = Home::new_launch(&seat, fork("s1", &format!("c{n}")));
        match bounded.declare(&lock, &new) {
            Ok(_) => {}
            Err(seatfork_store::DeclareError::Store(StoreError::Full { .. })) => {
                full += 1;
                assert!(home.store.launches_of(seat.id).unwrap().is_empty());
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(full > 0);
}
