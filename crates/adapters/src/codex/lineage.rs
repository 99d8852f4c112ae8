//! The records a history goes on from, each by itself (SPEC 8 "by reference").
//!
//! A paginated rollout holds what came after a place in another one, and that
//! one may do the same. The history is whole only while every one of them is.

use super::layout::{Layout, Rollout};
use super::meta::{Base, Meta, first_line};
use super::packed::open_rollout as open;
use super::scan::{Cut, Damage, Scanned, scan};
use crate::contract::failure::FindError;
use crate::record::{PrefixHash, ReadError, RecordFile};
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_schema::proof::ByteRange;
use std::fmt;

/// More than this many forks of forks are taken for a circle.
const DEEPEST: usize = 10_000;

/// Why a history is not whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Broken {
    /// A record it goes on from is not there.
    Gone {
        /// That record's id.
        id: String,
    },
    /// It is there more than once.
    Several {
        /// That record's id.
        id: String,
        /// Where.
        paths: Vec<Utf8PathBuf>,
    },
    /// It is not what it should be.
    Damaged {
        /// The record.
        path: Utf8PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        why: String,
    },
    /// It cannot be looked at.
    Unreadable {
        /// The record.
        path: Utf8PathBuf,
        /// Why.
        why: String,
    },
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone { id } => {
                write!(f, "the record {id}, which its history goes on from, is not there")
            }
            Self::Several { id, paths } => {
                let paths: Vec<&str> = paths.iter().map(|path| path.as_str()).collect();
                write!(f, "the record {id} stands in several places: {}", paths.join(", "))
            }
            Self::Damaged { path, line, why } => {
                write!(f, "{path} is damaged at line {line}: {why}")
            }
            Self::Unreadable { path, why } => write!(f, "{path}: {why}"),
        }
    }
}

/// A record a history goes on from, read up to where it is used.
#[derive(Debug)]
pub(super) struct Ancestor {
    pub(super) range: ByteRange,
    pub(super) scanned: Scanned,
}

/// Follows a history to its beginning, nearest record first. `from` is the record that names the base.
pub(super) fn ancestors(
    layout: &Layout,
    from: &str,
    base: Option<&Base>,
) -> Result<Vec<Ancestor>, Broken> {
    let mut found: Vec<Ancestor> = Vec::new();
    let Some(first) = base else { return Ok(found) };
    let mut next = Some(first.clone());
    let all = layout.rollouts().map_err(unreadable)?;
    while let Some(at) = next.take() {
        let is_known =
            at.thread_id == from || found.iter().any(|one| one.range.record_id == at.thread_id);
        let rollout = only(&all, &at.thread_id)?;
        if is_known || found.len() == DEEPEST {
            let why = "its history goes round in a circle".to_owned();
            return Err(Broken::Damaged { path: rollout.path.clone(), line: 1, why });
        }
        let ancestor = read(rollout, &at)?;
        next.clone_from(&ancestor.scanned.meta.history_base);
        found.push(ancestor);
    }
    Ok(found)
}

/// Whether every record a history goes on from is there, without reading more than first lines.
pub(super) fn stands(layout: &Layout, base: Option<&Base>) -> Result<(), Broken> {
    let Some(first) = base else { return Ok(()) };
    let all = layout.rollouts().map_err(unreadable)?;
    let (mut next, mut seen) = (Some(first.thread_id.clone()), Vec::new());
    while let Some(id) = next {
        let rollout = only(&all, &id)?;
        let path = &rollout.path;
        if seen.contains(&id) {
            let why = "its history goes round in a circle".to_owned();
            return Err(Broken::Damaged { path: path.clone(), line: 1, why });
        }
        seen.push(id);
        next = first_meta(rollout)?.history_base.map(|base| base.thread_id);
    }
    Ok(())
}

/// The first line of a rollout.
pub(super) fn first_meta(rollout: &Rollout) -> Result<Meta, Broken> {
    let path = &rollout.path;
    let unreadable = |why: String| Broken::Unreadable { path: path.clone(), why };
    let file = open(rollout).map_err(|error| unreadable(error.to_string()))?;
    let line = first_line(&file).map_err(|error| unreadable(error.to_string()))?;
    let damaged = |why: String| Broken::Damaged { path: path.clone(), line: 1, why };
    let line = line.ok_or_else(|| damaged("its first line is cut off".to_owned()))?;
    Meta::parse(&line).map_err(damaged)
}

