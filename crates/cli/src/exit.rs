//! The exit codes, one meaning each (SPEC 13).

use std::process::ExitCode;

use seatfork_launch::ExitClass;

/// How a command ended, as a shell or a pipeline sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done; everything is ready.
    Ok = 0,
    /// It ran, and something failed, is partial, or needs a person.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The spec is refused.
    Refused = 3,
    /// What the command's own argument names was not found, or is ambiguous.
    NotFound = 4,
    /// Another owner is at it, or the state contradicts the request.
    Conflict = 5,
    /// It looked, and there is something to see to.
    Findings = 6,
    /// The environment is not ready: a program, a directory or the store is missing.
    NotReady = 7,
    /// Ended by the person.
    Interrupted = 130,
}

impl Exit {
    /// Every exit code with what it means, for the manual.
    pub(crate) const ALL: [(Self, &'static str); 9] = [
        (Self::Ok, "everything is ready"),
        (Self::Failed, "it ran, and something failed, is partial, or needs attention"),
        (Self::Usage, "the command line is wrong"),
        (Self::Refused, "the spec is refused"),
        (Self::NotFound, "what the argument names was not found, or is ambiguous"),
        (Self::Conflict, "conflict: another owner, or a contradicting state"),
        (Self::Findings, "it looked, and there are findings"),
        (Self::NotReady, "the environment is not ready"),
        (Self::Interrupted, "interrupted"),
    ];

    /// The number.
    pub(crate) const fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

impl From<ExitClass> for Exit {
    fn from(class: ExitClass) -> Self {
        match class {
            ExitClass::Ok => Self::Ok,
            ExitClass::Failed => Self::Failed,
            ExitClass::Usage => Self::Usage,
            ExitClass::SpecRefused => Self::Refused,
            ExitClass::NotFound => Self::NotFound,
            ExitClass::Conflict => Self::Conflict,
            ExitClass::Findings => Self::Findings,
            ExitClass::NotReady => Self::NotReady,
            ExitClass::Interrupted => Self::Interrupted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 13: the manual and the README say what the codes mean, in the same words.
    #[test]
    fn the_readme_says_what_the_codes_mean() {
        let readme = include_str!("../README.md");
        for (exit, meaning) in Exit::ALL {
            assert!(readme.contains(&format!("| {} | {meaning} |", exit.code())), "{exit:?}");
        }
    }

    // SPEC 13: the exit codes are constants others build on.
    #[test]
    fn the_exit_codes_are_those_of_the_contract() {
        let codes: Vec<_> = Exit::ALL.iter().map(|(exit, _)| (exit.code(), *exit)).collect();
        assert_eq!(
            codes,
            [
                (0, Exit::Ok),
                (1, Exit::Failed),
                (2, Exit::Usage),
                (3, Exit::Refused),
                (4, Exit::NotFound),
                (5, Exit::Conflict),
                (6, Exit::Findings),
                (7, Exit::NotReady),
                (130, Exit::Interrupted),
            ]
        );
    }
}
