//! Taking over what was named: a rotation of a seat's pane, or an orphan by its mark (SPEC 7 "Rotation").

use super::again::turn_of;
use crate::exit::ExitClass;
use crate::ground::Ground;
use crate::machine::{
    Declared, Failure, Proved, declare, evidence_of, fail, let_go, prove, realize,
};
use crate::pane::chain;
use crate::ps::equipment;
use crate::report::{ErrorReport, Finding, ReconcileItem, ReconcileReport, Step};
use crate::state::{SeatState, look_at, rotation};
use crate::turn::{Turn, is_without_seat};
use crate::up::store_code;
use seatfork_schema::{ConversationId, LaunchCode, NativeId, Runtime};
use seatfork_store::{
    AdoptError, Adoption, Launch, LaunchId, NewLaunch, Nonce, OwnerLock, Resolution, SeatRow,
    StoreError, Work,
};
use std::sync::Arc;
use thiserror::Error;

/// Why nothing was taken over. The seat is as it was.
#[derive(Debug, Error)]
pub enum AdoptSeatError {
    /// The pane serves the seat's own token, or nothing that can be seen.
    #[error("{seat} is not rotated: {why}")]
    NotRotated {
        /// The seat.
        seat: String,
        /// What was seen.
        why: String,
    },
    /// No launch of ours that ended without a seat bears that mark.
    #[error("{id} bears the mark of no launch of ours that ended without a seat{}", hint(.why))]
    NoOrphan {
        /// The conversation.
        id: String,
        /// What it is instead.
        why: String,
    },
    /// Another seat's token, a source of this seat, or a launch that is open.
    #[error("{seat}: {message}")]
    Refused {
        /// The seat.
        seat: String,
        /// Why.
        message: String,
    },
    /// What taking it over stands on is not there. Nothing was stored.
    #[error("{seat}: {}", .error.message)]
    NotBegun {
        /// The seat.
        seat: String,
        /// What is not there, by its own code.
        error: ErrorReport,
    },
    /// It was begun and did not succeed: refuted, not to be looked at, or not stored.
    #[error("{seat}: {}", .error.message)]
    Failed {
        /// The seat.
        seat: String,
        /// Why, by its own code.
        error: ErrorReport,
    },
    /// The store could not be read or written.
    #[error("{}", chain(.0))]
    Store(#[from] StoreError),
}

fn hint(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(": {why}") }
}

impl AdoptSeatError {
    /// How the command ends.
    pub fn exit(&self) -> ExitClass {
        match self {
            Self::NotRotated { .. } | Self::NoOrphan { .. } => ExitClass::NotFound,
            Self::Refused { .. } => ExitClass::Conflict,
            Self::Failed { .. } => ExitClass::Failed,
            Self::NotBegun { .. } | Self::Store(_) => ExitClass::NotReady,
        }
    }

    /// The stable code.
    pub fn code(&self) -> &str {
        match self {
            Self::NotRotated { .. } | Self::NoOrphan { .. } | Self::Refused { .. } => {
                LaunchCode::AdoptRefused.as_str()
            }
            Self::NotBegun { error, .. } | Self::Failed { error, .. } => &error.code,
            Self::Store(error) => store_code(error).as_str(),
        }
    }

    /// What to do.
    pub fn hint(&self) -> &str {
        match self {
            Self::NotBegun { error, .. } | Self::Failed { error, .. } => {
                error.hint.as_deref().unwrap_or_default()
            }
            Self::Store(error) => store_code(error).next(),
            _ => LaunchCode::AdoptRefused.next(),
        }
    }

    /// Whether the seat's rows are as they were.
    pub const fn is_untouched(&self) -> bool {
        !matches!(self, Self::Failed { .. })
    }
}

fn done(seat: &str, finding: Finding, done: String, child: &ConversationId) -> ReconcileReport {
    let item = ReconcileItem {
        seat: seat.to_owned(),
        code: finding.code,
        message: finding.message,
        plan: String::new(),
        done: Some(done),
        conversation: Some(child.into()),
        next: None,
        error: None,
    };
    ReconcileReport::new(true, vec![item], Vec::new())
}

/// Ends a rotated seat's occupant and adds the conversation its pane was observed to serve.
pub async fn adopt_seat(
    ground: &Arc<Ground>,
    row: &SeatRow,
) -> Result<ReconcileReport, AdoptSeatError> {
    let seat = row.seat.name.clone();
    let asked = row.clone();
    let state = ground.store.ask(move |store| SeatState::of(store, asked)).await?;
    let not = |why: String| AdoptSeatError::NotRotated { seat: seat.clone(), why };
    let (adapter, env) = equipment(ground, &row.seat)
        .ok_or_else(|| not(format!("this build has no adapter for {}", row.seat.runtime)))?;
    let look = look_at(ground, adapter, &state, &env).await;
    let observed = rotation(&state, look.as_ref()).cloned().ok_or_else(|| {
        let serves =
            look.as_ref().and_then(|look| look.seen.as_ref()).and_then(|seen| seen.serves.as_ref());
        not(serves.map_or_else(
            || "what its pane serves could not be seen".to_owned(),
            |_| "its pane serves its own token".to_owned(),
        ))
    })?;
    let at = ground.now();
    let last = state.row.last_launch.as_ref();
    let new = NewLaunch {
        seat: row.seat.id,
        work: Work::Fresh { planned: None },
        nonce: Nonce::random(),
        owner: ground.owner.clone(),
        replaces: None,
        cwd: row.seat.cwd.clone(),
        model: last.and_then(|launch| launch.model.clone()),
        profile: last.and_then(|launch| launch.profile.clone()),
        notice_wanted: last.is_none_or(|launch| launch.notice_wanted),
        permission: last.map_or_else(|| "none".to_owned(), |launch| launch.permission.clone()),
        build: ground.build.clone(),
        binary: last.and_then(|launch| launch.binary.clone()),
        at,
    };
    let after = state.latest();
    let adoption = Adoption { observed: observed.clone(), parent: None, proof: None, after };
    let refused = |message: String| AdoptSeatError::Refused { seat: seat.clone(), message };
    let adopted = ground
        .store
        .ask(move |store| {
            let owned = OwnerLock::acquire(&store.locks_dir(), LaunchId::new(at))
                .map_err(|error| Err(chain(&error)))?;
            let adopted = store.adopt(&owned, &new, &adoption);
            // The launch is over with its one transaction; its lock file is not needed any more.
            let released = owned.release();
            adopted.map_err(Ok)?;
            released.map_err(|error| Err(chain(&error)))
        })
        .await;
    match adopted {
        Ok(()) => {}
        Err(Ok(AdoptError::Store(error))) => return Err(error.into()),
        Err(Ok(error)) => return Err(refused(chain(&error))),
        Err(Err(message)) => {
            let error = ErrorReport::new(LaunchCode::StoreUnwritable, message);
            return Err(AdoptSeatError::NotBegun { seat, error });
        }
    }
    let message = format!("the pane served {} in place of the seat's token", observed.native_id);
    let finding = Finding::new(LaunchCode::ServesAnotherConversation, message);
    let told = format!(
        "{} is the seat's token now; the old occupant ended as rotated",
        observed.native_id
    );
    Ok(done(&seat, finding, told, &observed))
}

