//! The fake Claude Code's `main`.

use std::{env, io, ops::Deref, process::ExitCode};

use super::{
    Phase, Script, Stream,
    args::{self, Args},
    headless, late, pane,
    store::Store,
    told::{Told, ended, say},
};

/// Everything an invocation needs to know.
pub(super) struct Run {
    told: Told,
    pub(super) args: Args,
    pub(super) store: Store,
}

impl Deref for Run {
    type Target = Told;

    fn deref(&self) -> &Told {
        &self.told
    }
}

/// Runs the fake runtime: the whole `main` of the binary `fake-claude`.
pub fn main() -> ExitCode {
    ended("fake-claude", run())
}

fn run() -> io::Result<ExitCode> {
    let program = env::current_exe()?;
    // Arguments that are no UTF-8 are shown as they can be: the log is JSON.
    let raw: Vec<String> = env::args_os().skip(1).map(|a| a.to_string_lossy().into()).collect();
    if let Some(code) = late::written(&raw)? {
        return Ok(code);
    }
    let script = Told::script(&program, Script::faithful())?;
    let args = match Args::parse(&raw, &script.without_options) {
        Ok(args) => args,
        Err(text) => {
            say(Stream::Stderr, &format!("{text}\n"));
            return Ok(ExitCode::from(1));
        }
    };
    let phase = args.phase();
    let told = Told::of(program, script, phase, raw)?;
    let store = Store::here(&told.script.version)?;
    let run = Run { told, args, store };
    if let Some(code) = run.acts_before()? {
        return Ok(code);
    }
    match phase {
        Phase::Version => {
            let line = format!("{} (Claude Code)", run.script.version);
            say(Stream::Stdout, run.script.version_line.as_ref().unwrap_or(&line));
            say(Stream::Stdout, "\n");
            Ok(ExitCode::SUCCESS)
        }
        Phase::Help => {
            let text = args::help(&run.script.without_options);
            say(Stream::Stdout, &text.replace("MODES", args::modes(&run.script.version)));
            Ok(ExitCode::SUCCESS)
        }
        Phase::Fork | Phase::Fresh | Phase::Turn => headless::run(&run),
        Phase::Pane => pane::run(&run),
        Phase::Server => Err(io::Error::other("it has no server")),
    }
}
