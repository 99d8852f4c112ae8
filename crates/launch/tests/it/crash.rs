//! Death at every named point, by SIGKILL of a real process, and what the next `up` makes of it (SPEC 7's table).

use crate::support::{SOURCE, World, fork, only, rig, run};
use camino::Utf8Path;
use seatfork_launch::{
    Action, Cancel, CrashPoint, CrashPoints, DownDepth, ExitClass, LaunchCode, ReconcileOptions,
    SeatReport, reconcile,
};
use seatfork_schema::{ContinuityOutcome, LaunchState, ProcessState, RigSpec};
use seatfork_store::{Mode, Store};
use serde_json::json;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

/// The variable that turns the test below into the process that dies: `point root policy`.
const VICTIM: &str = "SEATFORK_TEST_VICTIM";

fn die() {
    let me = rustix::process::getpid();
    rustix::process::kill_process(me, rustix::process::Signal::KILL).unwrap();
    loop {
        std::thread::park();
    }
}

fn spec(policy: &str) -> RigSpec {
    let mut member = fork("a");
    member["restore_policy"] = json!(policy);
    rig(&[member])
}

/// Not a test of its own: the process that dies. Run without its variable it has nothing to do.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test process is told by a variable that it is the victim"
)]
fn victim() {
    let Ok(told) = std::env::var(VICTIM) else { return };
    let [point, root, policy] = told.split(' ').collect::<Vec<_>>()[..] else { panic!("{told}") };
    let point = CrashPoint::from_word(point).unwrap();
    let world = World::of_another(Utf8Path::new(root));
    let ground = world.ground(CrashPoints::armed(point, die), Cancel::new());
    let (store, path) = (ground.store.clone(), world.store_path());
    run(async {
        if point == CrashPoint::RescueWritten {
            // The store turns read-only while the runtime works.
            tokio::spawn(async move {
                tokio::time::sleep(std::time::Duration::from_millis(500)).await;
                store.ask(move |store| *store = Store::open(&path, Mode::ReadOnly).unwrap()).await;
            });
        }
        world.up_on(ground, &spec(policy)).await.unwrap();
    });
    panic!("{point} was never reached");
}

/// Has `up` die at a point.
#[expect(clippy::disallowed_methods, reason = "the victim is this very test program")]
pub(crate) fn kill_at(world: &World, point: CrashPoint, policy: &str) {
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::victim", "--nocapture"])
        .env(VICTIM, format!("{point} {} {policy}", world.root))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.signal(), Some(9), "{point}: {status}");
}

/// Nothing lost, nothing doubled: one seat, one pane, one token on disk that is not the source, every
/// other child accounted for, and a further `up` has nothing to do.
fn holds(world: &World, point: CrashPoint, policy: &str) -> SeatReport {
    let report = run(world.up(&spec(policy)));
    let seat = only(&report).clone();
    assert_eq!(report.exit, ExitClass::Ok, "{point}: {seat:#?}");
    assert_eq!(seat.process_state, ProcessState::Ready, "{point}");
    let token = seat.token.clone().unwrap();
    assert_ne!(token, SOURCE, "{point}");
    assert!(world.children().contains(&token), "{point}");
    assert_eq!(world.running_panes(), 1, "{point}");
    assert!(world.seat().open_launch.is_none(), "{point}");
    let again = run(world.up(&spec(policy)));
    assert_eq!(only(&again).action, Action::Unchanged, "{point}");
    assert_eq!(only(&again).token.as_ref(), Some(&token), "{point}");
    seat
}

/// What `reconcile` shows.
fn found(world: &World) -> Vec<LaunchCode> {
    let shown = run(reconcile(&world.plain(), None, ReconcileOptions::default())).unwrap();
    shown.items.iter().map(|item| item.code).collect()
}

fn says(seat: &SeatReport, code: LaunchCode) -> bool {
    seat.warnings.iter().any(|finding| finding.code == code)
}

const POLICY: &str = "resume_if_possible";

