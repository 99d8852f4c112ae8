//! Ctrl-C and death on the way (SPEC 7).

use std::time::{Duration, Instant};

use rustix::process::Signal;
use seatfork_testkit::fake::{Act, Phase, Script};
use serde_json::json;

use crate::claude::Claude;
use crate::rig::{Rig, seat};

/// Waits until the runtime was asked for this many forks.
fn until_forking(claude: &Claude, forks: usize) {
    let until = Instant::now() + Duration::from_secs(20);
    while claude.fake.asked(Phase::Fork).len() < forks {
        assert!(Instant::now() < until, "no fork began");
        std::thread::sleep(Duration::from_millis(20));
    }
}

// SPEC 7, 13: the first Ctrl-C stops starting, lets what runs end, records it, and exits 130 with the summary.
#[test]
fn the_first_ctrl_c_ends_in_order() {
    let claude = Claude::new();
    let rig = Rig::named("review").fork("reviewer", &claude.parent.id);
    claude.rig(&rig.fork("second", &claude.parent.id));
    claude.fake.script(&Script::faithful().on(Phase::Fork, [Act::Slow { ms: 1500 }]));
    let up = claude.start(["up", "--json", "--jobs", "1", "work/rig.yaml"]);
    until_forking(&claude, 1);
    up.signal(Signal::INT);
    let ended = up.wait().exits(130);
    let report = ended.json();
    assert_eq!(report["ok"], false);
    assert_eq!(seat(&report, "second")["error"]["code"], "interrupted", "{ended}");
    assert_eq!(claude.fake.asked(Phase::Fork).len(), 1, "the second was not started");
    claude.fake.script(&Script::faithful());
    let again = claude.run(["up", "--json", "work/rig.yaml"]).exits(0).json();
    assert_eq!(seat(&again, "second")["continuity_outcome"], "forked");
}

