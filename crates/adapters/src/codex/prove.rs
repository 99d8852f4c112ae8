//! Comparing a child on disk with its source (SPEC 8).
//!
//! A child either goes on from the source's own bytes (by reference) or holds
//! a copy of its records (older threads). Which, its first line says. The
//! source may have grown since the first look; what was there must be unchanged.

use super::copied::compare;
use super::layout::{Layout, Rollout};
use super::lineage::{Ancestor, Broken, ancestors};
use super::own::{Own, own_of};
use super::packed::open_rollout as open;
use super::resolve::is_archived;
use super::scan::{Damage, Scanned, parse, scan};
use crate::contract::environment::SeatEnv;
use crate::contract::evidence::Evidence;
use crate::contract::failure::ProveError;
use crate::record::{OpenError, PrefixHash, ReadError, RecordFile, read_lines};
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_schema::proof::{ByteRange, Inherited};
use seatfork_schema::{ConversationId, LaunchCode, Proof, ProofGrade, ProofStatus, printable};
use std::convert::Infallible;

/// When the question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Before the pane was ever open: nothing of the child is anybody's but the source's and phase 1's.
    Untouched,
    /// At any later time.
    Later,
}

/// The child's record.
pub(super) struct Child {
    pub(super) rollout: Rollout,
    pub(super) file: RecordFile,
    pub(super) scanned: Scanned,
}

/// Proves a child, or says why not.
pub(super) fn prove(
    source: Option<&Evidence>,
    child: &ConversationId,
    env: &SeatEnv,
    cwd: &Utf8Path,
    moment: Moment,
) -> Result<Proof, ProveError> {
    let id = &child.native_id;
    if let Some(source) = source
        && source.native_id.as_str().eq_ignore_ascii_case(id.as_str())
    {
        return Err(refuted(LaunchCode::ProofFailed, format!("{id} is the source itself")));
    }
    let layout =
        Layout::of(env).map_err(|error| unverifiable(LaunchCode::LookFailed, error.to_string()))?;
    let child = read_child(&layout, child, moment)?;
    let path = &child.file.path;
    let meta = &child.scanned.meta;
    if meta.cwd.as_deref() != Some(cwd.as_str()) {
        let found = printable(meta.cwd.as_deref().unwrap_or("an unnamed directory"));
        let message = format!("{path} was made in {found}, the seat's directory is {cwd}");
        return Err(refuted(LaunchCode::ProofFailed, message));
    }
    let Some(evidence) = source else {
        return fresh(&child, moment);
    };
    let parent = meta.forked_from_id.as_deref();
    if parent != Some(evidence.native_id.as_str()) {
        let named = printable(parent.unwrap_or("nobody"));
        let message = format!(
            "{path} names {named} as the thread it was forked from, not {}",
            evidence.native_id
        );
        return Err(refuted(LaunchCode::ProofFailed, message));
    }
    match &meta.history_base {
        Some(_) => by_reference(&layout, evidence, &child, moment),
        None => by_copy(evidence, &child, moment),
    }
}

fn read_child(
    layout: &Layout,
    child: &ConversationId,
    moment: Moment,
) -> Result<Child, ProveError> {
    let id = &child.native_id;
    let unreadable = |why: String| unverifiable(LaunchCode::LookFailed, why);
    let all = layout.of_thread(id).map_err(|error| unreadable(error.to_string()))?;
    // Only the file the thread began with tells what it began from.
    let mut first: Vec<Rollout> = all.into_iter().filter(|one| one.id == *id).collect();
    let rollout = match (first.pop(), first.is_empty()) {
        (Some(one), true) => one,
        (None, _) => {
            let place = layout.sessions();
            let message = format!("no rollout of {id} stands below {place}");
            return Err(match moment {
                Moment::Untouched => refuted(LaunchCode::ChildMissing, message),
                Moment::Later => unverifiable(LaunchCode::ChildMissing, message),
            });
        }
        (Some(one), false) => {
            let message = format!("{id} stands in several places, {} among them", one.path);
            return Err(refuted(LaunchCode::ProofFailed, message));
        }
    };
    let path = rollout.path.clone();
    let file = open(&rollout).map_err(|error| unreadable(format!("{path}: {error}")))?;
    if file.bytes == 0 {
        return Err(refuted(LaunchCode::ChildEmpty, format!("{path} has no bytes")));
    }
    let scanned = scan(&file, PrefixHash::new(None), None).map_err(|error| match error {
        ReadError::Stopped(Damage { line, why }) => {
            refuted(LaunchCode::ProofFailed, format!("{path} is damaged at line {line}: {why}"))
        }
        ReadError::TooLong { .. } => refuted(LaunchCode::ProofFailed, format!("{path}: {error}")),
        other => unreadable(format!("{path}: {other}")),
    })?;
    if let Some(torn) = &scanned.torn
        && moment == Moment::Untouched
    {
        let line = torn.line;
        let message = format!(
            "{path} is damaged at line {line}: the last line is cut off, and its writer has ended"
        );
        return Err(refuted(LaunchCode::ProofFailed, message));
    }
    if scanned.meta.id != id.as_str() {
        let other = printable(&scanned.meta.id);
        return Err(refuted(LaunchCode::ProofFailed, format!("{path} belongs to thread {other}")));
    }
    Ok(Child { rollout, file, scanned })
}

