//! What `up` says in the end: a row a seat, and what happened, the state now, the next command (SPEC 13).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use seatfork_launch::{Action, ErrorReport, LaunchCode, SeatReport, UpReport};
use seatfork_schema::{ContinuityOutcome, ProcessState, ProofStatus, printable};

use super::ids::Short;
use super::lines::{Rows, error_below, error_in_row, note, notes, put};
use super::{state, time};

/// How long each seat took, by name.
pub(crate) type Took = BTreeMap<String, Duration>;

/// The whole text.
pub(crate) fn text(report: &UpReport, took: &Took) -> String {
    let short = Short::among(ids(&report.seats));
    let names = Names::of(&report.seats);
    let mut rows = Rows::default();
    for seat in &report.seats {
        let (cells, below) = row(seat, &names, short, took.get(&seat.seat));
        rows.add(cells, below);
    }
    let mut text = rows.text();
    for finding in &report.warnings {
        text.push_str(&note(finding));
        text.push('\n');
    }
    text.push_str(&summary(report));
    text.push('\n');
    text
}

/// Every id a report shows.
pub(crate) fn ids(seats: &[SeatReport]) -> impl Iterator<Item = &str> {
    seats.iter().flat_map(|seat| {
        let source = seat.source.as_ref().map(|source| source.native_id.as_str());
        seat.token.as_deref().into_iter().chain(source)
    })
}

/// Seats are called by their member where that names one of them, else by pod and member.
#[derive(Debug)]
struct Names(BTreeSet<String>);

impl Names {
    fn of(seats: &[SeatReport]) -> Self {
        let mut seen = BTreeSet::new();
        let twice = seats.iter().filter(|seat| !seen.insert(seat.member.as_str()));
        Self(twice.map(|seat| seat.member.clone()).collect())
    }

    fn name(&self, seat: &SeatReport) -> String {
        if self.0.contains(&seat.member) {
            printable(&format!("{}-{}", seat.pod, seat.member))
        } else {
            printable(&seat.member)
        }
    }
}

fn row(
    seat: &SeatReport,
    names: &Names,
    short: Short,
    took: Option<&Duration>,
) -> (Vec<String>, String) {
    let mut cells = vec![names.name(seat), word(seat).to_owned()];
    let below_notes = notes(&seat.warnings);
    // A seat that has no conversation to show has its reason in the row.
    if let (Some(error), None) = (&seat.error, &seat.token)
        && matches!(seat.action, Action::Failed | Action::Skipped)
    {
        cells.push(error_in_row(error));
        return (cells, error_below(error, false) + &below_notes);
    }
    cells.push(token(seat, short));
    cells.push(relation(seat, short));
    cells.push(proof(seat));
    cells.push(process(seat).to_owned());
    cells.push(took.map(|took| time::took(*took)).unwrap_or_default());
    let below = seat.error.as_ref().map(|error| error_below(error, true)).unwrap_or_default();
    (cells, below + &below_notes)
}

/// The outcome where this command brought one about, else what it did.
fn word(seat: &SeatReport) -> &'static str {
    match (seat.action, seat.continuity_outcome) {
        (Action::Created | Action::Resumed, Some(outcome)) => outcome.as_str(),
        // A pane that failed does not undo a conversation that was made.
        (
            Action::Failed,
            Some(outcome @ (ContinuityOutcome::Forked | ContinuityOutcome::Fresh)),
        ) if seat.token.is_some() => outcome.as_str(),
        (action, _) => action.as_str(),
    }
}

fn token(seat: &SeatReport, short: Short) -> String {
    match &seat.token {
        Some(token) => short.of(token),
        None => state::no_token(seat.runtime).to_owned(),
    }
}

fn relation(seat: &SeatReport, short: Short) -> String {
    match &seat.source {
        Some(source) => format!("from source session {}", short.of(&source.native_id)),
        None => String::new(),
    }
}

fn proof(seat: &SeatReport) -> String {
    match &seat.proof {
        // That a fresh id is new says nothing a reader wants in every row.
        Some(proof) if seat.source.is_some() => state::proof(proof),
        _ => String::new(),
    }
}

