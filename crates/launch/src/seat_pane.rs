//! A seat's pane: opened by a plain resume of the seat's own token, recorded, and seen (SPEC 6, 7).

use crate::crash::CrashPoint;
use crate::fail::plan_refusal;
use crate::ground::Ground;
use crate::machine::Failure;
use crate::pane::{self, Seen, await_ready, chain, session_name, stray};
use crate::report::{ErrorReport, Step};
use crate::state::{SeatState, process_id, process_mark};
use crate::turn::Turn;
use seatfork_adapters::process::check_binary;
use seatfork_adapters::{FindError, InUse, PaneStart};
use seatfork_schema::{ConversationId, LaunchCode, ProcessState};
use seatfork_store::{Launch, LaunchId, NewPane};
use seatfork_tmux::{CwdCheck, Pane};
use std::time::{Duration, Instant};

/// How long whoever serves a conversation is given to let go of it: a program that is just ending still holds it.
const LET_GO: Duration = Duration::from_secs(3);
const TICK: Duration = Duration::from_millis(50);

/// Before any resume: the recorded process is gone, no other process serves the conversation, and its
/// record is still there. Nothing is started otherwise (SPEC 6).
pub(crate) async fn may_resume(
    turn: &Turn,
    state: &SeatState,
    conversation: &ConversationId,
) -> Result<(), Failure> {
    let id = &conversation.native_id;
    let look = |path: &dyn std::fmt::Display| {
        Failure::of(Step::Resolve, LaunchCode::LookFailed, format!("{path}; nothing was started"))
    };
    if let Some(recorded) = state.pane.as_ref().and_then(|pane| process_id(&pane.process)) {
        match recorded.alive() {
            Ok(false) => {}
            Ok(true) => {
                return Err(in_use(
                    id.as_str(),
                    recorded.pid,
                    "it is the seat's own earlier process",
                ));
            }
            Err(error) => return Err(look(&chain(&error))),
        }
    }
    match user_of(turn, conversation).await {
        Ok(None) => {}
        Ok(Some(user)) => {
            return Err(in_use(id.as_str(), user.pid, &format!("seen in {}", user.seen_in)));
        }
        Err(error) => return Err(look(&error)),
    }
    match turn.adapter.locate(conversation, &turn.env).await {
        Ok(Some(_)) => Ok(()),
        Ok(None) => {
            let message = format!(
                "the seat's own conversation {id} is not there any more; nothing was started, and this is not a fresh seat"
            );
            Err(Failure::of(Step::Resolve, LaunchCode::OwnConversationGone, message))
        }
        Err(error) => Err(look(&error)),
    }
}

/// Who serves a conversation, once there was time to let go of it.
async fn user_of(turn: &Turn, conversation: &ConversationId) -> Result<Option<InUse>, FindError> {
    let until = Instant::now() + LET_GO.min(turn.ground.patience.ready);
    loop {
        let user = turn.adapter.in_use(conversation, &turn.env).await?;
        if user.is_none() || Instant::now() >= until || turn.ground.cancel.is_requested() {
            return Ok(user);
        }
        tokio::time::sleep(TICK).await;
    }
}

fn in_use(id: &str, pid: u32, how: &str) -> Failure {
    let message = format!("process {pid} serves conversation {id} ({how}); nothing was started");
    let report = ErrorReport::new(LaunchCode::ConversationInUse, message)
        .hint(format!("end process {pid}, then run up again"));
    Failure::new(Step::Resolve, report)
}

/// A pane that is open and written down.
#[derive(Debug)]
pub(crate) struct OpenPane {
    /// The launch it was opened for.
    pub(crate) launch: LaunchId,
    /// It.
    pub(crate) pane: Pane,
}

