//! `seatfork sessions`: prior conversations, and whether each can be forked (SPEC 12, 13). Changes nothing.

mod find;
mod list;
mod print_spec;

use std::num::NonZeroUsize;

use camino::Utf8PathBuf;
use clap::builder::FalseyValueParser;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use seatfork_launch::Clock as _;
use seatfork_schema::Runtime;

use crate::clock::SystemClock;
use crate::env::Environment;
use crate::exit::Exit;
use crate::output::{Failure, Output};
use crate::show;
use crate::wait::block_on;
use list::Sessions;
pub(crate) use list::{SessionReport, SessionsReport};

/// The arguments of `sessions`.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionsArgs {
    /// Conversations of one runtime
    #[arg(long, env = "SEATFORK_RUNTIME", value_name = "RUNTIME", value_parser = runtimes())]
    runtime: Option<Runtime>,
    /// Conversations recorded in this directory [default: the working directory]
    #[arg(long, env = "SEATFORK_CWD", value_name = "DIR")]
    cwd: Option<Utf8PathBuf>,
    /// Conversations of all directories
    #[arg(long, env = "SEATFORK_ALL", value_parser = FalseyValueParser::new())]
    all: bool,
    /// How many to show, newest first
    #[arg(long, env = "SEATFORK_LIMIT", value_name = "NUMBER", default_value = "20")]
    limit: NonZeroUsize,
    /// Leave out what was said in them
    #[arg(long, env = "SEATFORK_NO_PREVIEW", value_parser = FalseyValueParser::new())]
    no_preview: bool,
    /// Print the YAML of a member that forks this one, to paste into a spec; a prefix of the id will do
    #[arg(long, env = "SEATFORK_PRINT_SPEC", value_name = "ID")]
    print_spec: Option<String>,
}

fn runtimes() -> impl clap::builder::TypedValueParser<Value = Runtime> {
    let words = Runtime::ALL.iter().map(|runtime| runtime.as_str());
    PossibleValuesParser::new(words).try_map(|word| Runtime::from_word(&word).ok_or("no runtime"))
}

pub(crate) fn run(
    args: &SessionsArgs,
    env: &Environment,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let found = block_on(find::all(env, args.runtime))?;
    if let Some(asked) = &args.print_spec {
        return print_spec::run(asked, &found, env, output);
    }
    let cwd = match (&args.cwd, args.all) {
        (Some(dir), _) => Some(dir.clone()),
        (None, true) => None,
        (None, false) => env.cwd.clone(),
    };
    let sessions = Sessions::new(found, cwd.as_deref(), args.limit.get(), !args.no_preview);
    if output.is_json() {
        output.object(sessions.report());
    } else {
        output.data(&show::sessions::text(sessions.report(), SystemClock.now()));
    }
    Ok(sessions.exit())
}
