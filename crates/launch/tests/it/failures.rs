//! What fails, and what is said and left then (SPEC 7, 10).

use crate::support::{SOURCE, World, fork, fresh, only, rig, run};
use seatfork_launch::{Action, ExitClass, LaunchCode, ReconcileOptions};
use seatfork_schema::{ContinuityOutcome, LaunchState, ProcessState};
use seatfork_store::{Mode, Store};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

// SPEC 10: row 1 and SPEC 7: a source that does not resolve fails its member alone; nothing is started for it.
#[test]
fn an_unknown_source_fails_its_member_alone() {
    let world = World::new();
    let mut lost = fork("lost");
    lost["session_source"]["ref"]["value"] = json!("0b0165d7-cb4d-4650-90de-15c0a1ede900");
    let report = run(world.up(&rig(&[lost, fork("good")])));
    assert_eq!(report.exit, ExitClass::Failed);
    let [lost, good] = &report.seats[..] else { panic!("{report:#?}") };
    assert_eq!(good.process_state, ProcessState::Ready);
    assert_eq!(lost.action, Action::Failed);
    assert_eq!(lost.continuity_outcome, Some(ContinuityOutcome::Failed));
    assert_eq!(lost.failed_step.as_deref(), Some("resolve"));
    assert_eq!(lost.token, None);
    let error = lost.error.as_ref().unwrap();
    assert_eq!(error.code, "source-not-found");
    assert!(error.message.contains("0b0165d7-cb4d-4650-90de-15c0a1ede900"), "{error:?}");
    assert!(error.hint.as_ref().unwrap().contains("looked in"), "{error:?}");
    assert_eq!(world.calls("make").len(), 1);
}

// SPEC 7, 11: an id in capitals names no conversation: its member fails at resolve, nothing of it is stored, and the right id forks afterwards.
#[test]
fn an_id_in_the_wrong_spelling_binds_nothing() {
    let world = World::new();
    let mut capitals = fork("a");
    capitals["session_source"]["ref"]["value"] = json!(SOURCE.to_uppercase());
    let report = run(world.up(&rig(&[capitals])));
    let seat = only(&report);
    assert_eq!((report.exit, seat.action), (ExitClass::Failed, Action::Failed));
    assert_eq!(seat.failed_step.as_deref(), Some("resolve"));
    assert_eq!(seat.error.as_ref().unwrap().code, "native-id-malformed");
    assert_eq!((seat.attempt, world.launches().len()), (None, 0), "nothing was declared");
    let report = run(world.up(&rig(&[fork("a")])));
    let seat = only(&report);
    assert_eq!(report.exit, ExitClass::Ok, "{report:#?}");
    assert_eq!(seat.continuity_outcome, Some(ContinuityOutcome::Forked));
}

// SPEC 10: row 4: non-zero exit, hang, no provable child: output kept, seat not launched, source not on the seat.
#[test]
fn a_fork_that_fails_is_a_failed_seat_with_the_runtimes_own_words() {
    for (mode, code, step) in [
        ("fail", "phase1-failed", "fork"),
        ("hang", "phase1-timeout", "fork"),
        ("nothing", "child-missing", "prove"),
        ("empty", "child-empty", "prove"),
        ("partial", "proof-failed", "prove"),
        ("other", "proof-failed", "prove"),
    ] {
        let world = World::new();
        world.mode(mode);
        let report = run(world.up(&rig(&[fork("a")])));
        let seat = only(&report);
        assert_eq!(report.exit, ExitClass::Failed, "{mode}");
        assert_eq!(seat.launch_state, Some(LaunchState::Failed), "{mode}: {seat:#?}");
        let error = seat.error.as_ref().unwrap();
        assert_eq!(
            (error.code.as_str(), seat.failed_step.as_deref()),
            (code, Some(step)),
            "{mode}"
        );
        assert_eq!((seat.token.as_ref(), seat.process_state), (None, ProcessState::None), "{mode}");
        assert_eq!(world.running_panes(), 0, "{mode}");
        for child in world.children() {
            assert!(error.message.contains(&child), "{mode}: the leftover is named: {error:?}");
        }
        if mode == "fail" {
            assert!(error.output.as_ref().unwrap().contains("no good"), "{error:?}");
            assert!(error.message.contains("sk-a…[masked]"), "{error:?}");
            let path = world.launches()[0].error.clone().unwrap().output_path.unwrap();
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            assert!(std::fs::read_to_string(path).unwrap().starts_with("no good: "));
        }
        if mode == "other" {
            let path = world.launches()[0].error.clone().unwrap().output_path.unwrap();
            assert!(error.message.contains(path.as_str()), "{error:?}");
            assert_eq!(std::fs::read_to_string(path).unwrap(), "all is well\n");
        }
        // Mended, only it launches, with a new child id.
        world.mode("ok");
        let report = run(world.up(&rig(&[fork("a")])));
        assert_eq!(report.exit, ExitClass::Ok, "{mode}: {report:#?}");
        assert_eq!(only(&report).attempt, Some(2), "{mode}");
        let launches = world.launches();
        assert_ne!(launches[0].planned_child, launches[1].planned_child, "{mode}");
    }
}

