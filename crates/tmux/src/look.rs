//! Looking: what sessions and panes are there, and how a program ended.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::call::CallError;
use crate::name::SessionName;
use crate::open::{PANE_OPTION, Pane};
use crate::server::{Absence, Server};
use crate::spec::{SpecError, check_option_name};
use seatfork_process::{ProcessError, ProcessId, remind};

/// How long an exit status may lag behind the exit: some milliseconds, more on a busy machine.
const STATUS_LAG: Duration = Duration::from_secs(1);

/// The answer to "is it there": the ways of not being there are told apart, and an error is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup<T> {
    /// No server runs on the socket.
    NoServer,
    /// A server runs, and it is not the one that made the pane, which is gone with its own.
    OtherServer,
    /// The server has no session of exactly that name.
    NoSession,
    /// The session is there without the pane, closed by a person; others may be in it.
    NoPane,
    /// It is there.
    Found(T),
}

/// One pane of ours, as tmux sees it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneReport {
    /// The pane. Its `process` is `None` when the program has ended.
    pub pane: Pane,
    /// How the program ended; `None` while it runs, or until tmux has collected it.
    pub exit: Option<Exit>,
    /// Whether tmux has marked the pane dead. This lags the program's end.
    pub dead: bool,
    /// Whether a person left the pane in a mode (scrolling), which swallows keys.
    pub in_mode: bool,
    /// The name of the program in the foreground; text from outside.
    pub command: String,
    /// The user options asked for that are set.
    pub options: BTreeMap<String, String>,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// It was ended by this signal: a number, or a name where the system has them.
    Signal(String),
}

/// What is known of a pane's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeadStatus {
    /// It runs.
    Running,
    /// It ended.
    Ended(Exit),
    /// It ended, and tmux had no status to tell within a second.
    EndedUnknown,
}

/// Why a look has no answer. It never says that something is absent.
#[derive(Debug, thiserror::Error)]
pub enum LookError {
    /// tmux could not be asked, refused, or answered what cannot be read.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A process could not be looked at.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A name asked for is no user option.
    #[error("look for an option")]
    Option(#[source] SpecError),
}

impl Server {
    /// Looks for the pane of the session of exactly this name, with the user options named.
    ///
    /// ```no_run
    /// # use seatfork_tmux::{Lookup, Server};
    /// # fn example(server: &Server) -> Result<(), Box<dyn std::error::Error>> {
    /// let name = "launch-0193f2c4".parse()?;
    /// if let Lookup::Found(report) = server.find(&name, &["@seatfork_nonce"])? {
    ///     assert_eq!(report.options["@seatfork_nonce"], "6f1d");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn find(
        &self,
        name: &SessionName,
        options: &[&str],
    ) -> Result<Lookup<PaneReport>, LookError> {
        let found = self.panes(&["-s", "-t", &name.target()], options)?;
        Ok(match found {
            Lookup::Found(reports) => {
                let ours = reports.into_iter().find(|report| report.pane.name == *name);
                ours.map_or(Lookup::NoPane, Lookup::Found)
            }
            Lookup::NoServer => Lookup::NoServer,
            Lookup::OtherServer => Lookup::OtherServer,
            Lookup::NoSession => Lookup::NoSession,
            Lookup::NoPane => Lookup::NoPane,
        })
    }

    /// Lists the panes of all our sessions ([`Lookup::NoServer`] or [`Lookup::Found`]).
    ///
    /// Sessions and panes a person added by hand on our server are left out.
    pub fn list(&self, options: &[&str]) -> Result<Lookup<Vec<PaneReport>>, LookError> {
        Ok(match self.panes(&["-a"], options)? {
            Lookup::NoSession => Lookup::Found(Vec::new()),
            other => other,
        })
    }

    /// Looks at a pane that was opened before: this very one, on the server that made it.
    pub fn look(&self, pane: &Pane, options: &[&str]) -> Result<Lookup<PaneReport>, LookError> {
        Ok(match self.find(&pane.name, options)? {
            Lookup::Found(report) if report.pane.server != pane.server => Lookup::OtherServer,
            // The name was given again; the session that had it then is gone.
            Lookup::Found(report) if report.pane.session != pane.session => Lookup::NoSession,
            Lookup::Found(report) if report.pane.pane != pane.pane => Lookup::NoPane,
            other => other,
        })
    }

    /// Says how a pane's program ended, waiting up to a second for tmux to have collected it and
    /// what it wrote last: after `Ended` its screen is whole. (Where a child of the program still
    /// holds the terminal, the screen never is, and the wait ends with the status alone.)
    pub fn dead_status(&self, pane: &Pane) -> Result<Lookup<DeadStatus>, LookError> {
        let until = Instant::now() + STATUS_LAG;
        loop {
            let report = match self.look(pane, &[])? {
                Lookup::Found(report) => report,
                Lookup::NoServer => return Ok(Lookup::NoServer),
                Lookup::OtherServer => return Ok(Lookup::OtherServer),
                Lookup::NoSession => return Ok(Lookup::NoSession),
                Lookup::NoPane => return Ok(Lookup::NoPane),
            };
            let late = Instant::now() >= until;
            if let Some(exit) = report.exit.filter(|_| report.dead || late) {
                return Ok(Lookup::Found(DeadStatus::Ended(exit)));
            }
            // Still uncollected after one question: the signal may be lost, so it is sent again.
            remind(pane.server, pane.pid)?;
            let running = match pane.process {
                Some(process) => process.alive()?,
                None => report.pane.process.is_some(),
            };
            if running && !report.dead {
                return Ok(Lookup::Found(DeadStatus::Running));
            }
            if late {
                return Ok(Lookup::Found(DeadStatus::EndedUnknown));
            }
            sleep(Duration::from_millis(5));
        }
    }

