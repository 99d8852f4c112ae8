//! Which conversation a pane's process serves: the thread whose lock and record it holds itself.
//!
//! Neither is held while a dialog stands before it. A new thread holds its
//! lock from the start and its record from the first message on.

use super::held::{Held, by};
use super::layout::Layout;
use super::meta::{Meta, first_line};
use crate::contract::environment::SeatEnv;
use crate::contract::watch::Observation;
use seatfork_process::ProcessId;
use seatfork_schema::{ConversationId, Runtime};

/// Generations below the pane's process that are looked at: a script that starts a launcher that starts the program.
const GENERATIONS: usize = 4;

/// What the pane's own process serves: itself, or the program it started where it is a wrapper.
pub(super) fn observe(pane: ProcessId, env: &SeatEnv) -> Observation {
    // A look that failed says nothing, and neither do we.
    let (Ok(layout), Ok(alive)) = (Layout::of(env), pane.alive()) else {
        return Observation::Unknown;
    };
    if !alive {
        return Observation::Gone;
    }
    let Ok(all) = seatfork_process::all() else { return Observation::Unknown };
    let mut generation = vec![pane.pid];
    for _ in 0..GENERATIONS {
        let mut held: Vec<Held> = Vec::new();
        for pid in &generation {
            held.extend(by(*pid, &layout).unwrap_or_default());
        }
        // What the seat's own commands start below it is no concern of the seat.
        if !held.is_empty() {
            return serving(held);
        }
        generation = all
            .iter()
            .filter(|one| generation.contains(&one.parent) && !one.ended)
            .map(|one| one.id.pid)
            .collect();
    }
    Observation::Unknown
}

fn serving(held: Vec<Held>) -> Observation {
    let own: Vec<Held> = held.into_iter().filter(|one| !is_helper(one)).collect();
    let is_any = !own.is_empty();
    let mut written = Vec::new();
    for Held { thread, rollout } in own {
        let Some(rollout) = rollout else { continue };
        let metadata = std::fs::metadata(&rollout.path).and_then(|metadata| metadata.modified());
        // One that cannot be looked at may be the one: which it shows cannot be told.
        let Ok(at) = metadata else { return Observation::Unknown };
        written.push((at, thread));
    }
    // A pane in which another conversation was begun holds the one before it as well. The one it wrote last is the
    // one it is used for; one that has no record yet was begun and not used.
    written.sort();
    match (written.pop(), is_any) {
        (Some((_, thread)), _) => Observation::Serving {
            conversation: ConversationId::new(Runtime::Codex, thread),
            ready: true,
        },
        // Nothing of it stands on disk yet.
        (None, true) => Observation::Up,
        (None, false) => Observation::Unknown,
    }
}

/// A thread that another thread of the same program started.
fn is_helper(held: &Held) -> bool {
    let Some(rollout) = &held.rollout else { return false };
    let line = crate::record::open(&rollout.path).ok().and_then(|file| first_line(&file).ok()?);
    line.and_then(|line| Meta::parse(&line).ok()).is_some_and(|meta| meta.source.is_helper)
}
