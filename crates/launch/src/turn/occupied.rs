//! What a turn does with a seat that has an occupant: leave it, open its first pane, bring it back.

use super::Turn;
use super::late_token;
use super::run::Carried;
use super::say::{cannot_look, failed, failed_by, left};
use crate::machine::{Failure, let_go};
use crate::pane::{Look, Presence, Seen, chain};
use crate::report::{Action, ErrorReport, Finding, Step};
use crate::resume::{Resumed, resume};
use crate::seat_pane::{OpenPane, adopt_stray, end_pane, may_resume, observed, open, see};
use crate::seat_report::Said;
use crate::state::{SeatState, rotation_finding};
use seatfork_adapters::PaneStart;
use seatfork_schema::{LaunchCode, ProcessState, SeatToken};
use seatfork_store::{Launch, LockError, OwnerLock};

/// A seat that runs: what was seen is written down, and what differs from the spec is said.
pub(super) async fn unchanged(
    turn: &Turn,
    state: &SeatState,
    look: Option<Look>,
    acted: Option<Action>,
) -> Said {
    let look = match look {
        Some(look) => Some(started(turn, state, look).await),
        None => None,
    };
    if let Some(look) = &look {
        Box::pin(late_token::take(turn, state, look)).await;
    }
    let mut findings: Vec<Finding> = rotation_finding(state, look.as_ref()).into_iter().collect();
    findings.extend(later(turn, state));
    let idle = !turn.plan.needs_process
        && look.as_ref().is_none_or(|look| look.presence == Presence::Gone);
    let seen = if idle {
        Some(Seen::just(ProcessState::None, turn.ground.now()))
    } else {
        look.and_then(|look| look.seen)
    };
    if let (Some(seen), Some(pane)) = (&seen, &state.pane)
        && let Err(message) = observed(turn, pane.launch, seen).await
    {
        turn.remark(message);
    }
    Said { action: Some(acted.unwrap_or(Action::Unchanged)), seen, findings, ..Said::default() }
}

/// A pane that still starts, whoever opened it a moment ago, is waited for: `up` is over when its seats are ready.
async fn started(turn: &Turn, state: &SeatState, look: Look) -> Look {
    let starts = look.seen.as_ref().is_some_and(|seen| seen.state == ProcessState::Starting);
    match (&look.pane, &state.pane) {
        (Some(pane), Some(row)) if starts => {
            let open = OpenPane { launch: row.launch, pane: pane.clone() };
            Look { seen: Some(see(turn, &open).await), ..look }
        }
        _ => look,
    }
}

/// Settings of the spec that take effect at the next start (SPEC 6 "Permissions").
fn later(turn: &Turn, state: &SeatState) -> Option<Finding> {
    let launch = state.pane_launch.as_ref()?;
    let wish = &turn.plan.wish;
    let permission = wish.permission.as_deref().unwrap_or("none");
    let mut changed = Vec::new();
    if launch.model != wish.model {
        changed.push("model");
    }
    if launch.profile != wish.codex_config_profile {
        changed.push("codex_config_profile");
    }
    if launch.permission != permission {
        changed.push("permission_policy");
    }
    (!changed.is_empty()).then(|| {
        let message = format!("{} changed in the spec", changed.join(" and "));
        Finding::new(LaunchCode::TakesEffectLater, message)
    })
}

/// The first pane of a realized launch, which belongs to that launch, even after a crash. `None`: decide again, now
/// that nobody else can be at work on it.
pub(super) async fn first_pane(
    turn: &Turn,
    state: &SeatState,
    carried: &mut Carried,
) -> Option<Said> {
    let Some(launch) = state.row.occupant_launch.as_ref() else {
        let error = ErrorReport::new(LaunchCode::PaneFailed, "no launch made its occupant");
        return Some(failed(Step::Pane, error, Some(Action::Created)));
    };
    if carried.lock.as_ref().is_some_and(|lock| lock.launch() == launch.id) {
        return Some(open_or_adopt(turn, state, launch).await);
    }
    turn.entered(Step::Recover);
    if let Some(lock) = carried.lock.take() {
        let_go(turn, lock);
    }
    let id = launch.id;
    let taken = turn.ground.store.ask(move |store| OwnerLock::take_over(&store.locks_dir(), id));
    match taken.await {
        Ok(lock) => carried.lock = Some(lock),
        Err(LockError::Held { .. }) => return Some(left(Some(launch))),
        Err(error) => return Some(cannot_look(&chain(&error))),
    }
    None
}

