//! What the tests stand on.

mod record_runtime;
mod world;

pub(crate) use world::{SOURCE, World, fork, fresh, only, rig, run, terminal};
