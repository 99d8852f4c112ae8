//! What a session may do: written by its runtime, read only where no appended line can put it.

use crate::boundary::Expected;
use crate::error::ReadError;
use crate::event::EventType;
use crate::id::SessionId;
use crate::lineage::EnvelopeProjection;
use crate::read::LogReader;
use crate::workspace::Workspace;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use thiserror::Error;

/// How a session asks before it acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionMode {
    /// It only reads.
    ReadOnly,
    /// It asks.
    Ask,
    /// It acts, where its write policy lets it. Without a policy there is no such mode.
    Auto(WritePolicy),
}

impl PermissionMode {
    /// Its word in a log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ReadOnly => "read_only",
            Self::Ask => "ask",
            Self::Auto(_) => "auto",
        }
    }
}

/// Where a session may write: patterns below its workspace. The shell is off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WritePolicy {
    allow_writes: Vec<String>,
    bash: &'static str,
    deny_writes: Vec<String>,
    hash: String,
    id: String,
    version: u8,
}

impl WritePolicy {
    /// A policy that lets files matching a pattern be written, those that are denied excepted.
    pub fn bounded(id: &str, allow_writes: Vec<String>, deny_writes: Vec<String>) -> Self {
        #[derive(Serialize)]
        struct Hashed<'a> {
            allow_writes: &'a [String],
            bash: &'a str,
            deny_writes: &'a [String],
            id: &'a str,
            version: u8,
        }
        let hashed = Hashed {
            allow_writes: &allow_writes,
            bash: "disabled",
            deny_writes: &deny_writes,
            id,
            version: 1,
        };
        let mut hash = "sha256:".to_owned();
        for byte in Sha256::digest(json(&hashed)) {
            // Writing to a string does not fail.
            write!(hash, "{byte:02x}").ok();
        }
        let id = id.to_owned();
        Self { allow_writes, bash: "disabled", deny_writes, hash, id, version: 1 }
    }
}

/// Whether a session works in a workspace of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkspaceMode {
    /// In the workspace others work in too.
    Shared,
    /// In a copy.
    Isolated,
    /// In a layer over it.
    VirtualOverlay,
}

/// What a new session may do. It comes from whoever makes the session, never from a seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posture {
    /// How it asks.
    pub permission: PermissionMode,
    /// Where it works.
    pub workspace_mode: WorkspaceMode,
    /// Who it is for, in the caller's words; not empty.
    pub holder: String,
}

#[derive(Serialize)]
struct PostureData<'a> {
    event: &'static str,
    lineage: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_session_id: Option<&'a SessionId>,
    permission_mode: &'static str,
    scope: &'static str,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subagent_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warm_start: Option<&'a EnvelopeProjection>,
    workspace: &'a str,
    workspace_mode: WorkspaceMode,
    write_policy: Option<&'a WritePolicy>,
}

impl Posture {
    fn data<'a>(&'a self, workspace: &'a Workspace) -> PostureData<'a> {
        PostureData {
            event: "permission_posture",
            lineage: "root",
            parent_session_id: None,
            permission_mode: self.permission.name(),
            scope: "session",
            source: "root_session_start",
            subagent_id: None,
            warm_start: None,
            workspace: workspace.path().as_str(),
            workspace_mode: self.workspace_mode,
            write_policy: match &self.permission {
                PermissionMode::Auto(policy) => Some(policy),
                PermissionMode::ReadOnly | PermissionMode::Ask => None,
            },
        }
    }

    /// The data of the event for a warm-started child.
    pub(crate) fn warm_data(
        &self,
        workspace: &Workspace,
        seed: &SessionId,
        warm: &EnvelopeProjection,
    ) -> String {
        json(&PostureData {
            lineage: "child",
            source: "subagent_spawn",
            subagent_id: Some(&self.holder),
            parent_session_id: Some(seed),
            warm_start: Some(warm),
            ..self.data(workspace)
        })
    }

    /// The data of the event for a session that comes from nowhere.
    pub(crate) fn root_data(&self, workspace: &Workspace) -> String {
        json(&self.data(workspace))
    }
}

