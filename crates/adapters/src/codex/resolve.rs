//! Looking at a source before anything is started (SPEC 6, 10 row 1).
//!
//! The tree of files is the truth: the runtime's databases are rebuilt from
//! it, and are not read here. Only after going back inside a thread do several
//! files bear its id; the newest by its own id, which tells time, is the one
//! the thread goes on in. Should the runtime know better, the child names
//! another file and is refused.

use super::held::writer;
use super::layout::{Layout, Rollout};
use super::lineage::{Broken, ancestors, hide_compressed};
use super::listing;
use super::packed::open_rollout as open;
use super::scan::{Damage, Scanned, scan};
use crate::contract::environment::SeatEnv;
use crate::contract::evidence::{Evidence, InUse};
use crate::contract::failure::{FindError, ResolveError};
use crate::nearest::{self, Known};
use crate::record::{PrefixHash, ReadError, RecordFile};
use camino::Utf8Path;
use seatfork_schema::{NativeId, Runtime, SourceId};
use std::time::Duration;

const RUNTIME: Runtime = Runtime::Codex;

/// Time between the two looks at a last line that is no whole record.
const SECOND_LOOK: Duration = Duration::from_millis(200);

/// About what a fork by reference takes: its instructions, its settings and the notice.
const FORK: u64 = 64 * 1024;

/// Finds and judges a source.
pub(super) fn resolve(source: &SourceId, env: &SeatEnv) -> Result<Evidence, ResolveError> {
    let id = &source.conversation().native_id;
    check_shape(source)?;
    let layout = Layout::of(env).map_err(unreadable)?;
    let rollout = current(id, &layout)?;
    let served_by = writer(&layout, id).map_err(unreadable)?;
    let mut remarks = Vec::new();

    let mut look = read(&rollout)?;
    if let Some(torn) = &look.1.torn {
        let (line, before) = (torn.line, look.0.bytes);
        std::thread::sleep(SECOND_LOOK);
        look = read(&rollout)?;
        if let Some(torn) = &look.1.torn {
            let still_written = served_by.is_some() || look.0.bytes > before || torn.line > line;
            if !still_written {
                let why = "the last line is cut off, and nobody is writing it";
                let (path, line) = (rollout.path, torn.line);
                return Err(ResolveError::Damaged { path, line, why: why.to_owned() });
            }
            remarks.push(format!(
                "the last line is being written; its {} bytes so far are not counted",
                torn.bytes.len()
            ));
        }
    }
    evidence(&layout, &rollout, look, served_by, remarks)
}

/// The file a thread goes on in.
fn current(id: &NativeId, layout: &Layout) -> Result<Rollout, ResolveError> {
    let all = layout.of_thread(id).map_err(unreadable)?;
    let mut named: Vec<&Rollout> = all.iter().collect();
    hide_compressed(&mut named);
    let newest = named.iter().map(|one| &one.id).max();
    let Some(newest) = newest else { return Err(not_found(id, layout)) };
    let bearing: Vec<&&Rollout> = named.iter().filter(|one| one.id == *newest).collect();
    match bearing.as_slice() {
        [one] if one.archived => Err(ResolveError::Archived {
            runtime: RUNTIME,
            id: id.to_string(),
            path: one.path.clone(),
            bring_back: format!("codex unarchive {id}"),
        }),
        [one] => Ok((**one).clone()),
        several => Err(ResolveError::Ambiguous {
            runtime: RUNTIME,
            id: id.to_string(),
            paths: several.iter().map(|one| one.path.clone()).collect(),
        }),
    }
}

fn evidence(
    layout: &Layout,
    rollout: &Rollout,
    (file, scanned): (RecordFile, Scanned),
    served_by: Option<InUse>,
    remarks: Vec<String>,
) -> Result<Evidence, ResolveError> {
    let path = &rollout.path;
    let id = &rollout.thread;
    if scanned.meta.id != id.as_str() {
        let other = seatfork_schema::printable(&scanned.meta.id);
        let why = format!("it belongs to thread {other}");
        return Err(ResolveError::Damaged { path: path.clone(), line: 1, why });
    }
    let base = scanned.meta.history_base.as_ref();
    let before =
        ancestors(layout, rollout.id.as_str(), base).map_err(|broken| refused(id, broken))?;
    let speaks = |of: fn(&Scanned) -> bool| {
        of(&scanned) || before.iter().any(|ancestor| of(&ancestor.scanned))
    };
    let empty = |why: &str| ResolveError::Empty { path: path.clone(), why: why.to_owned() };
    match (speaks(|one| one.user), speaks(|one| one.assistant)) {
        (false, false) => return Err(empty("no user and no assistant speaks in it")),
        (false, true) => return Err(empty("no user speaks in it")),
        (true, false) => return Err(empty("no assistant has answered in it")),
        (true, true) => {}
    }
    let inherited: u64 = before.iter().map(|ancestor| ancestor.range.records).sum();
    let is_paginated = scanned.meta.is_paginated();
    let (bytes, sha256) = scanned.hash.finish();
    Ok(Evidence {
        native_id: id.clone(),
        path: path.clone(),
        device: file.device,
        inode: file.inode,
        bytes,
        sha256,
        records: scanned.records,
        effective_records: scanned.records + inherited,
        last_record: scanned.last_ordinal.map(|ordinal| ordinal.to_string()),
        not_inherited: Vec::new(),
        last_activity: scanned.last_activity,
        recorded_cwd: scanned.cwd,
        live: served_by,
        written_by: scanned.meta.cli_version,
        remarks,
        ancestors: before.into_iter().map(|ancestor| ancestor.range).collect(),
        fork_bytes: is_paginated.then_some(FORK),
    })
}

