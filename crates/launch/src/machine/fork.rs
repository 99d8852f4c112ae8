//! Phase 1: the conversation is made headless, and its new id is learnt (SPEC 6).

use super::end::Failure;
use crate::codes::LaunchCode;
use crate::crash::CrashPoint;
use crate::phase1::{OutputFiles, RunError, Running, start, told};
use crate::report::{ErrorReport, Step};
use crate::state::process_mark;
use crate::turn::Turn;
use seatfork_adapters::{Evidence, Phase1Output, PlanRefusal, ProcessPlan};
use seatfork_schema::ConversationId;
use seatfork_store::{Launch, RuntimeBinary};
use std::os::unix::fs::MetadataExt;

/// Runs phase 1 and learns the child's id; `None` where the runtime holds no conversation.
pub(super) async fn make(
    turn: &Turn,
    launch: &Launch,
    evidence: Option<&Evidence>,
) -> Result<Option<ConversationId>, Failure> {
    recheck(launch)
        .map_err(|message| Failure::of(Step::Fork, LaunchCode::BinaryChanged, message))?;
    let planned = turn
        .adapter
        .phase1(
            &turn.wish(launch),
            &turn.plan.binary,
            evidence,
            launch.planned_child.as_ref(),
            launch.nonce.as_str(),
        )
        .map_err(|refusal| Failure::new(Step::Fork, plan_refusal(refusal)))?;
    forking(turn, launch).await?;
    turn.ground.crash.reach(CrashPoint::BeforeSpawn);
    let Some(plan) = planned else { return Ok(None) };
    let files = OutputFiles::of(&turn.ground.output_dir, launch.id)
        .map_err(|error| Failure::of(Step::Fork, LaunchCode::OutputNotKept, error.to_string()))?;
    let output = run(turn, launch, &plan, files.clone()).await?;
    turn.ground.crash.reach(CrashPoint::AfterPhase1);
    learn(turn, launch, &output, &files).map(Some)
}

/// Writes down that the runtime is about to run. Only then it may.
async fn forking(turn: &Turn, launch: &Launch) -> Result<(), Failure> {
    let (id, at) = (launch.id, turn.ground.now());
    let stored = turn.ground.store.ask(move |store| store.forking(id, at)).await;
    stored.map_err(|error| Failure::store(Step::Fork, &error))
}

async fn run(
    turn: &Turn,
    launch: &Launch,
    plan: &ProcessPlan,
    files: OutputFiles,
) -> Result<Phase1Output, Failure> {
    let failed = |error: RunError| {
        let code = match &error {
            RunError::NoProgram | RunError::Spawn { .. } => LaunchCode::SpawnFailed,
            RunError::Output(_) => LaunchCode::OutputNotKept,
            RunError::Identify { .. } | RunError::Wait { .. } => LaunchCode::Phase1Failed,
        };
        Failure::of(Step::Fork, code, error.to_string())
    };
    let running = start(plan, &turn.env, launch.nonce.as_str(), files).map_err(failed)?;
    turn.ground.crash.reach(CrashPoint::AfterSpawn);
    record(turn, launch, &running).await;
    turn.ground.crash.reach(CrashPoint::AfterSpawnRecorded);
    let deadline = turn.ground.patience.phase1.unwrap_or(plan.deadline);
    running.finish(deadline).await.map_err(failed)
}

/// Writes down which process runs. Should the store refuse, the process goes on: its nonce tells it
/// as well, and the next step meets the same store.
async fn record(turn: &Turn, launch: &Launch, running: &Running) {
    let Some(process) = running.process() else { return };
    let (id, mark) = (launch.id, process_mark(process));
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
        let step = if refusal.code.starts_with("phase1") { Step::Fork } else { Step::Learn };
        let kept = files.telling();
        let mut message = refusal.message;
        if let Some(path) = &kept {
            message.push_str("; its own words are in ");
            message.push_str(path.as_str());
        }
        let report = ErrorReport {
            code: refusal.code.to_owned(),
            message,
            hint: LaunchCode::from_word(refusal.code).map(|code| code.next().to_owned()),
            output: told(&output.stdout, &output.stderr),
        };
        Failure { output_path: kept, ..Failure::new(step, report) }
    })
}

fn plan_refusal(refusal: PlanRefusal) -> ErrorReport {
    ErrorReport {
        code: refusal.code.to_owned(),
        message: refusal.message,
        hint: refusal.help,
        output: None,
    }
}

/// Whether the binary is still the one that answered the probe (SPEC 6).
pub(crate) fn recheck(launch: &Launch) -> Result<(), String> {
    let Some(binary) = &launch.binary else { return Ok(()) };
    let RuntimeBinary { version, path, device, inode, modified } = binary;
    let now = path.metadata().map_err(|error| format!("{path} (version {version}): {error}"))?;
    let same = now.dev() == *device
        && now.ino() == *inode
        && now.mtime() == modified.as_second()
        && now.mtime_nsec() == i64::from(modified.subsec_nanosecond());
    if same {
        Ok(())
    } else {
        Err(format!(
            "{path} is not the file that answered as version {version} any more; nothing was started"
        ))
    }
}