/// Binds an orphan to its seat: a new launch with the same source and the same proof.
pub async fn adopt_orphan(
    ground: &Arc<Ground>,
    id: &NativeId,
    allow_yolo: bool,
) -> Result<ReconcileReport, AdoptSeatError> {
    let no = |why: &str| AdoptSeatError::NoOrphan { id: id.to_string(), why: why.to_owned() };
    let lost = launch_with_mark(ground, id).await?.ok_or_else(|| no(""))?;
    if !is_without_seat(&lost) {
        return Err(no("its launch did not end without a seat"));
    }
    let seat = lost.seat;
    let state = ground.store.ask(move |store| SeatState::read(store, seat)).await?;
    let name = state.row.seat.name.clone();
    let refused = |message: String| AdoptSeatError::Refused { seat: name.clone(), message };
    if state.row.occupant.is_some() {
        return Err(refused("somebody lives in the seat".to_owned()));
    }
    let not_begun = |error: ErrorReport| AdoptSeatError::NotBegun { seat: name.clone(), error };
    let turn = turn_of(ground, &state, allow_yolo).await.map_err(not_begun)?;
    let found = turn
        .adapter
        .find_made(lost.planned_child.as_ref(), lost.nonce.as_str(), &turn.env)
        .await
        .map_err(|error| AdoptSeatError::Failed {
            seat: name.clone(),
            error: ErrorReport::new(LaunchCode::LookFailed, chain(&error)),
        })?;
    let Some(made) = found else { return Err(no("it is not there any more")) };
    let (lock, launch) =
        match declare(&turn, Work::Orphan { of: lost.id }, None, state.latest()).await {
            Declared::Yes(lock, launch) => (lock, launch),
            Declared::Open(open) => {
                return Err(refused(format!("the seat has an open launch {}", open.id)));
            }
            Declared::Stale => {
                return Err(refused("somebody else was at work on the seat meanwhile".to_owned()));
            }
            Declared::No(failure) => return Err(not_begun(failure.told().1)),
        };
    let bound = bind(&turn, &lost, &launch, made.conversation.clone()).await;
    let ended = match bound {
        Ok(()) => Ok(()),
        Err(failure) => Err(fail(&turn, &launch, failure).await),
    };
    let_go(&turn, lock);
    ended.map_err(|failure| AdoptSeatError::Failed {
        seat: name.clone(),
        error: failure.told().1,
    })?;
    let message = format!("conversation {id} bears the mark of attempt {}", lost.attempt);
    let finding = Finding::new(LaunchCode::OrphanFound, message);
    let told =
        format!("{id} is the seat's token now, proved as a fork is; seatfork up opens its pane");
    Ok(done(&name, finding, told, &made.conversation))
}

/// The launch whose mark a conversation bears, whatever runtime it is of.
async fn launch_with_mark(ground: &Ground, id: &NativeId) -> Result<Option<Launch>, StoreError> {
    for runtime in [Runtime::ClaudeCode, Runtime::Codex, Runtime::Pi] {
        let child = ConversationId::new(runtime, id.clone());
        if let Some(launch) = ground.store.ask(move |store| store.launch_by_child(&child)).await? {
            return Ok(Some(launch));
        }
    }
    Ok(None)
}

/// The same evidence, the same proof, the same transaction as on the live path.
async fn bind(
    turn: &Turn,
    lost: &Launch,
    launch: &Launch,
    child: ConversationId,
) -> Result<(), Failure> {
    let evidence = evidence_of(lost).map_err(|error| {
        let message = format!("the stored evidence cannot be read: {error}");
        Failure::of(Step::Resolve, LaunchCode::StoreCorrupt, message)
    })?;
    let resolution = Resolution { evidence: lost.evidence.clone(), artifacts: Vec::new() };
    let (id, at) = (launch.id, turn.ground.now());
    let stored = turn
        .ground
        .store
        .ask(move |store| {
            store.resolved(id, &resolution, at)?;
            store.forking(id, at)
        })
        .await;
    stored.map_err(|error| Failure::store(Step::Recover, &error))?;
    let proved: Proved = prove(turn, launch, evidence.as_ref(), child).await?;
    realize(turn, launch, proved).await
}