// SPEC 7: died after declared or resolved: free lock, no mark; abandoned, then a new attempt with a new child id.
#[test]
fn a_launch_that_died_before_it_started_anything_is_abandoned_and_tried_anew() {
    for point in [CrashPoint::AfterDeclared, CrashPoint::AfterResolved] {
        let world = World::new();
        kill_at(&world, point, POLICY);
        assert!(world.calls("make").is_empty(), "{point}");
        let seat = holds(&world, point, POLICY);
        assert_eq!(seat.attempt, Some(2), "{point}");
        let launches = world.launches();
        assert_eq!(launches[0].state, LaunchState::Abandoned, "{point}");
        assert_ne!(launches[0].planned_child, launches[1].planned_child, "{point}");
        assert_eq!(world.calls("make").len(), 1, "{point}");
    }
}

// SPEC 7: forking written and nothing made: free lock, no process, no mark; abandoned, new attempt.
// code: interrupted-launch, launch-abandoned
#[test]
fn a_launch_that_died_at_the_brink_of_forking_is_abandoned_and_tried_anew() {
    let world = World::new();
    kill_at(&world, CrashPoint::BeforeSpawn, POLICY);
    assert_eq!(world.launches()[0].state, LaunchState::Forking);
    assert_eq!(found(&world), [LaunchCode::InterruptedLaunch]);
    holds(&world, CrashPoint::BeforeSpawn, POLICY);
    let abandoned = &world.launches()[0];
    assert_eq!(abandoned.state, LaunchState::Abandoned);
    assert_eq!(abandoned.error.as_ref().unwrap().code, "launch-abandoned");
    assert_eq!(world.calls("make").len(), 1);
}

// SPEC 7: a rig that is forgotten ends what a dead owner's launch started, and closes the launch as taken down.
// code: taken-down
#[test]
fn forgetting_a_rig_ends_and_closes_what_a_dead_owner_began() {
    let world = World::new();
    world.mode("hang");
    kill_at(&world, CrashPoint::AfterSpawnRecorded, POLICY);
    let process = world.launches()[0].phase1.clone().unwrap();
    let seat = world.seat().seat.id;
    let report = run(world.down(DownDepth::Forget));
    assert_eq!(report.exit, ExitClass::Ok, "{report:#?}");
    assert!(report.seats[0].retired);
    let process =
        seatfork_process::ProcessId { pid: process.pid, start: process.start.parse().unwrap() };
    assert!(!process.alive().unwrap());
    let launch = world.store().launches_of(seat).unwrap().remove(0);
    assert_eq!(launch.state, LaunchState::Failed);
    assert_eq!(launch.error.unwrap().code, "taken-down");
}

// SPEC 7: runtime spawned: its process is waited for, and what it makes is proved and stored; no second fork.
#[test]
fn a_runtime_that_outlives_its_launcher_is_waited_for_and_its_child_taken() {
    for point in [CrashPoint::AfterSpawn, CrashPoint::AfterSpawnRecorded] {
        let world = World::new();
        world.mode("slow");
        kill_at(&world, point, POLICY);
        assert!(world.children().is_empty(), "{point}");
        let recorded = world.launches()[0].phase1.is_some();
        assert_eq!(recorded, point == CrashPoint::AfterSpawnRecorded);
        let seat = holds(&world, point, POLICY);
        assert_eq!(seat.attempt, Some(1), "{point}");
        assert!(says(&seat, LaunchCode::FinishedInterrupted), "{point}: {seat:#?}");
        assert_eq!(world.calls("make").len(), 1, "{point}");
        assert_eq!(world.children().len(), 1, "{point}");
    }
}

