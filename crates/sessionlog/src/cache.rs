//! How much of what a provider sees of the seed, the child's provider sees again: counted, never promised.

use crate::event::{Event, EventType};
use serde::Serialize;

/// What makes a child's requests differ from the seed's before the end of what they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BrokenBy {
    /// Nothing that is known here.
    None,
    /// The seed sends a summary and its tail where the child sends all of it.
    Compaction,
    /// The seed sends a summary of its branch, which the child does not have.
    BranchSummary,
    /// Another model: thoughts are not replayed to it.
    Model,
    /// Other tools, which stand before everything else.
    Tools,
    /// Another workspace, named before the history.
    Workspace,
    /// Another posture, named before the history.
    Posture,
}

/// What a caller knows of seed and child that no log says. `None` is: not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheFacts {
    /// Whether both have the same model.
    pub same_model: Option<bool>,
    /// Whether both have the same tools, in the same order.
    pub same_tools: Option<bool>,
    /// Whether both have the same posture.
    pub same_posture: Option<bool>,
}

/// The prefix that seed and child share in the canonical projection of their events.
///
/// It counts what is the same; whether a provider answered from a cache is
/// known only from what the provider counted afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CachePrefix {
    /// Events in it.
    pub shared_events: u64,
    /// Bytes of their data.
    pub shared_bytes: u64,
    /// Events the child was given that a provider sees.
    pub of_events: u64,
    /// Bytes of their data.
    pub of_bytes: u64,
    /// The first thing that breaks it.
    pub broken_by: BrokenBy,
    /// What could break it too and was not known.
    pub unknown: Vec<&'static str>,
}

/// Whether a model is shown this event: the canonical projection, which our counts are of.
///
/// User and assistant messages (not partial ones), thoughts, activated skills,
/// tool calls and results, and the final reports of subagents. Of each its data,
/// byte for byte; ids, numbers and times are not shown.
pub fn is_model_context(event: &Event<'_>) -> bool {
    match event.kind {
        EventType::UserMessage
        | EventType::Reasoning
        | EventType::SkillActivation
        | EventType::ToolCall
        | EventType::ToolResult => true,
        EventType::AssistantMessage => !event.noted.metadata.is_some_and(is_partial),
        EventType::SubagentEvent => {
            let is =
                |raw: Option<&str>, words: &[&str]| raw.is_some_and(|raw| words.contains(&raw));
            is(event.noted.event, &["\"finished\""])
                && is(
                    event.noted.status,
                    &["\"completed\"", "\"failed\"", "\"cancelled\"", "\"timed_out\""],
                )
        }
        _ => false,
    }
}

fn is_partial(metadata: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Metadata {
        partial: Option<serde_json::Value>,
    }
    serde_json::from_str::<Option<Metadata>>(metadata)
        .ok()
        .flatten()
        .and_then(|metadata| metadata.partial)
        .is_some_and(|partial| partial == serde_json::Value::Bool(true))
}

#[derive(Debug, Default)]
pub(crate) struct CacheTally {
    events: u64,
    bytes: u64,
    compacted: bool,
    /// What was shared when the first summary of a branch stood in the way.
    branched: Option<(u64, u64)>,
}

impl CacheTally {
    pub(crate) fn take(&mut self, event: &Event<'_>) {
        match event.kind {
            EventType::HistoryCompaction => self.compacted = true,
            EventType::BranchSummary => {
                self.branched.get_or_insert((self.events, self.bytes));
            }
            _ if is_model_context(event) => {
                self.events += 1;
                self.bytes += event.data.len() as u64;
            }
            _ => {}
        }
    }

    pub(crate) fn report(&self, same_workspace: bool, facts: CacheFacts) -> CachePrefix {
        let nothing = (0, 0);
        // In the order in which they stand in a request.
        let (broken_by, (shared_events, shared_bytes)) = if facts.same_model == Some(false) {
            (BrokenBy::Model, nothing)
        } else if facts.same_tools == Some(false) {
            (BrokenBy::Tools, nothing)
        } else if !same_workspace {
            (BrokenBy::Workspace, nothing)
        } else if facts.same_posture == Some(false) {
            (BrokenBy::Posture, nothing)
        } else if self.compacted {
            (BrokenBy::Compaction, nothing)
        } else if let Some(shared) = self.branched {
            (BrokenBy::BranchSummary, shared)
        } else {
            (BrokenBy::None, (self.events, self.bytes))
        };
        let unknown = [
            ("model", facts.same_model),
            ("tools", facts.same_tools),
            ("posture", facts.same_posture),
        ];
        CachePrefix {
            shared_events,
            shared_bytes,
            of_events: self.events,
            of_bytes: self.bytes,
            broken_by,
            unknown: unknown
                .iter()
                .filter(|(_, fact)| fact.is_none())
                .map(|(name, _)| *name)
                .collect(),
        }
    }
}
