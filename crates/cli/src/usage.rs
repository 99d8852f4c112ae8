//! A command line that is wrong, or that only asked for help (SPEC 13).

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::exit::Exit;
use crate::output::{Failure, Output};
use seatfork_schema::LaunchCode;
use seatfork_schema::printable::printable_lines;

/// Reports what the argument parser says: help and version are data, everything else is a usage error.
pub(crate) fn report(error: &clap::Error) -> Exit {
    let mut output = Output::new(asks_for_json(), anstream::ColorChoice::Auto);
    let styled = error.render();
    let exit = if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        output.data(&styled.to_string());
        Exit::Ok
    } else if let Some(verb) = later(error) {
        output.failure(&not_in_this_build(verb))
    } else if output.is_json() {
        output.failure(&failure(&styled.to_string()))
    } else {
        // The words of the command line stand in it, and may be anybody's.
        let plain = styled.to_string();
        let shown = printable_lines(&plain);
        let text =
            if output.has_colour() && shown == plain { styled.ansi().to_string() } else { shown };
        output.talk(&text);
        Exit::Usage
    };
    output.finish(exit)
}

/// The verbs of the contract that this build does not have yet.
const LATER: [&str; 9] =
    ["fork", "restore", "expand", "shrink", "handover", "send", "logs", "image", "config"];

/// The verb that was asked for, where it is one to come: no typo, and no likeness of one is meant.
fn later(error: &clap::Error) -> Option<&'static str> {
    let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(asked))) =
        (error.kind(), error.get(ContextKind::InvalidSubcommand))
    else {
        return None;
    };
    to_come(asked)
}

/// A verb of the contract that this build does not have yet.
pub(crate) fn to_come(asked: &str) -> Option<&'static str> {
    LATER.into_iter().find(|verb| *verb == asked)
}

/// What is said of it.
pub(crate) fn not_in_this_build(verb: &str) -> Failure {
    let message = format!("this build has no {verb} yet; nothing was started");
    Failure::new(Exit::NotReady, LaunchCode::NotInThisBuild, message)
        .hint("seatfork --help lists the verbs of this build")
        .detail("verb", verb)
}

/// The parser's text is a message, then hints and usage in paragraphs of their own.
fn failure(text: &str) -> Failure {
    let (message, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let message = message.strip_prefix("error: ").unwrap_or(message).trim();
    let failure = Failure::new(Exit::Usage, LaunchCode::Usage, message);
    if rest.trim().is_empty() { failure } else { failure.hint(rest.trim()) }
}

/// Whether the caller asked for JSON, seen without a parsed command line.
fn asks_for_json() -> bool {
    let words = std::env::args_os().skip(1).take_while(|word| word != "--");
    words.into_iter().any(|word| word == "--json") || crate::env::is_set("SEATFORK_JSON")
}
