//! One member's turn in `up`: decide, act, decide again where something old came first (SPEC 7).

mod before;
mod late_token;
mod occupied;
mod run;
mod say;

pub(crate) use before::{is_without_seat, orphan_finding, without_seat};
pub(crate) use say::interrupted;

use crate::adapters::planned_child;
use crate::ground::Ground;
use crate::observer::Event;
use crate::plan::SeatPlan;
use crate::report::{Finding, SeatReport, Step};
use crate::seat_report::{Said, seat_report};
use crate::state::SeatState;
use seatfork_adapters::{Adapter, SeatEnv, SeatWish};
use seatfork_schema::{LaunchCode, PlannedChild, ProcessState};
use seatfork_store::{Launch, SeatId, StoreError};
use std::sync::{Arc, Mutex, PoisonError};

/// Everything one member's turn works with.
#[derive(Debug)]
pub(crate) struct Turn {
    /// What all stand on.
    pub(crate) ground: Arc<Ground>,
    /// Its runtime's adapter.
    pub(crate) adapter: &'static dyn Adapter,
    /// What its member wants.
    pub(crate) plan: SeatPlan,
    /// Its seat.
    pub(crate) seat: SeatId,
    /// Its environment, with the locations the seat was made with.
    pub(crate) env: SeatEnv,
    /// What was noticed on the way. Never held over an await.
    notes: Mutex<Vec<Finding>>,
}

impl Turn {
    /// A turn.
    pub(crate) fn new(
        ground: Arc<Ground>,
        adapter: &'static dyn Adapter,
        plan: SeatPlan,
        seat: SeatId,
        env: SeatEnv,
    ) -> Self {
        Self { ground, adapter, plan, seat, env, notes: Mutex::new(Vec::new()) }
    }

    /// Takes the turn. The report is made of what the store holds afterwards.
    pub(crate) async fn take(&self) -> Result<SeatReport, StoreError> {
        self.ground.observer.event(&Event::Begun { seat: self.plan.seat.as_str() });
        let said = run::run(self).await;
        self.report(said).await
    }

    /// Finishes what is begun and starts nothing new.
    pub(crate) async fn mend(&self) -> Result<SeatReport, StoreError> {
        self.ground.observer.event(&Event::Begun { seat: self.plan.seat.as_str() });
        let said = run::mend(self).await;
        self.report(said).await
    }

    /// The seat's report.
    pub(crate) async fn report(&self, mut said: Said) -> Result<SeatReport, StoreError> {
        let state: SeatState = run::read(self).await?;
        said.findings.extend(self.notes());
        let mut report = seat_report(&state, said);
        if report.process_state == ProcessState::Ready {
            // What was foretold did not come, or has been answered.
            report.warnings.retain(|finding| finding.code != LaunchCode::DialogForetold);
        }
        Ok(report)
    }

    /// A step begins.
    pub(crate) fn entered(&self, step: Step) {
        self.ground.observer.event(&Event::Entered { seat: self.plan.seat.as_str(), step });
    }

    /// Something deserves a look.
    pub(crate) fn note(&self, finding: Finding) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&finding) {
            notes.push(finding);
        }
    }

    /// Something is worth a word.
    pub(crate) fn remark(&self, message: String) {
        self.note(Finding::new(LaunchCode::Remark, message));
    }

    /// What was noticed.
    pub(crate) fn notes(&self) -> Vec<Finding> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A new id for a child, where the runtime lets us choose it.
    pub(crate) fn planned_child(&self) -> Option<PlannedChild> {
        let kept_in = self.plan.workspace.as_deref().unwrap_or(&self.plan.wish.cwd);
        planned_child(self.adapter, kept_in)
    }

    /// What the seat asks of its runtime for this launch: where it works is the launch's own fact.
    pub(crate) fn wish(&self, launch: &Launch) -> SeatWish {
        SeatWish {
            cwd: launch.cwd.clone(),
            wants_fork: launch.source.is_some(),
            ..self.plan.wish.clone()
        }
    }
}
