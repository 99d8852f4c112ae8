//! A process that is killed at any step leaves a whole child or none, and nothing else for long.

use super::super::*;
use super::support::*;
use crate::rim::Step;
use crate::test_support::{Home, all_below, at, id, line, plain};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const ROLE: &str = "SEATFORK_SESSIONLOG_TEST_ROLE";
const NAME: &str = "seed::tests::crash::a_role_is_played_to_its_end";

/// This test binary, run again to make a child and to kill itself before the step with that number.
pub(crate) fn role(words: &[&str]) -> Command {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place of these tests that starts a process: ourselves"
    )]
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([NAME, "--exact", "--nocapture", "--test-threads=1"])
        .env(ROLE, words.join("\n"))
        .stdin(Stdio::null());
    command
}

/// Plays the role this process was started for; without one, plays one through a process of its own.
#[test]
fn a_role_is_played_to_its_end() {
    #[expect(clippy::disallowed_methods, reason = "how the test binary knows its role")]
    let Ok(role_words) = std::env::var(ROLE) else {
        let home = seeded_home();
        let output =
            role(&[home.path().as_str(), home.path().as_str(), "999999", ""]).output().unwrap();
        assert!(output.status.success() && home.workspace.log_path(&id("child")).exists());
        return;
    };
    let words: Vec<&str> = role_words.split('\n').collect();
    let open = |path: &str| Workspace::open(camino::Utf8Path::new(path)).unwrap();
    let (home, target) = (open(words[0]), open(words[1]));
    let at_step: usize = words[2].parse().unwrap();
    let count = AtomicUsize::new(0);
    let kill = |_: Step| {
        if count.fetch_add(1, Ordering::SeqCst) == at_step {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
                .unwrap();
        }
        Ok(())
    };
    let (seed, child, posture) = (id(SEED), id("child"), read_only());
    let request = SeedRequest {
        workspace: &home,
        seed: &seed,
        child_workspace: &target,
        child: &child,
        posture: Some(&posture),
        cache: CacheFacts::default(),
        at: at(0),
    };
    let made = seed_with(&request, Rim::of(&kill).names_only(words[3] == "names"));
    // The harness writes before a test ends; what matters stands on a line of its own.
    println!("\nkind {}", made.map_or_else(|error| error.kind(), |_| "made"));
}

fn killed(output: &Output) -> bool {
    output.status.signal() == Some(9)
}

/// The child is whole, by what a whole one is: the same lines, but for ids.
fn is_whole(path: &camino::Utf8Path, like: &camino::Utf8Path) {
    let (one, two) = (plain(path), plain(like));
    assert_eq!(one.len(), two.len());
    for (one, two) in one.iter().zip(&two).skip(1) {
        assert_eq!((&one.kind, &one.data, one.seq), (&two.kind, &two.data, two.seq));
    }
}

