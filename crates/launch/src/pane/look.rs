//! Looking at a pane that was opened before, by its own mark and its own process (SPEC 7).

use super::ready::{ended, last};
use super::{NONCE_OPTION, Seen, chain};
use crate::clock::Clock;
use crate::tasks::off_thread;
use camino::Utf8PathBuf;
use seatfork_adapters::{Adapter, Observation, SeatEnv};
use seatfork_process::ProcessId;
use seatfork_schema::ProcessState;
use seatfork_tmux::{Lookup, Pane, Server, SessionName};

/// What is known of a pane from when it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    /// The socket of its server.
    pub(crate) socket: Utf8PathBuf,
    /// Its session.
    pub(crate) session: SessionName,
    /// Its mark.
    pub(crate) nonce: String,
    /// Its program's process.
    pub(crate) process: ProcessId,
}

/// Whether a seat's process is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It runs in its pane.
    Running,
    /// It is gone.
    Gone,
    /// It runs, and not in a pane of ours any more.
    Astray(u32),
    /// It could not be looked at.
    Unknown(String),
}

/// What a look at a pane came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Look {
    /// Whether its process is there.
    pub(crate) presence: Presence,
    /// What was seen; `None` where nothing could be.
    pub(crate) seen: Option<Seen>,
    /// The pane, where it is there, alive or not.
    pub(crate) pane: Option<Pane>,
}

/// Looks at a pane, and at what its process serves.
pub(crate) async fn look(
    tmux: &Server,
    adapter: &dyn Adapter,
    known: &Known,
    env: &SeatEnv,
    clock: &dyn Clock,
) -> Look {
    if known.socket != tmux.socket() {
        return elsewhere(known, tmux, clock);
    }
    let (server, session) = (tmux.clone(), known.session.clone());
    let found = off_thread(move || server.find(&session, &[NONCE_OPTION])).await;
    let report = match found {
        Ok(Lookup::Found(report)) if report.options.get(NONCE_OPTION) == Some(&known.nonce) => {
            report
        }
        Ok(_) => return gone(known, clock),
        Err(error) => return unknown(chain(&error)),
    };
    match report.pane.process {
        Some(process) if process == known.process => {
            let seen = observed(tmux, adapter, &report.pane, process, env, clock).await;
            Look { presence: Presence::Running, seen: Some(seen), pane: Some(report.pane) }
        }
        _ => {
            let seen = ended(tmux, &report.pane, clock).await;
            Look { presence: Presence::Gone, seen: Some(seen), pane: Some(report.pane) }
        }
    }
}

/// What a running pane shows now.
async fn observed(
    tmux: &Server,
    adapter: &dyn Adapter,
    pane: &Pane,
    process: ProcessId,
    env: &SeatEnv,
    clock: &dyn Clock,
) -> Seen {
    let observation = adapter.observe(process, env).await;
    let at = clock.now();
    match observation {
        Observation::Up => Seen::just(ProcessState::Ready, at),
        Observation::Serving { conversation, ready: true } => {
            Seen { serves: Some(conversation), ..Seen::just(ProcessState::Ready, at) }
        }
        Observation::Gone => ended(tmux, pane, clock).await,
        Observation::Serving { ready: false, .. } | Observation::Unknown => {
            let lines = screen(tmux, pane).await.unwrap_or_default();
            let dialog = adapter.recognise(&lines);
            let state = if dialog.is_some() {
                ProcessState::AttentionRequired
            } else {
                ProcessState::Starting
            };
            Seen { dialog, screen: last(lines), ..Seen::just(state, at) }
        }
    }
}

/// The screen of a pane, where it can be read.
pub(super) async fn screen(tmux: &Server, pane: &Pane) -> Option<Vec<String>> {
    let (server, pane) = (tmux.clone(), pane.clone());
    match off_thread(move || server.capture(&pane)).await {
        Ok(Lookup::Found(screen)) => Some(screen.lines),
        // What a screen would say is a courtesy; its absence changes no outcome.
        Ok(_) | Err(_) => None,
    }
}

/// No pane of ours: the recorded process alone tells.
fn gone(known: &Known, clock: &dyn Clock) -> Look {
    let presence = match known.process.alive() {
        Ok(false) => Presence::Gone,
        Ok(true) => Presence::Astray(known.process.pid),
        Err(error) => Presence::Unknown(chain(&error)),
    };
    let seen = match presence {
        Presence::Unknown(_) => None,
        _ => Some(Seen::just(ProcessState::Lost, clock.now())),
    };
    Look { presence, seen, pane: None }
}

/// A pane on another server than the one at hand cannot be looked at; its process can.
fn elsewhere(known: &Known, tmux: &Server, clock: &dyn Clock) -> Look {
    match known.process.alive() {
        Ok(false) => {
            let seen = Seen::just(ProcessState::Lost, clock.now());
            Look { presence: Presence::Gone, seen: Some(seen), pane: None }
        }
        Ok(true) => unknown(format!(
            "its pane is on the tmux server at {}, this command speaks to {}",
            known.socket,
            tmux.socket()
        )),
        Err(error) => unknown(chain(&error)),
    }
}

fn unknown(why: String) -> Look {
    Look { presence: Presence::Unknown(why), seen: None, pane: None }
}

/// The pane of a launch by its name and its mark, recorded or not: what a dead owner may have left.
pub(crate) async fn stray(
    tmux: &Server,
    session: SessionName,
    nonce: &str,
) -> Result<Option<Pane>, String> {
    let server = tmux.clone();
    match off_thread(move || server.find(&session, &[NONCE_OPTION])).await {
        Ok(Lookup::Found(report))
            if report.options.get(NONCE_OPTION).is_some_and(|n| n == nonce) =>
        {
            Ok(Some(report.pane))
        }
        Ok(_) => Ok(None),
        Err(error) => Err(chain(&error)),
    }
}
