//! The commands, and what is made of phase 1's answer.

use super::home::{CWD, claude};
use super::made::{CHILD, SOURCE};
use seatfork_adapters::claude_code::ClaudeCode;
use seatfork_adapters::{
    Adapter, Binary, Evidence, PaneStart, Phase1, Phase1Ask, Phase1Output, PlanRefusal,
    ProcessPlan, SeatWish, Surroundings,
};
use seatfork_schema::{PlannedChild, Proof, ProvedChild, SeatToken, SourceId};
use std::fmt::Write as _;

fn binary(version: &str) -> Binary {
    let default = if version == "2.1.197" { "default" } else { "manual" };
    let modes = ["acceptEdits", "auto", "bypassPermissions", default, "dontAsk", "plan"];
    Binary {
        path: "/opt/claude/bin/claude".into(),
        device: 1,
        inode: 2,
        stamp: "3 bytes at 4.0".to_owned(),
        version: version.to_owned(),
        abilities: modes.map(|mode| format!("permission-mode-{mode}")).to_vec(),
    }
}

fn wish(permission: Option<&str>) -> SeatWish {
    SeatWish {
        seat_name: "dev-reviewer-2@review".to_owned(),
        cwd: CWD.into(),
        model: None,
        codex_config_profile: None,
        permission: permission.map(ToOwned::to_owned),
        allow_yolo: false,
        wants_fork: true,
        notice: true,
    }
}

fn evidence(bytes: u64) -> Evidence {
    Evidence {
        native_id: claude(SOURCE).native_id,
        path: format!("/h/.claude/projects/-w-a/{SOURCE}.jsonl").into(),
        device: 1,
        inode: 2,
        bytes,
        sha256: String::new(),
        records: 4,
        effective_records: 4,
        last_record: None,
        not_inherited: Vec::new(),
        last_activity: None,
        recorded_cwd: None,
        live: None,
        written_by: None,
        remarks: Vec::new(),
        ancestors: Vec::new(),
        fork_bytes: None,
    }
}

fn child() -> PlannedChild {
    PlannedChild::new(claude(CHILD))
}

fn token() -> SeatToken {
    let proved = ProvedChild::fresh(claude(CHILD), Proof::new_id("new")).unwrap();
    SeatToken::realize(&proved)
}

fn phase1(
    wish: &SeatWish,
    binary: &Binary,
    source: Option<&Evidence>,
    child: Option<&PlannedChild>,
    nonce: &str,
) -> Result<ProcessPlan, PlanRefusal> {
    let surroundings = Surroundings::default();
    let ask = Phase1Ask { wish, binary, source, child, nonce, surroundings: &surroundings };
    match ClaudeCode.phase1(&ask)? {
        Phase1::Headless(plan) => Ok(*plan),
        other => panic!("{other:?}"),
    }
}

fn resume(wish: &SeatWish, binary: &Binary) -> Result<ProcessPlan, PlanRefusal> {
    ClaudeCode.pane(wish, binary, PaneStart::Resume(&token()))
}

// SPEC 6: the plans of both versions, whole: fork, fresh and pane.
#[test]
fn the_plans_of_both_versions_are_what_they_are() {
    for version in ["2.1.197", "2.1.332"] {
        let binary = binary(version);
        let mut asked = wish(Some("builtin:open"));
        asked.model = Some("opus".to_owned());
        let plans = serde_json::json!({
            "fork": phase1(&asked, &binary, Some(&evidence(12_000_000)), Some(&child()), "n0nce").unwrap(),
            "fresh": phase1(&SeatWish { wants_fork: false, ..asked.clone() }, &binary, None, Some(&child()), "n0nce")
                .unwrap(),
            "pane": resume(&asked, &binary).unwrap(),
            "pane, nothing said": resume(&wish(None), &binary).unwrap(),
        });
        let text = serde_json::to_string_pretty(&plans).unwrap();
        insta::assert_snapshot!(format!("plans_{}", version.replace('.', "_")), text);
    }
}

