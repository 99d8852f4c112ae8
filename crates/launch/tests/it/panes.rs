//! What a pane serves, and what is left of one: no more is claimed than was seen (SPEC 6, 7).

use crate::crash::kill_at;
use crate::support::{World, fork, only, rig, run, terminal};
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_launch::converge::Act;
use seatfork_launch::{
    Action, CrashPoint, DownAction, DownDepth, ExitClass, Finding, Ground, Target, foresee, ps,
};
use seatfork_schema::{ContinuityOutcome, LaunchCode, LaunchState, ProcessState};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ANOTHER: &str = "ffffffff-0000-4000-8000-000000000000";

// SPEC 6: (4) the first pane is proved to serve the new id: one that serves another is ended, and no success.
#[test]
fn a_first_pane_that_serves_another_conversation_is_ended_and_no_success() {
    let world = World::new();
    world.mode("other-pane");
    let spec = rig(&[fork("a")]);
    let report = run(world.up(&spec));
    let seat = only(&report);
    assert_eq!(report.exit, ExitClass::Failed, "{seat:#?}");
    // The conversation was made and proved; only its pane is not what it should be.
    assert_eq!(seat.continuity_outcome, Some(ContinuityOutcome::Forked));
    let error = seat.error.as_ref().unwrap();
    assert_eq!(error.code, "serves-another-conversation");
    assert!(error.message.contains(ANOTHER), "{error:?}");
    assert_eq!(seat.failed_step.as_deref(), Some("ready"));
    assert_eq!((seat.process_state, world.running_panes()), (ProcessState::Exited, 0));
    let process = world.seat().last_pane.unwrap().process;
    let process =
        seatfork_process::ProcessId { pid: process.pid, start: process.start.parse().unwrap() };
    assert!(!process.alive().unwrap(), "said to have ended, and it goes on");
    world.mode("ok");
    let back = run(world.up(&spec));
    assert_eq!(back.exit, ExitClass::Ok, "{back:#?}");
    assert_eq!(only(&back).token, seat.token);
    assert_eq!(world.calls("make").len(), 1);
}

// SPEC 7: what a pane of an interrupted launch was made to serve since is its user's: told, never ended.
#[test]
fn an_adopted_pane_that_was_rotated_meanwhile_is_told_and_left() {
    let world = World::new();
    kill_at(&world, CrashPoint::AfterPane, "resume_if_possible");
    let serving = world.home().join("serving");
    std::fs::write(served_in(&serving), ANOTHER).unwrap();
    let report = run(world.up(&rig(&[fork("a")])));
    let seat = only(&report);
    assert!(
        seat.warnings.iter().any(|said| said.code == LaunchCode::ServesAnotherConversation),
        "{seat:#?}"
    );
    assert_eq!(world.running_panes(), 1, "it may be somebody's work");
}

