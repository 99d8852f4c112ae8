//! Codex.

mod home;
mod real;
