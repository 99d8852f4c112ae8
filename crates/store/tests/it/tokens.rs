//! From a proved child to a token, and every way a token must not come about (SPEC 7, 11).

use crate::support::*;
use seatfork_schema::{
    ContinuityOutcome, CreatedVia, Intent, LaunchState, NoticeState, PlannedChild, Proof,
    ProofGrade, Runtime, SourceId,
};
use seatfork_store::{
    AdoptError, Adoption, DeclareError, EndReason, ForkVia, RealizeError, Realized, Replaces, Work,
};

// SPEC 7: conversation, launch, occupant, proof and lineage are stored together, and read back as they were.
#[test]
fn a_realized_fork_reads_back_whole() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let launch = home.forking(&seat, fork("s1", "c1"));
    let proved = forked(&source("s1"), &claude("c1"));
    let facts = Realized { ranges: vec![range()], ..realized(9) };
    let token = home.store.realize(launch.id, &proved, &facts).unwrap();
    assert_eq!(token.conversation(), &claude("c1"));

    let row = home.store.seat_state(seat.id).unwrap();
    let occupant = row.occupant.unwrap();
    assert_eq!((occupant.n, occupant.token.as_ref()), (1, Some(&token)));
    assert!(row.open_launch.is_none());
    let stored = row.occupant_launch.unwrap();
    assert_eq!(stored, row.last_launch.unwrap());
    assert_eq!(stored.state, LaunchState::Realized);
    assert_eq!(stored.outcome, Some(ContinuityOutcome::Forked));
    assert_eq!(stored.source, Some(source("s1")));
    assert_eq!(stored.evidence, Some(evidence()));
    assert_eq!(stored.proof.as_ref(), Some(proved.proof()));
    assert_eq!(stored.notice, Some(NoticeState::WithFirstText));
    assert_eq!(stored.ended_at, Some(at(9)));
    assert_eq!(home.store.ranges_of(launch.id).unwrap(), [range()]);
    assert_eq!(home.store.is_token_of(&claude("C1")).unwrap(), Some(seat.id));
    assert_eq!(home.store.sources_of(seat.id).unwrap(), [source("s1")]);
}

// SPEC 7: the same realize again is recognised; another child for the same launch is not.
#[test]
fn a_second_realize_of_the_same_launch_gives_the_same_token_and_writes_nothing() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let (launch, token) = home.fork(&seat, "s1", "c1");
    let again = home.store.realize(launch.id, &forked(&source("s1"), &claude("c1")), &realized(99));
    assert_eq!(again.unwrap(), token);
    assert_eq!(home.store.launch(launch.id).unwrap().ended_at, Some(at(9)));
    let other = home.store.realize(launch.id, &forked(&source("s1"), &claude("c2")), &realized(99));
    assert!(matches!(other, Err(RealizeError::OtherChild { .. })), "{other:?}");
    let from_elsewhere =
        home.store.realize(launch.id, &forked(&source("s2"), &claude("c1")), &realized(99));
    assert!(matches!(from_elsewhere, Err(RealizeError::OtherSource { .. })), "{from_elsewhere:?}");
}

// SPEC 11: a token equals no source any launch of that seat ever had, by case too.
#[test]
fn no_source_of_any_attempt_becomes_the_token_of_the_seat() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::Codex);
    let fork_of = |from: &str| Work::Fork {
        source: SourceId::new(codex(from)),
        planned: None,
        via: ForkVia::Fork,
    };
    let first = home.forking(&seat, fork_of("aa"));
    home.store.fail(first.id, "fork", &error("runtime-failed"), None, at(5)).unwrap();
    let second = home.forking(&seat, fork_of("bb"));
    for child in ["aa", "AA"] {
        let proved = seatfork_schema::ProvedChild::forked(
            SourceId::new(codex("bb")),
            codex(child),
            proof(ProofGrade::L3),
        )
        .unwrap();
        let refused = home.store.realize(second.id, &proved, &realized(9));
        assert!(matches!(refused, Err(RealizeError::IsASource { .. })), "{child}: {refused:?}");
    }
    let row = home.store.seat_state(seat.id).unwrap();
    assert!(row.occupant.is_none());
    assert_eq!(row.open_launch.unwrap().state, LaunchState::Forking);
}

