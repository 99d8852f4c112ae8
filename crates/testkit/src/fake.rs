//! A fake Claude Code: a real binary that behaves like the real one until a script says
//! otherwise.
//!
//! It is installed beside its script and its log, so that nothing has to pass through the
//! environment of the program under test. What it does by itself (rows, files, messages, exit
//! codes, dialogs) was measured on the real program; see `fixtures/claude/README.md`.

mod args;
mod child;
mod headless;
mod install;
mod pane;
mod parent;
mod run;
mod screens;
mod script;
mod store;

pub use install::{FakeClaude, Invocation, fake_claude_binary};
pub use parent::recorded_parent;
pub use run::main;
pub use script::{Act, ChildChange, Phase, Rule, Screen, Script, Stream};
