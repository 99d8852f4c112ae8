//! What verbs that touch seats stand on, put together from the command line and the environment.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;
use seatfork_launch::{
    Adapters, Cancel, CrashPoints, Ground, Observer, Offline, Patience, STORE_GONE_NEXT, Silent,
    StoreThread, living_panes, store_gone, this_process,
};
use seatfork_store::{Mode, OpenError, Store};

use crate::clock::SystemClock;
use crate::env::Environment;
use crate::exit::Exit;
use crate::failing;
use crate::output::Failure;
use crate::places::{PlaceArgs, output_dir};
use seatfork_schema::LaunchCode;
use seatfork_tmux::Server;

/// What a verb may do with the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Make it, migrate it, write it: verbs that change seats.
    Create,
    /// Migrate and write one that is there.
    Change,
    /// Write what was observed where it can be written; never migrate.
    Observe,
    /// Write nothing.
    Read,
}

/// What a verb brings along.
#[derive(Debug)]
pub(crate) struct Company {
    /// Who hears of what happens.
    pub(crate) observer: Arc<dyn Observer>,
    /// Whether the user asked to stop.
    pub(crate) cancel: Cancel,
    /// How long things may take.
    pub(crate) patience: Patience,
    /// Where to die, in tests.
    pub(crate) crash: CrashPoints,
}

impl Default for Company {
    fn default() -> Self {
        Self {
            observer: Arc::new(Silent),
            cancel: Cancel::new(),
            patience: Patience::default(),
            crash: CrashPoints::none(),
        }
    }
}

/// The adapters this build has.
pub(crate) fn adapters() -> Adapters {
    Adapters::new(seatfork_adapters::adapters())
}

/// The ground; `None` where no store stands yet and the verb makes none.
pub(crate) fn open(
    env: &Environment,
    places: &PlaceArgs,
    access: Access,
    company: Company,
) -> Result<Option<Ground>, Failure> {
    let tmux = places.tmux_if_any(env)?;
    let path = places.store(env)?;
    not_gone(&path, &tmux)?;
    let Some(store) = thread(&path, access)? else { return Ok(None) };
    let owner = this_process().map_err(|error| {
        let message = format!("{}; nothing was started", failing::chain(&error));
        Failure::new(Exit::NotReady, LaunchCode::SystemRefused, message)
            .hint("see whether /proc can be read")
    })?;
    let Company { observer, cancel, patience, crash } = company;
    Ok(Some(Ground {
        adapters: adapters(),
        caller: env.vars.clone(),
        store,
        tmux,
        clock: Arc::new(SystemClock),
        observer,
        cancel,
        crash,
        output_dir: output_dir(&path),
        build: crate::version::LONG.to_owned(),
        owner,
        patience,
    }))
}

/// What a verb stands on that looks at records alone; `None` where no store stands yet. No tmux is asked for.
pub(crate) fn offline(
    env: &Environment,
    places: &PlaceArgs,
    access: Access,
) -> Result<Option<Offline>, Failure> {
    let Some(store) = thread(&places.store(env)?, access)? else { return Ok(None) };
    let clock = Arc::new(SystemClock);
    Ok(Some(Offline { adapters: adapters(), caller: env.vars.clone(), store, clock }))
}

/// The store on a thread of its own.
fn thread(path: &Utf8Path, access: Access) -> Result<Option<StoreThread>, Failure> {
    let Some(store) = store(path, access)? else { return Ok(None) };
    StoreThread::start(store).map(Some).map_err(|error| {
        let message = format!("a thread for the store could not be started: {error}");
        Failure::new(Exit::NotReady, LaunchCode::SystemRefused, message)
            .hint("see what limits this user's processes")
    })
}

/// Stops where no store stands and seats of one live: it was moved or deleted, and without it they would look
/// as if they had never been.
fn not_gone(path: &Utf8Path, tmux: &Server) -> Result<(), Failure> {
    let is_missing = || {
        path.as_std_path()
            .symlink_metadata()
            .is_err_and(|error| error.kind() == ErrorKind::NotFound)
    };
    if !is_missing() {
        return Ok(());
    }
    let living = living_panes(tmux).map_err(|error| {
        let message = format!("{}; nothing was started", failing::chain(&error));
        let code = LaunchCode::TmuxServerFailed;
        Failure::new(Exit::NotReady, code, message).hint(code.next())
    })?;
    // Asked again: another command may have made the store and its first seats since.
    if living.is_empty() || !is_missing() {
        return Ok(());
    }
    let message = format!("{}; nothing was started", store_gone(path, &living));
    Err(Failure::new(Exit::NotReady, LaunchCode::StoreMissing, message)
        .hint(STORE_GONE_NEXT)
        .detail("living", living))
}

/// Opens the store as far as the verb may.
pub(crate) fn store(path: &Utf8Path, access: Access) -> Result<Option<Store>, Failure> {
    let opened = match access {
        Access::Create => Store::open_or_create(path),
        Access::Change => Store::open(path, Mode::ReadWrite),
        Access::Observe => match Store::open(path, Mode::Observe) {
            Err(OpenError::NotWritable { .. }) => Store::open(path, Mode::ReadOnly),
            opened => opened,
        },
        Access::Read => Store::open(path, Mode::ReadOnly),
    };
    match opened {
        Ok(store) => Ok(Some(store)),
        Err(OpenError::Missing { .. }) => Ok(None),
        Err(error) => Err(failing::store_open(&error)),
    }
}

/// Deadlines (SPEC 6).
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PatienceArgs {
    /// How long making a conversation may take [default: 30 s and 1 s per 5 MB of source]
    #[arg(long, env = "SEATFORK_PHASE1_TIMEOUT", value_name = "SECONDS", value_parser = seconds)]
    phase1_timeout: Option<Duration>,
    /// How long a pane may take until it is ready
    #[arg(long, env = "SEATFORK_READY_TIMEOUT", value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    ready_timeout: Duration,
}

impl PatienceArgs {
    /// As the launch wants them.
    pub(crate) fn patience(&self) -> Patience {
        Patience { phase1: self.phase1_timeout, ready: self.ready_timeout }
    }
}

/// More than zero, at most a day; fractions are fine.
fn seconds(text: &str) -> Result<Duration, String> {
    const DAY: f64 = 86_400.0;
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= DAY => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("a number of seconds between 0 and 86400 is expected".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 6: deadlines come from flags and the environment, and are never zero or endless.
    #[test]
    fn a_deadline_is_a_positive_number_of_seconds() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["0", "-1", "nan", "inf", "1e9", "x", ""] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    // SPEC 13: a verb that reads makes no store.
    #[test]
    fn only_a_verb_that_creates_makes_a_store() {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().join("seatfork/seatfork.db");
        for access in [Access::Change, Access::Observe, Access::Read] {
            assert!(store(&path, access).unwrap().is_none());
            assert!(!path.parent().unwrap().exists(), "{access:?}");
        }
        assert!(store(&path, Access::Create).unwrap().is_some());
        assert!(store(&path, Access::Read).unwrap().is_some());
    }
}