// SPEC 11: a token is unique among current occupants, by case too.
#[test]
fn another_seats_token_is_refused() {
    let mut home = Home::new();
    let (a, b) = (home.seat("a", Runtime::Codex), home.seat("b", Runtime::Codex));
    let first = home.forking(&a, Work::Fresh { planned: None });
    home.store.realize(first.id, &fresh(&codex("cc")), &realized(9)).unwrap();
    let second = home.forking(&b, Work::Fresh { planned: None });
    for child in ["cc", "CC"] {
        let refused = home.store.realize(second.id, &fresh(&codex(child)), &realized(9));
        match refused {
            Err(RealizeError::OwnedBy { owner, .. }) => assert_eq!(owner, a.id),
            other => panic!("{child}: {other:?}"),
        }
    }
    assert!(home.store.seat_state(b.id).unwrap().occupant.is_none());
}

// SPEC 6: a Codex token that comes late goes onto launch and occupant together, once.
#[test]
fn a_late_token_is_stored_once_and_never_a_source() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::Codex);
    let lost = home.forking(
        &seat,
        Work::Fork { source: SourceId::new(codex("aa")), planned: None, via: ForkVia::Fork },
    );
    home.store.fail(lost.id, "fork", &error("runtime-failed"), None, at(5)).unwrap();
    let launch = home.forking(&seat, Work::Fresh { planned: None });
    home.store.realize_without_token(launch.id, NoticeState::None, at(9)).unwrap();
    home.store.realize_without_token(launch.id, NoticeState::None, at(10)).unwrap();
    let row = home.store.seat_state(seat.id).unwrap();
    assert_eq!(row.occupant.unwrap().token, None);
    assert_eq!(row.last_launch.unwrap().outcome, Some(ContinuityOutcome::Fresh));

    for child in ["aa", "AA"] {
        let refused = home.store.late_token(launch.id, &fresh(&codex(child)), at(11));
        assert!(matches!(refused, Err(RealizeError::IsASource { .. })), "{refused:?}");
    }
    let token = home.store.late_token(launch.id, &fresh(&codex("cc")), at(12)).unwrap();
    assert_eq!(home.store.late_token(launch.id, &fresh(&codex("cc")), at(13)).unwrap(), token);
    let other = home.store.late_token(launch.id, &fresh(&codex("dd")), at(13));
    assert!(matches!(other, Err(RealizeError::OtherChild { .. })), "{other:?}");
    let row = home.store.seat_state(seat.id).unwrap();
    assert_eq!(row.occupant.unwrap().token, Some(token));
    let launch = row.occupant_launch.unwrap();
    assert_eq!((launch.child, launch.ended_at), (Some(codex("cc")), Some(at(9))));
}

// SPEC 6: a late token for an occupant that ended meanwhile is refused.
#[test]
fn an_ended_occupant_takes_no_late_token() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::Codex);
    let launch = home.forking(&seat, Work::Fresh { planned: None });
    home.store.realize_without_token(launch.id, NoticeState::None, at(9)).unwrap();
    home.store.end_occupant(seat.id, EndReason::Retired, at(10)).unwrap();
    let refused = home.store.late_token(launch.id, &fresh(&codex("cc")), at(11));
    assert!(matches!(refused, Err(RealizeError::OccupantEnded { .. })), "{refused:?}");
}

