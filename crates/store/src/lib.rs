#![doc = include_str!("../README.md")]

mod column;
mod db;
mod durable;
mod error;
mod id;
mod launch;
mod lineage;
mod migrate;
mod occupant;
mod open;
mod owner_lock;
mod pane;
mod realize;
pub mod rescue;
mod rig;
mod seat;
mod verification;

pub use error::StoreError;
pub use id::{IdError, LaunchId, Nonce, RigId, SeatId};
pub use launch::declare::{DeclareError, ForkVia, NewLaunch, Work};
pub use launch::step::{LaunchError, Resolution, StepError};
pub use launch::{
    ArtifactFact, ArtifactState, ImageRef, Launch, Owner, ProcessMark, Replaces, RuntimeBinary,
    SourceEvidence,
};
pub use lineage::{LineageEdge, LineageGraph, LineageNode, LineageOf, SourceRange};
pub use migrate::SCHEMA_VERSION;
pub use occupant::{EndError, EndReason, Occupant};
pub use open::filesystem::network_file_system;
pub use open::{APPLICATION_ID, Mode, OpenError, Store};
pub use owner_lock::{LockError, OwnerLock};
pub use pane::{NewPane, Pane};
pub use realize::adopt::{AdoptError, Adoption};
pub use realize::{RealizeError, Realized};
pub use rig::{EnsureRigError, NewRig, RetireError, Rig};
pub use seat::state::SeatRow;
pub use seat::{Ensured, Kept, Location, NewSeat, Seat};
pub use verification::Verification;
