//! `sessions`: prior conversations across runtimes, as the adapters see them (SPEC 12).

use crate::adapters::{Adapters, CallerEnv, Locations, seat_env};
use seatfork_adapters::{FindError, SessionSummary};
use seatfork_schema::Runtime;

/// The prior conversations of one runtime, or why they cannot be listed.
#[derive(Debug)]
pub struct RuntimeSessions {
    /// The runtime.
    pub runtime: Runtime,
    /// Newest first.
    pub sessions: Result<Vec<SessionSummary>, FindError>,
}

/// Lists prior conversations, of one runtime or of every one that can fork. Reads only.
pub async fn sessions(
    adapters: &Adapters,
    caller: &CallerEnv,
    only: Option<Runtime>,
) -> Vec<RuntimeSessions> {
    let mut all = Vec::new();
    for adapter in adapters.iter() {
        let runtime = adapter.runtime();
        let wanted = only.map_or(adapter.describe().fork, |only| only == runtime);
        if !wanted {
            continue;
        }
        let locations = Locations::of(caller, adapter.describe());
        let env = seat_env(caller, adapter.describe(), &[], &locations);
        all.push(RuntimeSessions { runtime, sessions: adapter.sessions(&env).await });
    }
    all
}