// SPEC 1: terminal has an occupant without a token, by definition; no other runtime ends that way.
#[test]
fn only_a_terminal_is_realized_without_any_conversation() {
    let mut home = Home::new();
    let seat = home.seat("t", Runtime::Terminal);
    let launch = home.forking(&seat, Work::Fresh { planned: None });
    home.store.realize_terminal(launch.id, at(9)).unwrap();
    let row = home.store.seat_state(seat.id).unwrap();
    assert_eq!(row.occupant.unwrap().token, None);
    let fork = home.declare(&seat, fork("s", "c"));
    assert!(matches!(fork, Err(DeclareError::OtherRuntime { .. })), "{fork:?}");

    let claude_seat = home.seat("a", Runtime::ClaudeCode);
    let launch = home.forking(&claude_seat, fresh_work("c1"));
    for refused in [
        home.store.realize_terminal(launch.id, at(9)),
        home.store.realize_without_token(launch.id, NoticeState::None, at(9)),
    ] {
        assert!(matches!(refused, Err(RealizeError::WrongEnd { .. })), "{refused:?}");
    }
}

// SPEC 7: a resume brings back the occupant's own token, adds no occupant and no lineage.
#[test]
fn a_resume_adds_no_occupant_and_no_lineage() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let (_, token) = home.fork(&seat, "s1", "c1");
    let launch = home.forking(&seat, Work::Resume { token: token.clone() });
    assert_eq!(launch.resumes, Some(token.clone()));
    assert_eq!(launch.source, None);
    let resumed =
        home.store.realize_resume(launch.id, Some(&proof(ProofGrade::L1)), at(30)).unwrap();
    assert_eq!(resumed, token);
    assert_eq!(home.store.realize_resume(launch.id, None, at(31)).unwrap(), token);
    let row = home.store.seat_state(seat.id).unwrap();
    assert_eq!(row.occupant.unwrap().n, 1);
    assert_eq!(row.occupant_launch.unwrap().intent, Intent::Fork);
    let last = row.last_launch.unwrap();
    assert_eq!((last.attempt, last.outcome), (2, Some(ContinuityOutcome::Resumed)));
    let count: i64 =
        home.raw().query_row("SELECT count(*) FROM lineage", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 1);
}

// SPEC 7: a resume of a token that is no longer the seat's is refused at declare.
#[test]
fn a_token_of_another_occupant_is_not_resumed() {
    let mut home = Home::new();
    let (a, b) = (home.seat("a", Runtime::ClaudeCode), home.seat("b", Runtime::ClaudeCode));
    let (_, token_a) = home.fork(&a, "s1", "c1");
    home.fork(&b, "s1", "c2");
    let refused = home.declare(&b, Work::Resume { token: token_a.clone() });
    assert!(matches!(refused, Err(DeclareError::OccupantChanged)), "{refused:?}");
    home.store.end_occupant(a.id, EndReason::Retired, at(20)).unwrap();
    let refused = home.declare(&a, Work::Resume { token: token_a });
    assert!(matches!(refused, Err(DeclareError::OccupantChanged)), "{refused:?}");
}

// SPEC 7: a seat with an occupant never forks again unless the launch says whom it replaces.
#[test]
fn an_occupied_seat_is_not_forked_into() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let (_, old) = home.fork(&seat, "s1", "c1");
    let refused = home.declare(&seat, fork("s1", "c2"));
    assert!(matches!(refused, Err(DeclareError::Occupied { n: 1 })), "{refused:?}");
    let stale = Replaces { n: 2, reason: EndReason::Relaunched };
    let refused = home.declare_replacing(&seat, fresh_work("c2"), stale);
    assert!(matches!(refused, Err(DeclareError::OccupantChanged)), "{refused:?}");
    let own = home.declare_replacing(
        &seat,
        fork("C1", "c3"),
        Replaces { n: 1, reason: EndReason::Handover },
    );
    assert!(matches!(own, Err(DeclareError::OwnToken { .. })), "{own:?}");

    let replaces = Replaces { n: 1, reason: EndReason::Relaunched };
    let launch = home.declare_replacing(&seat, fresh_work("c2"), replaces).unwrap();
    home.drive_to_forking(&launch);
    let new = home.store.realize(launch.id, &fresh(&claude("c2")), &realized(30)).unwrap();
    let occupants = home.store.occupants_of(seat.id).unwrap();
    assert_eq!(occupants.len(), 2);
    assert_eq!(occupants[0].token, Some(old));
    assert_eq!(occupants[0].ended, Some((at(30), EndReason::Relaunched)));
    assert_eq!((occupants[1].n, &occupants[1].token), (2, &Some(new)));
}

