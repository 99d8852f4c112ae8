//! Sources of every kind: forked with their content proved, or refused by name.

mod lines;
mod live;
mod refused;
mod usable;
