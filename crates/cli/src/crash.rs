//! Crash points: a debug build can be made to die at a named point of a launch, to prove that nothing is
//! lost or doubled (SPEC 7). A release build holds no code for it.

use seatfork_launch::CrashPoints;

use crate::env::Environment;

/// The variable that names the point.
#[cfg(debug_assertions)]
const VARIABLE: &str = "SEATFORK_CRASH_AT";

/// The point that is armed, if any.
#[cfg(debug_assertions)]
pub(crate) fn points(env: &Environment) -> CrashPoints {
    use seatfork_launch::CrashPoint;
    let named = env.vars.0.get(VARIABLE).and_then(|word| CrashPoint::from_word(word));
    named.map_or_else(CrashPoints::none, |point| CrashPoints::armed(point, die))
}

/// No point is ever armed.
#[cfg(not(debug_assertions))]
pub(crate) fn points(_: &Environment) -> CrashPoints {
    CrashPoints::none()
}

/// Dies as hard as a process can.
#[cfg(debug_assertions)]
fn die() {
    use rustix::process::{Signal, getpid, kill_process};
    // Should the signal fail, the test that armed the point sees a process that went on.
    kill_process(getpid(), Signal::KILL).unwrap_or_default();
}
