//! Launchers of the real Codex, killed at the points that matter most to it.

use seatfork_launch::CrashPoint;
use seatfork_testkit::world::Parent;

use super::with_parent;
use crate::group_8::scene::{Kind, Line, Scene, line};
use crate::support::{seat, timed};

// SPEC 7: the real Codex killed with its launcher loses nothing, doubles nothing, and is found by its mark.
#[test]
fn the_real_codex_killed_with_its_launcher_loses_nothing() {
    for (point, kind) in [
        (CrashPoint::BeforeSpawn, Kind::Fork),
        (CrashPoint::AfterSpawnRecorded, Kind::Fork),
        (CrashPoint::AfterPhase1, Kind::Fork),
        (CrashPoint::AfterPhase1, Kind::Fresh),
        (CrashPoint::AfterRealized, Kind::Fresh),
        (CrashPoint::AfterPane, Kind::Fork),
    ] {
        let what = format!("real Codex, {point}, {kind:?}");
        timed(&what, || {
            let (place, thread) = with_parent(2);
            let parent = Parent {
                id: thread.id,
                codewords: thread.codewords,
                left_out: Vec::new(),
                path: thread.path,
                cwd: thread.cwd,
            };
            let scene = Scene::new(&place, &parent, kind, "resume_if_possible");
            scene.killed_at(point);
            match line(point) {
                // What a process does whose launcher is gone is its own affair: it is over first, then looked at.
                Some(Line::Finished) if point != CrashPoint::AfterPhase1 => {
                    let report = scene.holds(&what);
                    let attempt = seat(&report, "a")["attempt"].as_u64().unwrap();
                    assert_eq!(scene.made_of_a().len() as u64, attempt, "{what}");
                }
                Some(line) => scene.table_holds(line, &what),
                None => unreachable!("not among them"),
            }
            assert!(place.stub.model_calls().is_empty(), "{what}: nobody spoke");
        });
    }
}
