//! Launches from declaration to an end without a seat (SPEC 7).

use crate::support::*;
use seatfork_schema::{
    ContinuityOutcome, ConversationId, LaunchState, NoticeState, ProcessState, Proof, ProofGrade,
    ProofStatus, Runtime,
};
use seatfork_store::{
    ArtifactFact, ArtifactState, DeclareError, LaunchError, NewLaunch, Owner, OwnerLock,
    ProcessMark, Resolution, RuntimeBinary, StepError, StoreError, Verification, Work,
};

// SPEC 7: what is declared reads back as declared.
#[test]
fn declared_facts_read_back() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let lock = home.lock();
    let binary = RuntimeBinary {
        version: "2.1.0".into(),
        path: "/usr/bin/claude".into(),
        device: u64::MAX,
        inode: 3,
        modified: at(-99),
    };
    let new =
        NewLaunch { binary: Some(binary.clone()), ..Home::new_launch(&seat, fork("s1", "c1")) };
    let launch = home.store.declare(&lock, &new).unwrap();
    assert_eq!(launch.id, lock.launch());
    assert_eq!((launch.attempt, launch.state), (1, LaunchState::Declared));
    assert_eq!(launch.nonce, new.nonce);
    assert_eq!(launch.owner, owner());
    assert_eq!(launch.owner_lock, lock.file_name());
    assert_eq!(launch.source, Some(source("s1")));
    assert_eq!(launch.planned_child.as_ref().unwrap().conversation(), &claude("c1"));
    assert_eq!(launch.binary, Some(binary));
    assert_eq!((launch.profile.as_ref(), launch.notice_wanted), (new.profile.as_ref(), false));
    assert_eq!((launch.child.as_ref(), launch.outcome), (None, None));
    assert_eq!(home.store.launch_by_nonce(&new.nonce).unwrap().unwrap(), launch);
    assert_eq!(home.store.launch_by_child(&claude("C1")).unwrap().unwrap(), launch);
    assert_eq!(home.store.open_launches().unwrap(), [launch]);
}

// SPEC 7: at most one open launch per seat; the refusal names it.
#[test]
fn a_seat_has_one_open_launch() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let first = home.declare(&seat, fork("s1", "c1")).unwrap();
    match home.declare(&seat, fork("s1", "c2")) {
        Err(DeclareError::Open { open }) => assert_eq!(*open, first),
        other => panic!("{other:?}"),
    }
    home.store.abandon(first.id, "its owner died", at(5)).unwrap();
    let second = home.declare(&seat, fork("s1", "c2")).unwrap();
    assert_eq!(second.attempt, 2);
}

// SPEC 7: who decided by what is no more declares nothing: two that look at once make one launch.
#[test]
fn a_launch_decided_by_an_old_look_is_not_declared() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let mut declare = |child: &str, after| {
        let (lock, new) = (home.lock(), Home::new_launch(&seat, fork("s1", child)));
        let declared = home.store.declare_after(&lock, &new, after);
        declared.inspect(|launch| home.store.abandon(launch.id, "over", at(5)).unwrap())
    };
    assert_eq!(declare("c1", 0).unwrap().attempt, 1);
    for after in [0, 2] {
        let late = declare("c2", after);
        assert!(matches!(late, Err(DeclareError::Overtaken { latest: 1 })), "{late:?}");
    }
    assert_eq!(declare("c2", 1).unwrap().attempt, 2);
}

// SPEC 7: a child id is planned once, on every attempt anew.
#[test]
fn a_planned_id_is_not_planned_again() {
    let mut home = Home::new();
    let (a, b) = (home.seat("a", Runtime::ClaudeCode), home.seat("b", Runtime::ClaudeCode));
    home.declare(&a, fork("s1", "c1")).unwrap();
    match home.declare(&b, fork("s1", "C1")) {
        Err(DeclareError::Store(error)) => assert_eq!(error.rule(), Some("launch_planned_once")),
        other => panic!("{other:?}"),
    }
    assert!(home.store.launches_of(b.id).unwrap().is_empty());
}