/// The one file of an id.
fn only<'a>(all: &'a [Rollout], id: &str) -> Result<&'a Rollout, Broken> {
    let mut named: Vec<&Rollout> = all.iter().filter(|one| one.id.as_str() == id).collect();
    hide_compressed(&mut named);
    match named.as_slice() {
        [] => Err(Broken::Gone { id: id.to_owned() }),
        [one] => Ok(one),
        several => Err(Broken::Several {
            id: id.to_owned(),
            paths: several.iter().map(|one| one.path.clone()).collect(),
        }),
    }
}

/// The runtime reads a plain file and not the compressed one beside it, and so do we.
pub(super) fn hide_compressed(rollouts: &mut Vec<&Rollout>) {
    let plain: Vec<Utf8PathBuf> =
        rollouts.iter().filter(|one| !one.compressed).map(|one| one.path.clone()).collect();
    rollouts.retain(|one| {
        !one.compressed
            || plain
                .iter()
                .all(|path| one.path.as_str().strip_suffix(".zst") != Some(path.as_str()))
    });
}

/// Reads one record up to a place in it.
fn read(rollout: &Rollout, base: &Base) -> Result<Ancestor, Broken> {
    let path = &rollout.path;
    let file = open(rollout)
        .map_err(|error| Broken::Unreadable { path: path.clone(), why: error.to_string() })?;
    let scanned = scan_to(&file, base.end_byte_offset).map_err(|error| broken(path, error))?;
    let damaged = |line: u64, why: String| Broken::Damaged { path: path.clone(), line, why };
    if scanned.meta.id != rollout.thread.as_str() {
        let other = seatfork_schema::printable(&scanned.meta.id);
        return Err(damaged(1, format!("it belongs to thread {other}")));
    }
    let cut = check_cut(&scanned, base).map_err(|why| damaged(scanned.records, why))?;
    let sha256 = scanned.hash.prefix().unwrap_or_default().to_owned();
    let range = ByteRange {
        record_id: rollout.id.to_string(),
        path: path.to_string(),
        device: file.device,
        inode: file.inode,
        from: 0,
        to: base.end_byte_offset,
        records: cut.records,
        sha256,
    };
    Ok(Ancestor { range, scanned })
}

/// The record that ends at a base's byte is the one its ordinal names.
pub(super) fn check_cut(scanned: &Scanned, base: &Base) -> Result<Cut, String> {
    let (byte, next) = (base.end_byte_offset, base.end_ordinal_exclusive);
    let Some(cut) = scanned.cut else {
        return Err(format!("no record of it ends at byte {byte}"));
    };
    match cut.ordinal {
        Some(ordinal) if ordinal.checked_add(1) == Some(next) => Ok(cut),
        // Records without ordinals are those of older versions: the byte alone tells.
        None if !scanned.meta.is_paginated() => Ok(cut),
        other => {
            let is = other.map_or("none".to_owned(), |ordinal| ordinal.to_string());
            Err(format!(
                "the record that ends at byte {byte} has ordinal {is}, not the one before {next}"
            ))
        }
    }
}

/// Reads a record up to a byte, with the hash of what stands before it.
pub(super) fn scan_to(file: &RecordFile, to: u64) -> Result<Scanned, ReadError<Damage>> {
    if file.bytes < to {
        let line = scan(file, PrefixHash::new(None), None)?.records;
        let why = format!("it ends at byte {}, before byte {to}", file.bytes);
        return Err(ReadError::Stopped(Damage { line, why }));
    }
    // What comes after the place is nobody's concern here, and may be written at this moment.
    let part = RecordFile {
        file: file.file.try_clone().map_err(ReadError::Io)?,
        path: file.path.clone(),
        bytes: to,
        ..*file
    };
    scan(&part, PrefixHash::new(Some(to)), Some(to))
}

fn broken(path: &Utf8Path, error: ReadError<Damage>) -> Broken {
    match error {
        ReadError::Stopped(Damage { line, why }) => {
            Broken::Damaged { path: path.to_owned(), line, why }
        }
        ReadError::TooLong { line } => Broken::Damaged {
            path: path.to_owned(),
            line,
            why: format!("it is longer than {} bytes", crate::record::MAX_LINE),
        },
        other => Broken::Unreadable { path: path.to_owned(), why: other.to_string() },
    }
}

fn unreadable(FindError { path, why }: FindError) -> Broken {
    Broken::Unreadable { path, why }
}
