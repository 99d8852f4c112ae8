//! The contract between adapters and whoever composes them (SPEC 6).

pub mod adapter;
pub mod dialogue;
pub mod environment;
pub mod evidence;
pub mod failure;
pub mod notice;
pub mod plan;
pub mod watch;
