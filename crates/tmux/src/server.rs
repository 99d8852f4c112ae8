//! Our own tmux server: where its socket is, which binary speaks to it, how it is asked.

mod dir;
mod program;

use camino::{Utf8Path, Utf8PathBuf};

use crate::call::{Answer, Call, CallError, PATIENCE, run};
use crate::name::SessionName;

pub use dir::DirError;
pub(crate) use program::find_program;

/// The longest path of a socket, in bytes: the system's limit is 104 or 108 with the final NUL.
pub const SOCKET_PATH_MAX: usize = 100;

/// The file in the runtime directory that is the socket.
const SOCKET: &str = "tmux.sock";

/// A tmux server of our own, on a private socket; making this value starts nothing.
///
/// The server begins with the first [`Server::open`] and ends with its last session. It has the
/// fixed base environment given here and nothing of ours, no configuration file, and hands none
/// of its own environment to a pane (SPEC 14).
///
/// ```no_run
/// use camino::Utf8Path;
/// use seatfork_tmux::{Lookup, Server};
/// let base = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
/// let server = Server::at(Utf8Path::new("/run/user/1000/seatfork"), base)?;
/// match server.find(&"launch-0193f2c4".parse()?, &["@seatfork_nonce"])? {
///     Lookup::Found(report) => println!("{} is there", report.pane.pane),
///     Lookup::NoServer => println!("nothing of ours runs"),
///     other => println!("{other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Server {
    dir: Utf8PathBuf,
    socket: Utf8PathBuf,
    /// The binary, or the directories it was not found in.
    tmux: Result<Utf8PathBuf, Vec<String>>,
    /// The base environment without `PATH`: tmux would put a client's `PATH` over a seat's own.
    env: Vec<(String, String)>,
    search: String,
}

/// Why there can be no [`Server`] here; nothing was started or made.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The runtime directory is not an absolute path.
    #[error("runtime directory {dir:?} is not an absolute path")]
    RelativeDir {
        /// The directory given.
        dir: Utf8PathBuf,
    },
    /// The socket's path would not fit into a socket address.
    #[error(
        "the socket path {socket} has {len} bytes, at most {SOCKET_PATH_MAX} fit; use a shorter runtime directory, for example {fallback}"
    )]
    SocketPathTooLong {
        /// The path that does not fit.
        socket: Utf8PathBuf,
        /// Its bytes.
        len: usize,
        /// A directory that fits: [`fallback_dir`].
        fallback: Utf8PathBuf,
    },
    /// The runtime directory is not ours alone.
    #[error("use the runtime directory {dir}")]
    Dir {
        /// The directory.
        dir: Utf8PathBuf,
        /// What is wrong with it.
        #[source]
        source: DirError,
    },
    /// No tmux in the absolute directories of `PATH`.
    #[error("find tmux in PATH ({}); relative entries are skipped", searched.join(":"))]
    NoTmux {
        /// The absolute directories looked in.
        searched: Vec<String>,
    },
}

/// Returns the runtime directory to use when another's path is too long: `/tmp/seatfork-<uid>`.
pub fn fallback_dir() -> Utf8PathBuf {
    format!("/tmp/seatfork-{}", rustix::process::geteuid().as_raw()).into()
}

impl Server {
    /// Names the server of a runtime directory and finds tmux; starts nothing, makes nothing.
    ///
    /// `base_env` is the whole environment of server and clients. Its `PATH` is where tmux is
    /// looked for (relative entries skipped) and is given to nobody. A directory that is not
    /// there yet is made by the first [`Server::open`]; one that is there must be a directory of
    /// ours with no access for others.
    pub fn at(dir: &Utf8Path, base_env: Vec<(String, String)>) -> Result<Self, ServerError> {
        let server = Self::at_even_without_tmux(dir, base_env)?;
        match server.tmux {
            Err(searched) => Err(ServerError::NoTmux { searched }),
            Ok(_) => Ok(server),
        }
    }

    /// The same on a machine that may have no tmux.
    ///
    /// Where there is none and no socket stands, nothing of ours runs in one, so questions about
    /// sessions are answered: there is no server. Everything else is [`CallError::NoTmux`].
    pub fn at_even_without_tmux(
        dir: &Utf8Path,
        base_env: Vec<(String, String)>,
    ) -> Result<Self, ServerError> {
        if !dir.is_absolute() {
            return Err(ServerError::RelativeDir { dir: dir.to_owned() });
        }
        let socket = dir.join(SOCKET);
        let len = socket.as_str().len();
        if len > SOCKET_PATH_MAX {
            return Err(ServerError::SocketPathTooLong { socket, len, fallback: fallback_dir() });
        }
        dir::check(dir).map_err(|source| ServerError::Dir { dir: dir.to_owned(), source })?;
        let mut search = String::new();
        let mut env = base_env;
        env.retain(|(name, value)| {
            let path = name == "PATH";
            if path {
                search.clone_from(value);
            }
            !path
        });
        let tmux = find_program("tmux", &search);
        Ok(Self { dir: dir.to_owned(), socket, tmux, env, search })
    }

    /// Returns the path of the socket.
    pub fn socket(&self) -> &Utf8Path {
        &self.socket
    }

