//! The driver against scripts that behave badly.

use crate::support::{Place, block_on, env, plan};
use seatfork_adapters::process::{Finished, RunError, RunOptions, run};
use seatfork_adapters::{Adapter, Binary, NONCE_VAR, ProcessId, ProcessPlan, SeatEnv};
use seatfork_process::{Sent, Signal};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn go(plan: &ProcessPlan, env: &SeatEnv) -> Result<Finished, RunError> {
    let options = RunOptions { grace: Duration::from_millis(300), ..RunOptions::default() };
    block_on(run(plan, env, None, options, async |_| {}))
}

fn sh(script: &str, seconds: u64) -> ProcessPlan {
    plan(&["/bin/sh", "-c", script], seconds)
}

// SPEC 10: row 4, exit code and output of a phase 1 that failed are kept, each stream for itself.
#[test]
fn exit_code_and_both_outputs_are_kept() {
    let done = go(&sh("echo out; echo err >&2; exit 7", 5), &SeatEnv::default()).unwrap();
    assert_eq!(done.output.exit_code, Some(7));
    assert_eq!(done.output.signal, None);
    assert_eq!(done.output.stdout, b"out\n");
    assert_eq!(done.output.stderr, b"err\n");
    assert!(!done.output.timed_out && !done.output.truncated && !done.pipe_held);
    assert!(done.leftovers.is_empty() && done.remarks.is_empty());
}

// SPEC 14: the environment is built: base, minus the plan's unset names, plus the plan's values; nothing of ours leaks in.
#[test]
fn the_environment_is_built_and_the_plans_values_win() {
    let mut plan = plan(&["/usr/bin/env"], 5);
    plan.unset_env = vec!["TOKEN".to_owned(), "KEY".to_owned()];
    plan.set_env = vec![("KEY".to_owned(), "unused".to_owned())];
    let seat = SeatEnv::default().with("HOME", "/h").with("TOKEN", "t").with("KEY", "k");
    let done = go(&plan, &seat).unwrap();
    let mut lines: Vec<&str> = std::str::from_utf8(&done.output.stdout).unwrap().lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["HOME=/h", "KEY=unused"]);
}

// SPEC 6, 14: no key, base URL or proxy that the pane gets, and no name the user adds, reaches a headless command.
#[test]
fn no_credential_of_the_panes_reaches_a_headless_command() {
    let description = seatfork_adapters::claude_code::ClaudeCode.describe();
    let mut caller: BTreeMap<String, String> =
        [("HOME", "/h"), ("MY_TOKEN", "t")].map(|(n, v)| (n.to_owned(), v.to_owned())).into();
    for name in description.pass_vars {
        caller.insert(name.replace('*', "SECRET_ACCESS_KEY"), "s3cret".to_owned());
    }
    let seat = SeatEnv::build(&caller, description.pass_vars, &["MY_TOKEN".to_owned()]);
    assert_eq!(seat.names().count(), caller.len(), "the pane gets them all");
    let seat = seat.with("CLAUDE_CONFIG_DIR", "/c");
    let done = go(&plan(&["/usr/bin/env"], 5), &seat).unwrap();
    let mut lines: Vec<&str> = std::str::from_utf8(&done.output.stdout).unwrap().lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["CLAUDE_CONFIG_DIR=/c", "HOME=/h"]);
}

// SPEC 6: a headless command has nothing on its standard input, its own group and its own directory.
#[test]
fn standard_input_is_empty_and_the_group_is_its_own() {
    let place = Place::new();
    let mut plan = sh("cat; pwd; cut -d' ' -f5 /proc/$$/stat; echo $$", 5);
    plan.cwd.clone_from(&place.path);
    let done = go(&plan, &env(&[("PATH", "/usr/bin:/bin")])).unwrap();
    let text = String::from_utf8(done.output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], place.path);
    assert_eq!(lines[1], lines[2], "the leader's id is its group's");
}

// SPEC 7: who was started is told before anything is waited for, and is that very process.
#[test]
fn the_start_is_told_before_the_end_is_waited_for() {
    let told = Cell::new(None);
    let done = block_on(run(
        &sh("sleep 0.2", 5),
        &env(&[("PATH", "/usr/bin:/bin")]),
        None,
        RunOptions::default(),
        async |who: ProcessId| {
            assert!(who.alive().unwrap());
            told.set(Some(who));
        },
    ))
    .unwrap();
    assert_eq!(told.get(), Some(done.process));
    assert!(done.process.start > 0);
    assert!(!done.process.alive().unwrap());
}

