//! A pane's screen as lines of text: the evidence when a program stopped or waits.

use crate::call::CallError;
use crate::look::Lookup;
use crate::open::Pane;
use crate::server::{Absence, Server};

/// What stands on a pane: its history, then the visible screen. Text from outside, to be passed
/// through the rim's `printable()` before it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen {
    /// Lines from the oldest kept to the last that is not empty, without trailing spaces. A line
    /// that tmux wrapped is one line.
    pub lines: Vec<String>,
}

impl Screen {
    /// Returns the last `n` lines.
    ///
    /// ```
    /// let screen = seatfork_tmux::Screen { lines: vec!["a".into(), "b".into(), "c".into()] };
    /// assert_eq!(screen.last_lines(2), ["b", "c"]);
    /// assert_eq!(screen.last_lines(20).len(), 3);
    /// ```
    pub fn last_lines(&self, n: usize) -> &[String] {
        &self.lines[self.lines.len().saturating_sub(n)..]
    }

    /// Returns all lines, each ended by a newline.
    pub fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
    }

    fn parse(text: &str) -> Self {
        let mut lines: Vec<String> = text.lines().map(|line| line.trim_end().to_owned()).collect();
        let used = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        lines.truncate(used);
        Self { lines }
    }
}

/// Why a screen could not be read.
#[derive(Debug, thiserror::Error)]
#[error("read the screen of session {session}")]
pub struct CaptureError {
    /// The session.
    pub session: crate::SessionName,
    /// What happened.
    #[source]
    pub source: CallError,
}

impl Server {
    /// Reads the screen and the history of a pane; a dead pane keeps both.
    pub fn capture(&self, pane: &Pane) -> Result<Lookup<Screen>, CaptureError> {
        let failed = |source| CaptureError { session: pane.name.clone(), source };
        let id = pane.pane.to_string();
        let command = [
            "display-message",
            "-p",
            "-t",
            &id,
            "#{pid} #{session_id} #{pane_id}",
            ";",
            "capture-pane",
            "-p",
            "-J",
            "-S",
            "-",
            "-t",
            &id,
        ];
        let answer = self.ask(&command, "").map_err(failed)?;
        let (head, screen) = answer.stdout.split_once('\n').unwrap_or((&answer.stdout, ""));
        let server = head.split(' ').next().and_then(|pid| pid.parse().ok());
        if server.is_some_and(|pid: u32| pid != pane.server.pid) {
            return Ok(Lookup::OtherServer);
        }
        if !answer.success {
            return match Absence::of(&answer.stderr) {
                Some(Absence::Server) => Ok(Lookup::NoServer),
                // A session goes with its last pane, so either may be what is missing.
                Some(Absence::Session | Absence::Pane) => Ok(Lookup::NoPane),
                None => Err(failed(self.refused("capture-pane", &answer))),
            };
        }
        if head != format!("{} {} {id}", pane.server.pid, pane.session) {
            return Err(failed(self.unreadable("display-message", head)));
        }
        Ok(Lookup::Found(Screen::parse(screen)))
    }
}
