//! Codes that no other test of this crate comes by: each provoked by what it is for.

use crate::support::{SOURCE, World, fork, fresh, only, rig, run, terminal};
use seatfork_launch::{
    Action, DownAction, DownDepth, ExitClass, Ground, LaunchCode, ReconcileOptions,
    ReconcileReport, SeatReport, UpOptions, adopt_seat, reconcile,
};
use seatfork_schema::{LaunchState, RigSpec};
use seatfork_tmux::{PaneSpec, Server};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

fn says(seat: &SeatReport, code: LaunchCode) -> bool {
    seat.warnings.iter().any(|finding| finding.code == code)
}

fn error(seat: &SeatReport) -> &str {
    &seat.error.as_ref().unwrap_or_else(|| panic!("no error: {seat:#?}")).code
}

fn shown(world: &World) -> ReconcileReport {
    run(reconcile(&world.plain(), None, ReconcileOptions::default())).unwrap()
}

/// The same ground with another tmux server.
fn elsewhere(world: &World) -> Arc<Ground> {
    let base = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
    let tmux = Server::at(&world.root.join("other"), base).unwrap();
    let ground = world.plain();
    Arc::new(Ground { tmux, ..Ground::clone(&ground) })
}

// SPEC 7: two members of different pods may share a seat name over time; the one that lives keeps it.
// code: seat-name-taken
#[test]
fn a_seat_name_belongs_to_one_member() {
    let world = World::new();
    let of = |pod: &str, member: &str| -> RigSpec {
        let members = json!([terminal(member)]);
        let pods = json!([{"id": pod, "label": "pod", "members": members}]);
        serde_json::from_value(json!({"version": "1", "name": "r", "pods": pods})).unwrap()
    };
    run(world.up(&of("a-b", "c")));
    let refused = run(world.up_on(world.plain(), &of("a", "b-c"))).unwrap_err();
    assert_eq!(refused.code(), "seat-name-taken");
    assert_eq!(refused.exit(), ExitClass::Conflict);
    assert_eq!(world.running_panes(), 1);
}

// SPEC 6, 7: what deserves a word of a source and of a seat's first start is said, and stops nothing.
// code: source-live, source-elsewhere, dialog-foretold
#[test]
fn a_live_source_of_another_directory_and_a_dialog_are_foretold() {
    let world = World::new();
    let me = std::process::id();
    std::fs::write(world.home().join(format!("serving/{me}")), SOURCE).unwrap();
    std::fs::write(world.home().join("recorded_cwd"), "/somewhere/else").unwrap();
    std::fs::write(world.home().join("foretold"), "").unwrap();
    world.mode("asks");
    let report = run(world.up(&rig(&[fork("a")])));
    let seat = only(&report);
    for code in [LaunchCode::SourceLive, LaunchCode::SourceElsewhere, LaunchCode::DialogForetold] {
        assert!(says(seat, code), "{code}: {seat:#?}");
    }
    assert_eq!(seat.launch_state, Some(LaunchState::Realized));
}

// SPEC 8: evidence too weak for a fork fails it; the child is named and left.
// code: proof-too-weak
#[test]
fn weak_evidence_makes_no_fork() {
    let world = World::new();
    world.mode("weak");
    let report = run(world.up(&rig(&[fork("a")])));
    let seat = only(&report);
    assert_eq!((error(seat), seat.failed_step.as_deref()), ("proof-too-weak", Some("prove")));
    assert_eq!((&seat.token, world.running_panes()), (&None, 0));
    assert!(seat.error.as_ref().unwrap().message.contains(&world.children()[0]), "{seat:#?}");
}

// SPEC 7, 11: a child that became another seat's token while it was made is nobody else's.
// code: child-id-taken
#[test]
fn a_child_that_another_seat_took_over_meanwhile_is_refused() {
    let world = World::new();
    run(world.up(&rig(&[fresh("b")])));
    world.mode("slow");
    let both = rig(&[fresh("b"), fork("a")]);
    let (report, taken) = run(async {
        let ground = world.plain();
        let work = tokio::spawn(seatfork_launch::up(
            Arc::clone(&ground),
            world.plan(&both).await,
            UpOptions::default(),
        ));
        let child = loop {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let store = world.store();
            let open = store.open_launches().unwrap();
            let forking = open.iter().find(|launch| launch.state == LaunchState::Forking);
            if let Some(child) = forking.and_then(|launch| launch.planned_child.clone()) {
                break child.conversation().native_id.to_string();
            }
        };
        let pane = world.seat().last_pane.unwrap();
        std::fs::write(world.home().join(format!("serving/{}", pane.process.pid)), &child).unwrap();
        let taken = adopt_seat(&ground, &world.seat()).await;
        (work.await.unwrap().unwrap(), taken)
    });
    assert!(taken.is_ok(), "{taken:?}");
    let seat = report.seats.iter().find(|seat| seat.member == "a").unwrap();
    assert_eq!((error(seat), &seat.token), ("child-id-taken", &None));
}

