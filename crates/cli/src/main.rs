//! The `seatfork` command: it parses the command line, runs one verb, and ends with its exit code.

mod clock;
mod env;
mod exit;
mod failing;
mod output;
mod places;
mod show;
mod version;

fn main() {}
