//! `cargo xtask verify`: every gate there is, one after the other, with a timed table at the end.
//!
//! A step that fails stops no other step; what failed is said again after the table. What could not be
//! checked on this machine is counted and named, never passed over.

mod compiled;
mod deny;
mod layering;
mod rooms;
mod snapshots;
mod tidy;
mod wording;

use std::time::{Duration, Instant};

pub(crate) use self::compiled::{outcome_of, with_snapshots_held};
use crate::args::Args;
use crate::failure::{Failure, Finding};
use crate::workspace::Workspace;
use crate::{codegen, e2e, traceability};

/// What a step came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything was checked and is right.
    Passed,
    /// What was checked is right; these parts could not be checked.
    PassedBut(Vec<String>),
    /// Nothing could be checked, for this reason.
    Skipped(String),
    /// This is wrong.
    Failed(Vec<String>),
}

impl Outcome {
    fn of_findings(findings: &[Finding]) -> Self {
        if findings.is_empty() {
            Self::Passed
        } else {
            Self::Failed(findings.iter().map(ToString::to_string).collect())
        }
    }
}

/// A step that ended.
#[derive(Debug)]
struct Finished {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

/// One gate.
struct Step {
    name: &'static str,
    /// Whether `--quick` runs it: it runs no test and builds no documentation.
    quick: bool,
    run: fn(&Workspace, &[Finished]) -> Result<Outcome, Failure>,
}

/// The gates in the order in which they run: what is quick to fail first, snapshots once all tests ran.
const STEPS: &[Step] = &[
    Step { name: "fmt", quick: true, run: |workspace, _| compiled::fmt(workspace) },
    Step {
        name: "tidy",
        quick: true,
        run: |workspace, _| found(tidy::check(workspace, &codegen::paths(workspace)?)),
    },
    Step { name: "wording", quick: true, run: |workspace, _| found(wording::check(workspace)) },
    Step { name: "rooms", quick: true, run: |workspace, _| found(rooms::check(workspace)) },
    Step { name: "layering", quick: true, run: |workspace, _| found(layering::check(workspace)) },
    Step {
        name: "traceability",
        quick: true,
        run: |workspace, _| found(traceability::check(workspace)),
    },
    Step { name: "clippy", quick: true, run: |workspace, _| compiled::clippy(workspace) },
    Step { name: "generated", quick: true, run: |workspace, _| found(codegen::check(workspace)) },
    Step { name: "rustdoc", quick: false, run: |workspace, _| compiled::rustdoc(workspace) },
    Step { name: RUNTIMES, quick: false, run: |workspace, _| e2e::runtimes_step(workspace) },
    Step { name: TESTS, quick: false, run: |workspace, _| compiled::tests(workspace) },
    Step { name: "doctests", quick: false, run: |workspace, _| compiled::doctests(workspace) },
    Step { name: E2E, quick: false, run: |workspace, _| e2e::step(workspace) },
    Step { name: "snapshots", quick: false, run: snapshots::check },
    Step { name: "deny", quick: false, run: |workspace, _| deny::check(workspace) },
];

const RUNTIMES: &str = "runtimes";
const TESTS: &str = "tests";
const E2E: &str = "e2e";

/// The outcome of a check of the sources, each finding said as it is handed in.
fn found(findings: Result<Vec<Finding>, Failure>) -> Result<Outcome, Failure> {
    let findings = findings?;
    for finding in &findings {
        println!("{finding}");
    }
    Ok(Outcome::of_findings(&findings))
}

/// Which steps are to run.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    quick: bool,
    only: Vec<String>,
}

impl Choice {
    /// Reads `[--quick] [--only STEP]...`.
    pub(crate) fn parse(mut args: Args) -> Result<Self, Failure> {
        let quick = args.flag("--quick");
        let mut only = Vec::new();
        while let Some(name) = args.value("--only")? {
            if !STEPS.iter().any(|step| step.name == name) {
                let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
                return Err(Failure::Usage(format!(
                    "there is no step `{name}`; there are {}",
                    names.join(", ")
                )));
            }
            only.push(name);
        }
        args.finish()?;
        Ok(Self { quick, only })
    }

    fn includes(&self, step: &Step) -> bool {
        if self.only.is_empty() {
            step.quick || !self.quick
        } else {
            self.only.iter().any(|name| name == step.name)
        }
    }
}

