//! Proofs looked at again (SPEC 8, 13).

use seatfork_launch::{VerifiedSeat, VerifyReport};
use seatfork_schema::{ProofStatus, printable};

use super::ids::Short;
use super::lines::{Rows, count, note, put};

/// The whole text.
pub(crate) fn text(report: &VerifyReport) -> String {
    let ids = report.verified.iter().flat_map(|seat| {
        let source = seat.source.as_ref().map(|source| source.native_id.as_str());
        std::iter::once(seat.conversation.native_id.as_str()).chain(source)
    });
    let short = Short::among(ids);
    let mut rows = Rows::default();
    for seat in &report.verified {
        rows.add(cells(seat, short), below(seat));
    }
    let mut text = rows.text();
    for finding in report.skipped.iter().chain(&report.warnings) {
        text.push_str(&note(finding));
        text.push('\n');
    }
    text.push_str(&summary(report));
    text
}

fn cells(seat: &VerifiedSeat, short: Short) -> Vec<String> {
    let by_reference = if seat.depends_on_source { " (by reference)" } else { "" };
    let grade = seat.grade.map(|grade| format!("{grade}{by_reference}")).unwrap_or_default();
    let from = match &seat.source {
        Some(source) => format!("from source session {}", short.of(&source.native_id)),
        None => String::new(),
    };
    let id = short.of(&seat.conversation.native_id);
    vec![printable(&seat.seat), seat.status.to_string(), grade, id, from, printable(&seat.detail)]
}

/// A proof that is doubted names its code; the outcome is doubted only where the evidence contradicts.
fn below(seat: &VerifiedSeat) -> String {
    let mut text = String::new();
    if let Some(code) = &seat.code {
        put(&mut text, format_args!("   {code}: seatfork explain {code}\n"));
    }
    if let (ProofStatus::Refuted, Some(outcome)) = (seat.status, seat.outcome) {
        put(
            &mut text,
            format_args!("   stored as \"{outcome}\"; the evidence contradicts it now\n"),
        );
    }
    if !seat.recorded {
        text.push_str("   this look could not be written to the store\n");
    }
    text
}

fn summary(report: &VerifyReport) -> String {
    if report.verified.is_empty() {
        return "No conversations to look at. Nothing was started or changed.\n".to_owned();
    }
    let is = |status| report.verified.iter().filter(|seat| seat.status == status).count();
    let proved = is(ProofStatus::Proved);
    let all = count(report.verified.len(), "conversation", "conversations");
    let mut text = format!("{proved} of {all} proved");
    for status in [ProofStatus::Refuted, ProofStatus::Unverifiable] {
        if is(status) > 0 {
            put(&mut text, format_args!(", {} {status}", is(status)));
        }
    }
    text.push_str(". Nothing was started or changed.\n");
    text
}