// SPEC 7: steps are taken in order, and an ended launch takes none.
#[test]
fn no_step_is_skipped_or_taken_twice() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let launch = home.declare(&seat, fork("s1", "c1")).unwrap();
    let process = ProcessMark { pid: 9, start: "9".into() };
    let out_of_step = |result: Result<(), StepError>| {
        assert!(matches!(result, Err(StepError::OutOfStep { .. })), "{result:?}");
    };
    out_of_step(home.store.forking(launch.id, at(2)));
    out_of_step(home.store.phase1_spawned(launch.id, &process));
    home.drive_to_forking(&launch);
    let resolution = Resolution { evidence: Some(evidence()), artifacts: vec![] };
    out_of_step(home.store.resolved(launch.id, &resolution, at(4)));
    home.store.phase1_spawned(launch.id, &process).unwrap();
    assert_eq!(home.store.launch(launch.id).unwrap().phase1, Some(process.clone()));
    let second = home.store.phase1_spawned(launch.id, &ProcessMark { pid: 10, ..process });
    assert!(matches!(second, Err(StepError::Store(StoreError::Constraint { .. }))), "{second:?}");

    home.store.abandon(launch.id, "nothing was made", at(5)).unwrap();
    out_of_step(home.store.abandon(launch.id, "again", at(6)));
    out_of_step(home.store.fail(launch.id, "fork", &LaunchError::default(), None, at(6)));
    let ended = home.store.launch(launch.id).unwrap();
    assert_eq!(ended.state, LaunchState::Abandoned);
    assert_eq!(ended.failed_step.as_deref(), Some("forking"));
    assert_eq!(ended.error.unwrap().code, "launch-abandoned");
}

// SPEC 7: a fork goes by evidence.
#[test]
fn a_fork_is_not_resolved_without_evidence() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let launch = home.declare(&seat, fork("s1", "c1")).unwrap();
    match home.store.resolved(launch.id, &Resolution::default(), at(2)) {
        Err(StepError::Store(error)) => assert_eq!(error.rule(), Some("fork_goes_by_evidence")),
        other => panic!("{other:?}"),
    }
    assert_eq!(home.store.launch(launch.id).unwrap().state, LaunchState::Declared);
}

// SPEC 7: a failure keeps step, code, text, output, what exists now, and a refuting proof.
#[test]
fn a_failure_reads_back_whole() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let launch = home.forking(&seat, fork("s1", "c1"));
    home.store.made(launch.id, &claude("c1"), at(4)).unwrap();
    let error = LaunchError {
        code: "proof-unknown-difference".into(),
        text: "row 3 differs in `x`".into(),
        hint: Some("seatfork logs".into()),
        output_path: Some("/s/output/1.log".into()),
        leftover: Some("conversation c1".into()),
    };
    let refuted = Proof {
        status: ProofStatus::Refuted,
        grade: ProofGrade::L1,
        detail: "row 3".into(),
        inherited: None,
    };
    home.store.fail(launch.id, "prove", &error, Some(&refuted), at(5)).unwrap();
    home.store.warn(launch.id, &["source grew by 9 bytes".into()]).unwrap();
    home.store.warn(launch.id, &["source grew by 9 bytes".into(), "two".into()]).unwrap();
    let row = home.store.seat_state(seat.id).unwrap();
    assert!(row.occupant.is_none() && row.open_launch.is_none());
    let ended = row.last_launch.unwrap();
    assert_eq!(ended.outcome, Some(ContinuityOutcome::Failed));
    assert_eq!(ended.failed_step.as_deref(), Some("prove"));
    assert_eq!(ended.error, Some(error));
    assert_eq!(ended.proof, Some(refuted));
    assert_eq!(ended.child, Some(claude("c1")));
    assert_eq!(ended.warnings, ["source grew by 9 bytes", "two"]);
    assert_eq!(home.store.is_token_of(&claude("c1")).unwrap(), None);
}

// SPEC 10: the gaps of a rebuild are in the store.
#[test]
fn artifacts_and_their_gaps_are_kept_in_trust_order() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::Codex);
    let launch = home.declare(&seat, Work::Rebuild { planned: None }).unwrap();
    let found = ArtifactState::Found { bytes: 3, sha256: "0a".repeat(32) };
    let artifacts =
        [("CULTURE.md", ArtifactState::Missing), ("b.md", found), ("c", ArtifactState::Unreadable)]
            .map(|(path, state)| ArtifactFact { path: path.into(), state })
            .to_vec();
    let resolution = Resolution { evidence: None, artifacts: artifacts.clone() };
    home.store.resolved(launch.id, &resolution, at(2)).unwrap();
    assert_eq!(home.store.artifacts_of(launch.id).unwrap(), artifacts);
}

