//! A fork that its pane makes, for a version of a runtime that makes none headless (SPEC 6, the fallback).
//!
//! The pane is open before the conversation is there, so it is written down
//! while the launch is forking. The conversation is what the pane's own process
//! is seen to serve; it is proved before the seat is realized.

use super::end::Failure;
use super::realize::{prove, realize};
use super::{Drove, evidence_of};
use crate::crash::CrashPoint;
use crate::pane::Seen;
use crate::report::{ErrorReport, Step};
use crate::seat_pane::{OpenPane, open, see};
use crate::turn::Turn;
use seatfork_adapters::{Evidence, PaneStart, Phase1, Phase1Ask, Surroundings};
use seatfork_schema::{LaunchCode, ProcessState};
use seatfork_store::Launch;
use std::time::{Duration, Instant};

/// How often a pane is looked at that has not written anything down yet.
const TICK: Duration = Duration::from_millis(50);

/// Opens the pane that forks, and stores what it made once that is proved.
pub(super) async fn fork(
    turn: &Turn,
    launch: &Launch,
    evidence: &Evidence,
) -> Result<Drove, Failure> {
    let pane = open(turn, launch, PaneStart::Fork(evidence)).await?;
    let seen = served(turn, &pane).await;
    settle(turn, launch, evidence, seen).await
}

/// Waits until the pane serves something that stands on disk: it holds a conversation a moment before its record.
pub(crate) async fn served(turn: &Turn, pane: &OpenPane) -> Seen {
    let until = Instant::now() + turn.ground.patience.ready;
    loop {
        let seen = see(turn, pane).await;
        let is_early = seen.state == ProcessState::Ready && seen.serves.is_none();
        if !is_early || Instant::now() >= until || turn.ground.cancel.is_requested() {
            return seen;
        }
        tokio::time::sleep(TICK).await;
    }
}

/// Ends such a launch by what its pane was seen to do; also for a pane that a dead owner opened.
pub(crate) async fn settle(
    turn: &Turn,
    launch: &Launch,
    evidence: &Evidence,
    seen: Seen,
) -> Result<Drove, Failure> {
    match (seen.state, &seen.serves) {
        (ProcessState::Ready, Some(child)) => {
            if let Some(source) = &launch.source
                && child.is_same(source.conversation())
            {
                let message = "the pane went on with the source itself".to_owned();
                return Err(Failure::of(Step::Learn, LaunchCode::ChildIsSource, message));
            }
            turn.entered(Step::Prove);
            let proved = prove(turn, launch, Some(evidence), child.clone()).await?;
            turn.ground.crash.reach(CrashPoint::AfterProof);
            turn.entered(Step::Store);
            realize(turn, launch, proved).await?;
            Ok(Drove::Realized)
        }
        // It is up, and whether with what it should be cannot be told.
        (ProcessState::Ready, None) => {
            Ok(Drove::Waiting(Seen { state: ProcessState::Starting, ..seen }))
        }
        (ProcessState::Starting | ProcessState::AttentionRequired, _) => Ok(Drove::Waiting(seen)),
        (ProcessState::Exited | ProcessState::Lost | ProcessState::None, _) => {
            let how = seen.ended.clone().unwrap_or_else(|| "an unknown end".to_owned());
            let message = format!("the pane that was to make the fork ended with {how}");
            let report = ErrorReport::new(LaunchCode::Phase1Failed, message).output(seen.output());
            Err(Failure::new(Step::Fork, report))
        }
    }
}

/// The evidence of a launch whose fork its pane makes; `None` for every other launch.
pub(crate) fn evidence_in_pane(turn: &Turn, launch: &Launch) -> Option<Evidence> {
    let evidence = evidence_of(launch).ok().flatten()?;
    let planned = turn.adapter.phase1(&Phase1Ask {
        wish: &turn.wish(launch),
        binary: &turn.plan.binary,
        source: Some(&evidence),
        child: launch.planned_child.as_ref(),
        nonce: launch.nonce.as_str(),
        // They do not change which way it is made.
        surroundings: &Surroundings::default(),
    });
    matches!(planned, Ok(Phase1::InPane)).then_some(evidence)
}
