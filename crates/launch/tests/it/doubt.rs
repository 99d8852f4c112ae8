//! Where evidence cannot be looked at, and what is said and kept then: an error is not an absence (SPEC 7, 8).

use crate::crash::kill_at;
use crate::panes::{files, the_rig};
use crate::support::{SOURCE, World, fork, fresh, only, rig, run, terminal};
use seatfork_launch::{
    AdoptSeatError, Cancel, CrashPoint, CrashPoints, DownDepth, ExitClass, LineageAsked,
    ReconcileOptions, Target, UpOptions, adopt_orphan, down, lineage, reconcile, target, verify,
};
use seatfork_schema::{LaunchCode, LaunchState, NativeId, RigSpec};
use seatfork_store::{Mode, Store};
use std::time::Duration;

const POLICY: &str = "resume_if_possible";
const APPLY: ReconcileOptions = ReconcileOptions { apply: true, allow_yolo: false };

fn one_fork() -> RigSpec {
    rig(&[fork("a")])
}

/// Moves the source away, and back.
fn away(world: &World, is_away: bool) {
    let (here, there) = (world.record(SOURCE), world.root.join("unmounted"));
    let (from, to) = if is_away { (here, there) } else { (there, here) };
    std::fs::rename(from, to).unwrap();
}

// SPEC 7, 8: a source that cannot be looked at refutes nothing: the launch stays open and no second fork is made.
#[test]
fn a_recovery_that_cannot_verify_burns_nothing_and_finishes_later() {
    let world = World::new();
    kill_at(&world, CrashPoint::AfterPhase1, POLICY);
    let child = world.children()[0].clone();
    away(&world, true);
    let report = run(world.up(&one_fork()));
    let seat = only(&report);
    assert_eq!(report.exit, ExitClass::Failed, "{seat:#?}");
    let error = seat.error.as_ref().unwrap();
    assert_eq!(
        (error.code.as_str(), seat.launch_state),
        ("source-gone", Some(LaunchState::Forking))
    );
    assert_eq!(world.calls("make").len(), 1, "nothing was started beside it");
    away(&world, false);
    let report = run(world.up(&one_fork()));
    assert_eq!(report.exit, ExitClass::Ok, "{report:#?}");
    assert_eq!(only(&report).token.as_deref(), Some(child.as_str()));
    assert_eq!((world.calls("make").len(), world.launches().len()), (1, 1));
}

// SPEC 7: the child of a launch whose proof could not be made is an orphan to be adopted, not a refused one.
#[test]
fn a_child_that_could_not_be_verified_is_an_orphan_and_no_partial_child() {
    let world = World::new();
    let spec = one_fork();
    run(async {
        let planned = world.plan(&spec).await;
        world.mode("slow");
        let source = world.record(SOURCE);
        let gone = async move {
            tokio::time::sleep(Duration::from_millis(500)).await;
            std::fs::rename(&source, source.with_extension("away")).unwrap();
        };
        let work = tokio::spawn(seatfork_launch::up(world.plain(), planned, UpOptions::default()));
        // The copy is made from a name of its own.
        std::fs::hard_link(world.record(SOURCE), world.record(".kept")).unwrap();
        gone.await;
        work.await.unwrap().unwrap();
    });
    std::fs::rename(world.record(SOURCE).with_extension("away"), world.record(SOURCE)).unwrap();
    let lost = world.launches().remove(0);
    assert_eq!(lost.failed_step.as_deref(), Some("prove"), "{lost:#?}");
    let shown = run(reconcile(&world.plain(), None, ReconcileOptions::default())).unwrap();
    assert_eq!(shown.items[0].code, LaunchCode::OrphanFound, "{shown:#?}");
    let id = lost.planned_child.unwrap().conversation().native_id.clone();
    run(adopt_orphan(&world.plain(), &id, false)).unwrap();
    assert_eq!(world.token().as_deref(), Some(id.as_str()));
}

// SPEC 7, 13: what is applied and does not come up is not `done`: exit 1, with its error.
#[test]
fn an_applied_reconcile_says_that_a_pane_failed() {
    for (mode, code) in [("dies", "pane-failed"), ("asks", "attention-trust")] {
        let world = World::new();
        kill_at(&world, CrashPoint::AfterRealized, POLICY);
        world.mode(mode);
        let report = run(reconcile(&world.plain(), None, APPLY)).unwrap();
        let item = &report.items[0];
        assert_eq!(item.error.as_ref().map(|error| error.code.as_str()), Some(code), "{item:#?}");
        assert_eq!((report.exit, report.ok), (ExitClass::Failed, false), "{mode}");
    }
}

// SPEC 7: an abandoned launch is what the plan said: done, and no failure.
#[test]
fn an_applied_reconcile_abandons_what_made_nothing() {
    let world = World::new();
    kill_at(&world, CrashPoint::BeforeSpawn, POLICY);
    let report = run(reconcile(&world.plain(), None, APPLY)).unwrap();
    assert!(report.items[0].done.as_ref().unwrap().contains("abandoned"), "{report:#?}");
    assert_eq!(report.exit, ExitClass::Ok, "{report:#?}");
}

// SPEC 7, 13: Ctrl-C: nothing more is begun; 130 comes first.
#[test]
fn an_interrupted_reconcile_starts_nothing_more() {
    let world = World::new();
    kill_at(&world, CrashPoint::AfterRealized, POLICY);
    let cancel = Cancel::new();
    cancel.request();
    let ground = world.ground(CrashPoints::none(), cancel);
    let report = run(reconcile(&ground, None, APPLY)).unwrap();
    assert_eq!(report.exit, ExitClass::Interrupted, "{report:#?}");
    assert_eq!(world.running_panes(), 0);
}

