//! Codex.

mod dialogs;
mod home;
mod live;
mod real;
mod recorded;
mod resolve;
mod start;
mod twins;
