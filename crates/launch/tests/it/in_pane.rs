//! A runtime whose version makes its conversations in their panes (SPEC 6, the fallback and the late token).

use crate::support::{SOURCE, World, fork, fresh, only, rig, run};
use camino::Utf8PathBuf;
use seatfork_launch::{
    Action, DownDepth, ExitClass, LaunchCode, ReconcileOptions, ReconcileReport, reconcile,
};
use seatfork_schema::{ContinuityOutcome, LaunchState, ProcessState, RigSpec};
use serde_json::{Value, json};

const NEW: &str = "aaaaaaaa-0000-4000-8000-000000000001";
const OLD: &str = "aaaaaaaa-0000-4000-8000-000000000002";

fn spec(mut member: Value) -> RigSpec {
    member["runtime"] = json!("codex");
    rig(&[member])
}

/// What the seat's pane says that it serves.
fn serve(world: &World, id: &str) {
    let pid = world.seat().last_pane.unwrap().process.pid;
    std::fs::write(world.home().join("serving").join(pid.to_string()), id).unwrap();
}

fn reconciled(world: &World, apply: bool) -> ReconcileReport {
    let options = ReconcileOptions { apply, ..ReconcileOptions::default() };
    run(reconcile(&world.plain(), None, options)).unwrap()
}

// SPEC 6: a fork that its pane makes is proved before the seat is realized; it is one pane, one fork, and a token like any.
#[test]
fn a_fork_made_in_its_pane_is_proved_before_it_is_realized() {
    let world = World::new();
    let spec = spec(fork("a"));
    let report = run(world.up(&spec));
    let seat = only(&report);
    assert_eq!(report.exit, ExitClass::Ok, "{seat:#?}");
    assert_eq!(seat.continuity_outcome, Some(ContinuityOutcome::Forked));
    assert_eq!(world.children(), [seat.token.clone().unwrap()]);
    assert_eq!((world.running_panes(), world.calls("fork").len()), (1, 1));
    assert_eq!(only(&run(world.up(&spec))).action, Action::Unchanged);
    // Brought back it is resumed, never forked again.
    run(world.down(DownDepth::Stop));
    let back = run(world.up(&spec));
    assert_eq!(only(&back).continuity_outcome, Some(ContinuityOutcome::Resumed), "{back:#?}");
    assert_eq!((world.calls("fork").len(), world.calls("serve").len()), (1, 1));
}

// SPEC 6, 7: a pane that asks leaves the launch open; once it serves the fork a later run proves and stores it, without another.
#[test]
fn a_pane_that_asks_first_is_settled_by_a_later_run() {
    let world = World::new();
    let spec = spec(fork("a"));
    world.mode("asks");
    let report = run(world.up(&spec));
    let seat = only(&report);
    assert_eq!((seat.launch_state, seat.token.as_deref()), (Some(LaunchState::Forking), None));
    assert_eq!(seat.process_state, ProcessState::AttentionRequired);
    assert_eq!(report.exit, ExitClass::Failed, "{seat:#?}");
    assert_eq!(only(&run(world.up(&spec))).launch_state, Some(LaunchState::Forking));
    // Somebody answers, and the pane forks.
    std::fs::copy(world.record(SOURCE), world.record(NEW)).unwrap();
    serve(&world, NEW);
    let report = run(world.up(&spec));
    let seat = only(&report);
    assert_eq!(seat.token.as_deref(), Some(NEW), "{seat:#?}");
    assert_eq!(seat.continuity_outcome, Some(ContinuityOutcome::Forked));
    assert!(seat.warnings.iter().any(|one| one.code == LaunchCode::FinishedInterrupted));
    assert_eq!((world.calls("fork").len(), world.launches().len()), (1, 1));
}

// SPEC 6, 10: a pane that ends, forks something else or goes on with the source is a failure with the runtime's words.
#[test]
fn a_pane_that_makes_no_fork_of_the_source_is_a_failure() {
    for (mode, code) in
        [("dies", "phase1-failed"), ("other", "proof-failed"), ("itself", "child-is-source")]
    {
        let world = World::new();
        world.mode(mode);
        let report = run(world.up(&spec(fork("a"))));
        let seat = only(&report);
        let error = seat.error.as_ref().unwrap();
        assert_eq!((error.code.as_str(), report.exit), (code, ExitClass::Failed), "{seat:#?}");
        assert_eq!((seat.token.as_deref(), seat.launch_state), (None, Some(LaunchState::Failed)));
        if mode == "dies" {
            assert!(error.output.as_ref().unwrap().contains("cannot fork"), "{error:?}");
        }
        assert_eq!(std::fs::read_to_string(world.record(SOURCE)).unwrap(), "one\ntwo\nthree\n");
        let process = world.seat().last_pane.unwrap().process.pid;
        let ended = seatfork_process::entry(process).unwrap();
        assert!(ended.is_none_or(|entry| entry.ended), "{mode}: the pane's process goes on");
    }
}

