//! Runtimes and machines that fail.

mod binary;
mod machine;
mod pane;
mod runtime;

use seatfork_testkit::fake::Act;

/// A runtime that says this and ends.
fn exit(code: i32, stdout: &str, stderr: &str) -> Act {
    Act::Exit { code, stdout: stdout.to_owned(), stderr: stderr.to_owned() }
}
