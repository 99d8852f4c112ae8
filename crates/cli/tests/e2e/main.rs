//! The main job end to end, against the real Claude Code and the real Codex, offline (`cargo xtask e2e`).
//!
//! One module a group, and one below `codex` for what is its own; each runs the built `seatfork` alone, in a network namespace that has the
//! loopback only, against a model stub.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod support;

mod codex;
mod group_1;
mod group_10;
mod group_2;
mod group_3;
mod group_4;
mod group_5;
mod group_6;
mod group_7;
mod group_8;
mod group_9;
