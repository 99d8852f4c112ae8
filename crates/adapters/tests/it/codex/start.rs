//! The commands, and what is made of phase 1's answer.

use super::home::{CHILD, SOURCE, codex};
use seatfork_adapters::codex::Codex;
use seatfork_adapters::{
    Adapter, Binary, Evidence, PaneStart, Phase1Ask, Phase1Output, SeatWish, Server, Surroundings,
};
use seatfork_schema::proof::ByteRange;
use seatfork_schema::{PlannedChild, Proof, ProvedChild, SeatToken, SourceId};
use serde_json::{Value, json};
use std::fmt::Write as _;

const ALL: &[&str] =
    &["no-daemon", "profile", "exec-fork", "server-start", "server-fork", "server-note"];

fn binary(abilities: &[&str]) -> Binary {
    Binary {
        path: "/opt/codex/bin/codex".into(),
        device: 1,
        inode: 2,
        stamp: "3 bytes at 4.0".to_owned(),
        version: "0.171.0".to_owned(),
        abilities: abilities.iter().map(ToString::to_string).collect(),
    }
}

fn wish(permission: Option<&str>) -> SeatWish {
    SeatWish {
        seat_name: "dev-reviewer-2@review".to_owned(),
        cwd: "/w/a".into(),
        model: None,
        codex_config_profile: None,
        permission: permission.map(ToOwned::to_owned),
        allow_yolo: false,
        wants_fork: true,
        notice: true,
    }
}

fn evidence(bytes: u64, before: u64) -> Evidence {
    let ancestor = |to: u64| ByteRange {
        record_id: CHILD.to_owned(),
        path: "/h/x".to_owned(),
        device: 1,
        inode: 3,
        from: 0,
        to,
        records: 1,
        sha256: String::new(),
    };
    Evidence {
        native_id: codex(SOURCE).native_id,
        path: format!("/h/.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-{SOURCE}.jsonl")
            .into(),
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
        ancestors: (before > 0).then(|| ancestor(before)).into_iter().collect(),
        fork_bytes: None,
    }
}

fn token() -> SeatToken {
    SeatToken::realize(&ProvedChild::fresh(codex(CHILD), Proof::new_id("new")).unwrap())
}

fn phase1(wish: &SeatWish, abilities: &[&str], source: Option<&Evidence>) -> Value {
    let servers = vec![
        Server { name: "docs".to_owned(), is_remote: true },
        Server { name: "my.tool".to_owned(), is_remote: false },
    ];
    let wish = SeatWish { wants_fork: source.is_some(), ..wish.clone() };
    let ask = Phase1Ask {
        wish: &wish,
        binary: &binary(abilities),
        source,
        child: None,
        nonce: "n0nce",
        surroundings: &Surroundings { servers },
    };
    match Codex.phase1(&ask) {
        Ok(plan) => serde_json::to_value(plan).unwrap(),
        Err(refusal) => json!(format!("{}: {refusal}", refusal.code)),
    }
}

// SPEC 6: every plan, whole: by the server, by exec fork, in the pane; with and without a profile, a model and a notice.
#[test]
fn the_plans_are_what_they_are() {
    let mut asked = wish(Some("builtin:open"));
    asked.model = Some("gpt-9".to_owned());
    let profiled = SeatWish { codex_config_profile: Some("fast".to_owned()), ..wish(None) };
    let silent = SeatWish { notice: false, ..wish(None) };
    let source = evidence(12_000_000, 0);
    let without = |ability: &str| -> Vec<&str> {
        ALL.iter().copied().filter(|one| *one != ability).collect()
    };
    let pane = |wish: &SeatWish, abilities: &[&str], start: PaneStart<'_>| {
        serde_json::to_value(Codex.pane(wish, &binary(abilities), start).unwrap()).unwrap()
    };
    let plans = json!({
        "fork": phase1(&asked, ALL, Some(&source)),
        "fork, told nothing": phase1(&silent, ALL, Some(&source)),
        "fork, server without notes": phase1(&wish(None), &without("server-note"), Some(&source)),
        "fork, no server": phase1(&asked, &without("server-fork"), Some(&source)),
        "fork, with a profile": phase1(&profiled, ALL, Some(&source)),
        "fork, neither": phase1(&wish(None), &["no-daemon"], Some(&source)),
        "fresh": phase1(&asked, ALL, None),
        "fresh, with a profile": phase1(&profiled, ALL, None),
        "fresh, no server": phase1(&wish(None), &without("server-start"), None),
        "pane": pane(&asked, ALL, PaneStart::Resume(&token())),
        "pane, nothing said": pane(&wish(None), ALL, PaneStart::Resume(&token())),
        "pane, with a profile": pane(&profiled, ALL, PaneStart::Resume(&token())),
        "pane, no shared server known": pane(&wish(None), &[], PaneStart::Resume(&token())),
        "pane that forks": pane(&wish(None), ALL, PaneStart::Fork(&source)),
        "pane that starts": pane(&wish(None), ALL, PaneStart::Fresh),
    });
    insta::assert_snapshot!("plans", serde_json::to_string_pretty(&plans).unwrap());
}

