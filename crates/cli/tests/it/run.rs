//! Runs the built command with an environment of its own.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Its one JSON object.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

/// The command in a directory, with nothing of the caller's environment.
pub(crate) fn command(dir: &Path, args: &[&str]) -> Command {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place of these tests that starts the command"
    )]
    let mut command = Command::new(env!("CARGO_BIN_EXE_seatfork"));
    command.args(args).env_clear().current_dir(dir);
    command
}

/// Runs to the end with some stdin.
pub(crate) fn run_with(dir: &Path, args: &[&str], stdin: &[u8]) -> Run {
    let mut child = command(dir, args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that does not read its stdin closes it, which is its right.
    let _unread = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs to the end.
pub(crate) fn run(dir: &Path, args: &[&str]) -> Run {
    run_with(dir, args, b"")
}
