//! Comparing a child on disk with its source (SPEC 8).
//!
//! Works from the stored [`Evidence`] alone. The source may have grown since:
//! the child must equal its effective history at one instant between the two
//! looks. The bytes that were there at the first look must be unchanged.

use super::child::{Matched, match_rows};
use super::compare::{canonical, difference, feed};
use super::history::{History, NoHistory, effective};
use super::index::{Damage, Index, Own, Scanned, scan};
use super::layout::{Layout, is_slug_of};
use super::own::{Unanswered, goes_on, stranger};
use super::resolve::{Found, open_only};
use crate::contract::environment::SeatEnv;
use crate::contract::evidence::Evidence;
use crate::contract::failure::ProveError;
use crate::record::{OpenError, PrefixHash, ReadError, RecordFile, open, sha256_hex};
use camino::Utf8Path;
use seatfork_schema::{
    ConversationId, LaunchCode, NativeId, Proof, ProofGrade, ProofStatus, proof::Inherited,
};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::os::unix::fs::FileExt;

/// When the question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Before the pane was ever open: nothing of the child is anybody's but the source's and phase 1's.
    Untouched,
    /// At any later time.
    Later,
}

/// Proves a child, or says why not.
pub(super) fn prove(
    source: Option<&Evidence>,
    child: &ConversationId,
    env: &SeatEnv,
    cwd: &Utf8Path,
    moment: Moment,
) -> Result<Proof, ProveError> {
    if let Some(source) = source
        && source.native_id.as_str().eq_ignore_ascii_case(child.native_id.as_str())
    {
        return Err(refuted(
            LaunchCode::ProofFailed,
            format!("{} is the source itself", child.native_id),
        ));
    }
    let (child_file, child_scan) = read_child(&child.native_id, env, moment)?;
    // A record without a directory of a name is misplaced, which is told below.
    let dir = child_file.path.parent().and_then(Utf8Path::file_name).unwrap_or_default();
    if !is_slug_of(dir, cwd.as_str()) {
        return Err(misplaced(&child_file, dir, cwd));
    }
    let Some(evidence) = source else {
        let all: Vec<usize> = (0..child_scan.index.rows.len()).collect();
        check_cwd(&child_file, &child_scan.index, &all, cwd)?;
        return fresh(&child_file, &child_scan.index, &child.native_id, moment);
    };
    let (file, scanned, growth) = read_source(evidence, moment)?;
    let seen = Seen { evidence, file, index: scanned.index };
    let (history, matched) = find_instant(&seen, &child_scan.index, moment)?;
    check_cwd(&child_file, &child_scan.index, &matched.own, cwd)?;
    let sha256 = compare(&seen, &child_file, &child_scan.index, &matched)?;
    check_own(&seen.index, &history, &child_scan.index, &matched, moment)?;
    let inherited = matched.pairs.len();
    let live = match growth {
        0 => String::new(),
        bytes => format!(", source is live, grew by {bytes} bytes"),
    };
    let mut not_inherited = history.outside(&seen.index, matched.pairs.iter().map(|(_, row)| *row));
    not_inherited.extend(matched.left_out);
    let left = match not_inherited.as_slice() {
        [] => String::new(),
        left => format!(", not inherited: {}", left.join(", ")),
    };
    let detail = format!("content proved {inherited}/{inherited}{live}{left}");
    let last =
        matched.pairs.last().map(|(_, row)| seen.index.names.text(seen.index.rows[*row].uuid));
    Ok(Proof {
        grade: ProofGrade::L3,
        status: ProofStatus::Proved,
        detail,
        inherited: Some(Inherited {
            records: inherited as u64,
            source_bytes: evidence.bytes,
            sha256,
            last_record: last.map(ToOwned::to_owned),
            not_inherited,
            depends_on_source: false,
            depends_on: Vec::new(),
        }),
    })
}

