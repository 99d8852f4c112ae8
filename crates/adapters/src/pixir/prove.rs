//! Comparing a child log with its seed, byte for byte (SPEC 8).
//!
//! The seed may have grown since it was looked at: the child must hold what a
//! child was given at one instant between the two looks. What was there at the
//! first look must be unchanged.

use super::look::{chain, not_inherited, prefix_hash, session, workspace};
use crate::contract::evidence::Evidence;
use crate::contract::failure::ProveError;
use crate::record::{OpenError, hex, open, sha256_hex};
use camino::Utf8Path;
use seatfork_schema::proof::Inherited;
use seatfork_schema::{ConversationId, LaunchCode, Proof, ProofGrade, ProofStatus};
use seatfork_sessionlog::{
    Event, EventType, Lineage, LogReader, PostureError, ReadError, STRATEGY, SessionId, Workspace,
    current_posture,
};
use sha2::{Digest, Sha256};

/// When the question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Before the pane was ever open: the child is as it was written.
    Untouched,
    /// At any later time.
    Later,
}

fn refuted(message: impl Into<String>) -> ProveError {
    ProveError::Refuted { code: LaunchCode::ProofFailed, message: message.into() }
}

fn unverifiable(code: LaunchCode, message: String) -> ProveError {
    ProveError::Unverifiable { code, message }
}

/// Proves a child, or says why not.
pub(super) fn prove(
    source: Option<&Evidence>,
    child: &ConversationId,
    cwd: &Utf8Path,
    moment: Moment,
) -> Result<Proof, ProveError> {
    let mut log = child_log(child, moment)?;
    let path = log.path().to_owned();
    let Some(evidence) = source else { return fresh(log, moment) };
    let lineage = lineage(&mut log)?;
    let seed_home = Workspace::open(cwd)
        .map_err(|error| unverifiable(LaunchCode::SourceUnreadable, chain(&error)))?;
    let seed = session(&evidence.native_id).map_err(refuted)?;
    let growth = unchanged(evidence, moment)?;
    let mut seed_log = LogReader::open(&seed_home, &seed).map_err(|error| source_error(&error))?;
    let compared = compare(&mut seed_log, &mut log, &lineage, evidence)?;
    let root = seed_log.lineage().map_or(&seed, |of_seed| &of_seed.root);
    let facts = Facts { seed: &seed, root, seed_home: &seed_home, child };
    facts.hold(&lineage, compared.records)?;
    boundary(child, &lineage, compared.records)?;
    if moment == Moment::Untouched {
        nothing_follows(log, compared.records + 3)?;
    }
    let reading = seed_log.finish().map_err(|error| source_error(&error))?;
    let left = not_inherited(&reading);
    let records = compared.records;
    let live = match growth {
        0 => String::new(),
        bytes => format!(", source is live, grew by {bytes} bytes"),
    };
    let not = match left.as_slice() {
        [] => String::new(),
        left => format!(", not inherited: {}", left.join(", ")),
    };
    debug_assert!(path.is_absolute());
    Ok(Proof {
        grade: ProofGrade::L3,
        status: ProofStatus::Proved,
        detail: format!("content proved {records}/{records}{live}{not}"),
        inherited: Some(Inherited {
            records,
            source_bytes: evidence.bytes,
            sha256: compared.sha256,
            last_record: compared.last.map(|seq| format!("seq {seq}")),
            not_inherited: left,
            depends_on_source: false,
            depends_on: Vec::new(),
        }),
    })
}

fn child_log(child: &ConversationId, moment: Moment) -> Result<LogReader, ProveError> {
    let look = |why: String| unverifiable(LaunchCode::LookFailed, why);
    let missing = |message: String| match moment {
        Moment::Untouched => ProveError::Refuted { code: LaunchCode::ChildMissing, message },
        Moment::Later => unverifiable(LaunchCode::ChildMissing, message),
    };
    let Some(home) = workspace(child).map_err(|error| look(error.to_string()))? else {
        return Err(missing(format!("the workspace {} is not there", child.scope.as_str())));
    };
    let id = session(&child.native_id).map_err(refuted)?;
    let log = LogReader::open(&home, &id).map_err(|error| match error {
        ReadError::NotFound { .. } => missing(error.to_string()),
        error => look(chain(&error)),
    })?;
    if log.identity().bytes == 0 {
        let message = format!("{} has no bytes", log.path());
        return Err(ProveError::Refuted { code: LaunchCode::ChildEmpty, message });
    }
    Ok(log)
}