/// A seat with a new conversation, nothing of which is on disk yet.
fn begun() -> (World, RigSpec) {
    let (world, spec) = (World::new(), spec(fresh("a")));
    let report = run(world.up(&spec));
    let seat = only(&report);
    assert_eq!(report.exit, ExitClass::Ok, "{seat:#?}");
    assert_eq!(seat.continuity_outcome, Some(ContinuityOutcome::Fresh));
    assert_eq!((seat.token.as_deref(), world.token()), (None, None));
    assert_eq!(only(&run(world.up(&spec))).action, Action::Unchanged);
    (world, spec)
}

fn written(world: &World, id: &str) -> Utf8PathBuf {
    let path = world.record(id);
    std::fs::write(&path, "first\n").unwrap();
    path
}

// SPEC 6: a late token is taken once, from what the pane's own process holds, by the next up.
#[test]
fn a_token_that_comes_late_is_stored_by_the_next_up_once() {
    let (world, spec) = begun();
    written(&world, NEW);
    serve(&world, NEW);
    let seat = only(&run(world.up(&spec))).clone();
    assert_eq!((seat.action, seat.token.as_deref()), (Action::Unchanged, Some(NEW)), "{seat:#?}");
    assert_eq!(world.launches().len(), 1);
    // What it serves from then on is a rotation like any other, and no new token.
    written(&world, OLD);
    serve(&world, OLD);
    let seat = only(&run(world.up(&spec))).clone();
    assert_eq!(seat.token.as_deref(), Some(NEW));
    assert!(seat.warnings.iter().any(|one| one.code == LaunchCode::ServesAnotherConversation));
}

// SPEC 6, 7: reconcile shows a token that can be stored, and stores it when told to.
// code: token-late
#[test]
fn reconcile_shows_a_late_token_and_stores_it_when_told_to() {
    let (world, _) = begun();
    assert!(reconciled(&world, true).items.is_empty());
    written(&world, NEW);
    serve(&world, NEW);
    let shown = reconciled(&world, false);
    assert_eq!(shown.items[0].code, LaunchCode::TokenLate, "{shown:#?}");
    assert_eq!(world.token(), None);
    let done = reconciled(&world, true);
    assert!(done.items[0].done.is_some(), "{done:#?}");
    assert_eq!(world.token().as_deref(), Some(NEW));
    assert!(reconciled(&world, true).items.is_empty());
}

// SPEC 6: a conversation that was there before the seat, opened in its pane by somebody, is never taken for its own.
// code: token-not-taken
#[test]
fn an_older_conversation_in_the_pane_is_not_taken_for_the_seats_own() {
    let (world, spec) = begun();
    let path = written(&world, OLD);
    let before = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
    std::fs::File::options().append(true).open(path).unwrap().set_modified(before).unwrap();
    serve(&world, OLD);
    let seat = only(&run(world.up(&spec))).clone();
    assert_eq!(seat.token, None);
    let told = seat.warnings.iter().find(|one| one.code == LaunchCode::TokenNotTaken).unwrap();
    assert!(told.message.contains("older than the seat"), "{told:?}");
    // Not even the source of another seat, which the store knows.
    serve(&world, NEW);
    let seat = only(&run(world.up(&spec))).clone();
    assert!(seat.token.is_none(), "{seat:#?}");
}

// SPEC 7: a seat whose token was never stored is started anew when it is not running, and that is said.
#[test]
fn a_seat_whose_token_was_never_stored_is_started_anew() {
    let (world, spec) = begun();
    run(world.down(DownDepth::Stop));
    let report = run(world.up(&spec));
    let seat = only(&report);
    assert_eq!(seat.continuity_outcome, Some(ContinuityOutcome::Fresh), "{seat:#?}");
    assert!(seat.warnings.iter().any(|one| one.code == LaunchCode::RelaunchedFresh));
    assert_eq!(world.calls("start").len(), 2);
}

// SPEC 7: a fork of the same source that somebody else made is told once as not ours, and left; a seat's own is none.
// code: fork-not-ours
#[test]
fn a_fork_that_somebody_else_made_is_told_as_not_ours() {
    let world = World::new();
    let member = |id: &str| {
        let mut member = fork(id);
        member["runtime"] = json!("codex");
        member
    };
    let report = run(world.up(&rig(&[member("a"), member("b")])));
    let token = report.seats[0].token.clone().unwrap();
    std::fs::write(world.home().join("others"), format!("{OLD}\n{token}\n")).unwrap();
    let found = reconciled(&world, true);
    assert_eq!(found.items.len(), 1, "{found:#?}");
    let item = &found.items[0];
    assert_eq!(item.code, "fork-not-ours");
    assert_eq!(item.message, format!("{OLD} is a fork of this source, not ours"));
    assert_eq!(item.conversation.as_ref().unwrap().native_id, OLD);
}
