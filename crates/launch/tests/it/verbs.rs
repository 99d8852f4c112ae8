//! The other verbs, over the same real store and tmux.

use crate::support::{SOURCE, World, fork, fresh, only, rig, run, terminal};
use seatfork_launch::{
    Action, Cancel, CheckStatus, CrashPoints, DownAction, DownDepth, ErrorReport, ExitClass,
    LaunchCode, LineageAsked, Patient, ReconcileOptions, Target, UpOptions, adopt_seat, attach,
    doctor, lineage, reconcile, target, verify,
};
use seatfork_schema::{ContinuityOutcome, CreatedVia, ProcessState, ProofStatus};
use seatfork_store::{LaunchId, OwnerLock};
use serde_json::{Value, json};
use std::sync::Arc;

// SPEC 13: `up --json` has exactly the fields of the contract, with these words.
#[test]
fn the_json_of_up_is_the_contracts() {
    let world = World::new();
    let mut lost = fork("lost");
    lost["session_source"]["ref"]["value"] = json!("0b0165d7-cb4d-4650-90de-15c0a1ede900");
    let report = run(world.up(&rig(&[fork("a"), terminal("t"), lost])));
    let mut json = serde_json::to_value(&report).unwrap();
    let token = json["seats"][0]["token"].as_str().unwrap().to_owned();
    for seat in json["seats"].as_array_mut().unwrap() {
        if seat["observed_at"].is_string() {
            seat["observed_at"] = json!("[time]");
        }
    }
    let text = serde_json::to_string_pretty(&json).unwrap();
    let text = text.replace(&token, "[token]").replace(world.root.as_str(), "[root]");
    insta::assert_snapshot!("up_json", text);
}

// SPEC 7: process states come from the process: killed, and a killed server, are seen as what they are.
#[test]
fn ps_says_what_the_process_is_and_not_what_it_was() {
    let world = World::new();
    run(world.up(&rig(&[fork("a"), terminal("t")])));
    let seen = run(world.ps());
    assert_eq!(seen.exit, ExitClass::Ok, "{seen:#?}");
    let state = world.seat().last_pane.unwrap().process;
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(i32::try_from(state.pid).unwrap()).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let seen = run(world.ps());
    assert_eq!(seen.exit, ExitClass::Failed);
    assert_eq!(seen.seats[0].process_state, ProcessState::Exited);
    assert_eq!(seen.seats[1].process_state, ProcessState::Ready);
    assert_eq!(seen.seats[0].continuity_outcome, Some(ContinuityOutcome::Forked));
    world.server().kill_server().unwrap();
    let seen = run(world.ps());
    assert_eq!(seen.seats[1].process_state, ProcessState::Lost, "{seen:#?}");
}

// SPEC 7: after `kill-server`, `up` brings the conversations back by their own tokens.
#[test]
fn a_killed_server_costs_no_conversation() {
    let world = World::new();
    let spec = rig(&[fork("a"), terminal("t")]);
    let first = run(world.up(&spec));
    world.server().kill_server().unwrap();
    let back = run(world.up(&spec));
    assert_eq!(back.exit, ExitClass::Ok, "{back:#?}");
    assert_eq!(back.seats[0].token, first.seats[0].token);
    assert_eq!(back.seats[0].continuity_outcome, Some(ContinuityOutcome::Resumed));
    assert_eq!(back.seats[1].continuity_outcome, Some(ContinuityOutcome::Fresh));
    assert_eq!(world.calls("make").len(), 1);
}

// SPEC 7: two `up` at once: one launch per seat, the other is told and exits 5.
// code: launch-in-progress
#[test]
fn of_two_ups_at_once_one_launches_and_the_other_is_told_the_owner() {
    let world = World::new();
    world.mode("slow");
    let spec = rig(&[fork("a")]);
    let (first, second) = run(async {
        let one = tokio::spawn({
            let (ground, planned) = (world.plain(), world.plan(&spec).await);
            seatfork_launch::up(ground, planned, UpOptions::default())
        });
        tokio::time::sleep(std::time::Duration::from_millis(400)).await;
        let second = world.up_on(world.plain(), &spec).await.unwrap();
        (one.await.unwrap().unwrap(), second)
    });
    assert_eq!(first.exit, ExitClass::Ok, "{first:#?}");
    assert_eq!(second.exit, ExitClass::Conflict, "{second:#?}");
    let left = only(&second);
    assert_eq!(left.action, Action::Skipped);
    let error = left.error.as_ref().unwrap();
    assert_eq!(error.code, "launch-in-progress");
    assert!(error.message.contains(&std::process::id().to_string()), "{error:?}");
    assert_eq!(world.calls("make").len(), 1);
    assert_eq!(world.launches().len(), 1);
}

