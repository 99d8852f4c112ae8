//! Plain forks: what is planned is what is made, up to the seq that was asked for.

use super::*;
use crate::seed::tests::support::{RESOURCE, SEED, home_with_payload, seeded_home};
use crate::test_support::{Home, Plain, at, id, line, plain};
use std::sync::atomic::{AtomicUsize, Ordering};

fn request<'a>(home: &'a Home, parent: &'a SessionId, child: &'a SessionId) -> ForkRequest<'a> {
    let workspace = &home.workspace;
    ForkRequest { workspace, parent, child, to_seq: None, summarize: false, at: at(0) }
}

fn lines(home: &Home, session: &str) -> Vec<Plain> {
    plain(&home.workspace.log_path(&id(session)))
}

// SPEC 13: a dry run starts, writes and reserves nothing, and says what would be made.
#[test]
fn a_plan_writes_nothing_and_is_what_is_then_made() {
    let home = home_with_payload();
    let (parent, child) = (id(SEED), id("child"));
    let asked =
        ForkRequest { to_seq: Some(40), summarize: true, ..request(&home, &parent, &child) };
    let before = home.all();
    let planned = plan_fork(&asked).unwrap();
    assert_eq!(home.all(), before);
    let made = fork(&asked).unwrap();
    let bytes = std::fs::metadata(&made.plan.child_log_path).unwrap().len();
    assert_eq!(made.child_bytes, Some(bytes));
    let recorded = ForkPlan { recorded: true, dry_run: false, ..planned.plan.clone() };
    assert_eq!(made, Forked { plan: recorded, child_bytes: Some(bytes), ..planned.clone() });
    let keys = serde_json::to_value(&planned.plan).unwrap();
    let keys: Vec<_> = keys.as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        keys,
        [
            "branch_summary_strategy",
            "child_log_path",
            "child_session_id",
            "dry_run",
            "event_count",
            "fork_root_session_id",
            "from_seq",
            "ok",
            "parent_log_path",
            "parent_session_id",
            "recorded",
            "resume_command",
            "strategy",
            "summarize",
            "to_seq",
            "workspace",
            "would_record_branch_summary",
        ]
    );
    let mut after = home.all();
    after.retain(|name, _| before.contains_key(name));
    assert_eq!(after, before, "the parent is as it was");
}

