//! What `up` would do, as `plan` says it (SPEC 6, 13, 14).

use jiff::Timestamp;
use seatfork_launch::converge::Act;
use seatfork_launch::plan::{PlanReport, SeatPlanReport, SourcePlanReport};
use seatfork_schema::{Runtime, printable};
use std::collections::BTreeMap;

use super::ids::Short;
use super::lines::{count, error_below, note, put, quoted_list};
use super::time;
use crate::foresee::{Acts, is_new, words};
use crate::plan::Permissions;

/// Beneath a seat's first line.
const INDENT: &str = "      ";

/// The whole text.
pub(crate) fn text(
    report: &PlanReport,
    acts: &Acts,
    permissions: &Permissions,
    now: Timestamp,
) -> String {
    let short = Short::among(report.seats.iter().filter_map(source_id));
    let mut text =
        format!("rig {} from {}\n", printable(&report.rig), printable(report.root.as_str()));
    for seat in &report.seats {
        text.push_str(&self::seat(
            seat,
            acts.get(&seat.seat).copied(),
            permissions.get(&seat.seat),
            short,
            now,
        ));
    }
    for (runtime, names) in environments(&report.seats) {
        put(&mut text, format_args!("environment of {runtime} seats: {names}\n"));
    }
    if !report.not_acted_on.is_empty() {
        let keys = quoted_list(report.not_acted_on.iter().copied());
        put(&mut text, format_args!("read and not acted on: {keys}\n"));
    }
    for finding in &report.warnings {
        put(&mut text, format_args!("{}\n", note(finding)));
    }
    text.push_str(&summary(report, acts));
    text
}

/// Refusals, each with its place and what to do; for stderr, as those of `validate`.
pub(crate) fn refusals(report: &PlanReport) -> String {
    let mut text = String::new();
    for refusal in &report.refusals {
        let (path, message) = (printable(&refusal.path), printable(&refusal.message));
        put(&mut text, format_args!("error[{}]: {path}: {message}\n", refusal.code));
        put(&mut text, format_args!("  help: {}\n", printable(&refusal.help)));
    }
    text
}

fn source_id(seat: &SeatPlanReport) -> Option<&str> {
    seat.source.as_ref().map(|source| source.conversation.native_id.as_str())
}

fn seat(
    seat: &SeatPlanReport,
    act: Option<Act>,
    flags: Option<&Vec<String>>,
    short: Short,
    now: Timestamp,
) -> String {
    let mut lines = Vec::new();
    let mut first = format!("  {}  {}  ", printable(&seat.seat), seat.runtime);
    match (act.filter(|act| !is_new(Some(*act))), source_id(seat)) {
        (Some(act), _) => first.push_str(words(act)),
        (None, Some(id)) => {
            put(&mut first, format_args!("fork from source session {}", short.of(id)));
        }
        (None, None) => first.push_str(seat.start),
    }
    let mut below = String::new();
    if let Some(source) = &seat.source {
        lines.extend(self::source(source, now));
        if let Some(error) = &source.error {
            below.push_str(&error_below(error, true));
        }
    }
    lines.push(format!("cwd {}", printable(seat.cwd.as_str())));
    // A shell has neither.
    if seat.runtime != Runtime::Terminal {
        let own = "the runtime's own default";
        let permission = seat.permission_policy.as_deref().unwrap_or(own);
        let flags = flags.map_or_else(|| "refused".to_owned(), |flags| flags.join(" "));
        let model = seat.model.as_deref().unwrap_or("the runtime's own");
        lines.push(format!(
            "permission: {}, as {}; model: {}",
            printable(permission),
            printable(&flags),
            printable(model)
        ));
    }
    let (binary, version) = (printable(seat.binary.as_str()), printable(&seat.runtime_version));
    lines.push(if seat.needs_process {
        format!("runs {binary} ({version})")
    } else {
        format!("needs no process; its record is written by {version}")
    });
    for dialog in &seat.foretold {
        lines.push(format!(
            "will ask: {} ({})",
            printable(dialog.question),
            printable(&dialog.why)
        ));
    }
    let foretold = seatfork_launch::LaunchCode::DialogForetold;
    lines.extend(seat.warnings.iter().filter(|found| found.code != foretold).map(note));
    let mut text = format!("{first}\n{below}");
    for line in &lines {
        put(&mut text, format_args!("{INDENT}{line}\n"));
    }
    text
}

/// What stands on disk for a source, and what forking it takes.
fn source(source: &SourcePlanReport, now: Timestamp) -> Vec<String> {
    let Some(look) = &source.look else { return Vec::new() };
    // The runtime's own notes (titles, prompts, saved files) are records too, and no part of what was said: only what
    // stands among `not_inherited` is history that the child lacks.
    let records = count(number(look.effective_records), "record", "records");
    let all = if look.not_inherited.is_empty() { ", its whole history" } else { "" };
    let mut first = format!("source: {records} inherited{all}, {}", time::bytes(look.bytes));
    if let Some(at) = look.last_activity {
        put(&mut first, format_args!(", last activity {}", time::ago(now, at)));
    }
    put(&mut first, format_args!(", {}", printable(look.path.as_str())));
    let mut lines = vec![first];
    if !look.not_inherited.is_empty() {
        lines.push(format!(
            "not inherited: {}",
            quoted_list(look.not_inherited.iter().map(String::as_str))
        ));
    }
    let free = match look.disk_free {
        Some(free) => format!("{} free", time::bytes(free)),
        None => "how much is free cannot be told".to_owned(),
    };
    let disk = time::bytes(look.disk_bytes);
    lines.push(match look.deadline_seconds {
        // Nothing is run: it takes as long as the disk does.
        0 => format!("takes {disk} of disk ({free})"),
        seconds => format!("takes at most {seconds} s and {disk} of disk ({free})"),
    });
    lines
}

/// The names each runtime's seats get; never a value.
fn environments(seats: &[SeatPlanReport]) -> BTreeMap<String, String> {
    let of = |seat: &SeatPlanReport| {
        (seat.runtime.to_string(), quoted_list(seat.env.iter().map(String::as_str)))
    };
    seats.iter().map(of).collect()
}

fn number(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn summary(report: &PlanReport, acts: &Acts) -> String {
    let act = |seat: &&SeatPlanReport| acts.get(&seat.seat).copied();
    let new = |seat: &&SeatPlanReport| is_new(act(seat));
    let forks = report.seats.iter().filter(new).filter(|seat| seat.source.is_some()).count();
    let fresh = report.seats.iter().filter(new).count() - forks;
    let still = report.seats.iter().filter(|seat| act(seat) == Some(Act::Nothing)).count();
    let others = report.seats.len() - forks - fresh - still;
    let unresolved = report
        .seats
        .iter()
        .filter(|seat| seat.source.as_ref().is_some_and(|source| source.error.is_some()))
        .count();
    let said: Vec<_> = [
        (forks, count(forks, "fork", "forks")),
        (fresh, format!("{fresh} fresh")),
        (others, format!("{others} to bring back or settle")),
        (still, format!("{still} unchanged")),
        (unresolved, format!("{} unresolved", count(unresolved, "source", "sources"))),
        (report.refusals.len(), count(report.refusals.len(), "refusal", "refusals")),
    ]
    .into_iter()
    .filter_map(|(number, said)| (number > 0).then_some(said))
    .collect();
    format!("{}: {}. Nothing was started.\n", report.rig, said.join(", "))
}
