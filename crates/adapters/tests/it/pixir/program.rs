//! A program called `pixir`, where one is installed.

use super::home::{Home, SEED, embedded, nothing};
use crate::support::{Place, block_on, env};
use seatfork_adapters::pixir::Pixir;
use seatfork_adapters::{Adapter, Binary, Observation, PaneStart, ProbeError, ProcessPlan};
use seatfork_schema::{Proof, ProvedChild, SeatToken};
use std::process::{Child, Stdio};

fn installed(place: &Place, body: &str) -> Result<Binary, ProbeError> {
    place.script("bin/pixir", body);
    let path = place.path.join("bin");
    block_on(Pixir.probe(&env(&[("PATH", path.as_str())]), "/nowhere".into()))
}

fn token(home: &Home) -> SeatToken {
    SeatToken::realize(&ProvedChild::fresh(home.id(SEED), Proof::new_id("")).unwrap())
}

fn pane(home: &Home, binary: &Binary, permission: Option<&str>) -> ProcessPlan {
    Pixir.pane(&home.wish(permission), binary, PaneStart::Resume(&token(home))).unwrap()
}

// SPEC 6: without a program this build answers, and a seat needs no process.
#[test]
fn without_a_program_this_build_answers() {
    let home = Home::new();
    let own = embedded();
    assert!(!Pixir.needs_process(&own));
    assert_eq!(own.path, std::env::current_exe().unwrap().canonicalize().unwrap());
    assert!(own.version.starts_with("seatfork "), "{}", own.version);
    let refused = Pixir.pane(&home.wish(None), &own, PaneStart::Resume(&token(&home))).unwrap_err();
    assert_eq!(refused.code, "plan-inconsistent");
}

// SPEC 6: with a program the pane runs its plain resume in the log's own workspace, with the policy's flag.
#[test]
fn a_pane_resumes_the_seats_own_log() {
    let home = Home::new();
    let place = Place::new();
    let binary = installed(&place, "echo 0.1.12").unwrap();
    assert!(Pixir.needs_process(&binary));
    assert_eq!(binary.version, "0.1.12");
    for (policy, flag) in [
        (None, "--ask"),
        (Some("builtin:locked"), "--read-only"),
        // Less than the policy allows, never more.
        (Some("builtin:open"), "--ask"),
    ] {
        let plan = pane(&home, &binary, policy);
        assert_eq!(plan.argv[1..], [flag, "resume", SEED], "{policy:?}");
        assert_eq!(plan.cwd, home.cwd());
        let shown = Pixir.permission_flags(&home.wish(policy), &binary).unwrap();
        assert_eq!(shown.last().map(String::as_str), Some(flag));
    }
    assert!(Pixir.pane(&home.wish(None), &binary, PaneStart::Fresh).is_err());
}

// SPEC 14: a program of that name that answers with something else, or lies in the rig, is not run as one.
#[test]
fn a_program_that_is_no_pixir_is_not_taken_for_one() {
    let place = Place::new();
    assert!(matches!(installed(&place, "echo hello"), Err(ProbeError::Strange { .. })));
    let path = place.path.join("bin");
    let path = env(&[("PATH", path.as_str())]);
    let inside = block_on(Pixir.probe(&path, &place.path)).unwrap();
    assert!(!Pixir.needs_process(&inside), "one of the rig's own tree");
}

/// A pane's process that ends with its test.
struct Pane(Child);

impl Drop for Pane {
    fn drop(&mut self) {
        // Already gone is as good.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

// SPEC 6: which conversation a pane serves is told by its own process.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test is the pane, which starts the program")]
fn a_pane_serves_what_its_process_was_started_for() {
    let home = Home::new();
    let place = Place::new();
    let binary =
        installed(&place, "[ \"$1\" = --version ] && echo 0.1.12 && exit\nread line").unwrap();
    let plan = pane(&home, &binary, None);
    let started = std::process::Command::new(&plan.argv[0])
        .args(&plan.argv[1..])
        .current_dir(&plan.cwd)
        .stdin(Stdio::piped())
        .spawn();
    let mut pane = Pane(started.unwrap());
    let id = seatfork_process::entry(pane.0.id()).unwrap().unwrap().id;
    let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
    let serving = loop {
        // The script's own name stands in its words once its interpreter runs.
        match block_on(Pixir.observe(id, &nothing())) {
            Observation::Unknown if std::time::Instant::now() < until => {}
            seen => break seen,
        }
    };
    let expected = Observation::Serving { conversation: home.id(SEED), ready: true };
    assert_eq!(serving, expected);
    pane.0.kill().unwrap();
    pane.0.wait().unwrap();
    assert_eq!(block_on(Pixir.observe(id, &nothing())), Observation::Gone);
}
