//! The typed normal form of every document (SPEC 2, 3, 5).
//!
//! A [`RigSpec`] or a [`Payload`] exists only after validation. Inside, every
//! value is valid by its type: ids, names, paths and free text have types that
//! cannot hold anything else, words are enums.
//!
//! ```compile_fail
//! use seatfork_schema::spec::{RigFields, RigSpec};
//! fn invent(fields: RigFields) -> RigSpec { RigSpec(Box::new(fields)) }
//! ```
//! ```compile_fail
//! use seatfork_schema::spec::MemberId;
//! fn invent() -> MemberId { MemberId("a b".to_owned()) }
//! ```

pub mod names;
pub mod paths;
pub mod prose;
pub mod refs;
pub mod rig;
pub mod services;
pub mod source;
pub mod startup;
pub(crate) mod text;
pub mod words;
pub mod workspace;

pub use names::{
    CodexConfigProfile, ImageName, ImageVersion, MemberId, MemberRef, PodId, ProjectName, RigName,
    Role, SeatName, StarterName,
};
pub use paths::{AbsolutePath, ArtifactPath, LocalPath, PolicyPath, SafePath, SpecPath};
pub use prose::{Line, RigVersion, Script, Summary};
pub use refs::{AgentRef, PermissionPolicy};
pub use rig::{Doc, Edge, EdgeEnd, ManagedBlocks, Member, PayloadFields, Pod, RigFields};
pub use services::{Checkpoint, Services, SurfaceCommand, SurfaceUrl, Surfaces, WaitFor};
pub use source::{SessionSource, StarterRef};
pub use startup::{AppliesOn, Startup, StartupAction, StartupContent, StartupFile};
pub use text::{TextError, TextProblem};
pub use words::{
    ActionPhase, ActionType, BuiltinPolicy, CompactionStrategy, DeliveryHint, DownPolicy, EdgeKind,
    FileKind, ManagedBlock, RepoKind, RestorePolicy, ServicesKind, SourceMode, StartKind,
    SyncTrigger, WaitCondition,
};
pub use workspace::{ContinuityArtifacts, ContinuityPolicy, Repo, RestoreProtocol, Workspace};

use std::ops::Deref;

/// A valid rig spec in its normal form. Read its keys through [`RigFields`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RigSpec(Box<RigFields>);

/// A valid expand payload in its normal form. Read its keys through [`PayloadFields`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload(PayloadFields);

/// A valid document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Document {
    /// A rig.
    Rig(RigSpec),
    /// Members to add to a known rig.
    Payload(Payload),
}

impl RigSpec {
    /// For validation alone, once no refusal is left.
    pub(crate) fn validated(fields: RigFields) -> Self {
        Self(Box::new(fields))
    }

    /// The keys.
    pub fn fields(&self) -> &RigFields {
        &self.0
    }
}

impl Payload {
    /// For validation alone, once no refusal is left.
    pub(crate) fn validated(fields: PayloadFields) -> Self {
        Self(fields)
    }

    /// The keys.
    pub fn fields(&self) -> &PayloadFields {
        &self.0
    }
}

impl Deref for RigSpec {
    type Target = RigFields;

    fn deref(&self) -> &RigFields {
        &self.0
    }
}

impl Deref for Payload {
    type Target = PayloadFields;

    fn deref(&self) -> &PayloadFields {
        &self.0
    }
}

impl serde::Serialize for RigSpec {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl serde::Serialize for Payload {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl serde::Serialize for Document {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Rig(rig) => rig.serialize(serializer),
            Self::Payload(payload) => payload.serialize(serializer),
        }
    }
}
