//! `workspace` and `continuity_policy` in their normal form (SPEC 2). seatfork reads them and does not act on them.

use super::paths::SpecPath;
use super::prose::Line;
use super::words::{RepoKind, SyncTrigger};

/// The directories a rig works in.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Workspace {
    /// Where they lie.
    pub workspace_root: SpecPath,
    /// Each of them; may be empty, and is written even then.
    pub repos: Vec<Repo>,
    /// The one that is meant when none is named; its name is in `repos`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_repo: Option<Line>,
    /// Where knowledge is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge_root: Option<SpecPath>,
}

/// One directory of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Repo {
    /// Its name, unique in the workspace.
    pub name: Line,
    /// Where it is.
    pub path: SpecPath,
    /// What it is for.
    pub kind: RepoKind,
}

/// How a pod keeps what it knows.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ContinuityPolicy {
    /// Whether it does.
    pub enabled: bool,
    /// When logs are brought up to date, as written. Empty equals absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sync_triggers: Vec<SyncTrigger>,
    /// What is kept. Nothing said equals absent.
    #[serde(skip_serializing_if = "ContinuityArtifacts::is_empty")]
    pub artifacts: ContinuityArtifacts,
    /// How a member is brought back into it. Nothing said equals absent.
    #[serde(skip_serializing_if = "RestoreProtocol::is_empty")]
    pub restore_protocol: RestoreProtocol,
}

/// What a pod keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct ContinuityArtifacts {
    /// A log of sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_log: Option<bool>,
    /// A brief for whoever is brought back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore_brief: Option<bool>,
    /// Questions that show whether it was understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiz: Option<bool>,
}

impl ContinuityArtifacts {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How a member is brought back into its pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct RestoreProtocol {
    /// By its peers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer_driven: Option<bool>,
    /// Checked by a quiz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify_via_quiz: Option<bool>,
}

impl RestoreProtocol {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
