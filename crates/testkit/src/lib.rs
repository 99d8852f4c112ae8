#![doc = include_str!("../README.md")]

pub mod claude_home;
pub mod codex;
pub mod fake;
pub mod fixtures;
pub mod model_stub;
mod mount;
pub mod npm;
pub mod offline;
mod output;
pub mod pixir;
mod process;
mod redact;
mod test_env;
pub mod transcript;
mod traps;
pub mod world;

pub use mount::{Mount, MountError};
pub use output::Output;
pub use redact::Redactor;
pub use test_env::{Running, TestEnv};
pub use traps::Traps;
