//! Session logs go the same way as every other runtime: declared, written, proved, stored; interrupted, and finished.

use crate::support::{World, only, rig, run};
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_launch::{
    Action, Cancel, CrashPoint, CrashPoints, DownDepth, Event, ExitClass, LaunchCode, Observer,
    ReconcileOptions, SeatReport, Step, StoreThread, lineage, reconcile, verify,
};
use seatfork_schema::{
    ContinuityOutcome, CreatedVia, LaunchState, NoticeState, ProcessState, ProofStatus, RigSpec,
};
use seatfork_store::{Mode, Store};
use seatfork_testkit::pixir::{self, check_cold};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::Arc;

const SEED: &str = "20260303T080000-aaaaaa";

/// The variable that turns the test below into the process that dies: `point root`.
const VICTIM: &str = "SEATFORK_TEST_LOG_VICTIM";

fn fresh(id: &str) -> Value {
    json!({"id": id, "agent_ref": "local:a.yaml", "profile": "x", "runtime": "pixir", "cwd": "."})
}

fn fork(id: &str) -> Value {
    let mut member = fresh(id);
    member["session_source"] = json!({"mode": "fork", "ref": {"kind": "native_id", "value": SEED}});
    member
}

fn spec() -> RigSpec {
    rig(&[fork("a")])
}

/// A machine whose rig has the logs made by hand in its directory.
fn world() -> World {
    let world = World::new();
    let made = pixir::Workspace::of("family");
    let to = sessions(&world);
    std::fs::create_dir_all(&to).unwrap();
    for entry in made.path().join(".pixir/sessions").read_dir().unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        std::fs::copy(entry.path(), to.join(name)).unwrap();
    }
    world
}

fn sessions(world: &World) -> Utf8PathBuf {
    world.root.join("rig/.pixir/sessions")
}

fn log(world: &World, session: &str) -> Utf8PathBuf {
    sessions(world).join(format!("{session}.ndjson"))
}

/// Every log that was not there at first.
fn children(world: &World) -> Vec<String> {
    let names = sessions(world).read_dir_utf8().unwrap();
    let mut names: Vec<_> = names.map(|name| name.unwrap().file_name().to_owned()).collect();
    names.retain(|name| !name.starts_with("20260303"));
    names.sort();
    names.iter().map(|name| name.trim_end_matches(".ndjson").to_owned()).collect()
}

fn is_ready(seat: &SeatReport) -> bool {
    seat.process_state == ProcessState::None && seat.is_running() && seat.error.is_none()
}

// SPEC 6, 7: a fork of a session log is proved by its bytes, stored, and ready without a process; no tmux is asked.
#[test]
fn a_fork_of_a_log_is_ready_without_a_process() {
    let world = world();
    let before = std::fs::read(log(&world, SEED)).unwrap();
    let report = run(world.up(&spec()));
    let seat = only(&report);
    assert_eq!(report.exit, ExitClass::Ok, "{seat:#?}");
    assert!(is_ready(seat), "{seat:#?}");
    assert_eq!(seat.action, Action::Created);
    assert_eq!(seat.continuity_outcome, Some(ContinuityOutcome::Forked));
    assert_eq!(
        seat.proof.as_ref().unwrap().detail,
        "content proved 7/7, not inherited: 1 provider_usage"
    );
    assert_eq!(seat.notice, Some(NoticeState::Injected));
    assert_eq!(seat.attach, None);
    let token = seat.token.clone().unwrap();
    assert_eq!(children(&world), std::slice::from_ref(&token));
    let launch = world.launches().remove(0);
    assert_eq!(launch.created_via, Some(CreatedVia::WarmStart));
    assert_eq!(launch.child.as_ref().unwrap().scope.as_str(), world.root.join("rig"));
    assert_eq!(launch.source.as_ref().unwrap().conversation().scope, launch.child.unwrap().scope);
    assert_eq!(std::fs::read(log(&world, SEED)).unwrap(), before);
    assert!(!world.root.join("tmux").exists(), "no server was begun");
}

