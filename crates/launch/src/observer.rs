//! What happens while it happens, for whoever shows progress.

use crate::report::{SeatReport, Step};
use std::fmt;
use std::time::Duration;

/// Hears of everything that happens during a command. Called on the thread that runs it: be quick.
///
/// Nothing here is a result: results are durable before they are said (SPEC 7), and stand in the report.
pub trait Observer: fmt::Debug + Send + Sync {
    /// Something happened.
    fn event(&self, event: &Event<'_>);
}

/// Something that happened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A seat's turn has come.
    Begun {
        /// The seat.
        seat: &'a str,
    },
    /// A step of its launch begins.
    Entered {
        /// The seat.
        seat: &'a str,
        /// The step.
        step: Step,
    },
    /// A process of an earlier, interrupted attempt is waited for.
    WaitingForProcess {
        /// The seat.
        seat: &'a str,
        /// Its process id.
        pid: u32,
    },
    /// The seat is done with; its report is final.
    Done {
        /// The report.
        report: &'a SeatReport,
        /// How long it took.
        took: Duration,
    },
    /// The command was interrupted: nothing more is started, what runs is ended in order.
    Interrupted {
        /// Seats whose launch is running.
        running: usize,
    },
}

/// Hears and says nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Observer for Silent {
    fn event(&self, _: &Event<'_>) {}
}