/// Reading the child: what it holds is evidence, what could not be read is none.
fn child_error(error: &ReadError) -> ProveError {
    match error {
        ReadError::Corrupt { .. } | ReadError::Shrunk { .. } => refuted(error.to_string()),
        ReadError::NotFound { .. } | ReadError::State(_) => {
            unverifiable(LaunchCode::LookFailed, chain(error))
        }
    }
}

fn source_error(error: &ReadError) -> ProveError {
    let code = match error {
        ReadError::NotFound { .. } => LaunchCode::SourceGone,
        ReadError::Corrupt { .. } => LaunchCode::SourceDamaged,
        ReadError::Shrunk { .. } => LaunchCode::SourceChanged,
        ReadError::State(_) => LaunchCode::SourceUnreadable,
    };
    unverifiable(code, chain(error))
}

fn next<'a>(log: &'a mut LogReader, missing: &str) -> Result<Event<'a>, ProveError> {
    let path = log.path().to_owned();
    match log.next_event() {
        Ok(Some(event)) => Ok(event),
        Ok(None) => Err(refuted(format!("{path}: {missing}"))),
        Err(error) => Err(child_error(&error)),
    }
}

/// A log for which no seed was used: its own posture, and before its first use nothing else.
fn fresh(mut log: LogReader, moment: Moment) -> Result<Proof, ProveError> {
    let path = log.path().to_owned();
    let first = next(&mut log, "it holds nothing")?;
    if first.kind != EventType::SubagentEvent || !first.data.contains("permission_posture") {
        let message = format!("{path}: its first event is none that a new log begins with");
        return Err(refuted(message));
    }
    let id = log.session().clone();
    if moment == Moment::Untouched {
        nothing_follows(log, 1)?;
    }
    Ok(Proof::new_id(format!("new conversation {id}, no source used")))
}

/// The first line says where the child comes from.
fn lineage(log: &mut LogReader) -> Result<Lineage, ProveError> {
    next(log, "it holds nothing")?;
    let told = log.lineage().filter(|lineage| lineage.warm).cloned();
    told.ok_or_else(|| refuted(format!("{}: its first line names no seed", log.path())))
}

/// The second look at the seed: what was there is unchanged; how much came since.
fn unchanged(evidence: &Evidence, moment: Moment) -> Result<u64, ProveError> {
    let path = &evidence.path;
    let changed = |why: &str| {
        let message = format!("{path} {why}");
        match moment {
            Moment::Untouched => ProveError::Refuted { code: LaunchCode::SourceChanged, message },
            // A source that changed after the launch says nothing about the child any more.
            Moment::Later => unverifiable(LaunchCode::SourceChanged, message),
        }
    };
    let file = open(path).map_err(|error| match error {
        OpenError::Gone => {
            unverifiable(LaunchCode::SourceGone, format!("{path} is not there any more"))
        }
        OpenError::NotAFile { .. } => changed(&format!("changed: {error}")),
        _ => unverifiable(LaunchCode::SourceUnreadable, format!("{path}: {error}")),
    })?;
    if (file.device, file.inode) != (evidence.device, evidence.inode) {
        return Err(changed("is another file than the one that was looked at"));
    }
    let Some(growth) = file.bytes.checked_sub(evidence.bytes) else {
        return Err(changed("became shorter"));
    };
    let now = prefix_hash(&file, evidence.bytes)
        .map_err(|error| unverifiable(LaunchCode::SourceUnreadable, format!("{path}: {error}")))?;
    if now == evidence.sha256 {
        return Ok(growth);
    }
    let was = &evidence.sha256;
    Err(changed(&format!("changed within what was looked at: SHA-256 was {was}, is {now}")))
}

/// What was compared.
struct Compared {
    records: u64,
    last: Option<u64>,
    sha256: String,
}