/// Runs the chosen steps; `true` when none of them failed.
pub(crate) fn run(workspace: &Workspace, choice: &Choice) -> Result<bool, Failure> {
    snapshots::forget_references(workspace)?;
    let mut finished: Vec<Finished> = Vec::new();
    for step in STEPS.iter().filter(|step| choice.includes(step)) {
        println!("\n== {} ==", step.name);
        let start = Instant::now();
        // A gate that cannot do its work is a gate that did not pass; the next ones still run.
        let outcome = (step.run)(workspace, &finished)
            .unwrap_or_else(|failure| Outcome::Failed(vec![failure.to_string()]));
        print!("{}", told(&outcome));
        finished.push(Finished { name: step.name, outcome, took: start.elapsed() });
    }
    print!("\n{}", summary(&finished));
    Ok(!finished.iter().any(|step| matches!(step.outcome, Outcome::Failed(_))))
}

/// What is said right after a step.
fn told(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Passed => "passed\n".to_owned(),
        Outcome::PassedBut(parts) => format!("passed; not checked: {}\n", parts.join("; ")),
        Outcome::Skipped(why) => format!("skipped: {why}\n"),
        Outcome::Failed(_) => "FAILED\n".to_owned(),
    }
}

/// The timed table, what was skipped, and every failure again.
fn summary(finished: &[Finished]) -> String {
    let mut lines = Vec::new();
    let mut skipped = Vec::new();
    let (mut passed, mut failed) = (0, 0);
    for Finished { name, outcome, took } in finished {
        let word = match outcome {
            Outcome::Passed => "passed",
            Outcome::PassedBut(parts) => {
                skipped.extend(parts.iter().map(|part| format!("skipped: {name}: {part}")));
                "passed"
            }
            Outcome::Skipped(why) => {
                skipped.push(format!("skipped: {name}: {why}"));
                "skipped"
            }
            Outcome::Failed(_) => "FAILED",
        };
        passed += usize::from(word == "passed");
        failed += usize::from(word == "FAILED");
        lines.push(format!("{name:<14}{word:<9}{:>8.1} s", took.as_secs_f64()));
    }
    let total: Duration = finished.iter().map(|step| step.took).sum();
    lines.push(format!("{:<23}{:>8.1} s", "total", total.as_secs_f64()));
    // Worded so that nobody, a machine included, takes steps for tests.
    let counts = format!("\nverify: passed {passed}, failed {failed}, skipped {}\n", skipped.len());
    lines.extend(skipped);
    for Finished { name, outcome, .. } in finished {
        if let Outcome::Failed(why) = outcome {
            lines.push(format!("\n{name} failed:\n{}", why.join("\n")));
        }
    }
    lines.push(counts);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(choice: &Choice) -> Vec<&'static str> {
        STEPS.iter().filter(|step| choice.includes(step)).map(|step| step.name).collect()
    }

    #[test]
    fn all_steps_run_unless_told_otherwise_and_quick_ones_run_no_test() {
        assert_eq!(names(&Choice::parse(Args::new(&[])).unwrap()).len(), STEPS.len());
        let quick = names(&Choice::parse(Args::new(&["--quick"])).unwrap());
        assert!(quick.contains(&"clippy"));
        assert!([RUNTIMES, TESTS, E2E].iter().all(|step| !quick.contains(step)));
        let position = |step| STEPS.iter().position(|one| one.name == step);
        assert!(position(RUNTIMES) < position(TESTS), "tests of single crates start runtimes too");
        let only = Choice::parse(Args::new(&["--only", "e2e", "--only", "fmt"])).unwrap();
        assert_eq!(names(&only), ["fmt", "e2e"]);
    }

    #[test]
    fn a_step_that_does_not_exist_is_refused_with_those_that_do() {
        let refused = Choice::parse(Args::new(&["--only", "speed"])).unwrap_err();
        assert!(refused.to_string().contains("fmt, tidy"), "{refused}");
    }

    #[test]
    fn the_summary_counts_what_was_skipped_and_repeats_what_failed() {
        let step = |name, outcome| Finished { name, outcome, took: Duration::from_millis(1500) };
        let text = summary(&[
            step("fmt", Outcome::Passed),
            step("tests", Outcome::Failed(vec!["a.rs:1: wrong".to_owned()])),
            step("snapshots", Outcome::PassedBut(vec!["unreferenced ones".to_owned()])),
            step("e2e", Outcome::Skipped("npm is not installed".to_owned())),
        ]);
        assert_eq!(
            text,
            "fmt           passed        1.5 s\n\
             tests         FAILED        1.5 s\n\
             snapshots     passed        1.5 s\n\
             e2e           skipped       1.5 s\n\
             total                       6.0 s\n\
             skipped: snapshots: unreferenced ones\n\
             skipped: e2e: npm is not installed\n\
             \n\
             tests failed:\n\
             a.rs:1: wrong\n\
             \n\
             verify: passed 2, failed 1, skipped 2\n"
        );
    }
}
