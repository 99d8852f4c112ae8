//! Proof and the one transaction that makes a seat, on the live path and for what a dead owner left (SPEC 7, 8).

use super::end::Failure;
use crate::crash::CrashPoint;
use crate::pane::chain;
use crate::phase1::OutputFiles;
use crate::pins::Pins;
use crate::report::Step;
use crate::tasks::off_thread;
use crate::turn::Turn;
use seatfork_adapters::{Evidence, ProveError};
use seatfork_schema::proof::ByteRange;
use seatfork_schema::{
    ConversationId, LaunchCode, NotProved, NoticeState, Proof, ProofGrade, ProofStatus, ProvedChild,
};
use seatfork_store::rescue::{self, Rescue};
use seatfork_store::{Launch, RealizeError, Realized, SourceRange};

/// What a launch made, ready to be stored.
#[derive(Debug)]
pub(crate) enum Proved {
    /// A conversation with evidence enough to live in a seat.
    Child(Box<ProvedChild>),
    /// None, by design (terminal).
    NoConversation,
    /// None yet: its pane makes it, and its token is stored later, once.
    TokenLater,
}

/// Compares the child with the source, both as they stand on disk now.
pub(crate) async fn prove(
    turn: &Turn,
    launch: &Launch,
    evidence: Option<&Evidence>,
    child: ConversationId,
) -> Result<Proved, Failure> {
    let proof = turn
        .adapter
        .prove_untouched(evidence, &child, &turn.env, &launch.cwd)
        .await
        .map_err(|error| {
            let (code, status, message) = match error {
                ProveError::Refuted { code, message } => (code, ProofStatus::Refuted, message),
                ProveError::Unverifiable { code, message } => {
                    (code, ProofStatus::Unverifiable, message)
                }
            };
            let proof =
                Proof { grade: ProofGrade::L1, status, detail: message.clone(), inherited: None };
            keep_words(turn, launch, Failure::of(Step::Prove, code, message).against(proof))
        })?;
    let proved = match &launch.source {
        Some(source) => ProvedChild::forked(source.clone(), child, proof.clone()),
        None => ProvedChild::fresh(child, proof.clone()),
    };
    proved.map(|proved| Proved::Child(Box::new(proved))).map_err(|error| {
        let code = match error {
            NotProved::IsTheSource { .. } => LaunchCode::ChildIsSource,
            NotProved::OtherRuntime { .. } => LaunchCode::ChildIdMismatch,
            NotProved::TooWeak { .. } => LaunchCode::ProofTooWeak,
        };
        let failure = Failure::of(Step::Prove, code, error.to_string()).against(proof);
        keep_words(turn, launch, failure)
    })
}

/// A failure of the proof with where the runtime's own words are: it said success, and that may tell why (SPEC 10).
fn keep_words(turn: &Turn, launch: &Launch, mut failure: Failure) -> Failure {
    let kept = OutputFiles::named(&turn.ground.output_dir, launch.id).telling();
    if let Some(path) = &kept {
        failure.report.message.push_str("; what the runtime said is in ");
        failure.report.message.push_str(path.as_str());
    }
    failure.kept_in(kept)
}

/// Stores conversation, launch, occupant, proof and lineage in one transaction. Only then is anything said.
pub(crate) async fn realize(turn: &Turn, launch: &Launch, proved: Proved) -> Result<(), Failure> {
    let (id, at) = (launch.id, turn.ground.now());
    match proved {
        Proved::NoConversation => {
            let stored = turn.ground.store.ask(move |store| store.realize_terminal(id, at)).await;
            stored.map_err(|error| {
                Failure::of(Step::Store, LaunchCode::ResultNotStored, chain(&error)).open()
            })?;
        }
        Proved::TokenLater => {
            let none = NoticeState::None;
            let stored =
                turn.ground.store.ask(move |store| store.realize_without_token(id, none, at)).await;
            stored.map_err(|error| {
                Failure::of(Step::Store, LaunchCode::ResultNotStored, chain(&error)).open()
            })?;
        }
        Proved::Child(child) => {
            let facts = Realized {
                notice: notice(turn, child.child()).await,
                ranges: ranges(child.proof()),
                at,
            };
            let asked = child.clone();
            let stored =
                turn.ground.store.ask(move |store| store.realize(id, &asked, &facts)).await;
            match stored {
                Ok(_) if turn.plan.pin_source => pin(turn, launch, child.proof()).await,
                Ok(_) => {}
                Err(error) => return Err(not_stored(turn, launch, &child, &error).await),
            }
        }
    }
    turn.ground.crash.reach(CrashPoint::AfterRealized);
    tidy(turn, launch).await;
    Ok(())
}