/// JSON of data of ours, whose keys are strings and whose numbers are finite: there is nothing that can fail.
pub(crate) fn json<T: Serialize>(data: &T) -> String {
    serde_json::to_string(data).unwrap_or_default()
}

/// The posture that governs a session, as its log has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CurrentPosture {
    /// `read_only`, `ask` or `auto`.
    pub permission_mode: String,
    /// The write policy as it stands.
    pub write_policy: Option<serde_json::Value>,
    /// `shared`, `isolated` or `virtual_overlay`.
    pub workspace_mode: Option<String>,
    /// The line it stands on.
    pub line: u64,
}

/// Why no posture governs a session. Whoever resumes it must not guess one.
#[derive(Debug, Error)]
pub enum PostureError {
    /// None stands where one must stand.
    #[error("no posture stands where this session's own must stand: {reason}")]
    Unavailable {
        /// A stable word: `missing`, `missing_current_posture`, `boundary_missing`, `unreadable`, `workspace_mismatch` or `unbounded_write_policy`.
        reason: &'static str,
    },
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl PostureError {
    /// The stable word for it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unavailable { .. } => "resume_policy_unavailable",
            Self::Read(error) => error.kind(),
        }
    }
}

#[derive(Deserialize)]
struct RawPosture {
    event: Option<String>,
    permission_mode: Option<String>,
    write_policy: Option<serde_json::Value>,
    workspace_mode: Option<String>,
    workspace: Option<String>,
}

/// The posture that governs a session, from the one place where it can stand.
///
/// For a warm start that is the line after the boundary, and the boundary is the
/// line after as many events as the first line says were copied. A plain fork of
/// one goes on with it: its first line says where both stand and with which ids.
/// For a session that comes from nowhere it is the first line. Nothing that is
/// appended later is looked at; any other plain fork has none.
pub fn current_posture(
    workspace: &Workspace,
    session: &SessionId,
) -> Result<CurrentPosture, PostureError> {
    let unavailable = |reason| PostureError::Unavailable { reason };
    let mut log = LogReader::open(workspace, session)?;
    let Some(first) = log.next_event()? else { return Err(unavailable("missing")) };
    if first.kind != EventType::SessionFork {
        return posture(first.kind, first.data, first.line, workspace, "missing");
    }
    let Some(lineage) = log.lineage().cloned() else { return Err(unavailable("missing")) };
    let Some(expected) = Expected::by(&lineage) else { return Err(unavailable("missing")) };
    let mut found = false;
    while let Some(event) = log.next_event()? {
        if event.seq == expected.index {
            found = expected.is_boundary(&event);
            break;
        }
    }
    if !found {
        return Err(unavailable("boundary_missing"));
    }
    match log.next_event()? {
        Some(event) if expected.is_posture(&event) => {
            posture(event.kind, event.data, event.line, workspace, "missing_current_posture")
        }
        _ => Err(unavailable("missing_current_posture")),
    }
}

fn posture(
    kind: EventType,
    data: &str,
    line: u64,
    workspace: &Workspace,
    missing: &'static str,
) -> Result<CurrentPosture, PostureError> {
    let unavailable = |reason| PostureError::Unavailable { reason };
    if kind != EventType::SubagentEvent {
        return Err(unavailable(missing));
    }
    let raw: RawPosture = serde_json::from_str(data).map_err(|_| unavailable("unreadable"))?;
    if raw.event.as_deref() != Some("permission_posture") {
        return Err(unavailable(missing));
    }
    let mode = raw.permission_mode.ok_or_else(|| unavailable("unreadable"))?;
    if !matches!(mode.as_str(), "read_only" | "ask" | "auto") {
        return Err(unavailable("unreadable"));
    }
    if raw.workspace.as_deref().is_some_and(|there| there != workspace.path()) {
        return Err(unavailable("workspace_mismatch"));
    }
    let write_policy = raw.write_policy.filter(|policy| !policy.is_null());
    if mode == "auto" && write_policy.is_none() && missing != "missing" {
        return Err(unavailable("unbounded_write_policy"));
    }
    Ok(CurrentPosture {
        permission_mode: mode,
        write_policy,
        workspace_mode: raw.workspace_mode,
        line,
    })
}
