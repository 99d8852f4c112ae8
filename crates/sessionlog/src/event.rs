//! What stands on a line of a log: the types of events and one event as it was read.

use std::borrow::Cow;

/// The types of events a log holds. `replay_v1` copies nine of them into a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventType {
    /// What the user, or a runtime in the user's place, said.
    UserMessage,
    /// What the model said.
    AssistantMessage,
    /// What the model thought.
    Reasoning,
    /// A skill was activated.
    SkillActivation,
    /// About a subagent; permission postures are of this type too.
    SubagentEvent,
    /// About a workflow.
    WorkflowEvent,
    /// The model called a tool.
    ToolCall,
    /// What came of a call.
    ToolResult,
    /// A permission was asked for and decided.
    PermissionDecision,
    /// Where this log comes from; written anew in every child, so never copied.
    SessionFork,
    /// What a branch was about, interpretive and of that branch alone.
    BranchSummary,
    /// Older events stand for a summary; its ranges do not outlive new numbers.
    HistoryCompaction,
    /// What the model's provider counted.
    ProviderUsage,
    /// A turn failed.
    TurnFailed,
    /// A type this build does not know: kept where it stands, counted, not copied.
    Unknown,
}

use EventType as T;

/// Every known type with its word and whether `replay_v1` copies it.
const TYPES: [(EventType, &str, bool); 14] = [
    (T::UserMessage, "user_message", true),
    (T::AssistantMessage, "assistant_message", true),
    (T::Reasoning, "reasoning", true),
    (T::SkillActivation, "skill_activation", true),
    (T::SubagentEvent, "subagent_event", true),
    (T::WorkflowEvent, "workflow_event", true),
    (T::ToolCall, "tool_call", true),
    (T::ToolResult, "tool_result", true),
    (T::PermissionDecision, "permission_decision", true),
    (T::SessionFork, "session_fork", false),
    (T::BranchSummary, "branch_summary", false),
    (T::HistoryCompaction, "history_compaction", false),
    (T::ProviderUsage, "provider_usage", false),
    (T::TurnFailed, "turn_failed", false),
];

/// Types that are spoken on the way and never written.
const EPHEMERAL: [&str; 5] =
    ["text_delta", "reasoning_delta", "status", "plan", "context_pressure"];

impl EventType {
    /// All known types.
    pub fn all() -> impl Iterator<Item = Self> {
        TYPES.iter().map(|(kind, ..)| *kind)
    }

    /// The type with this word, or [`EventType::Unknown`].
    pub fn from_name(name: &str) -> Self {
        TYPES.iter().find(|(_, word, _)| *word == name).map_or(Self::Unknown, |(kind, ..)| *kind)
    }

    /// Its word in a log; `None` for [`EventType::Unknown`], which is many.
    pub fn name(self) -> Option<&'static str> {
        TYPES.iter().find(|(kind, ..)| *kind == self).map(|(_, word, _)| *word)
    }

    /// Whether `replay_v1` copies it into a child.
    pub fn is_replayed(self) -> bool {
        TYPES.iter().any(|(kind, _, copied)| *kind == self && *copied)
    }

    /// Whether this word is of a type that is never written to a log.
    pub fn is_ephemeral_name(name: &str) -> bool {
        EPHEMERAL.contains(&name)
    }
}

/// One event, as it stands in the log.
#[derive(Debug, Clone)]
pub struct Event<'a> {
    /// The number of its line, from 1.
    pub line: u64,
    /// Where its line begins, in bytes from the start of the log.
    pub byte: u64,
    /// Its own id.
    pub id: Cow<'a, str>,
    /// Its number in the log, from 0.
    pub seq: u64,
    /// When it was written, as it was written.
    pub ts: Cow<'a, str>,
    /// Its type.
    pub kind: EventType,
    /// The word of its type, also where this build does not know it.
    pub type_name: Cow<'a, str>,
    /// Its data: the text of a JSON object, byte for byte as it stands.
    pub data: &'a str,
    pub(crate) raw_ts: &'a str,
    pub(crate) noted: Noted<'a>,
}

/// Values that stand directly in an event's data, as raw JSON; of several under one key the first.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Noted<'a> {
    pub(crate) call_id: Option<&'a str>,
    pub(crate) resources: Option<&'a str>,
    pub(crate) metadata: Option<&'a str>,
    pub(crate) event: Option<&'a str>,
    pub(crate) status: Option<&'a str>,
}

impl<'a> Noted<'a> {
    pub(crate) fn note(&mut self, key: &str, value: &'a str) {
        let place = match key {
            "call_id" => &mut self.call_id,
            "resources" => &mut self.resources,
            "metadata" => &mut self.metadata,
            "event" => &mut self.event,
            "status" => &mut self.status,
            _ => return,
        };
        place.get_or_insert(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_types_are_replayed_and_five_are_not() {
        assert_eq!(EventType::all().count(), 14);
        let not: Vec<_> = EventType::all()
            .filter(|kind| !kind.is_replayed())
            .filter_map(EventType::name)
            .collect();
        assert_eq!(
            not,
            [
                "session_fork",
                "branch_summary",
                "history_compaction",
                "provider_usage",
                "turn_failed"
            ]
        );
        for kind in EventType::all() {
            assert_eq!(EventType::from_name(kind.name().unwrap()), kind);
        }
        assert_eq!(EventType::from_name("User_message"), EventType::Unknown);
        assert!(!EventType::Unknown.is_replayed());
    }
}
