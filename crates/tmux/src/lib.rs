#![doc = include_str!("../README.md")]

mod call;
mod end;
mod look;
mod name;
mod open;
mod quote;
mod screen;
mod server;
mod spec;
mod typing;

pub use call::CallError;
pub use end::{KillError, Killed, ServerEnd};
pub use look::{DeadStatus, Exit, LookError, Lookup, PaneReport};
pub use name::{IdError, NameError, PaneId, SessionId, SessionName};
pub use open::{CwdCheck, Left, OpenError, Opened, Pane};
// What is said of a pane speaks of these.
pub use screen::{CaptureError, Screen};
pub use seatfork_process::{ProcessError, ProcessId};
pub use server::{DirError, SOCKET_PATH_MAX, Server, ServerError, fallback_dir};
pub use spec::{PaneSpec, SpecError, TMUX_SETS};
pub use typing::TypingError;
