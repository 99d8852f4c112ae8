//! What `down` did (SPEC 7, 13).

use seatfork_launch::{DownAction, DownReport};
use seatfork_schema::printable;

use super::ids::Short;
use super::lines::{Rows, count, error_below, note, put};

/// The whole text.
pub(crate) fn text(report: &DownReport) -> String {
    let tokens = report.seats.iter().filter_map(|seat| seat.token.as_deref());
    let kept = report.kept.iter().map(|kept| kept.native_id.as_str());
    let short = Short::among(tokens.chain(kept));
    let mut rows = Rows::default();
    for seat in &report.seats {
        let mut cells = vec![printable(&seat.seat), word(seat.action).to_owned()];
        if seat.retired {
            cells.push("retired, its name is free".to_owned());
        } else if let Some(token) = &seat.token {
            cells.push(format!("keeps {}", short.of(token)));
        }
        let below = seat.error.as_ref().map(|error| error_below(error, true)).unwrap_or_default();
        rows.add(cells, below);
    }
    let mut text = rows.text();
    for kept in &report.kept {
        let (runtime, id) = (kept.runtime, printable(&kept.native_id));
        put(&mut text, format_args!("stays: {runtime} conversation {id}\n"));
    }
    for removed in &report.removed {
        put(&mut text, format_args!("removed: {}\n", printable(removed.as_str())));
    }
    for finding in &report.warnings {
        text.push_str(&note(finding));
        text.push('\n');
    }
    text.push_str(&summary(report));
    text
}

const fn word(action: DownAction) -> &'static str {
    match action {
        DownAction::NotRunning => "not running",
        other => other.as_str(),
    }
}

fn summary(report: &DownReport) -> String {
    if report.seats.is_empty() {
        // A rig that was forgotten before: only what was kept for it could go.
        let removed = count(report.removed.len(), "file or directory", "files and directories");
        let rig = printable(&report.rig);
        return format!(
            "{rig}: has no seats, {removed} removed. Next: seatfork up makes new seats\n"
        );
    }
    let is = |action| report.seats.iter().filter(|seat| seat.action == action).count();
    let mut said = vec![count(is(DownAction::Stopped), "seat stopped", "seats stopped")];
    for (action, word) in [
        (DownAction::NotRunning, "not running"),
        (DownAction::Left, "left to another command"),
        (DownAction::Failed, "failed"),
        (DownAction::Skipped, "left alone after the interruption"),
    ] {
        if is(action) > 0 {
            said.push(format!("{} {word}", is(action)));
        }
    }
    let now = if report.seats.iter().any(|seat| seat.retired) {
        "Names are free; no conversation was deleted. Next: seatfork up makes new seats"
    } else if report.seats.iter().any(|seat| seat.token.is_some()) {
        "Tokens are kept. Next: seatfork up brings the seats back"
    } else {
        "Next: seatfork up starts them again"
    };
    format!("{}: {}. {now}\n", printable(&report.rig), said.join(", "))
}