/// Opens a launch's pane and writes it down.
pub(crate) async fn open(
    turn: &Turn,
    launch: &Launch,
    start: PaneStart<'_>,
) -> Result<OpenPane, Failure> {
    turn.entered(Step::Pane);
    check_binary(&turn.plan.binary).map_err(|error| {
        let message = format!("{error}; no pane was opened");
        Failure::of(Step::Pane, LaunchCode::BinaryChanged, message)
    })?;
    let plan = turn
        .adapter
        .pane(&turn.wish(launch), &turn.plan.binary, start)
        .map_err(|no| Failure::new(Step::Pane, plan_refusal(no)))?;
    let opened = pane::open(&turn.ground.tmux, launch.id, &launch.nonce, &plan, &turn.env)
        .await
        .map_err(|error| Failure::of(Step::Pane, LaunchCode::PaneFailed, error.to_string()))?;
    turn.ground.crash.reach(CrashPoint::AfterPane);
    if opened.cwd == CwdCheck::Unreadable {
        turn.remark("the directory the pane started in could not be looked at".to_owned());
    }
    record(&turn.ground, launch, &opened.pane).await?;
    turn.ground.crash.reach(CrashPoint::AfterPaneRecorded);
    Ok(OpenPane { launch: launch.id, pane: opened.pane })
}

/// The pane of a launch that a dead owner made and did not write down: found by name and nonce, and adopted.
pub(crate) async fn adopt_stray(
    ground: &Ground,
    launch: &Launch,
) -> Result<Option<OpenPane>, Failure> {
    let unknown = |why| Failure::of(Step::Recover, LaunchCode::PaneUnknown, why);
    let name = session_name(launch.id).map_err(|error| unknown(error.to_string()))?;
    let found = stray(&ground.tmux, name, launch.nonce.as_str()).await.map_err(unknown)?;
    let Some(pane) = found else { return Ok(None) };
    record(ground, launch, &pane).await?;
    Ok(Some(OpenPane { launch: launch.id, pane }))
}

/// Writes a pane down, as starting.
async fn record(ground: &Ground, launch: &Launch, pane: &Pane) -> Result<(), Failure> {
    // A program that ended at once has no identity any more; its pid alone names it, and no live
    // process can have that start.
    let process = pane.process.map_or_else(
        || seatfork_store::ProcessMark { pid: pane.pid, start: "0".to_owned() },
        process_mark,
    );
    let new = NewPane {
        socket: ground.tmux.socket().to_owned(),
        session: pane.name.as_str().to_owned(),
        server: process_mark(pane.server),
        pane_id: pane.pane.to_string(),
        process,
        observed: ProcessState::Starting,
        at: ground.now(),
    };
    let id = launch.id;
    let stored = ground.store.ask(move |store| store.record_pane(id, &new)).await;
    stored.map_err(|error| {
        let message = format!(
            "the pane {} is open and could not be written down: {}",
            pane.name,
            chain(&error)
        );
        Failure::of(Step::Pane, LaunchCode::ResultNotStored, message)
    })
}

/// Waits until the pane is ready, asks, or ends, and writes down what was seen.
pub(crate) async fn see(turn: &Turn, open: &OpenPane) -> Seen {
    turn.entered(Step::Ready);
    let ground = &turn.ground;
    let seen = await_ready(
        &ground.tmux,
        turn.adapter,
        &open.pane,
        &turn.env,
        ground.patience.ready,
        ground.clock.as_ref(),
        &ground.cancel,
    )
    .await;
    if let Err(message) = observed(turn, open.launch, &seen).await {
        turn.remark(message);
    }
    seen
}

/// Ends a pane of ours that does not serve what it should, and its process, and writes down that it ended.
/// `Err`: how it could not be ended, in words.
pub(crate) async fn end_pane(turn: &Turn, open: &OpenPane) -> Result<Seen, String> {
    let (pane, process) = (open.pane.clone(), open.pane.process);
    let ended = pane::end(&turn.ground.tmux, Some(pane), process).await;
    ended.map_err(|error| format!("could not be ended: {}", chain(&error)))?;
    let seen = Seen::just(ProcessState::Exited, turn.ground.now());
    if let Err(message) = observed(turn, open.launch, &seen).await {
        turn.remark(message);
    }
    Ok(seen)
}

/// Writes down what was seen of a pane's process.
pub(crate) async fn observed(turn: &Turn, launch: LaunchId, seen: &Seen) -> Result<(), String> {
    if seen.state == ProcessState::None {
        return Ok(());
    }
    let (state, exit_code, at) = (seen.state, seen.exit_code, seen.at);
    let exit_code = exit_code.filter(|_| state == ProcessState::Exited);
    let stored =
        turn.ground.store.ask(move |store| store.observe_pane(launch, state, exit_code, at)).await;
    // `false` says that a newer observation stands, which is kept.
    stored.map(|_| ()).map_err(|error| {
        format!("what was seen of the pane could not be stored: {}", chain(&error))
    })
}