// SPEC 7: `up` again is nothing; down, up, ps, restore of a seat without a process change nothing of it.
#[test]
fn a_seat_without_a_process_stays_as_it_is() {
    let world = world();
    let spec = rig(&[fork("a"), fresh("b")]);
    let first = run(world.up(&spec));
    assert!(first.seats.iter().all(is_ready), "{first:#?}");
    let logs = children(&world);
    assert_eq!(logs.len(), 2);
    let again = run(world.up(&spec));
    assert_eq!(again.exit, ExitClass::Ok);
    let unchanged = |seat: &SeatReport| seat.action == Action::Unchanged && is_ready(seat);
    assert!(again.seats.iter().all(unchanged), "{again:#?}");
    let seen = run(world.ps());
    assert!(seen.seats.iter().all(is_ready), "{seen:#?}");
    let down = run(world.down(DownDepth::Stop));
    assert_eq!(down.exit, ExitClass::Ok, "{down:#?}");
    let back = run(world.up(&spec));
    assert!(back.seats.iter().all(unchanged), "{back:#?}");
    assert_eq!(children(&world), logs);
    let nothing = run(reconcile(&world.plain(), None, ReconcileOptions::default())).unwrap();
    assert!(nothing.items.is_empty(), "{nothing:#?}");
    let gone = run(world.down(DownDepth::Purge));
    assert_eq!(gone.exit, ExitClass::Ok, "{gone:#?}");
    assert_eq!(children(&world), logs, "no conversation is deleted");
    let anew = run(world.up(&spec));
    assert!(anew.seats.iter().all(is_ready), "{anew:#?}");
    assert_eq!(children(&world).len(), 4);
}

// SPEC 6: `--workspace`: the children go there, the seed is read from the cwd and nowhere else.
#[test]
fn children_go_into_the_workspace_that_is_named() {
    let world = world();
    let elsewhere = world.root.join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let before = pixir_files(&sessions(&world));
    let ground = world.plain();
    let report = run(async {
        let options = seatfork_launch::PlanOptions {
            workspace: Some(elsewhere.clone()),
            ..seatfork_launch::PlanOptions::default()
        };
        let spec = rig(&[fork("a"), fresh("b")]);
        let (adapters, caller, origin) = (world.adapters(), world.caller(), world.origin());
        let planned = seatfork_launch::plan(&adapters, &caller, &spec, &origin, &options).await;
        let options = seatfork_launch::UpOptions::default();
        seatfork_launch::up(ground.clone(), planned, options).await.unwrap()
    });
    assert!(report.seats.iter().all(is_ready), "{report:#?}");
    assert_eq!(pixir_files(&sessions(&world)), before);
    for seat in &report.seats {
        assert_eq!(seat.workspace.as_deref(), Some(elsewhere.as_str()));
        let token = seat.token.as_ref().unwrap();
        assert!(elsewhere.join(format!(".pixir/sessions/{token}.ndjson")).exists());
    }
    // Later runs need not say it again.
    let again = run(world.up(&rig(&[fork("a"), fresh("b")])));
    assert!(again.seats.iter().all(|seat| seat.action == Action::Unchanged), "{again:#?}");
}

fn pixir_files(dir: &Utf8Path) -> Vec<String> {
    let mut names: Vec<_> =
        dir.read_dir_utf8().unwrap().map(|entry| entry.unwrap().file_name().to_owned()).collect();
    names.sort();
    names
}

// SPEC 10: rows 1 and 4: a seed that is not there fails its member alone; nothing is written for it.
#[test]
fn a_seed_that_is_not_there_fails_its_member_alone() {
    let world = world();
    let mut lost = fork("lost");
    lost["session_source"]["ref"]["value"] = json!("20260303T080000-aaaaab");
    let report = run(world.up(&rig(&[lost, fork("found")])));
    assert_eq!(report.exit, ExitClass::Failed);
    let error = report.seats[0].error.as_ref().unwrap();
    assert_eq!(error.code, "source-not-found");
    assert!(error.message.contains("nothing was started for it"), "{error:?}");
    assert!(error.hint.as_ref().unwrap().contains(SEED), "{error:?}");
    assert_eq!(
        (report.seats[0].token.as_ref(), report.seats[0].failed_step.as_deref()),
        (None, Some("resolve"))
    );
    assert!(is_ready(&report.seats[1]));
    assert_eq!(children(&world).len(), 1);
}

// SPEC 6, 11: lineage and proofs are asked like those of any runtime, and a changed child is refuted.
#[test]
fn lineage_names_the_seed_and_verify_finds_a_changed_child() {
    let world = world();
    run(world.up(&rig(&[fork("a"), fresh("b")])));
    let ground = world.plain();
    let shown = run(lineage(&ground.offline(), &seatfork_launch::LineageAsked::All)).unwrap();
    assert_eq!((shown.nodes.len(), shown.edges.len()), (3, 1));
    let proved = run(verify(&ground.offline(), None)).unwrap();
    assert_eq!(proved.exit, ExitClass::Ok, "{proved:#?}");
    let child = run(world.ps()).seats[0].token.clone().unwrap();
    let text = std::fs::read_to_string(log(&world, &child)).unwrap();
    std::fs::write(log(&world, &child), text.replacen("twice", "thrice", 1)).unwrap();
    let refuted = run(verify(&world.plain().offline(), None)).unwrap();
    assert_eq!(refuted.exit, ExitClass::Findings);
    assert!(
        refuted.verified.iter().any(|seat| seat.status == ProofStatus::Refuted),
        "{refuted:#?}"
    );
}

