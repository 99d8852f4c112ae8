//! Phase 1: the conversation is made headless, and its new id is learnt (SPEC 6).

use super::end::Failure;
use crate::crash::CrashPoint;
use crate::fail::plan_refusal;
use crate::mask::mask;
use crate::pane::chain;
use crate::phase1::{OutputError, OutputFiles, told, with_mark};
use crate::report::{ErrorReport, Finding, Step};
use crate::state::process_mark;
use crate::turn::Turn;
use seatfork_adapters::process::{RunOptions, Unseen, run};
use seatfork_adapters::{Evidence, Phase1, Phase1Ask, Phase1Output, ProcessPlan, WritePlan};
use seatfork_process::ProcessId;
use seatfork_schema::{ConversationId, LaunchCode};
use seatfork_store::Launch;

/// What phase 1 came to.
pub(super) enum Made {
    /// A conversation, by what the runtime said of it.
    Child(ConversationId),
    /// None, by design: the runtime holds no conversation (terminal).
    Nothing,
    /// None yet: this binary makes it in its pane.
    InPane,
}

/// Runs phase 1, where there is one, and learns the child's id.
pub(super) async fn make(
    turn: &Turn,
    launch: &Launch,
    evidence: Option<&Evidence>,
) -> Result<Made, Failure> {
    let wish = turn.wish(launch);
    let surroundings = turn
        .adapter
        .surroundings(&wish, &turn.env)
        .await
        .map_err(|error| Failure::of(Step::Fork, LaunchCode::LookFailed, error.to_string()))?;
    let planned = turn
        .adapter
        .phase1(&Phase1Ask {
            wish: &wish,
            binary: &turn.plan.binary,
            source: evidence,
            child: launch.planned_child.as_ref(),
            nonce: launch.nonce.as_str(),
            surroundings: &surroundings,
        })
        .map_err(|refusal| Failure::new(Step::Fork, plan_refusal(refusal)))?;
    forking(turn, launch).await?;
    turn.ground.crash.reach(CrashPoint::BeforeSpawn);
    let plan = match planned {
        Phase1::Headless(plan) => *plan,
        Phase1::Write(plan) => return write(turn, launch, &plan).await.map(Made::Child),
        Phase1::NoConversation => return Ok(Made::Nothing),
        Phase1::InPane => return Ok(Made::InPane),
    };
    let files = OutputFiles::of(&turn.ground.output_dir, launch.id)
        .map_err(|error| Failure::of(Step::Fork, LaunchCode::OutputNotKept, error.to_string()))?;
    let output = execute(turn, launch, plan, &files).await?;
    turn.ground.crash.reach(CrashPoint::AfterPhase1);
    learn(turn, launch, &output, &files).map(Made::Child)
}

/// Has the adapter write the record; its id was planned, and nobody but us can have written it.
async fn write(turn: &Turn, launch: &Launch, plan: &WritePlan) -> Result<ConversationId, Failure> {
    let Some(child) = &launch.planned_child else {
        let message = "a record needs its id chosen beforehand";
        return Err(Failure::of(Step::Fork, LaunchCode::PlanInconsistent, message));
    };
    let written = turn.adapter.write(plan).await;
    written.map_err(|no| Failure::of(Step::Fork, no.code, mask(&no.message)))?;
    turn.ground.crash.reach(CrashPoint::AfterPhase1);
    Ok(child.conversation().clone())
}

/// Writes down that the runtime is about to run. Only then it may.
async fn forking(turn: &Turn, launch: &Launch) -> Result<(), Failure> {
    let (id, at) = (launch.id, turn.ground.now());
    let stored = turn.ground.store.ask(move |store| store.forking(id, at)).await;
    stored.map_err(|error| Failure::store(Step::Fork, &error))
}