fn each_step_is_the_last(home: &Home, target: &Workspace, names: &str, leaves: bool) {
    let before = (home.all(), all_below(target.path()));
    let like = tempfile::tempdir().unwrap();
    let like = Workspace::open(camino::Utf8Path::from_path(like.path()).unwrap()).unwrap();
    let (seed_id, child, posture) = (id(SEED), id("child"), read_only());
    // The posture names its workspace, so a child to compare with is made there and taken away.
    let request = SeedRequest {
        workspace: &home.workspace,
        seed: &seed_id,
        child_workspace: target,
        child: &child,
        posture: Some(&posture),
        cache: CacheFacts::default(),
        at: at(0),
    };
    let undo = |keep_log: Option<&camino::Utf8Path>| {
        let log = target.log_path(&child);
        if let Some(keep) = keep_log {
            std::fs::copy(&log, keep).unwrap();
        }
        std::fs::remove_file(&log).unwrap();
        let payloads = log.with_file_name("child");
        if payloads.exists() {
            std::fs::remove_dir_all(payloads).unwrap();
        }
        if !before.1.contains_key(".pixir") {
            std::fs::remove_dir_all(target.path().join(".pixir")).unwrap();
        }
    };
    let whole = like.path().join("whole");
    seed_child_log(&request).unwrap();
    undo(Some(&whole));
    assert_eq!(all_below(target.path()), before.1);
    let (mut invisible, mut complete) = (0, 0);
    for step in 0.. {
        let output =
            role(&[home.path().as_str(), target.path().as_str(), &step.to_string(), names])
                .output()
                .unwrap();
        let path = target.log_path(&child);
        if path.exists() {
            is_whole(&path, &whole);
            complete += 1;
        } else {
            invisible += 1;
            let now = all_below(target.path());
            // Empty folders of the workspace may be there already; nothing else is.
            let left: Vec<_> = now.keys().filter(|name| !before.1.contains_key(*name)).collect();
            let folders = [".pixir", ".pixir/sessions"];
            if !leaves {
                assert!(
                    left.iter().all(|name| folders.contains(&name.as_str())),
                    "step {step}: {left:?}"
                );
            }
        }
        assert_eq!(
            home.all().get(".pixir/sessions/seed-1.ndjson"),
            before.0.get(".pixir/sessions/seed-1.ndjson")
        );
        // The same child is made by the next attempt, whatever this one left.
        if !path.exists() && step % 2 == 0 {
            seed_child_log(&request).unwrap();
            is_whole(&path, &whole);
        }
        // Whoever makes the next log here takes away what was left, and nothing else.
        let next = id("next");
        let made = crate::create::create_log(target, &next, None, at(0)).unwrap();
        std::fs::remove_file(made).unwrap();
        assert!(
            all_below(target.path()).keys().all(|name| !name.contains("unfinished")),
            "step {step}"
        );
        if path.exists() {
            undo(None);
        }
        if !before.1.contains_key(".pixir") && target.path().join(".pixir").exists() {
            std::fs::remove_dir(target.path().join(".pixir/sessions")).unwrap();
            std::fs::remove_dir(target.path().join(".pixir")).unwrap();
        }
        assert_eq!(all_below(target.path()), before.1, "step {step}");
        if !killed(&output) {
            assert!(output.status.success(), "{output:?}");
            break;
        }
    }
    assert!(invisible >= 5 && complete >= 2, "{invisible} {complete}");
}

// SPEC 7: killed anywhere before it is published a child is not there, after it is there whole.
#[test]
fn w10_killed_at_every_step_the_child_is_whole_or_not_there_and_nothing_is_left() {
    let home = seeded_home();
    let here = home.workspace.clone();
    each_step_is_the_last(&home, &here, "", false);
    let bare = tempfile::tempdir().unwrap();
    let bare = Workspace::open(camino::Utf8Path::from_path(bare.path()).unwrap()).unwrap();
    each_step_is_the_last(&home, &bare, "", false);
}

// SPEC 7: what must have a name before it is finished is taken away by whoever comes next.
#[test]
fn w10_killed_at_every_step_with_payloads_or_named_files_the_next_one_cleans_up() {
    let home = home_with_payload();
    let here = home.workspace.clone();
    each_step_is_the_last(&home, &here, "", true);
    each_step_is_the_last(&home, &here, "names", true);
}

// SPEC 7: the same, at moments nobody chose, with a log long enough to be made durable on the way.
#[test]
fn w10_killed_at_any_moment_a_long_child_is_whole_or_not_there() {
    let home = Home::new();
    let data = format!("{{\"text\":\"{}\"}}", "long \\u00e9 ".repeat(2000));
    let text: String = (0..1200).map(|seq| line(SEED, seq, "user_message", &data)).collect();
    assert!(text.len() > 20 << 20);
    home.log(SEED, &text);
    let before = home.names();
    let mut seen = (0, 0);
    for round in 0..12 {
        let mut child = role(&[home.path().as_str(), home.path().as_str(), "999999", ""])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(20 + round * 45));
        child.kill().unwrap();
        child.wait().unwrap();
        let path = home.workspace.log_path(&id("child"));
        if path.exists() {
            let lines = plain(&path);
            assert_eq!((lines.len(), lines[1201].seq), (1203, 1201));
            std::fs::remove_file(path).unwrap();
            seen.1 += 1;
        } else {
            seen.0 += 1;
        }
        assert_eq!(home.names(), before, "round {round}");
    }
    assert!(seen.0 > 0, "no round was early enough: {seen:?}");
}