// SPEC 7: failed, child appears later: reported as an orphan, never taken by itself; `reconcile --adopt ID` binds it.
// code: orphan-found
#[test]
fn a_child_that_appears_after_its_launch_failed_is_an_orphan_until_it_is_adopted() {
    let world = World::new();
    world.mode("fail");
    run(world.up(&rig(&[fork("a")])));
    let late = world.launches()[0].planned_child.clone().unwrap();
    let late = late.conversation().native_id.clone();
    std::fs::copy(world.record(SOURCE), world.record(late.as_str())).unwrap();
    let ground = world.plain();
    let shown =
        run(seatfork_launch::reconcile(&ground, None, ReconcileOptions::default())).unwrap();
    assert_eq!(shown.exit, ExitClass::Findings, "{shown:#?}");
    assert_eq!(shown.items[0].code, LaunchCode::OrphanFound);
    let adopted = run(seatfork_launch::adopt_orphan(&ground, &late, false)).unwrap();
    assert_eq!(adopted.exit, ExitClass::Ok, "{adopted:#?}");
    assert_eq!(world.token().as_deref(), Some(late.as_str()));
    world.mode("ok");
    let report = run(world.up(&rig(&[fork("a")])));
    assert_eq!(report.exit, ExitClass::Ok, "{report:#?}");
    assert_eq!(only(&report).token.as_deref(), Some(late.as_str()));
    assert_eq!(world.calls("make").len(), 1, "adopting forks nothing");
}

// SPEC 7: the same, but `up` comes first: a new attempt, and the orphan is said.
#[test]
fn a_new_attempt_names_the_orphan_of_the_last_one() {
    let world = World::new();
    world.mode("fail");
    run(world.up(&rig(&[fork("a")])));
    let late = world.launches()[0].planned_child.clone().unwrap();
    let late = late.conversation().native_id.to_string();
    std::fs::copy(world.record(SOURCE), world.record(&late)).unwrap();
    world.mode("ok");
    let report = run(world.up(&rig(&[fork("a")])));
    let seat = only(&report);
    assert_ne!(seat.token.as_deref(), Some(late.as_str()));
    let orphan = seat.warnings.iter().find(|finding| finding.code == LaunchCode::OrphanFound);
    assert!(orphan.unwrap().message.contains(&late), "{seat:#?}");
}

// SPEC 7: what is left running by a failed phase 1 is ended before anything else.
#[test]
fn a_process_that_outlives_a_failed_phase_1_is_ended_and_makes_nothing_later() {
    let world = World::new();
    world.mode("late");
    let report = run(world.up(&rig(&[fork("a")])));
    assert_eq!(only(&report).launch_state, Some(LaunchState::Failed));
    std::thread::sleep(std::time::Duration::from_millis(2500));
    assert!(world.children().is_empty(), "it was ended, so nothing appears");
}

// SPEC 6: before any resume nobody else serves the conversation; else its pid is named and nothing is started.
// code: conversation-in-use
#[test]
fn a_conversation_in_use_is_not_resumed() {
    let world = World::new();
    let spec = rig(&[fork("a")]);
    run(world.up(&spec));
    run(world.down(seatfork_launch::DownDepth::Stop));
    let me = std::process::id();
    let token = world.token().unwrap();
    std::fs::write(world.home().join(format!("serving/{me}")), &token).unwrap();
    let report = run(world.up(&spec));
    let seat = only(&report);
    let error = seat.error.as_ref().unwrap();
    assert_eq!((seat.action, error.code.as_str()), (Action::Failed, "conversation-in-use"));
    assert!(error.message.contains(&me.to_string()), "{error:?}");
    assert_eq!(world.calls("serve").len(), 1);
    std::fs::remove_file(world.home().join(format!("serving/{me}"))).unwrap();
    assert_eq!(run(world.up(&spec)).exit, ExitClass::Ok);
}

