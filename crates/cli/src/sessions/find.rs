//! Every conversation this build's adapters can list.

use seatfork_adapters::SessionSummary;
use seatfork_launch::{ErrorReport, LaunchCode, sessions};
use seatfork_schema::Runtime;

use crate::env::Environment;
use crate::ground::adapters;

/// What was found, and which runtimes could not be asked.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The conversations, newest first.
    pub(super) sessions: Vec<SessionSummary>,
    /// Why a runtime's could not be listed. That is no absence.
    pub(super) unread: Vec<(Runtime, ErrorReport)>,
}

/// Asks every adapter, or one runtime's.
pub(super) async fn all(env: &Environment, runtime: Option<Runtime>) -> Found {
    let mut found = Found::default();
    let adapters = adapters();
    if let Some(runtime) = runtime.filter(|runtime| adapters.get(*runtime).is_none()) {
        let message = format!("conversations of {runtime} cannot be listed by this build");
        found.unread.push((runtime, ErrorReport::new(LaunchCode::NotInThisBuild, message)));
    }
    for of_runtime in sessions(&adapters, &env.vars, runtime).await {
        match of_runtime.sessions {
            Ok(sessions) => found.sessions.extend(sessions),
            Err(error) => {
                let error = ErrorReport::new(LaunchCode::LookFailed, crate::failing::chain(&error));
                found.unread.push((of_runtime.runtime, error));
            }
        }
    }
    found.sessions.sort_by_key(|session| std::cmp::Reverse(session.last_activity));
    found
}
