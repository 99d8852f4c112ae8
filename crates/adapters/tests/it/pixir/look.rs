//! A source is judged before anything is started.

use super::home::{Home, SEED, nothing};
use crate::support::block_on;
use seatfork_adapters::pixir::Pixir;
use seatfork_adapters::{Adapter, ResolveError};
use seatfork_schema::{PlannedChild, SourceId};
use seatfork_testkit::pixir::{fold, replayed};

// SPEC 6: what stands on disk for a seed: where, how much, what a child is given, what not.
#[test]
fn a_seed_is_described_as_it_stands() {
    let home = Home::new();
    let seen = home.resolve(SEED).unwrap();
    let events = fold(&home.files.log(SEED)).unwrap();
    assert_eq!(seen.path, home.cwd().join(format!(".pixir/sessions/{SEED}.ndjson")));
    assert_eq!((seen.records, seen.effective_records), (8, replayed(&events).len() as u64));
    assert_eq!(seen.bytes, home.files.bytes(SEED).len() as u64);
    assert_eq!(seen.not_inherited, ["1 provider_usage"]);
    assert_eq!(seen.last_record.as_deref(), Some("seq 7"));
    assert_eq!(seen.last_activity.unwrap().to_string(), "2026-03-03T08:00:07.001007Z");
    assert!(seen.live.is_none() && seen.remarks.is_empty());
    assert_eq!(seen.sha256.len(), 64);
}

// SPEC 10: row 1, a seed that is not there names where it was looked for and the nearest; another workspace is not asked.
// code: source-not-found
#[test]
fn a_seed_is_looked_for_in_the_seats_directory_alone() {
    let home = Home::new();
    let error = home.resolve("20260303T080000-aaaaab").unwrap_err();
    assert_eq!(error.code(), "source-not-found");
    match error {
        ResolveError::NotFound { looked_in, nearest, .. } => {
            assert_eq!(looked_in, [home.cwd().join(".pixir/sessions")]);
            assert_eq!(nearest[0], SEED);
            assert_eq!(nearest.len(), 3);
        }
        other => panic!("{other}"),
    }
    let other = Home::of("plain");
    let source = SourceId::new(home.id(SEED));
    let elsewhere = block_on(Pixir.resolve(&source, &nothing(), &other.cwd())).unwrap_err();
    assert_eq!(elsewhere.code(), "source-not-found");
    let empty = Home { files: seatfork_testkit::pixir::Workspace::new() };
    assert_eq!(empty.resolve(SEED).unwrap_err().code(), "source-not-found");
}

// SPEC 6: damaged, empty, in the middle of a turn: a typed refusal each, and nothing is left.
// code: source-damaged, source-empty, source-not-forkable, source-unreadable
#[test]
fn a_seed_that_gives_no_whole_child_is_refused_by_what_is_wrong() {
    let home = Home::of("damaged");
    let before = home.files.everything();
    for (seed, code, said) in [
        ("seq-null", "source-damaged", "line 2"),
        ("foreign-session", "source-damaged", "another session"),
        ("forged-root", "source-damaged", "its root is no session id"),
        ("not-utf8", "source-damaged", "not UTF-8"),
        ("only-excluded", "source-empty", "no event that a child would be given"),
        ("open-call", "source-not-forkable", "line 3: tool call \"call_1\" has no result"),
        ("hostile-resource", "source-unreadable", "payload"),
        ("missing-resource", "source-unreadable", "payload"),
    ] {
        let error = home.resolve(seed).unwrap_err();
        assert_eq!(error.code(), code, "{seed}: {error}");
        assert!(error.to_string().contains(said), "{seed}: {error}");
    }
    let call = home.resolve("open-call").unwrap_err().to_string();
    assert!(call.contains("seatfork log fork --to-seq 1 makes one that is whole"), "{call}");
    assert_eq!(home.files.everything(), before);
}

// SPEC 6: a link in the place of a log is not followed.
#[test]
fn a_seed_that_is_a_link_is_not_followed() {
    let home = Home::new();
    let target = home.files.log(SEED);
    std::os::unix::fs::symlink(&target, home.files.log("linked")).unwrap();
    let error = home.resolve("linked").unwrap_err();
    assert_eq!(error.code(), "source-unreadable");
    assert!(error.to_string().contains("a symbolic link"), "{error}");
}

// SPEC 6: a half-written last record is a normal case; it is said and not counted.
#[test]
fn a_torn_tail_is_said_and_not_counted() {
    let home = Home::of("torn");
    let seen = home.resolve("torn-tail").unwrap();
    assert_eq!((seen.records, seen.effective_records), (3, 3));
    assert_eq!(seen.bytes, home.files.bytes("torn-tail").len() as u64 - 60);
    assert!(seen.remarks[0].contains("its 60 bytes are not counted"), "{:?}", seen.remarks);
}

// SPEC 6: a writer is told by its lease; a stale one writes no more, one that cannot be understood is not absent.
// SPEC 7: the pre-assigned id is the mark.
#[test]
fn a_lease_says_who_writes_and_the_id_is_the_mark() {
    let home = Home::new();
    let child = PlannedChild::new(home.id(SEED));
    let in_use = || block_on(Pixir.in_use(child.conversation(), &nothing()));
    let write = |text: &str| {
        let folder = home.cwd().join(".pixir/session_leases");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{SEED}.json")), text).unwrap();
    };
    assert_eq!(in_use().unwrap(), None);
    let lease = |heartbeat: i64| {
        serde_json::json!({
            "version": 1, "purpose": "session_writer", "session_id": SEED, "workspace": home.cwd(),
            "lease_path": home.cwd().join(".pixir/session_leases/x.json"),
            "holder_id": "wrl_0011223344556677", "os_pid": "4711", "beam_node": "nonode@nohost",
            "started_at": "2026-01-01T00:00:00.000000Z", "started_at_ms": heartbeat,
            "heartbeat_at": "2026-01-01T00:00:00.000000Z", "heartbeat_at_ms": heartbeat,
            "heartbeat_interval_ms": 1000, "stale_after_ms": 5000,
        })
        .to_string()
    };
    let now = jiff::Timestamp::now().as_millisecond();
    write(&lease(now));
    assert_eq!(in_use().unwrap().unwrap().pid, 4711);
    assert_eq!(home.resolve(SEED).unwrap().live.unwrap().pid, 4711);
    write(&lease(now - 60_000));
    assert_eq!(in_use().unwrap(), None);
    write("no lease at all");
    assert!(in_use().unwrap_err().why.contains("it is no lease"));

    let made =
        |id| block_on(Pixir.find_made(Some(&PlannedChild::new(home.id(id))), "", &nothing()));
    assert_eq!(made("nobody").unwrap(), None);
    let found = made(SEED).unwrap().unwrap();
    assert_eq!(found.bytes, home.files.bytes(SEED).len() as u64);
    let located = block_on(Pixir.locate(child.conversation(), &nothing())).unwrap();
    assert_eq!(located, Some(found.path));
    let gone = super::home::conversation("/nowhere/at/all".into(), SEED);
    assert_eq!(block_on(Pixir.locate(&gone, &nothing())).unwrap(), None);
}
