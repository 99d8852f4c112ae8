//! A summary of a branch that needs no model: counts and excerpts, the same for the same prefix.

use crate::event::{Event, EventType};
use crate::id::SessionId;
use crate::posture::json;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

/// How the summary is made.
pub(crate) const STRATEGY: &str = "deterministic_operational_summary_v1";

/// The longest excerpt, in characters.
const EXCERPT: usize = 480;
const MOST_FILES: usize = 30;
const MOST_TASKS: usize = 8;
const MOST_EXCERPTS: usize = 6;
/// Calls that are listed; those before them are counted. A log's memory is not its length.
const MOST_CALLS: usize = 1000;

const LIMITATIONS: [&str; 2] = [
    "counts and excerpts, made without a model: it interprets nothing",
    "it does not stand for the replayed events, which are all there",
];

#[derive(Debug, Clone, Serialize)]
struct Call {
    #[serde(rename = "call_id")]
    id: Option<String>,
    name: Option<String>,
    seq: u64,
}

/// What is remembered of a prefix for its summary: bounded, whatever its length.
#[derive(Debug, Default)]
pub(crate) struct SummaryTally {
    counts: BTreeMap<&'static str, u64>,
    calls: VecDeque<Call>,
    calls_before: u64,
    files: BTreeSet<String>,
    excerpts: VecDeque<String>,
}

#[derive(Deserialize)]
struct Said {
    text: Option<String>,
    summary: Option<String>,
    task: Option<String>,
    event: Option<String>,
}

#[derive(Deserialize)]
struct Called {
    call_id: Option<String>,
    name: Option<String>,
    args: Option<Value>,
}

#[derive(Serialize)]
struct Range {
    from_seq: Option<u64>,
    to_seq: u64,
}

#[derive(Serialize)]
struct SummaryData<'a> {
    event_counts: &'a BTreeMap<&'static str, u64>,
    files_touched: Vec<&'a str>,
    forked_to_seq: u64,
    limitations: [&'static str; 2],
    open_tasks: Vec<&'a str>,
    parent_session_id: &'a SessionId,
    range: Range,
    source_event_count: u64,
    strategy: &'static str,
    summary: String,
    tool_calls: &'a VecDeque<Call>,
    tool_calls_before: u64,
}

impl SummaryTally {
    pub(crate) fn take(&mut self, event: &Event<'_>) {
        if let Some(name) = event.kind.name() {
            *self.counts.entry(name).or_default() += 1;
        }
        match event.kind {
            EventType::ToolCall => self.called(event),
            EventType::UserMessage | EventType::AssistantMessage | EventType::SubagentEvent => {
                if let Ok(said) = serde_json::from_str::<Said>(event.data) {
                    let text = said.text.or(said.summary).or(said.task).or(said.event);
                    self.said(event, &text.unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    fn said(&mut self, event: &Event<'_>, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.is_empty() {
            return;
        }
        let line = format!("{}: {}", event.kind.name().unwrap_or_default(), words.join(" "));
        self.excerpts.push_back(line.chars().take(EXCERPT).collect());
        if self.excerpts.len() > MOST_TASKS {
            self.excerpts.pop_front();
        }
    }

    fn called(&mut self, event: &Event<'_>) {
        let Ok(call) = serde_json::from_str::<Called>(event.data) else { return };
        let short = |text: Option<String>| text.map(|text| text.chars().take(EXCERPT).collect());
        self.calls.push_back(Call {
            id: short(call.call_id),
            name: short(call.name),
            seq: event.seq,
        });
        if self.calls.len() > MOST_CALLS {
            self.calls.pop_front();
            self.calls_before += 1;
        }
        let Some(Value::Object(args)) = call.args else { return };
        for value in args.into_iter().filter_map(|(_, value)| value.as_str().map(str::to_owned)) {
            let is_one_word = value.len() <= EXCERPT && !value.contains(char::is_whitespace);
            if is_one_word && value.contains(['/', '.']) {
                self.files.insert(value);
                if self.files.len() > MOST_FILES {
                    self.files.pop_last();
                }
            }
        }
    }

    /// The data of the event.
    pub(crate) fn data(
        &self,
        parent: &SessionId,
        from_seq: Option<u64>,
        to_seq: u64,
        count: u64,
    ) -> String {
        let mut summary = format!("{count} events");
        for (at, (name, count)) in self.counts.iter().enumerate() {
            let before = if at == 0 { ": " } else { ", " };
            // Writing to a string does not fail.
            write!(summary, "{before}{name} {count}").ok();
        }
        let last = self.excerpts.len().saturating_sub(MOST_EXCERPTS);
        for excerpt in self.excerpts.iter().skip(last) {
            write!(summary, "\n- {excerpt}").ok();
        }
        json(&SummaryData {
            event_counts: &self.counts,
            files_touched: self.files.iter().map(String::as_str).collect(),
            forked_to_seq: to_seq,
            limitations: LIMITATIONS,
            open_tasks: self.excerpts.iter().map(String::as_str).collect(),
            parent_session_id: parent,
            range: Range { from_seq, to_seq },
            source_event_count: count,
            strategy: STRATEGY,
            summary,
            tool_calls: &self.calls,
            tool_calls_before: self.calls_before,
        })
    }
}
