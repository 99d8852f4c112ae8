//! The crate against a real tmux, on private sockets in temporary directories.
#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

mod end;
mod hostile;
mod look;
mod open;
mod server;
mod support;
mod typing;
