//! Warm starts: a new log that begins with all a seed's replayed events, a boundary, and its own posture.

mod error;

use crate::cache::{CacheFacts, CachePrefix};
use crate::child::{self, Plan, Tail};
use crate::id::{SessionId, SessionIdError, stamp};
use crate::lineage::{EnvelopeProjection, STRATEGY};
use crate::marker;
use crate::posture::{Posture, json};
use crate::read::{FileIdentity, Reading};
use crate::rim::Rim;
use crate::workspace::Workspace;
use camino::Utf8PathBuf;
pub use error::SeedError;
use jiff::Timestamp;
use serde::Serialize;

/// A warm start to be made.
#[derive(Debug, Clone)]
pub struct SeedRequest<'a> {
    /// Where the seed is, and nowhere else.
    pub workspace: &'a Workspace,
    /// The session that is forked from.
    pub seed: &'a SessionId,
    /// Where the child goes: the workspace of the seed, or another.
    pub child_workspace: &'a Workspace,
    /// The child's id. It must be new.
    pub child: &'a SessionId,
    /// What the child may do. Without one its log says nothing, and nothing is taken from the seed.
    pub posture: Option<&'a Posture>,
    /// What is known of both for the report on the shared prefix.
    pub cache: CacheFacts,
    /// Now.
    pub at: Timestamp,
}

/// What `validate` learned of a seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeedLineage {
    /// The seed.
    pub seed_session_id: SessionId,
    /// The first of its family.
    pub fork_root_session_id: SessionId,
    /// How many events a child is given.
    pub replay_event_count: u64,
    /// How they are copied.
    pub strategy: &'static str,
    /// The workspace of the seed.
    pub workspace: Utf8PathBuf,
    /// The seq of the first event a child is given.
    pub from_seq: Option<u64>,
    /// The seq of the last one.
    pub to_seq: Option<u64>,
    /// Payloads that go with them.
    pub resources: u64,
    /// Their bytes.
    pub resource_bytes: u64,
    /// All that was read of the seed: types unknown here and a torn end are counted there.
    pub reading: Reading,
    /// Which file was read, up to which byte.
    pub seed_file: FileIdentity,
}

/// A warm start that was made and is durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seeded {
    /// What was read and copied, at one instant.
    pub lineage: SeedLineage,
    /// The child.
    pub child_session_id: SessionId,
    /// Its workspace.
    pub child_workspace: Utf8PathBuf,
    /// Its log.
    pub child_log_path: Utf8PathBuf,
    /// How many bytes its log has.
    pub child_bytes: u64,
    /// The seq of the boundary.
    pub boundary_seq: u64,
    /// The kind of the boundary's marker.
    pub boundary_marker_kind: &'static str,
    /// The seq of the child's own posture; `None` where the caller gave none.
    pub posture_seq: Option<u64>,
    /// What seed and child share of what a provider sees.
    pub cache_prefix: CachePrefix,
}

impl Seeded {
    /// The six keys every presenter shows.
    pub fn envelope(&self) -> EnvelopeProjection {
        warm(&self.lineage)
    }
}

fn warm(lineage: &SeedLineage) -> EnvelopeProjection {
    EnvelopeProjection {
        warm_started: true,
        seed_session_id: Some(lineage.seed_session_id.clone()),
        fork_root_session_id: Some(lineage.fork_root_session_id.clone()),
        replay_event_count: Some(lineage.replay_event_count),
        strategy: Some(STRATEGY.to_owned()),
        boundary_marker_kind: Some(marker::KIND),
    }
}

#[derive(Serialize)]
struct ForkData<'a> {
    child_workspace: &'a str,
    fork_root_session_id: &'a SessionId,
    forked_to_seq: u64,
    from_seq: Option<u64>,
    limitations: [&'static str; 2],
    parent_session_id: &'a SessionId,
    parent_workspace: &'a str,
    replay_event_count: u64,
    requested_to_seq: Option<u64>,
    source: &'static str,
    strategy: &'static str,
}

#[derive(Serialize)]
struct MarkerData<'a> {
    author: &'static str,
    fork_root_session_id: &'a SessionId,
    lineage_boundary: bool,
    marker_kind: &'static str,
    replay_event_count: u64,
    seed_session_id: &'a SessionId,
    text: String,
}

const LIMITATIONS: [&str; 2] = [
    "the replayed events are evidence of another session; this session's own policy governs it",
    "a boundary written by the runtime ends the replayed events",
];

/// Says what a warm start of a seed would be given, from one reading of it. Writes nothing.
///
/// ```
/// # use seatfork_sessionlog::{SessionId, Workspace, validate};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// # let path = camino::Utf8Path::from_path(dir.path()).unwrap();
/// # std::fs::create_dir_all(path.join(".pixir/sessions"))?;
/// # std::fs::write(path.join(".pixir/sessions/s1.ndjson"), concat!(
/// #   r#"{"data":{"text":"hello"},"id":"00","seq":0,"session_id":"s1","ts":"2026-01-02T03:04:05.000000Z","type":"user_message"}"#, "\n"))?;
/// let lineage = validate(&Workspace::open(path)?, &SessionId::new("s1")?)?;
/// assert_eq!(lineage.replay_event_count, 1);
/// assert_eq!(lineage.fork_root_session_id, lineage.seed_session_id);
/// # Ok(()) }
/// ```
pub fn validate(workspace: &Workspace, seed: &SessionId) -> Result<SeedLineage, SeedError> {
    let read = child::survey(workspace, seed, None).map_err(|error| refused(seed, error))?;
    let bytes = read
        .prefix
        .resources
        .check_and_copy(workspace, seed, None, Rim::default())
        .map_err(|source| SeedError::Resource { seed: seed.clone(), source })?;
    let lineage = complete(workspace, seed, &read.plan())?;
    Ok(SeedLineage { resource_bytes: bytes, ..lineage })
}