/// Every replayed event of the seed, up to where the child says its reading ended, against the child's own lines.
fn compare(
    seed: &mut LogReader,
    child: &mut LogReader,
    lineage: &Lineage,
    evidence: &Evidence,
) -> Result<Compared, ProveError> {
    let Some(count) = lineage.replay_event_count else {
        return Err(refuted(format!("{}: it does not say how much it inherits", child.path())));
    };
    if count < evidence.effective_records {
        return Err(refuted(format!(
            "{} inherits {count} of {} records",
            child.path(),
            evidence.effective_records
        )));
    }
    let mut hash = Sha256::new();
    let (mut records, mut last) = (0, None);
    while records < count {
        let Some(given) = seed.next_event().map_err(|error| source_error(&error))? else {
            return Err(refuted(format!(
                "{} says it inherits {count} records, the source has {records}",
                child.path()
            )));
        };
        if !given.kind.is_replayed() {
            continue;
        }
        let held = next(child, "an inherited record is missing")?;
        let same = held.ts == given.ts && held.kind == given.kind && held.data == given.data;
        if !same {
            let (line, source_line) = (held.line, given.line);
            let (held, given) = (digest(&held), digest(&given));
            return Err(refuted(format!(
                "{}: line {line} is not line {source_line} of the source: SHA-256 {held} in place of {given}",
                child.path()
            )));
        }
        hash.update(given.data.as_bytes());
        hash.update(b"\n");
        last = Some(given.seq);
        records += 1;
    }
    if lineage.forked_to_seq != last {
        return Err(refuted(format!(
            "{}: it says it goes to seq {:?} of the source, and goes to {last:?}",
            child.path(),
            lineage.forked_to_seq
        )));
    }
    Ok(Compared { records, last, sha256: hex(&hash.finalize()) })
}

fn digest(event: &Event<'_>) -> String {
    let whole = format!("{}\n{}\n{}", event.ts, event.type_name, event.data);
    sha256_hex(whole.as_bytes())
}

/// What the first line must say.
struct Facts<'a> {
    seed: &'a SessionId,
    root: &'a SessionId,
    seed_home: &'a Workspace,
    child: &'a ConversationId,
}

impl Facts<'_> {
    fn hold(&self, said: &Lineage, records: u64) -> Result<(), ProveError> {
        let homes = (said.parent_workspace.as_deref(), said.child_workspace.as_deref());
        let facts = [
            ("parent", said.parent == *self.seed),
            ("root", said.root == *self.root),
            ("number of records", said.replay_event_count == Some(records)),
            ("strategy", said.strategy.as_deref() == Some(STRATEGY)),
            ("source's workspace", homes.0 == Some(self.seed_home.path().as_str())),
            ("workspace", homes.1 == Some(self.child.scope.as_str())),
        ];
        match facts.iter().find(|(_, holds)| !holds) {
            None => Ok(()),
            Some((what, _)) => {
                let id = &self.child.native_id;
                Err(refuted(format!("{id}: its first line names another {what}")))
            }
        }
    }
}

/// The boundary stands where the inherited records end, and the child's own posture right behind it.
fn boundary(child: &ConversationId, lineage: &Lineage, records: u64) -> Result<(), ProveError> {
    let look = |why: String| unverifiable(LaunchCode::LookFailed, why);
    let id = session(&child.native_id).map_err(refuted)?;
    let home = workspace(child).map_err(|error| look(error.to_string()))?;
    let Some(home) = home else { return Err(look(format!("{id}: its workspace is gone"))) };
    match current_posture(&home, &id) {
        Ok(posture) if posture.line == records + 3 => Ok(()),
        Ok(posture) => Err(refuted(format!(
            "{id}: its posture stands on line {}, not behind the boundary to {}",
            posture.line, lineage.parent
        ))),
        Err(error @ PostureError::Unavailable { .. }) => Err(refuted(format!("{id}: {error}"))),
        Err(PostureError::Read(error)) => Err(child_error(&error)),
    }
}

/// The child holds so many events and not one more, the last one whole.
fn nothing_follows(mut log: LogReader, events: u64) -> Result<(), ProveError> {
    while log.next_event().map_err(|error| child_error(&error))?.is_some() {}
    let reading = log.reading();
    if reading.events != events || reading.torn_bytes > 0 || reading.unterminated {
        return Err(refuted(format!(
            "{}: it holds {} events where {events} were written, and {} bytes more",
            log.path(),
            reading.events,
            reading.torn_bytes
        )));
    }
    Ok(())
}
