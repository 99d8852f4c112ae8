//! Other crates' refusals as the errors a seat reports.

use crate::report::ErrorReport;
use seatfork_adapters::PlanRefusal;
use seatfork_adapters::contract::failure::ResolveError;

/// A source that does not resolve: what was looked for, where, and the nearest known ones.
pub(crate) fn resolve_error(error: &ResolveError) -> ErrorReport {
    let nothing = "nothing was started for it; this is not a fresh seat";
    let hint = match error {
        ResolveError::NotFound { looked_in, nearest, .. } => {
            let places: Vec<_> = looked_in.iter().map(ToString::to_string).collect();
            let mut hint = format!("looked in: {}", places.join(", "));
            if !nearest.is_empty() {
                hint.push_str("; nearest: ");
                hint.push_str(&nearest.join("; "));
            }
            Some(hint)
        }
        ResolveError::Ambiguous { paths, .. } => {
            let places: Vec<_> = paths.iter().map(ToString::to_string).collect();
            Some(format!("found in: {}", places.join(", ")))
        }
        ResolveError::Archived { bring_back, .. } => Some(format!("`{bring_back}` brings it back")),
        ResolveError::Malformed { did_you_mean: Some(likely), .. } => {
            Some(format!("did you mean {likely}?"))
        }
        _ => None,
    };
    let report = ErrorReport::new(error.code(), format!("{error}; {nothing}"));
    match hint {
        Some(hint) => report.hint(hint),
        None => report,
    }
}

/// What a spec asks that a binary or this build cannot do.
pub(crate) fn plan_refusal(refusal: PlanRefusal) -> ErrorReport {
    let PlanRefusal { code, message, help } = refusal;
    let report = ErrorReport::new(code, message);
    match help {
        Some(help) => report.hint(help),
        None => report,
    }
}