/// Waits until the runtime was asked for its version.
fn until_probed(claude: &Claude) {
    let until = Instant::now() + Duration::from_secs(20);
    while claude.fake.asked(Phase::Version).is_empty() {
        assert!(Instant::now() < until, "no probe began");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until a process that was told to end is not there any more, or only still to be collected.
fn until_gone(pid: u32) {
    let until = Instant::now() + Duration::from_secs(5);
    let stat = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    while !stat().is_empty() && !stat().contains(") Z ") {
        assert!(Instant::now() < until, "process {pid} still runs: {}", stat());
        std::thread::sleep(Duration::from_millis(20));
    }
}

// SPEC 7, 13: Ctrl-C while the binaries are still looked at ends in order too: 130, said, and nothing was begun.
// code: interrupted
#[test]
fn a_ctrl_c_before_anything_is_begun_is_said() {
    for (signal, json, verb) in [
        (Signal::INT, true, "up"),
        (Signal::TERM, false, "up"),
        (Signal::HUP, true, "up"),
        (Signal::INT, true, "plan"),
        (Signal::INT, false, "doctor"),
    ] {
        let claude = Claude::new();
        claude.one_fork();
        claude.fake.script(&Script::faithful().on(Phase::Version, [Act::Hang { stubborn: true }]));
        let begun = Instant::now();
        let args = [verb, "work/rig.yaml", "--json"];
        let up = claude.start(if json { &args[..] } else { &args[..2] });
        until_probed(&claude);
        up.signal(signal);
        let ended = up.wait().exits(130);
        assert!(begun.elapsed() < Duration::from_secs(5), "it waited for the probe");
        for probe in claude.fake.asked(Phase::Version) {
            until_gone(probe.pid);
        }
        if json {
            assert_eq!(ended.json()["code"], "interrupted", "{ended}");
        } else {
            assert!(ended.stderr().contains("nothing was started"), "{ended}");
        }
        assert!(claude.fake.asked(Phase::Fork).is_empty());
    }
}

// SPEC 7: a Ctrl-C that the caller had ignored, as for a job in the background, stays ignored.
#[test]
fn a_ctrl_c_that_was_ignored_on_entry_stays_so() {
    let claude = Claude::new();
    claude.one_fork();
    claude.fake.script(&Script::faithful().on(Phase::Version, [Act::Slow { ms: 700 }]));
    let mut sh = claude.command("sh");
    let line = "trap '' INT; exec \"$0\" up --json work/rig.yaml";
    sh.args(["-c", line, env!("CARGO_BIN_EXE_seatfork")]);
    let up = claude.start_command(sh, "sh");
    until_probed(&claude);
    up.signal(Signal::INT);
    assert_eq!(seat(&up.wait().exits(0).json(), "reviewer")["continuity_outcome"], "forked");
}

// SPEC 7, 13: an interrupted `down` leaves the seats alone whose turn has not come, says so, and retires none.
#[test]
fn an_interrupted_down_leaves_the_rest_alone() {
    let env = crate::rig::place();
    let stubborn = env.write(
        "stubborn",
        "#!/bin/sh\ntrap '' HUP TERM\necho >../started\nwhile :; do sleep 0.1; done\n",
    );
    std::fs::set_permissions(&stubborn, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let mut env = env;
    env.set("SHELL", &stubborn);
    Rig::named("shells").shell("a", ".").shell("b", ".").write(&env, "work/rig.yaml");
    drop(env.run(["up", "work/rig.yaml"]).exits(0));
    let begun = Instant::now();
    while !env.root().join("started").exists() {
        assert!(begun.elapsed() < Duration::from_secs(10), "the program did not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    let down = env.start(["down", "--forget", "--json"]);
    std::thread::sleep(Duration::from_secs(1));
    down.signal(Signal::INT);
    let report = down.wait().exits(130).json();
    let (a, b) = (&report["seats"][0], &report["seats"][1]);
    assert_eq!((&a["action"], &b["action"]), (&json!("stopped"), &json!("skipped")), "{report:#}");
    assert_eq!(b["error"]["code"], "interrupted");
    assert!([a, b].iter().all(|seat| seat["retired"] == false), "{report:#}");
    assert_eq!(seat(&env.run(["ps", "--json"]).json(), "b")["process_state"], "ready");
    drop(env.run(["down", "--forget"]).exits(0));
}

// SPEC 7: the second Ctrl-C ends the command at once; the next `up` finds what was left, and nothing is doubled.
#[test]
fn the_second_ctrl_c_ends_at_once() {
    let claude = Claude::new();
    claude.one_fork();
    claude.fake.script(&Script::faithful().on(Phase::Fork, [Act::Slow { ms: 4000 }]));
    let up = claude.start(["up", "work/rig.yaml"]);
    until_forking(&claude, 1);
    up.signal(Signal::INT);
    std::thread::sleep(Duration::from_millis(300));
    let asked = Instant::now();
    up.signal(Signal::INT);
    drop(up.wait().exits(130));
    assert!(asked.elapsed() < Duration::from_secs(2), "not at once: {:?}", asked.elapsed());
    claude.fake.script(&Script::faithful());
    let again = seat(&claude.run(["up", "--json", "work/rig.yaml"]).exits(0).json(), "reviewer");
    assert_eq!(again["process_state"], "ready");
    let lineage = claude.run(["lineage", "--json"]).exits(0).json();
    assert_eq!(lineage["edges"].as_array().unwrap().len(), 1, "{lineage}");
}

// SPEC 7: killed at a point of the launch, the next `up` finishes it or begins anew: nothing lost, nothing doubled.
#[test]
fn a_launch_that_was_killed_is_finished_by_the_next_up() {
    for (point, attempts) in [
        ("after-declared", 2),
        ("after-phase1", 1),
        ("after-proof", 1),
        ("after-realized", 1),
        ("after-pane", 1),
    ] {
        let mut claude = Claude::new();
        claude.one_fork();
        claude.set("SEATFORK_CRASH_AT", point);
        let killed = claude.run(["up", "work/rig.yaml"]);
        assert_eq!(killed.status().code(), None, "{point}: {killed}");
        claude.unset("SEATFORK_CRASH_AT");
        let again =
            seat(&claude.run(["up", "--json", "work/rig.yaml"]).exits(0).json(), "reviewer");
        let facts = [&again["attempt"], &again["process_state"], &again["launch_state"]];
        assert_eq!(
            facts,
            [&json!(attempts), &json!("ready"), &json!("realized")],
            "{point}: {again:#}"
        );
        assert_eq!(claude.fake.asked(Phase::Fork).len(), 1, "{point}");
        drop(claude.run(["verify"]).exits(0));
    }
}
