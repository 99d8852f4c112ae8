//! The `seatfork` command from outside: its streams, its exit codes, its JSON.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod attention;
mod author;
mod bounded;
mod claude;
mod conflicts;
mod earlier_build;
mod failures;
mod hostile;
mod interrupt;
mod leftovers;
mod life;
mod log;
mod naming;
mod notice;
mod offline;
mod own_pane;
mod passed;
mod quickstart;
mod read_only;
mod redact;
mod reference;
mod rig;
mod run;
mod sessions;
mod surroundings;
mod talk;
mod terminal;
mod usage;