/// The pane of a launch whose lock is held: the one a dead owner opened, or a new one.
async fn open_or_adopt(turn: &Turn, state: &SeatState, launch: &Launch) -> Said {
    let created = Some(Action::Created);
    let token = state.row.occupant.as_ref().and_then(|occupant| occupant.token.as_ref());
    let pane = match adopt_stray(&turn.ground, launch).await {
        Ok(Some(pane)) => {
            // Somebody may have worked in it since its launcher died: what it serves now is told, and it is left.
            let seen = see(turn, &pane).await;
            let after = Look { presence: Presence::Running, seen: Some(seen.clone()), pane: None };
            let findings = rotation_finding(state, Some(&after)).into_iter().collect();
            return Said { action: created, seen: Some(seen), findings, ..Said::default() };
        }
        Ok(None) if turn.ground.cancel.is_requested() => {
            let error = ErrorReport::new(
                LaunchCode::Interrupted,
                "the seat is stored and its pane was not opened",
            );
            return Said {
                action: created,
                error: Some((Step::Pane.to_string(), error)),
                ..Said::default()
            };
        }
        Ok(None) => match open_first(turn, state, launch, token).await {
            Ok(pane) => pane,
            Err(failure) => return failed_by(failure, created),
        },
        Err(failure) => return failed_by(failure, created),
    };
    let seen = see(turn, &pane).await;
    let other = state.token().and_then(|own| Some((seen.other_than(own)?, own)));
    let Some((served, own)) = other else {
        return Said { action: created, seen: Some(seen), ..Said::default() };
    };
    let ended = end_pane(turn, &pane).await;
    let message = format!(
        "the pane serves {} and not the seat's own {}; it {}, and the token is kept",
        served.native_id,
        own.native_id,
        ended.as_ref().map_or_else(String::as_str, |_| "was ended")
    );
    let failure = Failure::of(Step::Ready, LaunchCode::ServesAnotherConversation, message)
        .hint("run up again: it opens the pane with the seat's own conversation");
    Said { seen: Some(ended.unwrap_or(seen)), ..failed_by(failure, created) }
}

async fn open_first(
    turn: &Turn,
    state: &SeatState,
    launch: &Launch,
    token: Option<&SeatToken>,
) -> Result<OpenPane, Failure> {
    if let Some(token) = token {
        may_resume(turn, state, token.conversation()).await?;
    }
    open(turn, launch, token.map_or(PaneStart::Fresh, PaneStart::Resume)).await
}

/// Brings a seat back by its own token. `None`: somebody was faster; decide again.
pub(super) async fn bring_back(turn: &Turn, state: &SeatState) -> Option<Said> {
    let token = state.row.occupant.as_ref().and_then(|occupant| occupant.token.clone());
    let Some(token) = token else {
        let error = ErrorReport::new(LaunchCode::OwnConversationGone, "the seat has no token");
        return Some(failed(Step::Resolve, error, None));
    };
    let said = |action, seen| Said { action, seen: Some(seen), ..Said::default() };
    Some(match resume(turn, state, &token).await {
        Resumed::Yes(seen) => said(Some(Action::Resumed), seen),
        // Its pane is open and was not seen to serve the token: that is not `resumed` (yet).
        Resumed::Waiting(seen) => said(None, seen),
        Resumed::Failed(failure, seen) => Said { seen, ..failed_by(failure, None) },
        Resumed::Left(owned) => left(Some(&owned)),
        Resumed::Stale => return None,
    })
}
