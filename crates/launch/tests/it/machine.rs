//! One member's launch over a real store file and a real tmux.

use crate::support::{SOURCE, World, fork, fresh, only, rig, run, terminal};
use seatfork_launch::{Action, DownDepth, ExitClass};
use seatfork_schema::{ContinuityOutcome, LaunchState, ProcessState, ProofGrade};

// SPEC 7: a fork is proved, stored, and only then given a pane that serves the new id.
#[test]
fn a_fork_ends_as_a_running_seat_with_its_own_token() {
    let world = World::new();
    let before = std::fs::read(world.record(SOURCE)).unwrap();
    let report = run(world.up(&rig(&[fork("a")])));
    let seat = only(&report);
    assert_eq!(report.exit, ExitClass::Ok, "{seat:#?}");
    assert_eq!(seat.action, Action::Created);
    assert_eq!(seat.continuity_outcome, Some(ContinuityOutcome::Forked));
    assert_eq!(seat.launch_state, Some(LaunchState::Realized));
    assert_eq!(seat.process_state, ProcessState::Ready);
    assert_eq!(seat.proof.as_ref().unwrap().grade, ProofGrade::L3);
    assert_eq!(seat.source.as_ref().unwrap().native_id, SOURCE);
    let token = seat.token.clone().unwrap();
    assert_ne!(token, SOURCE);
    assert_eq!(world.children(), std::slice::from_ref(&token));
    assert_eq!(world.calls("serve"), [token]);
    assert_eq!(std::fs::read(world.record(SOURCE)).unwrap(), before);
    // What the runtime said is nobody's concern once all went well.
    assert_eq!(world.root.join("state/output").read_dir().unwrap().count(), 0);
}

// SPEC 7: `up` again is nothing; `down` and `up` bring the own token back and fork nothing.
#[test]
fn up_down_up_keeps_the_token_and_never_forks_again() {
    let world = World::new();
    let spec = rig(&[fork("a"), fresh("b"), terminal("t")]);
    let first = run(world.up(&spec));
    assert_eq!(first.exit, ExitClass::Ok, "{first:#?}");
    let again = run(world.up(&spec));
    assert!(again.seats.iter().all(|seat| seat.action == Action::Unchanged), "{again:#?}");
    assert_eq!(again.exit, ExitClass::Ok);
    let stopped = run(world.down(DownDepth::Stop));
    assert_eq!(stopped.exit, ExitClass::Ok, "{stopped:#?}");
    assert_eq!(world.running_panes(), 0);
    let back = run(world.up(&spec));
    assert_eq!(back.exit, ExitClass::Ok, "{back:#?}");
    let outcomes: Vec<_> =
        back.seats.iter().map(|seat| (seat.action, seat.continuity_outcome)).collect();
    assert_eq!(
        outcomes,
        [
            (Action::Resumed, Some(ContinuityOutcome::Resumed)),
            (Action::Resumed, Some(ContinuityOutcome::Resumed)),
            (Action::Created, Some(ContinuityOutcome::Fresh)),
        ]
    );
    for (before, after) in first.seats.iter().zip(&back.seats) {
        assert_eq!(before.token, after.token);
    }
    assert_eq!(world.children().len(), 2);
    assert_eq!(world.calls("make").len(), 2);
}
