//! Ending sessions and the server, and only those that were meant.

use std::time::{Duration, Instant};

use crate::call::CallError;
use crate::look::{LookError, Lookup};
use crate::name::SessionName;
use crate::open::Pane;
use crate::server::{Absence, Server};
use seatfork_process::{ProcessError, ProcessId, ended_by};

/// How long a server may take to end.
const SERVER_PATIENCE: Duration = Duration::from_secs(5);

/// What ending a session came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Killed {
    /// The session is gone, and its program got SIGHUP. A program may outlive that: ask
    /// [`ProcessId::alive`], or end it with [`seatfork_process::end_process`].
    Ended,
    /// It was not there; what was found in its place was left alone.
    NotThere(Lookup<()>),
}

/// What ending the server came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerEnd {
    /// It ended, and with it all its sessions.
    Ended,
    /// There was none.
    NoServer,
}

/// Why a session or the server may not have been ended.
#[derive(Debug, thiserror::Error)]
pub enum KillError {
    /// tmux could not be asked, or refused.
    #[error("end session {session}")]
    Call {
        /// The session.
        session: SessionName,
        /// What happened.
        #[source]
        source: CallError,
    },
    /// The session was not ended, and why cannot be seen.
    #[error("end session {session}")]
    Look {
        /// The session.
        session: SessionName,
        /// What could not be looked at.
        #[source]
        source: LookError,
    },
    /// Two questions had contradicting answers; the session was left alone.
    #[error(
        "end session {session}: tmux answered that it is not the one meant ({said}), then that it is"
    )]
    Contradiction {
        /// The session.
        session: SessionName,
        /// tmux's first answer.
        said: String,
    },
    /// tmux could not be asked to end, or refused.
    #[error("end the server on {socket}")]
    Server {
        /// The server's socket.
        socket: camino::Utf8PathBuf,
        /// What happened.
        #[source]
        source: CallError,
    },
    /// The server's process could not be looked at.
    #[error("end the server on {socket}")]
    Process {
        /// The server's socket.
        socket: camino::Utf8PathBuf,
        /// The reason.
        #[source]
        source: ProcessError,
    },
    /// The server was told to end and still runs.
    #[error("end the server on {socket}: process {} still runs after {} s", server.pid, SERVER_PATIENCE.as_secs())]
    StillRunning {
        /// The server's socket.
        socket: camino::Utf8PathBuf,
        /// Its process.
        server: ProcessId,
    },
}

impl Server {
    /// Ends the session of a pane: exactly this name, this session, on the server that made it.
    ///
    /// The comparison and the ending are one step inside tmux, so a session that took the name in
    /// between is left alone. Other panes a person opened in the session go with it.
    pub fn kill(&self, pane: &Pane) -> Result<Killed, KillError> {
        let session = || pane.name.clone();
        let call = |source| KillError::Call { session: session(), source };
        let target = pane.name.target();
        let condition =
            format!("#{{==:#{{pid}} #{{session_id}},{} {}}}", pane.server.pid, pane.session);
        let kill = format!("kill-session -t {target}");
        let refuse = format!("display-message -p -t {target} '#{{pid}} #{{session_id}}'");
        let command = ["if-shell", "-F", "-t", &target, &condition, &kill, &refuse];
        let answer = self.ask(&command, "").map_err(call)?;
        if !answer.success {
            return match Absence::of(&answer.stderr) {
                Some(Absence::Server) => Ok(Killed::NotThere(Lookup::NoServer)),
                Some(Absence::Session | Absence::Pane) => Ok(Killed::NotThere(Lookup::NoSession)),
                None => Err(call(self.refused("kill-session", &answer))),
            };
        }
        let said = answer.stdout.trim_end_matches('\n');
        if said.is_empty() {
            return Ok(Killed::Ended);
        }
        let look = |source| KillError::Look { session: session(), source };
        let place = match self.look(pane, &[]).map_err(look)? {
            Lookup::NoServer => Lookup::NoServer,
            Lookup::OtherServer => Lookup::OtherServer,
            Lookup::NoSession => Lookup::NoSession,
            Lookup::NoPane => Lookup::NoPane,
            Lookup::Found(_) => {
                return Err(KillError::Contradiction { session: session(), said: said.to_owned() });
            }
        };
        Ok(Killed::NotThere(place))
    }

    /// Removes the socket that a server left, and its directory where that is then empty. What was removed.
    ///
    /// Ask before whether a server runs: its socket would be gone, and nobody could find it any more.
    pub fn remove_socket(&self) -> std::io::Result<Vec<camino::Utf8PathBuf>> {
        use std::io::ErrorKind::{DirectoryNotEmpty, NotFound};
        let mut removed = Vec::new();
        match std::fs::remove_file(self.socket()) {
            Ok(()) => removed.push(self.socket().to_owned()),
            Err(error) if error.kind() == NotFound => {}
            Err(error) => return Err(error),
        }
        match std::fs::remove_dir(self.dir()) {
            Ok(()) => removed.push(self.dir().to_owned()),
            Err(error) if matches!(error.kind(), NotFound | DirectoryNotEmpty) => {}
            Err(error) => return Err(error),
        }
        Ok(removed)
    }

    /// Ends the server with all its sessions, and waits until its process is gone.
    pub fn kill_server(&self) -> Result<ServerEnd, KillError> {
        let socket = || self.socket().to_owned();
        let call = |source| KillError::Server { socket: socket(), source };
        let process = |source| KillError::Process { socket: socket(), source };
        let command = ["display-message", "-p", "#{pid}", ";", "kill-server"];
        let answer = self.ask(&command, "").map_err(call)?;
        let pid = answer.stdout.trim_end();
        if !answer.success && pid.is_empty() {
            return match Absence::of(&answer.stderr) {
                Some(Absence::Server) => Ok(ServerEnd::NoServer),
                _ => Err(call(self.refused("kill-server", &answer))),
            };
        }
        let pid = pid.parse().map_err(|_| call(self.unreadable("display-message", pid)))?;
        // Whether it ended is told by its process, not by the words of a dying server.
        let Some(server) = ProcessId::of(pid).map_err(process)? else {
            return Ok(ServerEnd::Ended);
        };
        if ended_by(server, Instant::now() + SERVER_PATIENCE).map_err(process)? {
            return Ok(ServerEnd::Ended);
        }
        Err(KillError::StillRunning { socket: socket(), server })
    }
}