// SPEC 7: a seat whose own conversation is gone fails; it is never started fresh and never forked again.
// code: own-conversation-gone
#[test]
fn a_seat_whose_conversation_is_gone_fails_and_is_never_fresh() {
    let world = World::new();
    let spec = rig(&[fork("a")]);
    run(world.up(&spec));
    run(world.down(seatfork_launch::DownDepth::Stop));
    std::fs::remove_file(world.record(&world.token().unwrap())).unwrap();
    let report = run(world.up(&spec));
    let seat = only(&report);
    assert_eq!(seat.error.as_ref().unwrap().code, "own-conversation-gone", "{seat:#?}");
    assert_eq!(world.calls("make").len(), 1);
    assert!(seat.token.is_some(), "the token is kept");
}

// SPEC 7: a resume is said only of a pane that serves the token: dying, asking and another conversation are not.
// code: pane-failed, pane-timeout, attention-trust
#[test]
fn a_pane_that_does_not_serve_the_token_is_not_called_resumed() {
    for (mode, outcome, process, code) in [
        ("dies", Some(ContinuityOutcome::Failed), ProcessState::Exited, "pane-failed"),
        (
            "other",
            Some(ContinuityOutcome::Failed),
            ProcessState::Exited,
            "serves-another-conversation",
        ),
        ("asks", None, ProcessState::AttentionRequired, "attention-trust"),
        ("mute", None, ProcessState::Starting, "pane-timeout"),
    ] {
        let world = World::new();
        let spec = rig(&[fork("a")]);
        run(world.up(&spec));
        run(world.down(seatfork_launch::DownDepth::Stop));
        world.mode(mode);
        let report = run(world.up(&spec));
        let seat = only(&report);
        assert_eq!(report.exit, ExitClass::Failed, "{mode}");
        assert_eq!(
            (seat.continuity_outcome, seat.process_state),
            (outcome, process),
            "{mode}: {seat:#?}"
        );
        let error = seat.error.as_ref().unwrap();
        assert_eq!(error.code, code, "{mode}");
        if mode == "asks" {
            assert!(error.output.as_ref().unwrap().contains("do you trust"));
        }
        if mode == "other" {
            assert_eq!(world.running_panes(), 0, "what serves another conversation was ended");
        }
        if outcome.is_none() {
            // Left open; once down, the next up brings it back in an attempt of its own.
            run(world.down(seatfork_launch::DownDepth::Stop));
        }
        world.mode("ok");
        let report = run(world.up(&spec));
        assert_eq!(report.exit, ExitClass::Ok, "{mode}: {report:#?}");
        assert_eq!(only(&report).continuity_outcome, Some(ContinuityOutcome::Resumed), "{mode}");
    }
}

// SPEC 7: a dialog in the first pane changes nothing of the outcome: forked, and it needs attention.
#[test]
fn a_dialog_in_the_first_pane_leaves_the_outcome_and_needs_attention() {
    let world = World::new();
    world.mode("asks");
    // `asks` is of the pane alone: phase 1 takes it for `ok`.
    let report = run(world.up(&rig(&[fork("a")])));
    let seat = only(&report);
    assert_eq!(seat.continuity_outcome, Some(ContinuityOutcome::Forked));
    assert_eq!(seat.process_state, ProcessState::AttentionRequired);
    assert_eq!(report.exit, ExitClass::Failed);
    assert!(seat.attach.as_ref().unwrap().ends_with("p-a@r"));
    let again = run(world.up(&rig(&[fork("a")])));
    assert_eq!(only(&again).action, Action::Unchanged);
    assert_eq!(again.exit, ExitClass::Failed);
}

