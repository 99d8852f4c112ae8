//! Codex.

mod dialogs;
mod home;
mod live;
mod real;
mod resolve;
mod start;
mod twins;