// SPEC 6: permissions come from the spec alone, as explicit flags at every start; the table, for both versions.
#[test]
fn the_permission_table_is_what_it_is() {
    let mut table = String::new();
    for version in ["2.1.197", "2.1.332"] {
        let binary = binary(version);
        let policies = [
            None,
            Some("none"),
            Some("builtin:standard"),
            Some("builtin:locked"),
            Some("builtin:open"),
            Some("builtin:yolo"),
            Some("policies/strict.yaml"),
            Some("standard"),
        ];
        for policy in policies {
            for allow_yolo in [false, true] {
                if allow_yolo && policy != Some("builtin:yolo") {
                    continue;
                }
                let asked = SeatWish { allow_yolo, ..wish(policy) };
                let flags = ClaudeCode.permission_flags(&asked, &binary);
                let pane = resume(&asked, &binary);
                assert_eq!(
                    flags,
                    pane.map(|plan| plan.argv[5..].to_vec()),
                    "as the pane gets them"
                );
                let told = match flags {
                    Ok(flags) => flags.join(" "),
                    Err(refusal) => format!("{}: {refusal}", refusal.code),
                };
                let allowed = if allow_yolo { " --allow-yolo" } else { "" };
                writeln!(table, "{version} {}{allowed}: {told}", policy.unwrap_or("(absent)"))
                    .unwrap();
                // What stops at plan stops at check, and nothing else does.
                let checked = ClaudeCode.check(&asked, &binary);
                assert_eq!(checked.is_empty(), resume(&asked, &binary).is_ok());
            }
        }
    }
    let mut bare = binary("9.9.9");
    bare.abilities = vec!["permission-mode-plan".to_owned()];
    let refusal = ClaudeCode.check(&wish(None), &bare).remove(0);
    writeln!(table, "9.9.9 without the mode: {}: {refusal}", refusal.code).unwrap();
    insta::assert_snapshot!("permissions", table);
}

// SPEC 6: what the source was allowed is inert history: it changes no word of a plan, in either phase.
#[test]
fn what_a_source_was_allowed_is_not_inherited() {
    use super::made::{assistant, text, user};
    let home = super::home::Home::new();
    let mut rows = vec![user(1, None), assistant(2, Some(1))];
    home.write(SOURCE, text(&rows));
    let silent = home.resolve(SOURCE).unwrap();
    for row in &mut rows {
        row["permissionMode"] = serde_json::json!("bypassPermissions");
        row["toolUseResult"] = serde_json::json!({"decision": "allow", "rule": "Bash(rm:*)"});
    }
    rows.push(serde_json::json!({"type": "permission-mode", "permissionMode": "bypassPermissions", "sessionId": SOURCE}));
    home.write(SOURCE, text(&rows));
    let allowed = home.resolve(SOURCE).unwrap();
    let binary = binary("2.1.332");
    for policy in [None, Some("builtin:locked")] {
        let asked = wish(policy);
        let words = |source| phase1(&asked, &binary, Some(source), Some(&child()), "n").unwrap();
        assert_eq!(words(&silent), words(&allowed));
        let pane = resume(&asked, &binary).unwrap();
        assert!(!pane.argv.iter().any(|word| word.contains("bypass")), "{:?}", pane.argv);
    }
}

// SPEC 6: a plan cannot be a fork without a source, a fork onto the source, or a pane without a token; no plan carries a
// fork flag without a resume flag, and a pane carries neither.
#[test]
fn plans_that_would_do_something_else_are_refused() {
    let binary = binary("2.1.332");
    let fork = wish(None);
    let fresh = SeatWish { wants_fork: false, ..fork.clone() };
    let source = evidence(1);
    let code = |wish: &SeatWish, source: Option<&Evidence>, child: Option<&PlannedChild>| {
        phase1(wish, &binary, source, child, "n").unwrap_err().code
    };
    let same = PlannedChild::new(claude(SOURCE));
    let shouted = PlannedChild::new(claude(&SOURCE.to_ascii_uppercase()));
    let title = PlannedChild::new(claude("my-title"));
    assert_eq!(code(&fork, None, Some(&child())), "plan-inconsistent");
    assert_eq!(code(&fresh, Some(&source), Some(&child())), "plan-inconsistent");
    assert_eq!(code(&fork, Some(&source), Some(&same)), "child-is-source");
    assert_eq!(code(&fork, Some(&source), Some(&shouted)), "child-is-source");
    assert_eq!(code(&fork, Some(&source), Some(&title)), "plan-inconsistent");
    assert_eq!(code(&fork, Some(&source), None), "plan-inconsistent");
    assert_eq!(
        ClaudeCode.pane(&fork, &binary, PaneStart::Fresh).unwrap_err().code,
        "plan-inconsistent"
    );

    let plan = phase1(&fresh, &binary, None, Some(&child()), "n").unwrap();
    assert!(!plan.argv.iter().any(|word| word == "--resume" || word == "--fork-session"));
    let pane = resume(&fork, &binary).unwrap();
    for word in ["--fork-session", "--session-id", "-p"] {
        assert!(!pane.argv.iter().any(|one| one == word), "{word}");
    }
    assert_eq!(pane.argv[1..3], ["--resume", CHILD]);
}

// SPEC 6: the deadline of phase 1 is 30 s and one second for every 5 MB begun.
#[test]
fn the_deadline_grows_with_the_source() {
    let seconds = |bytes| {
        let source = evidence(bytes);
        let plan = phase1(&wish(None), &binary("2.1.332"), Some(&source), Some(&child()), "n");
        plan.unwrap().deadline.as_secs()
    };
    assert_eq!([0, 1, 5_000_000, 5_000_001, 100_000_000].map(seconds), [30, 31, 31, 32, 50]);
}

