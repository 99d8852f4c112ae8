//! `seatfork completions`: a completion script for a shell (SPEC 13).

use clap::CommandFactory as _;
use clap_complete::Shell;
use serde::Serialize;

use crate::args::Cli;
use crate::exit::Exit;
use crate::output::{Failure, Output, SCHEMA_VERSION};

/// The arguments of `completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

#[derive(Debug, Serialize)]
struct Object<'o> {
    schema_version: u32,
    ok: bool,
    shell: String,
    script: &'o str,
}

#[expect(clippy::unnecessary_wraps, reason = "every verb answers alike")]
pub(crate) fn run(args: &CompletionsArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "seatfork", &mut script);
    let script = String::from_utf8_lossy(&script);
    if output.is_json() {
        let shell = args.shell.to_string();
        output.object(&Object { schema_version: SCHEMA_VERSION, ok: true, shell, script: &script });
    } else {
        output.data(&script);
    }
    Ok(Exit::Ok)
}
