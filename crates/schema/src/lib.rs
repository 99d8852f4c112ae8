//! The typed rig spec, its refusals, and the words seatfork uses: see the README below.
//!
//! This crate knows no YAML text, no I/O, no clock and no environment: it turns
//! a [`tree::Tree`] with positions into a typed document or a list of
//! refusals, and it owns the vocabulary that every other crate speaks.
//!
#![doc = include_str!("../README.md")]

pub mod code;
pub mod conversation;
pub mod diagnostic;
pub mod diags;
pub mod explain;
mod from_serde;
mod json_schema;
pub mod launch_code;
pub mod path;
pub mod printable;
pub mod proof;
pub mod spec;
pub mod token;
pub mod tree;
pub mod validate;
pub mod words;

pub use code::Code;
pub use conversation::{ConversationId, NativeId, NativeIdError, Scope};
pub use diagnostic::{Diagnostic, Related, Severity};
pub use from_serde::{MAX_DEPTH, Refused};
pub use json_schema::json_schema;
pub use launch_code::LaunchCode;
pub use printable::printable;
pub use proof::{NotProved, Proof, ProofGrade, ProofStatus, ProvedChild};
pub use spec::{Document, Payload, RigSpec};
pub use token::{PlannedChild, SeatToken, SourceId};
pub use validate::{DocumentKind, Hints, Outcome, validate};
pub use words::{
    BindingOutcome, ContinuityOutcome, CreatedVia, Intent, LaunchState, NoticeState, ProcessState,
    Runtime,
};
