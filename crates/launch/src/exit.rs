//! Exit classes: one number per kind of end (SPEC 13).

/// How a command ends, as a process exit code. The numbers are an API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ExitClass {
    /// All is well; everything asked for is ready.
    Ok = 0,
    /// It ran; something failed, is partial, or needs attention.
    Failed = 1,
    /// The command line was not understood.
    Usage = 2,
    /// The spec was refused.
    SpecRefused = 3,
    /// The command's own argument was not found, or is ambiguous.
    NotFound = 4,
    /// Somebody else owns what was to be changed.
    Conflict = 5,
    /// It ran; findings deserve a look.
    Findings = 6,
    /// The environment is not ready; nothing was started.
    NotReady = 7,
    /// Interrupted by the user.
    Interrupted = 130,
}

impl ExitClass {
    /// The process exit code.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Of several causes: the first of 130, 1, 5, 6, then the others as they come (SPEC 13).
    ///
    /// ```
    /// use seatfork_launch::ExitClass::{Conflict, Failed, Findings, Interrupted, Ok};
    /// assert_eq!(Ok.or(Findings).or(Conflict), Conflict);
    /// assert_eq!(Conflict.or(Failed), Failed);
    /// assert_eq!(Failed.or(Interrupted), Interrupted);
    /// ```
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self.rank() <= other.rank() { self } else { other }
    }

    const fn rank(self) -> u8 {
        match self {
            Self::Interrupted => 0,
            Self::Usage => 1,
            Self::SpecRefused => 2,
            Self::NotReady => 3,
            Self::NotFound => 4,
            Self::Failed => 5,
            Self::Conflict => 6,
            Self::Findings => 7,
            Self::Ok => 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ExitClass::{Conflict, Failed, Findings, Interrupted, NotReady, Ok};

    // SPEC 13: with several causes the exit is the first of 130, 1, 5, 6.
    #[test]
    fn several_causes_give_the_first_of_130_1_5_6() {
        for (causes, exit) in [
            (vec![Ok, Ok], Ok),
            (vec![Ok, Findings], Findings),
            (vec![Findings, Conflict], Conflict),
            (vec![Conflict, Findings, Failed], Failed),
            (vec![Failed, Conflict, Interrupted, Findings], Interrupted),
        ] {
            let forward = causes.iter().fold(Ok, |all, one| all.or(*one));
            let backward = causes.iter().rev().fold(Ok, |all, one| all.or(*one));
            assert_eq!((forward, backward), (exit, exit), "{causes:?}");
        }
        assert_eq!((Ok.code(), NotReady.code(), Interrupted.code()), (0, 7, 130));
    }
}