fn die() {
    let me = rustix::process::getpid();
    rustix::process::kill_process(me, rustix::process::Signal::KILL).unwrap();
    loop {
        std::thread::park();
    }
}

/// Not a test of its own: the process that dies. Run without its variable it has nothing to do.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test process is told by a variable that it is the victim"
)]
fn victim() {
    let Ok(told) = std::env::var(VICTIM) else { return };
    let (point, root) = told.split_once(' ').unwrap();
    let point = CrashPoint::from_word(point).unwrap();
    let world = World::of_another(Utf8Path::new(root));
    let ground = world.ground(CrashPoints::armed(point, die), Cancel::new());
    drop(run(world.up_on(ground, &spec())));
    panic!("{point} was never reached");
}

#[expect(clippy::disallowed_methods, reason = "the victim is this very test program")]
fn kill_at(world: &World, point: CrashPoint) {
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "pixir::victim", "--nocapture"])
        .env(VICTIM, format!("{point} {}", world.root))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.signal(), Some(9), "{point}: {status}");
}

// SPEC 7: death at each point: nothing lost, nothing doubled. A log that was published is finished, never written twice.
#[test]
fn an_interrupted_launch_of_a_log_is_finished_or_tried_anew() {
    for (point, state, made, finished) in [
        (CrashPoint::AfterDeclared, LaunchState::Declared, 0, false),
        (CrashPoint::AfterResolved, LaunchState::Resolved, 0, false),
        (CrashPoint::BeforeSpawn, LaunchState::Forking, 0, false),
        (CrashPoint::AfterPhase1, LaunchState::Forking, 1, true),
        (CrashPoint::AfterProof, LaunchState::Forking, 1, true),
        (CrashPoint::AfterRealized, LaunchState::Realized, 1, false),
    ] {
        let world = world();
        kill_at(&world, point);
        assert_eq!(world.launches()[0].state, state, "{point}");
        assert_eq!(children(&world).len(), made, "{point}");
        let report = run(world.up(&spec()));
        let seat = only(&report);
        assert_eq!(report.exit, ExitClass::Ok, "{point}: {seat:#?}");
        assert!(is_ready(seat), "{point}: {seat:#?}");
        assert_eq!(children(&world), [seat.token.clone().unwrap()], "{point}");
        let told = seat.warnings.iter().any(|found| found.code == LaunchCode::FinishedInterrupted);
        assert_eq!(told, finished, "{point}: {seat:#?}");
        let launches = world.launches();
        let attempts = if made == 0 { 2 } else { 1 };
        assert_eq!(launches.len(), attempts, "{point}");
        if attempts == 2 {
            assert_eq!(launches[0].state, LaunchState::Abandoned, "{point}");
            assert_ne!(launches[0].planned_child, launches[1].planned_child, "{point}");
        }
    }
}

// SPEC 7: a child that proof refuses when it is found: named, left, its id burned, and a new attempt.
#[test]
fn a_leftover_that_is_not_whole_is_named_and_left() {
    let world = world();
    kill_at(&world, CrashPoint::AfterPhase1);
    let left = children(&world).remove(0);
    let text = std::fs::read_to_string(log(&world, &left)).unwrap();
    std::fs::write(log(&world, &left), text.replacen("twice", "thrice", 1)).unwrap();
    let report = run(world.up(&spec()));
    let seat = only(&report);
    assert!(is_ready(seat), "{seat:#?}");
    assert_ne!(seat.token.as_ref(), Some(&left));
    let named = seat.warnings.iter().find(|found| found.code == LaunchCode::PartialChild);
    assert!(named.unwrap().message.contains(&left), "{seat:#?}");
    assert_eq!(children(&world).len(), 2);
}

/// Has the store turn read-only when the proof begins.
#[derive(Debug)]
struct TurnsReadOnly {
    store: std::sync::Mutex<Option<StoreThread>>,
    path: Utf8PathBuf,
}

impl Observer for TurnsReadOnly {
    fn event(&self, event: &Event<'_>) {
        let Event::Entered { step: Step::Prove, .. } = event else { return };
        let Some(store) = self.store.lock().unwrap().take() else { return };
        let path = self.path.clone();
        tokio::spawn(async move {
            store.ask(move |store| *store = Store::open(&path, Mode::ReadOnly).unwrap()).await;
        });
    }
}

