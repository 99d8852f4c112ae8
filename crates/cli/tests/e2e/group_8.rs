//! Killed at every crash point.

mod later;
mod points;
mod real;
pub(crate) mod scene;