// SPEC 7: Ctrl-C: what runs ends and is recorded, what has not begun is not; exit 130.
// code: interrupted
#[test]
fn an_interrupted_up_ends_what_runs_and_starts_nothing_more() {
    let world = World::new();
    world.mode("slow");
    let cancel = Cancel::new();
    let ground = world.ground(CrashPoints::none(), cancel.clone());
    let spec = rig(&[fork("a"), fork("b")]);
    let report = run(async {
        let planned = world.plan(&spec).await;
        let options = UpOptions { jobs: std::num::NonZeroUsize::MIN, ..UpOptions::default() };
        let work = tokio::spawn(seatfork_launch::up(ground, planned, options));
        tokio::time::sleep(std::time::Duration::from_millis(400)).await;
        cancel.request();
        work.await.unwrap().unwrap()
    });
    assert_eq!(report.exit, ExitClass::Interrupted, "{report:#?}");
    let [a, b] = &report.seats[..] else { panic!("{report:#?}") };
    assert_eq!(a.continuity_outcome, Some(ContinuityOutcome::Forked), "recorded");
    assert!(a.token.is_some());
    assert_eq!((b.action, b.attempt), (Action::Skipped, None));
    assert_eq!(world.running_panes(), 0);
    world.mode("ok");
    let report = run(world.up(&spec));
    assert_eq!(report.exit, ExitClass::Ok, "{report:#?}");
    assert_eq!(world.calls("make").len(), 2, "the interrupted fork is not made again");
}

// SPEC 7: what the spec says of a realized seat and differs is said and left; with --strict it exits 6.
// code: seat-differs, takes-effect-later, not-in-spec
#[test]
fn a_spec_that_differs_from_a_realized_seat_is_said_and_left() {
    let world = World::new();
    std::fs::create_dir(world.root.join("rig/elsewhere")).unwrap();
    run(world.up(&rig(&[fork("a"), fresh("gone")])));
    let token = world.token();
    let mut moved = fork("a");
    moved["cwd"] = json!("elsewhere");
    moved["model"] = json!("other");
    moved["session_source"]["ref"]["value"] = json!("0b0165d7-cb4d-4650-90de-15c0a1ede900");
    let report = run(world.up(&rig(&[moved])));
    let seat = only(&report);
    assert_eq!((seat.action, report.exit), (Action::Unchanged, ExitClass::Ok), "{seat:#?}");
    assert_eq!(seat.token, token);
    let said: Vec<_> = seat.warnings.iter().map(|finding| finding.code).collect();
    assert_eq!(
        said,
        [LaunchCode::TakesEffectLater, LaunchCode::SeatDiffers, LaunchCode::SeatDiffers]
    );
    assert_eq!(report.warnings[0].code, LaunchCode::NotInSpec);
    assert!(report.warnings[0].message.contains("p-gone@r"));
    assert_eq!(only(&report).exit(true), ExitClass::Findings);
}

// SPEC 7: the same rig name from another directory is refused and nothing starts.
// code: rig-name-taken
#[test]
fn a_rig_name_belongs_to_one_directory() {
    let world = World::new();
    run(world.up(&rig(&[terminal("t")])));
    let other = run(async {
        let mut planned = world.plan(&rig(&[fork("a")])).await;
        planned.origin.root = world.root.clone();
        seatfork_launch::up(world.plain(), planned, UpOptions::default()).await
    });
    let error = other.unwrap_err();
    assert_eq!((error.code(), error.exit()), (LaunchCode::RigNameTaken, ExitClass::Conflict));
    assert!(world.calls("make").is_empty());
}