// SPEC 9: a rebuild keeps its new id on the launch while artifacts are delivered, and ends as rebuilt.
#[test]
fn a_rebuild_knows_its_child_before_it_is_realized() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let planned = Some(PlannedChild::new(claude("c1")));
    let launch = home.forking(&seat, Work::Rebuild { planned });
    home.store.made(launch.id, &claude("c1"), at(4)).unwrap();
    assert_eq!(home.store.launch(launch.id).unwrap().child, Some(claude("c1")));
    assert_eq!(home.store.is_token_of(&claude("c1")).unwrap(), None);
    home.store.realize(launch.id, &fresh(&claude("c1")), &realized(9)).unwrap();
    let launch = home.store.launch(launch.id).unwrap();
    assert_eq!(launch.outcome, Some(ContinuityOutcome::Rebuilt));
    assert_eq!(launch.created_via, Some(CreatedVia::Rebuild));
}

// SPEC 7: an orphan is bound by its mark, with the source of the launch that made it, as adopted.
#[test]
fn an_orphan_is_adopted_only_by_the_mark_of_a_launch_of_its_seat() {
    let mut home = Home::new();
    let (a, b) = (home.seat("a", Runtime::ClaudeCode), home.seat("b", Runtime::ClaudeCode));
    let lost = home.forking(&a, fork("s1", "c1"));
    let open = home.declare(&a, Work::Orphan { of: lost.id });
    assert!(matches!(open, Err(DeclareError::Open { .. })), "{open:?}");
    home.store.abandon(lost.id, "its owner died", at(5)).unwrap();
    let elsewhere = home.declare(&b, Work::Orphan { of: lost.id });
    assert!(matches!(elsewhere, Err(DeclareError::NoOrphanOf { .. })), "{elsewhere:?}");

    let launch = home.forking(&a, Work::Orphan { of: lost.id });
    assert_eq!(launch.source, Some(source("s1")));
    assert_eq!((launch.intent, launch.created_via), (Intent::Fork, Some(CreatedVia::Adopted)));
    let other = home.store.realize(launch.id, &forked(&source("s1"), &claude("c2")), &realized(9));
    match other {
        Err(RealizeError::Store(error)) => assert_eq!(error.rule(), Some("launch_child_is_marked")),
        other => panic!("{other:?}"),
    }
    let token =
        home.store.realize(launch.id, &forked(&source("s1"), &claude("c1")), &realized(9)).unwrap();
    assert_eq!(token.conversation(), &claude("c1"));
    assert_eq!(home.store.launch_by_child(&claude("c1")).unwrap().unwrap().id, launch.id);
}

// SPEC 7: what a pane was observed to serve replaces the token through a launch of intent adopt, outcome null.
#[test]
fn a_rotation_is_adopted_with_the_old_token_kept_as_history() {
    let mut home = Home::new();
    let (a, b) = (home.seat("a", Runtime::ClaudeCode), home.seat("b", Runtime::ClaudeCode));
    home.fork(&a, "s1", "c1");
    home.fork(&b, "s1", "c2");
    let mut adopt = |observed: &str, parent: Option<&str>| {
        let after = home.latest(a.id);
        let (observed, parent) = (claude(observed), parent.map(claude));
        let adoption = Adoption { observed, parent, proof: None, after };
        let lock = home.lock();
        let new = Home::new_launch(&a, fresh_work("unused"));
        home.store.adopt(&lock, &new, &adoption)
    };
    assert!(matches!(adopt("s1", None), Err(AdoptError::Realize(RealizeError::IsASource { .. }))));
    assert!(matches!(adopt("C2", None), Err(AdoptError::Realize(RealizeError::OwnedBy { .. }))));
    assert!(matches!(adopt("c1", None), Err(AdoptError::Unchanged { .. })));
    let token = adopt("c3", Some("c1")).unwrap();
    assert_eq!(token.conversation(), &claude("c3"));
    // And back to the first one: its parent is on record already.
    adopt("c1", Some("s1")).unwrap();

    let occupants = home.store.occupants_of(a.id).unwrap();
    let tokens: Vec<String> =
        occupants.iter().map(|o| o.token.as_ref().unwrap().to_string()).collect();
    assert_eq!(tokens, ["c1", "c3", "c1"]);
    assert_eq!(occupants[0].ended.unwrap().1, EndReason::Rotated);
    let last = home.store.seat_state(a.id).unwrap().last_launch.unwrap();
    assert_eq!((last.intent, last.outcome), (Intent::Adopt, None));
    assert_eq!(last.created_via, Some(CreatedVia::Rotated));
}

