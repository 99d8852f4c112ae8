//! Killed at every crash point.
