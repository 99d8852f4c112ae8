//! The one driver that runs a headless [`ProcessPlan`](crate::ProcessPlan) (SPEC 6, 10 row 4).
//!
//! It builds the environment, starts the program in a process group of its
//! own with nothing on its standard input but the dialogue its plan holds, tells the caller who was started
//! *before* it waits, reads both pipes to their end while keeping only their
//! heads, ends the whole group at the deadline, and reports whatever it could
//! not end. It never goes through a shell.

mod capture;
mod failure;
mod group;
mod leftover;
mod run;
mod speak;

pub use capture::Tee;
pub use failure::{RunError, Unseen};
pub use leftover::Leftover;
pub use run::{Finished, RunOptions, check_binary, run};
