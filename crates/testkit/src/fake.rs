//! A fake Claude Code and a fake Codex: real binaries that behave like the real ones until a
//! script says otherwise.
//!
//! Each is installed beside its script and its log, so that nothing has to pass through the
//! environment of the program under test. What it does by itself (rows, files, messages, exit
//! codes, dialogs) was measured on the real programs; see `fixtures/claude/README.md`.

mod args;
mod child;
pub mod codex;
mod headless;
mod install;
mod late;
mod pane;
mod parent;
mod run;
mod screens;
mod script;
mod store;
mod told;
mod watch;

pub use install::{
    FakeClaude, FakeCodex, Installed, Invocation, fake_claude_binary, fake_codex_binary,
};
pub use parent::recorded_parent;
pub use run::main;
pub use script::{Act, ChildChange, Phase, Rule, Screen, Script, Stream};