async fn execute(
    turn: &Turn,
    launch: &Launch,
    plan: ProcessPlan,
    files: &OutputFiles,
) -> Result<Phase1Output, Failure> {
    let not_kept =
        |error: OutputError| Failure::of(Step::Fork, LaunchCode::OutputNotKept, error.to_string());
    let options = RunOptions {
        tee_stdout: Some(Box::new(files.stdout().map_err(not_kept)?)),
        tee_stderr: Some(Box::new(files.stderr().map_err(not_kept)?)),
        ..RunOptions::default()
    };
    let mut plan = with_mark(plan, launch.nonce.as_str());
    if let Some(deadline) = turn.ground.patience.phase1 {
        plan.deadline = deadline;
    }
    let spawned = async |process: ProcessId| {
        turn.ground.crash.reach(CrashPoint::AfterSpawn);
        record(turn, launch, process).await;
        turn.ground.crash.reach(CrashPoint::AfterSpawnRecorded);
    };
    let finished = run(&plan, &turn.env, Some(&turn.plan.binary), options, spawned).await.map_err(
        |error| Failure::of(Step::Fork, error.code(), chain(&error)).kept_in(files.telling()),
    )?;
    for remark in finished.remarks {
        turn.remark(remark);
    }
    for left in finished.leftovers {
        let end = if left.ended { "it was ended" } else { "it could not be ended and still runs" };
        turn.remark(format!("process {} outlived phase 1; {end}", left.process.pid));
    }
    if let Some(unseen) = finished.unseen {
        turn.note(said(&unseen)?);
    }
    Ok(finished.output)
}

/// What may be left of phase 1 and could not be looked for: an error is not an absence (SPEC 7).
///
/// Where nothing could be looked through the launch stays open: the next run looks first, and then goes on with what was
/// made. Single processes that let nobody look are named and block nothing, for they are hardly ever its own.
fn said(unseen: &Unseen) -> Result<Finding, Failure> {
    match unseen {
        Unseen::Closed(_) => Ok(Finding::new(LaunchCode::LookFailed, chain(unseen))),
        Unseen::Table(_) => {
            let message = format!("{}; the launch is left as it was", chain(unseen));
            Err(Failure::of(Step::Fork, LaunchCode::LookFailed, message).open())
        }
    }
}

/// Writes down which process runs. Should the store refuse, the process goes on: its nonce tells it
/// as well, and the next step meets the same store.
async fn record(turn: &Turn, launch: &Launch, process: ProcessId) {
    let id = launch.id;
    let mark = process_mark(process);
    let stored = turn.ground.store.ask(move |store| store.phase1_spawned(id, &mark)).await;
    if let Err(error) = stored {
        turn.remark(format!("the process of phase 1 could not be stored: {error}"));
    }
}

/// The child's id, or the runtime's failure with its own words.
fn learn(
    turn: &Turn,
    launch: &Launch,
    output: &Phase1Output,
    files: &OutputFiles,
) -> Result<ConversationId, Failure> {
    let learnt = turn.adapter.learn(launch.source.as_ref(), launch.planned_child.as_ref(), output);
    learnt.map_err(|refusal| {
        let step = match refusal.code {
            LaunchCode::ChildIdMismatch | LaunchCode::ChildIsSource => Step::Learn,
            _ => Step::Fork,
        };
        let kept = files.telling();
        // What it quotes of the runtime may hold a secret; the kept file has it verbatim.
        let mut message = mask(&refusal.message);
        if let Some(path) = &kept {
            message.push_str("; its own words are in ");
            message.push_str(path.as_str());
        }
        let report = ErrorReport::new(refusal.code, message);
        let report = report.output(told(&output.stdout, &output.stderr));
        Failure::new(step, report).kept_in(kept)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use seatfork_process::ProcessError;

    // SPEC 7: an error is not an absence: a table that cannot be read is not "no process with our nonce".
    #[test]
    fn a_process_table_that_cannot_be_read_leaves_the_launch_open() {
        let unreadable = ProcessError::List(std::io::Error::other("no table"));
        let failure = said(&Unseen::Table(unreadable)).unwrap_err();
        assert!(failure.stays_open);
        assert_eq!(failure.report.code, "look-failed");
        assert!(failure.report.message.contains("no table"), "{failure:?}");
    }

    // SPEC 7: a process that lets nobody look is named.
    #[test]
    fn a_process_that_cannot_be_looked_into_is_named() {
        let closed = vec![ProcessId { pid: 7, start: 1 }, ProcessId { pid: 9, start: 1 }];
        let finding = said(&Unseen::Closed(closed)).unwrap();
        assert_eq!(finding.code, LaunchCode::LookFailed);
        assert!(finding.message.contains("processes 7, 9"), "{finding:?}");
    }
}
