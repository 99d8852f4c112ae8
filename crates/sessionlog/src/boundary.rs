//! Which event of a log is a boundary that counts: the one at the place its first line tells of.

use crate::event::{Event, EventType};
use crate::lineage::{Lineage, STRATEGY, WarmLineage};
use crate::marker;
use serde::Deserialize;

/// The boundary a log must have, by its first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expected {
    /// Its seq.
    pub(crate) index: u64,
    seed: String,
    root: String,
    count: u64,
    /// In a plain fork, the ids of the boundary and of the posture behind it.
    ids: Option<(String, Option<String>)>,
}

#[derive(Deserialize)]
struct RawMarker {
    text: Option<String>,
    lineage_boundary: Option<bool>,
    author: Option<String>,
    marker_kind: Option<String>,
    seed_session_id: Option<String>,
    fork_root_session_id: Option<String>,
    replay_event_count: Option<u64>,
}

impl Expected {
    pub(crate) fn by(lineage: &Lineage) -> Option<Self> {
        if lineage.strategy.as_deref() != Some(STRATEGY) {
            return None;
        }
        if lineage.warm {
            let count = lineage.replay_event_count?;
            return Some(Self {
                index: count.checked_add(1)?,
                seed: lineage.parent.to_string(),
                root: lineage.root.to_string(),
                count,
                ids: None,
            });
        }
        let warm = lineage.warm_lineage.as_ref().filter(|warm| warm.version == 1)?;
        // It was copied, so it stands among the copied events.
        (warm.boundary_index <= lineage.replay_event_count?).then(|| Self {
            index: warm.boundary_index,
            seed: warm.seed_session_id.clone(),
            root: warm.fork_root_session_id.clone(),
            count: warm.replay_event_count,
            ids: Some((warm.boundary_event_id.clone(), warm.posture_event_id.clone())),
        })
    }

    /// Whether this event is it.
    pub(crate) fn is_boundary(&self, event: &Event<'_>) -> bool {
        let is_at_its_place = event.seq == self.index
            && event.kind == EventType::UserMessage
            && self.ids.as_ref().is_none_or(|(id, _)| *id == event.id);
        is_at_its_place
            && serde_json::from_str::<RawMarker>(event.data).is_ok_and(|found| {
                let text = crate::id::SessionId::new(self.seed.as_str())
                    .map(|seed| marker::boundary_text(&seed));
                found.text == text.ok()
                    && found.lineage_boundary == Some(true)
                    && found.author.as_deref() == Some("runtime")
                    && found.marker_kind.as_deref() == Some(marker::KIND)
                    && found.seed_session_id.as_ref() == Some(&self.seed)
                    && found.fork_root_session_id.as_ref() == Some(&self.root)
                    && found.replay_event_count == Some(self.count)
            })
    }

    /// Whether this event is the posture behind it.
    pub(crate) fn is_posture(&self, event: &Event<'_>) -> bool {
        let is_it = match &self.ids {
            Some((_, posture)) => posture.as_deref() == Some(&*event.id),
            None => true,
        };
        is_it
            && event.seq == self.index.saturating_add(1)
            && event.kind == EventType::SubagentEvent
            && event.noted.event == Some("\"permission_posture\"")
    }
}

/// The boundary of a parent on its way into a plain fork.
#[derive(Debug, Default)]
pub(crate) struct Passage {
    expected: Option<Expected>,
    boundary: Option<(u64, String)>,
    posture: Option<(u64, String)>,
}

impl Passage {
    pub(crate) fn begin(&mut self, lineage: Option<&Lineage>) {
        self.expected = lineage.and_then(Expected::by);
    }

    /// Takes an event that was copied, with its seq and id in the child.
    pub(crate) fn copied(&mut self, event: &Event<'_>, seq: u64, id: [u8; 16]) {
        let Some(expected) = &self.expected else { return };
        let place = || (seq, id.iter().map(|digit| char::from(*digit)).collect());
        if expected.is_boundary(event) {
            self.boundary = Some(place());
        } else if self.boundary.is_some() && expected.is_posture(event) {
            self.posture = Some(place());
        }
    }

    /// What the child's first line says of it.
    pub(crate) fn warm_lineage(&self) -> Option<WarmLineage> {
        let (expected, (index, id)) = (self.expected.as_ref()?, self.boundary.as_ref()?);
        Some(WarmLineage {
            boundary_index: *index,
            boundary_event_id: id.clone(),
            fork_root_session_id: expected.root.clone(),
            posture_index: self.posture.as_ref().map(|(index, _)| *index),
            posture_event_id: self.posture.as_ref().map(|(_, id)| id.clone()),
            replay_event_count: expected.count,
            seed_session_id: expected.seed.clone(),
            version: 1,
        })
    }

    /// One that takes the most room a parent's can come to take.
    pub(crate) fn widest(lineage: Option<&Lineage>) -> Self {
        let expected = lineage.and_then(Expected::by);
        let widest = expected.as_ref().map(|_| (u64::MAX, "f".repeat(16)));
        Self { expected, boundary: widest.clone(), posture: widest }
    }
}
