//! The one place that asks what time it is.

use jiff::Timestamp;

/// The system's clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemClock;

impl seatfork_launch::Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}
