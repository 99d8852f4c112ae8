//! Leases: whose they are, when they count, and how one is taken away.

use super::hold::{Held, force_release};
use super::*;
use crate::test_support::{Home, at, id};

fn state(home: &Home, ms: i64) -> LeaseState {
    lease_state(&home.workspace, &id("s"), at(ms)).unwrap()
}

fn lease(home: &Home, change: impl FnOnce(&mut serde_json::Value)) {
    let path = home.path().join(".pixir/session_leases/s.json");
    let mut lease: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    change(&mut lease);
    std::fs::write(&path, lease.to_string()).unwrap();
}

#[test]
fn a_lease_is_active_then_stale_and_never_free_of_itself() {
    let home = Home::new();
    assert_eq!(state(&home, 0), LeaseState::Available);
    let mut held = Held::acquire(&home.workspace, &id("s"), at(0)).unwrap();
    assert_eq!((state(&home, 0).name(), state(&home, 5000).name()), ("active", "active"));
    assert_eq!((state(&home, 5001).name(), state(&home, -5001).name()), ("stale", "ambiguous"));
    held.beat(at(4000)).unwrap();
    assert_eq!(state(&home, 9000).name(), "active");
    let taken = Held::acquire(&home.workspace, &id("s"), at(99_999)).unwrap_err();
    assert_eq!(taken.kind(), "session_writer_stale");
    held.release().unwrap();
    assert_eq!(state(&home, 0), LeaseState::Available);
}

#[test]
fn a_lease_that_is_not_understood_is_not_free() {
    let home = Home::new();
    let held = Held::acquire(&home.workspace, &id("s"), at(0)).unwrap();
    lease(&home, |lease| lease["os_pid"] = 4711.into());
    assert_eq!(state(&home, 0).name(), "active");
    for (key, value) in [("session_id", "t"), ("workspace", "/elsewhere"), ("purpose", "other")] {
        lease(&home, |lease| lease[key] = value.into());
        assert_eq!(state(&home, 0).name(), "ambiguous", "{key}");
    }
    assert_eq!(held.release().unwrap_err().kind(), "session_writer_lost");
    std::fs::write(home.path().join(".pixir/session_leases/s.json"), "{").unwrap();
    assert_eq!(state(&home, 0).refusal_kind(), Some("session_writer_ambiguous"));
}

#[test]
fn one_of_many_gets_the_lease() {
    let home = Home::new();
    let all: Vec<_> = std::thread::scope(|scope| {
        let tries: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| Held::acquire(&home.workspace, &id("s"), at(0))))
            .collect();
        tries.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(all.iter().filter(|held| held.is_ok()).count(), 1);
    for refused in all.iter().filter_map(|held| held.as_ref().err()) {
        assert_eq!(refused.kind(), "session_writer_active");
    }
    assert_eq!(home.names(), ["session_leases/s.json"]);
}

#[test]
fn only_a_lease_whose_holder_is_dead_is_taken_away_and_a_record_is_left() {
    let home = Home::new();
    assert_eq!(force_release(&home.workspace, &id("s"), "r", at(0)).unwrap(), None);
    let _held = Held::acquire(&home.workspace, &id("s"), at(0)).unwrap();
    let error = force_release(&home.workspace, &id("s"), "r", at(0)).unwrap_err();
    assert_eq!(error.kind(), "session_writer_active");
    let record = force_release(&home.workspace, &id("s"), "crashed", at(6000)).unwrap().unwrap();
    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
    assert_eq!((&record["state"], &record["reason"]), (&"stale".into(), &"crashed".into()));
    assert!(record["lease"].as_str().unwrap().contains("wrl_"));
    assert_eq!(state(&home, 0), LeaseState::Available);
}