    /// Returns the directory of the socket.
    pub fn dir(&self) -> &Utf8Path {
        &self.dir
    }

    /// Returns the real path of the tmux binary; its bare name where there is none.
    pub fn tmux(&self) -> &Utf8Path {
        self.tmux.as_ref().map_or(Utf8Path::new("tmux"), Utf8PathBuf::as_path)
    }

    /// Returns the tmux binary, or that there is none.
    pub(crate) fn program(&self) -> Result<&Utf8Path, CallError> {
        let missing = |searched: &Vec<String>| CallError::NoTmux { searched: searched.clone() };
        self.tmux.as_deref().map_err(missing)
    }

    /// Asks the binary for its version, verbatim: `tmux 3.3a`.
    pub fn version(&self) -> Result<String, CallError> {
        self.program()?;
        let answer = self.ask(&["-V"], "")?;
        if !answer.success {
            return Err(self.refused("-V", &answer));
        }
        Ok(answer.stdout.trim_end().to_owned())
    }

    /// Returns the command that shows a session to a person, for `exec` in their terminal.
    ///
    /// It needs the person's own `TERM`. It may run inside another tmux; inside a pane of this
    /// same server tmux refuses, rightly.
    pub fn attach_argv(&self, session: &SessionName) -> Vec<String> {
        let mut argv = vec![self.tmux().to_string()];
        argv.extend(self.args());
        argv.extend(["attach-session", "-E", "-t"].map(str::to_owned));
        argv.push(session.target());
        argv
    }

    /// The arguments before a command. `-u`: without it tmux replaces what is not ASCII by `_`.
    fn args(&self) -> [String; 5] {
        ["-u", "-f", "/dev/null", "-S", self.socket.as_str()].map(str::to_owned)
    }

    /// Runs one tmux client.
    ///
    /// A server that is just ending says so in place of an answer; the question is then put once
    /// more and finds none. `command` must hold nothing from outside that is secret or ends in a
    /// `;`: tmux splits its arguments there.
    pub(crate) fn ask(&self, command: &[&str], stdin: &str) -> Result<Answer, CallError> {
        let answer = self.ask_once(command, stdin)?;
        let ending = ["server exited unexpectedly", "lost server"];
        if !answer.success && ending.contains(&answer.stderr.trim_end()) {
            return self.ask_once(command, stdin);
        }
        Ok(answer)
    }

    fn ask_once(&self, command: &[&str], stdin: &str) -> Result<Answer, CallError> {
        let program = match self.program() {
            Ok(program) => program,
            Err(_) if self.has_no_socket() => {
                let stderr = format!("no server running on {}", self.socket);
                return Ok(Answer { success: false, stdout: String::new(), stderr });
            }
            Err(missing) => return Err(missing),
        };
        let mut args = self.args().to_vec();
        args.extend(command.iter().map(|&word| word.to_owned()));
        run(&Call {
            program: program.as_str(),
            args: &args,
            env: &self.env,
            stdin: stdin.as_bytes(),
            patience: PATIENCE,
        })
    }

    /// Whether no socket stands, so that no server of ours can be running. What cannot be told is no.
    fn has_no_socket(&self) -> bool {
        let there = self.socket.as_std_path().symlink_metadata();
        there.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    }

    /// Turns a refusal into an error that has tmux's own words.
    pub(crate) fn refused(&self, command: &str, answer: &Answer) -> CallError {
        CallError::Refused {
            socket: self.socket.clone(),
            command: command.to_owned(),
            stderr: answer.stderr.trim_end().to_owned(),
        }
    }

    /// Says that an answer has another shape than the one asked for.
    pub(crate) fn unreadable(&self, command: &str, answer: &str) -> CallError {
        CallError::Unreadable {
            socket: self.socket.clone(),
            command: command.to_owned(),
            answer: answer.to_owned(),
        }
    }

    /// Makes the runtime directory where it is missing, and checks it again.
    pub(crate) fn ready_dir(&self) -> Result<(), DirError> {
        dir::make(&self.dir)
    }

    /// The directories programs of our own (`nice`) are looked for in.
    pub(crate) fn search(&self) -> &str {
        &self.search
    }

    /// The names of the base environment, to be taken out of what panes would inherit.
    pub(crate) fn base_names(&self) -> impl Iterator<Item = &str> {
        self.env.iter().map(|(name, _)| name.as_str())
    }
}

/// What a failed answer means, told by stderr: the exit code is 1 for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absence {
    Server,
    Session,
    Pane,
}

impl Absence {
    /// Reads tmux's words; `None` is a real error, which is never an absence.
    pub(crate) fn of(stderr: &str) -> Option<Self> {
        let said = stderr.trim_end();
        let missing_socket = said.starts_with("error connecting to ")
            && (said.ends_with("(No such file or directory)")
                || said.ends_with("(Connection refused)"));
        if missing_socket || said.starts_with("no server running on ") {
            return Some(Self::Server);
        }
        // A server that ends, or has just begun, has no session at all.
        let none = ["no current target", "no current session", "no sessions"];
        if said.starts_with("can't find session: ") || none.contains(&said) {
            return Some(Self::Session);
        }
        let pane = ["can't find pane: ", "can't find window: "];
        pane.iter().any(|p| said.starts_with(p)).then_some(Self::Pane)
    }
}
