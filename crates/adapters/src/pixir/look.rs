//! Looking at logs before and after anything is written: a source, a mark, a writer (SPEC 6).

use crate::contract::evidence::{Evidence, InUse, Made};
use crate::contract::failure::{FindError, ResolveError};
use crate::record::{PrefixHash, RecordFile, open};
use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use seatfork_schema::{ConversationId, NativeId, Runtime, SourceId};
use seatfork_sessionlog::{
    LeaseState, LogReader, ReadError, Reading, SeedError, SessionId, StateError, Workspace,
    lease_state, validate,
};
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes hashed at a time.
const CHUNK: usize = 1024 * 1024;

/// How many of the nearest known ids are named.
const MOST: usize = 3;

/// An error with its causes in one line.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_said = cause.to_string();
        if !said.contains(&cause_said) {
            said.push_str(": ");
            said.push_str(&cause_said);
        }
        source = cause.source();
    }
    said
}

/// A native id as the log's own: the schema holds both to one grammar.
pub(super) fn session(id: &NativeId) -> Result<SessionId, String> {
    SessionId::new(id.as_str()).map_err(|error| error.to_string())
}

/// Finds and judges a seed, in the seat's own working directory and nowhere else.
pub(super) fn resolve(source: &SourceId, cwd: &Utf8Path) -> Result<Evidence, ResolveError> {
    let id = &source.conversation().native_id;
    let unreadable = |why: String| ResolveError::Unreadable { path: cwd.to_owned(), why };
    let workspace = Workspace::open(cwd).map_err(|error| unreadable(chain(&error)))?;
    let seed = session(id).map_err(unreadable)?;
    let path = workspace.log_path(&seed);
    let found = validate(&workspace, &seed).map_err(|error| refused(error, &path, id))?;
    let reading = &found.reading;
    let unread = |error: &dyn std::error::Error| ResolveError::Unreadable {
        path: path.clone(),
        why: error.to_string(),
    };
    let file = open(&path).map_err(|error| unread(&error))?;
    if (file.device, file.inode) != (found.seed_file.device, found.seed_file.inode) {
        let why = "another file was put in its place while it was looked at".to_owned();
        return Err(ResolveError::Unreadable { path, why });
    }
    let sha256 = prefix_hash(&file, reading.whole_bytes).map_err(|error| unread(&error))?;
    let conversation = source.conversation();
    let live = in_use(conversation, Timestamp::now()).map_err(|error| unread(&error))?;
    Ok(Evidence {
        native_id: id.clone(),
        path,
        device: file.device,
        inode: file.inode,
        bytes: reading.whole_bytes,
        sha256,
        records: reading.events,
        effective_records: found.replay_event_count,
        last_record: found.to_seq.map(|seq| format!("seq {seq}")),
        not_inherited: not_inherited(reading),
        last_activity: reading.last_ts.as_deref().and_then(|ts| ts.parse().ok()),
        recorded_cwd: Some(workspace.path().to_string()),
        live,
        written_by: None,
        remarks: remarks(reading),
        ancestors: Vec::new(),
        fork_bytes: None,
    })
}

fn refused(error: SeedError, path: &Utf8Path, id: &NativeId) -> ResolveError {
    let path = path.to_owned();
    match error {
        SeedError::Read(ReadError::NotFound { .. }) => {
            let dir = path.parent().unwrap_or(&path).to_owned();
            let nearest = nearest(id, &dir);
            let (runtime, id) = (Runtime::Pixir, id.to_string());
            ResolveError::NotFound { runtime, id, looked_in: vec![dir], nearest }
        }
        SeedError::Read(ReadError::Corrupt { line, problem, .. }) => {
            ResolveError::Damaged { path, line, why: problem.to_string() }
        }
        SeedError::Empty { .. } => {
            let why = "it has no event that a child would be given".to_owned();
            ResolveError::Empty { path, why }
        }
        SeedError::Dangling { call, whole_at, .. } => {
            let whole = whole_at.map_or_else(
                || "no fork of it would be whole".to_owned(),
                |seq| format!("seatfork log fork --to-seq {seq} makes one that is whole"),
            );
            let why = format!("tool call {:?} has no result; {whole}", call.call_id);
            ResolveError::NotForkable { path, line: call.line, why }
        }
        other => ResolveError::Unreadable { path, why: chain(&other) },
    }
}

