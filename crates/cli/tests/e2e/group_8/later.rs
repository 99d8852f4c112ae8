//! What comes after a launcher died: runtimes that hang, partial children, resumes and relaunches.

use seatfork_launch::CrashPoint;
use seatfork_testkit::fake::{Act, ChildChange, Phase, Script};
use serde_json::json;

use super::scene::{Kind, Scene, assert_killed};
use crate::support::{Calls, Faked, Kind as RuntimeKind, Rig, codes, runs, seat, text, timed};

// SPEC 7: a runtime that hangs after its launcher died is ended at its deadline, and only then a new one is started.
#[test]
fn a_runtime_that_hangs_after_its_launcher_died_is_ended_before_a_new_attempt() {
    for (kind, phase) in [(Kind::Fork, Phase::Fork), (Kind::Fresh, Phase::Fresh)] {
        let faked =
            Faked::told(&Script::faithful().on_nth(phase, 0, [Act::Hang { stubborn: true }]));
        let scene = Scene::of(&faked, kind);
        scene.killed_at(CrashPoint::AfterSpawnRecorded);
        let hung = scene.calls.wait_for_made(1);
        assert!(runs(hung.pid));
        let up = ["up", "--phase1-timeout", "2", "work/rig.yaml"];
        let up = timed("ended first", || faked.run(up).exits(0));
        let waiting = format!("waiting for process {}", hung.pid);
        assert!(up.stderr().contains(&waiting), "{up}");
        assert!(!runs(hung.pid));
        let made = scene.made_of_a();
        assert_eq!(made.len(), 2);
        assert!(!made[1].beside.contains(&hung.pid), "started beside it");
        let report = scene.holds("hung");
        assert_eq!(seat(&report, "a")["attempt"], 2);
    }
}

// SPEC 7: a partial child of a dead launcher: proof refuses, its id is burned, the leftover is named and stays.
#[test]
fn a_partial_child_of_a_dead_launcher_is_refused_named_and_left() {
    for change in
        [ChildChange::Partial { rows: 4 }, ChildChange::ZeroBytes, ChildChange::TornLastLine]
    {
        let what = format!("{change:?}");
        let faked =
            Faked::told(&Script::faithful().on_nth(Phase::Fork, 0, [Act::Child { change }]));
        let scene = Scene::of(&faked, Kind::Fork);
        scene.killed_at(CrashPoint::AfterPhase1);
        let partial = scene.children();
        assert_eq!(partial.len(), 1, "{what}");
        let report = scene.holds(&what);
        let a = seat(&report, "a");
        assert_eq!((&a["attempt"], scene.made_of_a().len()), (&json!(2), 2), "{what}: {a:#}");
        assert!(codes(&a["warnings"]).contains(&"partial-child"), "{what}: {a:#}");
        assert!(scene.children().is_superset(&partial), "{what}: nothing is deleted");
    }
}

// SPEC 7: a resume killed at any point brings the same token back, once.
#[test]
fn a_resume_killed_at_any_point_brings_the_same_token_back_in_one_pane() {
    for point in [
        CrashPoint::AfterDeclared,
        CrashPoint::AfterResolved,
        CrashPoint::BeforeSpawn,
        CrashPoint::AfterPane,
        CrashPoint::AfterPaneRecorded,
        CrashPoint::AfterRealized,
    ] {
        timed(&format!("resume, {point}"), || {
            let faked = Faked::new();
            let scene = Scene::of(&faked, Kind::Fork);
            let (code, first) = faked.up();
            assert_eq!(code, 0, "{first:#}");
            drop(faked.run(["down", "review"]).exits(0));
            scene.killed_at(point);
            let what = format!("resume killed {point}");
            let report = scene.holds(&what);
            for member in ["a", "b"] {
                let (now, then) = (seat(&report, member), seat(&first, member));
                assert_eq!(now["token"], then["token"], "{what}");
                assert_eq!(now["continuity_outcome"], "resumed", "{what}: {now:#}");
            }
            assert_eq!(scene.calls.made().len(), 2, "{what}: nothing is forked anew");
            // Two for the first start, two to come back.
            assert_eq!(scene.calls.panes().len(), 4, "{what}");
        });
    }
}

// SPEC 7: a fresh relaunch killed at any point leaves one occupant: the old one until the new one is stored.
#[test]
fn a_fresh_relaunch_killed_at_any_point_leaves_one_occupant() {
    let points = [
        CrashPoint::BeforeRelaunch,
        CrashPoint::BeforeSpawn,
        CrashPoint::AfterPhase1,
        CrashPoint::AfterProof,
        CrashPoint::AfterRealized,
        CrashPoint::AfterPane,
    ];
    for point in points {
        timed(&format!("relaunch, {point}"), || {
            let faked = Faked::new();
            let scene = Scene::new(&faked, &faked.parent, Kind::Fork, "relaunch_fresh");
            let (code, first) = faked.up();
            assert_eq!(code, 0, "{first:#}");
            let old = text(seat(&first, "a"), "/token").to_owned();
            drop(faked.run(["down", "review"]).exits(0));
            scene.killed_at(point);
            let what = format!("relaunch killed {point}");
            let (code, report) = faked.up();
            assert_eq!(code, 0, "{what}: {report:#}");
            let a = seat(&report, "a");
            assert_ne!(text(a, "/token"), old, "{what}");
            assert_eq!(a["continuity_outcome"], "fresh", "{what}: {a:#}");
            assert!(a["source"].is_null(), "{what}: the source was not read: {a:#}");
            assert_eq!(scene.made_of_a().len(), 2, "{what}: once forked, once fresh");
            assert_eq!(scene.children().len(), 3, "{what}");
            assert_eq!(faked.tmux_sessions().len(), 2, "{what}");
            let made = scene.calls.made().len();
            let (code, again) = faked.up();
            let now = seat(&again, "a");
            assert_eq!(
                (code, &now["action"], &now["token"]),
                (0, &json!("unchanged"), &a["token"])
            );
            assert_eq!(scene.calls.made().len(), made, "{what}");
        });
    }
}

// SPEC 6, 7: the member's profile goes with every start, also with a pane that `reconcile` opens, which reads no spec.
#[test]
fn a_pane_that_reconcile_opens_has_the_members_profile() {
    let faked = Faked::codex();
    let rig = Rig::named("review").of(RuntimeKind::Codex);
    faked.rig(&rig.fork("a", &faked.parent.id).with("codex_config_profile: deep"));
    let calls = Calls::watch(&faked);
    let mut up = faked.command(env!("CARGO_BIN_EXE_seatfork"));
    up.args(["up", "--json", "work/rig.yaml"]);
    up.env("SEATFORK_CRASH_AT", CrashPoint::AfterRealized.as_str());
    assert_killed(&faked.start_command(up, "seatfork").wait(), CrashPoint::AfterRealized);
    assert!(calls.panes().is_empty());
    drop(faked.run(["reconcile", "--apply"]).exits(0));
    let panes = calls.panes();
    assert_eq!(panes.len(), 1, "{panes:#?}");
    assert_eq!(panes[0].option("--profile"), Some("deep"), "{panes:#?}");
}
