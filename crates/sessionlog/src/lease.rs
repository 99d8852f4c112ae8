//! Whether somebody writes a session: a lease file, as Pixir has it.

pub(crate) mod hold;

use crate::error::StateError;
use crate::id::SessionId;
use crate::workspace::{LEASES, STATE, Workspace};
use camino::Utf8PathBuf;
use jiff::Timestamp;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use std::io::Read;

/// A heartbeat older than this is none.
pub(crate) const STALE_AFTER_MS: i64 = 5000;
/// How often a holder shows that it lives.
pub(crate) const HEARTBEAT_MS: i64 = 1000;
/// A lease is small.
const MOST_BYTES: u64 = 64 << 10;

/// What a lease file says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// 1.
    pub version: u64,
    /// `session_writer`.
    pub purpose: String,
    /// The session.
    pub session_id: String,
    /// Its workspace.
    pub workspace: String,
    /// The lease file.
    pub lease_path: String,
    /// Who holds it: `wrl_` and 16 hexadecimal digits.
    pub holder_id: String,
    /// The process, on the machine it runs on.
    pub os_pid: LeasePid,
    /// The node of its virtual machine.
    pub beam_node: String,
    /// When it began.
    pub started_at: String,
    /// The same, in milliseconds.
    pub started_at_ms: i64,
    /// When it last showed that it lives.
    pub heartbeat_at: String,
    /// The same, in milliseconds.
    pub heartbeat_at_ms: i64,
    /// How often it does.
    pub heartbeat_interval_ms: i64,
    /// After how long it counts as dead.
    pub stale_after_ms: i64,
}

/// A process id, which some write as a number and some as a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasePid(pub String);

impl Serialize for LeasePid {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for LeasePid {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Ok(Self(text)),
            other => Ok(Self(other.to_string())),
        }
    }
}

/// Whether a session is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseState {
    /// Nobody holds it.
    Available,
    /// Somebody writes it now.
    Active(Box<Lease>),
    /// Whoever held it has not shown that it lives.
    Stale(Box<Lease>),
    /// There is a lease that cannot be understood, which is not the same as none.
    Ambiguous {
        /// Why not.
        why: &'static str,
    },
}

impl LeaseState {
    /// The stable word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Active(_) => "active",
            Self::Stale(_) => "stale",
            Self::Ambiguous { .. } => "ambiguous",
        }
    }

    /// The stable word of the error that it is for a writer; `None` when the session is free.
    pub fn refusal_kind(&self) -> Option<&'static str> {
        match self {
            Self::Available => None,
            Self::Active(_) => Some("session_writer_active"),
            Self::Stale(_) => Some("session_writer_stale"),
            Self::Ambiguous { .. } => Some("session_writer_ambiguous"),
        }
    }
}

pub(crate) fn lease_name(session: &SessionId) -> String {
    format!("{session}.json")
}

/// Where a session's lease is, or would be.
pub(crate) fn lease_path(workspace: &Workspace, session: &SessionId) -> Utf8PathBuf {
    workspace.path().join(STATE).join(LEASES).join(lease_name(session))
}

/// Looks whether a session is being written. Changes nothing.
pub fn lease_state(
    workspace: &Workspace,
    session: &SessionId,
    now: Timestamp,
) -> Result<LeaseState, StateError> {
    Ok(read(workspace, session, now)?.0)
}

pub(crate) fn read(
    workspace: &Workspace,
    session: &SessionId,
    now: Timestamp,
) -> Result<(LeaseState, Vec<u8>), StateError> {
    let name = lease_name(session);
    let Some(file) = workspace.folder().file(&[STATE, LEASES, &name], OFlags::RDONLY)? else {
        return Ok((LeaseState::Available, Vec::new()));
    };
    let mut bytes = Vec::new();
    let path = lease_path(workspace, session);
    file.take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|source| StateError::io(&path, "reading it", source))?;
    let ambiguous = |why| LeaseState::Ambiguous { why };
    let Ok(lease) = serde_json::from_slice::<Lease>(&bytes) else {
        return Ok((ambiguous("it is no lease"), bytes));
    };
    let age = now.as_millisecond().saturating_sub(lease.heartbeat_at_ms);
    let state = if lease.version != 1 || lease.purpose != "session_writer" {
        ambiguous("it is a lease of another kind")
    } else if lease.session_id != session.as_str() {
        ambiguous("it is of another session")
    } else if lease.workspace != workspace.path().as_str() {
        ambiguous("it is of another workspace")
    } else if age < -STALE_AFTER_MS {
        ambiguous("its heartbeat is in the future")
    } else if age <= lease.stale_after_ms.max(STALE_AFTER_MS) {
        LeaseState::Active(Box::new(lease))
    } else {
        LeaseState::Stale(Box::new(lease))
    };
    Ok((state, bytes))
}

#[cfg(test)]
mod tests;
