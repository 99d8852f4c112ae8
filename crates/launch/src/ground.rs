//! What every command that touches seats stands on, put together by the caller.

use crate::adapters::{Adapters, CallerEnv};
use crate::cancel::Cancel;
use crate::clock::Clock;
use crate::crash::CrashPoints;
use crate::observer::Observer;
use crate::store_thread::StoreThread;
use camino::Utf8PathBuf;
use jiff::Timestamp;
use seatfork_tmux::Server;
use std::sync::Arc;
use std::time::Duration;

/// Everything a command needs. Nothing in this crate reads the environment, the clock or a path of its own.
#[derive(Debug, Clone)]
pub struct Ground {
    /// The adapters this build has.
    pub adapters: Adapters,
    /// The variables the caller has.
    pub caller: CallerEnv,
    /// The store.
    pub store: StoreThread,
    /// Our tmux server.
    pub tmux: Server,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Who hears of what happens.
    pub observer: Arc<dyn Observer>,
    /// Whether the user asked to stop.
    pub cancel: Cancel,
    /// Where to die, in tests.
    pub crash: CrashPoints,
    /// Where the runtimes' own words are kept: a directory beside the store, made when it is needed.
    pub output_dir: Utf8PathBuf,
    /// This build: version, commit, dirty or not.
    pub build: String,
    /// This process, as the owner of the launches it drives.
    pub owner: seatfork_store::Owner,
    /// How long things may take.
    pub patience: Patience,
}

impl Ground {
    /// Now.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

/// What verbs stand on that look at records alone: no tmux is needed for them (SPEC 8).
#[derive(Debug, Clone)]
pub struct Offline {
    /// The adapters this build has.
    pub adapters: Adapters,
    /// The variables the caller has.
    pub caller: CallerEnv,
    /// The store.
    pub store: StoreThread,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
}

impl Ground {
    /// The part of it that needs no tmux.
    pub fn offline(&self) -> Offline {
        Offline {
            adapters: self.adapters.clone(),
            caller: self.caller.clone(),
            store: self.store.clone(),
            clock: Arc::clone(&self.clock),
        }
    }
}

/// How long things may take (SPEC 6 "Deadlines").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Phase 1; `None`: what the adapter's plan says, 30 s plus 1 s per 5 MB of source.
    pub phase1: Option<Duration>,
    /// A pane's readiness.
    pub ready: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { phase1: None, ready: Duration::from_secs(20) }
    }
}