    /// Asks `list-panes` and keeps the pane each session of ours was opened with.
    fn panes(
        &self,
        which: &[&str],
        options: &[&str],
    ) -> Result<Lookup<Vec<PaneReport>>, LookError> {
        for name in options {
            check_option_name(name).map_err(LookError::Option)?;
        }
        // Free text comes last, and the length of the name tells it from the command.
        let mut format = "#{pid} #{session_id} #{pane_id} #{pane_pid} #{pane_dead} \
                          =#{pane_dead_status} =#{pane_dead_signal} #{pane_in_mode}"
            .to_owned();
        for option in [PANE_OPTION].iter().chain(options) {
            format.push_str(" =#{");
            format.push_str(option);
            format.push('}');
        }
        format.push_str(" #{n:session_name} #{session_name} #{pane_current_command}");
        let mut command = vec!["list-panes"];
        command.extend(which);
        command.extend(["-F", &format]);
        let answer = self.ask(&command, "")?;
        if !answer.success {
            return match Absence::of(&answer.stderr) {
                Some(Absence::Server) => Ok(Lookup::NoServer),
                Some(Absence::Session) => Ok(Lookup::NoSession),
                Some(Absence::Pane) => Ok(Lookup::NoPane),
                None => Err(self.refused("list-panes", &answer).into()),
            };
        }
        let mut reports = Vec::new();
        for line in answer.stdout.lines() {
            let read = parse(line, options)
                .ok_or_else(|| LookError::Call(self.unreadable("list-panes", line)))?;
            // Not a name of ours, or a pane beside ours: a person's.
            let (Ok(name), true) = (read.name.parse(), read.ours) else { continue };
            // The server answered just now; when it is gone by now, so is everything in it.
            let Some(server) = ProcessId::of(read.server)? else { return Ok(Lookup::NoServer) };
            reports.push(read.report(name, server)?);
        }
        Ok(Lookup::Found(reports))
    }
}

/// One line of `list-panes`.
struct Read<'a> {
    server: u32,
    session: crate::SessionId,
    pane: crate::PaneId,
    pid: u32,
    dead: bool,
    exit: Option<Exit>,
    in_mode: bool,
    ours: bool,
    options: BTreeMap<String, String>,
    name: &'a str,
    command: &'a str,
}

fn parse<'a>(line: &'a str, options: &[&str]) -> Option<Read<'a>> {
    let mut rest = line;
    let mut next = || {
        let (field, after) = rest.split_once(' ')?;
        rest = after;
        Some(field)
    };
    let server = next()?.parse().ok()?;
    let session = next()?.parse().ok()?;
    let pane_id = next()?;
    let pid = next()?.parse().ok()?;
    let dead = next()? == "1";
    let code = next()?.strip_prefix('=')?;
    let signal = next()?.strip_prefix('=')?;
    let exit = match (code, signal) {
        ("", "") => None,
        ("", signal) => Some(Exit::Signal(signal.to_owned())),
        (code, _) => Some(Exit::Code(code.parse().ok()?)),
    };
    let in_mode = next()? != "0";
    let ours = next()?.strip_prefix('=')? == pane_id;
    let mut found = BTreeMap::new();
    for option in options {
        let value = next()?.strip_prefix('=')?;
        if !value.is_empty() {
            found.insert((*option).to_owned(), value.to_owned());
        }
    }
    let len: usize = next()?.parse().ok()?;
    let name = rest.get(..len)?;
    let command = rest.get(len..)?.strip_prefix(' ')?;
    let pane = pane_id.parse().ok()?;
    Some(Read {
        server,
        session,
        pane,
        pid,
        dead,
        exit,
        in_mode,
        ours,
        options: found,
        name,
        command,
    })
}

impl Read<'_> {
    fn report(self, name: SessionName, server: ProcessId) -> Result<PaneReport, ProcessError> {
        // A pid whose program has ended may be another's by now, and is then no child of tmux.
        let mut process = None;
        if !self.dead && self.exit.is_none() {
            let found = ProcessId::of(self.pid)?;
            if let Some(candidate) = found
                && candidate.parent()? == Some(server.pid)
            {
                process = Some(candidate);
            }
        }
        let (session, pane, pid) = (self.session, self.pane, self.pid);
        Ok(PaneReport {
            pane: Pane { name, session, pane, pid, process, server },
            exit: self.exit,
            dead: self.dead,
            in_mode: self.in_mode,
            command: self.command.to_owned(),
            options: self.options,
        })
    }
}
