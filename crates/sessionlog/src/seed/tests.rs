//! The promises of a warm start, one test each, and what happens when writing fails or the process is killed.

mod around;
mod crash;
mod disk;
mod faults;
mod promises;
mod scope;
pub(crate) mod support;
