//! Both directions: what we write is readable by Pixir's rules, what stands in its format by ours.

use crate::support::{Home, id, now};
use seatfork_sessionlog::{
    CacheFacts, Durability, ForkRequest, LogReader, LogWriter, PermissionMode, Posture, ReadError,
    SeedError, SeedRequest, WorkspaceMode, WritePolicy, boundary_text, create_log, current_posture,
    envelope_projection, fork, seed_child_log, validate,
};
use seatfork_testkit::pixir::{
    self, check_cold, check_fork, check_resources, check_warm_start, faults, fold, replayed,
    root_of,
};

const EVERY_TYPE: &str = "20260302T090000-a1b2c3";
const SEED: &str = "20260303T080000-aaaaaa";
const FORK: &str = "20260303T090000-bbbbbb";
const WARM: &str = "20260303T100000-cccccc";
const FORK_OF_WARM: &str = "20260303T110000-dddddd";
const NOTHING: [&str; 0] = [];

fn seed(of: &Home, seed: &str, into: &Home, child: &str) -> Result<u64, SeedError> {
    let policy = WritePolicy::bounded("test", vec!["src/**".to_owned()], Vec::new());
    let posture = Posture {
        permission: PermissionMode::Auto(policy),
        workspace_mode: WorkspaceMode::Shared,
        holder: "pod-member@rig".to_owned(),
    };
    let seeded = seed_child_log(&SeedRequest {
        workspace: &of.workspace,
        seed: &id(seed),
        child_workspace: &into.workspace,
        child: &id(child),
        posture: Some(&posture),
        cache: CacheFacts::default(),
        at: now(),
    })?;
    Ok(seeded.lineage.replay_event_count)
}

// SPEC 6: a child that we write is one by the documented rules, in its seed's workspace and in another.
#[test]
fn a_warm_start_of_ours_is_one_by_pixirs_rules() {
    for (folder, seeds) in
        [("plain", [EVERY_TYPE].as_slice()), ("family", &[FORK, WARM, FORK_OF_WARM])]
    {
        let home = Home::of(folder);
        let other = Home::empty();
        for seed_id in seeds {
            let before = home.files.everything();
            let count = seed(&home, seed_id, &other, "child-elsewhere").unwrap();
            assert_eq!(home.files.everything(), before, "the seed's workspace is as it was");
            let text = boundary_text(&id(seed_id));
            let check = |of: &Home, child: &str| {
                check_warm_start((&home.files, seed_id), (&of.files, child), &text)
            };
            assert_eq!(check(&other, "child-elsewhere"), NOTHING, "{seed_id}");
            seed(&home, seed_id, &home, "child-here").unwrap();
            assert_eq!(check(&home, "child-here"), NOTHING, "{seed_id}");
            let events = fold(&home.files.log("child-here")).unwrap();
            let copied = replayed(&fold(&home.files.log(seed_id)).unwrap()).len();
            assert_eq!((copied, events.len()), (usize::try_from(count).unwrap(), copied + 3));
            for (of, child) in [(&home, "child-here"), (&other, "child-elsewhere")] {
                let folder = of.files.resources(child);
                std::fs::remove_file(of.files.log(child)).unwrap();
                if folder.exists() {
                    std::fs::remove_dir_all(folder.parent().unwrap()).unwrap();
                }
            }
        }
    }
}

// SPEC 6: forks, whole and cut, with and without a summary.
#[test]
fn a_fork_of_ours_is_one_by_pixirs_rules() {
    let home = Home::of("family");
    let ways = [(None, false), (Some(3), false), (Some(0), false), (None, true), (Some(3), true)];
    for (at, (to_seq, summarize)) in ways.into_iter().enumerate() {
        let child = format!("forked-{at}");
        let request = ForkRequest {
            workspace: &home.workspace,
            parent: &id(SEED),
            child: &id(&child),
            to_seq,
            summarize,
            at: now(),
        };
        let forked = fork(&request).unwrap();
        let wrong = check_fork((&home.files, SEED), (&home.files, &child), to_seq);
        assert_eq!(wrong, NOTHING, "{child}");
        let events = fold(&home.files.log(&child)).unwrap();
        let last = events.last().unwrap();
        assert_eq!(last.kind == "branch_summary", summarize, "{child}");
        assert_eq!(forked.plan.event_count, replayed(&events).len() as u64);
    }
}

// SPEC 6: chains keep one root, by both readings.
#[test]
fn grandchildren_of_ours_have_the_root_of_the_first() {
    let home = Home::of("family");
    seed(&home, WARM, &home, "grandchild").unwrap();
    seed(&home, "grandchild", &home, "great-grandchild").unwrap();
    for child in ["grandchild", "great-grandchild"] {
        assert_eq!(root_of(child, &fold(&home.files.log(child)).unwrap()), SEED);
        assert_eq!(faults(child, &home.files.bytes(child)), NOTHING);
    }
    let text = boundary_text(&id("grandchild"));
    let wrong =
        check_warm_start((&home.files, "grandchild"), (&home.files, "great-grandchild"), &text);
    assert_eq!(wrong, NOTHING);
}

