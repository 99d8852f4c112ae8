//! Typing into a pane: text as one paste, and Enter as a key of its own.

use crate::call::{Answer, CallError};
use crate::name::SessionName;
use crate::open::Pane;
use crate::server::{Absence, Server};
use seatfork_process::ProcessError;

/// The conditions under which keys reach the program, in the order they are asked for.
const STATE: &str = "#{pid} #{session_id} #{pane_id} #{pane_dead} #{pane_in_mode}";

/// Why text or a key was not delivered. Unless said otherwise nothing was.
#[derive(Debug, thiserror::Error)]
pub enum TypingError {
    /// There is nothing to type.
    #[error("type into session {session}: the text is empty")]
    Empty {
        /// The session.
        session: SessionName,
    },
    /// A control character would act as a key and not arrive as text.
    #[error(
        "type into session {session}: the text has the control character {found:?} at byte {at}; only newline and tab can be typed"
    )]
    ControlCharacter {
        /// The session.
        session: SessionName,
        /// The first one.
        found: char,
        /// Its place in the text.
        at: usize,
    },
    /// The pane, its session or its server is gone.
    #[error("type into session {session}: its pane is gone")]
    Gone {
        /// The session.
        session: SessionName,
    },
    /// The program has ended; tmux would take the keys and give them to nobody.
    #[error("type into session {session}: its program has ended")]
    Ended {
        /// The session.
        session: SessionName,
    },
    /// A person scrolls in the pane, and tmux would take the keys itself.
    #[error(
        "type into session {session}: somebody scrolls in it (copy mode), which takes all keys"
    )]
    InMode {
        /// The session.
        session: SessionName,
    },
    /// The process could not be looked at.
    #[error("type into session {session}")]
    Process {
        /// The session.
        session: SessionName,
        /// The reason.
        #[source]
        source: ProcessError,
    },
    /// tmux could not be asked, or refused.
    #[error("type into session {session}")]
    Call {
        /// The session.
        session: SessionName,
        /// What happened.
        #[source]
        source: CallError,
    },
}

impl Server {
    /// Types a text, byte for byte, as one paste (bracketed where the program asked for that).
    ///
    /// Enter is not part of it: a newline inside is text. What is delivered to the terminal is
    /// not yet taken by the program; look at the screen before [`Server::press_enter`].
    pub fn type_text(&self, pane: &Pane, text: &str) -> Result<(), TypingError> {
        let session = || pane.name.clone();
        if text.is_empty() {
            return Err(TypingError::Empty { session: session() });
        }
        let acts = |c: &char| c.is_control() && !matches!(c, '\n' | '\t');
        if let Some((at, found)) = text.char_indices().find(|(_, c)| acts(c)) {
            return Err(TypingError::ControlCharacter { session: session(), found, at });
        }
        let id = pane.pane.to_string();
        // One buffer per pane and process, so that texts typed at once do not mix.
        let buffer = format!("seatfork-{}-{}", std::process::id(), id.trim_start_matches('%'));
        let paste = format!("paste-buffer -d -p -r -b {buffer} -t {id}");
        let refuse = format!("delete-buffer -b {buffer} ; display-message -p -t {id} '{STATE}'");
        let condition = condition(pane);
        let command = [
            "load-buffer",
            "-b",
            &buffer,
            "-",
            ";",
            "if-shell",
            "-F",
            "-t",
            &id,
            &condition,
            &paste,
            &refuse,
        ];
        let delivered = self.deliver(pane, &command, text);
        if delivered.is_err() {
            // Where the paste failed the text may still be in the server's memory. Nothing is to
            // be learnt from an error here: usually there is no such buffer, or no server.
            drop(self.ask(&["delete-buffer", "-b", &buffer], ""));
        }
        delivered
    }

    /// Presses Enter.
    pub fn press_enter(&self, pane: &Pane) -> Result<(), TypingError> {
        let id = pane.pane.to_string();
        let press = format!("send-keys -t {id} Enter");
        let refuse = format!("display-message -p -t {id} '{STATE}'");
        self.deliver(pane, &["if-shell", "-F", "-t", &id, &condition(pane), &press, &refuse], "")
    }

    fn deliver(&self, pane: &Pane, command: &[&str], stdin: &str) -> Result<(), TypingError> {
        let session = || pane.name.clone();
        // tmux learns late that a program ended; the process itself tells at once.
        if let Some(process) = pane.process {
            let alive = process.alive();
            let alive =
                alive.map_err(|source| TypingError::Process { session: session(), source })?;
            if !alive {
                return Err(TypingError::Ended { session: session() });
            }
        }
        let call = |source| TypingError::Call { session: session(), source };
        let answer = self.ask(command, stdin).map_err(call)?;
        if !answer.success {
            return Err(match Absence::of(&answer.stderr) {
                Some(_) => TypingError::Gone { session: session() },
                None => call(self.refused(command[0], &answer)),
            });
        }
        refusal(pane, &answer).map_or(Ok(()), Err)
    }
}

/// True in tmux exactly when the pane is this one, on this server, and takes keys.
fn condition(pane: &Pane) -> String {
    format!("#{{==:{STATE},{} {} {} 0 0}}", pane.server.pid, pane.session, pane.pane)
}

/// Reads what the refusing branch printed; nothing printed means delivered.
fn refusal(pane: &Pane, answer: &Answer) -> Option<TypingError> {
    let said = answer.stdout.trim_end_matches('\n');
    if said.is_empty() {
        return None;
    }
    let session = pane.name.clone();
    let here = format!("{} {} {} ", pane.server.pid, pane.session, pane.pane);
    Some(match said.strip_prefix(&here).and_then(|rest| rest.split_once(' ')) {
        Some(("1", _)) => TypingError::Ended { session },
        Some(_) => TypingError::InMode { session },
        None => TypingError::Gone { session },
    })
}
