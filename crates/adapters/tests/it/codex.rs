//! Codex.

mod home;
mod real;
mod resolve;
mod twins;
