//! `seatfork validate`: every problem of a spec, told once (SPEC 2, 13).
//!
//! In text, refusals go to stderr in the manner of rustc and one verdict line
//! per file to stdout; with `--normal-form` stdout is the canonical YAML and
//! the verdict joins the talk. With `--json` everything is one object. Exit 0:
//! valid, 3: refused, 4: a file could not be read, which outweighs a refusal.

mod report;

use std::path::{Path, PathBuf};

use clap::builder::FalseyValueParser;
use seatfork_codec::{Hints, Look, Outcome, emit, parse, render};
use seatfork_schema::spec::PodId;

use crate::exit::Exit;
use crate::input::{Input, STDIN};
use crate::output::{Failure, Output, SCHEMA_VERSION};
use report::{Entry, Report, Several, Unread, verdict};
use seatfork_schema::LaunchCode;

/// The arguments of `validate`.
#[derive(Debug, clap::Args)]
pub(crate) struct ValidateArgs {
    /// Spec files; `-` reads stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print the canonical YAML of valid specs; with `--json`, add it as `normal_form`.
    #[arg(long, env = "SEATFORK_NORMAL_FORM", value_parser = FalseyValueParser::new())]
    normal_form: bool,
    /// The pod the members of an expand payload join, where the payload names none.
    #[arg(long, value_name = "ID", env = "SEATFORK_POD")]
    pod: Option<PodId>,
}

pub(crate) fn run(args: &ValidateArgs, output: &mut Output) -> Result<Exit, Failure> {
    if args.files.iter().filter(|file| *file == Path::new(STDIN)).count() > 1 {
        return Err(Failure::new(Exit::Usage, LaunchCode::Usage, "stdin can be read only once")
            .hint("give `-` once"));
    }
    let hints = Hints { pod: args.pod.clone() };
    let checked: Vec<_> = args
        .files
        .iter()
        .map(|file| {
            let input = Input::read(file)?;
            let outcome = parse(&input.bytes, &hints);
            Ok(Checked { input, outcome })
        })
        .collect();
    if output.is_json() {
        as_json(args, &checked, output)
    } else {
        Ok(as_text(args, &checked, output))
    }
}

/// A file that was read, and what came of it.
#[derive(Debug)]
struct Checked {
    input: Input,
    outcome: Outcome,
}

impl Checked {
    fn exit(&self) -> Exit {
        if self.outcome.document.is_some() { Exit::Ok } else { Exit::SpecRefused }
    }
}

fn as_text(args: &ValidateArgs, checked: &[Result<Checked, Failure>], output: &mut Output) -> Exit {
    let mut exit = Exit::Ok;
    let mut first = true;
    for checked in checked {
        match checked {
            Err(failure) => exit = worse(exit, output.failure(failure)),
            Ok(checked) => {
                let Checked { input, outcome } = checked;
                let look = Look { colour: output.has_colour(), ..Look::default() };
                output.talk(&render(input.shown(), &input.bytes, &outcome.diagnostics, look));
                let verdict = verdict(input.shown(), outcome);
                match &outcome.document {
                    Some(document) if args.normal_form => {
                        if !std::mem::take(&mut first) {
                            output.data("---\n");
                        }
                        output.data(&emit(document));
                        output.talk(&verdict);
                    }
                    None if args.normal_form => output.talk(&verdict),
                    _ => output.data(&verdict),
                }
                exit = worse(exit, checked.exit());
            }
        }
    }
    exit
}

fn as_json(
    args: &ValidateArgs,
    checked: &[Result<Checked, Failure>],
    output: &mut Output,
) -> Result<Exit, Failure> {
    if let [only] = checked {
        let checked = only.as_ref().map_err(Clone::clone)?;
        output.object(&Report::new(checked, args.normal_form));
        return Ok(checked.exit());
    }
    let mut exit = Exit::Ok;
    let mut results = Vec::new();
    for (checked, file) in checked.iter().zip(&args.files) {
        match checked {
            Ok(checked) => {
                exit = worse(exit, checked.exit());
                results.push(Entry::Report(Report::new(checked, args.normal_form)));
            }
            Err(failure) => {
                exit = worse(exit, failure.exit);
                results.push(Entry::Unread(Unread::new(&file.to_string_lossy(), failure)));
            }
        }
    }
    output.object(&Several { schema_version: SCHEMA_VERSION, ok: exit == Exit::Ok, results });
    Ok(exit)
}

/// The exit of several files: unread outweighs refused, refused outweighs valid.
fn worse(one: Exit, other: Exit) -> Exit {
    if one.code() >= other.code() { one } else { other }
}
