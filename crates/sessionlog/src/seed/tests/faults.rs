//! Every step of a warm start fails once: nothing is left, or the child is whole (W10, W16).

use super::super::*;
use super::support::*;
use crate::rim::Step;
use crate::test_support::{Home, all_below, at, id, line, plain};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

#[track_caller]
fn refused(home: &Home, seed: &str, child: &str, kind: &str) {
    let before = home.all();
    let (seed, child) = (id(seed), id(child));
    let error = seed_child_log(&SeedRequest {
        workspace: &home.workspace,
        seed: &seed,
        child_workspace: &home.workspace,
        child: &child,
        posture: None,
        cache: CacheFacts::default(),
        at: at(0),
    })
    .unwrap_err();
    assert_eq!(error.kind(), kind, "{error:?}");
    assert_eq!(home.all(), before, "{kind}: something was left");
}

// SPEC 6: what can be refused is refused before anything is there.
#[test]
fn w10_whatever_fails_both_workspaces_are_as_they_were() {
    let home = home_with_payload();
    refused(&home, "nobody", "child", "not_found");
    refused(&home, SEED, "child.ndjson", "invalid_args");
    refused(&home, SEED, "a.ndjson.tmp-0011aabb", "invalid_args");
    home.log("empty", "");
    refused(&home, "empty", "child", "not_found");
    home.log("nothing", &line("nothing", 0, "provider_usage", "{}"));
    refused(&home, "nothing", "child", "not_found");
    home.log("torn", r#"{"data":{"text":"ha"#);
    refused(&home, "torn", "child", "not_found");
    home.log("corrupt", &format!("{}x\n", line("corrupt", 0, "user_message", "{}")));
    refused(&home, "corrupt", "child", "corrupt_log_line");
    std::os::unix::fs::symlink("seed-1.ndjson", home.sessions().join("link.ndjson")).unwrap();
    refused(&home, "link", "child", "unsafe_state_path");
    seed(&home, "taken").unwrap();
    refused(&home, SEED, "taken", "already_exists");
    std::fs::create_dir(home.sessions().join("folder")).unwrap();
    refused(&home, SEED, "folder", "already_exists");
    std::os::unix::fs::symlink("/nowhere", home.sessions().join("dangling.ndjson")).unwrap();
    refused(&home, SEED, "dangling", "already_exists");
    for (name, target) in [(".pixir", "/tmp"), (".pixir", "nowhere")] {
        let other = Home::new();
        std::fs::remove_dir_all(other.path().join(name)).unwrap();
        std::os::unix::fs::symlink(target, other.path().join(name)).unwrap();
        let before = (home.all(), other.all());
        let (seed, child) = (id(SEED), id("child"));
        let error = seed_child_log(&SeedRequest {
            workspace: &home.workspace,
            seed: &seed,
            child_workspace: &other.workspace,
            child: &child,
            posture: None,
            cache: CacheFacts::default(),
            at: at(0),
        })
        .unwrap_err();
        assert_eq!(error.kind(), "unsafe_state_path", "{target}");
        assert_eq!((home.all(), other.all()), before);
    }
    std::fs::create_dir(home.path().join(".pixir/session_leases")).unwrap();
    std::fs::write(home.path().join(".pixir/session_leases/leased.json"), "{").unwrap();
    refused(&home, SEED, "leased", "session_writer_ambiguous");
    let held = crate::lease::hold::Held::acquire(&home.workspace, &id("held"), at(0)).unwrap();
    refused(&home, SEED, "held", "session_writer_active");
    held.release().unwrap();
}

// SPEC 14: a descriptor is checked before any path is built from it.
#[test]
fn a_payload_that_is_missing_wrong_or_hostile_is_refused_and_nothing_is_left() {
    let home = home_with_payload();
    let good = descriptor();
    let sha = payload_name();
    let text = |descriptor: &str| format!(r#"{{"text":"x","resources":[{descriptor}]}}"#);
    for (from, to, kind) in [
        (RESOURCE, "../../../../../out", "resource_malformed"),
        (RESOURCE, "res_0123456789ABCDEF", "resource_malformed"),
        (RESOURCE, "res_0123456789abcde", "resource_malformed"),
        (sha.as_str(), "../../x", "resource_malformed"),
        ("\"png\"", "\"../x\"", "resource_malformed"),
        ("\"png\"", "\"PNG\"", "resource_malformed"),
        ("\"png\"", "\"\"", "resource_malformed"),
        ("\"png\"", "\"jpg\"", "resource_malformed"),
        ("session://seed-1/", "session://../x/", "resource_malformed"),
        ("\"size_bytes\":20", "\"size_bytes\":21", "resource_missing"),
        ("\"size_bytes\":20", "\"size_bytes\":\"20\"", "resource_malformed"),
    ] {
        let bad = good.replace(from, to);
        assert_ne!(bad, good);
        home.log("s", &line("s", 0, "user_message", &text(&bad)));
        let folder = home.sessions().join("s/resources").join(RESOURCE);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{sha}.png")), PAYLOAD).unwrap();
        refused(&home, "s", "child", kind);
        assert_eq!(validate(&home.workspace, &id("s")).unwrap_err().kind(), kind, "{to}");
    }
    // Two descriptors of one id that differ.
    let other = good.replace("\"size_bytes\":20", "\"size_bytes\":21");
    home.log("s", &line("s", 0, "user_message", &text(&format!("{good},{other}"))));
    refused(&home, "s", "child", "resource_malformed");
    // The payload itself: gone, changed, a link.
    home.log("s", &line("s", 0, "user_message", &text(&good)));
    let payload = home.sessions().join("s/resources").join(RESOURCE).join(format!("{sha}.png"));
    std::fs::write(&payload, b"not really a pictuRe").unwrap();
    refused(&home, "s", "child", "resource_missing");
    std::fs::remove_file(&payload).unwrap();
    refused(&home, "s", "child", "resource_missing");
    std::os::unix::fs::symlink("/etc/passwd", &payload).unwrap();
    refused(&home, "s", "child", "unsafe_state_path");
    // A link elsewhere has no payload, and needs none.
    let link = format!(r#"{{"resource_id":"{RESOURCE}","kind":"resource_link","name":"n"}}"#);
    home.log("s", &line("s", 0, "user_message", &text(&link)));
    assert_eq!(seed_from(&home, "s", "linked", Rim::default()).unwrap().lineage.resources, 0);
}

#[test]
fn payloads_are_copied_once_for_all_that_name_them_and_go_down_the_chain() {
    let home = home_with_payload();
    let made = seed(&home, "child").unwrap();
    assert_eq!((made.lineage.resources, made.lineage.resource_bytes), (1, PAYLOAD.len() as u64));
    let grandchild = seed_from(&home, "child", "grandchild", Rim::default()).unwrap();
    assert_eq!(grandchild.lineage.resources, 1);
    let name = format!("resources/{RESOURCE}/{}.png", payload_name());
    let copy = home.sessions().join("grandchild").join(name);
    assert_eq!(std::fs::read(&copy).unwrap(), PAYLOAD);
    let all = home.all();
    for (name, (mode, _)) in all.iter().filter(|(name, _)| name.contains("child")) {
        let private = if mode & 0o170_000 == 0o040_000 { 0o700 } else { 0o600 };
        assert_eq!(mode & 0o777, private, "{name}");
    }
    let descriptors = plain(&made.child_log_path);
    assert!(
        descriptors.iter().any(|line| line.data.contains(&descriptor())),
        "descriptors stay as they are"
    );
}

#[test]
fn a_child_may_be_called_what_unfinished_things_are_called() {
    let home = home_with_payload();
    for child in ["log", "for-a", "payloads-1-2", "unfinished-0"] {
        for names_only in [false, true] {
            let child = format!("{child}{}", if names_only { "" } else { "x" });
            let rim = Rim::default().names_only(names_only);
            assert_eq!(
                seed_from(&home, SEED, &child, rim).unwrap().lineage.resources,
                1,
                "{child}"
            );
        }
    }
    assert!(!home.names().iter().any(|name| name.contains(".unfinished")));
}

/// Fails the step with that number, once.
fn failing(
    at: usize,
    count: &AtomicUsize,
    error: io::ErrorKind,
) -> impl Fn(Step) -> io::Result<()> + Sync {
    move |_| {
        if count.fetch_add(1, Ordering::SeqCst) == at { Err(error.into()) } else { Ok(()) }
    }
}

/// Every step of a warm start in turn fails: what then?
fn each_step_fails(
    home: &Home,
    target: &Workspace,
    names_only: bool,
    error: io::ErrorKind,
) -> usize {
    let before = (home.all(), all_below(target.path()));
    let mut published = 0;
    for step in 0.. {
        let count = AtomicUsize::new(0);
        let fail = failing(step, &count, error);
        let (seed, child, posture) = (id(SEED), id("child"), read_only());
        let request = SeedRequest {
            workspace: &home.workspace,
            seed: &seed,
            child_workspace: target,
            child: &child,
            posture: Some(&posture),
            cache: CacheFacts::default(),
            at: at(0),
        };
        let made = seed_with(&request, Rim::of(&fail).names_only(names_only));
        let finished = count.load(Ordering::SeqCst) <= step;
        let path = target.log_path(&child);
        match &made {
            Ok(_) => assert!(finished, "step {step} failed and nobody said so"),
            // Named, and whole: it is a conversation and stays (SPEC 7).
            Err(SeedError::NotDurable { .. }) => {
                published += 1;
                let lines = plain(&path);
                assert_eq!(lines[lines.len() - 2].value()["lineage_boundary"], true);
            }
            Err(error) => {
                assert_eq!(error.kind(), "write_failed", "step {step}: {error:?}");
                assert_eq!(
                    (home.all(), all_below(target.path())),
                    before,
                    "step {step}: {error:?}"
                );
            }
        }
        if path.exists() {
            std::fs::remove_file(&path).unwrap();
            let payloads = path.with_file_name("child");
            if payloads.exists() {
                std::fs::remove_dir_all(payloads).unwrap();
            }
            let state = target.path().join(".pixir");
            for entry in state.read_dir_utf8().unwrap() {
                let entry = entry.unwrap();
                if entry.file_name().starts_with(".unfinished-") {
                    std::fs::remove_dir_all(entry.path()).unwrap();
                }
            }
            if !before.1.contains_key(".pixir") {
                std::fs::remove_dir_all(state).unwrap();
            }
        }
        if finished {
            assert!(published > 0, "the last step makes the name durable");
            return step;
        }
    }
    unreachable!("some step is the last")
}

// SPEC 7: until a child's log is published nothing of it is there; whichever step fails, with whichever error.
#[test]
fn w16_whichever_step_fails_nothing_of_an_unpublished_child_is_left() {
    for error in [
        io::ErrorKind::StorageFull,
        io::ErrorKind::PermissionDenied,
        io::ErrorKind::ReadOnlyFilesystem,
    ] {
        for names_only in [false, true] {
            let home = home_with_payload();
            let here = home.workspace.clone();
            let steps = each_step_fails(&home, &here, names_only, error);
            assert!(steps > 15, "{steps} steps with a payload");
            let plain_home = seeded_home();
            let here = plain_home.workspace.clone();
            assert!(each_step_fails(&plain_home, &here, names_only, error) >= 6);
            // Into a workspace where there is nothing yet.
            let bare = tempfile::tempdir().unwrap();
            let bare = Workspace::open(camino::Utf8Path::from_path(bare.path()).unwrap()).unwrap();
            each_step_fails(&home, &bare, names_only, error);
        }
    }
}

// SPEC 10: what could not be cleared up is said, and the next one clears it up.
#[test]
fn what_cannot_be_removed_again_is_named_and_goes_with_the_next_log() {
    let home = home_with_payload();
    let before = home.all();
    for names_only in [false, true] {
        for first in [Step::Copy, Step::Rename] {
            let fail = |step| match step {
                Step::Remove => Err(io::ErrorKind::PermissionDenied.into()),
                step if step == first => Err(io::ErrorKind::StorageFull.into()),
                _ => Ok(()),
            };
            let rim = Rim::of(&fail).names_only(names_only);
            let error = seed_from(&home, SEED, "child", rim).unwrap_err();
            let SeedError::Write { source, .. } = &error else { panic!("{error:?}") };
            assert!(source.to_string().ends_with("; and what was begun is left"), "{source}");
            assert_ne!(home.all(), before);
            assert_eq!(crate::unfinished::remove_unfinished(&home.workspace).unwrap(), 1);
            assert_eq!(home.all(), before);
        }
    }
}
