//! The `seatfork` command from outside: its streams, its exit codes, its JSON.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod attention;
mod author;
mod claude;
mod conflicts;
mod failures;
mod interrupt;
mod life;
mod log;
mod naming;
mod offline;
mod quickstart;
mod read_only;
mod redact;
mod reference;
mod rig;
mod run;
mod sessions;
mod surroundings;
mod terminal;
mod usage;
