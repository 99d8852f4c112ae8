//! What a warm start is to everything around it: workspaces, rivals, writers, readers. The promises W11 to W15.

use super::super::*;
use super::promises::lines_of;
use super::support::*;
use crate::lineage::envelope_projection;
use crate::read::LogReader;
use crate::test_support::{Home, at, id, line, plain};
use std::sync::atomic::{AtomicBool, Ordering};

// SPEC 6: a seed is read from its own workspace and nowhere else.
#[test]
fn w11_a_seed_of_another_workspace_is_not_found_and_a_link_to_it_is_refused() {
    let (home, other) = (seeded_home(), Home::new());
    let before = other.all();
    assert_eq!(seed(&other, "child").unwrap_err().kind(), "not_found");
    let link = other.workspace.log_path(&id(SEED));
    std::os::unix::fs::symlink(home.workspace.log_path(&id(SEED)), &link).unwrap();
    assert_eq!(seed(&other, "child").unwrap_err().kind(), "unsafe_state_path");
    std::fs::remove_file(&link).unwrap();
    assert_eq!(other.all(), before);
    // The child may go elsewhere; its first line says so.
    let (seed_id, child) = (id(SEED), id("child"));
    let bare = tempfile::tempdir().unwrap();
    let bare = Workspace::open(camino::Utf8Path::from_path(bare.path()).unwrap()).unwrap();
    let made = seed_child_log(&SeedRequest {
        workspace: &home.workspace,
        seed: &seed_id,
        child_workspace: &bare,
        child: &child,
        posture: None,
        cache: CacheFacts::default(),
        at: at(0),
    })
    .unwrap();
    let first = plain(&made.child_log_path)[0].value();
    assert_eq!(first["parent_workspace"], home.path().as_str());
    assert_eq!(first["child_workspace"], bare.path().as_str());
    assert_eq!(made.cache_prefix.broken_by, crate::cache::BrokenBy::Workspace);
    assert_eq!(made.cache_prefix.shared_events, 0);
}

// SPEC 9: what is cold is said to be cold, never left out.
#[test]
fn w12_a_cold_session_reports_the_absence_of_a_seed() {
    let cold = serde_json::to_value(envelope_projection(None)).unwrap();
    assert_eq!(
        cold,
        serde_json::json!({
            "warm_started": false, "seed_session_id": null, "fork_root_session_id": null,
            "replay_event_count": null, "strategy": null, "boundary_marker_kind": null,
        })
    );
    // A plain fork is no warm start either.
    let home = seeded_home();
    let (parent, child) = (id(SEED), id("forked"));
    crate::fork::fork(&crate::fork::ForkRequest {
        workspace: &home.workspace,
        parent: &parent,
        child: &child,
        to_seq: None,
        summarize: false,
        at: at(0),
    })
    .unwrap();
    let mut log = LogReader::open(&home.workspace, &child).unwrap();
    log.next_event().unwrap();
    assert!(log.lineage().is_some());
    assert_eq!(serde_json::to_value(envelope_projection(log.lineage())).unwrap(), cold);
}

// SPEC 11: a child's id belongs to one log: nothing that exists is ever replaced.
#[test]
fn w13_of_many_on_one_id_one_wins_and_its_bytes_stay() {
    let home = home_with_payload();
    for round in 0..4 {
        let child = format!("child-{round}");
        let results: Vec<_> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..12)
                .map(|which| {
                    let (home, child) = (&home, &child);
                    scope.spawn(move || {
                        let rim = Rim::default().names_only(which % 3 == 0);
                        let made = seed_from(home, SEED, child, rim);
                        let bytes = std::fs::read(home.workspace.log_path(&id(child)));
                        made.map(|_| bytes.unwrap())
                    })
                })
                .collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let winners: Vec<_> = results.iter().filter_map(|one| one.as_ref().ok()).collect();
        assert_eq!(winners.len(), 1);
        for refused in results.iter().filter_map(|one| one.as_ref().err()) {
            assert_eq!(refused.kind(), "already_exists", "{refused:?}");
        }
        let now = std::fs::read(home.workspace.log_path(&id(&child))).unwrap();
        assert_eq!(&now, winners[0]);
        assert!(home.sessions().join(&child).join("resources").join(RESOURCE).is_dir());
        assert!(!home.names().iter().any(|name| name.contains("unfinished")));
    }
}

// SPEC 8: a source that grows is read as it stood at one instant.
#[test]
fn w14_a_seed_that_is_being_appended_to_gives_an_exact_prefix() {
    let home = Home::new();
    let filler = "x".repeat(3000);
    let record =
        |seq: u64| line("s", seq, "user_message", &format!("{{\"text\":\"{filler}{seq}\"}}"));
    home.log("s", &record(0));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut seq = 1;
            while !stop.load(Ordering::Relaxed) && seq < 3000 {
                // In two writes, so that a record is often half there.
                let (text, half) = (record(seq), usize::try_from(seq % 2900).unwrap() + 40);
                home.append("s", &text[..half]);
                std::thread::sleep(std::time::Duration::from_millis(1));
                home.append("s", &text[half..]);
                seq += 1;
            }
        });
        let mut torn = 0;
        for round in 0..400 {
            if round >= 20 && torn >= 5 {
                break;
            }
            let child = format!("child-{round}");
            let made = seed_from(&home, "s", &child, Rim::default()).unwrap();
            let lines = lines_of(&home, &child);
            let count = made.lineage.replay_event_count;
            assert_eq!(lines.len() as u64, count + 3);
            for (seq, line) in lines[1..=usize::try_from(count).unwrap()].iter().enumerate() {
                assert!(line.data.ends_with(&format!("x{seq}\"}}")), "{round} {seq}");
            }
            let reading = &made.lineage.reading;
            torn += u64::from(reading.torn_bytes > 0);
            assert_eq!(reading.whole_bytes + reading.torn_bytes, made.lineage.seed_file.bytes);
            assert_eq!(lines[0].value()["forked_to_seq"].as_u64(), made.lineage.to_seq);
        }
        stop.store(true, Ordering::Relaxed);
        writer.join().unwrap();
        assert!(torn > 0, "no record was ever seen half written: the test shows nothing");
    });
}

// SPEC 11: lineage is what the log says, to whoever reads it next.
#[test]
fn w15_lineage_comes_from_the_log_and_from_no_memory() {
    let home = seeded_home();
    let made = seed(&home, "child").unwrap();
    let again = Workspace::open(home.path()).unwrap();
    let mut log = LogReader::open(&again, &id("child")).unwrap();
    log.next_event().unwrap();
    assert_eq!(envelope_projection(log.lineage()), made.envelope());
    assert_eq!(serde_json::to_value(made.envelope()).unwrap().as_object().unwrap().len(), 6);
    let before = home.all();
    let checked = validate(&home.workspace, &id(SEED)).unwrap();
    assert_eq!(checked, made.lineage);
    assert_eq!(home.all(), before, "to validate writes nothing");
}