// SPEC 6: what we append goes on by the rules, also behind a record that lacked its line feed.
#[test]
fn what_we_append_is_readable_by_pixirs_rules() {
    let home = Home::of("torn");
    create_log(&home.workspace, &id("new"), None, now()).unwrap();
    for session in ["new", "no-newline", "blank-and-crlf"] {
        let before = fold(&home.files.log(session)).unwrap();
        let mut writer =
            LogWriter::open(&home.workspace, &id(session), Durability::EachRecord, now()).unwrap();
        for kind in pixir::CANONICAL.iter().filter(|kind| **kind != "session_fork") {
            writer.append(kind, r#"{"text":"caf\u00e9 ","n":1.0e3}"#, now()).unwrap();
        }
        writer.close().unwrap();
        let after = fold(&home.files.log(session)).unwrap();
        assert_eq!(after.len(), before.len() + 13, "{session}");
        assert_eq!(after[..before.len()], before[..]);
        let numbered = after.iter().enumerate().all(|(at, event)| event.seq == Some(at as u64));
        assert!(numbered, "{session}");
    }
    assert_eq!(check_cold((&home.files, "new")), NOTHING);
    let torn = LogWriter::open(&home.workspace, &id("torn-tail"), Durability::AtClose, now());
    assert_eq!(torn.unwrap_err().kind(), "torn_tail");
}

// SPEC 6: a posture of a new log is where one is read from.
#[test]
fn a_new_log_of_ours_begins_with_its_own_posture() {
    let home = Home::empty();
    let posture = Posture {
        permission: PermissionMode::ReadOnly,
        workspace_mode: WorkspaceMode::Shared,
        holder: "pod-member@rig".to_owned(),
    };
    create_log(&home.workspace, &id("fresh"), Some(&posture), now()).unwrap();
    assert_eq!(check_cold((&home.files, "fresh")), NOTHING);
    let events = fold(&home.files.log("fresh")).unwrap();
    assert_eq!(events[0].text("permission_mode").as_deref(), Some("read_only"));
    assert_eq!(
        current_posture(&home.workspace, &id("fresh")).unwrap().permission_mode,
        "read_only"
    );
}

// SPEC 6: our reader takes what Pixir takes, but for what it would drop or carry on without a word.
#[test]
fn logs_made_by_hand_are_read_or_refused_by_what_they_are() {
    for (folder, sessions) in
        [("plain", [EVERY_TYPE].as_slice()), ("family", &[SEED, FORK, WARM, FORK_OF_WARM])]
    {
        let home = Home::of(folder);
        for session in sessions {
            let theirs = fold(&home.files.log(session)).unwrap();
            let mut ours = LogReader::open(&home.workspace, &id(session)).unwrap();
            for event in &theirs {
                let same = ours.next_event().unwrap().unwrap();
                assert_eq!((&*same.id, same.data), (event.id.as_str(), event.data.as_str()));
            }
            assert!(ours.next_event().unwrap().is_none());
            let root = ours.lineage().map_or(*session, |lineage| lineage.root.as_str()).to_owned();
            assert_eq!(root, root_of(session, &theirs));
            assert_eq!(envelope_projection(ours.lineage()).warm_started, *session == WARM);
        }
    }
    let torn = Home::of("torn");
    for (session, events, rest) in [
        ("torn-tail", 3, 60),
        ("torn-utf8", 3, 20),
        ("zero-tail", 3, 64),
        ("only-a-fragment", 0, 19),
    ] {
        let reading = LogReader::open(&torn.workspace, &id(session)).unwrap().finish().unwrap();
        assert_eq!((reading.events, reading.torn_bytes), (events, rest), "{session}");
    }
}

// SPEC 10: what is damaged is refused as a seed by its line; nothing is left.
#[test]
fn damaged_logs_are_refused_as_seeds_and_leave_nothing() {
    let home = Home::of("damaged");
    let before = home.files.everything();
    let (mut refused, mut taken) = (Vec::new(), Vec::new());
    for path in before.keys().filter(|path| path.extension().is_some_and(|ext| ext == "ndjson")) {
        let session = path.file_stem().unwrap().to_str().unwrap();
        match validate(&home.workspace, &id(session)) {
            Ok(_) => taken.push(session.to_owned()),
            Err(error) => {
                let line = match &error {
                    SeedError::Read(ReadError::Corrupt { line, .. }) => *line,
                    SeedError::Dangling { call, .. } => call.line,
                    _ => 0,
                };
                assert!(seed(&home, session, &home, "child").is_err(), "{session}");
                refused.push(format!("{session} {} {line}", error.kind()));
            }
        }
    }
    assert_eq!(home.files.everything(), before, "a refused seed leaves nothing");
    insta::assert_snapshot!("interop__refused_seeds", refused.join("\n"));
    taken.sort();
    assert_eq!(taken, ["ephemeral-type", "late-root", "unknown-type"]);
}

// SPEC 6: payloads go along, by their sums.
#[test]
fn a_childs_payloads_are_its_seeds() {
    let home = Home::of("plain");
    seed(&home, EVERY_TYPE, &home, "child").unwrap();
    assert_eq!(check_resources((&home.files, EVERY_TYPE), (&home.files, "child")), NOTHING);
    assert!(home.files.resources("child").exists());
}
