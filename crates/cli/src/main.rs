//! The `seatfork` command: it parses the command line, runs one verb, and ends with its exit code.
//!
//! Each verb has a module with its arguments and its code. What they share is
//! small: [`args`] names the verbs, [`exit`] the exit codes, [`output`] is the
//! only writer of stdout and stderr.

mod args;
mod completions;
mod env;
mod exit;
mod explain;
mod input;
mod man;
mod output;
mod schema_verb;
mod usage;
mod validate;
mod version;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Verb};
use crate::output::Output;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage::report(&error).into(),
    };
    let mut output = Output::new(cli.global.json, cli.global.color.into());
    let exit = match &cli.verb {
        Verb::Validate(args) => validate::run(args, &mut output),
        Verb::Explain(args) => explain::run(args, &mut output),
        Verb::Schema(args) => schema_verb::run(args, &mut output),
        Verb::Completions(args) => completions::run(args, &mut output),
        Verb::Man(args) => man::run(args, &mut output),
    }
    .unwrap_or_else(|failure| output.failure(&failure));
    output.finish(exit).into()
}
