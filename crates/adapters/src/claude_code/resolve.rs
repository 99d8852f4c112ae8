//! Looking at a source before anything is started (SPEC 6, 10 row 1).
//!
//! Claude Code silently forks damaged files and answers everything else with
//! one sentence, so the source is judged here. One rule about a last line that
//! is no whole record: it is a write in flight when a process serves the
//! session, or when the file grew between two looks 200 ms apart; it is then
//! not counted, and said. Otherwise the file is damaged there.

use super::history::{History, NoHistory, effective};
use super::index::{Damage, Index, Kind, Scanned, scan};
use super::layout::Layout;
use super::listing::{Listed, list_all};
use super::live;
use crate::contract::environment::SeatEnv;
use crate::contract::evidence::Evidence;
use crate::contract::failure::{FindError, ResolveError};
use crate::nearest::{self, Known};
use crate::record::{OpenError, PrefixHash, ReadError, RecordFile, open};
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_schema::{ConversationId, NativeId, Runtime, SourceId};
use std::time::Duration;

const RUNTIME: Runtime = Runtime::ClaudeCode;

/// Time between the two looks at a last line that is no whole record.
const SECOND_LOOK: Duration = Duration::from_millis(200);

/// Finds and judges a source.
pub(super) fn resolve(source: &SourceId, env: &SeatEnv) -> Result<Evidence, ResolveError> {
    let id = &source.conversation().native_id;
    check_shape(source)?;
    let layout = Layout::of(env).map_err(unreadable)?;
    let mut paths = layout.find(id).map_err(unreadable)?;
    let path = match paths.len() {
        1 => paths.remove(0),
        0 => return Err(not_found(id, &layout)),
        _ => return Err(ResolveError::Ambiguous { runtime: RUNTIME, id: id.to_string(), paths }),
    };
    let served_by =
        live::serving(&layout, &ConversationId::new(RUNTIME, id.clone())).map_err(unreadable)?;
    let Looked { file, scanned, remarks } = look(&path, id, served_by.is_some())?;
    let Scanned { index, hash, .. } = scanned;
    evidence(id, &path, &file, index, hash.finish(), served_by, remarks)
}

/// A record that was read whole.
pub(super) struct Looked {
    pub(super) file: RecordFile,
    pub(super) scanned: Scanned,
    pub(super) remarks: Vec<String>,
}

/// Reads a record; a last line that is no whole record is looked at twice.
pub(super) fn look(path: &Utf8Path, id: &NativeId, served: bool) -> Result<Looked, ResolveError> {
    let mut remarks = Vec::new();
    let mut look = read(path, id)?;
    if let Some(torn) = &look.1.torn {
        let (line, before) = (torn.line, look.0.bytes);
        std::thread::sleep(SECOND_LOOK);
        look = read(path, id)?;
        if let Some(torn) = &look.1.torn {
            let still_written = served || look.0.bytes > before || torn.line > line;
            if !still_written {
                let why = "the last line is cut off, and nobody is writing it";
                let (path, why) = (path.to_owned(), why.to_owned());
                return Err(ResolveError::Damaged { path, line: torn.line, why });
            }
            remarks.push(format!(
                "the last line is being written; its {} bytes so far are not counted",
                torn.bytes.len()
            ));
        }
    }
    let (file, scanned) = look;
    Ok(Looked { file, scanned, remarks })
}

fn evidence(
    id: &NativeId,
    path: &Utf8Path,
    file: &RecordFile,
    index: Index,
    (bytes, sha256): (u64, String),
    served_by: Option<crate::contract::evidence::InUse>,
    remarks: Vec<String>,
) -> Result<Evidence, ResolveError> {
    let history = inheritable(path, file.bytes, &index)?;
    let last = history.spine.last().map(|row| index.names.text(index.rows[*row].uuid).to_owned());
    Ok(Evidence {
        native_id: id.clone(),
        path: path.to_owned(),
        device: file.device,
        inode: file.inode,
        bytes,
        sha256,
        records: index.records(),
        effective_records: (history.spine.len() + history.companions.len()) as u64,
        last_record: last,
        not_inherited: history.outside(&index, []),
        last_activity: index.last_activity,
        recorded_cwd: index.cwd,
        live: served_by,
        written_by: index.version,
        remarks,
        ancestors: Vec::new(),
        fork_bytes: None,
    })
}

