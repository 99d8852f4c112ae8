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