// SPEC 7: rotation is a finding, `up` leaves it, `reconcile --adopt SEAT` takes it over without a source.
// code: serves-another-conversation
#[test]
fn a_rotated_seat_is_told_left_and_adopted_when_named() {
    let world = World::new();
    let spec = rig(&[fork("a")]);
    run(world.up(&spec));
    let old = world.token().unwrap();
    let pid = world.seat().last_pane.unwrap().process.pid;
    let new = "11111111-0000-4000-8000-000000000000";
    std::fs::write(world.record(new), "something else\n").unwrap();
    std::fs::write(world.home().join(format!("serving/{pid}")), new).unwrap();
    let report = run(world.up(&spec));
    let seat = only(&report);
    assert_eq!((seat.action, report.exit), (Action::Unchanged, ExitClass::Ok));
    let finding = &seat.warnings[0];
    assert_eq!(finding.code, LaunchCode::ServesAnotherConversation);
    assert!(finding.message.contains(&old) && finding.message.contains(new));
    assert_eq!(run(world.ps()).exit, ExitClass::Findings);
    let ground = world.plain();
    let shown = run(reconcile(&ground, None, ReconcileOptions { apply: true, allow_yolo: false }));
    assert_eq!(
        shown.unwrap().items[0].done,
        None,
        "a rotation is not taken over unless it is named"
    );
    let adopted = run(adopt_seat(&ground, &world.seat())).unwrap();
    assert_eq!(adopted.exit, ExitClass::Ok, "{adopted:#?}");
    assert_eq!(world.token().as_deref(), Some(new));
    let launches = world.launches();
    assert_eq!((launches[1].outcome, launches[1].source.clone()), (None, None));
    let seen = run(world.ps());
    assert_eq!(seen.exit, ExitClass::Ok, "{seen:#?}");
    assert!(run(adopt_seat(&ground, &world.seat())).is_err(), "it serves its own token now");
    // And back to the source: that can never be the seat's token.
    std::fs::write(world.home().join(format!("serving/{pid}")), SOURCE).unwrap();
    assert_eq!(run(adopt_seat(&ground, &world.seat())).unwrap_err().exit(), ExitClass::Conflict);
}

// SPEC 8: verify looks again: proved, refuted when the child was changed, unverifiable when the source is gone.
#[test]
fn verify_tells_proved_refuted_and_unverifiable_apart() {
    let world = World::new();
    run(world.up(&rig(&[fork("a"), fresh("b"), terminal("t")])));
    let ground = world.plain();
    let statuses = || {
        let report = run(verify(&ground.offline(), None)).unwrap();
        let all: Vec<_> = report.verified.iter().map(|seat| seat.status).collect();
        assert!(report.verified.iter().all(|seat| seat.recorded));
        (all, report.exit)
    };
    assert_eq!(statuses(), (vec![ProofStatus::Proved, ProofStatus::Proved], ExitClass::Ok));
    let child = world.record(&world.token().unwrap());
    let whole = std::fs::read(&child).unwrap();
    std::fs::write(&child, "one\ntwo\nTHREE\n").unwrap();
    assert_eq!(statuses(), (vec![ProofStatus::Refuted, ProofStatus::Proved], ExitClass::Findings));
    std::fs::write(&child, [&whole[..], b"grown\n"].concat()).unwrap();
    assert_eq!(statuses().1, ExitClass::Ok, "what comes after is the seat's own life");
    std::fs::remove_file(world.record(SOURCE)).unwrap();
    assert_eq!(
        statuses(),
        (vec![ProofStatus::Unverifiable, ProofStatus::Proved], ExitClass::Findings)
    );
    // Only looked at: the outcome stands as it was seen.
    assert_eq!(run(world.ps()).seats[0].continuity_outcome, Some(ContinuityOutcome::Forked));
}

// SPEC 11, 13: lineage names parent and child both ways, and keeps both when a seat is relaunched fresh.
#[test]
fn lineage_tells_which_conversation_came_from_which() {
    let world = World::new();
    let mut member = fork("a");
    member["restore_policy"] = json!("relaunch_fresh");
    let spec = rig(&[member]);
    run(world.up(&spec));
    let forked = world.token().unwrap();
    run(world.down(DownDepth::Stop));
    let report = run(world.up(&spec));
    assert_eq!(only(&report).continuity_outcome, Some(ContinuityOutcome::Fresh));
    let report = run(lineage(&world.plain().offline(), &LineageAsked::All)).unwrap();
    let edges: Vec<_> = report
        .edges
        .iter()
        .map(|edge| (edge.parent.as_str(), edge.child.as_str(), edge.kind))
        .collect();
    assert_eq!(edges, [(SOURCE, forked.as_str(), CreatedVia::Fork)]);
    let node = |id: &str| report.nodes.iter().find(|node| node.native_id == id).unwrap();
    assert_eq!(node(SOURCE).seat, None);
    assert_eq!(node(&forked).root_native_id, SOURCE);
    assert_eq!(node(&forked).seat.as_deref(), Some("p-a@r"));
    let fresh = world.token().unwrap();
    assert_eq!(node(&fresh).created_via, Some(CreatedVia::Fresh));
    assert_eq!(node(&fresh).root_native_id, fresh);
}

