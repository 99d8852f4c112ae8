//! What differs between store, tmux and the runtimes' files, and what is done about it (SPEC 7).

use seatfork_launch::{ReconcileItem, ReconcileReport};
use seatfork_schema::printable;

use super::lines::{count, error_below, note, put};

/// The whole text.
pub(crate) fn text(report: &ReconcileReport) -> String {
    let mut text: String = report.items.iter().map(item).collect();
    for finding in &report.warnings {
        text.push_str(&note(finding));
        text.push('\n');
    }
    text.push_str(&summary(report));
    text
}

fn item(item: &ReconcileItem) -> String {
    let mut text =
        format!("{}  {}: {}\n", printable(&item.seat), item.code, printable(&item.message));
    if let Some(error) = &item.error {
        text.push_str(&error_below(error, true));
    }
    match (&item.done, item.plan.as_str()) {
        (Some(done), _) => put(&mut text, format_args!("   done: {}\n", printable(done))),
        (None, "") => text.push_str("   nothing would be done about it\n"),
        (None, plan) => put(&mut text, format_args!("   would: {}\n", printable(plan))),
    }
    text
}

fn summary(report: &ReconcileReport) -> String {
    if report.items.is_empty() {
        let all = if report.warnings.is_empty() {
            "Everything is as recorded"
        } else {
            "Nothing else was found"
        };
        return format!("{all}. Nothing was changed.\n");
    }
    let found = count(report.items.len(), "finding", "findings");
    let next = next(&report.items);
    if !report.applied {
        return format!("{found}. Nothing was changed. Next: {next}\n");
    }
    let done = report.items.iter().filter(|item| item.done.is_some()).count();
    format!("{found}, {done} dealt with. Next: {next}\n")
}

/// The command that helps with what is left: one that needs no choice before one that does.
fn next(items: &[ReconcileItem]) -> String {
    let left = items.iter().filter(|item| item.done.is_none() && item.error.is_none());
    let mut commands: Vec<_> = left.filter_map(|item| item.next.as_deref()).collect();
    commands.sort_by_key(|command| !command.ends_with("--apply"));
    printable(commands.first().unwrap_or(&"seatfork ps"))
}
