//! Forks of a source that nobody here made (SPEC 7): told apart by their record's first line alone.

use super::layout::Layout;
use super::lineage::first_meta;
use super::start::mark;
use crate::contract::evidence::OthersFork;
use crate::contract::failure::FindError;
use seatfork_schema::{ConversationId, NativeId, Runtime};

/// Every conversation whose record names one of these as what it was forked from, and bears no launch's mark.
pub(super) fn forks(layout: &Layout, sources: &[NativeId]) -> Result<Vec<OthersFork>, FindError> {
    let mut found = Vec::new();
    for rollout in layout.rollouts()? {
        // A record that cannot be read names nobody, and is no finding about a source.
        let Ok(meta) = first_meta(&rollout) else { continue };
        let marked = meta.thread_source.0.is_some_and(|by| by.starts_with(&mark("")));
        let parent = sources.iter().find(|id| meta.forked_from_id.as_deref() == Some(id.as_str()));
        if let (Some(parent), false) = (parent, marked) {
            found.push(OthersFork {
                conversation: ConversationId::new(Runtime::Codex, rollout.thread),
                source: ConversationId::new(Runtime::Codex, parent.clone()),
                path: rollout.path,
            });
        }
    }
    Ok(found)
}