/// A failed launch with a late child of ours on disk.
fn orphan(world: &World) -> NativeId {
    world.mode("fail");
    run(world.up(&one_fork()));
    let late = world.launches()[0].planned_child.clone().unwrap();
    let late = late.conversation().native_id.clone();
    std::fs::copy(world.record(SOURCE), world.record(late.as_str())).unwrap();
    late
}

// SPEC 7, 13: an adoption that fails says why by its own code: a refuted proof is no conflict.
#[test]
fn an_adoption_that_fails_keeps_its_own_code_and_exit() {
    let world = World::new();
    let late = orphan(&world);
    std::fs::write(world.record(late.as_str()), "another history\n").unwrap();
    let error = run(adopt_orphan(&world.plain(), &late, false)).unwrap_err();
    assert_eq!((error.code(), error.exit()), ("proof-failed", ExitClass::Failed), "{error}");
    let world = World::new();
    let late = orphan(&world);
    away(&world, true);
    let error = run(adopt_orphan(&world.plain(), &late, false)).unwrap_err();
    assert_eq!((error.code(), error.exit()), ("source-gone", ExitClass::Failed), "{error}");
    away(&world, false);
    run(adopt_orphan(&world.plain(), &late, false)).unwrap();
    let error = run(adopt_orphan(&world.plain(), &late, false)).unwrap_err();
    assert!(matches!(error, AdoptSeatError::NoOrphan { .. }), "{error}");
}

// SPEC 7, 13: a store that refuses before anything is stored: exit 7, by its code.
#[test]
fn an_adoption_the_store_refuses_is_no_conflict() {
    let world = World::new();
    let late = orphan(&world);
    let ground = world.plain();
    let path = world.store_path();
    run(ground.store.ask(move |store| *store = Store::open(&path, Mode::ReadOnly).unwrap()));
    let error = run(adopt_orphan(&ground, &late, false)).unwrap_err();
    assert_eq!((error.code(), error.exit()), ("store-unwritable", ExitClass::NotReady), "{error}");
}

// SPEC 7: conversations stay and are named: also one whose token was never stored, and whose rescue file goes.
#[test]
fn a_purge_names_a_conversation_whose_token_was_never_stored() {
    let world = World::new();
    world.mode("slow");
    kill_at(&world, CrashPoint::RescueWritten, POLICY);
    let child = world.children()[0].clone();
    assert_eq!(files(&world.root.join("state/rescue")), 1);
    let report = run(world.down(DownDepth::Purge));
    assert_eq!(files(&world.root.join("state/rescue")), 0, "{report:#?}");
    let kept: Vec<_> = report.kept.iter().map(|kept| kept.native_id.clone()).collect();
    assert_eq!(kept, [child]);
}

// SPEC 7: `--purge` is not lost by an earlier `--forget`: what is kept beside the store goes, by the rig's name.
#[test]
fn a_purge_can_follow_a_forget() {
    let world = World::new();
    world.mode("fail");
    run(world.up(&one_fork()));
    let known = the_rig(&world);
    run(world.down(DownDepth::Forget));
    assert_eq!(files(&world.root.join("state/output")), 2);
    let Target::Rig(rig) = &known else { panic!("a rig") };
    let found = run(seatfork_launch::forgotten(&world.plain().store, "R")).unwrap();
    assert_eq!(found.iter().map(|rig| rig.id).collect::<Vec<_>>(), [rig.id]);
    let report = run(down(&world.plain(), &found[0], DownDepth::Purge)).unwrap();
    assert_eq!(report.exit, ExitClass::Ok, "{report:#?}");
    assert_eq!((report.removed.len(), files(&world.root.join("state/output"))), (2, 0));
}

// SPEC 7, 11: lineage rows stay: a forgotten rig's conversations are still told.
#[test]
fn lineage_is_not_forgotten_with_a_rig() {
    let world = World::new();
    run(world.up(&one_fork()));
    let token = world.token().unwrap();
    run(world.down(DownDepth::Forget));
    let report = run(lineage(&world.plain().offline(), &LineageAsked::All)).unwrap();
    assert!(report.nodes.iter().any(|node| node.native_id == token), "{report:#?}");
    assert_eq!(report.edges.len(), 1);
}

// SPEC 7, 13: `output` holds the runtime's own words, live and stored alike; secret shapes are masked.
#[test]
fn the_words_of_a_failed_launch_are_told_again_from_the_store() {
    let world = World::new();
    world.mode("fail");
    let live = only(&run(world.up(&one_fork()))).error.clone().unwrap();
    let stored = run(world.ps()).seats[0].error.clone().unwrap();
    assert!(live.output.as_ref().unwrap().contains("no good"), "{live:?}");
    assert!(live.output.as_ref().unwrap().contains("[masked]"), "{live:?}");
    assert_eq!(stored.output, live.output);
    run(world.down(DownDepth::Stop));
    std::fs::remove_dir_all(world.root.join("state/output")).unwrap();
    assert_eq!(run(world.ps()).seats[0].error.as_ref().unwrap().output, None);
}

// SPEC 8: every seat without a conversation to look at is named, not only the first.
#[test]
fn verify_names_every_seat_it_skips() {
    let world = World::new();
    run(world.up(&rig(&[terminal("s"), fresh("b"), terminal("t")])));
    let report = run(verify(&world.plain().offline(), None)).unwrap();
    let said: Vec<_> = report.skipped.iter().map(|said| said.message.as_str()).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("p-s@r") && said[1].contains("p-t@r"), "{said:?}");
    assert!(run(target(&world.plain().store, "s")).is_ok());
}
