//! Ends without a seat: what failed, at which step, and what exists now (SPEC 7, 10).

use crate::phase1::{NotOver, end_started};
use crate::report::{ErrorReport, Step};
use crate::turn::Turn;
use camino::Utf8PathBuf;
use seatfork_schema::{LaunchCode, Proof, ProofStatus};
use seatfork_store::{Launch, LaunchError, StepError};
use std::ops::{Deref, DerefMut};

/// Why a launch ends without a seat.
#[derive(Debug)]
pub(crate) struct Failure(Box<Facts>);

/// What a [`Failure`] holds.
#[derive(Debug)]
pub(crate) struct Facts {
    /// At which step.
    pub(crate) step: Step,
    /// What is said of it.
    pub(crate) report: ErrorReport,
    /// The runtime's own words, on disk.
    pub(crate) output_path: Option<Utf8PathBuf>,
    /// Evidence against the child.
    pub(crate) proof: Option<Proof>,
    /// Whether the launch row is to stay open: a later run finishes it.
    pub(crate) stays_open: bool,
}

impl Deref for Failure {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.0
    }
}

impl DerefMut for Failure {
    fn deref_mut(&mut self) -> &mut Facts {
        &mut self.0
    }
}

impl Failure {
    /// A failure at a step.
    pub(crate) fn new(step: Step, report: ErrorReport) -> Self {
        Self(Box::new(Facts { step, report, output_path: None, proof: None, stays_open: false }))
    }

    /// A failure with a code of ours.
    pub(crate) fn of(step: Step, code: LaunchCode, message: impl Into<String>) -> Self {
        Self::new(step, ErrorReport::new(code, message))
    }

    /// A step the store did not take. The launch is as it was, and a later run deals with it.
    pub(crate) fn store(step: Step, error: &StepError) -> Self {
        let message = format!("{}; the launch is left as it was", crate::pane::chain(error));
        Self::of(step, LaunchCode::ResultNotStored, message).open()
    }

    /// The same with a hint of its own.
    pub(crate) fn hint(mut self, hint: &str) -> Self {
        self.report.hint = Some(hint.to_owned());
        self
    }

    /// The same, leaving the launch open.
    pub(crate) fn open(mut self) -> Self {
        self.stays_open = true;
        self
    }

    /// The same with evidence against the child.
    pub(crate) fn against(mut self, proof: Proof) -> Self {
        self.proof = Some(proof);
        self
    }

    /// Whether the proof could not be looked at, which refutes nothing.
    pub(crate) fn is_unverified(&self) -> bool {
        self.proof.as_ref().is_some_and(|proof| proof.status == ProofStatus::Unverifiable)
    }

    /// The same with the runtime's own words.
    pub(crate) fn kept_in(mut self, path: Option<Utf8PathBuf>) -> Self {
        self.output_path = path;
        self
    }

    /// The step and what is said.
    pub(crate) fn told(self) -> (Step, ErrorReport) {
        (self.0.step, self.0.report)
    }
}

/// Ends the launch: what it started is ended or named, what it made is named, and all of it is stored.
pub(crate) async fn fail(turn: &Turn, launch: &Launch, failure: Failure) -> Failure {
    if failure.stays_open {
        return failure;
    }
    let mut exists = Vec::new();
    match end_started(launch, turn.ground.clock.as_ref()).await {
        Ok(()) => {}
        Err(runs @ NotOver::Runs { .. }) => exists.push(runs.to_string()),
        Err(NotOver::Unknown(why)) => exists.push(format!("perhaps a process: {why}")),
    }
    exists.extend(leftover(turn, launch, failure.step).await);
    store_failure(turn, launch, failure, &exists).await
}

/// Ends the launch and leaves its pane and process: they are seen to serve a person.
pub(crate) async fn fail_and_leave(turn: &Turn, launch: &Launch, failure: Failure) -> Failure {
    store_failure(turn, launch, failure, &[]).await
}

async fn store_failure(
    turn: &Turn,
    launch: &Launch,
    mut failure: Failure,
    exists: &[String],
) -> Failure {
    let leftover = (!exists.is_empty()).then(|| exists.join("; "));
    let error = LaunchError {
        code: failure.report.code.clone(),
        text: failure.report.message.clone(),
        hint: failure.report.hint.clone(),
        output_path: failure.output_path.clone(),
        leftover: leftover.clone(),
    };
    if let Some(leftover) = leftover {
        failure.report.message.push_str("; what exists now: ");
        failure.report.message.push_str(&leftover);
    }
    let (id, step, proof, at) =
        (launch.id, failure.step.as_str(), failure.proof.clone(), turn.ground.now());
    let stored =
        turn.ground.store.ask(move |store| store.fail(id, step, &error, proof.as_ref(), at)).await;
    if let Err(error) = stored {
        let said = format!("; this failure could not be stored: {}", crate::pane::chain(&error));
        failure.report.message.push_str(&said);
    }
    failure
}

/// What bears the launch's mark on disk, named and never deleted.
async fn leftover(turn: &Turn, launch: &Launch, step: Step) -> Option<String> {
    // A child may be there though nobody could name it beforehand: by the mark of the launch. Where nothing was to be
    // made, there is nothing to look for.
    let made_by_mark = matches!(step, Step::Fork | Step::Learn | Step::Prove | Step::Store);
    if launch.planned_child.is_none() && !made_by_mark {
        return None;
    }
    let made = turn
        .adapter
        .find_made(launch.planned_child.as_ref(), launch.nonce.as_str(), &turn.env)
        .await;
    match made {
        Ok(None) => None,
        Ok(Some(made)) => Some(format!(
            "conversation {} at {} ({} bytes), left where it is and never used again",
            made.conversation.native_id, made.path, made.bytes
        )),
        Err(error) => Some(format!("perhaps a conversation: {error}")),
    }
}

/// A launch whose owner died and that made nothing.
pub(crate) async fn abandon(turn: &Turn, launch: &Launch, why: &str) -> Result<(), Failure> {
    let (id, why, at) = (launch.id, why.to_owned(), turn.ground.now());
    let stored = turn.ground.store.ask(move |store| store.abandon(id, &why, at)).await;
    stored.map_err(|error| Failure::store(Step::Recover, &error))
}
