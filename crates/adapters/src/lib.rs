//! What seatfork knows of each agent runtime: resolve, plan, prove, observe.
//!
//! One object-safe trait, [`Adapter`]; one module per runtime. Adapters plan
//! (plain data, no process), one driver runs, and proof comes from what stands
//! on disk. This crate knows no store and no tmux.

pub mod contract;

pub use contract::adapter::Adapter;
