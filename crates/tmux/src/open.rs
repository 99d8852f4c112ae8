//! Opening a pane: one tmux invocation, then a look at what really came out.

mod script;

use std::thread::sleep;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use crate::call::{Answer, CallError};
use crate::end::{KillError, Killed};
use crate::look::LookError;
use crate::name::{PaneId, SessionId, SessionName};
use crate::server::{DirError, Server};
use crate::spec::{PaneSpec, SpecError};
use seatfork_process::{ProcessError, ProcessId, variable};

/// The session option that names the pane we opened, since a person may add others beside it.
pub(crate) const PANE_OPTION: &str = "@seatfork_pane";

/// How long a new pane may take to execute its program before that is called unseen.
const EXEC_PATIENCE: Duration = Duration::from_secs(2);

/// A pane of ours: enough to find it again, and never another one in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pane {
    /// The session's name.
    pub name: SessionName,
    /// The session's id.
    pub session: SessionId,
    /// The pane's id.
    pub pane: PaneId,
    /// The pid tmux gave the program; after its end it may be another's.
    pub pid: u32,
    /// The program's process, or `None` when it ended before it could be identified.
    pub process: Option<ProcessId>,
    /// The server; ids mean nothing to another one.
    pub server: ProcessId,
}

/// What is known of the directory the program started in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CwdCheck {
    /// It is the one asked for.
    Verified,
    /// The program ended before this could be seen; [`Server::dead_status`] tells how.
    EndedFirst,
    /// The program forbids being looked into, so it is unknown.
    Unreadable,
}

/// A pane that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The pane.
    pub pane: Pane,
    /// What is known of its directory.
    pub cwd: CwdCheck,
}

/// What became of a pane that was opened and is not as asked for.
#[derive(Debug, thiserror::Error)]
pub enum Left {
    /// It was ended.
    #[error("the pane was ended")]
    Ended,
    /// It could not be ended and may still run.
    #[error("the pane may still run: {0}")]
    MayRun(Box<KillError>),
}

/// Why a pane was not opened, or not kept.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The spec cannot be carried out; nothing was started.
    #[error("open session {session}: nothing was started")]
    Spec {
        /// The session.
        session: SessionName,
        /// What is wrong.
        #[source]
        source: SpecError,
    },
    /// The runtime directory is not usable; nothing was started.
    #[error("open session {session} in {dir}: nothing was started")]
    Dir {
        /// The session.
        session: SessionName,
        /// The runtime directory.
        dir: Utf8PathBuf,
        /// What is wrong with it.
        #[source]
        source: DirError,
    },
    /// A program without arguments needs `nice` to be executed without a shell; it is missing.
    #[error("open session {session}: `nice` is needed to execute a program without arguments and is not in {}", searched.join(":"))]
    NoNice {
        /// The session.
        session: SessionName,
        /// The absolute directories looked in.
        searched: Vec<String>,
    },
    /// A session of that name exists; it was left alone.
    #[error(
        "open session {session}: the server on {socket} already has one of that name; it was left alone"
    )]
    Exists {
        /// The session.
        session: SessionName,
        /// The server's socket.
        socket: Utf8PathBuf,
    },
    /// tmux refused, or did not answer (then [`Server::find`] tells whether a pane came of it).
    #[error("open session {session}")]
    Call {
        /// The session.
        session: SessionName,
        /// What happened.
        #[source]
        source: CallError,
    },
    /// tmux made the session and refused what belongs to it.
    #[error("open session {session}: made, but not as asked for; {left}")]
    Half {
        /// The session.
        session: SessionName,
        /// tmux's words.
        #[source]
        source: CallError,
        /// What became of it.
        left: Left,
    },
    /// The program runs in another directory: the one asked for went away after it was checked,
    /// and tmux then takes another without a word.
    #[error("open session {session}: it started in {found:?} instead of {wanted:?}; {left}")]
    CwdReplaced {
        /// The session.
        session: SessionName,
        /// The directory asked for.
        wanted: Utf8PathBuf,
        /// The directory found.
        found: String,
        /// What became of the pane.
        left: Left,
    },
    /// What came out could not be looked at.
    #[error("open session {session}: it cannot be checked; {left}")]
    Unchecked {
        /// The session.
        session: SessionName,
        /// What could not be looked at.
        #[source]
        source: LookError,
        /// What became of the pane.
        left: Left,
    },
    /// The pane's process did not execute its program in time.
    #[error("open session {session}: process {pid} did not execute its program within {} s; {left}", EXEC_PATIENCE.as_secs())]
    NotExecuted {
        /// The session.
        session: SessionName,
        /// The process.
        pid: u32,
        /// What became of the pane.
        left: Left,
    },
}

/// What a look at a fresh pane says.
enum Fresh {
    Sure(CwdCheck, Option<ProcessId>),
    Elsewhere(String),
    NotExecuted,
}