/// What a child is not given, counted by type.
pub(super) fn not_inherited(reading: &Reading) -> Vec<String> {
    let known = reading
        .by_type
        .iter()
        .filter(|(name, _)| !seatfork_sessionlog::EventType::from_name(name).is_replayed());
    let mut left: Vec<_> = known.map(|(name, count)| format!("{count} {name}")).collect();
    if reading.unknown() > 0 {
        left.push(format!("{} of a type this build does not know", reading.unknown()));
    }
    left
}

fn remarks(reading: &Reading) -> Vec<String> {
    let torn = (reading.torn_bytes > 0).then(|| {
        format!(
            "the last record is being written or was cut off; its {} bytes are not counted",
            reading.torn_bytes
        )
    });
    torn.into_iter().collect()
}

/// SHA-256 of the first bytes of a log.
pub(super) fn prefix_hash(file: &RecordFile, bytes: u64) -> io::Result<String> {
    let mut hash = PrefixHash::new(None);
    let mut buffer = vec![0; CHUNK];
    let mut at = 0;
    while at < bytes {
        let room = usize::try_from(bytes - at).unwrap_or(CHUNK).min(CHUNK);
        match file.file.read_at(&mut buffer[..room], at) {
            Ok(0) => return Err(io::Error::other("it became shorter while it was read")),
            Ok(read) => {
                hash.feed(&buffer[..read]);
                at += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(hash.finish().1)
}

/// The nearest known ids of the workspace. What cannot be listed names none.
fn nearest(id: &NativeId, dir: &Utf8Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let names =
        entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().into_string().ok());
    let mut known: Vec<_> = names
        .filter_map(|name| name.strip_suffix(".ndjson").map(str::to_owned))
        .filter(|name| SessionId::new(name.as_str()).is_ok())
        .collect();
    known.sort_by_cached_key(|name| (strsim::levenshtein(id.as_str(), name), name.clone()));
    known.truncate(MOST);
    known
}

/// The workspace a conversation belongs to; `None` where its folder is gone.
pub(super) fn workspace(conversation: &ConversationId) -> Result<Option<Workspace>, FindError> {
    let path = Utf8PathBuf::from(conversation.scope.as_str());
    match Workspace::open(&path) {
        Ok(workspace) => Ok(Some(workspace)),
        Err(StateError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FindError { why: chain(&error), path }),
    }
}

/// The log of a conversation, if one stands where it would.
pub(super) fn made(conversation: &ConversationId) -> Result<Option<Made>, FindError> {
    let Some(workspace) = workspace(conversation)? else { return Ok(None) };
    let failed = |why| FindError { path: workspace.path().to_owned(), why };
    let session = session(&conversation.native_id).map_err(failed)?;
    match LogReader::open(&workspace, &session) {
        Ok(log) => Ok(Some(Made {
            conversation: conversation.clone(),
            path: log.path().to_owned(),
            bytes: log.identity().bytes,
        })),
        Err(ReadError::NotFound { .. }) => Ok(None),
        Err(error) => Err(failed(chain(&error))),
    }
}

/// Whether a log begins as a warm start: the boundary then stands where it ends, or the proof refused it.
pub(super) fn has_boundary(conversation: &ConversationId) -> Result<bool, FindError> {
    let Some(workspace) = workspace(conversation)? else { return Ok(false) };
    let failed = |why| FindError { path: workspace.path().to_owned(), why };
    let session = session(&conversation.native_id).map_err(failed)?;
    let mut log = match LogReader::open(&workspace, &session) {
        Ok(log) => log,
        Err(ReadError::NotFound { .. }) => return Ok(false),
        Err(error) => return Err(failed(chain(&error))),
    };
    log.next_event().map_err(|error| failed(chain(&error)))?;
    Ok(log.lineage().is_some_and(|lineage| lineage.warm))
}

/// Who writes a log now, by its lease. One that cannot be understood is not the same as none.
pub(super) fn in_use(
    conversation: &ConversationId,
    now: Timestamp,
) -> Result<Option<InUse>, FindError> {
    let Some(workspace) = workspace(conversation)? else { return Ok(None) };
    let failed = |why| FindError { path: workspace.path().to_owned(), why };
    let session = session(&conversation.native_id).map_err(failed)?;
    match lease_state(&workspace, &session, now).map_err(|error| failed(chain(&error)))? {
        LeaseState::Available | LeaseState::Stale(_) => Ok(None),
        LeaseState::Active(lease) => match lease.os_pid.0.parse() {
            Ok(pid) => Ok(Some(InUse { pid, seen_in: lease.lease_path })),
            Err(_) => Err(failed(format!("its lease {} names no process", lease.lease_path))),
        },
        LeaseState::Ambiguous { why } => Err(failed(format!("the lease of {session}: {why}"))),
    }
}
