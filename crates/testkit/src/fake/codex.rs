//! The fake Codex: `exec fork`, `exec resume`, `app-server`, and panes.

mod args;
mod child;
mod headless;
mod pane;
mod parent;
mod server;
mod store;

use std::{env, io, process::ExitCode};

pub use parent::recorded_thread;

use self::{
    args::{Args, Ask},
    store::Store,
};
use super::{
    Phase, Script, Stream, late,
    told::{Told, ended, say},
};

/// Everything an invocation needs to know.
struct Run {
    program: std::path::PathBuf,
    script: Script,
    /// The arguments as they were given.
    raw: Vec<String>,
    args: Args,
    store: Store,
}

impl Run {
    /// What the script has for this invocation, or for what is asked of a server: it is written
    /// down first.
    fn told(&self, phase: Phase, more: &[String]) -> io::Result<Told> {
        let args = self.raw.iter().chain(more).cloned().collect();
        Told::of(self.program.clone(), self.script.clone(), phase, args)
    }
}

/// Runs the fake runtime: the whole `main` of the binary `fake-codex`.
pub fn main() -> ExitCode {
    ended("fake-codex", run())
}

fn run() -> io::Result<ExitCode> {
    let program = env::current_exe()?;
    // Arguments that are no UTF-8 are shown as they can be: the log is JSON.
    let raw: Vec<String> = env::args_os().skip(1).map(|a| a.to_string_lossy().into()).collect();
    if let Some(code) = late::written(&raw)? {
        return Ok(code);
    }
    let script = Told::script(&program, Script::faithful_codex())?;
    let args = match Args::parse(&raw, &script.without_options) {
        Ok(args) => args,
        Err(text) => {
            say(Stream::Stderr, &format!("{text}\n"));
            return Ok(ExitCode::from(2));
        }
    };
    let phase = args.phase();
    let store = Store::here(&script.version)?;
    let run = Run { program, script, raw, args, store };
    let told = run.told(phase, &[])?;
    if let Some(code) = told.acts_before()? {
        return Ok(code);
    }
    match &run.args.ask {
        Ask::Version => {
            let line = format!("codex-cli {}", run.script.version);
            say(Stream::Stdout, run.script.version_line.as_ref().unwrap_or(&line));
            say(Stream::Stdout, "\n");
            Ok(ExitCode::SUCCESS)
        }
        Ask::Help(of) => {
            say(Stream::Stdout, &args::help(of, &run.script.without_options));
            Ok(ExitCode::SUCCESS)
        }
        Ask::Protocol { out } => {
            server::describe(out, &run.script.without_options)?;
            Ok(ExitCode::SUCCESS)
        }
        Ask::ExecFork { id } => headless::fork(&run, &told, id),
        Ask::ExecResume { id, prompt } => headless::turn(&run, id, prompt),
        Ask::Server => server::serve(&run),
        Ask::Resume { .. } | Ask::Fork { .. } | Ask::Fresh => pane::run(&run, &told),
    }
}
