//! Seeding grants context, never scope (W9), and a seam never stands inside a turn.

use super::super::*;
use super::support::*;
use crate::error::ReadError;
use crate::fork::{ForkRequest, fork};
use crate::posture::{PermissionMode, PostureError, WritePolicy, current_posture};
use crate::problem::LineProblem;
use crate::test_support::{Home, at, id, line, plain};

fn reason(home: &Home, session: &str) -> &'static str {
    match current_posture(&home.workspace, &id(session)) {
        Err(PostureError::Unavailable { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

// SPEC 14: seeding grants context, never scope.
#[test]
fn w09_a_permissive_seed_widens_no_child_live_or_resumed_or_by_what_is_appended() {
    let home = seeded_home();
    let made = seed(&home, "child").unwrap();
    let posture = || current_posture(&home.workspace, &id("child")).unwrap();
    assert_eq!(posture().permission_mode, "read_only");
    assert_eq!(posture().write_policy, None);
    assert_eq!(posture().line, made.posture_seq.unwrap() + 1);
    let lines = plain(&made.child_log_path);
    let own = lines.last().unwrap().value();
    assert_eq!(own["lineage"], "child");
    assert_eq!(own["workspace"], home.path().as_str());
    assert_eq!(own["warm_start"], serde_json::to_value(made.envelope()).unwrap());
    // What the seed had is there as it was, and governs nothing.
    assert!(
        lines.iter().filter(|line| line.data.contains(r#""allow_writes":["**/*"]"#)).count() > 1
    );
    // Postures and boundaries that are appended govern nothing either.
    let next = lines.len() as u64;
    let auto = r#"{"event":"permission_posture","permission_mode":"auto","write_policy":null}"#;
    home.append("child", &line("child", next, "subagent_event", auto));
    let marker = &lines[usize::try_from(made.boundary_seq).unwrap()].data;
    home.append("child", &line("child", next + 1, "user_message", marker));
    home.append("child", &line("child", next + 2, "subagent_event", auto));
    assert_eq!(posture().permission_mode, "read_only");
    // A child of the child asks for what it asks for.
    let grandchild = seed_from(&home, "child", "grandchild", Rim::default()).unwrap();
    assert_eq!(
        current_posture(&home.workspace, &id("grandchild")).unwrap().line,
        grandchild.posture_seq.unwrap() + 1
    );
}

// SPEC 14: where a child's own posture is missing, none is taken from elsewhere.
#[test]
fn a_boundary_without_a_posture_behind_it_fails_closed() {
    let home = seeded_home();
    let (seed_id, child) = (id(SEED), id("bare"));
    let request = SeedRequest {
        workspace: &home.workspace,
        seed: &seed_id,
        child_workspace: &home.workspace,
        child: &child,
        posture: None,
        cache: CacheFacts::default(),
        at: at(0),
    };
    let made = seed_child_log(&request).unwrap();
    assert_eq!(made.posture_seq, None);
    assert_eq!(reason(&home, "bare"), "missing_current_posture");
    home.append("bare", &line("bare", made.boundary_seq + 1, "user_message", "{}"));
    assert_eq!(reason(&home, "bare"), "missing_current_posture");
    // A count that leads to another line, a boundary that says something else.
    let whole = seed(&home, "child").unwrap();
    let text = std::fs::read_to_string(&whole.child_log_path).unwrap();
    let count = format!("\"replay_event_count\":{}", whole.lineage.replay_event_count);
    home.log("child", &text.replacen(&count, "\"replay_event_count\":1", 1));
    assert_eq!(reason(&home, "child"), "boundary_missing");
    home.log("child", &text.replace("None of them holds here", "All of them hold here"));
    assert_eq!(reason(&home, "child"), "boundary_missing");
    // A plain fork carries history and no posture.
    let forked = id("forked");
    fork(&ForkRequest {
        workspace: &home.workspace,
        parent: &seed_id,
        child: &forked,
        to_seq: None,
        summarize: true,
        at: at(0),
    })
    .unwrap();
    assert_eq!(reason(&home, "forked"), "missing");
}

// SPEC 6: `open` is bounded to the workspace; the bound travels with the posture, with its checksum.
#[test]
fn a_bounded_policy_is_written_and_read_whole() {
    let home = seeded_home();
    let policy = WritePolicy::bounded("workspace", vec!["src/**".into()], vec![".git/**".into()]);
    let posture = Posture { permission: PermissionMode::Auto(policy), ..read_only() };
    let (seed_id, child) = (id(SEED), id("auto"));
    let request = SeedRequest {
        workspace: &home.workspace,
        seed: &seed_id,
        child_workspace: &home.workspace,
        child: &child,
        posture: Some(&posture),
        cache: CacheFacts::default(),
        at: at(0),
    };
    seed_child_log(&request).unwrap();
    let found = current_posture(&home.workspace, &child).unwrap();
    let policy = found.write_policy.unwrap();
    assert_eq!((found.permission_mode.as_str(), &policy["version"]), ("auto", &1.into()));
    // sha256 of {"allow_writes":["src/**"],"bash":"disabled","deny_writes":[".git/**"],"id":"workspace","version":1}
    assert_eq!(
        policy["hash"],
        "sha256:a77ef38e88d0ffb8c6b44975bbb54155ba383d7d9f5264cd390f15e6fbfe58dc"
    );
    let nobody = Posture { holder: " ".into(), ..read_only() };
    let other = id("nobody");
    let error = seed_child_log(&SeedRequest { child: &other, posture: Some(&nobody), ..request })
        .unwrap_err();
    assert_eq!(error.kind(), "invalid_args");
}

// SPEC 6: a damaged source is refused by its line: a boundary never stands between a call and its result.
#[test]
fn a_seed_that_ends_inside_a_turn_is_refused_with_the_call_and_the_way_out() {
    let home = Home::new();
    let call = |seq, name: &str| {
        line("s", seq, "tool_call", &format!(r#"{{"call_id":"{name}","name":"x","args":{{}}}}"#))
    };
    let result = |seq, name: &str| {
        line("s", seq, "tool_result", &format!(r#"{{"ok":true,"call_id":"{name}"}}"#))
    };
    let user = |seq| line("s", seq, "user_message", "{}");
    home.log(
        "s",
        &[
            user(0),
            call(1, "a"),
            result(2, "a"),
            line("s", 3, "provider_usage", "{}"),
            call(4, "b"),
            call(5, "c\\u0031"),
            result(6, "b"),
        ]
        .concat(),
    );
    let before = home.all();
    match seed_from(&home, "s", "child", Rim::default()).unwrap_err() {
        SeedError::Dangling { call, count, whole_at, .. } => {
            assert_eq!((call.call_id.as_str(), call.line, call.seq), ("c1", 6, 5));
            assert_eq!((count, whole_at), (1, Some(3)));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(validate(&home.workspace, &id("s")).unwrap_err().kind(), "dangling_tool_call");
    assert_eq!(home.all(), before);
    // The way out it names is one.
    let (parent, child) = (id("s"), id("whole"));
    let forked = fork(&ForkRequest {
        workspace: &home.workspace,
        parent: &parent,
        child: &child,
        to_seq: Some(3),
        summarize: false,
        at: at(0),
    })
    .unwrap();
    assert_eq!(
        (forked.dangling_calls, forked.plan.to_seq, forked.requested_to_seq),
        (0, 2, Some(3))
    );
    seed_from(&home, "whole", "child", Rim::default()).unwrap();
    // The same id, written otherwise, is the same call.
    home.log("s", &[user(0), call(1, "c1"), result(2, "c\\u0031")].concat());
    seed_from(&home, "s", "answered", Rim::default()).unwrap();
    // Two calls of one id need two results.
    home.log("s", &[call(0, "a"), call(1, "a"), result(2, "a")].concat());
    assert_eq!(
        seed_from(&home, "s", "one", Rim::default()).unwrap_err().kind(),
        "dangling_tool_call"
    );
    home.append("s", &result(3, "a"));
    seed_from(&home, "s", "two", Rim::default()).unwrap();
    let many: String = (0..5000).map(|seq| call(seq, &format!("c{seq}"))).collect();
    home.log("s", &many);
    let error = seed_from(&home, "s", "many", Rim::default()).unwrap_err();
    assert!(
        matches!(
            &error,
            SeedError::Read(ReadError::Corrupt {
                line: 4097,
                problem: LineProblem::TooManyOpenCalls,
                ..
            })
        ),
        "{error}"
    );
    home.log("s", &[call(0, "a"), call(1, "b")].concat());
    assert!(matches!(
        seed_from(&home, "s", "none", Rim::default()).unwrap_err(),
        SeedError::Dangling { whole_at: None, count: 2, .. }
    ));
}

// SPEC 8: what breaks the shared prefix is said; a hit is never implied.
#[test]
fn the_report_on_the_shared_prefix_says_what_breaks_it() {
    use crate::cache::BrokenBy;
    let home = seeded_home();
    let report = |child: &str, cache: CacheFacts| {
        let (seed_id, child) = (id(SEED), id(child));
        seed_child_log(&SeedRequest {
            workspace: &home.workspace,
            seed: &seed_id,
            child_workspace: &home.workspace,
            child: &child,
            posture: None,
            cache,
            at: at(0),
        })
        .unwrap()
        .cache_prefix
    };
    let unknown = report("a", CacheFacts::default());
    assert_eq!(
        (unknown.broken_by, unknown.unknown.as_slice()),
        (BrokenBy::None, &["model", "tools", "posture"][..])
    );
    assert!(unknown.shared_events > 0 && unknown.shared_events == unknown.of_events);
    let facts =
        CacheFacts { same_model: Some(true), same_tools: Some(true), same_posture: Some(true) };
    assert_eq!(
        report("b", facts),
        crate::cache::CachePrefix { unknown: vec![], ..unknown.clone() }
    );
    for (n, (facts, broken_by)) in [
        (CacheFacts { same_model: Some(false), ..facts }, BrokenBy::Model),
        (CacheFacts { same_tools: Some(false), ..facts }, BrokenBy::Tools),
        (CacheFacts { same_posture: Some(false), ..facts }, BrokenBy::Posture),
    ]
    .into_iter()
    .enumerate()
    {
        let broken = report(&format!("c{n}"), facts);
        assert_eq!(
            (broken.broken_by, broken.shared_events, broken.shared_bytes),
            (broken_by, 0, 0)
        );
        assert_eq!(broken.of_events, unknown.of_events);
    }
    let seq = plain(&home.workspace.log_path(&id(SEED))).len() as u64;
    home.append(SEED, &line(SEED, seq, "branch_summary", "{}"));
    home.append(SEED, &line(SEED, seq + 1, "user_message", "{\"text\":\"after\"}"));
    let branched = report("d", facts);
    assert_eq!(
        (branched.broken_by, branched.shared_events),
        (BrokenBy::BranchSummary, unknown.of_events)
    );
    assert_eq!(branched.of_events, unknown.of_events + 1);
    home.append(SEED, &line(SEED, seq + 2, "history_compaction", "{}"));
    let compacted = report("e", facts);
    assert_eq!((compacted.broken_by, compacted.shared_events), (BrokenBy::Compaction, 0));
}

// SPEC 14: a plain fork of a warm start goes on with its posture, by the place its first line tells of, and with no other.
#[test]
fn a_fork_of_a_warm_start_keeps_its_boundary_and_posture_and_nothing_forges_them() {
    let home = seeded_home();
    let made = seed(&home, "warm").unwrap();
    let fork_of = |parent: &str, child: &str, to_seq: Option<u64>| {
        let (parent, child_id) = (id(parent), id(child));
        let asked = ForkRequest {
            workspace: &home.workspace,
            parent: &parent,
            child: &child_id,
            to_seq,
            summarize: false,
            at: at(0),
        };
        fork(&asked).unwrap();
        plain(&home.workspace.log_path(&child_id))
    };
    let permission = |session: &str| {
        current_posture(&home.workspace, &id(session)).map(|found| found.permission_mode)
    };
    home.append("warm", &line("warm", made.posture_seq.unwrap() + 1, "user_message", "{}"));
    let mut parent = "warm".to_owned();
    for child in ["fork", "fork-of-fork"] {
        let lines = fork_of(&parent, child, None);
        let warm = &lines[0].value()["warm_lineage"];
        let (boundary, posture) = (
            usize::try_from(warm["boundary_index"].as_u64().unwrap()).unwrap(),
            usize::try_from(warm["posture_index"].as_u64().unwrap()).unwrap(),
        );
        assert_eq!(
            warm,
            &serde_json::json!({
                "version": 1, "boundary_index": made.boundary_seq, "posture_index": made.boundary_seq + 1,
                "boundary_event_id": lines[boundary].id, "posture_event_id": lines[posture].id,
                "seed_session_id": SEED, "fork_root_session_id": SEED,
                "replay_event_count": made.lineage.replay_event_count,
            })
        );
        assert_eq!(lines[boundary].value()["lineage_boundary"], true);
        assert_eq!(permission(child).unwrap(), "read_only");
        parent = child.to_owned();
    }
    // Cut between boundary and posture: the posture is not there, and one that is appended is not it.
    let lines = fork_of("warm", "cut", Some(made.boundary_seq));
    assert_eq!(lines[0].value()["warm_lineage"]["posture_event_id"], serde_json::Value::Null);
    assert_eq!(reason(&home, "cut"), "missing_current_posture");
    let auto = r#"{"event":"permission_posture","permission_mode":"auto"}"#;
    home.append("cut", &line("cut", lines.len() as u64, "subagent_event", auto));
    assert_eq!(reason(&home, "cut"), "missing_current_posture");
    fork_of("cut", "of-cut", None);
    assert_eq!(reason(&home, "of-cut"), "missing_current_posture");
    // Cut before the boundary: no boundary, no posture, none said.
    let lines = fork_of("warm", "before", Some(made.boundary_seq - 1));
    assert_eq!(lines[0].value().get("warm_lineage"), None);
    assert_eq!(reason(&home, "before"), "missing");
    // Another id at that place.
    let text = std::fs::read_to_string(home.workspace.log_path(&id("fork"))).unwrap();
    let marker = plain(&home.workspace.log_path(&id("fork")))
        [usize::try_from(made.boundary_seq).unwrap()]
    .id
    .clone();
    home.log("fork", &text.replacen(&marker, "0000000000000000", 1));
    assert_eq!(reason(&home, "fork"), "boundary_missing");
    // A warm start of a fork is a warm start like any other.
    let again = seed_from(&home, "fork-of-fork", "again", Rim::default()).unwrap();
    assert_eq!(again.lineage.fork_root_session_id, id(SEED));
    assert_eq!(permission("again").unwrap(), "read_only");
    assert_eq!(plain(&again.child_log_path)[0].value().get("warm_lineage"), None);
}