// SPEC 11: lineage says what was asked for and what was given.
#[test]
fn a_fork_holds_the_prefix_its_first_line_tells_of() {
    let home = seeded_home();
    let parent_lines = lines(&home, SEED);
    let last = parent_lines.len() as u64 - 1;
    for (n, (to_seq, effective)) in [
        (None, last - 2),
        (Some(last + 1000), last - 2),
        (Some(14), 14),
        (Some(5), 4),
        (Some(0), 0),
    ]
    .into_iter()
    .enumerate()
    {
        let (parent, child) = (id(SEED), id(&format!("child-{n}")));
        let made = fork(&ForkRequest { to_seq, ..request(&home, &parent, &child) }).unwrap();
        let child_lines = lines(&home, child.as_str());
        let given: Vec<_> = parent_lines
            .iter()
            .filter(|line| line.seq <= to_seq.unwrap_or(u64::MAX))
            .filter(|line| crate::event::EventType::from_name(&line.kind).is_replayed())
            .collect();
        assert_eq!(child_lines.len(), given.len() + 1);
        for (copied, given) in child_lines[1..].iter().zip(&given) {
            assert_eq!(
                (&copied.ts, &copied.kind, &copied.data),
                (&given.ts, &given.kind, &given.data)
            );
        }
        let data = child_lines[0].value();
        assert_eq!((made.plan.to_seq, made.requested_to_seq), (effective, to_seq));
        assert_eq!(
            data,
            serde_json::json!({
                "parent_session_id": SEED, "fork_root_session_id": SEED, "forked_to_seq": effective,
                "requested_to_seq": to_seq, "from_seq": 0, "parent_workspace": home.path().as_str(),
                "child_workspace": home.path().as_str(), "replay_event_count": given.len(),
                "strategy": "replay_v1", "limitations": data["limitations"],
            })
        );
        assert_eq!(data["limitations"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_parent_with_nothing_to_copy_gives_a_child_of_one_line() {
    let home = Home::new();
    home.log("s", &line("s", 0, "provider_usage", "{}"));
    let (parent, child) = (id("s"), id("child"));
    let made = fork(&request(&home, &parent, &child)).unwrap();
    assert_eq!((made.plan.from_seq, made.plan.to_seq, made.plan.event_count), (None, 0, 0));
    assert_eq!(lines(&home, "child").len(), 1);
    home.log("empty", "");
    let (parent, child) = (id("empty"), id("other"));
    assert_eq!(fork(&request(&home, &parent, &child)).unwrap_err().kind(), "not_found");
    assert_eq!(plan_fork(&request(&home, &parent, &child)).unwrap_err().kind(), "not_found");
}

#[test]
fn a_cut_between_a_call_and_its_result_is_made_and_said() {
    let home = seeded_home();
    let (parent, child) = (id(SEED), id("child"));
    let made = fork(&ForkRequest { to_seq: Some(3), ..request(&home, &parent, &child) }).unwrap();
    assert_eq!((made.dangling_calls, made.first_dangling.unwrap().seq), (1, 2));
}

#[test]
fn a_summary_is_the_same_for_the_same_prefix_and_stands_behind_it() {
    let home = seeded_home();
    let parent = id(SEED);
    let summary = |child: &str, to_seq| {
        let child = id(child);
        let asked = ForkRequest { to_seq, summarize: true, ..request(&home, &parent, &child) };
        let made = fork(&asked).unwrap();
        let lines = lines(&home, child.as_str());
        let last = lines.last().unwrap();
        assert_eq!((last.kind.as_str(), last.seq), ("branch_summary", made.plan.event_count + 1));
        last.value()
    };
    let one = summary("one", None);
    assert_eq!(one, summary("two", None));
    assert_ne!(one["summary"], summary("three", Some(10))["summary"]);
    assert_eq!(one["strategy"], "deterministic_operational_summary_v1");
    assert_eq!(one["event_counts"]["tool_call"], 8);
    assert_eq!(
        one["tool_calls"][0],
        serde_json::json!({"seq": 2, "call_id": "c0", "name": "bash"})
    );
    assert_eq!(one["limitations"].as_array().unwrap().len(), 2);
    assert!(one["summary"].as_str().unwrap().contains("- assistant_message: wide"));
    // A summary is of its branch: it goes no further.
    let (child, grandchild) = (id("one"), id("of-one"));
    fork(&request(&home, &child, &grandchild)).unwrap();
    assert!(lines(&home, "of-one").iter().all(|line| line.kind != "branch_summary"));
}

// SPEC 7: whichever step of a fork fails, nothing of an unpublished child is left.
#[test]
fn whichever_step_fails_the_fork_is_whole_or_not_there() {
    let home = home_with_payload();
    let before = home.all();
    for step in 0.. {
        let count = AtomicUsize::new(0);
        let fail = |_| match count.fetch_add(1, Ordering::SeqCst) {
            now if now == step => Err(std::io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        };
        let (parent, child) = (id(SEED), id("child"));
        let made = fork_with(&request(&home, &parent, &child), Rim::of(&fail));
        match made {
            Ok(_) => break,
            Err(ForkError::NotDurable { path, .. }) => {
                assert!(!plain(&path).is_empty());
                std::fs::remove_file(&path).unwrap();
                std::fs::remove_dir_all(path.with_file_name("child")).unwrap();
                crate::unfinished::sweep(&home.workspace, Rim::default()).unwrap();
            }
            Err(error) => assert_eq!(error.kind(), "write_failed", "{error:?}"),
        }
        assert_eq!(home.all(), before, "step {step}");
    }
    assert!(home.sessions().join("child/resources").join(RESOURCE).is_dir());
}

#[test]
fn a_child_that_exists_stays_as_it_is() {
    let home = seeded_home();
    let (parent, child) = (id(SEED), id("child"));
    fork(&request(&home, &parent, &child)).unwrap();
    let before = home.all();
    assert_eq!(fork(&request(&home, &parent, &child)).unwrap_err().kind(), "already_exists");
    assert_eq!(plan_fork(&request(&home, &parent, &child)).unwrap_err().kind(), "already_exists");
    let reserved = id("x.ndjson");
    assert_eq!(fork(&request(&home, &parent, &reserved)).unwrap_err().kind(), "invalid_args");
    assert_eq!(fork(&request(&home, &parent, &parent)).unwrap_err().kind(), "already_exists");
    assert_eq!(home.all(), before);
}