// SPEC 6: permissions come from the spec alone, as explicit flags at every start; the table.
#[test]
fn the_permission_table_is_what_it_is() {
    let mut table = String::new();
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
            let flags = Codex.permission_flags(&asked, &binary(ALL));
            let pane = Codex.pane(&asked, &binary(ALL), PaneStart::Resume(&token()));
            assert_eq!(flags, pane.map(|plan| plan.argv[5..9].to_vec()), "as the pane gets them");
            // What stops at plan stops at check, and nothing else does.
            assert_eq!(Codex.check(&asked, &binary(ALL)).is_empty(), flags.is_ok());
            let told = match flags {
                Ok(flags) => flags.join(" "),
                Err(refusal) => format!("{}: {refusal}", refusal.code),
            };
            let allowed = if allow_yolo { " --allow-yolo" } else { "" };
            writeln!(table, "{}{allowed}: {told}", policy.unwrap_or("(absent)")).unwrap();
        }
    }
    let profiled = SeatWish { codex_config_profile: Some("fast".to_owned()), ..wish(None) };
    let refusal = Codex.check(&profiled, &binary(&[])).remove(0);
    writeln!(table, "a profile, where none can be given: {}: {refusal}", refusal.code).unwrap();
    insta::assert_snapshot!("permissions", table);
}

// SPEC 6: a plan cannot be a fork without a source or with a chosen id; a pane's plan forks only where it is asked to.
#[test]
fn plans_that_would_do_something_else_are_refused() {
    let (source, child) = (evidence(1, 0), PlannedChild::new(codex(CHILD)));
    let code = |wants_fork: bool, source: Option<&Evidence>, child: Option<&PlannedChild>| {
        let wish = SeatWish { wants_fork, ..wish(None) };
        let ask = Phase1Ask {
            wish: &wish,
            binary: &binary(ALL),
            source,
            child,
            nonce: "n",
            surroundings: &Surroundings::default(),
        };
        Codex.phase1(&ask).unwrap_err().code
    };
    assert_eq!(code(true, None, None), "plan-inconsistent");
    assert_eq!(code(false, Some(&source), None), "plan-inconsistent");
    assert_eq!(code(true, Some(&source), Some(&child)), "plan-inconsistent");
    let mut named = evidence(1, 0);
    named.native_id = codex("my-thread").native_id;
    assert_eq!(code(true, Some(&named), None), "plan-inconsistent");
    let pane = Codex.pane(&wish(None), &binary(ALL), PaneStart::Resume(&token())).unwrap();
    assert!(!pane.argv.iter().any(|word| word == "fork" || word == SOURCE));
    assert_eq!(pane.argv.last().unwrap(), CHILD);
}

// SPEC 6: the deadline of phase 1 is 30 s and one second for every 5 MB begun, of all records the history lives in.
#[test]
fn the_deadline_grows_with_the_whole_history() {
    let seconds = |(bytes, before)| {
        phase1(&wish(None), ALL, Some(&evidence(bytes, before)))["Headless"]["deadline"]["secs"]
            .clone()
    };
    let all = [(0, 0), (5_000_000, 0), (5_000_001, 0), (1, 100_000_000)].map(seconds);
    assert_eq!(all, [30, 31, 32, 51].map(Value::from));
}

