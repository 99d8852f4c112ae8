//! Rigs and seats: names, places, and being forgotten (SPEC 1, 7).

use crate::support::*;
use seatfork_schema::Runtime;
use seatfork_store::{EnsureRigError, Kept, Location, NewRig, NewSeat, RetireError, Work};

// SPEC 7: a rig is its name and its root; the same name from elsewhere is refused.
#[test]
fn a_rig_name_belongs_to_one_directory() {
    let mut home = Home::new();
    let again =
        home.store.ensure_rig(&NewRig { spec_sha256: "02".repeat(32), ..new_rig("review") });
    let again = again.unwrap();
    assert_eq!(again.id, home.rig.id);
    assert_eq!(again.spec_sha256, "02".repeat(32));
    let elsewhere = NewRig { root: "/elsewhere".into(), ..new_rig("review") };
    match home.store.ensure_rig(&elsewhere) {
        Err(EnsureRigError::NameTaken { recorded, asked, .. }) => {
            assert_eq!((recorded.as_str(), asked.as_str()), ("/w/review", "/elsewhere"));
        }
        other => panic!("{other:?}"),
    }
    // Names that differ by letter case alone are neither one rig nor two.
    assert!(matches!(
        home.store.ensure_rig(&new_rig("Review")),
        Err(EnsureRigError::OtherCase { .. })
    ));
    assert_eq!(home.store.rigs().unwrap(), [again]);
}

// SPEC 7: an occupied seat keeps runtime, directory and location, and says so; an empty one follows the spec.
#[test]
fn changes_of_an_occupied_seat_are_said_and_left() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let moved = NewSeat { cwd: "/w/other".into(), ..new_seat(&home.rig, "a", Runtime::ClaudeCode) };
    let ensured = home.store.ensure_seat(&moved).unwrap();
    assert_eq!((ensured.seat.id, ensured.created, ensured.kept.len()), (seat.id, false, 0));
    assert_eq!(ensured.seat.cwd, "/w/other");

    home.fork(&ensured.seat, "s1", "c1");
    let asked = NewSeat {
        location: Location { claude_config_dir: None, codex_home: Some("/c".into()) },
        pass_env: vec!["MINE".into()],
        ..new_seat(&home.rig, "a", Runtime::Codex)
    };
    let ensured = home.store.ensure_seat(&asked).unwrap();
    assert_eq!(ensured.seat.id, seat.id);
    assert_eq!(ensured.seat.cwd, "/w/other");
    assert_eq!(ensured.seat.pass_env, ["MINE"]);
    assert!(matches!(
        ensured.kept.as_slice(),
        [Kept::Runtime { .. }, Kept::Cwd { .. }, Kept::Location { .. }]
    ));
    assert_eq!(home.store.seat_by_name("DEV-a@review").unwrap(), Some(ensured.seat));
}

// SPEC 7: a seat nobody lives in may become one of another runtime; the old row stays, retired.
#[test]
fn an_empty_seat_of_another_runtime_is_another_seat() {
    let mut home = Home::new();
    let old = home.seat("a", Runtime::ClaudeCode);
    let launch = home.declare(&old, fork("s1", "c1")).unwrap();
    home.store.abandon(launch.id, "its owner died", at(5)).unwrap();
    let ensured = home.store.ensure_seat(&new_seat(&home.rig, "a", Runtime::Codex)).unwrap();
    assert!(ensured.created && ensured.seat.id != old.id);
    assert!(home.store.seat(old.id).unwrap().retired_at.is_some());
    assert_eq!(home.store.launches_of(old.id).unwrap().len(), 1);
}

// SPEC 7: forgotten seats keep their rows and free their names; an open launch hinders it.
#[test]
fn a_retired_rig_frees_every_name_and_keeps_every_row() {
    let mut home = Home::new();
    let a = home.seat("a", Runtime::ClaudeCode);
    let (_, token) = home.fork(&a, "s1", "c1");
    let b = home.seat("b", Runtime::ClaudeCode);
    let open = home.declare(&b, fork("s1", "c2")).unwrap();
    let seen = home.seen();
    match home.store.retire_rig(home.rig.id, &seen, at(50)) {
        Err(RetireError::OpenLaunch { launch, .. }) => assert_eq!(launch, open.id),
        other => panic!("{other:?}"),
    }
    assert!(
        home.store.seat_state(a.id).unwrap().occupant.is_some(),
        "nothing was retired by halves"
    );

    home.store.abandon(open.id, "its owner died", at(51)).unwrap();
    home.store.retire_rig(home.rig.id, &seen, at(52)).unwrap();
    home.store.retire_rig(home.rig.id, &seen, at(53)).unwrap();
    assert_eq!(home.store.is_token_of(token.conversation()).unwrap(), None);
    assert_eq!(home.store.seat_by_name(&a.name).unwrap(), None);
    assert_eq!(home.store.occupants_of(a.id).unwrap()[0].token, Some(token.clone()));

    let elsewhere = NewRig { root: "/elsewhere".into(), ..new_rig("review") };
    home.rig = home.store.ensure_rig(&elsewhere).unwrap();
    let again = home.seat("a", Runtime::ClaudeCode);
    assert_ne!(again.id, a.id);
    // The conversation stays and may be a source now.
    let work = Work::Fork {
        source: token.as_source(),
        planned: Some(seatfork_schema::PlannedChild::new(claude("c9"))),
        via: seatfork_store::ForkVia::Fork,
    };
    home.declare(&again, work).unwrap();
}

// SPEC 7: what was launched or added since the look is never retired, and nothing is retired by halves.
#[test]
fn a_rig_that_changed_since_the_look_is_not_retired() {
    let mut home = Home::new();
    let (a, b) = (home.seat("a", Runtime::ClaudeCode), home.seat("b", Runtime::ClaudeCode));
    let before = home.seen();
    home.fork(&b, "s1", "c1");
    let refused = home.store.retire_rig(home.rig.id, &before, at(50));
    assert!(
        matches!(&refused, Err(RetireError::Overtaken { seat }) if *seat == b.name),
        "{refused:?}"
    );
    let before = home.seen();
    let c = home.seat("c", Runtime::ClaudeCode);
    let refused = home.store.retire_rig(home.rig.id, &before, at(50));
    assert!(
        matches!(&refused, Err(RetireError::Overtaken { seat }) if *seat == c.name),
        "{refused:?}"
    );
    for seat in [a, b, c] {
        assert_eq!(home.store.seat(seat.id).unwrap().retired_at, None, "{}", seat.name);
    }
    home.store.retire_rig(home.rig.id, &home.seen(), at(51)).unwrap();
}

// SPEC 7: the state of a rig is that of its living seats, in the order they were declared.
#[test]
fn the_state_of_a_rig_leaves_retired_seats_out() {
    let mut home = Home::new();
    for member in ["b", "a", "c"] {
        home.seat(member, Runtime::ClaudeCode);
    }
    let gone = home.seat("a", Runtime::ClaudeCode);
    home.store.retire_seat(gone.id, at(9)).unwrap();
    let rows = home.store.rig_state(home.rig.id).unwrap();
    let members: Vec<_> = rows.iter().map(|row| row.seat.member.as_str()).collect();
    assert_eq!(members, ["b", "c"]);
    let launch = home.declare(&gone, fork("s1", "c1")).unwrap_err();
    assert!(launch.to_string().contains("a retired seat is not launched"), "{launch}");
}
