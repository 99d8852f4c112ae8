//! Where seatfork keeps its things: the store, what is kept beside it, and the socket of its tmux server (SPEC 11, 14).

use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::SeatEnv;
use seatfork_schema::LaunchCode;
use seatfork_tmux::{SOCKET_PATH_MAX, Server, ServerError, fallback_dir};

use crate::env::Environment;
use crate::exit::Exit;
use crate::output::Failure;

/// The directory of ours in the user's state and runtime directories.
pub(crate) const OURS: &str = "seatfork";
/// The store in the directory of ours.
const STORE: &str = "seatfork.db";
/// The longest name of a socket in the runtime directory, with its slash.
const SOCKET_NAME: usize = "/tmux.sock".len();

/// Where the store is: what every verb that reads it knows.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct StoreArgs {
    /// The store file [default: seatfork/seatfork.db in the XDG state directory]
    #[arg(long, env = "SEATFORK_STORE", value_name = "FILE")]
    store: Option<Utf8PathBuf>,
}

/// Where the store and the tmux server are: what every verb that looks at panes knows.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PlaceArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// The directory of the tmux server's socket [default: seatfork in the XDG runtime directory, else /tmp/seatfork-UID]
    #[arg(long, env = "SEATFORK_RUNTIME_DIR", value_name = "DIR")]
    runtime_dir: Option<Utf8PathBuf>,
}

impl StoreArgs {
    /// The store file, absolute. It need not be there.
    pub(crate) fn store(&self, env: &Environment) -> Result<Utf8PathBuf, Failure> {
        if let Some(path) = given(self.store.as_deref()) {
            return absolute(path, env);
        }
        let state = env.state_home.as_ref().ok_or_else(no_home)?;
        absolute(&state.join(OURS).join(STORE), env)
    }
}

impl PlaceArgs {
    /// The store file, absolute.
    pub(crate) fn store(&self, env: &Environment) -> Result<Utf8PathBuf, Failure> {
        self.store.store(env)
    }

    /// The directory of the socket. A default that is too long for a socket gives way to the fallback;
    /// one that was asked for does not.
    pub(crate) fn runtime_dir(&self, env: &Environment) -> Result<Utf8PathBuf, Failure> {
        if let Some(dir) = given(self.runtime_dir.as_deref()) {
            return absolute(dir, env);
        }
        let default = env.runtime_home.as_ref().map(|home| home.join(OURS));
        let fits = |dir: &Utf8PathBuf| dir.as_str().len() + SOCKET_NAME <= SOCKET_PATH_MAX;
        Ok(default.filter(|dir| dir.is_absolute() && fits(dir)).unwrap_or_else(fallback_dir))
    }

    /// Our tmux server. Naming it starts nothing.
    pub(crate) fn tmux(&self, env: &Environment) -> Result<Server, Failure> {
        Server::at(&self.runtime_dir(env)?, base(env)).map_err(|error| unusable(&error))
    }

    /// The same where there may be no tmux: seats that need no process need none.
    pub(crate) fn tmux_if_any(&self, env: &Environment) -> Result<Server, Failure> {
        let dir = self.runtime_dir(env)?;
        Server::at_even_without_tmux(&dir, base(env)).map_err(|error| unusable(&error))
    }
}

/// The environment of tmux itself.
fn base(env: &Environment) -> Vec<(String, String)> {
    let base = SeatEnv::build(&env.vars.0, &[], &[]);
    base.pairs().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Where the runtimes' own words are kept, for a store.
pub(crate) fn output_dir(store: &Utf8Path) -> Utf8PathBuf {
    store.with_file_name("output")
}

/// An argument that is there and not empty: an empty variable is an unset one.
pub(crate) fn given(path: Option<&Utf8Path>) -> Option<&Utf8Path> {
    path.filter(|path| !path.as_str().is_empty())
}

/// A path as it is taken from the working directory.
pub(crate) fn absolute(path: &Utf8Path, env: &Environment) -> Result<Utf8PathBuf, Failure> {
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    let cwd = env.cwd.as_ref().ok_or_else(|| {
        let message = format!("{path} is relative, and the working directory cannot be told");
        Failure::new(Exit::NotReady, LaunchCode::WorkingDirectoryMissing, message)
            .hint("give an absolute path, or go to a directory that is there")
    })?;
    Ok(cwd.join(path))
}

fn no_home() -> Failure {
    Failure::new(
        Exit::NotReady,
        LaunchCode::HomeMissing,
        "neither HOME nor XDG_STATE_HOME says as UTF-8 text where the store is",
    )
    .hint("set HOME, or name the store with --store")
}

fn unusable(error: &ServerError) -> Failure {
    let (code, hint) = match error {
        ServerError::NoTmux { .. } => {
            (LaunchCode::TmuxMissing, "install tmux, or put it on PATH".to_owned())
        }
        ServerError::SocketPathTooLong { fallback, .. } => (
            LaunchCode::TmuxSocketTooLong,
            format!("give a shorter --runtime-dir, such as {fallback}"),
        ),
        ServerError::RelativeDir { .. } | ServerError::Dir { .. } => (
            LaunchCode::TmuxSocketUnsafe,
            "name a directory of yours alone with --runtime-dir; it is made where it is not there"
                .to_owned(),
        ),
    };
    Failure::new(Exit::NotReady, code, crate::failing::chain(error)).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use seatfork_launch::CallerEnv;

    fn env() -> Environment {
        Environment {
            vars: CallerEnv::default(),
            state_home: Some("/h/.local/state".into()),
            runtime_home: Some("/run/user/7".into()),
            cwd: Some("/w".into()),
        }
    }

    fn places(store: Option<&str>, runtime_dir: Option<&str>) -> PlaceArgs {
        PlaceArgs {
            store: StoreArgs { store: store.map(Into::into) },
            runtime_dir: runtime_dir.map(Into::into),
        }
    }

    // SPEC 11: the store is where --store, SEATFORK_STORE or the XDG state directory say.
    #[test]
    fn the_store_is_where_it_was_asked_for_or_in_the_state_directory() {
        let store = |given| places(given, None).store(&env()).unwrap();
        assert_eq!(store(None), "/h/.local/state/seatfork/seatfork.db");
        assert_eq!(store(Some("")), "/h/.local/state/seatfork/seatfork.db");
        assert_eq!(store(Some("x/s.db")), "/w/x/s.db");
        assert_eq!(store(Some("/x/s.db")), "/x/s.db");
        let homeless = Environment { state_home: None, ..env() };
        assert_eq!(places(None, None).store(&homeless).unwrap_err().exit, Exit::NotReady);
    }

    // SPEC 14: the socket's path has at most 100 bytes; the fallback is stated.
    #[test]
    fn a_runtime_directory_too_long_for_a_socket_gives_way_unless_it_was_asked_for() {
        let dir = |args: &PlaceArgs, env: &Environment| args.runtime_dir(env).unwrap();
        assert_eq!(dir(&places(None, None), &env()), "/run/user/7/seatfork");
        let long = Utf8PathBuf::from(format!("/{}", "x".repeat(100)));
        let far = Environment { runtime_home: Some(long.clone()), ..env() };
        assert_eq!(dir(&places(None, None), &far), fallback_dir());
        assert_eq!(dir(&places(None, Some(long.as_str())), &far), long);
        let none = Environment { runtime_home: None, ..env() };
        assert_eq!(dir(&places(None, None), &none), fallback_dir());
    }
}
