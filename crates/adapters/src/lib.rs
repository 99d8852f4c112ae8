//! What seatfork knows of each agent runtime: see the README below.
//!
//! One object-safe trait, [`Adapter`]; one module per runtime. Adapters plan
//! (plain data, no process), one driver runs, and proof comes from what stands
//! on disk. This crate knows no store and no tmux.
//!
#![doc = include_str!("../README.md")]

mod apart;
pub mod binary;
pub mod claude_code;
pub mod codex;
pub mod contract;
mod nearest;
pub mod pixir;
pub mod process;
pub mod record;
pub mod registry;
pub mod terminal;

pub use contract::adapter::Adapter;
pub use contract::dialogue::Dialogue;
pub use contract::environment::{NONCE_VAR, SeatEnv};
pub use contract::evidence::{Evidence, InUse, Made, SessionSummary};
pub use contract::failure::{
    FindError, Phase1Refusal, PlanRefusal, ProbeError, ProveError, ResolveError,
};
pub use contract::plan::{
    Binary, Description, PaneStart, Phase1, Phase1Ask, Phase1Output, Posture, ProcessPlan,
    SeatWish, Seed, Server, Surroundings, WritePlan,
};
pub use contract::watch::{Dialog, Foretold, Observation};
pub use registry::{adapter_for, adapters};
// What the contract says of a pane speaks of it.
pub use seatfork_process::ProcessId;
