#![doc = include_str!("../README.md")]

mod call;
mod end;
mod look;
mod name;
mod open;
mod process;
mod quote;
mod screen;
mod server;
mod spec;
mod typing;
mod wait;

pub use call::CallError;
pub use end::{KillError, Killed, ServerEnd};
pub use look::{DeadStatus, Exit, LookError, Lookup, PaneReport};
pub use name::{IdError, NameError, PaneId, SessionId, SessionName};
pub use open::{CwdCheck, Left, OpenError, Opened, Pane};
pub use process::{
    Census, Ended, ProcessError, ProcessId, Sent, Signal, children, end_process, environ_has,
    with_environ,
};
pub use screen::{CaptureError, Screen};
pub use server::{DirError, SOCKET_PATH_MAX, Server, ServerError, fallback_dir};
pub use spec::{PaneSpec, SpecError, TMUX_SETS};
pub use typing::TypingError;
pub use wait::{TICK, WaitError, Waker, Watched, Woken};