// SPEC 7: a process with our nonce that does not end is ended at its deadline, never retried beside it.
#[test]
fn a_runtime_that_hangs_after_its_launcher_died_is_ended_before_a_new_attempt() {
    let world = World::new();
    world.mode("hang");
    kill_at(&world, CrashPoint::AfterSpawnRecorded, POLICY);
    let old = world.launches()[0].phase1.clone().unwrap();
    world.mode("ok");
    let seat = holds(&world, CrashPoint::AfterSpawnRecorded, POLICY);
    assert_eq!(seat.attempt, Some(2));
    let old = seatfork_process::ProcessId { pid: old.pid, start: old.start.parse().unwrap() };
    assert!(!old.alive().unwrap());
    assert_eq!(world.launches()[0].state, LaunchState::Abandoned);
}

// SPEC 7: child complete: the mark is proved and stored by the same code as the live path, and said.
// code: finished-interrupted-launch
#[test]
fn a_complete_child_of_a_dead_launcher_is_proved_and_stored_without_a_second_fork() {
    for point in [CrashPoint::AfterPhase1, CrashPoint::AfterProof] {
        let world = World::new();
        kill_at(&world, point, POLICY);
        let made = world.children();
        let seat = holds(&world, point, POLICY);
        assert_eq!(Some(&made[0]), seat.token.as_ref(), "{point}");
        assert!(says(&seat, LaunchCode::FinishedInterrupted), "{point}");
        assert_eq!(seat.continuity_outcome, Some(ContinuityOutcome::Forked), "{point}");
        assert_eq!(world.calls("make").len(), 1, "{point}");
    }
}

// SPEC 7: store unwritable at realized, and dead right after: later finished as any other, without a second fork.
#[test]
fn a_rescued_token_survives_the_death_of_its_launcher() {
    let world = World::new();
    world.mode("slow");
    kill_at(&world, CrashPoint::RescueWritten, POLICY);
    let rescues = world.root.join("state/rescue");
    assert_eq!(rescues.read_dir().unwrap().count(), 1);
    assert_eq!(world.launches()[0].state, LaunchState::Forking);
    let seat = holds(&world, CrashPoint::RescueWritten, POLICY);
    assert_eq!((seat.attempt, world.calls("make").len()), (Some(1), 1));
    assert_eq!(rescues.read_dir().unwrap().count(), 0, "the store has it now");
}

// SPEC 7: and so again, should the one who finishes it die as well.
#[test]
fn a_recovery_that_dies_is_recovered() {
    let world = World::new();
    kill_at(&world, CrashPoint::AfterPhase1, POLICY);
    kill_at(&world, CrashPoint::RecoveredProof, POLICY);
    kill_at(&world, CrashPoint::AfterRealized, POLICY);
    let seat = holds(&world, CrashPoint::RecoveredProof, POLICY);
    assert_eq!(seat.attempt, Some(1));
    assert_eq!(world.calls("make").len(), 1);
}

// SPEC 7: child partial: proof refuses, its id is burned, the leftover is named and stays.
// code: partial-child
#[test]
fn a_partial_child_of_a_dead_launcher_is_refused_named_and_left() {
    for mode in ["partial", "empty", "other"] {
        let world = World::new();
        world.mode(mode);
        kill_at(&world, CrashPoint::AfterPhase1, POLICY);
        let partial = world.children();
        world.mode("ok");
        let seat = holds(&world, CrashPoint::AfterPhase1, POLICY);
        assert_ne!(Some(&partial[0]), seat.token.as_ref(), "{mode}");
        assert!(says(&seat, LaunchCode::PartialChild), "{mode}: {seat:#?}");
        assert!(world.children().contains(&partial[0]), "{mode}: nothing is deleted");
        assert_eq!(world.launches()[0].state, LaunchState::Failed, "{mode}");
    }
}

// SPEC 7: realized, no pane: the pane is opened by plain resume and belongs to that launch.
// code: no-pane
#[test]
fn a_realized_seat_without_a_pane_gets_it_from_its_own_launch() {
    let world = World::new();
    kill_at(&world, CrashPoint::AfterRealized, POLICY);
    assert_eq!(world.running_panes(), 0);
    assert_eq!(found(&world), [LaunchCode::NoPane]);
    let seat = holds(&world, CrashPoint::AfterRealized, POLICY);
    assert_eq!(seat.attempt, Some(1));
    assert_eq!(world.launches().len(), 1);
    assert_eq!(world.calls("serve"), [seat.token.unwrap()]);
}