/// What phase 1 wrote is what it writes, and before anybody else was there the child goes on from all it inherited.
fn check_own(
    source: &Index,
    history: &History,
    child: &Index,
    matched: &Matched,
    moment: Moment,
) -> Result<(), ProveError> {
    let open = Unanswered::of(source, history);
    if let Some(row) = stranger(child, matched.written(moment), matched.end(), &open) {
        let uuid = child.names.text(row);
        return Err(refuted(
            LaunchCode::ProofFailed,
            format!("record {uuid} of the child comes from neither the source nor phase 1"),
        ));
    }
    match moment {
        Moment::Untouched => goes_on(child, source, history, matched)
            .map_err(|why| refuted(LaunchCode::ProofFailed, why)),
        // Its own user may have gone back, cleared or compacted it.
        Moment::Later => Ok(()),
    }
}

/// The source at the second look.
struct Seen<'a> {
    evidence: &'a Evidence,
    file: RecordFile,
    index: Index,
}

fn read_child(
    id: &NativeId,
    env: &SeatEnv,
    moment: Moment,
) -> Result<(RecordFile, Scanned), ProveError> {
    let unreadable = |why: String| unverifiable(LaunchCode::LookFailed, why);
    let layout = Layout::of(env).map_err(|error| unreadable(error.to_string()))?;
    let file = match open_only(&layout, id).map_err(|error| unreadable(error.to_string()))? {
        Found::Here(file) => file,
        Found::Nowhere if moment == Moment::Untouched => {
            let place = layout.projects();
            return Err(refuted(
                LaunchCode::ChildMissing,
                format!("no {id}.jsonl stands below {place}"),
            ));
        }
        Found::Nowhere => {
            let place = layout.projects();
            return Err(unverifiable(
                LaunchCode::ChildMissing,
                format!("no {id}.jsonl stands below {place}"),
            ));
        }
        Found::Several(paths) => {
            let paths: Vec<&str> = paths.iter().map(|path| path.as_str()).collect();
            return Err(refuted(
                LaunchCode::ProofFailed,
                format!("{id} stands in several places: {}", paths.join(", ")),
            ));
        }
    };
    if file.bytes == 0 {
        return Err(refuted(LaunchCode::ChildEmpty, format!("{} has no bytes", file.path)));
    }
    let scanned = scan(&file, id.as_str(), PrefixHash::new(None)).map_err(|error| match error {
        ReadError::Stopped(Damage { line, why }) => refuted(
            LaunchCode::ProofFailed,
            format!("{} is damaged at line {line}: {why}", file.path),
        ),
        ReadError::TooLong { .. } => {
            refuted(LaunchCode::ProofFailed, format!("{}: {error}", file.path))
        }
        other => unreadable(format!("{}: {other}", file.path)),
    })?;
    if let Some(torn) = &scanned.torn
        && moment == Moment::Untouched
    {
        let line = torn.line;
        let why = "the last line is cut off, and its writer has ended";
        return Err(refuted(
            LaunchCode::ProofFailed,
            format!("{} is damaged at line {line}: {why}", file.path),
        ));
    }
    if scanned.index.rows.is_empty() {
        return Err(refuted(
            LaunchCode::ChildEmpty,
            format!("{} holds no conversation", file.path),
        ));
    }
    Ok((file, scanned))
}

/// The first row that the start itself wrote says where it ran. Slugs are shared by many paths, this is not.
fn check_cwd(
    file: &RecordFile,
    index: &Index,
    own: &[usize],
    cwd: &Utf8Path,
) -> Result<(), ProveError> {
    let found = own.iter().find_map(|row| index.rows[*row].cwd).map(|name| index.names.text(name));
    match found {
        Some(found) if found != cwd.as_str() => Err(misplaced(file, found, cwd)),
        _ => Ok(()),
    }
}

fn misplaced(file: &RecordFile, found: &str, cwd: &Utf8Path) -> ProveError {
    let found = seatfork_schema::printable(found);
    refuted(
        LaunchCode::ProofFailed,
        format!("{} was made in {found}, the seat's directory is {cwd}", file.path),
    )
}

