//! The crate against real processes and directories.
#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

mod process;
mod support;
mod wait;