// SPEC 7, 10: row 5: a published child whose token cannot be stored: named, not launched, finished by the next `up`.
#[test]
fn a_log_whose_token_cannot_be_stored_is_rescued_and_finished() {
    let world = world();
    // Its rows are made first, so that the store is there to be lost.
    drop(world.plain());
    let watch =
        Arc::new(TurnsReadOnly { store: std::sync::Mutex::default(), path: world.store_path() });
    let ground = world.ground_with(CrashPoints::none(), Cancel::new(), watch.clone());
    *watch.store.lock().unwrap() = Some(ground.store.clone());
    let report = run(world.up_on(ground, &spec())).unwrap();
    let seat = only(&report);
    let error = seat.error.as_ref().unwrap();
    let child = children(&world).remove(0);
    assert_eq!(error.code, "token-not-stored", "{seat:#?}");
    assert!(error.message.contains(&child), "{error:?}");
    assert_eq!((seat.token.as_ref(), report.exit), (None, ExitClass::Failed));
    let later = run(world.up(&spec()));
    assert!(is_ready(only(&later)), "{later:#?}");
    assert_eq!(only(&later).token.as_ref(), Some(&child));
    assert_eq!(children(&world), [child]);
}

// SPEC 7, 8: a source that cannot be looked at refutes nothing: no second child is made; one that was replaced does.
#[test]
fn a_published_child_stays_whatever_becomes_of_its_source() {
    let world = world();
    kill_at(&world, CrashPoint::AfterPhase1);
    let child = children(&world).remove(0);
    let seed = std::fs::read(log(&world, SEED)).unwrap();
    // While it is held nobody else is given its inode.
    let held = std::fs::File::open(log(&world, SEED)).unwrap();
    std::fs::remove_file(log(&world, SEED)).unwrap();
    let report = run(world.up(&spec()));
    assert_eq!(only(&report).error.as_ref().unwrap().code, "source-gone", "{report:#?}");
    assert_eq!(children(&world), std::slice::from_ref(&child));
    // The same bytes in another file are not the file that was looked at.
    std::fs::write(log(&world, SEED), seed).unwrap();
    drop(held);
    let report = run(world.up(&spec()));
    let seat = only(&report);
    assert!(is_ready(seat), "{seat:#?}");
    let named = seat.warnings.iter().find(|found| found.code == LaunchCode::PartialChild);
    assert!(named.unwrap().message.contains(&child), "{seat:#?}");
    assert_eq!(children(&world).len(), 2, "it is never deleted");
    assert_ne!(seat.token.as_ref(), Some(&child));
}

// SPEC 6: fresh members get an empty log with their own posture.
#[test]
fn a_fresh_member_gets_a_log_of_its_own() {
    let world = world();
    let mut member = fresh("b");
    member["permission_policy"] = json!("builtin:locked");
    let report = run(world.up(&rig(&[member])));
    let seat = only(&report);
    assert!(is_ready(seat), "{seat:#?}");
    assert_eq!(seat.continuity_outcome, Some(ContinuityOutcome::Fresh));
    assert_eq!((seat.source.as_ref(), seat.notice), (None, Some(NoticeState::None)));
    let files = pixir::Workspace::new();
    let token = seat.token.as_ref().unwrap();
    files.write(token, std::fs::read(log(&world, token)).unwrap());
    assert_eq!(check_cold((&files, token)), [""; 0]);
    assert!(std::fs::read_to_string(log(&world, token)).unwrap().contains("\"read_only\""));
}

// SPEC 6: what no posture can hold is refused before anything starts.
#[test]
fn a_policy_without_bounds_stops_the_command() {
    let world = world();
    let mut member = fork("a");
    member["permission_policy"] = json!("builtin:yolo");
    let planned = run(world.plan(&rig(&[member])));
    assert_eq!(planned.refusals[0].code, LaunchCode::PermissionPolicyUnsupported);
    assert!(children(&world).is_empty());
}

// SPEC 6: with a program called pixir the seat has a pane that serves its own log, and is brought back by a resume.
#[test]
fn with_a_program_installed_a_pane_serves_the_log() {
    let world = world();
    let bin = world.root.join("bin");
    std::fs::create_dir(&bin).unwrap();
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && echo 0.1.12 && exit\nread line\n";
    std::fs::write(bin.join("pixir"), script).unwrap();
    std::fs::set_permissions(bin.join("pixir"), PermissionsExt::from_mode(0o755)).unwrap();
    let first = run(world.up(&spec()));
    let seat = only(&first);
    assert_eq!(first.exit, ExitClass::Ok, "{seat:#?}");
    assert_eq!(seat.process_state, ProcessState::Ready);
    assert_eq!(world.running_panes(), 1);
    run(world.down(DownDepth::Stop));
    let back = run(world.up(&spec()));
    let seat = only(&back);
    assert_eq!(
        (seat.action, seat.process_state),
        (Action::Resumed, ProcessState::Ready),
        "{seat:#?}"
    );
    assert_eq!(seat.token, only(&first).token);
    assert_eq!(children(&world).len(), 1);
    // Without the program again it needs none.
    run(world.down(DownDepth::Stop));
    std::fs::remove_file(bin.join("pixir")).unwrap();
    let idle = run(world.up(&spec()));
    assert!(is_ready(only(&idle)), "{idle:#?}");
}
