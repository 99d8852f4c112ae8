//! `verify`: every stored proof looked at again, offline (SPEC 8).

use crate::ground::Offline;
use crate::machine::evidence_of;
use crate::pane::chain;
use crate::ps::equipped;
use crate::report::{Finding, VerifiedSeat, VerifyReport};
use crate::target::{Target, seats_of};
use seatfork_adapters::ProveError;
use seatfork_schema::{Intent, LaunchCode, LaunchState, ProofGrade, ProofStatus};
use seatfork_store::{Launch, SeatRow, StoreError, Verification};

/// What an answer of the adapter comes to.
struct Answer {
    status: ProofStatus,
    grade: Option<ProofGrade>,
    depends_on_source: bool,
    detail: String,
    code: Option<LaunchCode>,
}

/// Looks at the proof of every conversation that was made for a seat, and writes down what it says now.
///
/// Starts no process and changes nothing of a runtime. `refuted` doubts the outcome; `unverifiable`
/// only says that the evidence cannot be looked at any more (the source is gone).
pub async fn verify(ground: &Offline, which: Option<&Target>) -> Result<VerifyReport, StoreError> {
    let mut verified = Vec::new();
    let mut skipped = Vec::new();
    let mut unwritten = None;
    for row in seats_of(&ground.store, which).await? {
        let id = row.seat.id;
        let launches = ground.store.ask(move |store| store.launches_of(id)).await?;
        let before = (verified.len(), skipped.len());
        for launch in launches.iter().filter(|launch| launch.state == LaunchState::Realized) {
            match one(ground, &row, launch, &mut unwritten).await {
                Ok(Some(seat)) => verified.push(seat),
                Ok(None) => {}
                Err(finding) => skipped.push(finding),
            }
        }
        if (verified.len(), skipped.len()) == before {
            let message = format!("{} has no conversation to look at", row.seat.name);
            skipped.push(Finding::new(LaunchCode::Remark, message));
        }
    }
    let warnings = unwritten.map(|why: String| {
        Finding::new(
            LaunchCode::StoreUnwritable,
            format!("what was seen was not written down: {why}"),
        )
    });
    Ok(VerifyReport::new(verified, skipped, warnings.into_iter().collect()))
}

/// One launch: `None` where it made no conversation of its own.
async fn one(
    ground: &Offline,
    row: &SeatRow,
    launch: &Launch,
    unwritten: &mut Option<String>,
) -> Result<Option<VerifiedSeat>, Finding> {
    let Some(child) = &launch.child else { return Ok(None) };
    match launch.intent {
        Intent::Resume => return Ok(None),
        Intent::Adopt => {
            let message = format!(
                "{} took {} over from its pane (attempt {}); nothing was proved of it then",
                row.seat.name, child.native_id, launch.attempt
            );
            return Err(Finding::new(LaunchCode::Remark, message));
        }
        Intent::Fork | Intent::Fresh | Intent::Rebuild => {}
    }
    let Some((adapter, env)) = equipped(&ground.adapters, &ground.caller, &row.seat) else {
        let message = format!("this build has no adapter for {}", row.seat.runtime);
        return Err(Finding::new(LaunchCode::NotInThisBuild, message));
    };
    let answer = match evidence_of(launch) {
        Err(error) => Answer {
            status: ProofStatus::Unverifiable,
            grade: None,
            depends_on_source: false,
            detail: format!("the stored evidence cannot be read: {error}"),
            code: Some(LaunchCode::StoreCorrupt),
        },
        Ok(evidence) => match adapter.prove(evidence.as_ref(), child, &env, &launch.cwd).await {
            Ok(proof) => Answer {
                status: proof.status,
                grade: Some(proof.grade),
                depends_on_source: proof.inherited.is_some_and(|one| one.depends_on_source),
                detail: proof.detail,
                code: None,
            },
            Err(ProveError::Refuted { code, message }) => Answer {
                status: ProofStatus::Refuted,
                grade: None,
                depends_on_source: false,
                detail: message,
                code: Some(code),
            },
            Err(ProveError::Unverifiable { code, message }) => Answer {
                status: ProofStatus::Unverifiable,
                grade: None,
                depends_on_source: false,
                detail: message,
                code: Some(code),
            },
        },
    };
    let at = ground.clock.now();
    let seen = Verification { at, status: answer.status, detail: answer.detail.clone() };
    let id = launch.id;
    let stored = ground.store.ask(move |store| store.record_verification(id, &seen)).await;
    let recorded = stored.is_ok();
    if let Err(error) = stored {
        unwritten.get_or_insert(chain(&error));
    }
    Ok(Some(VerifiedSeat {
        seat: row.seat.name.clone(),
        launch: launch.id.to_string(),
        attempt: launch.attempt,
        outcome: launch.outcome,
        conversation: child.into(),
        source: launch.source.as_ref().map(Into::into),
        status: answer.status,
        grade: answer.grade,
        depends_on_source: answer.depends_on_source,
        detail: answer.detail,
        code: answer.code,
        at,
        recorded,
    }))
}
