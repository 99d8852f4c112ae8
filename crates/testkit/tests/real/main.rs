//! The kit against the real runtimes: what it makes is what it says, and what it believes of the
//! real programs is so.
//!
//! `SEATFORK_E2E_CACHE` names the folder with the programs (default: `target/e2e`). Versions
//! that are not there are installed when `SEATFORK_E2E=require`, else left out with a line.
#![expect(clippy::unwrap_used, reason = "a check that cannot go on stops")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a test program tells its results")]

mod checks;
mod codex;

use std::{
    env, panic,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use seatfork_testkit::{
    npm::{self, Package},
    offline,
};

/// The name of a check, and what gets the program's path and panics when its sentence does not hold.
type Check = (&'static str, fn(&Path));

/// A runtime, and what is believed of it.
const RUNTIMES: [(Package, &[Check]); 2] =
    [(npm::CLAUDE_CODE, checks::ALL), (npm::CODEX, codex::ALL)];

/// The name of a check with one version, as a test's: `v2_1_332::a_fork_has_every_tool_result`.
fn of(version: &str, name: &str) -> String {
    format!("v{}::{name}", version.replace('.', "_"))
}

#[expect(clippy::disallowed_methods, reason = "the environment of a test program is read here")]
fn var(name: &str) -> Option<std::ffi::OsString> {
    env::var_os(name)
}

fn main() -> ExitCode {
    let cache = var("SEATFORK_E2E_CACHE").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/e2e"),
        PathBuf::from,
    );
    let required = var("SEATFORK_E2E").is_some_and(|v| v == "require");
    // A runner that lists and picks tests sees one a check and version; else a filter is the only
    // argument. The flags of the usual harness mean nothing here.
    if env::args().any(|arg| arg == "--list") {
        if !env::args().any(|arg| arg == "--ignored") {
            for (package, checks) in RUNTIMES {
                for version in package.versions {
                    for (name, _) in checks {
                        println!("{}: test", of(version, name));
                    }
                }
            }
        }
        return ExitCode::SUCCESS;
    }
    let filter = env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();

    let mut programs = Vec::new();
    for (package, checks) in RUNTIMES {
        for version in package.versions {
            let what = format!("{} {version}", package.product);
            match package.cached(&cache, version) {
                Some(program) => programs.push((version, checks, program)),
                // Before the network is taken away.
                None if required => match package.install(&cache, version) {
                    Ok(program) => programs.push((version, checks, program)),
                    Err(err) => {
                        eprintln!("{what}: {err}");
                        return ExitCode::FAILURE;
                    }
                },
                None => println!("left out: {what} is not in {}", cache.display()),
            }
        }
    }
    if programs.is_empty() {
        return ExitCode::SUCCESS;
    }
    if let Err(code) = offline::enter_or_say() {
        return if required { code } else { ExitCode::SUCCESS };
    }

    let mut failed = 0;
    for (version, checks, program) in &programs {
        for (name, check) in *checks {
            if !of(version, name).contains(&filter) {
                continue;
            }
            let start = Instant::now();
            let outcome = panic::catch_unwind(|| check(program));
            failed += usize::from(outcome.is_err());
            let word = if outcome.is_ok() { "ok" } else { "FAILED" };
            println!("{version} {name} ... {word} ({:.1} s)", start.elapsed().as_secs_f64());
        }
    }
    println!("{failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
