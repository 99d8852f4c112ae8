//! Plain forks: a new log in the same workspace, with a parent's replayed events up to a seq.

mod error;

use crate::cache::{CacheFacts, CachePrefix};
use crate::child::{self, ChildError, Plan, Tail};
use crate::id::{SessionId, SessionIdError, stamp};
use crate::lineage::{STRATEGY, WarmLineage};
use crate::posture::json;
use crate::prefix::DanglingCall;
use crate::read::{FileIdentity, Reading};
use crate::rim::Rim;
use crate::summary;
use crate::unfinished;
use crate::workspace::Workspace;
use camino::Utf8PathBuf;
pub use error::ForkError;
use jiff::Timestamp;
use serde::Serialize;

/// A fork to be made, or only planned.
#[derive(Debug, Clone)]
pub struct ForkRequest<'a> {
    /// Where the parent is, and where the child goes.
    pub workspace: &'a Workspace,
    /// The session that is forked from.
    pub parent: &'a SessionId,
    /// The child's id. It must be new.
    pub child: &'a SessionId,
    /// The last seq of the parent that the child is given; all of it without one.
    pub to_seq: Option<u64>,
    /// Whether a summary of the branch follows on the copied events.
    pub summarize: bool,
    /// Now.
    pub at: Timestamp,
}

/// A fork as it is planned, or as it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the keys of Pixir's own plan, which programs read"
)]
pub struct ForkPlan {
    /// It can be made, or was.
    pub ok: bool,
    /// Whether it was made.
    pub recorded: bool,
    /// Whether only the plan was asked for.
    pub dry_run: bool,
    /// The parent.
    pub parent_session_id: SessionId,
    /// The child.
    pub child_session_id: SessionId,
    /// The first of the family.
    pub fork_root_session_id: SessionId,
    /// The seq of the first event copied; `None` where none is.
    pub from_seq: Option<u64>,
    /// The seq of the last event copied, whatever was asked for; 0 where none is.
    pub to_seq: u64,
    /// How many events are copied.
    pub event_count: u64,
    /// The workspace.
    pub workspace: Utf8PathBuf,
    /// The parent's log.
    pub parent_log_path: Utf8PathBuf,
    /// The child's log.
    pub child_log_path: Utf8PathBuf,
    /// Whether a summary was asked for.
    pub summarize: bool,
    /// Whether a summary is, or would be, recorded.
    pub would_record_branch_summary: bool,
    /// How it is made.
    pub branch_summary_strategy: Option<&'static str>,
    /// How events are copied.
    pub strategy: &'static str,
    /// How a program called `pixir` goes on with the child.
    pub resume_command: String,
}

/// A fork, planned or made, with what was learned on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Forked {
    /// The plan, or what was made.
    pub plan: ForkPlan,
    /// The last seq that was asked for.
    pub requested_to_seq: Option<u64>,
    /// Calls among the copied events that no copied result follows.
    pub dangling_calls: u64,
    /// The first of them.
    pub first_dangling: Option<DanglingCall>,
    /// Payloads that go with the copied events.
    pub resources: u64,
    /// Their bytes.
    pub resource_bytes: u64,
    /// All that was read of the parent: types unknown here and a torn end are counted there.
    pub reading: Reading,
    /// Which file was read, up to which byte.
    pub parent_file: FileIdentity,
    /// What parent and child share of what a provider sees.
    pub cache_prefix: CachePrefix,
    /// How many bytes the child's log has; `None` where none was made.
    pub child_bytes: Option<u64>,
}

#[derive(Serialize)]
struct ForkData<'a> {
    child_workspace: &'a str,
    fork_root_session_id: &'a SessionId,
    forked_to_seq: u64,
    from_seq: Option<u64>,
    limitations: [&'static str; 1],
    parent_session_id: &'a SessionId,
    parent_workspace: &'a str,
    replay_event_count: u64,
    requested_to_seq: Option<u64>,
    strategy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    warm_lineage: Option<WarmLineage>,
}

const LIMITATIONS: [&str; 1] =
    ["replayed events only: lineage, summaries, compactions and accounting are the parent's own"];

/// Says what a fork would be, from one reading of the parent. Writes nothing and reserves nothing.
pub fn plan_fork(request: &ForkRequest<'_>) -> Result<Forked, ForkError> {
    let parent = request.parent;
    check(request)?;
    let exists = unfinished::exists(request.workspace, request.child);
    if exists.map_err(|error| ForkError::Read(error.into()))? {
        return Err(request.exists());
    }
    let read = child::survey(request.workspace, parent, request.to_seq)
        .map_err(|error| refused(parent, error))?;
    let resource_bytes = read
        .prefix
        .resources
        .check_and_copy(request.workspace, parent, None, Rim::default())
        .map_err(|source| ForkError::Resource { parent: parent.clone(), source })?;
    let cache = read.prefix.cache.report(true, CacheFacts::default());
    let planned = request.complete(&read.plan(), cache)?;
    Ok(Forked { resource_bytes, ..planned })
}

