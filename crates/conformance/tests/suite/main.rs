//! The conformance suite, with every adapter of this build: by the fake runtimes, and by each real one that is in
//! `target/e2e` (`SEATFORK_E2E=require` makes it an error when one is not).
#![expect(clippy::unwrap_used, reason = "a subject that cannot be made stops")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a test program tells its results")]

mod logs;
mod pane;
mod subjects;

use std::env;
use std::panic;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use seatfork_conformance::{Bench, Check, SUITE};
use seatfork_testkit::npm::{self, Package};
use seatfork_testkit::offline;

use logs::Logs;
use subjects::{Bed, Kind};

/// What is tested.
#[derive(Clone, Debug)]
struct Candidate {
    /// `claude_code_fake`, `codex_0_171_0`.
    name: String,
    kind: Kind,
    is_real: bool,
    /// The real program, where it is there.
    program: Option<PathBuf>,
}

/// Every candidate: the fakes, the terminal, and each pinned version of each real runtime.
fn candidates() -> Vec<Candidate> {
    let fake = |name: &str, kind| {
        let (name, program) = (name.to_owned(), None);
        Candidate { name, kind, is_real: false, program }
    };
    let mut all = vec![
        fake("claude_code_fake", Kind::Claude),
        fake("codex_fake", Kind::Codex),
        fake("terminal", Kind::Terminal),
        fake("pixir", Kind::Pixir),
    ];
    let mut real = |name: &str, kind, package: &Package| {
        for version in package.versions {
            let program = package.cached(&cache(), version);
            let name = format!("{name}_{}", version.replace('.', "_"));
            all.push(Candidate { name, kind, is_real: true, program });
        }
    };
    real("claude_code", Kind::Claude, &npm::CLAUDE_CODE);
    real("codex", Kind::Codex, &npm::CODEX);
    all
}

/// Whether a check is for a candidate.
fn applies(check: &Check, candidate: &Candidate) -> bool {
    // This build writes session logs itself: no runtime stands between that could be told a misdeed.
    (!check.misdeeds || !(candidate.is_real || candidate.kind == Kind::Pixir))
        && (!check.conversations || candidate.kind != Kind::Terminal)
}

fn cache() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/e2e")
}

#[expect(clippy::disallowed_methods, reason = "the environment of a test program is read here")]
fn required() -> bool {
    env::var("SEATFORK_E2E").is_ok_and(|value| value == "require")
}

fn main() -> ExitCode {
    let candidates = candidates();
    let mut all = Vec::new();
    for candidate in &candidates {
        for check in SUITE.iter().filter(|check| applies(check, candidate)) {
            all.push((format!("{}::{}", candidate.name, check.name), candidate, check));
        }
    }
    // A runner that lists and picks tests sees one a check and candidate; else a filter is the only argument. The
    // other flags of the usual harness mean nothing here.
    if env::args().any(|arg| arg == "--list") {
        if !env::args().any(|arg| arg == "--ignored") {
            for (name, ..) in &all {
                println!("{name}: test");
            }
        }
        return ExitCode::SUCCESS;
    }
    let filter = env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    all.retain(|(name, ..)| name.contains(&filter));
    let mut alone = false;
    if all.iter().any(|(_, candidate, _)| candidate.is_real) {
        alone = match offline::enter_or_say() {
            Ok(()) => true,
            Err(code) if required() => return code,
            Err(_) => false,
        };
    }
    let (mut failed, mut left_out) = (0, 0);
    for (name, candidate, check) in all {
        if candidate.is_real && (candidate.program.is_none() || !alone) {
            if required() {
                eprintln!("{name}: its program is not in {}", cache().display());
                return ExitCode::FAILURE;
            }
            left_out += 1;
            continue;
        }
        let start = Instant::now();
        let outcome = panic::catch_unwind(|| run(candidate, check));
        failed += usize::from(outcome.is_err());
        let word = if outcome.is_ok() { "ok" } else { "FAILED" };
        println!("{name} ... {word} ({:.1} s)", start.elapsed().as_secs_f64());
    }
    println!("{failed} failed, {left_out} left out: no program, or no network of its own");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// One check, with a home made for it.
fn run(candidate: &Candidate, check: &Check) {
    if candidate.kind == Kind::Pixir {
        return (check.run)(&Bench::new(&Logs::new()));
    }
    let trapped = check.name.contains("side_effect");
    let bed = Bed::new(candidate.kind, candidate.program.as_deref(), trapped);
    (check.run)(&Bench::new(&bed));
}
