//! Named points at which a launch can be made to die, to prove that nothing is lost or doubled.

use crate::words::words;
use std::fmt;

words! {
    /// A point in a launch, named for what has just become durable or true (SPEC 7's table).
    CrashPoint {
        /// The launch row says `declared`.
        AfterDeclared = "after-declared",
        /// The launch row says `resolved`.
        AfterResolved = "after-resolved",
        /// The launch row says `forking`; nothing runs yet.
        BeforeSpawn = "before-spawn",
        /// Phase 1 runs; its process is not written down yet.
        AfterSpawn = "after-spawn",
        /// Phase 1 runs and its process is written down.
        AfterSpawnRecorded = "after-spawn-recorded",
        /// Phase 1 has ended.
        AfterPhase1 = "after-phase1",
        /// The child is proved; the store does not know.
        AfterProof = "after-proof",
        /// The realizing transaction is through; there is no pane.
        AfterRealized = "after-realized",
        /// The pane exists; the store does not know.
        AfterPane = "after-pane",
        /// The pane is written down; it was not seen ready.
        AfterPaneRecorded = "after-pane-recorded",
        /// The old occupant is about to be ended for a fresh relaunch.
        BeforeRelaunch = "before-relaunch",
        /// The store refused a token and the rescue file is written.
        RescueWritten = "rescue-written",
        /// A recovery has proved a child that a dead owner left.
        RecoveredProof = "recovered-proof",
    }
}

/// Which point is armed, if any, and how to die there.
///
/// Production code passes [`CrashPoints::none`]. The only way to arm one is [`CrashPoints::armed`],
/// which takes the deed as well: this crate holds no code that kills the process it runs in, so no
/// environment and no input can make a shipped build die.
#[derive(Clone, Copy, Default)]
pub struct CrashPoints {
    armed: Option<(CrashPoint, fn())>,
}

impl CrashPoints {
    /// Nothing is armed.
    pub const fn none() -> Self {
        Self { armed: None }
    }

    /// Calls `die` when `point` is reached. Meant for test builds; `die` sends SIGKILL to itself.
    pub const fn armed(point: CrashPoint, die: fn()) -> Self {
        Self { armed: Some((point, die)) }
    }

    /// Passes a point.
    pub fn reach(&self, point: CrashPoint) {
        if let Some((armed, die)) = self.armed
            && armed == point
        {
            die();
        }
    }
}

impl fmt::Debug for CrashPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CrashPoints").field(&self.armed.map(|(point, _)| point)).finish()
    }
}
