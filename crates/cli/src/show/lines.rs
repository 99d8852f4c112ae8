//! The small forms all texts share: aligned rows, notes, errors, quoted words of others.

use seatfork_launch::{ErrorReport, Finding, LaunchCode};
use seatfork_schema::printable;
use seatfork_schema::printable::printable_lines;

/// What was not done, as a message says it; in text it stands last, on a line of its own.
const NOTHING: &str = "; nothing was started";
/// Beneath a row.
const INDENT: &str = "   ";

/// Rows whose cells stand under one another, two spaces apart; the last cell of a row is not padded.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    cells: Vec<String>,
    below: String,
}

impl Rows {
    /// Adds a row and the lines beneath it.
    pub(crate) fn add(&mut self, cells: Vec<String>, below: String) {
        self.rows.push(Row { cells, below });
    }

    /// All of them as text.
    pub(crate) fn text(&self) -> String {
        // The first two columns stand under one another in every row; the others only where a row has all of them.
        let columns = self.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        let full = |row: &&Row, column: usize| column < 2 || row.cells.len() == columns;
        let widths: Vec<_> = (0..columns)
            .map(|column| {
                let rows = self.rows.iter().filter(|row| full(row, column));
                rows.filter_map(|row| row.cells.get(column))
                    .map(|cell| width(cell))
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (column, cell) in row.cells.iter().enumerate() {
                // A column nobody has anything for takes no room.
                if widths[column] == 0 {
                    continue;
                }
                line.push_str(cell);
                if column + 1 < row.cells.len() {
                    let pad = widths[column].saturating_sub(width(cell)) + 2;
                    line.extend(std::iter::repeat_n(' ', pad));
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
            text.push_str(&row.below);
        }
        text
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// An error beneath a row: its hint, somebody else's words, and last what was not done. Its message
/// stands in the row, or first here.
pub(crate) fn error_below(error: &ErrorReport, message_too: bool) -> String {
    let (message, nothing) = split(&error.message);
    let mut text = String::new();
    let mut line = |said: &str| {
        text.push_str(INDENT);
        text.push_str(&printable(said));
        text.push('\n');
    };
    match (&error.hint, message_too) {
        (Some(hint), true) if message.len() + hint.len() < 90 => {
            line(&format!("{message}  {hint}"));
        }
        (hint, true) => {
            line(message);
            if let Some(hint) = hint {
                line(hint);
            }
        }
        (Some(hint), false) => line(hint),
        (None, false) => {}
    }
    if let Some(output) = &error.output {
        text.push_str(&quoted(output));
    }
    if let Some(nothing) = nothing {
        text.push_str(INDENT);
        text.push_str(&printable(nothing));
        text.push('\n');
    }
    text
}

/// What stderr says of a token that could not be stored, whatever form stdout has: nowhere else than in words may the
/// new id be left (SPEC 7, 10).
pub(crate) fn not_stored(seat: &str, error: Option<&ErrorReport>) -> Option<String> {
    let error = error.filter(|error| error.is(LaunchCode::TokenNotStored))?;
    let (seat, message) = (printable(seat), printable(&error.message));
    Some(format!("error[{}]: {seat}: {message}\n", error.code))
}

/// The part of an error's message that stands in its row.
pub(crate) fn error_in_row(error: &ErrorReport) -> String {
    printable(split(&error.message).0)
}

/// A message and what it says was not done.
fn split(message: &str) -> (&str, Option<&str>) {
    match message.find(NOTHING) {
        Some(at) => (&message[..at], Some(&message[at + 2..])),
        None => (message, None),
    }
}

/// Somebody else's words, each line marked as such.
pub(crate) fn quoted(text: &str) -> String {
    let shown = printable_lines(text.trim_end());
    shown.lines().map(|line| format!("{INDENT}| {line}").trim_end().to_owned() + "\n").collect()
}

/// Findings beneath a row.
pub(crate) fn notes(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        put(&mut text, format_args!("{INDENT}{}\n", note(finding)));
    }
    text
}

/// A finding in one line.
pub(crate) fn note(finding: &Finding) -> String {
    format!("note[{}]: {}", finding.code, printable(&finding.message))
}

/// Appends a formatted text.
pub(crate) fn put(text: &mut String, said: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _infallible = std::fmt::Write::write_fmt(text, said);
}

/// `1 seat`, `2 seats`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Words of others in one line, a comma between them.
pub(crate) fn quoted_list<'t>(words: impl Iterator<Item = &'t str>) -> String {
    words.map(printable).collect::<Vec<_>>().join(", ")
}