/// Whether the child was told what it is, read in the child itself.
async fn notice(turn: &Turn, child: &ConversationId) -> NoticeState {
    match turn.adapter.has_notice(child, &turn.env).await {
        Ok(true) => NoticeState::Injected,
        Ok(false) => NoticeState::None,
        Err(error) => {
            turn.remark(format!(
                "whether the notice stands in the child could not be seen: {error}"
            ));
            NoticeState::None
        }
    }
}

/// Keeps a link to every record the child's history lives in. The seat is stored, so what fails is said and no more.
async fn pin(turn: &Turn, launch: &Launch, proof: &Proof) {
    let (pins, ranges) = (Pins::of(&turn.ground.output_dir, launch.id), ranges(proof));
    for why in off_thread(move || pins.make(&ranges)).await {
        turn.remark(format!("not pinned: {why}"));
    }
}

/// The records the child's history lives in, as the store keeps them.
fn ranges(proof: &Proof) -> Vec<SourceRange> {
    let depends_on = proof.inherited.iter().flat_map(|inherited| &inherited.depends_on);
    let range = |range: &ByteRange| SourceRange {
        path: range.path.clone().into(),
        device: range.device,
        inode: range.inode,
        from: range.from,
        to: range.to,
        sha256: range.sha256.clone(),
    };
    depends_on.map(range).collect()
}

/// A child that no seat came of: refused by a rule of the store, or the store itself failed.
async fn not_stored(
    turn: &Turn,
    launch: &Launch,
    child: &ProvedChild,
    error: &RealizeError,
) -> Failure {
    let refused = |code| Failure::of(Step::Store, code, chain(error));
    match error {
        RealizeError::OwnedBy { .. } => refused(LaunchCode::ChildIdTaken),
        RealizeError::IsASource { .. } => refused(LaunchCode::ChildIsSource),
        RealizeError::OtherChild { .. } | RealizeError::OtherSource { .. } => {
            refused(LaunchCode::ChildIdMismatch)
        }
        RealizeError::OutOfStep { .. }
        | RealizeError::WrongEnd { .. }
        | RealizeError::OccupantChanged { .. }
        | RealizeError::OccupantEnded { .. }
        | RealizeError::Store(_) => token_not_stored(turn, launch, child, &chain(error)).await,
    }
}

/// The child exists and the row says forking: its id and proof go to the error and into a rescue file (SPEC 7, 10).
async fn token_not_stored(turn: &Turn, launch: &Launch, child: &ProvedChild, why: &str) -> Failure {
    let rescue = Rescue {
        launch: launch.id,
        seat: launch.seat,
        seat_name: turn.plan.seat.to_string(),
        child: child.child().clone(),
        source: child.source().cloned(),
        proof: child.proof().clone(),
        why: why.to_owned(),
        at: turn.ground.now(),
    };
    let written =
        turn.ground.store.ask(move |store| rescue::write(&store.rescue_dir(), &rescue)).await;
    let kept = match &written {
        Ok(path) => format!("kept in {path}"),
        Err(error) => format!("no rescue file could be written either: {}", chain(error)),
    };
    turn.ground.crash.reach(CrashPoint::RescueWritten);
    let message = format!(
        "conversation {} was made and proved ({}) and its token could not be stored: {why}; \
         the seat is not launched, no pane was opened; the id is not lost: {kept}",
        child.child().native_id,
        child.proof(),
    );
    Failure::of(Step::Store, LaunchCode::TokenNotStored, message).open()
}

/// What is not needed any more once the store has the seat: captured output, and a rescue file.
async fn tidy(turn: &Turn, launch: &Launch) {
    let files = OutputFiles::named(&turn.ground.output_dir, launch.id);
    if let Err(error) = files.remove() {
        turn.remark(format!("captured output could not be removed: {error}"));
    }
    let id = launch.id;
    let removed = turn
        .ground
        .store
        .ask(move |store| {
            let path = store.rescue_dir().join(format!("{id}.json"));
            if path.exists() { rescue::remove(&path) } else { Ok(()) }
        })
        .await;
    if let Err(error) = removed {
        turn.remark(format!("a rescue file could not be removed: {}", chain(&error)));
    }
}