// SPEC 10: row 4, a hang is ended at the deadline, first asked, then made; the whole group goes.
#[test]
fn a_hang_is_ended_at_its_deadline_even_when_it_ignores_the_request() {
    let begun = Instant::now();
    let done = go(
        &sh("trap '' TERM; echo begun; sleep 600 & wait; sleep 600", 1),
        &env(&[("PATH", "/usr/bin:/bin")]),
    )
    .unwrap();
    assert!(done.output.timed_out);
    assert_eq!(done.output.signal, Some(9));
    assert_eq!(done.output.stdout, b"begun\n");
    assert!(done.leftovers.iter().all(|one| one.ended));
    assert!(begun.elapsed() < Duration::from_secs(5));
}

// SPEC 10: row 4, a process that ends when asked is not killed.
#[test]
fn a_process_that_ends_when_asked_says_so() {
    let done = go(
        &sh("trap 'echo bye; exit 5' TERM; while :; do sleep 0.05; done", 1),
        &env(&[("PATH", "/usr/bin:/bin")]),
    )
    .unwrap();
    assert!(done.output.timed_out);
    assert_eq!(done.output.exit_code, Some(5));
    assert_eq!(done.output.stdout, b"bye\n");
}

// SPEC 10: row 4, output has a cap; the rest is counted, and the writer is not stopped by a full pipe.
#[test]
fn a_flood_is_kept_to_its_head_and_counted() {
    let copy = Arc::new(Mutex::new(Vec::new()));
    let options = RunOptions {
        cap: 1000,
        tee_stdout: Some(Box::new(Copy(Arc::clone(&copy)))),
        ..RunOptions::default()
    };
    let script = "yes 0123456789abcde | head -c 8000000; yes e | head -c 3000000 >&2; exit 4";
    let done = block_on(run(
        &sh(script, 30),
        &env(&[("PATH", "/usr/bin:/bin")]),
        None,
        options,
        async |_| {},
    ))
    .unwrap();
    assert_eq!(done.output.exit_code, Some(4));
    assert_eq!((done.output.stdout.len(), done.stdout_bytes), (1000, 8_000_000));
    assert_eq!((done.output.stderr.len(), done.stderr_bytes), (1000, 3_000_000));
    assert!(done.output.truncated);
    assert_eq!(*copy.lock().unwrap(), done.output.stdout);
}

struct Copy(Arc<Mutex<Vec<u8>>>);