// SPEC 7, 10: row 5: the store refuses between fork and token: the id is not lost, no pane; `up` finishes it later.
// code: token-not-stored, rescue-file
#[test]
fn a_token_that_cannot_be_stored_is_rescued_and_finished_without_a_second_fork() {
    let world = World::new();
    let spec = rig(&[fork("a")]);
    // The store turns read-only while the runtime works.
    let ground = world.plain();
    run(async {
        let planned = world.plan(&spec).await;
        world.mode("slow");
        let store = ground.store.clone();
        let path = world.store_path();
        let lost = async move {
            tokio::time::sleep(std::time::Duration::from_millis(500)).await;
            store.ask(move |store| *store = Store::open(&path, Mode::ReadOnly).unwrap()).await;
        };
        let options = seatfork_launch::UpOptions::default();
        let work = seatfork_launch::up(ground.clone(), planned, options);
        let watch = tokio::spawn(lost);
        let report = work.await.unwrap();
        watch.await.unwrap();
        let seat = only(&report);
        let error = seat.error.as_ref().unwrap();
        assert_eq!(error.code, "token-not-stored", "{seat:#?}");
        let child = &world.children()[0];
        assert!(error.message.contains(child), "{error:?}");
        assert_eq!((seat.action, seat.token.as_ref()), (Action::Failed, None));
        assert_eq!(report.exit, ExitClass::Failed);
    });
    drop(ground);
    assert_eq!(world.running_panes(), 0);
    let rescue: Vec<_> = world.root.join("state/rescue").read_dir_utf8().unwrap().collect();
    let path = rescue[0].as_ref().unwrap().path().to_owned();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(world.seat().open_launch.unwrap().state, LaunchState::Forking);
    let shown = run(seatfork_launch::reconcile(&world.plain(), None, ReconcileOptions::default()));
    let shown = shown.unwrap();
    let file = shown.items.iter().find(|item| item.code == LaunchCode::RescueFile).unwrap();
    assert!(file.message.contains(&world.children()[0]) && file.plan.starts_with("keep"));
    let report = run(world.up(&spec));
    assert_eq!(report.exit, ExitClass::Ok, "{report:#?}");
    assert_eq!(only(&report).token.as_ref(), Some(&world.children()[0]));
    assert_eq!(world.calls("make").len(), 1);
    assert!(!path.exists(), "the store has it now");
}

// SPEC 7: a seat that is served again, and a store that refuses to hold it: said so, not called resumed, settled later.
// code: result-not-stored
#[test]
fn a_resume_that_cannot_be_stored_is_said_and_settled_later() {
    let world = World::new();
    let spec = rig(&[fork("a")]);
    let first = run(world.up(&spec));
    run(world.down(seatfork_launch::DownDepth::Stop));
    world.mode("drowsy");
    let ground = world.plain();
    let report = run(async {
        let (store, path) = (ground.store.clone(), world.store_path());
        let lost = tokio::spawn(async move {
            tokio::time::sleep(std::time::Duration::from_millis(500)).await;
            store.ask(move |store| *store = Store::open(&path, Mode::ReadOnly).unwrap()).await;
        });
        let report = world.up_on(ground.clone(), &spec).await.unwrap();
        lost.await.unwrap();
        report
    });
    drop(ground);
    let seat = only(&report);
    let code = seat.error.as_ref().map(|error| error.code.as_str());
    assert_eq!((code, report.exit), (Some("result-not-stored"), ExitClass::Failed), "{seat:#?}");
    assert_eq!(seat.continuity_outcome, None);
    assert_eq!((world.running_panes(), world.launches()[1].state), (1, LaunchState::Forking));
    let again = run(world.up(&spec));
    let seat = only(&again);
    assert_eq!((again.exit, seat.action), (ExitClass::Ok, Action::Resumed), "{seat:#?}");
    assert_eq!(seat.token, only(&first).token);
    assert_eq!(world.calls("serve").len(), 2, "no second pane");
}

// SPEC 7: the store unwritable before forking: nothing is started.
// code: store-unwritable
#[test]
fn a_store_that_cannot_be_written_stops_everything_before_anything_starts() {
    let world = World::new();
    let ground = world.plain();
    let path = world.store_path();
    run(ground.store.ask(move |store| *store = Store::open(&path, Mode::ReadOnly).unwrap()));
    let error = run(world.up_on(ground, &rig(&[fork("a"), fresh("b")]))).unwrap_err();
    assert_eq!((error.exit(), error.code().as_str()), (ExitClass::NotReady, "store-unwritable"));
    assert!(error.to_string().contains("nothing was started"), "{error}");
    assert!(world.calls("make").is_empty());
}
