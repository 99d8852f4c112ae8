//! What a child is given of a log: one pass over it, which counts, checks and hands on.

use crate::boundary::Passage;
use crate::cache::CacheTally;
use crate::event::{Event, EventType};
use crate::lineage::Lineage;
use crate::resource::{ResourceError, Resources};
use crate::summary::SummaryTally;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The most tool calls that may stand open at once: what a reading remembers is bounded.
pub(crate) const MOST_OPEN: usize = 4096;
/// A call id longer than this is remembered by its checksum.
const LONG_ID: usize = 128;

/// A tool call that no result follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DanglingCall {
    /// The id of the call, cut at 128 bytes.
    pub call_id: String,
    /// The seq of the call.
    pub seq: u64,
    /// Its line.
    pub line: u64,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum CallId {
    Short(String),
    Long([u8; 32]),
}

/// What was learned of the events a child is given.
#[derive(Debug, Default)]
pub(crate) struct Prefix {
    pub(crate) count: u64,
    pub(crate) first: Option<u64>,
    pub(crate) last: Option<u64>,
    /// The greatest seq at which no call stood open.
    pub(crate) whole_at: Option<u64>,
    pub(crate) resources: Resources,
    pub(crate) cache: CacheTally,
    pub(crate) summary: Option<SummaryTally>,
    pub(crate) passage: Passage,
    /// The first of the open calls with an id, and how many there are.
    open: HashMap<CallId, (DanglingCall, u64)>,
    pub(crate) too_many_open: bool,
}

impl Prefix {
    pub(crate) fn new(summarize: bool) -> Self {
        Self { summary: summarize.then(SummaryTally::default), ..Self::default() }
    }

    /// One whose numbers take the most room.
    pub(crate) fn widest(lineage: Option<&Lineage>) -> Self {
        let passage = Passage::widest(lineage);
        let (first, last) = (Some(u64::MAX), Some(u64::MAX));
        Self { count: u64::MAX, first, last, passage, ..Self::default() }
    }

    /// Takes an event that is not beyond the end of the prefix; whether it is copied.
    pub(crate) fn take(&mut self, event: &Event<'_>) -> Result<bool, ResourceError> {
        self.cache.take(event);
        let copied = event.kind.is_replayed();
        if copied {
            self.count += 1;
            self.first.get_or_insert(event.seq);
            self.last = Some(event.seq);
            if let Some(summary) = &mut self.summary {
                summary.take(event);
            }
            match event.kind {
                EventType::ToolCall => self.called(event),
                EventType::ToolResult => self.answered(event),
                EventType::UserMessage => {
                    if let Some(raw) = event.noted.resources {
                        self.resources.take(raw, event.line)?;
                    }
                }
                _ => {}
            }
        }
        if self.open.is_empty() {
            self.whole_at = Some(event.seq);
        }
        Ok(copied)
    }

    fn called(&mut self, event: &Event<'_>) {
        if self.open.len() >= MOST_OPEN {
            self.too_many_open = true;
            return;
        }
        let shown: String = match event.noted.call_id {
            Some(raw) => text_of(raw).chars().take(LONG_ID / 4).collect(),
            None => String::new(),
        };
        let call = DanglingCall { call_id: shown, seq: event.seq, line: event.line };
        self.open.entry(call_id(event)).or_insert((call, 0)).1 += 1;
    }

    /// One result answers one call.
    fn answered(&mut self, event: &Event<'_>) {
        if let Entry::Occupied(mut call) = self.open.entry(call_id(event)) {
            call.get_mut().1 -= 1;
            if call.get().1 == 0 {
                call.remove();
            }
        }
    }

    /// The first call that no result follows, and how many there are.
    pub(crate) fn dangling(&self) -> Option<(&DanglingCall, u64)> {
        let (first, _) = self.open.values().min_by_key(|(call, _)| call.seq)?;
        Some((first, self.open.values().map(|(_, count)| count).sum()))
    }
}

/// What a raw JSON string says; any other value as it stands.
fn text_of(raw: &str) -> String {
    serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned())
}

fn call_id(event: &Event<'_>) -> CallId {
    // A call without an id is answered by a result without one.
    let text = event.noted.call_id.map(text_of).unwrap_or_default();
    if text.len() <= LONG_ID {
        CallId::Short(text)
    } else {
        CallId::Long(Sha256::digest(text).into())
    }
}