/// Only a lower-case UUID is ever handed on: the runtime would take everything else for a name, and other spellings for the id.
pub(super) fn check_shape(source: &SourceId) -> Result<(), ResolveError> {
    let given = &source.conversation().native_id;
    if given.is_lowercase_uuid() {
        return Ok(());
    }
    let did_you_mean = NativeId::new(given.as_str().to_ascii_lowercase())
        .ok()
        .filter(NativeId::is_lowercase_uuid)
        .map(|id| id.to_string());
    Err(ResolveError::Malformed { runtime: RUNTIME, given: given.to_string(), did_you_mean })
}

fn read(rollout: &Rollout) -> Result<(RecordFile, Scanned), ResolveError> {
    let path = &rollout.path;
    let refused = |why: String| ResolveError::Unreadable { path: path.clone(), why };
    let file = open(rollout).map_err(|error| refused(error.to_string()))?;
    if file.bytes == 0 {
        return Err(ResolveError::Empty { path: path.clone(), why: "it has no bytes".to_owned() });
    }
    let scanned = scan(&file, PrefixHash::new(None), None).map_err(|error| match error {
        ReadError::Stopped(Damage { line, why }) => {
            ResolveError::Damaged { path: path.clone(), line, why }
        }
        ReadError::TooLong { line } => ResolveError::Damaged {
            path: path.clone(),
            line,
            why: format!("it is longer than {} bytes", crate::record::MAX_LINE),
        },
        other => refused(other.to_string()),
    })?;
    Ok((file, scanned))
}

/// A source whose own history is not whole.
fn refused(id: &NativeId, broken: Broken) -> ResolveError {
    match broken {
        Broken::Gone { id: ancestor } => {
            ResolveError::AncestorGone { runtime: RUNTIME, id: id.to_string(), ancestor }
        }
        Broken::Several { id, paths } => ResolveError::Ambiguous { runtime: RUNTIME, id, paths },
        Broken::Damaged { path, line, why } => ResolveError::Damaged { path, line, why },
        Broken::Unreadable { path, why } => ResolveError::Unreadable { path, why },
    }
}

fn not_found(id: &NativeId, layout: &Layout) -> ResolveError {
    // What else there is would help; that it cannot be listed changes nothing about the answer.
    let all = listing::list_all(layout).unwrap_or_default();
    let known = all.into_iter().map(|one| Known {
        id: one.rollout.thread.clone(),
        changed: one.changed,
        of: one,
    });
    let nearest = nearest::to(id, known.collect(), listing::Listed::preview);
    let looked_in = vec![layout.sessions(), layout.archived()];
    ResolveError::NotFound { runtime: RUNTIME, id: id.to_string(), looked_in, nearest }
}

fn unreadable(error: FindError) -> ResolveError {
    let FindError { path, why } = error;
    ResolveError::Unreadable { path, why }
}

/// Where a thread's own record stands, whatever it holds; the file it goes on in, archived or not.
pub(super) fn place(id: &NativeId, layout: &Layout) -> Result<Option<Rollout>, FindError> {
    let all = layout.of_thread(id)?;
    let mut named: Vec<&Rollout> = all.iter().collect();
    hide_compressed(&mut named);
    let newest = named.iter().map(|one| &one.id).max().cloned();
    named.retain(|one| Some(&one.id) == newest.as_ref());
    match named.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some((*one).clone())),
        several => Err(FindError {
            path: several[0].path.clone(),
            why: format!("{id} stands in {} places", several.len()),
        }),
    }
}

/// Whether a path is one of the layout's archive.
pub(super) fn is_archived(layout: &Layout, path: &Utf8Path) -> bool {
    path.starts_with(layout.archived())
}