// SPEC 7: pane made, not recorded: the session of that name and nonce is adopted.
#[test]
fn a_pane_that_was_not_written_down_is_adopted_by_its_name_and_nonce() {
    for point in [CrashPoint::AfterPane, CrashPoint::AfterPaneRecorded] {
        let world = World::new();
        kill_at(&world, point, POLICY);
        assert_eq!(world.running_panes(), 1, "{point}");
        let recorded = world.seat().last_pane.is_some();
        assert_eq!(recorded, point == CrashPoint::AfterPaneRecorded);
        let seat = holds(&world, point, POLICY);
        assert_eq!(seat.attempt, Some(1), "{point}");
        assert_eq!(world.calls("serve").len(), 1, "{point}: no second pane");
    }
}

// SPEC 7, 13: a pane that a dead owner opened a moment ago is waited for like one of our own.
#[test]
fn a_recorded_pane_that_still_starts_is_waited_for() {
    let world = World::new();
    world.mode("drowsy");
    kill_at(&world, CrashPoint::AfterPaneRecorded, POLICY);
    let seat = holds(&world, CrashPoint::AfterPaneRecorded, POLICY);
    assert_eq!((seat.attempt, seat.action), (Some(1), Action::Unchanged));
    assert_eq!(world.calls("serve").len(), 1);
}

// SPEC 7: a resume that died at any point is settled: the same token, one pane, no fork.
#[test]
fn a_resume_that_died_at_any_point_brings_the_same_token_back() {
    for point in [
        CrashPoint::AfterDeclared,
        CrashPoint::AfterResolved,
        CrashPoint::BeforeSpawn,
        CrashPoint::AfterPane,
        CrashPoint::AfterPaneRecorded,
        CrashPoint::AfterRealized,
    ] {
        let world = World::new();
        let first = run(world.up(&spec(POLICY)));
        let token = only(&first).token.clone();
        run(world.down(DownDepth::Stop));
        kill_at(&world, point, POLICY);
        let seat = holds(&world, point, POLICY);
        assert_eq!(seat.token, token, "{point}");
        assert_eq!(seat.continuity_outcome, Some(ContinuityOutcome::Resumed), "{point}: {seat:#?}");
        assert_eq!(world.calls("make").len(), 1, "{point}");
        // One for the first start, one for the resume: nothing was opened twice.
        assert_eq!(world.calls("serve").len(), 2, "{point}");
    }
}

// SPEC 7: a fresh relaunch that died leaves the old occupant, or has the new one; never both, never neither.
#[test]
fn a_fresh_relaunch_that_died_ends_with_exactly_one_occupant() {
    let policy = "relaunch_fresh";
    for point in [
        CrashPoint::BeforeRelaunch,
        CrashPoint::AfterDeclared,
        CrashPoint::BeforeSpawn,
        CrashPoint::AfterPhase1,
        CrashPoint::AfterProof,
        CrashPoint::AfterRealized,
        CrashPoint::AfterPane,
    ] {
        let world = World::new();
        let first = run(world.up(&spec(policy)));
        let old = only(&first).token.clone();
        run(world.down(DownDepth::Stop));
        kill_at(&world, point, policy);
        let seat = holds(&world, point, policy);
        assert_ne!(seat.token, old, "{point}");
        assert_eq!(seat.continuity_outcome, Some(ContinuityOutcome::Fresh), "{point}");
        let id = world.seat().seat.id;
        let occupants = world.store().occupants_of(id).unwrap();
        assert_eq!(occupants.len(), 2, "{point}");
        assert!(occupants[0].ended.is_some() && occupants[1].ended.is_none(), "{point}");
        // The fork of the start, and one fresh conversation.
        assert_eq!(world.calls("make").len(), 2, "{point}");
    }
}
