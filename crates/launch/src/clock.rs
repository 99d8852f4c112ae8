//! Time, injected: this crate never asks the system what time it is.

use jiff::Timestamp;
use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

/// Says what time it is, in UTC.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// A clock that starts somewhere and moves one second with every look: for tests and examples.
#[derive(Debug)]
pub struct CountingClock(AtomicI64);

impl CountingClock {
    /// A clock that shows this second since 1970 first.
    pub const fn starting_at(second: i64) -> Self {
        Self(AtomicI64::new(second))
    }
}

impl Clock for CountingClock {
    fn now(&self) -> Timestamp {
        let second = self.0.fetch_add(1, Ordering::Relaxed);
        Timestamp::from_second(second).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}