// SPEC 7: what a pane served when it was looked at is not adopted once the seat was launched anew.
#[test]
fn a_rotation_seen_before_the_last_launch_is_not_adopted() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::ClaudeCode);
    let (_, token) = home.fork(&seat, "s1", "c1");
    let seen = home.latest(seat.id);
    let resume = home.forking(&seat, Work::Resume { token: token.clone() });
    home.store.realize_resume(resume.id, None, at(9)).unwrap();
    let (lock, new) = (home.lock(), Home::new_launch(&seat, fresh_work("unused")));
    let adoption = Adoption { observed: claude("c2"), parent: None, proof: None, after: seen };
    let late = home.store.adopt(&lock, &new, &adoption);
    assert!(
        matches!(late, Err(AdoptError::Declare(DeclareError::Overtaken { latest: 2 }))),
        "{late:?}"
    );
    assert_eq!(home.store.seat_state(seat.id).unwrap().occupant.unwrap().token, Some(token));
}

// SPEC 1: pixir ids are unique per workspace and differ by case.
#[test]
fn pixir_ids_of_two_workspaces_are_two_conversations() {
    let mut home = Home::new();
    let (a, b) = (home.seat("a", Runtime::Pixir), home.seat("b", Runtime::Pixir));
    let mut child = id(Runtime::Pixir, "20260101T000000-aaaaaa");
    for (seat, workspace) in [(&a, "/w"), (&b, "/v")] {
        child.scope = seatfork_schema::Scope::workspace(workspace);
        let work = Work::Fresh { planned: Some(PlannedChild::new(child.clone())) };
        let launch = home.forking(seat, work);
        home.store.realize(launch.id, &fresh(&child), &realized(9)).unwrap();
        assert_eq!(home.store.is_token_of(&child).unwrap(), Some(seat.id));
    }
    let upper = id(Runtime::Pixir, "20260101T000000-AAAAAA");
    assert_eq!(home.store.is_token_of(&upper).unwrap(), None);
}

// SPEC 8: evidence below what a runtime needs is refused by the database too.
#[test]
fn a_forked_launch_keeps_its_proof_and_its_measure() {
    let mut home = Home::new();
    let seat = home.seat("a", Runtime::Codex);
    let launch = home.forking(
        &seat,
        Work::Fork { source: SourceId::new(codex("aa")), planned: None, via: ForkVia::Fork },
    );
    let by_reference = Proof { detail: "by reference".into(), ..proof(ProofGrade::L2) };
    let proved = seatfork_schema::ProvedChild::forked(
        SourceId::new(codex("aa")),
        codex("cc"),
        by_reference.clone(),
    )
    .unwrap();
    home.store.realize(launch.id, &proved, &realized(9)).unwrap();
    assert_eq!(home.store.launch(launch.id).unwrap().proof, Some(by_reference));
}

fn error(code: &str) -> seatfork_store::LaunchError {
    seatfork_store::LaunchError {
        code: code.into(),
        text: "it said no".into(),
        ..Default::default()
    }
}