// SPEC 7: `down --forget` frees names and keeps rows; the next `up` forks anew; `--purge` removes what we keep beside.
#[test]
fn forgetting_a_rig_frees_its_names_and_deletes_no_conversation() {
    let world = World::new();
    let spec = rig(&[fork("a")]);
    run(world.up(&spec));
    let old = world.token().unwrap();
    let report = run(world.down(DownDepth::Forget));
    assert_eq!(report.exit, ExitClass::Ok, "{report:#?}");
    assert_eq!((report.seats[0].action, report.seats[0].retired), (DownAction::Stopped, true));
    assert_eq!(report.kept[0].native_id, old);
    assert!(world.record(&old).exists());
    let report = run(world.up(&spec));
    let seat = only(&report);
    assert_eq!((seat.continuity_outcome, seat.attempt), (Some(ContinuityOutcome::Forked), Some(1)));
    assert_ne!(seat.token.as_deref(), Some(old.as_str()));
    world.mode("fail");
    run(world.up(&rig(&[fork("a"), fork("b")])));
    let report = run(world.down(DownDepth::Purge));
    assert_eq!(report.exit, ExitClass::Ok, "{report:#?}");
    assert!(!report.removed.is_empty());
    assert_eq!(world.root.join("state/output").read_dir().unwrap().count(), 0);
    assert_eq!(world.children().len(), 2);
}

// SPEC 7: `down` ends nothing of a seat somebody is at work on.
#[test]
fn down_leaves_a_seat_whose_launch_is_owned() {
    let world = World::new();
    run(world.up(&rig(&[fork("a")])));
    let store = world.store();
    let launch: LaunchId = world.launches()[0].id;
    let lock = OwnerLock::take_over(&store.locks_dir(), launch).unwrap();
    let report = run(world.down(DownDepth::Stop));
    assert_eq!((report.seats[0].action, report.exit), (DownAction::Left, ExitClass::Conflict));
    assert_eq!(world.running_panes(), 1);
    lock.release().unwrap();
    assert_eq!(run(world.down(DownDepth::Stop)).seats[0].action, DownAction::Stopped);
    assert_eq!(run(world.down(DownDepth::Stop)).seats[0].action, DownAction::NotRunning);
}

// SPEC 13: a word names a rig or a seat in every way people write it; ambiguity lists the candidates.
#[test]
fn words_name_rigs_and_seats() {
    let world = World::new();
    run(world.up(&rig(&[fork("a"), terminal("t")])));
    let ground = world.plain();
    let token = world.token().unwrap();
    for word in ["p-a@r", "P-A@R", "r/a", "r/p-a", "r/p.a", "a", "p-a", &token, &token[..8]] {
        match run(target(&ground.store, word)).unwrap() {
            Target::Seat(row) => assert_eq!(row.seat.name, "p-a@r", "{word}"),
            Target::Rig(_) => panic!("{word} is no rig"),
        }
    }
    assert!(matches!(run(target(&ground.store, "r")).unwrap(), Target::Rig(_)));
    for word in ["", "b", "R", "x/a", "p-a@s", &token[..2], &SOURCE[..8]] {
        let error = run(target(&ground.store, word)).unwrap_err();
        assert_eq!(error.exit(), ExitClass::NotFound, "{word}");
        assert!(error.to_string().contains("p-a@r"), "{error}");
    }
    let Target::Seat(row) = run(target(&ground.store, "a")).unwrap() else { panic!("a seat") };
    let argv = run(attach(&ground, &row)).unwrap();
    assert!(argv.last().unwrap().starts_with("=launch-"), "{argv:?}");
    run(world.down(DownDepth::Stop));
    assert!(run(attach(&ground, &row)).is_err());
}

