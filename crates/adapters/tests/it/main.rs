//! The integration tests of seatfork-adapters.
#![expect(clippy::unwrap_used, reason = "a test whose setting cannot be made has failed")]

mod binary;
mod claude;
mod codex;
mod pixir;
mod process;
mod support;
mod terminal;