fn process(seat: &SeatReport) -> &'static str {
    match seat.process_state {
        ProcessState::AttentionRequired => "attention",
        // Ready as it is: whoever speaks its format goes on with it.
        ProcessState::None if seat.is_running() => "no process needed",
        ProcessState::None => "",
        other => other.as_str(),
    }
}

/// What happened, the state now, the next command.
fn summary(report: &UpReport) -> String {
    let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
    for seat in &report.seats {
        *counts.entry(Kind::of(seat)).or_default() += 1;
    }
    let said: Vec<_> = counts.iter().map(|(kind, count)| kind.say(*count)).collect();
    let said = if said.is_empty() { "no members".to_owned() } else { said.join(", ") };
    let mut text = format!("{}: {said}.", report.rig);
    let idle = report.ok && report.seats.iter().all(|seat| seat.action == Action::Unchanged);
    if idle {
        text.push_str(" Nothing to do.");
    }
    if let Some(sources) = sources(&report.seats) {
        text.push(' ');
        text.push_str(sources);
    }
    let next = if has_no_process(report) { "lineage" } else { "ps" };
    put(&mut text, format_args!(" Next: seatfork {next} {}", report.rig));
    text
}

/// Whether every seat is ready without a process, so that there is none to look at.
pub(crate) fn has_no_process(report: &UpReport) -> bool {
    let idle = |seat: &SeatReport| seat.process_state == ProcessState::None && seat.is_running();
    !report.seats.is_empty() && report.seats.iter().all(idle)
}

/// What is known of the sources of this command's forks, from the evidence.
fn sources(seats: &[SeatReport]) -> Option<&'static str> {
    let mut forked = seats
        .iter()
        .filter(|seat| seat.continuity_outcome == Some(ContinuityOutcome::Forked))
        // Of those this command realized: others' sources were looked at when they were made, not now.
        .filter(|seat| seat.made_now)
        .peekable();
    forked.peek()?;
    let mut grew = false;
    for seat in forked {
        let proved = seat.proof.as_ref().is_some_and(|proof| proof.status == ProofStatus::Proved);
        if !proved {
            return None;
        }
        // The proof says so in its one line, for it is no fault.
        grew |= seat.proof.as_ref().is_some_and(|proof| proof.detail.contains("grew by"));
    }
    let changed = |seat: &SeatReport| {
        seat.error.as_ref().is_some_and(|error| error.is(LaunchCode::SourceChanged))
    };
    if seats.iter().any(changed) {
        return None;
    }
    Some(if grew { "Sources grew and are otherwise unchanged." } else { "Sources unchanged." })
}

/// How a seat stands, for the count at the end; in the order it is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Ready,
    Attention,
    NotReady,
    Failed,
    Left,
    Skipped,
    NotStarted,
}

impl Kind {
    /// Of a seat after `up`, or as `ps` sees it.
    pub(crate) fn of(seat: &SeatReport) -> Self {
        let is = |code| seat.error.as_ref().is_some_and(|error: &ErrorReport| error.is(code));
        if is(LaunchCode::LaunchInProgress) {
            Self::Left
        } else if is(LaunchCode::Interrupted) {
            Self::NotStarted
        } else if seat.process_state == ProcessState::AttentionRequired {
            Self::Attention
        } else if seat.action == Action::Skipped {
            Self::Skipped
        } else if seat.action == Action::Failed {
            Self::Failed
        } else if seat.is_running() {
            Self::Ready
        } else {
            Self::NotReady
        }
    }

    /// `2 need attention`.
    pub(crate) fn say(self, count: usize) -> String {
        let said = match self {
            Self::Ready => "ready",
            Self::Attention if count == 1 => "needs attention",
            Self::Attention => "need attention",
            Self::NotReady => "not ready",
            Self::Failed => "failed",
            Self::Left => "left to another command",
            Self::Skipped => "skipped",
            Self::NotStarted => "not started",
        };
        format!("{count} {said}")
    }
}

#[cfg(test)]
#[path = "up_tests.rs"]
mod tests;