/// A child for which no source was used: it exists and holds nothing but what phase 1 left.
fn fresh(child: &Child, moment: Moment) -> Result<Proof, ProveError> {
    let (path, meta) = (&child.file.path, &child.scanned.meta);
    if let Some(parent) = &meta.forked_from_id {
        let message =
            format!("{path} was forked from {}, though no source was used", printable(parent));
        return Err(refuted(LaunchCode::ProofFailed, message));
    }
    if meta.history_base.is_some() {
        let message = format!("{path} goes on from another record, though no source was used");
        return Err(refuted(LaunchCode::ProofFailed, message));
    }
    check_own(child, 1, moment)?;
    Ok(Proof::new_id(format!("new conversation {}, no source used", meta.id)))
}

/// The records after the first `inherited` ones are what phase 1 itself leaves. What is not, and a model would not see
/// either, is named.
fn check_own(child: &Child, inherited: u64, moment: Moment) -> Result<Vec<String>, ProveError> {
    let mut odd = Vec::new();
    if moment == Moment::Later {
        return Ok(odd);
    }
    let (path, id) = (&child.file.path, &child.rollout.thread);
    let read = read_lines(&child.file, |number, _, bytes| {
        if number <= inherited {
            return Ok(());
        }
        let line = parse(bytes).map_err(|why| Damage { line: number, why })?;
        match own_of(&line, id.as_str()) {
            Own::Settings | Own::Notice | Own::Context => Ok(()),
            Own::Unseen(kind) => {
                odd.push(printable(&kind));
                Ok(())
            }
            Own::Other => Err(Damage {
                line: number,
                why: "it comes from neither the source nor phase 1".to_owned(),
            }),
        }
    });
    match read {
        Ok(_) => Ok(odd),
        Err(ReadError::Stopped(Damage { line, why })) => {
            Err(refuted(LaunchCode::ProofFailed, format!("record {line} of {path}: {why}")))
        }
        Err(other) => Err(unverifiable(LaunchCode::LookFailed, format!("{path}: {other}"))),
    }
}

/// The child goes on from the source's own bytes.
fn by_reference(
    layout: &Layout,
    evidence: &Evidence,
    child: &Child,
    moment: Moment,
) -> Result<Proof, ProveError> {
    let path = &child.file.path;
    let growth = check_source(layout, evidence, moment)?;
    check_base(evidence, child)?;
    let base = child.scanned.meta.history_base.as_ref();
    let chain = ancestors(layout, child.rollout.id.as_str(), base).map_err(|why| match why {
        // The source's own bytes were just seen to be what they were: the place is wrong, not they.
        Broken::Damaged { path: ref at, .. } if *at == evidence.path => refuted(
            LaunchCode::ProofFailed,
            format!("{path} goes on from no place of the source: {why}"),
        ),
        why => not_whole(&why, moment),
    })?;
    let Some((nearest, further)) = chain.split_first() else {
        return Err(refuted(LaunchCode::ProofFailed, format!("{path} goes on from no record")));
    };
    if nearest.range.to < evidence.bytes {
        let message = format!(
            "{path} goes on from the first {} bytes of the source (sha256 {}), which had {} at the first look (sha256 {})",
            nearest.range.to, nearest.range.sha256, evidence.bytes, evidence.sha256
        );
        return Err(refuted(LaunchCode::ProofFailed, message));
    }
    check_chain(evidence, further, moment)?;
    let odd = check_own(child, 1, moment)?;
    let records = chain.iter().map(|one| one.range.records).sum::<u64>();
    let bytes: u64 = chain.iter().map(|one| one.range.to - one.range.from).sum();
    let more = match growth {
        0 => String::new(),
        more => format!(", source is live, grew by {more} bytes"),
    };
    let others = match further.len() {
        0 => String::new(),
        1 => " and of 1 record before it".to_owned(),
        several => format!(" and of {several} records before it"),
    };
    let detail = format!(
        "by reference to {records} records in {bytes} bytes of the source{others}, which it depends on{more}{}",
        unknown(&odd, child)
    );
    Ok(Proof {
        grade: if odd.is_empty() { ProofGrade::L3 } else { ProofGrade::L2 },
        status: ProofStatus::Proved,
        detail,
        inherited: Some(Inherited {
            records,
            source_bytes: nearest.range.to,
            sha256: nearest.range.sha256.clone(),
            last_record: nearest.scanned.last_ordinal.map(|ordinal| ordinal.to_string()),
            not_inherited: Vec::new(),
            depends_on_source: true,
            depends_on: chain.into_iter().map(|one| one.range).collect(),
        }),
    })
}

