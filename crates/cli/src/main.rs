//! The `seatfork` command: it parses the command line, runs one verb, and ends with its exit code.
//!
//! Each verb has a module with its arguments and its code. What they share:
//! [`args`] names the verbs, [`mod@env`] reads the environment once, [`places`]
//! says where things are kept, [`ground`] puts together what launches stand
//! on, [`show`] turns reports into text, [`exit`] holds the exit codes, and
//! [`output`] is the only writer of stdout.

mod args;
mod attach;
mod clock;
mod completions;
mod crash;
mod doctor;
mod down;
mod env;
mod exec;
mod exit;
mod explain;
mod failing;
mod foresee;
mod ground;
mod input;
mod lineage;
mod log;
mod man;
mod naming;
mod output;
mod places;
mod plan;
mod progress;
mod ps;
mod reconcile;
mod rig_args;
mod schema_verb;
mod sessions;
mod show;
mod spec_file;
mod up;
mod usage;
mod validate;
mod verify;
mod version;
mod wait;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Verb};
use crate::env::Environment;
use crate::output::Output;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage::report(&error).code().into(),
    };
    let env = Environment::read();
    let mut output = Output::new(cli.global.json, cli.global.color.into());
    let exit = match &cli.verb {
        Verb::Validate(args) => validate::run(args, &mut output),
        Verb::Explain(args) => explain::run(args, &mut output),
        Verb::Schema(args) => schema_verb::run(args, &mut output),
        Verb::Plan(args) => plan::run(args, &env, &mut output),
        Verb::Sessions(args) => sessions::run(args, &env, &mut output),
        Verb::Up(args) => up::run(args, &env, &mut output),
        Verb::Down(args) => down::run(args, &env, &mut output),
        Verb::Ps(args) => ps::run(args, &env, &mut output),
        Verb::Attach(args) => attach::run(args, &env, &mut output),
        Verb::Lineage(args) => lineage::run(args, &env, &mut output),
        Verb::Log(args) => log::run(args, &env, &mut output),
        Verb::Verify(args) => verify::run(args, &env, &mut output),
        Verb::Reconcile(args) => reconcile::run(args, &env, &mut output),
        Verb::Doctor(args) => doctor::run(args, &env, &mut output),
        Verb::Completions(args) => completions::run(args, &mut output),
        Verb::Man(args) => man::run(args, &mut output),
    }
    .unwrap_or_else(|failure| output.failure(&failure));
    output.finish(exit).code().into()
}