impl Server {
    /// Opens a session with one pane that executes `spec.argv`, starting the server if need be.
    ///
    /// Everything goes to tmux in one invocation on its stdin, so a program that ends at once
    /// keeps its exit status and its screen, and no value is ever on a command line. Afterwards
    /// the program's directory is verified; a pane that is not as asked for is ended again.
    pub fn open(&self, spec: &PaneSpec) -> Result<Opened, OpenError> {
        let session = || spec.session.clone();
        let cwd = spec.check().map_err(|source| OpenError::Spec { session: session(), source })?;
        let argv = self.executed(spec)?;
        self.ready_dir().map_err(|source| {
            let dir = self.socket().parent().unwrap_or(self.socket()).to_owned();
            OpenError::Dir { session: session(), dir, source }
        })?;
        let call = |source| OpenError::Call { session: session(), source };
        self.program().map_err(call)?;
        let script = self.script(spec, &cwd, &argv);
        let answer = self.ask(&["start-server", ";", "source-file", "-"], &script).map_err(call)?;
        if !answer.success && answer.stdout.trim().is_empty() {
            if answer.stderr.starts_with("duplicate session: ") {
                let socket = self.socket().to_owned();
                return Err(OpenError::Exists { session: session(), socket });
            }
            return Err(call(self.refused("new-session", &answer)));
        }
        let pane = self.opened_pane(spec, &answer)?;
        if !answer.success {
            let source = self.refused("set-option", &answer);
            let left = self.undo(&pane);
            return Err(OpenError::Half { session: session(), source, left });
        }
        match self.fresh(&pane, &cwd) {
            Ok(Fresh::Sure(cwd, process)) => Ok(Opened { pane: Pane { process, ..pane }, cwd }),
            Ok(Fresh::Elsewhere(found)) => {
                let left = self.undo(&pane);
                Err(OpenError::CwdReplaced { session: session(), wanted: cwd, found, left })
            }
            Ok(Fresh::NotExecuted) => {
                let left = self.undo(&pane);
                Err(OpenError::NotExecuted { session: session(), pid: pane.pid, left })
            }
            Err(source) => {
                let left = self.undo(&pane);
                Err(OpenError::Unchecked { session: session(), source, left })
            }
        }
    }

    /// Reads the ids tmux printed.
    fn opened_pane(&self, spec: &PaneSpec, answer: &Answer) -> Result<Pane, OpenError> {
        let unreadable = || OpenError::Call {
            session: spec.session.clone(),
            source: self.unreadable("new-session", answer.stdout.trim_end()),
        };
        let fields: Vec<&str> = answer.stdout.split_ascii_whitespace().collect();
        let [session, pane, pid, server] = fields[..] else { return Err(unreadable()) };
        let server = server.parse().map_err(|_| unreadable())?;
        Ok(Pane {
            name: spec.session.clone(),
            session: session.parse().map_err(|_| unreadable())?,
            pane: pane.parse().map_err(|_| unreadable())?,
            pid: pid.parse().map_err(|_| unreadable())?,
            process: None,
            // A server with a live session runs; that it cannot be seen is no answer we can use.
            server: ProcessId::of(server).ok().flatten().ok_or_else(unreadable)?,
        })
    }

    /// Waits for the program to be executed and reads where.
    ///
    /// tmux puts the directory it really changed to into `PWD`, after the session's environment,
    /// so the block the program was started with tells it whatever the program does later. Until
    /// then the block is the server's, which has no `TMUX_PANE`.
    fn fresh(&self, pane: &Pane, cwd: &Utf8Path) -> Result<Fresh, LookError> {
        let until = Instant::now() + EXEC_PATIENCE;
        let id = pane.pane.to_string();
        loop {
            let Some(process) = ProcessId::of(pane.pid)? else {
                return Ok(Fresh::Sure(CwdCheck::EndedFirst, None));
            };
            if process.parent()? != Some(pane.server.pid) {
                // The pid is already another's, or nobody's.
                return Ok(Fresh::Sure(CwdCheck::EndedFirst, None));
            }
            match variable(process, "TMUX_PANE") {
                Ok(Some(of)) if of == id => match variable(process, "PWD")? {
                    Some(found) if found == cwd => {
                        return Ok(Fresh::Sure(CwdCheck::Verified, Some(process)));
                    }
                    Some(found) => return Ok(Fresh::Elsewhere(found)),
                    None => {}
                },
                Ok(_) => {}
                Err(ProcessError::Unreadable { .. } | ProcessError::Unsupported { .. }) => {
                    match self.current_path(pane)? {
                        Some(found) if found == cwd => {
                            return Ok(Fresh::Sure(CwdCheck::Verified, Some(process)));
                        }
                        Some(found) if Instant::now() >= until => {
                            return Ok(Fresh::Elsewhere(found));
                        }
                        // Not there yet: a forked server, before it changes directory.
                        Some(_) => {}
                        None => return Ok(Fresh::Sure(CwdCheck::Unreadable, Some(process))),
                    }
                }
                Err(other) => return Err(other.into()),
            }
            if Instant::now() >= until {
                return Ok(Fresh::NotExecuted);
            }
            sleep(Duration::from_millis(1));
        }
    }

    /// Asks tmux for the directory of a pane's process; `None` when it cannot see it either.
    fn current_path(&self, pane: &Pane) -> Result<Option<String>, LookError> {
        let id = pane.pane.to_string();
        let command = ["display-message", "-p", "-t", &id, "#{pane_current_path}"];
        let answer = self.ask(&command, "")?;
        if !answer.success {
            return Err(self.refused("display-message", &answer).into());
        }
        let path = answer.stdout.trim_end_matches('\n');
        Ok((!path.is_empty()).then(|| path.to_owned()))
    }

    /// Ends a pane that is not as asked for.
    fn undo(&self, pane: &Pane) -> Left {
        match self.kill(pane) {
            Ok(Killed::Ended | Killed::NotThere(_)) => Left::Ended,
            Err(e) => Left::MayRun(Box::new(e)),
        }
    }
}
