//! Progress while a command runs: talk, on stderr (SPEC 13).

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use seatfork_launch::{Event, Observer, Step};
use seatfork_schema::printable;

use crate::show::time;
use crate::show::up::Took;

/// Says what happens, and remembers how long each seat took.
#[derive(Debug)]
pub(crate) struct Progress {
    aloud: bool,
    took: Mutex<Took>,
}

impl Progress {
    /// One that talks, or is silent where the caller asked for JSON alone.
    pub(crate) fn new(aloud: bool) -> Self {
        Self { aloud, took: Mutex::default() }
    }

    /// How long each seat took.
    pub(crate) fn took(&self) -> Took {
        self.took.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn say(&self, line: &str) {
        if self.aloud {
            // Progress nobody can read any more is no reason to stop what is running.
            drop(writeln!(std::io::stderr().lock(), "{line}"));
        }
    }
}

impl Observer for Progress {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Entered { seat, step } => {
                self.say(&format!("{}: {}", printable(seat), doing(*step)));
            }
            Event::WaitingForProcess { seat, pid } => {
                let seat = printable(seat);
                self.say(&format!("{seat}: waiting for process {pid} of an interrupted attempt"));
            }
            Event::Done { report, took } => {
                let seat = printable(&report.seat);
                self.say(&format!("{seat}: {} after {}", report.action, time::took(*took)));
                let mut all = self.took.lock().unwrap_or_else(PoisonError::into_inner);
                all.insert(report.seat.clone(), *took);
            }
            Event::Interrupted { running } => {
                self.say(&format!(
                    "interrupted: nothing more is started, {running} running end first; again to end at once"
                ));
            }
            // A turn that begins says so with its first step; later kinds are told when they are known here.
            _ => {}
        }
    }
}

const fn doing(step: Step) -> &'static str {
    match step {
        Step::Declare => "writing down the launch",
        Step::Resolve => "looking at the conversation",
        Step::Fork => "making the new conversation",
        Step::Learn => "reading its id",
        Step::Prove => "proving it",
        Step::Store => "storing its token",
        Step::Pane => "opening its pane",
        Step::Ready => "waiting until it is ready",
        Step::Recover => "finishing what was interrupted",
    }
}