impl Write for Copy {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(buf);
        Ok(buf.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

// SPEC 10: row 4, a copy that cannot be written is said, and does not stop the run.
#[test]
fn a_copy_that_cannot_be_written_is_said() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("no space left"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let options = RunOptions { tee_stdout: Some(Box::new(Full)), ..RunOptions::default() };
    let done =
        block_on(run(&sh("echo x", 5), &SeatEnv::default(), None, options, async |_| {})).unwrap();
    assert_eq!(done.output.stdout, b"x\n");
    assert_eq!(done.remarks, ["the copy of its output: no space left"]);
}

// SPEC 10: row 4, a child of the runtime that holds the pipe open does not hold us; a member of the group is ended.
#[test]
fn a_grandchild_that_holds_the_pipe_is_ended_with_the_group() {
    let begun = Instant::now();
    let done = go(&sh("sleep 600 & echo done", 30), &env(&[("PATH", "/usr/bin:/bin")])).unwrap();
    assert_eq!(done.output.exit_code, Some(0));
    assert_eq!(done.output.stdout, b"done\n");
    assert_eq!(done.leftovers.len(), 1);
    assert!(done.leftovers[0].ended && !done.pipe_held);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

// SPEC 7: a process that left the group is found by the launch's nonce and ended; without the mark it is none of ours.
#[test]
fn a_process_that_left_the_group_is_known_by_the_nonce() {
    let place = Place::new();
    let script = format!("setsid sleep 600 & echo $! > {}/pid; sleep 0.1; echo done", place.path);
    for marked in [true, false] {
        let mut plan = sh(&script, 30);
        if marked {
            let nonce = format!("n{}", uuid::Uuid::new_v4().simple());
            plan.set_env = vec![(NONCE_VAR.to_owned(), nonce)];
        }
        let begun = Instant::now();
        let done = go(&plan, &env(&[("PATH", "/usr/bin:/bin")])).unwrap();
        assert_eq!(done.output.stdout, b"done\n");
        assert!(begun.elapsed() < Duration::from_secs(5));
        let pid: u32 =
            std::fs::read_to_string(place.path.join("pid")).unwrap().trim().parse().unwrap();
        let left = seatfork_process::entry(pid).unwrap().filter(|one| !one.ended);
        if marked {
            assert_eq!(done.leftovers.len(), 1);
            assert!(done.leftovers[0].ended && left.is_none());
        } else {
            assert!(done.pipe_held, "somebody still holds the pipe, and that is said");
            assert_eq!(left.unwrap().id.signal(Signal::Kill).unwrap(), Sent::Yes);
        }
    }
}

// SPEC 10: row 4, a runtime that dies by a signal is told apart from one that exits.
#[test]
fn death_by_signal_is_told_apart_from_an_exit() {
    let done = go(&sh("kill -SEGV $$", 5), &SeatEnv::default()).unwrap();
    assert_eq!((done.output.exit_code, done.output.signal), (None, Some(11)));
    assert!(!done.output.timed_out);
}

// SPEC 6: the binary is looked at again at spawn; another file, another length, or none is `binary-changed`, and nothing starts.
// code: binary-changed
#[test]
fn a_binary_that_changed_since_the_probe_is_not_started() {
    let place = Place::new();
    let path = place.script("tool", "touch started");
    let stamp = seatfork_adapters::binary::stamp_of(&path).unwrap();
    let binary = Binary {
        path: path.clone(),
        device: stamp.device,
        inode: stamp.inode,
        stamp: stamp.stamp,
        version: "1".to_owned(),
        abilities: Vec::new(),
    };
    let mut plan = plan(&[path.as_str()], 5);
    plan.cwd.clone_from(&place.path);
    let attempt = || {
        block_on(run(
            &plan,
            &SeatEnv::default(),
            Some(&binary),
            RunOptions::default(),
            async |_| {},
        ))
    };
    place.script("tool", "touch started # updated");
    assert_eq!(attempt().unwrap_err().code(), "binary-changed");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(attempt().unwrap_err().code(), "binary-changed");
    assert!(!place.path.join("started").exists());
}

// SPEC 14: a program is started by absolute path only; a missing program or directory is an error with its path.
// code: plan-inconsistent, phase1-not-started
#[test]
fn what_cannot_be_started_is_named() {
    assert_eq!(go(&plan(&["sh"], 5), &SeatEnv::default()).unwrap_err().code(), "plan-inconsistent");
    assert_eq!(go(&plan(&[], 5), &SeatEnv::default()).unwrap_err().code(), "plan-inconsistent");
    let failed = go(&plan(&["/no/such/tool"], 5), &SeatEnv::default()).unwrap_err();
    assert_eq!(failed.code(), "phase1-not-started");
    assert!(failed.to_string().contains("/no/such/tool"));
    let mut nowhere = sh("true", 5);
    nowhere.cwd = "/no/such/directory".into();
    assert_eq!(go(&nowhere, &SeatEnv::default()).unwrap_err().code(), "phase1-not-started");
}

// SPEC 7: a run that is given up ends what it started.
#[test]
fn a_run_that_is_given_up_leaves_nothing_running() {
    let told = Cell::new(None);
    let outcome = block_on(async {
        let plan = sh("sleep 600", 600);
        let env = env(&[("PATH", "/usr/bin:/bin")]);
        let running = run(&plan, &env, None, RunOptions::default(), async |who: ProcessId| {
            told.set(Some(who));
        });
        tokio::time::timeout(Duration::from_millis(200), running).await.map(drop)
    });
    assert!(outcome.is_err());
    let who = told.get().unwrap();
    let limit = Instant::now() + Duration::from_secs(2);
    while who.alive().unwrap() && Instant::now() < limit {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(!who.alive().unwrap());
}