// SPEC 13, 14: doctor names captured output, rescue files, open launches and what a runtime answers.
#[test]
fn doctor_tells_what_stays_from_before() {
    let world = World::new();
    world.mode("fail");
    run(world.up(&rig(&[fork("a")])));
    let ground = world.plain();
    let patient = Patient {
        adapters: world.adapters(),
        caller: world.caller(),
        store: Ok(Some(ground.store.clone())),
        store_path: world.store_path(),
        tmux: Ok(world.server()),
        output_dir: ground.output_dir.clone(),
        ground: Some(Arc::clone(&ground)),
    };
    let report = run(doctor(&patient));
    let find = |name: &str| report.checks.iter().find(|check| check.name == name).unwrap();
    assert!(find("output").detail.starts_with("2 files"), "{report:#?}");
    assert_eq!(find("claude-code").status, CheckStatus::Ok);
    assert_eq!(find("tmux").status, CheckStatus::Ok);
    let open = ErrorReport::new(LaunchCode::StoreUnsafeDirectory, "others may write here");
    let broken = Patient { store: Err(open.clone()), ground: None, ..patient };
    let report = run(doctor(&broken));
    assert_eq!(report.exit, ExitClass::NotReady);
    // Its own hint, not the one of a damaged store.
    let store = report.checks.iter().find(|check| check.name == "store").unwrap();
    assert_eq!((&store.detail, &store.hint), (&open.message, &open.hint));
}

// SPEC 13, 14: a plan shows source, time and disk of a fork, the names a seat gets, and what is not acted on.
// code: cwd-outside-rig, agent-carries-source
#[test]
fn a_plan_shows_what_a_fork_takes_and_never_a_value() {
    let world = World::new();
    let outside = world.root.join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(world.root.join("rig/a.yaml"), "session_source: {mode: fork}\n").unwrap();
    let mut member = fork("a");
    member["cwd"] = json!(outside.as_str());
    let mut lost = fork("lost");
    lost["session_source"]["ref"]["value"] = json!("0b0165d7-cb4d-4650-90de-15c0a1ede900");
    let planned = run(seatfork_launch::plan(
        &world.adapters(),
        &world.caller(),
        &rig(&[member, lost]),
        &world.origin(),
        &seatfork_launch::PlanOptions::default(),
    ));
    let mut json = serde_json::to_value(planned.report()).unwrap();
    json["seats"][0]["source"]["look"]["disk_free"] = json!("[free]");
    let text = serde_json::to_string_pretty(&json).unwrap();
    assert!(!text.contains("C.UTF-8"), "names of variables, never values");
    let shell = camino::Utf8Path::new("/bin/sh").canonicalize_utf8().unwrap();
    let text = text.replace(world.root.as_str(), "[root]").replace(shell.as_str(), "[sh]");
    insta::assert_snapshot!("plan_json", text);
    assert!(world.calls("make").is_empty());
}

// SPEC 13: checking grants no authority: a plan starts nothing and changes nothing.
// code: cwd-missing
#[test]
fn a_plan_refuses_everything_at_once_and_starts_nothing() {
    let world = World::new();
    let mut spec: Value = json!([fork("a"), fresh("b"), terminal("t")]);
    spec[0]["cwd"] = json!("nowhere");
    spec[0]["permission_policy"] = json!("builtin:yolo");
    spec[1]["permission_policy"] = json!("builtin:yolo");
    spec[1]["runtime"] = json!("pi");
    spec[2]["startup"] =
        json!({"actions": [{"type": "send_text", "value": "ls", "idempotent": true}]});
    let mut third = fresh("c");
    third["permission_policy"] = json!("builtin:yolo");
    let members: Vec<Value> = spec.as_array().unwrap().iter().cloned().chain([third]).collect();
    let planned = run(world.plan(&rig(&members)));
    let refused: Vec<_> = planned
        .refusals
        .iter()
        .map(|refusal| format!("{} {} {}", refusal.path, refusal.code, refusal.message))
        .collect();
    let text = refused.join("\n").replace(world.root.as_str(), "[root]");
    insta::assert_snapshot!("plan_refusals", text);
    let error = run(seatfork_launch::up(world.plain(), planned, UpOptions::default())).unwrap_err();
    assert_eq!(error.exit(), ExitClass::NotReady);
    assert!(world.calls("make").is_empty());
}