/// Makes a fork: whole, durable and under its own new id, or not at all (SPEC 7).
///
/// ```
/// # use seatfork_sessionlog::{ForkRequest, SessionId, Workspace, fork};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// # let path = camino::Utf8Path::from_path(dir.path()).unwrap();
/// # std::fs::create_dir_all(path.join(".pixir/sessions"))?;
/// # std::fs::write(path.join(".pixir/sessions/s1.ndjson"), concat!(
/// #   r#"{"data":{"text":"hello"},"id":"00","seq":0,"session_id":"s1","ts":"2026-01-02T03:04:05.000000Z","type":"user_message"}"#, "\n"))?;
/// let workspace = Workspace::open(path)?;
/// let at = "2026-01-02T03:04:05Z".parse()?;
/// let (parent, child) = (SessionId::new("s1")?, SessionId::generate(at)?);
/// let request =
///     ForkRequest { workspace: &workspace, parent: &parent, child: &child, to_seq: None, summarize: false, at };
/// let forked = fork(&request)?;
/// assert!(forked.plan.recorded && forked.plan.child_log_path.exists());
/// # Ok(()) }
/// ```
pub fn fork(request: &ForkRequest<'_>) -> Result<Forked, ForkError> {
    fork_with(request, Rim::default())
}

pub(crate) fn fork_with(request: &ForkRequest<'_>, rim: Rim<'_>) -> Result<Forked, ForkError> {
    let ForkRequest { workspace, parent, child, to_seq, summarize, at } = *request;
    check(request)?;
    let ts = format!("\"{}\"", stamp(at));
    let head = |plan: &Plan<'_>| {
        json(&ForkData {
            child_workspace: workspace.path().as_str(),
            fork_root_session_id: plan.root,
            forked_to_seq: plan.prefix.last.unwrap_or(0),
            from_seq: plan.prefix.first,
            limitations: LIMITATIONS,
            parent_session_id: parent,
            parent_workspace: workspace.path().as_str(),
            replay_event_count: plan.prefix.count,
            requested_to_seq: to_seq,
            strategy: STRATEGY,
            warm_lineage: plan.prefix.passage.warm_lineage(),
        })
    };
    let tail = |plan: &Plan<'_>| {
        let cache = plan.prefix.cache.report(true, CacheFacts::default());
        let forked = request.complete(plan, cache)?;
        let summary = plan.prefix.summary.as_ref().map(|summary| {
            let ForkPlan { from_seq, to_seq, event_count, .. } = forked.plan;
            ("branch_summary", summary.data(parent, from_seq, to_seq, event_count))
        });
        Ok((Tail { events: summary.into_iter().collect() }, forked))
    };
    let birth = child::Birth {
        parent_workspace: workspace,
        parent,
        workspace,
        child,
        to_seq,
        summarize,
        at,
        ts: &ts,
    };
    let born = birth.give(head, tail, rim).map_err(|error| match error {
        ChildError::Refused(error) => error,
        ChildError::Survey(error) => refused(parent, error),
        ChildError::Exists => request.exists(),
        ChildError::Leased { state, kind, path } => {
            ForkError::Leased { child: child.clone(), state, kind, path }
        }
        ChildError::Write(source) => ForkError::Write { child: child.clone(), source },
        ChildError::NotDurable(source) => {
            ForkError::NotDurable { child: child.clone(), path: workspace.log_path(child), source }
        }
    })?;
    let planned = born.extra;
    Ok(Forked {
        plan: ForkPlan { recorded: true, dry_run: false, ..planned.plan },
        resource_bytes: born.resource_bytes,
        child_bytes: Some(born.bytes),
        ..planned
    })
}

fn check(request: &ForkRequest<'_>) -> Result<(), ForkError> {
    if request.child.is_reserved() {
        return Err(ForkError::ChildId(SessionIdError::Reserved));
    }
    Ok(())
}

fn refused(parent: &SessionId, error: child::SurveyError) -> ForkError {
    match error {
        child::SurveyError::Read(error) => ForkError::Read(error),
        child::SurveyError::Resource(source) => {
            ForkError::Resource { parent: parent.clone(), source }
        }
    }
}

impl ForkRequest<'_> {
    fn exists(&self) -> ForkError {
        ForkError::AlreadyExists {
            child: self.child.clone(),
            path: self.workspace.log_path(self.child),
        }
    }

    fn complete(&self, plan: &Plan<'_>, cache_prefix: CachePrefix) -> Result<Forked, ForkError> {
        let prefix = plan.prefix;
        let parent_log_path = self.workspace.log_path(self.parent);
        if plan.reading.events == 0 {
            return Err(ForkError::Empty { parent: self.parent.clone(), path: parent_log_path });
        }
        let dangling = prefix.dangling();
        Ok(Forked {
            plan: ForkPlan {
                ok: true,
                recorded: false,
                dry_run: true,
                parent_session_id: self.parent.clone(),
                child_session_id: self.child.clone(),
                fork_root_session_id: plan.root.clone(),
                from_seq: prefix.first,
                to_seq: prefix.last.unwrap_or(0),
                event_count: prefix.count,
                workspace: self.workspace.path().into(),
                parent_log_path,
                child_log_path: self.workspace.log_path(self.child),
                summarize: self.summarize,
                would_record_branch_summary: self.summarize,
                branch_summary_strategy: self.summarize.then_some(summary::STRATEGY),
                strategy: STRATEGY,
                resume_command: format!("pixir resume {} \"...\"", self.child),
            },
            requested_to_seq: self.to_seq,
            dangling_calls: dangling.map_or(0, |(_, count)| count),
            first_dangling: dangling.map(|(call, _)| call.clone()),
            resources: prefix.resources.len(),
            resource_bytes: 0,
            reading: plan.reading.clone(),
            parent_file: plan.identity,
            cache_prefix,
            child_bytes: None,
        })
    }
}

#[cfg(test)]
mod tests;
