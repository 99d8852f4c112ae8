//! Several processes at one store (SPEC 7, 11).

use crate::child::Player;
use crate::support::*;
use seatfork_schema::Runtime;
use seatfork_store::{Mode, Store, StoreError};
use std::time::{Duration, Instant};

// SPEC 7: of two processes that declare for one seat at once one wins, and the other is told which launch is open.
#[test]
fn two_processes_declaring_for_one_seat_leave_one_launch() {
    let mut home = Home::new();
    for round in 0..8 {
        let seat = home.seat(&format!("m{round}"), Runtime::ClaudeCode);
        let args = [home.store.path().to_string(), seat.id.to_string()];
        let args = [args[0].as_str(), args[1].as_str()];
        let mut players = [(); 3].map(|()| Player::start("declare", &args));
        for player in &mut players {
            player.hear("begins");
        }
        for player in &mut players {
            player.say("go");
        }
        let mut heard: Vec<String> = players
            .iter_mut()
            .map(|player| {
                loop {
                    let line = player.hear("");
                    if ["won ", "lost ", "broke "].iter().any(|start| line.starts_with(start)) {
                        break line;
                    }
                }
            })
            .collect();
        heard.sort();
        let open = home.store.seat_state(seat.id).unwrap().open_launch.unwrap();
        assert_eq!(
            heard,
            [format!("lost {}", open.id), format!("lost {}", open.id), format!("won {}", open.id)]
        );
        let lock = home.store.locks_dir().join(&open.owner_lock);
        assert!(!seatfork_store::OwnerLock::is_free(&lock).unwrap(), "the winner lives");
        for player in players {
            player.kill();
        }
        assert!(seatfork_store::OwnerLock::is_free(&lock).unwrap(), "the winner is dead");
        assert_eq!(home.store.launches_of(seat.id).unwrap().len(), 1);
    }
}

// SPEC 11: of several processes that make the store at once all get the same one.
#[test]
fn processes_that_create_at_once_share_one_store() {
    for _ in 0..5 {
        let dir = tempfile::tempdir().unwrap();
        let path = db_path(&dir);
        let mut players = [(); 4].map(|()| Player::start("create", &[path.as_str()]));
        for player in &mut players {
            player.hear("begins");
        }
        for player in &mut players {
            player.say("go");
        }
        for player in &mut players {
            player.hear("won");
            player.child.wait().unwrap();
        }
        let mut store = Store::open(&path, Mode::ReadWrite).unwrap();
        store.ensure_rig(&new_rig("review")).unwrap();
        let litter = path
            .parent()
            .unwrap()
            .read_dir_utf8()
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().contains(".new-"))
            .count();
        assert_eq!(litter, 0);
    }
}

// SPEC 11: a writer waits for another, and where that holds on for too long says busy and stores nothing.
#[test]
fn a_store_held_by_another_writer_is_waited_for_and_then_busy() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let launch = home.forking(&seat, fork("s1", "c1"));
    let proved = forked(&source("s1"), &claude("c1"));
    let holder = home.raw();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begin = Instant::now();
    match home.store.realize(launch.id, &proved, &realized(9)) {
        Err(seatfork_store::RealizeError::Store(error @ StoreError::Busy { .. })) => {
            assert_eq!(error.during(), Some("storing the token"));
        }
        other => panic!("{other:?}"),
    }
    assert!(begin.elapsed() >= Duration::from_secs(4), "{:?}", begin.elapsed());
    assert!(home.store.seat_state(seat.id).unwrap().occupant.is_none());

    let release = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(400));
        holder.execute_batch("ROLLBACK").unwrap();
    });
    home.store.realize(launch.id, &proved, &realized(9)).unwrap();
    release.join().unwrap();
}