/// The file in which the pane's process says what it serves, once it is whole.
fn served_in(serving: &Utf8Path) -> Utf8PathBuf {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let files = serving.read_dir_utf8().into_iter().flatten();
        let mut whole = files.map(|file| file.unwrap()).filter(|f| !f.file_name().starts_with('.'));
        if let Some(file) = whole.next() {
            return file.into_path();
        }
        assert!(Instant::now() < end, "nothing is served in {serving}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

// SPEC 7, 9: `resumed` is said of a pane seen to serve the token; one that waits is not that yet.
#[test]
fn a_pane_that_waits_is_not_called_resumed() {
    for mode in ["asks", "mute"] {
        let world = World::new();
        let spec = rig(&[fork("a")]);
        run(world.up(&spec));
        run(world.down(DownDepth::Stop));
        world.mode(mode);
        for round in 0..2 {
            let report = run(world.up(&spec));
            let seat = only(&report);
            assert_eq!(seat.action, Action::Unchanged, "{mode} {round}: {seat:#?}");
            assert_eq!(seat.launch_state, Some(LaunchState::Forking), "{mode} {round}");
            assert_eq!(report.exit, ExitClass::Failed, "{mode} {round}");
        }
    }
}

// SPEC 7 "Rotation": a resume whose pane waited for a person, and in which that person works by now, is told and left.
#[test]
fn a_resumed_pane_that_was_rotated_while_it_waited_is_told_and_left() {
    let world = World::new();
    let spec = rig(&[fork("a")]);
    let first = run(world.up(&spec));
    run(world.down(DownDepth::Stop));
    world.mode("asks");
    run(world.up(&spec));
    assert_eq!(world.seat().open_launch.unwrap().state, LaunchState::Forking);
    let process = world.seat().last_pane.unwrap().process;
    std::fs::write(world.home().join("serving").join(process.pid.to_string()), ANOTHER).unwrap();
    for round in 0..2 {
        let report = run(world.up(&spec));
        let seat = only(&report);
        let told = |said: &Finding| said.code == LaunchCode::ServesAnotherConversation;
        assert!(seat.warnings.iter().any(told), "{round}: {seat:#?}");
        assert_eq!((seat.action, &seat.token), (Action::Unchanged, &only(&first).token), "{round}");
        assert_eq!(world.running_panes(), 1, "{round}: it may be somebody's work");
    }
    let process =
        seatfork_process::ProcessId { pid: process.pid, start: process.start.parse().unwrap() };
    assert!(process.alive().unwrap());
    let last = world.launches().pop().unwrap();
    assert_eq!((last.state, last.outcome), (LaunchState::Failed, Some(ContinuityOutcome::Failed)));
    assert_eq!(last.error.unwrap().code, "serves-another-conversation");
}

/// The same machine with another tmux server at hand: its socket is elsewhere.
fn elsewhere(world: &World) -> Ground {
    let base = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
    let tmux = seatfork_tmux::Server::at(&world.root.join("tmux2"), base).unwrap();
    Ground { tmux, ..Arc::into_inner(world.plain()).unwrap() }
}

// SPEC 7: the process state is observed from the process itself: proved dead, it is not ready, whatever is stored.
#[test]
fn a_process_proved_dead_is_lost_though_its_tmux_server_is_another_one() {
    let world = World::new();
    run(world.up(&rig(&[fork("a")])));
    world.server().kill_server().unwrap();
    let process = world.seat().last_pane.unwrap().process;
    let process =
        seatfork_process::ProcessId { pid: process.pid, start: process.start.parse().unwrap() };
    while process.alive().unwrap() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let seen = run(ps(&elsewhere(&world), None)).unwrap();
    assert_eq!(seen.seats[0].process_state, ProcessState::Lost, "{seen:#?}");
    assert_eq!(seen.exit, ExitClass::Failed);
}

// SPEC 13: 0 says that all are ready; a seat that cannot be looked at is not known to be.
#[test]
fn a_seat_whose_pane_cannot_be_looked_at_is_not_counted_as_ready() {
    let world = World::new();
    run(world.up(&rig(&[fork("a")])));
    let seen = run(ps(&elsewhere(&world), None)).unwrap();
    let seat = &seen.seats[0];
    assert!(seat.warnings.iter().any(|said| said.code == LaunchCode::PaneUnknown), "{seat:#?}");
    assert!(!seat.is_running());
    assert_eq!((seen.exit, seen.ok), (ExitClass::Failed, false));
}

// SPEC 7: pane made, not recorded, and then `down`: the pane is found by name and nonce, and ended.
#[test]
fn a_pane_that_was_not_written_down_is_ended_by_down() {
    for depth in [DownDepth::Stop, DownDepth::Forget] {
        let world = World::new();
        kill_at(&world, CrashPoint::AfterPane, "resume_if_possible");
        assert_eq!(world.running_panes(), 1);
        let report = run(world.down(depth));
        assert_eq!(report.seats[0].action, DownAction::Stopped, "{depth:?}: {report:#?}");
        assert_eq!(report.exit, ExitClass::Ok, "{depth:?}");
        assert_eq!(report.seats[0].retired, depth == DownDepth::Forget);
        assert_eq!(world.running_panes(), 0, "{depth:?}");
    }
}

// SPEC 7: and so where the seat had a pane before: the one of the interrupted resume is ended.
#[test]
fn the_unwritten_pane_of_a_resume_is_ended_by_down() {
    let world = World::new();
    run(world.up(&rig(&[fork("a")])));
    run(world.down(DownDepth::Stop));
    kill_at(&world, CrashPoint::AfterPane, "resume_if_possible");
    assert_eq!(world.running_panes(), 1);
    let report = run(world.down(DownDepth::Stop));
    assert_eq!(report.seats[0].action, DownAction::Stopped, "{report:#?}");
    assert_eq!(world.running_panes(), 0);
    assert!(world.seat().open_launch.is_none());
}

// SPEC 7: a process that outlived its pane is not forgotten by a fresh relaunch beside it.
#[test]
fn a_relaunch_does_not_start_beside_the_old_process() {
    let world = World::new();
    world.mode("stays");
    let mut member = fork("a");
    member["restore_policy"] = json!("relaunch_fresh");
    let spec = rig(&[member, terminal("t")]);
    run(world.up(&spec));
    let old = world.seat().last_pane.unwrap().process.pid;
    world.server().kill_server().unwrap();
    let report = run(world.up(&spec));
    let seat = &report.seats[0];
    let error = seat.error.as_ref().unwrap();
    assert_eq!(error.code, "process-still-running", "{seat:#?}");
    assert!(error.message.contains(&old.to_string()), "{error:?}");
    assert_eq!(world.calls("make").len(), 1, "nothing was started beside it");
    let down = run(world.down(DownDepth::Stop));
    assert_eq!(down.seats[0].action, DownAction::Stopped, "{down:#?}");
    world.mode("ok");
    assert_eq!(run(world.up(&spec)).exit, ExitClass::Ok);
}

// SPEC 7: before a new attempt what the last one left is over and named; a relaunch is one as well.
#[test]
fn a_relaunch_names_the_orphan_of_the_last_one() {
    let world = World::new();
    let mut member = fork("a");
    member["restore_policy"] = json!("relaunch_fresh");
    let spec = rig(&[member]);
    run(world.up(&spec));
    run(world.down(DownDepth::Stop));
    world.mode("fail");
    run(world.up(&spec));
    let late = world.launches()[1].planned_child.clone().unwrap();
    let late = late.conversation().native_id.to_string();
    std::fs::write(world.record(&late), "fresh\n").unwrap();
    world.mode("ok");
    let report = run(world.up(&spec));
    let seat = only(&report);
    let orphan = seat.warnings.iter().find(|said| said.code == LaunchCode::OrphanFound);
    assert!(orphan.is_some_and(|said| said.message.contains(&late)), "{seat:#?}");
}

// SPEC 7: what a plan foretells is what `up` decides: after a relaunch that died its first pane is opened, no other made.
#[test]
fn a_plan_foretells_the_first_pane_of_an_interrupted_relaunch() {
    let world = World::new();
    let mut member = fork("a");
    member["restore_policy"] = json!("relaunch_fresh");
    let spec = rig(&[member]);
    run(world.up(&spec));
    run(world.down(DownDepth::Stop));
    kill_at(&world, CrashPoint::AfterRealized, "relaunch_fresh");
    let Target::Rig(known) = the_rig(&world) else { panic!("a rig") };
    let acts = run(async {
        let planned = world.plan(&spec).await;
        foresee(&world.plain(), &known, &planned).await.unwrap()
    });
    assert_eq!(acts["p-a@r"], Act::OpenFirstPane);
    let made = world.calls("make").len();
    assert_eq!(run(world.up(&spec)).exit, ExitClass::Ok);
    assert_eq!(world.calls("make").len(), made);
}

/// The rig of these tests.
pub(crate) fn the_rig(world: &World) -> Target {
    Target::Rig(world.store().rigs().unwrap().remove(0))
}

/// Files of a directory, none where it is not there.
pub(crate) fn files(dir: &Utf8PathBuf) -> usize {
    dir.read_dir().map_or(0, Iterator::count)
}
