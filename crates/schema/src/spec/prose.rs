//! Free text (SPEC 2): kept as written, never trimmed.

use super::text::{TextProblem, at_most, none_of, not_blank, texts};
use crate::printable::is_printable;

texts! {
    /// One line of free text: label, model, profile, a url, a service's name. Not blank, at most 4 KiB, nothing invisible (SPEC 2).
    Line = "one line of text", line;
    /// A summary: like [`Line`], but it may hold line feeds and tabs (SPEC 2).
    Summary = "a summary", summary;
    /// Text that is delivered or run byte for byte: an action's value, a command. Not blank, no control characters but line feed and tab.
    Script = "a text to deliver", script;
    /// A rig's `version`: any text that is not blank (SPEC 2).
    RigVersion = "a version", not_blank;
}

/// The longest free text, in bytes.
pub const MAX_TEXT_BYTES: usize = 4096;

fn line(text: &str) -> Result<(), TextProblem> {
    not_blank(text)?;
    at_most(text, MAX_TEXT_BYTES)?;
    if text.contains(['\n', '\r']) {
        return Err(TextProblem::SeveralLines);
    }
    none_of(text, |c| !is_printable(c))
}

fn summary(text: &str) -> Result<(), TextProblem> {
    not_blank(text)?;
    at_most(text, MAX_TEXT_BYTES)?;
    none_of(text, |c| !(is_printable(c) || matches!(c, '\n' | '\t')))
}

fn script(text: &str) -> Result<(), TextProblem> {
    not_blank(text)?;
    none_of(text, |c| c.is_control() && !matches!(c, '\n' | '\t'))
}
