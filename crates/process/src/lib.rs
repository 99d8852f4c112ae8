#![doc = include_str!("../README.md")]

mod end;
mod error;
mod mark;
mod table;
mod wait;

#[cfg(target_os = "linux")]
#[path = "system/linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "system/portable.rs"]
mod system;

// Compiled where it is not used, so that it cannot rot unseen.
#[cfg(all(test, target_os = "linux"))]
#[path = "system/portable.rs"]
mod portable;

pub use end::{Ended, Sent, Signal, end_process, ended_by, remind};
pub use error::ProcessError;
pub use mark::{Census, environ_has, variable, with_environ};
pub use table::{Entry, ProcessId, all, children, entry};
pub use wait::{TICK, WaitError, Waker, Watched, Woken};