// SPEC 14: a seat name, a model, a directory and a server's name are one word each, whatever they hold.
#[test]
fn hostile_words_stay_one_word_each() {
    let mut asked = wish(None);
    asked.seat_name = "a'b\"$(id)`x`; rm -rf / #@r".to_owned();
    asked.model = Some("m; touch /tmp/x".to_owned());
    asked.cwd = "/w/$(id) x".into();
    let pane = Codex.pane(&asked, &binary(ALL), PaneStart::Resume(&token())).unwrap();
    assert_eq!(pane.argv[3..5], ["-C", "/w/$(id) x"]);
    assert!(pane.argv.contains(asked.model.as_ref().unwrap()));
    let plan = phase1(&asked, ALL, Some(&evidence(1, 0)));
    let argv = plan["Headless"]["argv"].as_array().unwrap();
    assert!(argv.iter().all(|word| !word.as_str().unwrap().contains("rm -rf")));
}

fn output(exit_code: Option<i32>, stdout: &str, stderr: &str) -> Phase1Output {
    Phase1Output {
        exit_code,
        signal: exit_code.is_none().then_some(9),
        stdout: stdout.as_bytes().to_vec(),
        stderr: stderr.as_bytes().to_vec(),
        truncated: false,
        timed_out: false,
    }
}

// SPEC 6, 10: the new id comes from this very process's own answer; anything short of all it was asked for is a failure.
// code: child-is-source, child-id-mismatch, phase1-called-the-model, phase1-timeout, phase1-failed
#[test]
fn the_childs_id_is_learnt_only_from_a_whole_answer() {
    let made = |id: &str| format!("{{\"id\":2,\"result\":{{\"thread\":{{\"id\":\"{id}\"}}}}}}\n");
    let named = "{\"id\":4,\"result\":{}}\n";
    let started = |id: &str| format!("{{\"type\":\"thread.started\",\"thread_id\":\"{id}\"}}\n");
    let refused = "{\"id\":2,\"error\":{\"code\":-32600,\"message\":\"no rollout found\"}}\n";
    let note = "{\"id\":3,\"error\":{\"code\":-32601,\"message\":\"unknown method\"}}\n";
    let news = "{\"method\":\"thread/started\",\"params\":{\"thread\":{\"id\":\"other\"}}}\n";
    let turn = "{\"method\":\"turn/started\",\"params\":{}}\n";
    let cases: Vec<(&str, Phase1Output)> = vec![
        ("server", output(Some(0), &format!("{news}{}{named}", made(CHILD)), "WARNING: x")),
        ("exec fork", output(Some(0), &started(CHILD), "")),
        ("server, not named", output(Some(0), &made(CHILD), "")),
        ("server, refused", output(Some(0), refused, "")),
        ("server, the notice refused", output(Some(0), &format!("{}{note}", made(CHILD)), "")),
        ("server, a turn", output(Some(0), &format!("{}{turn}{named}", made(CHILD)), "")),
        (
            "exec fork, a turn",
            output(Some(0), &format!("{}{{\"type\":\"turn.started\"}}\n", started(CHILD)), ""),
        ),
        ("the source's id", output(Some(0), &started(SOURCE), "")),
        (
            "the source's id, shouted",
            output(Some(0), &format!("{}{named}", made(&SOURCE.to_uppercase())), ""),
        ),
        ("another kind of id", output(Some(0), &started("my-thread"), "")),
        ("no answer", output(Some(0), "", "")),
        ("text", output(Some(0), "Welcome to Codex\n", "")),
        ("an error", output(Some(1), "", "WARNING: x\nError: thread/fork: no rollout found\n\n")),
        ("an error after it was made", output(Some(1), &started(CHILD), "disk full")),
        ("a signal", output(None, "", "")),
        ("too late", Phase1Output { timed_out: true, ..output(None, &started(CHILD), "") }),
    ];
    let source = SourceId::new(codex(SOURCE));
    let mut table = String::new();
    for (name, output) in cases {
        let told = match Codex.learn(Some(&source), None, &output) {
            Ok(child) => format!("ok: {}", child.native_id),
            Err(refusal) => format!("{}: {refusal}", refusal.code),
        };
        writeln!(table, "{name}: {told}").unwrap();
    }
    insta::assert_snapshot!("learn", table);
}
