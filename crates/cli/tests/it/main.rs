//! The `seatfork` command from outside: its streams, its exit codes, its JSON.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod author;
mod conflicts;
mod naming;
mod reference;
mod rig;
mod run;
mod terminal;
mod usage;
