//! `install-runtimes FOLDER`: the real runtimes of the end-to-end tests, from npm, kept by version.
//!
//! Every pinned version, or the one `SEATFORK_E2E_VERSION` names. What is there already is not
//! asked for again. A version that npm does not offer is said and left out; the others must come.

use std::{
    error::Error,
    io::{self, Write as _},
    path::Path,
    process::ExitCode,
};

use seatfork_testkit::npm::{self, CLAUDE_CODE_VERSIONS, NpmError};

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
    let versions = match &asked {
        Some(version) => vec![version.as_str()],
        None => CLAUDE_CODE_VERSIONS.to_vec(),
    };
    let mut installed = 0;
    for version in versions {
        match npm::claude_code(Path::new(&folder), version) {
            Ok(program) => {
                installed += 1;
                say(&format!("Claude Code {version}: {}", program.display()));
            }
            Err(error) if asked.is_none() && error.is_not_offered() => {
                say(&format!("Claude Code {version} is left out, npm does not offer it: {error}"));
            }
            Err(error) => return Err(told(&error)),
        }
    }
    if installed == 0 {
        return Err("no version of Claude Code could be had from npm".into());
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
