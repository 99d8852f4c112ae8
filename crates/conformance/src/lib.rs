#![doc = include_str!("../README.md")]
#![expect(clippy::expect_used, clippy::panic, reason = "a check that does not hold stops")]

mod bench;
mod files;
mod subject;
mod suite;

pub use bench::{Bench, Failure, Made};
pub use subject::{Misdeed, Pane, Source, Subject};
pub use suite::{Check, SUITE};
