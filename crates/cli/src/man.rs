//! `seatfork man`: the manual as roff, made from the same definitions as the help (SPEC 13).

use std::fmt::Write as _;

use clap::CommandFactory as _;
use clap_mangen::Man;
use serde::Serialize;

use crate::args::Cli;
use crate::exit::{Exit, MEANINGS};
use crate::output::{Failure, Output, SCHEMA_VERSION};
use crate::usage;
use seatfork_schema::LaunchCode;

/// The arguments of `man`.
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// One verb; the whole command where absent.
    verb: Option<String>,
}

#[derive(Debug, Serialize)]
struct Object<'o> {
    schema_version: u32,
    ok: bool,
    page: &'o str,
}

pub(crate) fn run(args: &ManArgs, output: &mut Output) -> Result<Exit, Failure> {
    let page = page(args.verb.as_deref())?;
    if output.is_json() {
        output.object(&Object { schema_version: SCHEMA_VERSION, ok: true, page: &page });
    } else {
        output.data(&page);
    }
    Ok(Exit::Ok)
}

fn page(verb: Option<&str>) -> Result<String, Failure> {
    let mut command = Cli::command();
    command.build();
    if let Some(name) = verb {
        let verbs: Vec<_> = command.get_subcommands().map(|v| v.get_name().to_owned()).collect();
        let Some(found) = command.find_subcommand(name) else {
            if let Some(verb) = usage::to_come(name) {
                return Err(usage::not_in_this_build(verb));
            }
            let message = format!("there is no verb \"{name}\"");
            return Err(Failure::new(Exit::NotFound, LaunchCode::VerbUnknown, message)
                .hint(format!("the verbs are {}", verbs.join(", ")))
                .detail("verb", name));
        };
        command = found.clone();
    }
    let mut roff = Vec::new();
    let failed = |error: std::io::Error| {
        Failure::new(
            Exit::Failed,
            LaunchCode::OutputNotWritten,
            format!("the page could not be made: {error}"),
        )
    };
    Man::new(command).render(&mut roff).map_err(failed)?;
    let mut page = String::from_utf8_lossy(&roff).into_owned();
    page.push_str(".SH EXIT STATUS\n");
    for (exit, meaning) in MEANINGS {
        // Writing to a String cannot fail.
        let _infallible = write!(page, ".TP\n\\fB{}\\fR\n{meaning}\n", exit.code());
    }
    Ok(page)
}
