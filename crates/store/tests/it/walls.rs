//! Every guarantee attacked through a second connection that sets no pragma of ours (SPEC 11).

mod states;

use crate::support::*;
use rusqlite::Connection;
use seatfork_schema::{LaunchState, NoticeState, PlannedChild, ProofStatus, Runtime, SourceId};
use seatfork_store::{
    Adoption, ArtifactFact, ArtifactState, EndReason, ForkVia, LaunchError, OpenError, Resolution,
    Store, StoreError, Verification, Work,
};
use states::State;
use std::collections::BTreeMap;

/// Names of rows that attacks speak of, and their ids.
type Names = BTreeMap<&'static str, String>;

/// A store with one seat of every kind.
fn town() -> (Home, Names) {
    let mut home = Home::new();
    let mut names = Names::new();
    names.insert("rig", home.rig.id.to_string());
    for settle in [forked_and_forking, codex_waiting, empty_and_rotated, ended, tokenless] {
        settle(&mut home, &mut names);
    }
    // Conversations an attack may name.
    for (runtime, ids) in [("claude-code", "n1 n2"), ("codex", "n3 n4")] {
        for id in ids.split(' ') {
            let seen = format!(
                "INSERT INTO conversations(runtime,scope,native_id,origin,first_seen_at)
                 VALUES('{runtime}','','{id}','seen','2026-01-02T03:04:05.000000000Z')"
            );
            home.raw().execute_batch(&seen).unwrap();
        }
    }
    (home, names)
}

/// a: a realized fork of s1, token c1, with a pane and a verification. b: a fork of s2 that is forking, planned child c2.
fn forked_and_forking(home: &mut Home, names: &mut Names) {
    let seat = home.seat("a", Runtime::ClaudeCode);
    let (launch, _) = home.fork(&seat, "s1", "c1");
    home.store.record_pane(launch.id, &pane()).unwrap();
    let look = Verification { at: at(40), status: ProofStatus::Proved, detail: String::new() };
    home.store.record_verification(launch.id, &look).unwrap();
    names.extend([("a", seat.id.to_string()), ("a.launch", launch.id.to_string())]);
    let seat = home.seat("b", Runtime::ClaudeCode);
    let launch = home.forking(&seat, fork("s2", "c2"));
    names.extend([("b", seat.id.to_string()), ("b.launch", launch.id.to_string())]);
}

/// c: a Codex that failed a fork of s3 and was then realized fresh without its token.
fn codex_waiting(home: &mut Home, names: &mut Names) {
    let seat = home.seat("c", Runtime::Codex);
    let source = SourceId::new(codex("s3"));
    let lost = home.forking(&seat, Work::Fork { source, planned: None, via: ForkVia::Fork });
    let error = LaunchError { code: "x".into(), text: "y".into(), ..LaunchError::default() };
    home.store.fail(lost.id, "fork", &error, None, at(5)).unwrap();
    let launch = home.forking(&seat, Work::Fresh { planned: None });
    home.store.realize_without_token(launch.id, NoticeState::None, at(9)).unwrap();
    names.extend([
        ("c", seat.id.to_string()),
        ("c.launch", launch.id.to_string()),
        ("c.failed", lost.id.to_string()),
    ]);
}

/// d: a seat nothing was tried for. e: rotated from c5, a fork of s5, to c6.
fn empty_and_rotated(home: &mut Home, names: &mut Names) {
    let seat = home.seat("d", Runtime::ClaudeCode);
    names.insert("d", seat.id.to_string());
    let seat = home.seat("e", Runtime::ClaudeCode);
    home.fork(&seat, "s5", "c5");
    let owned = home.lock();
    let adoption = Adoption { observed: claude("c6"), parent: None, proof: None, after: 1 };
    let new = Home::new_launch(&seat, fresh_work("unused"));
    home.store.adopt(&owned, &new, &adoption).unwrap();
    names.extend([("e", seat.id.to_string()), ("e.launch", owned.launch().to_string())]);
}

/// f: an abandoned fork of s7, planned c7. r: retired. g: a resolved rebuild with an artifact, planned c9.
fn ended(home: &mut Home, names: &mut Names) {
    let seat = home.seat("f", Runtime::ClaudeCode);
    let launch = home.declare(&seat, fork("s7", "c7")).unwrap();
    home.store.abandon(launch.id, "its owner died", at(5)).unwrap();
    names.extend([("f", seat.id.to_string()), ("f.launch", launch.id.to_string())]);
    let seat = home.seat("r", Runtime::ClaudeCode);
    home.fork(&seat, "s8", "c8");
    home.store.retire_seat(seat.id, at(50)).unwrap();
    names.insert("r", seat.id.to_string());
    let seat = home.seat("g", Runtime::ClaudeCode);
    let planned = Some(PlannedChild::new(claude("c9")));
    let launch = home.declare(&seat, Work::Rebuild { planned }).unwrap();
    let artifact = ArtifactFact { path: "x".into(), state: ArtifactState::Missing };
    let resolution = Resolution { evidence: None, artifacts: vec![artifact] };
    home.store.resolved(launch.id, &resolution, at(2)).unwrap();
    names.extend([("g", seat.id.to_string()), ("g.launch", launch.id.to_string())]);
}

