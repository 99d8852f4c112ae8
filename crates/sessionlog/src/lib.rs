#![doc = include_str!("../README.md")]

mod error;
mod event;
mod id;
mod lineage;
mod marker;
mod problem;
mod read;
mod scan;
#[cfg(test)]
mod test_support;
mod tree;
mod workspace;

pub use error::{FileKind, ReadError, StateError};
pub use event::{Event, EventType};
pub use id::{RandomError, SessionId, SessionIdError};
pub use lineage::{EnvelopeProjection, Lineage, STRATEGY, envelope_projection};
pub use marker::{boundary_marker_kind, boundary_text};
pub use problem::LineProblem;
pub use read::{FileIdentity, LogReader, MAX_LINE, Reading};
pub use tree::{Edge, Kin, LogState, Node, Place, Row, Tree};
pub use workspace::Workspace;