/// A child for which no source was used: it exists and holds nothing but what phase 1 left.
fn fresh(
    file: &RecordFile,
    index: &Index,
    id: &NativeId,
    moment: Moment,
) -> Result<Proof, ProveError> {
    let all: Vec<usize> = (0..index.rows.len()).collect();
    if moment == Moment::Untouched {
        let is_told =
            |row: &usize| matches!(index.rows[*row].own, Own::Notice | Own::Command | Own::Output);
        let strange = all.iter().find(|row| !is_told(row)).map(|row| index.rows[*row].uuid);
        if let Some(row) = strange.or_else(|| stranger(index, &all, None, &Unanswered::default())) {
            let uuid = index.names.text(row);
            return Err(refuted(
                LaunchCode::ProofFailed,
                format!(
                    "{}: record {uuid} is none that phase 1 leaves in a new conversation",
                    file.path
                ),
            ));
        }
    }
    Ok(Proof::new_id(format!("new conversation {id}, no source used")))
}

/// The second reading of the source: what was there is unchanged; how much came since.
fn read_source(
    evidence: &Evidence,
    moment: Moment,
) -> Result<(RecordFile, Scanned, u64), ProveError> {
    let path = &evidence.path;
    // A source that changed after the launch says nothing about the child any more.
    let changed = |why: String| match moment {
        Moment::Untouched => refuted(LaunchCode::SourceChanged, format!("{path} {why}")),
        Moment::Later => unverifiable(LaunchCode::SourceChanged, format!("{path} {why}")),
    };
    let file = match open(path) {
        Ok(file) => file,
        Err(OpenError::Gone) => {
            return Err(unverifiable(
                LaunchCode::SourceGone,
                format!("{path} is not there any more"),
            ));
        }
        Err(error @ OpenError::NotAFile { .. }) => {
            return Err(changed(format!("changed: {error}")));
        }
        Err(error) => {
            return Err(unverifiable(LaunchCode::SourceUnreadable, format!("{path}: {error}")));
        }
    };
    // Later on a copy with the same bytes is as good: backups are put back, devices get new numbers.
    if moment == Moment::Untouched && (file.device, file.inode) != (evidence.device, evidence.inode)
    {
        return Err(changed("is another file than at the first look".to_owned()));
    }
    if file.bytes < evidence.bytes {
        return Err(changed(format!(
            "is shorter than at the first look: {} bytes, was {}",
            file.bytes, evidence.bytes
        )));
    }
    let hash = PrefixHash::new(Some(evidence.bytes));
    let scanned = match scan(&file, evidence.native_id.as_str(), hash) {
        Ok(scanned) => scanned,
        Err(ReadError::Stopped(Damage { line, why })) => {
            // What damage there is lies either in the old bytes, which then changed, or in what came since.
            return Err(changed(format!("is damaged now at line {line}: {why}")));
        }
        Err(ReadError::Shrank) => {
            return Err(changed("became shorter while it was read".to_owned()));
        }
        Err(other) => {
            return Err(unverifiable(LaunchCode::SourceUnreadable, format!("{path}: {other}")));
        }
    };
    let was = &evidence.sha256;
    match scanned.hash.prefix() {
        Some(now) if now == was => {}
        now => {
            let now = now.unwrap_or("shorter");
            let bytes = evidence.bytes;
            return Err(changed(format!(
                "changed within its first {bytes} bytes: was {was}, is {now}"
            )));
        }
    }
    let growth = file.bytes - evidence.bytes;
    Ok((file, scanned, growth))
}