fn refused(seed: &SessionId, error: child::SurveyError) -> SeedError {
    match error {
        child::SurveyError::Read(error) => SeedError::Read(error),
        child::SurveyError::Resource(source) => SeedError::Resource { seed: seed.clone(), source },
    }
}

/// Holds what was read to what a warm start needs.
fn complete(
    workspace: &Workspace,
    seed: &SessionId,
    plan: &Plan<'_>,
) -> Result<SeedLineage, SeedError> {
    let path = workspace.log_path(seed);
    let prefix = plan.prefix;
    if prefix.count == 0 {
        return Err(SeedError::Empty { seed: seed.clone(), path });
    }
    if let Some((call, count)) = prefix.dangling() {
        let call = call.clone();
        return Err(SeedError::Dangling { path, call, count, whole_at: prefix.whole_at });
    }
    Ok(SeedLineage {
        seed_session_id: seed.clone(),
        fork_root_session_id: plan.root.clone(),
        replay_event_count: prefix.count,
        strategy: STRATEGY,
        workspace: workspace.path().into(),
        from_seq: prefix.first,
        to_seq: prefix.last,
        resources: prefix.resources.len(),
        resource_bytes: 0,
        reading: plan.reading.clone(),
        seed_file: plan.identity,
    })
}

/// Makes a warm-started child of a seed: whole, durable and under its own new id, or not at all (SPEC 7).
///
/// In one reading of the seed, as it stands at one instant: a `session_fork` that
/// names the seed and the first of its family, every replayed event with its data
/// byte for byte, the boundary, and the child's posture where there is one. The
/// seed is not changed, and nothing the seed says about permissions is taken over.
pub fn seed_child_log(request: &SeedRequest<'_>) -> Result<Seeded, SeedError> {
    seed_with(request, Rim::default())
}

pub(crate) fn seed_with(request: &SeedRequest<'_>, rim: Rim<'_>) -> Result<Seeded, SeedError> {
    let SeedRequest { workspace, seed, child_workspace, child, posture, cache, at } = *request;
    if child.is_reserved() {
        return Err(SeedError::ChildId(SessionIdError::Reserved));
    }
    if posture.is_some_and(|posture| posture.holder.trim().is_empty()) {
        return Err(SeedError::PostureWithoutHolder);
    }
    let ts = format!("\"{}\"", stamp(at));
    let head = |plan: &Plan<'_>| {
        json(&ForkData {
            child_workspace: child_workspace.path().as_str(),
            fork_root_session_id: plan.root,
            forked_to_seq: plan.prefix.last.unwrap_or(0),
            from_seq: plan.prefix.first,
            limitations: LIMITATIONS,
            parent_session_id: seed,
            parent_workspace: workspace.path().as_str(),
            replay_event_count: plan.prefix.count,
            requested_to_seq: None,
            source: crate::lineage::WARM_SOURCE,
            strategy: STRATEGY,
        })
    };
    let tail = |plan: &Plan<'_>| -> Result<(Tail, SeedLineage), SeedError> {
        let lineage = complete(workspace, seed, plan)?;
        let marker = json(&MarkerData {
            author: "runtime",
            fork_root_session_id: plan.root,
            lineage_boundary: true,
            marker_kind: marker::KIND,
            replay_event_count: lineage.replay_event_count,
            seed_session_id: seed,
            text: marker::boundary_text(seed),
        });
        let mut events = vec![("user_message", marker)];
        if let Some(posture) = posture {
            let data = posture.warm_data(child_workspace, seed, &warm(&lineage));
            events.push(("subagent_event", data));
        }
        Ok((Tail { events }, lineage))
    };
    let birth = child::Birth {
        parent_workspace: workspace,
        parent: seed,
        workspace: child_workspace,
        child,
        to_seq: None,
        summarize: false,
        at,
        ts: &ts,
    };
    let born = birth.give(head, tail, rim).map_err(|error| match error {
        child::ChildError::Refused(error) => error,
        child::ChildError::Survey(error) => refused(seed, error),
        child::ChildError::Exists => {
            SeedError::AlreadyExists { child: child.clone(), path: child_workspace.log_path(child) }
        }
        child::ChildError::Leased { state, kind, path } => {
            SeedError::Leased { child: child.clone(), state, kind, path }
        }
        child::ChildError::Write(source) => SeedError::Write { child: child.clone(), source },
        child::ChildError::NotDurable(source) => SeedError::NotDurable {
            child: child.clone(),
            path: child_workspace.log_path(child),
            source,
        },
    })?;
    let lineage = SeedLineage { resource_bytes: born.resource_bytes, ..born.extra };
    let boundary_seq = lineage.replay_event_count + 1;
    Ok(Seeded {
        child_session_id: child.clone(),
        child_workspace: child_workspace.path().into(),
        child_log_path: child_workspace.log_path(child),
        child_bytes: born.bytes,
        boundary_seq,
        boundary_marker_kind: marker::KIND,
        posture_seq: posture.map(|_| boundary_seq + 1),
        cache_prefix: born.cache.report(workspace.path() == child_workspace.path(), cache),
        lineage,
    })
}

#[cfg(test)]
pub(crate) mod tests;
