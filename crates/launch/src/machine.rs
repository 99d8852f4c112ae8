//! One launch of a new conversation: declared, resolved, forking, realized or failed (SPEC 7).
//!
//! Intents are durable before the act they announce, and results before
//! anything says so. The machine never opens a pane: a seat is realized first.

mod declare;
mod end;
mod fork;
pub(crate) mod in_pane;
mod realize;

pub(crate) use declare::{Declared, declare};
pub(crate) use end::{Failure, abandon, fail, fail_and_leave};
pub(crate) use realize::{Proved, prove, realize};

use crate::crash::CrashPoint;
use crate::fail::resolve_error;
use crate::pane::Seen;
use crate::plan::source_findings;
use crate::report::{ErrorReport, Finding, Step};
use crate::seat_report::stored_warning;
use crate::turn::Turn;
use fork::Made;
use seatfork_adapters::Evidence;
use seatfork_schema::{LaunchCode, Runtime};
use seatfork_store::{Launch, OwnerLock, Replaces, Resolution, SourceEvidence, Work};

/// How a launch of a new conversation came out.
#[derive(Debug)]
pub(crate) enum Attempt {
    /// Its conversation lives in the seat. The lock is held until its pane is open.
    Realized(OwnerLock),
    /// It ended without a seat, or could not begin.
    Failed(Failure),
    /// Its pane is open and its conversation is not seen yet; a later run settles it.
    Waiting(Seen),
    /// Somebody else launches this seat.
    Left(Box<Launch>),
    /// Somebody was faster, and the seat is another than was decided about. Decide again.
    Stale,
}

/// Carries a launch through to a realized seat or a named failure.
pub(crate) async fn attempt(
    turn: &Turn,
    work: Work,
    replaces: Option<Replaces>,
    after: u32,
) -> Attempt {
    let (lock, launch) = match declare(turn, work, replaces, after).await {
        Declared::Yes(lock, launch) => (lock, *launch),
        Declared::Open(owned) => return Attempt::Left(owned),
        Declared::Stale => return Attempt::Stale,
        Declared::No(failure) => return Attempt::Failed(failure),
    };
    turn.ground.crash.reach(CrashPoint::AfterDeclared);
    match drive(turn, &launch).await {
        Ok(Drove::Realized) => Attempt::Realized(lock),
        Ok(Drove::Waiting(seen)) => {
            let_go(turn, lock);
            Attempt::Waiting(seen)
        }
        Err(failure) => {
            let failure = fail(turn, &launch, failure).await;
            let_go(turn, lock);
            Attempt::Failed(failure)
        }
    }
}

/// Lets go of a launch's lock, which is its owner's life, once the work on it is over or left to a later run.
pub(crate) fn let_go(turn: &Turn, lock: OwnerLock) {
    if let Err(error) = lock.release() {
        turn.remark(format!("a lock file stays behind: {}", crate::pane::chain(&error)));
    }
}

/// How far a launch was carried.
#[derive(Debug)]
pub(crate) enum Drove {
    /// To a realized seat.
    Realized,
    /// To a pane whose conversation is not seen yet.
    Waiting(Seen),
}

/// From declared to realized.
async fn drive(turn: &Turn, launch: &Launch) -> Result<Drove, Failure> {
    // Nothing is said to be done that is not: a fresh seat has no source, a shell no conversation.
    if launch.source.is_some() {
        turn.entered(Step::Resolve);
    }
    let evidence = resolve(turn, launch).await?;
    turn.ground.crash.reach(CrashPoint::AfterResolved);
    if turn.plan.runtime != Runtime::Terminal {
        turn.entered(Step::Fork);
    }
    let proved = match (fork::make(turn, launch, evidence.as_ref()).await?, &evidence) {
        (Made::Child(child), _) => {
            turn.entered(Step::Prove);
            prove(turn, launch, evidence.as_ref(), child).await?
        }
        // A terminal holds no conversation, so there is nothing to prove and no token.
        (Made::Nothing, _) => return without_token(turn, launch, Proved::NoConversation).await,
        (Made::InPane, Some(evidence)) => {
            // A large future for a rare case; it is kept off the others'.
            return Box::pin(in_pane::fork(turn, launch, evidence)).await;
        }
        // It stands nowhere before its first message; its token comes later, from its pane.
        (Made::InPane, None) => return without_token(turn, launch, Proved::TokenLater).await,
    };
    turn.ground.crash.reach(CrashPoint::AfterProof);
    turn.entered(Step::Store);
    realize(turn, launch, proved).await?;
    Ok(Drove::Realized)
}

async fn without_token(turn: &Turn, launch: &Launch, proved: Proved) -> Result<Drove, Failure> {
    realize(turn, launch, proved).await?;
    Ok(Drove::Realized)
}

/// Looks at the source and writes down what was seen.
async fn resolve(turn: &Turn, launch: &Launch) -> Result<Option<Evidence>, Failure> {
    let evidence = match &launch.source {
        None => None,
        Some(source) => match turn.adapter.resolve(source, &turn.env, &launch.cwd).await {
            Ok(evidence) => Some(evidence),
            Err(error) => return Err(Failure::new(Step::Resolve, resolve_error(&error))),
        },
    };
    let (id, at) = (launch.id, turn.ground.now());
    let resolution = Resolution {
        evidence: evidence.as_ref().map(stored_evidence).transpose()?,
        artifacts: Vec::new(),
    };
    let stored = turn.ground.store.ask(move |store| store.resolved(id, &resolution, at)).await;
    stored.map_err(|error| Failure::store(Step::Resolve, &error))?;
    if let Some(evidence) = &evidence {
        warn(turn, launch, &source_findings(evidence, &launch.cwd)).await;
    }
    Ok(evidence)
}

/// Keeps what deserves a word with the launch.
pub(crate) async fn warn(turn: &Turn, launch: &Launch, findings: &[Finding]) {
    let (id, said) = (launch.id, findings.iter().map(stored_warning).collect::<Vec<_>>());
    if let Err(error) = turn.ground.store.ask(move |store| store.warn(id, &said)).await {
        // A warning that is not kept is said all the same; the launch's own steps meet the same store.
        turn.note(Finding::new(
            LaunchCode::Remark,
            format!("a warning could not be stored: {error}"),
        ));
    }
}

fn stored_evidence(evidence: &Evidence) -> Result<SourceEvidence, Failure> {
    let detail = serde_json::to_value(evidence).map_err(|error| {
        let message = format!("the evidence cannot be written down: {error}");
        Failure::new(Step::Resolve, ErrorReport::new(LaunchCode::ResultNotStored, message))
    })?;
    Ok(SourceEvidence {
        path: evidence.path.clone(),
        device: evidence.device,
        inode: evidence.inode,
        bytes: evidence.bytes,
        sha256: evidence.sha256.clone(),
        records: evidence.records,
        detail,
    })
}

/// The evidence a launch was resolved with, as it was stored.
pub(crate) fn evidence_of(launch: &Launch) -> Result<Option<Evidence>, serde_json::Error> {
    launch.evidence.as_ref().map(|stored| serde_json::from_value(stored.detail.clone())).transpose()
}
