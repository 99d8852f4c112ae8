//! Codex, real, in a [`TestEnv`](crate::TestEnv): its home, and prior conversations of every odd kind.

mod home;
mod odd;
mod rollout;
mod talk;
mod thread;

pub use home::{CodexHome, Config, KEY_VAR};
pub use rollout::{Rollout, history_base};
pub use talk::CodexTalk;
pub use thread::{CodexThread, make_fork, make_parent};
