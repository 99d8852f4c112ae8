#![doc = include_str!("../README.md")]

mod append;
mod boundary;
mod cache;
mod child;
mod create;
mod error;
mod event;
mod fork;
mod id;
mod lease;
mod lineage;
mod marker;
mod posture;
mod prefix;
mod problem;
mod read;
mod resource;
mod rim;
mod scan;
mod seed;
mod splice;
mod summary;
#[cfg(test)]
mod test_support;
mod tree;
mod unfinished;
mod workspace;

pub use append::{AppendError, Durability, LogWriter, Repair, repair_torn_tail};
pub use cache::{BrokenBy, CacheFacts, CachePrefix, is_model_context};
pub use child::BirthError;
pub use create::{CreateError, create_log};
pub use error::{FileKind, ReadError, StateError};
pub use event::{Event, EventType};
pub use fork::{ForkError, ForkPlan, ForkRequest, Forked, fork, plan_fork};
pub use id::{RandomError, SessionId, SessionIdError};
pub use lease::hold::{HoldError, force_release};
pub use lease::{Lease, LeasePid, LeaseState, lease_state};
pub use lineage::{EnvelopeProjection, Lineage, STRATEGY, WarmLineage, envelope_projection};
pub use marker::{boundary_marker_kind, boundary_text};
pub use posture::{
    CurrentPosture, PermissionMode, Posture, PostureError, WorkspaceMode, WritePolicy,
    current_posture,
};
pub use prefix::DanglingCall;
pub use problem::LineProblem;
pub use read::{FileIdentity, LogReader, MAX_LINE, Reading};
pub use resource::ResourceError;
pub use seed::{SeedError, SeedLineage, SeedRequest, Seeded, seed_child_log, validate};
pub use tree::{Edge, Kin, LogState, Node, Place, Row, Tree};
pub use unfinished::remove_unfinished;
pub use workspace::Workspace;
