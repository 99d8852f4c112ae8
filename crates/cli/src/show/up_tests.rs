//! Texts of `up`, from reports made by hand.

use super::*;
use seatfork_launch::{ConversationReport, Finding, ProofReport};
use seatfork_schema::{LaunchState, NoticeState, ProofGrade, Runtime};

const SOURCE: &str = "0b0165d7-cb4d-4650-90de-15c0a1ede9e6";
const TOKEN: &str = "7c1f09aa-1b2c-4d3e-8f90-aabbccddeeff";

fn seat(member: &str, runtime: Runtime) -> SeatReport {
    SeatReport {
        seat: format!("dev-{member}@review"),
        pod: "dev".to_owned(),
        member: member.to_owned(),
        runtime,
        action: Action::Created,
        attempt: Some(1),
        continuity_outcome: None,
        binding_outcome: None,
        launch_state: Some(LaunchState::Realized),
        process_state: ProcessState::Ready,
        observed_at: None,
        token: None,
        workspace: None,
        source: None,
        made_now: false,
        proof: None,
        notice: None,
        warnings: Vec::new(),
        failed_step: None,
        error: None,
        attach: Some(format!("seatfork attach dev-{member}@review")),
    }
}

fn forked(member: &str) -> SeatReport {
    SeatReport {
        continuity_outcome: Some(ContinuityOutcome::Forked),
        token: Some(TOKEN.to_owned()),
        made_now: true,
        source: Some(ConversationReport {
            runtime: Runtime::ClaudeCode,
            scope: String::new(),
            native_id: SOURCE.to_owned(),
        }),
        proof: Some(ProofReport {
            grade: ProofGrade::L3,
            status: ProofStatus::Proved,
            detail: "content proved 214/214".to_owned(),
            depends_on_source: false,
        }),
        notice: Some(NoticeState::None),
        ..seat(member, Runtime::ClaudeCode)
    }
}

fn fresh(member: &str) -> SeatReport {
    SeatReport {
        continuity_outcome: Some(ContinuityOutcome::Fresh),
        token: Some("e41b77d0-0000-4000-8000-000000000000".to_owned()),
        ..seat(member, Runtime::ClaudeCode)
    }
}

fn attention(seat: SeatReport) -> SeatReport {
    let hint = format!("answer it yourself: seatfork attach {}", seat.seat);
    let error = ErrorReport::new(LaunchCode::AttentionTrust, "waiting at: trust this folder?")
        .hint(hint)
        .output(Some("Do you trust this folder?\n\u{1b}[1m1. Yes".to_owned()));
    SeatReport { process_state: ProcessState::AttentionRequired, error: Some(error), ..seat }
}

fn not_found(member: &str) -> SeatReport {
    let error = ErrorReport::new(
        LaunchCode::SourceNotFound,
        "source session id not found: codex has no session 019e2531-0000; nothing was started for it; this is not a fresh seat",
    )
    .hint("looked in: ~/.codex/sessions, ~/.codex/archived_sessions; nearest: 019e2530-… (2 h ago, \"perf hunt\")");
    SeatReport {
        action: Action::Failed,
        continuity_outcome: Some(ContinuityOutcome::Failed),
        launch_state: Some(LaunchState::Failed),
        process_state: ProcessState::None,
        failed_step: Some("resolve".to_owned()),
        error: Some(error),
        ..seat(member, Runtime::Codex)
    }
}

fn shown(seats: Vec<SeatReport>, warnings: Vec<Finding>) -> String {
    let took = seats
        .iter()
        .filter(|seat| seat.action != Action::Unchanged)
        .map(|seat| (seat.seat.clone(), Duration::from_millis(3149)))
        .collect();
    text(&UpReport::new("review".to_owned(), seats, warnings, false, false), &took)
}

// SPEC 13: the tone of `up`; SPEC 9: a fork is "from source session"; SPEC 10: what was looked for, where, what was not done.
#[test]
fn up_says_a_row_a_seat_and_what_comes_next() {
    let seats = vec![forked("reviewer-2"), attention(fresh("scribe")), not_found("builder-2")];
    insta::assert_snapshot!("up__one_ready_one_waiting_one_failed", shown(seats, Vec::new()));
}

// SPEC 7: a second `up` does nothing, and says so.
#[test]
fn up_twice_says_that_there_is_nothing_to_do() {
    let seats = vec![
        SeatReport { action: Action::Unchanged, made_now: false, ..forked("reviewer-2") },
        SeatReport { action: Action::Unchanged, ..seat("shell", Runtime::Terminal) },
    ];
    insta::assert_snapshot!("up__nothing_to_do", shown(seats, Vec::new()));
}

// SPEC 7: findings are said; a seat left to another owner is not a failure of ours.
#[test]
fn up_names_findings_and_seats_left_to_others() {
    let owned =
        ErrorReport::new(LaunchCode::LaunchInProgress, "process 41 launches it since 10:31");
    let mut grown = forked("a");
    let proof = grown.proof.as_mut().unwrap();
    proof.detail.push_str(", source is live, grew by 120 bytes");
    let live = Finding::new(
        LaunchCode::SourceLive,
        "source is live: process 41 serves it (sessions/41.json)",
    );
    let seats = vec![
        SeatReport { warnings: vec![live], ..grown },
        SeatReport {
            action: Action::Skipped,
            error: Some(owned),
            ..seat("b", Runtime::ClaudeCode)
        },
        SeatReport { pod: "qa".to_owned(), ..seat("a", Runtime::Terminal) },
    ];
    let gone =
        Finding::new(LaunchCode::NotInSpec, "seat dev-old@review is not in the spec any more");
    insta::assert_snapshot!("up__findings_and_another_owner", shown(seats, vec![gone]));
}

// SPEC 7, 10: the id of a conversation whose token was not stored is said on stderr, too; other errors are not.
#[test]
fn only_a_token_that_was_not_stored_is_told_on_stderr() {
    let error = ErrorReport::new(LaunchCode::TokenNotStored, format!("conversation {TOKEN}\u{7}"));
    let said = super::super::lines::not_stored("dev-a@review", Some(&error));
    let expected = format!("error[token-not-stored]: dev-a@review: conversation {TOKEN}\\u{{7}}\n");
    assert_eq!(said, Some(expected));
    let other = ErrorReport::new(LaunchCode::PaneFailed, "x");
    assert_eq!(super::super::lines::not_stored("dev-a@review", Some(&other)), None);
    assert_eq!(super::super::lines::not_stored("dev-a@review", None), None);
}

// SPEC 13: nothing is said of a source nobody looked at: a seat forked before, whose pane is opened or fails today.
#[test]
fn up_says_nothing_of_sources_it_did_not_look_at() {
    for action in [Action::Created, Action::Failed] {
        let before = SeatReport { action, made_now: false, ..forked("a") };
        assert!(!shown(vec![before.clone()], Vec::new()).contains("ources"), "{action}");
        // And of the ones it did look at it says so, whoever stands beside.
        let text = shown(vec![before, forked("b")], Vec::new());
        assert!(text.contains("Sources unchanged."), "{text}");
    }
}
