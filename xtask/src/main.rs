//! Project tasks, run as `cargo xtask TASK`: parse, one match, one module per task.
//!
//! ```text
//! verify [--quick] [--only STEP]...        every gate, with a timed table at the end
//! vectors [--binary PATH] FILE...          runs spec vectors through `seatfork validate`
//! traceability                             writes docs/traceability.md
//! codegen [--check]                        writes, or compares, every generated file
//! e2e [--group N] [--version V]            the real-runtime tests, in a loopback-only network
//! ```
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the terminal")]

mod args;
mod base64;
mod codegen;
mod e2e;
mod exceptions;
mod failure;
mod process;
mod rust_text;
mod traceability;
mod vectors;
mod verify;
mod workspace;

use std::process::ExitCode;

use crate::args::Args;
use crate::failure::Failure;
use crate::workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask <task>
  verify [--quick] [--only STEP]...   every gate, with a timed table at the end
  vectors [--binary PATH] FILE...     runs spec vectors through `seatfork validate`
  traceability                        writes docs/traceability.md
  codegen [--check]                   writes, or compares, every generated file
  e2e [--group N] [--version V]       the real-runtime tests, in a loopback-only network";

fn main() -> ExitCode {
    match task() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure @ Failure::Usage(_)) => {
            eprintln!("error: {failure}\n{USAGE}");
            ExitCode::from(2)
        }
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the task the command line names; `false` says that it ran and found something wrong.
fn task() -> Result<bool, Failure> {
    let (name, mut args) = Args::from_command_line()?;
    let workspace = Workspace::find()?;
    match name.as_str() {
        "verify" => verify::run(&workspace, &verify::Choice::parse(args)?),
        "vectors" => vectors::run(&workspace, args),
        "traceability" => {
            args.finish()?;
            codegen::write(&workspace, &[codegen::TRACEABILITY])
        }
        "codegen" => {
            let check = args.flag("--check");
            args.finish()?;
            if check {
                codegen::check_and_print(&workspace)
            } else {
                codegen::write(&workspace, &[])
            }
        }
        "e2e" => e2e::run(&workspace, args),
        other => Err(Failure::Usage(format!("there is no task `{other}`"))),
    }
}