/// What a child would inherit, or why there is nothing: the one judgement of a source and of a row in the list.
pub(super) fn inheritable(
    path: &Utf8Path,
    bytes: u64,
    index: &Index,
) -> Result<History, ResolveError> {
    let empty = |why: &str| ResolveError::Empty { path: path.to_owned(), why: why.to_owned() };
    if bytes == 0 {
        return Err(empty("it has no bytes"));
    }
    let has = |kind| index.rows.iter().any(|row| row.kind == kind && !row.sidechain);
    match (has(Kind::User), has(Kind::Assistant)) {
        (false, false) => return Err(empty("no user and no assistant speaks in it")),
        (false, true) => return Err(empty("no user speaks in it")),
        (true, false) => return Err(empty("no assistant has answered in it")),
        (true, true) => {}
    }
    effective(index, index.records()).map_err(|none| match none {
        NoHistory::Nothing(why) => empty(why),
        NoHistory::Broken { line, why } => {
            ResolveError::Damaged { path: path.to_owned(), line, why }
        }
    })
}

/// Only a lower-case UUID is ever handed on: everything else the runtime would take for a title, a path or an option.
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

fn read(path: &Utf8Path, id: &NativeId) -> Result<(RecordFile, Scanned), ResolveError> {
    let refused = |why: String| ResolveError::Unreadable { path: path.to_owned(), why };
    let file = open(path).map_err(|error| refused(error.to_string()))?;
    let scanned = scan(&file, id.as_str(), PrefixHash::new(None)).map_err(|error| match error {
        ReadError::Stopped(Damage { line, why }) => {
            ResolveError::Damaged { path: path.to_owned(), line, why }
        }
        ReadError::TooLong { line } => ResolveError::Damaged {
            path: path.to_owned(),
            line,
            why: format!("it is longer than {} bytes", crate::record::MAX_LINE),
        },
        other => refused(other.to_string()),
    })?;
    Ok((file, scanned))
}

fn not_found(id: &NativeId, layout: &Layout) -> ResolveError {
    // What else there is would help; that it cannot be listed changes nothing about the answer.
    let all = list_all(layout).unwrap_or_default();
    let known =
        all.into_iter().map(|one| Known { id: one.id.clone(), changed: one.changed, of: one });
    let nearest = nearest::to(id, known.collect(), Listed::preview);
    let looked_in = vec![layout.projects()];
    ResolveError::NotFound { runtime: RUNTIME, id: id.to_string(), looked_in, nearest }
}

fn unreadable(error: FindError) -> ResolveError {
    let FindError { path, why } = error;
    ResolveError::Unreadable { path, why }
}

/// The one file that bears an id, opened; for the second reading of a source and for a child.
pub(super) fn open_only(layout: &Layout, id: &NativeId) -> Result<Found, FindError> {
    let mut paths = layout.find(id)?;
    match paths.len() {
        0 => Ok(Found::Nowhere),
        1 => match open(&paths[0]) {
            Ok(file) => Ok(Found::Here(file)),
            Err(OpenError::Gone) => Ok(Found::Nowhere),
            Err(error) => Err(FindError { path: paths.remove(0), why: error.to_string() }),
        },
        _ => Ok(Found::Several(paths)),
    }
}

/// Where a transcript stands.
pub(super) enum Found {
    /// Nowhere.
    Nowhere,
    /// Here.
    Here(RecordFile),
    /// In several places.
    Several(Vec<Utf8PathBuf>),
}