/// The record a child goes on from is the source's.
fn check_base(evidence: &Evidence, child: &Child) -> Result<(), ProveError> {
    let path = &child.file.path;
    let Some(base) = &child.scanned.meta.history_base else { return Ok(()) };
    let source = Rollout::of(evidence.path.clone(), false).map(|rollout| rollout.id);
    let source = source.unwrap_or_else(|| evidence.native_id.clone());
    if base.thread_id != source.as_str() {
        let named = printable(&base.thread_id);
        let message = format!("{path} goes on from record {named}, the source is record {source}");
        return Err(refuted(LaunchCode::ProofFailed, message));
    }
    Ok(())
}

/// The records before the source are those that stood before it at the first look.
fn check_chain(evidence: &Evidence, now: &[Ancestor], moment: Moment) -> Result<(), ProveError> {
    let changed = |message: String| changed(moment, message);
    if now.len() != evidence.ancestors.len() {
        let (was, is) = (evidence.ancestors.len(), now.len());
        return Err(changed(format!(
            "the source goes on from {is} records, at the first look {was}"
        )));
    }
    for (now, was) in now.iter().zip(&evidence.ancestors) {
        let now = &now.range;
        let same = |one: &ByteRange| (one.record_id.clone(), one.from, one.to, one.sha256.clone());
        if same(now) != same(was) {
            return Err(changed(format!(
                "{} changed within its first {} bytes: was {}, is {}",
                now.path, was.to, was.sha256, now.sha256
            )));
        }
        if moment == Moment::Untouched && (now.device, now.inode) != (was.device, was.inode) {
            return Err(changed(format!("{} is another file than at the first look", now.path)));
        }
    }
    Ok(())
}

/// The child holds a copy of the source's records.
fn by_copy(evidence: &Evidence, child: &Child, moment: Moment) -> Result<Proof, ProveError> {
    let (file, growth) = open_source(evidence, moment)?;
    let matched = compare(evidence, &file, child)?;
    let odd = check_own(child, matched.own_from, moment)?;
    let mut differences = matched.unknown;
    differences.extend(odd.iter().map(|kind| format!("record {kind}")));
    let live = match growth {
        0 => String::new(),
        bytes => format!(", source is live, grew by {bytes} bytes"),
    };
    let left = match matched.not_inherited.as_slice() {
        [] => String::new(),
        left => format!(", not inherited: {}", left.join(", ")),
    };
    let inherited = matched.records;
    Ok(Proof {
        grade: if differences.is_empty() { ProofGrade::L3 } else { ProofGrade::L2 },
        status: ProofStatus::Proved,
        detail: format!(
            "content proved {inherited}/{inherited}{live}{left}{}",
            unknown(&differences, child)
        ),
        inherited: Some(Inherited {
            records: inherited,
            source_bytes: evidence.bytes,
            sha256: matched.sha256,
            last_record: None,
            not_inherited: matched.not_inherited,
            depends_on_source: false,
            depends_on: Vec::new(),
        }),
    })
}

/// What the proof does not know, with the version that does so.
fn unknown(odd: &[String], child: &Child) -> String {
    let Some(first) = odd.first() else { return String::new() };
    let version = child.scanned.meta.cli_version.as_deref().unwrap_or("of unknown version");
    format!(", with {} that Codex {} is not known to write: {first}", odd.len(), printable(version))
}

