//! Comparing a copied history record by record (SPEC 8 L3, older threads).
//!
//! The runtime copies what it shows a model, in order, and leaves out events
//! that only its screen needs. It gives every copy the time of the copying.

use super::own::is_shown;
use super::prove::{Child, refuted, unverifiable};
use super::scan::{Damage, parse};
use crate::contract::evidence::Evidence;
use crate::contract::failure::ProveError;
use crate::record::{ReadError, RecordFile, hex, read_lines};
use seatfork_schema::{LaunchCode, printable};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::os::unix::fs::FileExt;

/// Fields that are a record's content: a difference there is another record, not an unknown rewriting.
const CONTENT: &[&str] = &[
    "type",
    "role",
    "content",
    "name",
    "arguments",
    "input",
    "call_id",
    "output",
    "action",
    "status",
    "summary",
    "encrypted_content",
    "message",
    "replacement_history",
    "cwd",
    "turn_id",
];

/// Fields the runtime gives to a copy where the record of an older version has none.
const GIVEN: &[&str] = &["id"];

/// What was inherited.
#[derive(Debug)]
pub(super) struct Matched {
    /// Records of the source found in the child, in order.
    pub(super) records: u64,
    /// Lines of the child before its own.
    pub(super) own_from: u64,
    /// The hash of what was compared.
    pub(super) sha256: String,
    /// What was left out, counted.
    pub(super) not_inherited: Vec<String>,
    /// Differences the proof does not know.
    pub(super) unknown: Vec<String>,
}

/// A record by its place.
#[derive(Debug, Clone)]
struct Place {
    line: u64,
    offset: u64,
    bytes: usize,
    kind: String,
    /// The hash of its payload in canonical form.
    payload: [u8; 32],
}

/// Finds every record of the source in the child.
pub(super) fn compare(
    evidence: &Evidence,
    source: &RecordFile,
    child: &Child,
) -> Result<Matched, ProveError> {
    let ours = places(source)?;
    let theirs = places(&child.file)?;
    let mut matched = Matched {
        records: 0,
        own_from: 1,
        sha256: String::new(),
        not_inherited: Vec::new(),
        unknown: Vec::new(),
    };
    let (mut hash, mut at, mut left_out) = (Sha256::new(), 0_usize, 0_u64);
    for new in theirs.iter().skip(1) {
        let Some(step) = find(&ours[at..], new, evidence.bytes) else {
            // Nothing of the source's is this record: from here on it is the child's own.
            break;
        };
        left_out += step as u64;
        let old = &ours[at + step];
        if old.kind != "session_meta" && old.payload != new.payload {
            matched.unknown.extend(difference(source, old, child, new)?);
        }
        hash.update(new.payload);
        matched.records += 1;
        matched.own_from = new.line;
        at += step + 1;
    }
    let missing = ours[at..]
        .iter()
        .find(|old| is_shown(&old.kind) && old.offset + old.bytes as u64 <= evidence.bytes);
    if let Some(old) = missing {
        let message = format!(
            "record {} of the source ({}) is not in {}: source's record {}, child's own begin at line {}",
            old.line,
            printable(&old.kind),
            child.file.path,
            hex(&old.payload),
            matched.own_from + 1
        );
        return Err(refuted(LaunchCode::ProofFailed, message));
    }
    let rest = ours[at..].iter().filter(|old| old.offset + old.bytes as u64 <= evidence.bytes);
    left_out += rest.count() as u64;
    if left_out > 0 {
        let events = if left_out == 1 { "event" } else { "events" };
        matched.not_inherited.push(format!("{left_out} {events} no model is shown"));
    }
    matched.sha256 = hex(&hash.finalize());
    Ok(matched)
}

/// How many records of the source are passed over before the one that a record of the child is.
fn find(ours: &[Place], new: &Place, first_look: u64) -> Option<usize> {
    for (step, old) in ours.iter().enumerate() {
        let is_first_line = old.kind == "session_meta" && new.kind == "session_meta";
        if old.kind == new.kind && (is_first_line || old.payload == new.payload) {
            return Some(step);
        }
        if is_shown(&old.kind) {
            // A shown record is never passed over. One that was there at the first look has to be this one, however it
            // differs; one that came since may not have been there when the child was made.
            let is_due = old.offset + old.bytes as u64 <= first_look;
            return (is_due && old.kind == new.kind).then_some(step);
        }
    }
    None
}

/// A difference the proof does not know, if there is one. One in the content is another record.
fn difference(
    source: &RecordFile,
    old: &Place,
    child: &Child,
    new: &Place,
) -> Result<Option<String>, ProveError> {
    let (ours, theirs) = (payload_at(source, old)?, payload_at(&child.file, new)?);
    let fields = differing(&ours, &theirs);
    if let Some(field) = fields.iter().find(|field| CONTENT.contains(&field.as_str())) {
        let message = format!(
            "record {} of {} differs in {field}: source {}, child {}",
            new.line,
            child.file.path,
            hex(&old.payload),
            hex(&new.payload)
        );
        return Err(refuted(LaunchCode::ProofFailed, message));
    }
    let is_known = |field: &&String| GIVEN.contains(&field.as_str()) && ours.get(*field).is_none();
    let unknown = fields.iter().find(|field| !is_known(field));
    Ok(unknown.map(|field| format!("{} of a {}", printable(field), printable(&new.kind))))
}

/// The fields in which two payloads differ.
fn differing(a: &Value, b: &Value) -> Vec<String> {
    let (Value::Object(a), Value::Object(b)) = (a, b) else {
        return vec!["content".to_owned()];
    };
    let mut fields: Vec<String> =
        a.keys().chain(b.keys()).filter(|key| a.get(*key) != b.get(*key)).cloned().collect();
    fields.sort();
    fields.dedup();
    fields
}

fn payload_at(file: &RecordFile, place: &Place) -> Result<Value, ProveError> {
    let failed =
        |why: String| unverifiable(LaunchCode::LookFailed, format!("{}: {why}", file.path));
    let mut bytes = vec![0; place.bytes];
    file.file.read_exact_at(&mut bytes, place.offset).map_err(|error| failed(error.to_string()))?;
    let line = parse(&bytes).map_err(failed)?;
    serde_json::from_str(line.payload.get())
        .map_err(|error| unverifiable(LaunchCode::LookFailed, format!("{}: {error}", file.path)))
}

fn places(file: &RecordFile) -> Result<Vec<Place>, ProveError> {
    let mut found = Vec::new();
    let read = read_lines(file, |line, offset, bytes| {
        let damage = |why: String| Damage { line, why };
        let parsed = parse(bytes).map_err(damage)?;
        let value: Value = serde_json::from_str(parsed.payload.get())
            .map_err(|error| damage(error.to_string()))?;
        // Keys of a parsed object are sorted, so two spellings of one payload are one.
        let payload = Sha256::digest(value.to_string().as_bytes()).into();
        let kind = parsed.r#type.into_owned();
        found.push(Place { line, offset, bytes: bytes.len(), kind, payload });
        Ok(())
    });
    match read {
        Ok(_) => Ok(found),
        Err(ReadError::Stopped(Damage { line, why })) => Err(refuted(
            LaunchCode::ProofFailed,
            format!("{} is damaged at line {line}: {why}", file.path),
        )),
        Err(other) => Err(unverifiable(LaunchCode::LookFailed, format!("{}: {other}", file.path))),
    }
}
