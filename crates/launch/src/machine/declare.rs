//! Declaring a launch: its facts are durable before anything is done for it (SPEC 7, state 1).

use super::end::Failure;
use crate::report::{ErrorReport, Step};
use crate::turn::Turn;
use jiff::Timestamp;
use seatfork_adapters::Binary;
use seatfork_adapters::process::check_binary;
use seatfork_schema::LaunchCode;
use seatfork_store::{
    DeclareError, Launch, LaunchId, NewLaunch, Nonce, OwnerLock, Replaces, RuntimeBinary, Work,
};
use std::os::unix::fs::MetadataExt;

/// Whether a launch is declared.
#[derive(Debug)]
pub(crate) enum Declared {
    /// It is, and ours while the lock is held.
    Yes(OwnerLock, Box<Launch>),
    /// The seat has an open launch already.
    Open(Box<Launch>),
    /// The seat is not as it was when this was decided: somebody was faster. Nothing was stored; decide again.
    Stale,
    /// It is not; nothing was stored and nothing started.
    No(Failure),
}

/// Declares a launch. Its owner's lock is held before the row is there, so nobody ever sees it without an owner.
///
/// `after` is the number of the seat's latest launch when this was decided: with a later one the decision is old.
pub(crate) async fn declare(
    turn: &Turn,
    work: Work,
    replaces: Option<Replaces>,
    after: u32,
) -> Declared {
    turn.entered(Step::Declare);
    let at = turn.ground.now();
    let binary = match stored_binary(&turn.plan.binary) {
        Ok(binary) => binary,
        Err(message) => {
            return Declared::No(Failure::of(Step::Declare, LaunchCode::BinaryChanged, message));
        }
    };
    let new = NewLaunch {
        seat: turn.seat,
        work,
        nonce: Nonce::random(),
        owner: turn.ground.owner.clone(),
        replaces,
        cwd: turn.plan.wish.cwd.clone(),
        model: turn.plan.wish.model.clone(),
        profile: turn.plan.wish.codex_config_profile.clone(),
        notice_wanted: turn.plan.wish.notice,
        permission: turn.plan.wish.permission.clone().unwrap_or_else(|| "none".to_owned()),
        build: turn.ground.build.clone(),
        binary,
        at,
    };
    let declared = turn
        .ground
        .store
        .ask(move |store| {
            let lock = OwnerLock::acquire(&store.locks_dir(), LaunchId::new(at))
                .map_err(|error| crate::pane::chain(&error))?;
            Ok::<_, String>(match store.declare_after(&lock, &new, after) {
                Ok(launch) => Ok((lock, launch)),
                Err(error) => {
                    // The lock of a launch that will never be; a file that stays is free and harms nobody.
                    drop(lock.release());
                    Err(error)
                }
            })
        })
        .await;
    match declared {
        Ok(Ok((lock, launch))) => Declared::Yes(lock, Box::new(launch)),
        Ok(Err(DeclareError::Open { open })) => Declared::Open(open),
        Ok(Err(DeclareError::Store(error))) if error.rule() == Some(ONE_SPELLING) => {
            Declared::No(other_spelling())
        }
        Ok(Err(
            DeclareError::Overtaken { .. }
            | DeclareError::Occupied { .. }
            | DeclareError::OccupantChanged,
        )) => Declared::Stale,
        // Forgotten meanwhile.
        Ok(Err(DeclareError::Store(error))) if error.rule() == Some("launch_of_live_seat") => {
            Declared::Stale
        }
        Ok(Err(error)) => {
            let code = match &error {
                DeclareError::OwnToken { .. } => LaunchCode::ChildIsSource,
                _ => LaunchCode::StoreUnwritable,
            };
            let message = format!("{}; nothing was started", crate::pane::chain(&error));
            Declared::No(Failure::of(Step::Declare, code, message))
        }
        Err(message) => {
            let message = format!("{message}; nothing was started");
            Declared::No(Failure::of(Step::Declare, LaunchCode::StoreUnwritable, message))
        }
    }
}

/// The store's rule that an id is known in one spelling for good.
const ONE_SPELLING: &str = "conversation_no_replace";

/// An earlier build may have stored an id as a spec had it, in letters that no conversation of the runtime has.
fn other_spelling() -> Failure {
    let message = "this store knows the source's id in other letters, from an earlier build, and keeps one spelling of an id for good; nothing was started";
    let report = ErrorReport::new(LaunchCode::StoreUnwritable, message);
    let hint = "the store is sound and its seats are as they were; fork this source in another store, with --store and --runtime-dir";
    Failure::new(Step::Declare, report.hint(hint))
}

/// The binary as the store keeps it, with its time of change as it is now.
///
/// A binary that is not the one the probe met any more is refused here already.
fn stored_binary(binary: &Binary) -> Result<Option<RuntimeBinary>, String> {
    check_binary(binary).map_err(|error| format!("{error}; nothing was started"))?;
    let path = &binary.path;
    let now = path.metadata().map_err(|error| format!("{path}: {error}; nothing was started"))?;
    let nanos = i32::try_from(now.mtime_nsec()).unwrap_or(0);
    let modified = Timestamp::new(now.mtime(), nanos)
        .map_err(|error| format!("{path}: its time of change is no time: {error}"))?;
    Ok(Some(RuntimeBinary {
        version: binary.version.clone(),
        path: path.clone(),
        device: now.dev(),
        inode: now.ino(),
        modified,
    }))
}
