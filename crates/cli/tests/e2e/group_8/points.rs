//! A launch of a new conversation, killed at every point.

use seatfork_launch::CrashPoint;
use seatfork_testkit::fake::{Act, Phase};

use super::scene::{Kind, Line, Scene, assert_killed, line};
use crate::support::{Faked, Kind as RuntimeKind, Locked, seat, timed};

// SPEC 7: killed at any point, a fork is what the table says it is: finished or tried anew, nothing lost or doubled.
#[test]
fn a_fork_killed_at_any_point_is_what_the_table_says_it_is() {
    killed_at_every_point(Kind::Fork, Faked::new);
}

// SPEC 7: so is a fork of Codex, whose child no one could name beforehand: it is found by its mark.
#[test]
fn a_codex_fork_killed_at_any_point_is_what_the_table_says_it_is() {
    killed_at_every_point(Kind::Fork, Faked::codex);
}

// SPEC 7: and so is a fresh launch.
#[test]
fn a_fresh_launch_killed_at_any_point_is_what_the_table_says_it_is() {
    killed_at_every_point(Kind::Fresh, Faked::new);
}

// SPEC 7: and so is a fresh launch of Codex.
#[test]
fn a_fresh_codex_launch_killed_at_any_point_is_what_the_table_says_it_is() {
    killed_at_every_point(Kind::Fresh, Faked::codex);
}

fn killed_at_every_point(kind: Kind, faked: fn() -> Faked) {
    for point in CrashPoint::ALL {
        let Some(line) = line(*point) else { continue };
        let what = format!("{point}, {kind:?}");
        timed(&what, || killed(&faked(), *point, kind, line, &what));
    }
}

/// A runtime that is spoken to ends when nobody speaks to it any more.
fn dies_with_its_launcher(faked: &Faked, point: CrashPoint) -> bool {
    faked.runtime.kind == RuntimeKind::Codex
        && matches!(point, CrashPoint::AfterSpawn | CrashPoint::AfterSpawnRecorded)
}

fn killed(faked: &Faked, point: CrashPoint, kind: Kind, line: Line, what: &str) {
    let scene = Scene::of(faked, kind);
    match point {
        CrashPoint::AfterSpawn | CrashPoint::AfterSpawnRecorded => {
            // The runtime outlives its launcher by a while: it is waited for, nothing is made beside it.
            let phase = if kind == Kind::Fork { Phase::Fork } else { Phase::Fresh };
            faked.fake.script(&faked.faithful().on_nth(phase, 0, [Act::Slow { ms: 1200 }]));
            scene.killed_at(point);
            assert!(scene.children().is_empty(), "{what}: it still works");
        }
        CrashPoint::AfterPane | CrashPoint::AfterPaneRecorded => {
            // The pane is not ready yet when the next `up` comes: it is waited for, none is opened beside it.
            let slow = [Act::Slow { ms: 1200 }];
            faked.fake.script(&faked.faithful().on_nth(Phase::Pane, 0, slow));
            scene.killed_at(point);
            assert!(faked.served().is_empty(), "{what}: it still starts");
        }
        CrashPoint::RescueWritten => {
            scene.calls.hold();
            let up = scene.start_to_die(point);
            scene.calls.wait_for_made(1);
            let locked = Locked::once_spawned(faked, 1);
            scene.calls.let_go();
            assert_killed(&up.wait(), point);
            locked.unlock();
        }
        CrashPoint::RecoveredProof => {
            scene.killed_at(CrashPoint::AfterPhase1);
            scene.killed_at(point);
            // And whoever recovers dies once more, just before it would be stored.
            scene.killed_at(point);
        }
        _ => scene.killed_at(point),
    }
    let rows = faked.run(["ps", "--json"]).json();
    let a = seat(&rows, "a");
    let token = matches!(line, Line::Realized | Line::Running);
    assert_eq!(a["token"].is_string(), token, "{what}: {a:#}");
    if dies_with_its_launcher(faked, point) {
        // It made nothing: a new attempt, and one conversation a seat.
        let report = scene.holds(what);
        assert_eq!(seat(&report, "a")["attempt"], 2, "{what}");
        assert_eq!((scene.made_of_a().len(), scene.children().len()), (2, 2), "{what}");
        return;
    }
    scene.table_holds(line, what);
}
