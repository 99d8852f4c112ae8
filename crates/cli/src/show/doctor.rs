//! Checks: name, result, what was seen, what to do (SPEC 13, `doctor`).

use seatfork_launch::{CheckStatus, DoctorReport};
use seatfork_schema::printable;

use super::lines::{Rows, count, put};

/// The whole text.
pub(crate) fn text(report: &DoctorReport) -> String {
    let mut rows = Rows::default();
    for check in &report.checks {
        let cells =
            vec![check.status.to_string(), printable(&check.name), printable(&check.detail)];
        let below = match &check.hint {
            Some(hint) => format!("   fix: {}\n", printable(hint)),
            None => String::new(),
        };
        rows.add(cells, below);
    }
    let is = |status| report.checks.iter().filter(|check| check.status == status).count();
    let mut text = rows.text();
    let problems = count(is(CheckStatus::Problem), "problem", "problems");
    let warnings = count(is(CheckStatus::Warning), "warning", "warnings");
    put(&mut text, format_args!("{problems}, {warnings}. Nothing was started or changed.\n"));
    text
}
