//! Finding what a launch made: by its mark, never by its time (SPEC 7).

use super::layout::{Layout, Rollout};
use super::lineage::{first_meta, stands};
use super::meta::{Meta, first_line};
use super::own::{Own, own_of};
use super::packed::open_rollout as open;
use super::resolve::place;
use super::scan::parse;
use crate::contract::evidence::Made;
use crate::contract::failure::FindError;
use crate::record::{OpenError, RecordFile, read_lines};
use camino::Utf8PathBuf;
use jiff::Timestamp;
use memchr::memmem;
use seatfork_schema::{ConversationId, NativeId, Runtime};
use std::convert::Infallible;
use std::os::unix::fs::FileExt;
use uuid::Uuid;

/// Bytes of a rollout in which its mark stands, in the versions known: what comes before it is short.
const HEAD: usize = 4096;

/// The conversation whose first line bears a mark.
pub(super) fn find(layout: &Layout, mark: &str) -> Result<Option<Made>, FindError> {
    let mut all = layout.rollouts()?;
    // The newest are the likeliest; which it is, the mark alone says.
    all.sort_by(|a, b| b.id.cmp(&a.id));
    for rollout in all {
        // Nothing of ours is compressed before it is old.
        if rollout.compressed || rollout.id != rollout.thread {
            continue;
        }
        let file = match open(&rollout) {
            Ok(file) => file,
            // Gone since it was listed, or never a record.
            Err(OpenError::Gone | OpenError::NotAFile { .. } | OpenError::NotOurs { .. }) => {
                continue;
            }
            Err(error) => {
                return Err(FindError { path: rollout.path, why: error.to_string() });
            }
        };
        if bears(&file, mark, &rollout)? {
            let conversation = ConversationId::new(Runtime::Codex, rollout.thread);
            return Ok(Some(Made { conversation, path: rollout.path, bytes: file.bytes }));
        }
    }
    Ok(None)
}

fn bears(file: &RecordFile, mark: &str, rollout: &Rollout) -> Result<bool, FindError> {
    let failed = |why: String| FindError { path: rollout.path.clone(), why };
    let mut head = vec![0; HEAD];
    let read = file.file.read_at(&mut head, 0).map_err(|error| failed(error.to_string()))?;
    head.truncate(read);
    let (is_named, is_marked) = (
        memmem::find(&head, br#""thread_source":""#).is_some(),
        memmem::find(&head, mark.as_bytes()).is_some(),
    );
    if is_named && !is_marked {
        return Ok(false);
    }
    let line = first_line(file).map_err(|error| failed(error.to_string()))?;
    // A first line that is cut off, or no record, is nobody's mark.
    let meta = line.and_then(|line| Meta::parse(&line).ok());
    Ok(meta.is_some_and(|meta| meta.thread_source.0.as_deref() == Some(mark)))
}

/// The forks of a thread that bear no mark of ours.
pub(super) fn forks_of_others(layout: &Layout, source: &NativeId) -> Result<Vec<Made>, FindError> {
    let mut found = Vec::new();
    for rollout in layout.rollouts()? {
        if rollout.compressed || rollout.id != rollout.thread || rollout.thread == *source {
            continue;
        }
        // What is no record, or is being written, is nobody's fork yet.
        let Ok(file) = open(&rollout) else { continue };
        let failed = |why: String| FindError { path: rollout.path.clone(), why };
        let mut head = vec![0; HEAD];
        let read = file.file.read_at(&mut head, 0).map_err(|error| failed(error.to_string()))?;
        if memmem::find(&head[..read], source.as_str().as_bytes()).is_none() {
            continue;
        }
        let line = first_line(&file).map_err(|error| failed(error.to_string()))?;
        let Some(meta) = line.and_then(|line| Meta::parse(&line).ok()) else { continue };
        let is_ours = meta.thread_source.0.is_some_and(|mark| mark.starts_with("seatfork-"));
        if meta.forked_from_id.as_deref() == Some(source.as_str()) && !is_ours {
            let conversation = ConversationId::new(Runtime::Codex, rollout.thread);
            found.push(Made { conversation, path: rollout.path, bytes: file.bytes });
        }
    }
    Ok(found)
}

/// Whether the notice stands in a thread's own record.
pub(super) fn has_notice(layout: &Layout, id: &NativeId) -> Result<bool, FindError> {
    let all = layout.of_thread(id)?;
    let Some(rollout) = all.into_iter().find(|one| one.id == *id) else { return Ok(false) };
    let failed = |why: String| FindError { path: rollout.path.clone(), why };
    let file = open(&rollout).map_err(|error| failed(error.to_string()))?;
    let mut found = false;
    read_lines(&file, |_, _, bytes| {
        // What is no record is no notice.
        found |= parse(bytes).is_ok_and(|line| own_of(&line, id.as_str()) == Own::Notice);
        Ok::<(), Infallible>(())
    })
    .map_err(|error| failed(error.to_string()))?;
    Ok(found)
}

/// When a thread began: its id is of the kind that begins with the time (RFC 9562, version 7).
pub(super) fn born(id: &NativeId) -> Option<Timestamp> {
    let (seconds, nanos) = Uuid::parse_str(id.as_str()).ok()?.get_timestamp()?.to_unix();
    let at = Timestamp::new(i64::try_from(seconds).ok()?, i32::try_from(nanos).ok()?).ok()?;
    (id.as_str().as_bytes().get(14) == Some(&b'7')).then_some(at)
}

/// Where a seat's own conversation can be resumed from. A record whose own history is not whole cannot be.
pub(super) fn locate(layout: &Layout, id: &NativeId) -> Result<Option<Utf8PathBuf>, FindError> {
    let Some(rollout) = place(id, layout)?.filter(|rollout| !rollout.archived) else {
        return Ok(None);
    };
    let whole = first_meta(&rollout).and_then(|meta| stands(layout, meta.history_base.as_ref()));
    match whole {
        Ok(()) => Ok(Some(rollout.path)),
        Err(why) => Err(FindError { path: rollout.path, why: why.to_string() }),
    }
}
