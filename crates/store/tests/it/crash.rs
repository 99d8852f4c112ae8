//! Processes killed around commits: all of a transaction or nothing of it (SPEC 7, 11).

use crate::child::Player;
use crate::support::*;
use rusqlite::{Connection, ErrorCode};
use seatfork_schema::{LaunchState, Runtime};
use seatfork_store::{LaunchId, Mode, Store};
use std::time::Duration;

/// Where the transaction of `realize` is made to stand still: after each of its statements.
const STALLS: [(&str, &str); 6] = [
    ("conversation", "AFTER INSERT ON conversations WHEN NEW.native_id='c1'"),
    ("launch", "AFTER UPDATE ON launches WHEN NEW.state='realized'"),
    ("occupant", "AFTER INSERT ON occupants"),
    ("lineage", "AFTER INSERT ON lineage"),
    ("range", "AFTER INSERT ON lineage_ranges"),
    ("nothing yet", "BEFORE INSERT ON conversations WHEN NEW.native_id='c1'"),
];

/// A query that takes longer than any test.
const ENDLESS: &str = "SELECT count(*) FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT 9000000000) SELECT x FROM c)";

/// Waits until another process is inside a write transaction.
fn wait_for_writer(conn: &Connection) {
    conn.busy_timeout(Duration::ZERO).unwrap();
    for _ in 0..2000 {
        match conn.execute_batch("BEGIN IMMEDIATE; ROLLBACK") {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => return,
            Err(error) => panic!("{error}"),
            Ok(()) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
    panic!("nobody writes");
}

fn counts(conn: &Connection) -> [i64; 4] {
    ["occupants", "lineage", "lineage_ranges", "conversations WHERE native_id='c1'"].map(|table| {
        conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    })
}

// SPEC 7: conversation, launch, occupant, proof and lineage are one transaction: killed inside, nothing of it is there.
#[test]
fn a_process_killed_inside_realize_leaves_a_launch_that_is_forking() {
    for (name, when) in STALLS {
        let mut home = Home::new();
        let seat = home.seat("a", Runtime::ClaudeCode);
        let launch = home.forking(&seat, fork("s1", "c1"));
        let conn = home.raw();
        conn.execute_batch(&format!("CREATE TRIGGER stall {when} BEGIN {ENDLESS}; END")).unwrap();
        let path = home.store.path().to_owned();
        drop(home.store);

        let mut player = Player::start("realize", &[path.as_str(), &launch.id.to_string()]);
        player.hear("begins");
        wait_for_writer(&conn);
        std::thread::sleep(Duration::from_millis(30));
        player.kill();

        assert_eq!(counts(&conn), [0, 0, 0, 0], "{name}");
        conn.execute_batch("DROP TRIGGER stall").unwrap();
        let mut store = Store::open(&path, Mode::ReadWrite).unwrap();
        assert_eq!(store.launch(launch.id).unwrap().state, LaunchState::Forking, "{name}");
        // And the next `up` finishes it by the same call.
        store.realize(launch.id, &forked(&source("s1"), &claude("c1")), &realized(9)).unwrap();
        assert_eq!(counts(&conn), [1, 1, 0, 1], "{name}");
    }
}

// SPEC 7: results are durable before anything says so.
#[test]
fn a_process_killed_right_after_it_said_stored_has_stored() {
    for _ in 0..5 {
        let mut home = Home::new();
        let seat = home.seat("a", Runtime::ClaudeCode);
        let launch = home.forking(&seat, fork("s1", "c1"));
        let path = home.store.path().to_owned();
        drop(home.store);
        let mut player = Player::start("realize", &[path.as_str(), &launch.id.to_string()]);
        assert_eq!(player.hear("stored "), "c1");
        player.kill();
        let store = Store::open(&path, Mode::ReadOnly).unwrap();
        let row = store.seat_state(seat.id).unwrap();
        assert_eq!(row.occupant.unwrap().token.unwrap().conversation(), &claude("c1"));
        assert_eq!(store.ranges_of(launch.id).unwrap(), [range()]);
    }
}

// SPEC 7: killed anywhere, what was said is there, and no launch is realized by halves.
#[test]
fn a_process_killed_anywhere_keeps_every_commit_it_told_of() {
    let home = Home::new();
    let path = home.store.path().to_owned();
    let rig = home.rig.id;
    drop(home.store);
    let dir = home.dir;
    for round in 0..12_u32 {
        let mut player = Player::start("work", &[path.as_str()]);
        let mut told = Vec::new();
        for _ in 0..(7 + round * 3) {
            let line = player.hear("did ");
            let (what, id) = line.split_once(' ').unwrap();
            told.push((what.to_owned(), id.to_owned()));
        }
        // Into the middle of whatever comes next.
        std::thread::sleep(Duration::from_micros(u64::from(round) * 170));
        player.kill();

        let mut store = Store::open(&path, Mode::ReadWrite).unwrap();
        for (what, id) in &told {
            if what == "seat" {
                store.seat(id.parse().unwrap()).unwrap();
                continue;
            }
            let launch = store.launch(id.parse::<LaunchId>().unwrap()).unwrap();
            let said = LaunchState::from_word(what).unwrap();
            assert!(launch.state >= said, "{what}, but it is {}", launch.state);
        }
        for row in store.rig_state(rig).unwrap() {
            let realized = row.last_launch.is_some_and(|l| l.state == LaunchState::Realized);
            assert_eq!(row.occupant.is_some(), realized, "{}", row.seat.name);
        }
        let conn = Connection::open(&path).unwrap();
        let [occupants, lineage, ..] = counts(&conn);
        assert_eq!(occupants, lineage);
        for open in store.open_launches().unwrap() {
            let lock = store.locks_dir().join(&open.owner_lock);
            assert!(seatfork_store::OwnerLock::is_free(&lock).unwrap(), "the owner is dead");
        }
        store.retire_rig_after_abandoning(rig);
    }
    drop(dir);
}

/// Clears the way for the next round.
trait Clear {
    fn retire_rig_after_abandoning(&mut self, rig: seatfork_store::RigId);
}

impl Clear for Store {
    fn retire_rig_after_abandoning(&mut self, rig: seatfork_store::RigId) {
        for open in self.open_launches().unwrap() {
            self.abandon(open.id, "its owner was killed", at(70)).unwrap();
        }
        for row in self.rig_state(rig).unwrap() {
            self.retire_seat(row.seat.id, at(71)).unwrap();
        }
    }
}
