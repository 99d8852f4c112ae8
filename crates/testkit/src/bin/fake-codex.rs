//! The fake Codex; see `seatfork_testkit::fake`.

use std::process::ExitCode;

fn main() -> ExitCode {
    seatfork_testkit::fake::codex::main()
}
