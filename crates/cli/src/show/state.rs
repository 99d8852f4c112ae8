//! Words for what is stored and what is not.

use seatfork_launch::ProofReport;
use seatfork_schema::{ProofStatus, Runtime, printable};

/// What stands in place of a token: a terminal has none by design, others have none yet.
pub(crate) const fn no_token(runtime: Runtime) -> &'static str {
    match runtime {
        Runtime::Terminal => "no conversation",
        _ => "not stored yet",
    }
}

/// A proof in one line; one that no longer holds says so first.
pub(crate) fn proof(proof: &ProofReport) -> String {
    let detail = printable(&proof.detail);
    match proof.status {
        ProofStatus::Proved => detail,
        other => format!("{other}: {detail}"),
    }
}
