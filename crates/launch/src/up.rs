//! `up`: every member of a rig brought to a running seat, side by side (SPEC 7, 13).

mod seat;

use crate::cancel::Cancel;
use crate::exit::ExitClass;
use crate::ground::Ground;
use crate::observer::Event;
use crate::pane::chain;
use crate::plan::{Refusal, RigPlan};
use crate::report::{Finding, SeatReport, UpReport};
use crate::tasks::{SideBySide, off_thread};
use seat::Prepared;
use seatfork_schema::LaunchCode;
use seatfork_store::{EnsureRigError, NewRig, RigId, StoreError};
use seatfork_tmux::CallError;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;

/// How often an interruption is looked for while members run.
const TICK: Duration = Duration::from_millis(100);

/// How `up` goes about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpOptions {
    /// How many members at a time.
    pub jobs: NonZeroUsize,
    /// How long after one member's start the next may begin; none where the user named the number of jobs.
    pub stagger: Duration,
    /// Whether findings that the spec and the seats differ make the exit 6.
    pub strict: bool,
}

impl Default for UpOptions {
    /// Two at a time, the second a moment after the first.
    fn default() -> Self {
        Self {
            jobs: NonZeroUsize::MIN.saturating_add(1),
            stagger: Duration::from_millis(300),
            strict: false,
        }
    }
}

/// Why the whole command was stopped. Nothing was started.
#[derive(Debug, Error)]
pub enum UpError {
    /// The plan holds refusals.
    #[error("{} refused; nothing was started", refused(.0))]
    Refused(Vec<Refusal>),
    /// The rig's name belongs to a spec in another directory.
    #[error("{0}; nothing was started")]
    RigNameTaken(EnsureRigError),
    /// A seat's name belongs to another rig.
    #[error("{0}; nothing was started")]
    SeatNameTaken(StoreError),
    /// The store cannot be written or read.
    #[error("{}; nothing was started", chain(.0))]
    Store(StoreError),
    /// tmux does not answer.
    #[error("{}; nothing was started", chain(.0))]
    Tmux(CallError),
}

impl UpError {
    /// The stable code; of several refusals the first one's.
    pub fn code(&self) -> LaunchCode {
        match self {
            Self::Refused(refusals) => {
                refusals.first().map_or(LaunchCode::NotInThisBuild, |refusal| refusal.code)
            }
            Self::RigNameTaken(_) => LaunchCode::RigNameTaken,
            Self::SeatNameTaken(_) => LaunchCode::SeatNameTaken,
            Self::Store(error) => store_code(error),
            Self::Tmux(CallError::NoTmux { .. }) => LaunchCode::TmuxMissing,
            Self::Tmux(_) => LaunchCode::TmuxServerFailed,
        }
    }

    /// How the command ends.
    pub fn exit(&self) -> ExitClass {
        match self {
            Self::RigNameTaken(_) | Self::SeatNameTaken(_) => ExitClass::Conflict,
            Self::Refused(_) | Self::Store(_) | Self::Tmux(_) => ExitClass::NotReady,
        }
    }
}

/// Damage is not the same as a disk that is full.
pub(crate) fn store_code(error: &StoreError) -> LaunchCode {
    match error {
        StoreError::Corrupt { .. } | StoreError::Unreadable { .. } => LaunchCode::StoreCorrupt,
        StoreError::Busy { .. } => LaunchCode::StoreBusy,
        _ => LaunchCode::StoreUnwritable,
    }
}

fn refused(refusals: &[Refusal]) -> String {
    match refusals {
        [one] => one.message.clone(),
        several => format!("{} demands of the spec", several.len()),
    }
}

/// Brings a rig up.
///
/// A refusal of the plan, a taken rig name or an unusable store stops everything before anything
/// starts. After that every member stands for itself: one that fails leaves the others alone.
pub async fn up(
    ground: Arc<Ground>,
    plan: RigPlan,
    options: UpOptions,
) -> Result<UpReport, UpError> {
    if !plan.refusals.is_empty() {
        return Err(UpError::Refused(plan.refusals));
    }
    // Asked before anything is made, so that no fork is without a place to go.
    if plan.seats.iter().any(|seat| seat.needs_process) {
        let server = ground.tmux.clone();
        off_thread(move || server.version()).await.map_err(UpError::Tmux)?;
    }
    let rig = ensure_rig(&ground, &plan).await?;
    let mut prepared = Vec::new();
    for seat in &plan.seats {
        prepared.push(seat::prepare(&ground, rig, seat).await?);
    }
    let mut warnings = plan.findings.clone();
    warnings.extend(seat::not_in_spec(&ground, rig, &plan).await?);
    let seats = run_all(&ground, prepared, options).await;
    let interrupted = ground.cancel.is_requested();
    Ok(UpReport::new(plan.rig.to_string(), seats, warnings, options.strict, interrupted))
}

async fn ensure_rig(ground: &Ground, plan: &RigPlan) -> Result<RigId, UpError> {
    let new = NewRig {
        name: plan.rig.to_string(),
        root: plan.origin.root.clone(),
        spec_path: plan.origin.path.clone(),
        spec_sha256: plan.origin.sha256.clone(),
        at: ground.now(),
    };
    match ground.store.ask(move |store| store.ensure_rig(&new)).await {
        Ok(rig) => Ok(rig.id),
        Err(EnsureRigError::Store(error)) => Err(UpError::Store(error)),
        Err(taken) => Err(UpError::RigNameTaken(taken)),
    }
}

/// Runs the members side by side, `jobs` at a time, and gives their reports in the order of the spec.
async fn run_all(
    ground: &Arc<Ground>,
    prepared: Vec<Prepared>,
    options: UpOptions,
) -> Vec<SeatReport> {
    let mut waiting = prepared.into_iter().enumerate();
    let mut running = SideBySide::new();
    let mut done: Vec<(usize, SeatReport)> = Vec::new();
    let mut told = false;
    loop {
        while running.running() < options.jobs.get() {
            let Some((at, prepared)) = waiting.next() else { break };
            if running.running() > 0 {
                pause(options.stagger, &ground.cancel).await;
            }
            let ground = Arc::clone(ground);
            // A member's turn is a large future; it is kept off the list of them.
            running.add(async move { (at, Box::pin(one(&ground, prepared)).await) });
        }
        // Woken now and then, so that an interruption is told while members still run.
        match tokio::time::timeout(TICK, running.next()).await {
            Ok(Some(ended)) => done.push(ended),
            Ok(None) => break,
            Err(_) => {}
        }
        if ground.cancel.is_requested() && !told && running.running() > 0 {
            told = true;
            ground.observer.event(&Event::Interrupted { running: running.running() });
        }
    }
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, report)| report).collect()
}

async fn one(ground: &Ground, prepared: Prepared) -> SeatReport {
    let begun = Instant::now();
    let report = prepared.run().await;
    ground.observer.event(&Event::Done { report: &report, took: begun.elapsed() });
    report
}

/// A moment between two starts; over at once where the user asked to stop.
async fn pause(stagger: Duration, cancel: &Cancel) {
    if stagger.is_zero() {
        return;
    }
    // Either way the pause is over.
    drop(tokio::time::timeout(stagger, cancel.requested()).await);
}

/// A finding of the rig as a whole.
pub(crate) fn rig_finding(code: LaunchCode, message: impl Into<String>) -> Finding {
    Finding::new(code, message)
}
