//! `install-runtimes FOLDER`: the real runtimes of the end-to-end tests, from npm, kept by version.
//!
//! Every pinned version of each; of the runtime that `SEATFORK_E2E_VERSION` names a version of
//! (`2.1.197`, `codex@0.171.0`) that one. What is there already is not asked for again. A pinned
//! version that npm does not offer is said and left out, as long as one of its runtime is had.

use std::{
    error::Error,
    io::{self, Write as _},
    path::Path,
    process::ExitCode,
};

use seatfork_testkit::npm::{self, NpmError, Package};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            say(&text);
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut args = std::env::args_os().skip(1);
    let (Some(folder), None) = (args.next(), args.next()) else {
        return Err("usage: install-runtimes FOLDER".into());
    };
    #[expect(clippy::disallowed_methods, reason = "the one place of this program that may")]
    let asked = std::env::var("SEATFORK_E2E_VERSION").ok();
    for package in npm::ALL {
        installed(&package, Path::new(&folder), asked.as_deref())?;
    }
    Ok(())
}

/// Installs a runtime in every wanted version; the error says what could not be had.
fn installed(package: &Package, folder: &Path, asked: Option<&str>) -> Result<(), String> {
    let product = package.product;
    let mut installed = 0;
    for version in package.wanted(asked) {
        match package.install(folder, version) {
            Ok(program) => {
                installed += 1;
                say(&format!("{product} {version}: {}", program.display()));
            }
            Err(error) if package.versions.contains(&version) && error.is_not_offered() => {
                say(&format!("{product} {version} is left out, npm does not offer it: {error}"));
            }
            Err(error) => return Err(told(&error)),
        }
    }
    if installed == 0 {
        return Err(format!("no version of {product} could be had from npm"));
    }
    Ok(())
}

fn told(error: &NpmError) -> String {
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("cannot {error}{cause}")
}

/// With stderr gone there is nobody left to tell; the exit code still says it.
fn say(text: &str) {
    writeln!(io::stderr(), "install-runtimes: {text}").ok();
}
