//! A seat's pane: opening it, finding it again, and seeing what it serves (SPEC 6, 7).

mod end;
mod look;
mod ready;

pub(crate) use end::{EndError, end};
pub(crate) use look::{Known, Look, Presence, look, stray};
pub(crate) use ready::await_ready;

use crate::mask::mask;
use crate::phase1::{variables, with_mark};
use crate::tasks::off_thread;
use jiff::Timestamp;
use seatfork_adapters::{Dialog, ProcessPlan, SeatEnv};
use seatfork_schema::{ConversationId, ProcessState};
use seatfork_store::{LaunchId, Nonce};
use seatfork_tmux::{NameError, OpenError, Opened, PaneSpec, Server, SessionName, TMUX_SETS};
use thiserror::Error;

/// The session option that holds a launch's nonce.
pub(crate) const NONCE_OPTION: &str = "@seatfork_nonce";

/// How many lines of a screen stand in an error (SPEC 14).
const SCREEN_LINES: usize = 20;

/// What was seen of a seat's process, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Its state.
    pub(crate) state: ProcessState,
    /// When.
    pub(crate) at: Timestamp,
    /// Its exit code, where it ended and tmux knew it.
    pub(crate) exit_code: Option<i32>,
    /// How it ended, in words.
    pub(crate) ended: Option<String>,
    /// The dialog that waits.
    pub(crate) dialog: Option<Dialog>,
    /// The last lines of its screen, where it waits or ended.
    pub(crate) screen: Vec<String>,
    /// The conversation it serves.
    pub(crate) serves: Option<ConversationId>,
}

impl Seen {
    /// A state with nothing more known.
    pub(crate) fn just(state: ProcessState, at: Timestamp) -> Self {
        Self {
            state,
            at,
            exit_code: None,
            ended: None,
            dialog: None,
            screen: Vec::new(),
            serves: None,
        }
    }

    /// What it serves in place of the seat's own conversation, if it does.
    pub(crate) fn other_than(&self, own: &ConversationId) -> Option<&ConversationId> {
        self.serves.as_ref().filter(|served| !served.is_same(own))
    }

    /// The last lines of its screen as one text, secret shapes masked: a runtime shows the end of a
    /// key where it asks about it.
    pub(crate) fn output(&self) -> Option<String> {
        (!self.screen.is_empty()).then(|| mask(&self.screen.join("\n")))
    }
}

/// Why a pane could not be opened.
#[derive(Debug, Error)]
pub(crate) enum PaneError {
    /// The name made of a launch id is no session name.
    #[error("session name: {0}")]
    Name(#[from] NameError),
    /// tmux did not open it, or not as asked for.
    #[error("{}", chain(.0))]
    Open(#[from] Box<OpenError>),
}

/// An error with its causes in one line. A transparent error, which says its cause's words already, says them once.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let next_said = next.to_string();
        if !said.ends_with(&next_said) {
            said.push_str(": ");
            said.push_str(&next_said);
        }
        cause = next.source();
    }
    said
}

/// The session of a launch's pane.
pub(crate) fn session_name(launch: LaunchId) -> Result<SessionName, NameError> {
    format!("launch-{launch}").parse()
}

/// Opens the pane of a launch: name, mark and environment in one tmux command.
pub(crate) async fn open(
    tmux: &Server,
    launch: LaunchId,
    nonce: &Nonce,
    plan: &ProcessPlan,
    env: &SeatEnv,
) -> Result<Opened, PaneError> {
    let spec = PaneSpec {
        session: session_name(launch)?,
        cwd: plan.cwd.clone(),
        env: variables(&with_mark(plan.clone(), nonce.as_str()), env)
            .into_iter()
            .filter(|(name, _)| !TMUX_SETS.contains(&name.as_str()))
            .collect(),
        argv: plan.argv.clone(),
        options: vec![(NONCE_OPTION.to_owned(), nonce.as_str().to_owned())],
    };
    let tmux = tmux.clone();
    off_thread(move || tmux.open(&spec)).await.map_err(|error| Box::new(error).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 7, 14: the screen of a question about a key shows the key's end; we do not.
    #[test]
    fn a_key_on_the_screen_is_masked_where_the_screen_is_shown() {
        let at = Timestamp::UNIX_EPOCH;
        let mut seen = Seen::just(ProcessState::AttentionRequired, at);
        assert_eq!(seen.output(), None);
        seen.screen = vec![
            " ANTHROPIC_API_KEY: sk-ant-...sts-0123456789abcdef".to_owned(),
            " Do you want to use this API key?".to_owned(),
        ];
        let masked = " ANTHROPIC_API_KEY: sk-a…[masked]\n Do you want to use this API key?";
        assert_eq!(seen.output().as_deref(), Some(masked));
    }
}