// SPEC 7: the runtime's own words have a place before it runs, or it does not run.
// code: output-not-kept
#[test]
fn without_a_place_for_its_words_no_runtime_is_started() {
    let world = World::new();
    drop(world.plain());
    std::fs::write(world.root.join("state/output"), "no directory").unwrap();
    let report = run(world.up(&rig(&[fork("a")])));
    assert_eq!(error(only(&report)), "output-not-kept");
    assert!(world.calls("make").is_empty());
}

// SPEC 7: `checkpoint_only` is not brought back, `skipped` with that reason; the token is kept.
// code: checkpoint-not-kept
#[test]
fn a_seat_of_checkpoints_is_left_down() {
    let world = World::new();
    let mut member = fork("a");
    member["restore_policy"] = json!("checkpoint_only");
    let spec = rig(&[member]);
    run(world.up(&spec));
    run(world.down(DownDepth::Stop));
    let report = run(world.up(&spec));
    let seat = only(&report);
    assert_eq!((seat.action, error(seat)), (Action::Skipped, "checkpoint-not-kept"));
    assert!(seat.token.is_some() && world.running_panes() == 0);
}

// SPEC 7: a pane on another server than this command speaks to is not absent: nothing is started or ended.
// code: pane-unknown
#[test]
fn a_pane_on_another_server_is_not_taken_for_absent() {
    let world = World::new();
    let spec = rig(&[fork("a")]);
    run(world.up(&spec));
    let ground = elsewhere(&world);
    let report = run(world.up_on(Arc::clone(&ground), &spec)).unwrap();
    assert_eq!((only(&report).action, error(only(&report))), (Action::Failed, "pane-unknown"));
    let rigs = world.store().rigs().unwrap();
    let down = run(seatfork_launch::down(&ground, &rigs[0], DownDepth::Forget)).unwrap();
    assert_eq!(down.seats[0].action, DownAction::Failed);
    assert_eq!(down.seats[0].error.as_ref().unwrap().code, "pane-unknown");
    assert!(!down.seats[0].retired);
    assert_eq!((world.running_panes(), world.calls("serve").len()), (1, 1));
}

// SPEC 7: a pane of ours that belongs to nothing we know is named and never ended.
// code: stray-pane
#[test]
fn a_pane_of_nobody_is_named_and_left() {
    let world = World::new();
    run(world.up(&rig(&[terminal("t")])));
    let spec = PaneSpec {
        session: "somebody".parse().unwrap(),
        cwd: world.root.clone(),
        env: Vec::new(),
        argv: vec!["/bin/sleep".to_owned(), "1000".to_owned()],
        options: Vec::new(),
    };
    world.server().open(&spec).unwrap();
    let shown = shown(&world);
    let stray: Vec<_> =
        shown.warnings.iter().filter(|found| found.code == LaunchCode::StrayPane).collect();
    assert_eq!(stray.len(), 1, "{shown:#?}");
    assert!(stray[0].message.contains("somebody"), "{shown:#?}");
    run(world.down(DownDepth::Purge));
    assert_eq!(world.running_panes(), 1, "it is left");
}

// SPEC 7: an error is not an absence: what serves the conversation could not be looked at, so nothing is started.
// code: look-failed
#[test]
fn what_could_not_be_looked_at_starts_nothing() {
    let world = World::new();
    let spec = rig(&[fork("a")]);
    run(world.up(&spec));
    run(world.down(DownDepth::Stop));
    let (ground, planned) = (world.plain(), run(world.plan(&spec)));
    let serving = world.home().join("serving");
    std::fs::remove_dir_all(&serving).unwrap();
    std::fs::write(&serving, "no directory").unwrap();
    let report = run(seatfork_launch::up(ground, planned, UpOptions::default())).unwrap();
    assert_eq!(error(only(&report)), "look-failed");
    assert_eq!(world.calls("serve").len(), 1);
}

// SPEC 7: what was started inside a seat and outlives it is named, not ended: it may be somebody's work.
// code: process-still-running
#[test]
fn what_outlives_its_seat_is_named_and_left() {
    let world = World::new();
    world.mode("leaves");
    run(world.up(&rig(&[fork("a")])));
    let report = run(world.down(DownDepth::Stop));
    assert_eq!(report.seats[0].action, DownAction::Stopped, "{report:#?}");
    let [found] = &report.warnings[..] else { panic!("{report:#?}") };
    assert_eq!(found.code, "process-still-running");
    let pid = found.message.split(' ').nth(1).unwrap().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}