// SPEC 7: a launch whose owner died is taken over by the holder of its lock.
#[test]
fn a_dead_owners_launch_is_taken_over() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let launch = home.forking(&seat, fork("s1", "c1"));
    let lock = OwnerLock::take_over(&home.store.locks_dir(), launch.id).unwrap();
    let heir = Owner { process: ProcessMark { pid: 77, start: "9".into() }, ..owner() };
    let taken = home.store.take_over(&lock, &heir).unwrap();
    assert_eq!(taken.owner, heir);
    home.store.realize(launch.id, &forked(&source("s1"), &claude("c1")), &realized(9)).unwrap();
    let late = home.store.take_over(&lock, &owner());
    assert!(matches!(late, Err(StepError::OutOfStep { .. })), "{late:?}");
}

// SPEC 7: what is observed of a process never changes the outcome, and older observations lose.
#[test]
fn observations_of_a_pane_are_kept_by_their_time() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let (launch, _) = home.fork(&seat, "s1", "c1");
    home.store.record_pane(launch.id, &pane()).unwrap();
    assert!(home.store.observe_pane(launch.id, ProcessState::Ready, None, at(22)).unwrap());
    assert!(!home.store.observe_pane(launch.id, ProcessState::Starting, None, at(21)).unwrap());
    assert!(home.store.observe_pane(launch.id, ProcessState::Exited, Some(3), at(23)).unwrap());
    let row = home.store.seat_state(seat.id).unwrap();
    let seen = row.last_pane.unwrap();
    assert_eq!((seen.observed, seen.exit_code), (ProcessState::Exited, Some(3)));
    assert_eq!((seen.opened_at, seen.observed_at), (at(20), at(23)));
    assert_eq!(row.last_launch.unwrap().outcome, Some(ContinuityOutcome::Forked));
    let none = home.store.observe_pane(home.lock().launch(), ProcessState::Lost, None, at(24));
    assert!(matches!(none, Err(StoreError::NotFound { .. })), "{none:?}");
    let second = home.store.record_pane(launch.id, &pane());
    assert_eq!(second.unwrap_err().rule(), Some("pane_no_replace"));
}

// SPEC 8: a proof looked at again is an observation beside the outcome.
#[test]
fn verifications_are_added_and_never_change_the_outcome() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let (launch, _) = home.fork(&seat, "s1", "c1");
    let looks = [ProofStatus::Proved, ProofStatus::Unverifiable, ProofStatus::Refuted]
        .map(|status| Verification { at: at(40), status, detail: "again".into() });
    for look in &looks {
        home.store.record_verification(launch.id, look).unwrap();
    }
    assert_eq!(home.store.verifications_of(launch.id).unwrap(), looks);
    let launch = home.store.launch(launch.id).unwrap();
    assert_eq!(launch.outcome, Some(ContinuityOutcome::Forked));
    assert_eq!(launch.proof.unwrap().status, ProofStatus::Proved);
}

// SPEC 6: the notice is recorded as it becomes known.
#[test]
fn a_notice_given_with_the_first_text_is_noted_after_the_end() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let (launch, _) = home.fork(&seat, "s1", "c1");
    home.store.note_notice(launch.id, NoticeState::Injected).unwrap();
    assert_eq!(home.store.launch(launch.id).unwrap().notice, Some(NoticeState::Injected));
}

// SPEC 11: an id that nothing has is an error by name, for every call that takes one.
#[test]
fn an_unknown_id_is_not_found() {
    let mut home = Home::new();
    let nobody = home.lock().launch();
    let unknown = |error: StoreError| assert!(matches!(error, StoreError::NotFound { .. }));
    unknown(home.store.launch(nobody).unwrap_err());
    unknown(home.store.warn(nobody, &["x".into()]).unwrap_err());
    match home.store.forking(nobody, at(1)) {
        Err(StepError::Store(error)) => unknown(error),
        other => panic!("{other:?}"),
    }
    let child: ConversationId = claude("nobody");
    assert_eq!(home.store.launch_by_child(&child).unwrap(), None);
}
