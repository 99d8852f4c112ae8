//! The records that living seats depend on, each looked for where it stood (SPEC 8).

use super::check;
use crate::pane::chain;
use crate::pins::Pins;
use crate::report::{Check, CheckStatus};
use crate::store_thread::StoreThread;
use crate::target::seats_of;
use camino::Utf8Path;
use seatfork_schema::LaunchCode;
use seatfork_store::{SeatRow, SourceRange};

/// One line for each seat whose conversation lives in other records, and one for each record that is gone.
pub(super) async fn checks(thread: &StoreThread, output_dir: &Utf8Path) -> Vec<Check> {
    let rows = match seats_of(thread, None).await {
        Ok(rows) => rows,
        Err(error) => return vec![check("depends", CheckStatus::Warning, chain(&error))],
    };
    let mut checks = Vec::new();
    for row in rows {
        let Some(launch) = row.occupant.as_ref().and(row.occupant_launch.as_ref()) else {
            continue;
        };
        let id = launch.id;
        match thread.ask(move |store| store.ranges_of(id)).await {
            Ok(ranges) => checks.extend(of_seat(&row, &ranges, &Pins::of(output_dir, id))),
            Err(error) => checks.push(check("depends", CheckStatus::Warning, chain(&error))),
        }
    }
    checks
}

fn of_seat(row: &SeatRow, ranges: &[SourceRange], pins: &Pins) -> Vec<Check> {
    let name = &row.seat.name;
    let lost: Vec<&SourceRange> = ranges.iter().filter(|range| !stands(range)).collect();
    if ranges.is_empty() {
        return Vec::new();
    }
    if lost.is_empty() {
        let pinned = ranges.iter().filter(|range| pins.holding(range).is_some()).count();
        let records = if ranges.len() == 1 { "1 other record" } else { "other records" };
        let detail = format!(
            "{name} lives in {records}, which must not be deleted: {}; {pinned} pinned",
            ranges.iter().map(|range| range.path.as_str()).collect::<Vec<_>>().join(", ")
        );
        return vec![check("depends", CheckStatus::Ok, detail)];
    }
    let say = |range: &&SourceRange| {
        let path = &range.path;
        let detail = format!("{name} lives in {path}, which is not there as it was");
        let hint = match pins.holding(range) {
            Some(pin) => format!("ln -- '{pin}' '{path}' puts it back"),
            None => LaunchCode::SourceGone.next().to_owned(),
        };
        Check { hint: Some(hint), ..check("depends", CheckStatus::Warning, detail) }
    };
    lost.iter().map(say).collect()
}

/// Whether a record is there and long enough. Its bytes are `verify`'s to look at.
fn stands(range: &SourceRange) -> bool {
    std::fs::symlink_metadata(&range.path)
        .is_ok_and(|meta| meta.is_file() && meta.len() >= range.to)
}
