//! What a program run by a test said and came to.

use std::{fmt, process::ExitStatus};

use serde_json::Value;

use crate::redact::Redactor;

/// The end of a run: exit status, standard output, standard error.
///
/// Displayed with paths, ids, times and pids redacted, ready for a text snapshot.
#[must_use = "either snapshot the output or assert on its exit code"]
#[derive(Clone, Debug)]
pub struct Output {
    pub(crate) command: String,
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) redactor: Redactor,
}

impl Output {
    /// The exit code.
    ///
    /// # Panics
    /// When a signal ended the program.
    #[track_caller]
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| panic!("ended by a signal\n{self}"))
    }

    /// How it ended.
    pub fn status(&self) -> ExitStatus {
        self.status
    }

    /// Standard output as it was.
    pub fn stdout(&self) -> &str {
        &self.stdout
    }

    /// Standard error as it was.
    pub fn stderr(&self) -> &str {
        &self.stderr
    }

    /// Standard output as one JSON value.
    ///
    /// # Panics
    /// When it is not one.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|err| panic!("stdout is not one JSON value: {err}\n{self}"))
    }

    /// The output itself, its exit code checked.
    ///
    /// # Panics
    /// When the exit code is another.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert!(self.status.code() == Some(code), "exit code {code} expected\n{self}");
        self
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, status, stdout, stderr, redactor } = self;
        let text = format!(
            "$ {command}\n[{status}]\n----- stdout -----\n{stdout}----- stderr -----\n{stderr}"
        );
        f.write_str(&redactor.redact(&text))
    }
}