/// t: a terminal. p: a pixir seat nothing was tried for.
fn tokenless(home: &mut Home, names: &mut Names) {
    let seat = home.seat("t", Runtime::Terminal);
    let launch = home.forking(&seat, Work::Fresh { planned: None });
    home.store.realize_terminal(launch.id, at(9)).unwrap();
    names.extend([("t", seat.id.to_string()), ("t.launch", launch.id.to_string())]);
    let seat = home.seat("p", Runtime::Pixir);
    names.insert("p", seat.id.to_string());
}

fn fill(sql: &str, names: &Names) -> String {
    let mut sql = sql.to_owned();
    for (name, id) in names {
        sql = sql.replace(&format!("<{name}>"), &format!("'{id}'"));
    }
    assert!(!sql.contains("'<") && !sql.contains("=<"), "unfilled: {sql}");
    sql
}

/// What refused, or `None` where the statement went through and changed something.
fn attempt(conn: &Connection, sql: &str) -> Option<String> {
    conn.execute_batch("SAVEPOINT attack").unwrap();
    let before = conn.total_changes();
    let said = conn.execute_batch(sql).err().map(|error| error.to_string());
    let touched = conn.total_changes() > before;
    conn.execute_batch("ROLLBACK TO attack; RELEASE attack").unwrap();
    assert!(said.is_some() || touched, "this attack touches nothing: {sql}");
    said
}

// SPEC 11: each guarantee is a constraint or trigger with a test that tries to break it through raw SQL.
#[test]
fn no_wrong_state_can_be_written_by_raw_sql() {
    let (home, names) = town();
    let mut wrong = Vec::new();
    for strict in [true, false] {
        let conn = home.raw();
        conn.pragma_update(None, "foreign_keys", strict).unwrap();
        conn.pragma_update(None, "recursive_triggers", false).unwrap();
        for State { name, sql, rule } in &states::wrong() {
            if rule.starts_with("FOREIGN KEY") && !strict {
                continue;
            }
            match attempt(&conn, &fill(sql, &names)) {
                None => wrong.push(format!("{name}: went through")),
                Some(said) if !said.contains(rule) => {
                    wrong.push(format!("{name}: not {rule}, but {said}"));
                }
                Some(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// SPEC 11: every constraint, trigger and unique index of ours has an attack that it refuses.
#[test]
fn every_guard_has_an_attack() {
    let (home, _) = town();
    let conn = home.raw();
    let schema: Vec<(String, String)> = conn
        .prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let mut guards = Vec::new();
    for (_, sql) in &schema {
        for (at, _) in sql.match_indices("RAISE(ABORT,'") {
            guards.push(sql[at + 13..].split(':').next().unwrap().to_owned());
        }
        for (at, _) in sql.match_indices("CONSTRAINT ") {
            guards.push(sql[at + 11..].split(' ').next().unwrap().to_owned());
        }
    }
    guards.sort();
    guards.dedup();
    assert!(guards.len() > 80, "the schema has {} guards", guards.len());
    let attacked: Vec<&str> = states::wrong().iter().map(|state| state.rule).collect();
    let spared: Vec<_> =
        guards.iter().filter(|guard| !attacked.contains(&guard.as_str())).collect();
    assert!(spared.is_empty(), "no attack on: {spared:?}");
}

// SPEC 11: what is right is accepted, by the same connection.
#[test]
fn right_states_can_be_written() {
    let (home, names) = town();
    let conn = home.raw();
    for State { name, sql, .. } in states::right() {
        assert_eq!(attempt(&conn, &fill(&sql, &names)), None, "{name}");
    }
}

// SPEC 11: a current occupant whose launch has ended stays what it was, whatever the API is asked.
#[test]
fn the_town_is_sound() {
    let (mut home, _) = town();
    let path = home.store.path().to_owned();
    assert!(Store::open(&path, seatfork_store::Mode::ReadWrite).is_ok());
    let a = home.store.seat_by_name("dev-a@review").unwrap().unwrap();
    let row = home.store.seat_state(a.id).unwrap();
    assert_eq!(row.last_launch.unwrap().state, LaunchState::Realized);
    home.store.end_occupant(a.id, EndReason::Retired, at(60)).unwrap();
    let again = home.store.end_occupant(a.id, EndReason::Retired, at(61));
    assert!(matches!(again, Err(seatfork_store::EndError::Nobody { .. })), "{again:?}");
}

// SPEC 11: a row this build cannot read is as loud as damage.
#[test]
fn a_row_of_another_hand_is_unreadable_not_absent() {
    let (home, names) = town();
    let conn = home.raw();
    conn.execute_batch(&fill(
        "PRAGMA ignore_check_constraints=ON; DROP TRIGGER seat_identity_frozen;
         UPDATE seats SET runtime='other' WHERE seat_id=<d>",
        &names,
    ))
    .unwrap();
    let d = home.store.seat_by_name("dev-d@review");
    assert!(matches!(d, Err(StoreError::Unreadable { .. })), "{d:?}");
    // And who would change seats finds it at open.
    match Store::open(home.store.path(), seatfork_store::Mode::ReadWrite) {
        Err(OpenError::Corrupt { findings, .. }) => {
            assert!(findings[0].contains("CHECK constraint failed in seats"), "{findings:?}");
        }
        other => panic!("{other:?}"),
    }
}
