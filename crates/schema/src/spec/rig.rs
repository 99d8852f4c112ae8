//! Rig, pod, member and edge in their normal form (SPEC 2).
//!
//! Every field is valid by its own type. What holds between fields (unique ids,
//! edges that resolve, the terminal triple) is guarded by [`super::RigSpec`]
//! and [`super::Payload`], which are made by validation alone. Fields stand in
//! the canonical order, and are public so that a writer can take a struct apart
//! without `..`: a new field that is not written then does not compile.

use super::names::{CodexConfigProfile, MemberId, MemberRef, PodId, RigName, Role, SeatName};
use super::paths::{SafePath, SpecPath};
use super::prose::{Line, RigVersion, Summary};
use super::refs::{AgentRef, PermissionPolicy};
use super::services::Services;
use super::source::{SessionSource, StarterRef};
use super::startup::Startup;
use super::words::{CompactionStrategy, EdgeKind, ManagedBlock, RestorePolicy};
use super::workspace::{ContinuityPolicy, Workspace};
use crate::words::Runtime;
use std::fmt;

/// The keys of a rig.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct RigFields {
    /// The version of the spec, any text.
    pub version: RigVersion,
    /// The rig's name.
    pub name: RigName,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// The rig's culture document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub culture_file: Option<SafePath>,
    /// The policy of members that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_policy: Option<PermissionPolicy>,
    /// Where managed blocks live.
    #[serde(skip_serializing_if = "ManagedBlocks::is_empty")]
    pub managed_blocks: ManagedBlocks,
    /// Documents. Empty equals absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub docs: Vec<Doc>,
    /// For every seat of the rig. Empty equals absent.
    #[serde(skip_serializing_if = "Startup::is_empty")]
    pub startup: Startup,
    /// What runs beside the rig.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Services>,
    /// The directories it works in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Workspace>,
    /// At least one.
    pub pods: Vec<Pod>,
    /// Edges between pods. Empty equals absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge<MemberRef>>,
}

/// The keys of an expand payload.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PayloadFields {
    /// The pod the members join; absent: named by the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<PodId>,
    /// At least one.
    pub members: Vec<Member>,
    /// Edges of the new members. Empty equals absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge<EdgeEnd>>,
}

/// A group of members.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Pod {
    /// Its id, unique in the rig.
    pub id: PodId,
    /// Its name for people.
    pub label: Line,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// How it keeps what it knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continuity_policy: Option<ContinuityPolicy>,
    /// For every seat of the pod. Empty equals absent.
    #[serde(skip_serializing_if = "Startup::is_empty")]
    pub startup: Startup,
    /// May be empty where another pod has members, and is written even then.
    pub members: Vec<Member>,
    /// Edges inside the pod. Empty equals absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge<MemberId>>,
}

/// The description of one seat.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Member {
    /// Its id, unique in the pod.
    pub id: MemberId,
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<Line>,
    /// Which agent it runs as.
    pub agent_ref: AgentRef,
    /// The agent's profile; `none` for terminal and only there.
    pub profile: Line,
    /// The runtime.
    pub runtime: Runtime,
    /// On codex only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codex_config_profile: Option<CodexConfigProfile>,
    /// The model, as the runtime spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Line>,
    /// Its role; not on terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// What it may do; not on terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_policy: Option<PermissionPolicy>,
    /// The directory it works in.
    pub cwd: SpecPath,
    /// How it is brought back; absent: `resume_if_possible`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore_policy: Option<RestorePolicy>,
    /// What happens when its conversation fills the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction_strategy: Option<CompactionStrategy>,
    /// The seat that looks after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mechanic: Option<SeatName>,
    /// For this seat. Empty equals absent.
    #[serde(skip_serializing_if = "Startup::is_empty")]
    pub startup: Startup,
    /// The prior conversation it starts from; absent: a fresh one. Never on terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_source: Option<SessionSource>,
    /// A starter applied on a fresh start. Not with a fork, not on terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starter_ref: Option<StarterRef>,
}

/// A relation between two members, whose ends are named as its place asks.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Edge<End> {
    /// What it says.
    pub kind: EdgeKind,
    /// One end.
    pub from: End,
    /// The other end.
    pub to: End,
}

/// An end of a payload's edge: a member of the payload's pod, or `pod.member` (SPEC 2).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EdgeEnd {
    /// A bare member id.
    Member(MemberId),
    /// `pod.member`.
    Qualified(MemberRef),
}

impl EdgeEnd {
    /// Reads either shape; a dot makes it qualified.
    pub fn new(text: &str) -> Result<Self, super::TextError> {
        if text.contains('.') {
            MemberRef::new(text).map(Self::Qualified)
        } else {
            MemberId::new(text).map(Self::Member)
        }
    }
}

impl fmt::Display for EdgeEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(id) => write!(f, "{id}"),
            Self::Qualified(end) => write!(f, "{end}"),
        }
    }
}

impl serde::Serialize for EdgeEnd {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A document of a rig.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Doc {
    /// Below the spec's directory.
    pub path: SafePath,
}

/// Where managed blocks live, per runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct ManagedBlocks {
    /// For Claude Code.
    #[serde(rename = "claude-code", skip_serializing_if = "Option::is_none")]
    pub claude_code: Option<ManagedBlock>,
}

impl ManagedBlocks {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
