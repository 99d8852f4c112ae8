//! The seats as they are now (SPEC 13, `ps`).

use comfy_table::{Table, presets};
use jiff::Timestamp;
use seatfork_launch::{PsReport, SeatReport};
use seatfork_schema::{LaunchState, ProcessState, printable};

use super::ids::Short;
use super::lines::{count, error_below, note, notes, put};
use super::up::{Kind, ids};
use super::{state, time};

/// The whole text: a table, what deserves a word, and the next command.
pub(crate) fn text(report: &PsReport, now: Timestamp) -> String {
    let mut text = String::new();
    for finding in &report.warnings {
        text.push_str(&note(finding));
        text.push('\n');
    }
    if report.seats.is_empty() {
        text.push_str(&nothing(report.rig.as_deref()));
        return text;
    }
    text.push_str(&table(&report.seats, now));
    text.push('\n');
    for seat in &report.seats {
        let below = seat.error.as_ref().map(|error| error_below(error, true)).unwrap_or_default();
        let below = below + &notes(&seat.warnings);
        if !below.is_empty() {
            text.push_str(&printable(&seat.seat));
            text.push_str(":\n");
            text.push_str(&below);
        }
    }
    text.push_str(&summary(&report.seats));
    text
}

/// What is said where there is nothing to show.
pub(crate) fn nothing(rig: Option<&str>) -> String {
    match rig {
        Some(rig) => format!("Rig {} has no seats. seatfork up makes them.\n", printable(rig)),
        None => "No seats yet. seatfork up FILE makes the seats of a rig spec.\n".to_owned(),
    }
}

fn table(seats: &[SeatReport], now: Timestamp) -> String {
    let short = Short::among(ids(seats));
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "SEAT", "RUNTIME", "OUTCOME", "STATE", "SEEN", "SESSION", "FROM", "PROOF", "NOTICE",
    ]);
    for seat in seats {
        table.add_row([
            printable(&seat.seat),
            seat.runtime.to_string(),
            outcome(seat),
            process(seat).to_owned(),
            seat.observed_at.map_or_else(|| "never".to_owned(), |at| time::ago(now, at)),
            token(seat, short),
            seat.source
                .as_ref()
                .map_or_else(|| "-".to_owned(), |source| short.of(&source.native_id)),
            proof(seat),
            seat.notice.map_or_else(|| "-".to_owned(), |notice| notice.to_string()),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.trim_fmt()
}

/// The seat's own id; a seat nobody lives in has none, and that is not the same as one not stored yet.
fn token(seat: &SeatReport, short: Short) -> String {
    match (&seat.token, seat.launch_state) {
        (Some(token), _) => short.of(token),
        (None, Some(LaunchState::Realized)) => state::no_token(seat.runtime).to_owned(),
        (None, _) => "none".to_owned(),
    }
}

/// Its grade; of a fork also what was compared.
fn proof(seat: &SeatReport) -> String {
    match (&seat.proof, &seat.source) {
        (Some(proof), Some(_)) => format!("{} {}", proof.shown_grade(), state::proof(proof)),
        (Some(proof), None) => proof.shown_grade(),
        (None, _) => "-".to_owned(),
    }
}

/// How the latest launch ended; where it has not, how far it is.
fn outcome(seat: &SeatReport) -> String {
    match (seat.continuity_outcome, seat.launch_state) {
        (Some(outcome), _) => outcome.to_string(),
        (None, Some(LaunchState::Realized)) => "adopted".to_owned(),
        (None, Some(state)) => state.to_string(),
        (None, None) => "-".to_owned(),
    }
}

fn process(seat: &SeatReport) -> &'static str {
    match seat.process_state {
        _ if seat.is_unknown() => "unknown",
        ProcessState::AttentionRequired => "attention",
        other => other.as_str(),
    }
}

fn summary(seats: &[SeatReport]) -> String {
    let waiting: Vec<_> = seats.iter().filter(|seat| Kind::of(seat) == Kind::Attention).collect();
    let ready = seats.iter().filter(|seat| seat.is_running()).count();
    let all = count(seats.len(), "seat", "seats");
    let mut text = format!("{ready} of {all} ready.");
    if let Some(first) = waiting.first() {
        let said = Kind::Attention.say(waiting.len());
        let seat = printable(&first.seat);
        put(&mut text, format_args!(" {said}. Next: seatfork attach {seat}"));
    } else if ready < seats.len() {
        text.push_str(" Next: seatfork up with the rig's spec brings the others back.");
    }
    text.push('\n');
    text
}