// SPEC 14: a seat name, a model and a path are words of an argument vector, whatever they hold.
#[test]
fn hostile_words_stay_one_word_each() {
    let mut asked = wish(None);
    asked.seat_name = "a'b\"$(id)`x`; rm -rf / #@r".to_owned();
    asked.model = Some("m; touch /tmp/x".to_owned());
    let mut source = evidence(1);
    source.path = "/h/$(id)/x y.jsonl".into();
    let plan = phase1(&asked, &binary("2.1.332"), Some(&source), Some(&child()), "n").unwrap();
    assert_eq!(plan.argv[3], "/h/$(id)/x y.jsonl");
    assert!(plan.argv.contains(&asked.seat_name));
    let pane = resume(&asked, &binary("2.1.332")).unwrap();
    assert_eq!(pane.argv.last(), asked.model.as_ref());
}

fn output(exit_code: Option<i32>, stdout: &str, stderr: &str) -> Phase1Output {
    Phase1Output {
        exit_code,
        signal: if exit_code.is_none() { Some(9) } else { None },
        stdout: stdout.as_bytes().to_vec(),
        stderr: stderr.as_bytes().to_vec(),
        truncated: false,
        timed_out: false,
    }
}

// SPEC 6, 10: row 4, the new id is taken from the runtime's own answer only when it is the one asked for and no model was
// called; everything else is a refusal with the runtime's words.
// code: child-id-mismatch
#[test]
fn what_phase_1_said_is_believed_only_when_it_fits() {
    let said = |id: &str, rest: &str| {
        format!(
            "{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"duration_api_ms\":0,\"num_turns\":0,\"result\":\"/cost isn't available in this environment.\",\"session_id\":\"{id}\",\"total_cost_usd\":0.04594{rest}}}\n"
        )
    };
    let fine = said(CHILD, "");
    let with = |from: &str, to: &str| fine.replace(from, to);
    let cases: Vec<(&str, Phase1Output)> = vec![
        ("as asked", output(Some(0), &fine, "")),
        ("the source's id", output(Some(0), &said(SOURCE, ""), "")),
        ("the source's id, shouted", output(Some(0), &said(&SOURCE.to_ascii_uppercase(), ""), "")),
        ("the source's id, padded", output(Some(0), &said(&format!(" {SOURCE} "), ""), "")),
        ("another id", output(Some(0), &said("99999999-9999-4999-8999-999999999999", ""), "")),
        ("the id, shouted", output(Some(0), &said(&CHILD.to_ascii_uppercase(), ""), "")),
        ("a turn was taken", output(Some(0), &with("\"num_turns\":0", "\"num_turns\":1"), "")),
        (
            "the model was called",
            output(Some(0), &with("\"duration_api_ms\":0", "\"duration_api_ms\":812"), ""),
        ),
        (
            "an error it calls success",
            output(
                Some(1),
                &with("\"is_error\":false", "\"is_error\":true").replace(
                    "/cost isn't available in this environment.",
                    "Not logged in · Please run /login",
                ),
                "",
            ),
        ),
        (
            "an error with exit 0",
            output(Some(0), &with("\"is_error\":false", "\"is_error\":true"), ""),
        ),
        (
            "success on a full disk",
            output(
                Some(1),
                &fine,
                "Error: Claude Code could not save all of this session's transcript because the disk is full (ENOSPC).",
            ),
        ),
        ("not found", output(Some(1), "", "No conversation found with session ID: x\n")),
        ("nothing", output(Some(0), "", "")),
        ("no answer, but text", output(Some(0), "Welcome!\n", "")),
        ("an answer that lacks a field", output(Some(0), &with("\"num_turns\":0,", ""), "")),
        ("two answers", output(Some(0), &format!("{fine}{fine}"), "")),
        ("killed", output(None, &fine, "")),
        ("timed out", Phase1Output { timed_out: true, ..output(None, "", "") }),
        ("hostile words", output(Some(1), "", "\u{1b}]0;title\u{7} $(id)")),
    ];
    let mut table = String::new();
    for (name, output) in cases {
        let source = SourceId::new(claude(SOURCE));
        let told = match ClaudeCode.learn(Some(&source), Some(&child()), &output) {
            Ok(made) => {
                assert_eq!(made, claude(CHILD));
                "made".to_owned()
            }
            Err(refusal) => format!("{}: {refusal}", refusal.code),
        };
        writeln!(table, "{name}: {told}").unwrap();
    }
    insta::assert_snapshot!("learn", table);
    assert_eq!(
        ClaudeCode.learn(None, None, &output(Some(0), &fine, "")).unwrap_err().code,
        "child-id-mismatch"
    );
}

// SPEC 7: a child's id is random and new every time.
#[test]
fn every_planned_child_is_another() {
    let ids: std::collections::HashSet<_> =
        (0..200).map(|_| ClaudeCode.plan_child().unwrap().conversation().clone()).collect();
    assert_eq!(ids.len(), 200);
    assert!(ids.iter().all(|id| id.native_id.is_lowercase_uuid()));
}
