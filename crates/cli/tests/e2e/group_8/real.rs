//! The real Claude Code under launchers that are killed, and launchers killed at odd moments.

use std::fs;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use seatfork_launch::CrashPoint;

use super::scene::{Kind, Line, Scene, line};
use crate::support::{Faked, Place, newest, seat, timed};

// SPEC 7: the same with the real Claude Code, at the points that matter most to it.
#[test]
fn the_real_runtime_killed_with_its_launcher_loses_nothing() {
    for (point, kind) in [
        (CrashPoint::BeforeSpawn, Kind::Fork),
        (CrashPoint::AfterSpawnRecorded, Kind::Fork),
        (CrashPoint::AfterSpawn, Kind::Fresh),
        (CrashPoint::AfterPhase1, Kind::Fork),
        (CrashPoint::AfterRealized, Kind::Fresh),
        (CrashPoint::AfterPane, Kind::Fork),
        (CrashPoint::AfterPaneRecorded, Kind::Fresh),
    ] {
        let what = format!("real, {point}, {kind:?}");
        timed(&what, || {
            let place = Place::new(&newest());
            let parent = place.make_parent(&place.work, 2);
            place.stub.forget();
            let policy = "resume_if_possible";
            let scene = Scene::new(&place, &parent, kind, policy);
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

// SPEC 7: killed by anybody at any moment, not only at points of ours.
#[test]
fn a_launcher_killed_at_odd_moments_loses_nothing() {
    for ms in [40, 90, 160, 260, 400] {
        timed(&format!("killed after {ms} ms"), || {
            let faked = Faked::new();
            let scene = Scene::of(&faked, Kind::Fork);
            let up = faked.start(["up", "--json", "--jobs", "2", "work/rig.yaml"]);
            thread::sleep(Duration::from_millis(ms));
            if fs::metadata(format!("/proc/{}", up.pid())).is_ok() {
                up.signal(Signal::KILL);
            }
            drop(up.wait());
            let report = scene.holds(&format!("killed after {ms} ms"));
            for member in ["a", "b"] {
                assert!(seat(&report, member)["attempt"].as_u64().unwrap() <= 2);
            }
        });
    }
}