/// The instant between the two looks at which the child equals the source.
fn find_instant(
    seen: &Seen<'_>,
    child: &Index,
    moment: Moment,
) -> Result<(History, Matched), ProveError> {
    let source = &seen.index;
    let records = |bytes: u64| source.ends.partition_point(|end| *end <= bytes) as u64;
    let first = records(seen.evidence.bytes);
    let mut arrived = vec![None; source.names.len()];
    for row in &source.rows {
        arrived[row.uuid.at()].get_or_insert(row.record);
    }
    // Everything inherited was there at the instant, so the last of it bounds the instant from below.
    let newest = child
        .rows
        .iter()
        .filter_map(|row| source.names.find(child.names.text(row.uuid)))
        .filter_map(|name| arrived[name.at()])
        .max();
    let from = newest.map_or(first, |record| first.max(record + 1));
    let mut reason: Option<String> = None;
    let mut tried = HashSet::new();
    for instant in from..=source.records() {
        match effective(source, instant) {
            Ok(history) => {
                let tip = history.spine.last().copied();
                // A later instant with the same tip holds no less than an earlier one.
                if !tried.insert(tip) {
                    continue;
                }
                match match_rows(source, &history, child, moment) {
                    Ok(matched) => return Ok((history, matched)),
                    Err(why) => reason.get_or_insert(why),
                };
            }
            Err(NoHistory::Nothing(why)) => {
                reason.get_or_insert_with(|| why.to_owned());
            }
            Err(NoHistory::Broken { line, why }) => {
                reason.get_or_insert_with(|| format!("line {line} of the source: {why}"));
            }
        }
        if instant - from > MOST_INSTANTS {
            break;
        }
    }
    let reason = reason.unwrap_or_else(|| "nothing of the source's history is there".to_owned());
    let hashes = format!(
        "source's history {}, child's {}",
        uuids_hash(effective(source, from).ok().map(|history| {
            history.spine.iter().map(|row| source.names.text(source.rows[*row].uuid)).collect()
        })),
        uuids_hash(Some(child.rows.iter().map(|row| child.names.text(row.uuid)).collect())),
    );
    Err(refuted(LaunchCode::ProofFailed, format!("{reason} ({hashes})")))
}

/// Instants looked at after the first that fits; a child is made within seconds of the first look.
const MOST_INSTANTS: u64 = 200;

/// The hash of a list of records by their ids, shortened: enough to tell two apart.
fn uuids_hash(uuids: Option<Vec<&str>>) -> String {
    match uuids {
        Some(uuids) => sha256_hex(uuids.join("\n").as_bytes())[..16].to_owned(),
        None => "none".to_owned(),
    }
}

/// Compares every inherited record and returns the hash of them all.
fn compare(
    seen: &Seen<'_>,
    child_file: &RecordFile,
    child: &Index,
    matched: &Matched,
) -> Result<String, ProveError> {
    let mut hash = Sha256::new();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let all = matched.pairs.iter().map(|pair| (pair, true));
    let again = matched.again.iter().map(|pair| (pair, false));
    for ((place, of), is_counted) in all.chain(again) {
        let (new, old) = (&child.rows[*place], &seen.index.rows[*of]);
        let uuid = child.names.text(new.uuid);
        read_at(child_file, new.offset, new.bytes, &mut ours)?;
        read_at(&seen.file, old.offset, old.bytes, &mut theirs)?;
        let parsed = |bytes: &[u8]| {
            canonical(bytes)
                .map_err(|why| refuted(LaunchCode::ProofFailed, format!("record {uuid}: {why}")))
        };
        let (mine, source) = (parsed(&ours)?, parsed(&theirs)?);
        if let Some(found) = difference(&source, &mine) {
            let one = |value: &serde_json::Value| {
                let mut hash = Sha256::new();
                feed(&mut hash, value);
                crate::record::hex(&hash.finalize())
            };
            let field = seatfork_schema::printable(&found.field);
            let hashes = format!("source {}, child {}", one(&source), one(&mine));
            if found.is_content {
                let message = format!("record {uuid} differs in {field}: {hashes}");
                return Err(refuted(LaunchCode::ProofFailed, message));
            }
            let version = child.version.as_deref().unwrap_or("of unknown version");
            let message = format!(
                "record {uuid} differs in {field}, which Claude Code {version} is not known to rewrite: {hashes}"
            );
            return Err(refuted(LaunchCode::ProofUnknownDifference, message));
        }
        if is_counted {
            feed(&mut hash, &mine);
        }
    }
    Ok(crate::record::hex(&hash.finalize()))
}

fn read_at(
    file: &RecordFile,
    offset: u64,
    bytes: usize,
    buffer: &mut Vec<u8>,
) -> Result<(), ProveError> {
    buffer.resize(bytes, 0);
    file.file
        .read_exact_at(buffer, offset)
        .map_err(|error| unverifiable(LaunchCode::LookFailed, format!("{}: {error}", file.path)))
}

fn refuted(code: LaunchCode, message: String) -> ProveError {
    ProveError::Refuted { code, message }
}

fn unverifiable(code: LaunchCode, message: String) -> ProveError {
    ProveError::Unverifiable { code, message }
}