/// The second reading of the source: what was there is unchanged. How much came since.
fn check_source(layout: &Layout, evidence: &Evidence, moment: Moment) -> Result<u64, ProveError> {
    let result = open_source(evidence, moment);
    match result {
        Err(ProveError::Unverifiable { code: LaunchCode::SourceGone, message }) => {
            let name = evidence.path.file_name().unwrap_or_default();
            let archived: Utf8PathBuf = layout.archived().join(name);
            let message = if archived.is_file() && !is_archived(layout, &evidence.path) {
                format!(
                    "{message}; it was archived: `codex unarchive {}` brings it back",
                    evidence.native_id
                )
            } else {
                message
            };
            Err(unverifiable(LaunchCode::SourceGone, message))
        }
        other => other.map(|(_, growth)| growth),
    }
}

/// A source where it stood, and whether in the form it had: the runtime unpacks a record that it forks from.
fn source_file(path: &Utf8Path) -> Result<(RecordFile, bool), OpenError> {
    let Some(rollout) = Rollout::of(path.to_owned(), false) else {
        return crate::record::open(path).map(|file| (file, true));
    };
    match open(&rollout) {
        Err(OpenError::Gone) if rollout.compressed => {
            let plain = Utf8Path::new(path.as_str().trim_end_matches(".zst"));
            crate::record::open(plain).map(|file| (file, false))
        }
        other => other.map(|file| (file, true)),
    }
}

/// Opens the source again and compares what was there at the first look. How much came since.
fn open_source(evidence: &Evidence, moment: Moment) -> Result<(RecordFile, u64), ProveError> {
    let path = &evidence.path;
    let changed = |why: String| changed(moment, format!("{path} {why}"));
    let (file, is_same_form) = match source_file(path) {
        Ok(found) => found,
        Err(OpenError::Gone) => {
            let message = format!("{path} is not there any more");
            return Err(unverifiable(LaunchCode::SourceGone, message));
        }
        Err(error @ OpenError::NotAFile { .. }) => {
            return Err(changed(format!("changed: {error}")));
        }
        Err(error) => {
            return Err(unverifiable(LaunchCode::SourceUnreadable, format!("{path}: {error}")));
        }
    };
    // Later on a copy with the same bytes is as good: backups are put back, devices get new numbers.
    let is_same = (file.device, file.inode) == (evidence.device, evidence.inode);
    if moment == Moment::Untouched && is_same_form && !is_same {
        return Err(changed("is another file than at the first look".to_owned()));
    }
    if file.bytes < evidence.bytes {
        return Err(changed(format!(
            "is shorter than at the first look: {} bytes, was {}",
            file.bytes, evidence.bytes
        )));
    }
    let part = RecordFile {
        file: file.file.try_clone().map_err(|error| {
            unverifiable(LaunchCode::SourceUnreadable, format!("{path}: {error}"))
        })?,
        path: path.clone(),
        bytes: evidence.bytes,
        ..file
    };
    let mut hash = PrefixHash::new(None);
    let read = read_lines(&part, |_, _, bytes| {
        hash.feed(bytes);
        Ok::<(), Infallible>(())
    });
    match read {
        Ok(tail) => {
            if let Some(tail) = tail {
                hash.feed(&tail.bytes);
            }
        }
        Err(ReadError::Shrank) => {
            return Err(changed("became shorter while it was read".to_owned()));
        }
        Err(other) => {
            return Err(unverifiable(LaunchCode::SourceUnreadable, format!("{path}: {other}")));
        }
    }
    let (bytes, now) = hash.finish();
    let was = &evidence.sha256;
    if now != *was {
        return Err(changed(format!(
            "changed within its first {bytes} bytes: was {was}, is {now}"
        )));
    }
    let growth = file.bytes - evidence.bytes;
    Ok((file, growth))
}

/// What a broken chain says of a child.
fn not_whole(why: &Broken, moment: Moment) -> ProveError {
    let message = why.to_string();
    match why {
        Broken::Gone { .. } => unverifiable(LaunchCode::SourceGone, message),
        Broken::Several { .. } => unverifiable(LaunchCode::LookFailed, message),
        Broken::Damaged { .. } => changed(moment, message),
        Broken::Unreadable { .. } => unverifiable(LaunchCode::SourceUnreadable, message),
    }
}

/// A source that changed after the launch says nothing about the child any more.
fn changed(moment: Moment, message: String) -> ProveError {
    match moment {
        Moment::Untouched => refuted(LaunchCode::SourceChanged, message),
        Moment::Later => unverifiable(LaunchCode::SourceChanged, message),
    }
}

pub(super) fn refuted(code: LaunchCode, message: String) -> ProveError {
    ProveError::Refuted { code, message }
}

pub(super) fn unverifiable(code: LaunchCode, message: String) -> ProveError {
    ProveError::Unverifiable { code, message }
}
