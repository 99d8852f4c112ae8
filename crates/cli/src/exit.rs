//! The exit codes, one meaning each (SPEC 13).

pub(crate) use seatfork_launch::ExitClass as Exit;

/// Every exit code with what it means, for the manual.
pub(crate) const MEANINGS: [(Exit, &str); 9] = [
    (Exit::Ok, "everything is ready"),
    (Exit::Failed, "it ran, and something failed, is partial, or needs attention"),
    (Exit::Usage, "the command line is wrong"),
    (Exit::SpecRefused, "the spec is refused"),
    (Exit::NotFound, "what the argument names was not found, or is ambiguous"),
    (Exit::Conflict, "conflict: another owner, or a contradicting state"),
    (Exit::Findings, "it looked, and there are findings"),
    (Exit::NotReady, "the environment is not ready"),
    (Exit::Interrupted, "interrupted"),
];

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 13: the manual and the README say what the codes mean, in the same words.
    #[test]
    fn the_readme_says_what_the_codes_mean() {
        let readme = include_str!("../README.md");
        for (exit, meaning) in MEANINGS {
            assert!(readme.contains(&format!("| {} | {meaning} |", exit.code())), "{exit:?}");
        }
    }

    // SPEC 13: the exit codes are constants others build on.
    #[test]
    fn the_exit_codes_are_those_of_the_contract() {
        let codes: Vec<_> = MEANINGS.iter().map(|(exit, _)| (exit.code(), *exit)).collect();
        assert_eq!(
            codes,
            [
                (0, Exit::Ok),
                (1, Exit::Failed),
                (2, Exit::Usage),
                (3, Exit::SpecRefused),
                (4, Exit::NotFound),
                (5, Exit::Conflict),
                (6, Exit::Findings),
                (7, Exit::NotReady),
                (130, Exit::Interrupted),
            ]
        );
    }
}
