//! Where a log says it comes from: the `session_fork` on its first line, and on no other.

use crate::id::SessionId;
use crate::marker;
use serde::{Deserialize, Serialize};

/// How events are copied into a child: the nine replayed types, whole and in order.
pub const STRATEGY: &str = "replay_v1";

/// The word in a `session_fork` that says the log is a warm start.
pub(crate) const WARM_SOURCE: &str = "delegate_warm_start";

/// What the first line of a forked or warm-started log says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lineage {
    /// The session it was made from.
    pub parent: SessionId,
    /// The first of the family, never the log itself.
    pub root: SessionId,
    /// How many events were copied, on the lines after the first; `None` where it is not said.
    pub replay_event_count: Option<u64>,
    /// The seq, in the parent, of the last event copied, or what was asked for: as the log has it.
    pub forked_to_seq: Option<u64>,
    /// The seq, in the parent, of the first event copied.
    pub from_seq: Option<u64>,
    /// How it was copied.
    pub strategy: Option<String>,
    /// Whether it is a warm start, whose copied events end at a boundary.
    pub warm: bool,
    /// The workspace of the parent, as the log has it.
    pub parent_workspace: Option<String>,
    /// The workspace of the child, as the log has it.
    pub child_workspace: Option<String>,
    /// Of a plain fork of a warm start: where the boundary it was given stands.
    pub warm_lineage: Option<WarmLineage>,
}

/// Where a plain fork has the boundary of the warm start it comes from, by place and event id.
///
/// Whoever makes the fork sees the boundary in the parent and writes this on the
/// first line; so what is appended later is never taken for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmLineage {
    /// The seq of the boundary in this log.
    pub boundary_index: u64,
    /// Its event id in this log.
    pub boundary_event_id: String,
    /// The root that the boundary names.
    pub fork_root_session_id: String,
    /// The seq of the posture behind it; `None` where it was cut off.
    pub posture_index: Option<u64>,
    /// Its event id in this log.
    pub posture_event_id: Option<String>,
    /// How many events stood before the boundary where it was written.
    pub replay_event_count: u64,
    /// The seed that the boundary names.
    pub seed_session_id: String,
    /// 1.
    pub version: u64,
}

#[derive(Deserialize)]
struct Raw {
    parent_session_id: Option<String>,
    fork_root_session_id: Option<String>,
    replay_event_count: Option<u64>,
    forked_to_seq: Option<u64>,
    from_seq: Option<u64>,
    strategy: Option<String>,
    source: Option<String>,
    parent_workspace: Option<String>,
    child_workspace: Option<String>,
    warm_lineage: Option<serde_json::Value>,
}

/// Reads the data of a first line's `session_fork`, or says why it cannot be true.
pub(crate) fn read(data: &str, session: &SessionId) -> Result<Lineage, &'static str> {
    let raw: Raw = serde_json::from_str(data).map_err(|_| "a field has another type")?;
    let id = |text: Option<String>, missing, malformed| {
        SessionId::new(text.ok_or(missing)?).map_err(|_| malformed)
    };
    let parent = id(raw.parent_session_id, "it names no parent", "its parent is no session id")?;
    let root = id(raw.fork_root_session_id, "it names no root", "its root is no session id")?;
    if parent == *session {
        return Err("it names itself as its parent");
    }
    if root == *session {
        return Err("it names itself as its root");
    }
    Ok(Lineage {
        parent,
        root,
        replay_event_count: raw.replay_event_count,
        forked_to_seq: raw.forked_to_seq,
        from_seq: raw.from_seq,
        strategy: raw.strategy,
        warm: raw.source.as_deref() == Some(WARM_SOURCE),
        parent_workspace: raw.parent_workspace,
        child_workspace: raw.child_workspace,
        // One that is not understood is none, and nothing is trusted for it.
        warm_lineage: raw.warm_lineage.and_then(|raw| serde_json::from_value(raw).ok()),
    })
}

/// What every presenter shows of a session's warm start: always these six keys, cold ones with nulls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EnvelopeProjection {
    /// Whether the session began warm.
    pub warm_started: bool,
    /// The seed.
    pub seed_session_id: Option<SessionId>,
    /// The first of the family.
    pub fork_root_session_id: Option<SessionId>,
    /// How many events were copied.
    pub replay_event_count: Option<u64>,
    /// How they were copied.
    pub strategy: Option<String>,
    /// The kind of the boundary's marker.
    pub boundary_marker_kind: Option<&'static str>,
}

/// Projects a log's lineage, as its first line has it: `None`, and a plain fork, are cold.
///
/// ```
/// let cold = serde_json::to_value(seatfork_sessionlog::envelope_projection(None)).unwrap();
/// assert_eq!(cold["warm_started"], false);
/// assert_eq!(cold.as_object().unwrap().len(), 6);
/// ```
pub fn envelope_projection(lineage: Option<&Lineage>) -> EnvelopeProjection {
    match lineage.filter(|lineage| lineage.warm) {
        Some(lineage) => EnvelopeProjection {
            warm_started: true,
            seed_session_id: Some(lineage.parent.clone()),
            fork_root_session_id: Some(lineage.root.clone()),
            replay_event_count: lineage.replay_event_count,
            strategy: lineage.strategy.clone(),
            boundary_marker_kind: Some(marker::KIND),
        },
        None => EnvelopeProjection {
            warm_started: false,
            seed_session_id: None,
            fork_root_session_id: None,
            replay_event_count: None,
            strategy: None,
            boundary_marker_kind: None,
        },
    }
}
