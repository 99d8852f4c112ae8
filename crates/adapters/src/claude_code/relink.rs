//! Who follows whom, as the runtime reads it: the last row of a uuid counts,
//! `progress` rows are bridged, and rows that a compaction preserved stand
//! after its summary.

use super::history::NoHistory;
use super::index::{Index, Kind, Name, Row};
use std::collections::HashSet;

/// The rows that count, and their parents.
#[derive(Debug)]
pub(super) struct Linked {
    /// By name: the row that counts, also where it was dropped.
    latest: Vec<Option<usize>>,
    /// By name: whether it stands before the last compaction and was not preserved.
    dropped: Vec<bool>,
    /// By name: its parent.
    parent: Vec<Option<Name>>,
    /// The order of the file, where each uuid stands at its first row.
    order: Vec<Name>,
    /// By name: its place in that order.
    rank: Vec<usize>,
}

impl Linked {
    /// The row of a uuid, unless it was dropped.
    pub(super) fn row(&self, name: Name) -> Option<usize> {
        self.latest(name).filter(|_| !self.dropped[name.at()])
    }

    /// The row of a uuid that counts, dropped or not.
    pub(super) fn latest(&self, name: Name) -> Option<usize> {
        self.latest.get(name.at()).copied().flatten()
    }

    /// The place of a row in the order of the file, where each uuid stands at its first row.
    pub(super) fn rank(&self, name: Name) -> usize {
        self.rank[name.at()]
    }

    /// The parent of a row.
    pub(super) fn parent(&self, name: Name) -> Option<Name> {
        self.parent[name.at()]
    }

    /// The rows that are not dropped, in the order of the file.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> {
        self.order.iter().filter_map(|name| self.row(*name))
    }
}

/// What it means that a row which a compaction preserved is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lost {
    /// The transcript is damaged.
    Damage,
    /// It preserved nothing.
    Ignored,
}

/// Links the rows of the first `records` records.
pub(super) fn link(index: &Index, records: u64, missing: Lost) -> Result<Linked, NoHistory> {
    let count = index.names.len();
    let mut linked = Linked {
        latest: vec![None; count],
        dropped: vec![false; count],
        parent: vec![None; count],
        order: Vec::new(),
        rank: vec![0; count],
    };
    // A progress row stands for its own parent, for the rows that come after it.
    let mut bridge: Vec<Option<Option<Name>>> = vec![None; count];
    for (place, row) in index.rows.iter().enumerate().take_while(|(_, row)| row.record < records) {
        let parent = row.parent.and_then(|parent| bridge[parent.at()].unwrap_or(Some(parent)));
        if row.kind == Kind::Progress {
            bridge[row.uuid.at()] = Some(parent);
            continue;
        }
        if linked.latest[row.uuid.at()].is_none() {
            linked.rank[row.uuid.at()] = linked.order.len();
            linked.order.push(row.uuid);
        }
        linked.latest[row.uuid.at()] = Some(place);
        linked.parent[row.uuid.at()] = parent;
    }
    compact(index, &mut linked, missing)?;
    Ok(linked)
}

/// Applies the last compaction, where any compaction kept rows by name. Without that the chain simply ends at the boundary.
fn compact(index: &Index, linked: &mut Linked, missing: Lost) -> Result<(), NoHistory> {
    let boundary = |name: &Name| {
        linked.latest(*name).map(|row| &index.rows[row]).filter(|row| row.kind == Kind::Boundary)
    };
    let Some(at) = linked.order.iter().rposition(|name| boundary(name).is_some()) else {
        return Ok(());
    };
    if !linked.order.iter().filter_map(boundary).any(|row| row.kept.is_some()) {
        return Ok(());
    }
    let last = linked.latest(linked.order[at]).map(|row| &index.rows[row]);
    let kept = match last {
        Some(row) => match kept_by(index, linked, row) {
            Err(_) if missing == Lost::Ignored => None,
            kept => kept?,
        },
        None => None,
    };
    let mut preserved = HashSet::new();
    let mut end = None;
    if let Some((anchor, rows)) = kept
        && let (Some(first), Some(final_row)) = (rows.first().copied(), rows.last().copied())
    {
        let mut above = anchor;
        for row in &rows {
            linked.parent[row.at()] = Some(above);
            above = *row;
        }
        for name in linked.order.clone() {
            if linked.parent[name.at()] == Some(anchor) && name != first {
                linked.parent[name.at()] = Some(final_row);
            }
        }
        preserved.extend(rows);
        end = Some(final_row);
    }
    for name in &linked.order[..at] {
        linked.dropped[name.at()] = !preserved.contains(name);
    }
    if let Some(end) = end {
        for name in linked.order.clone() {
            let message = linked.row(name).is_some_and(|row| index.rows[row].kind.is_message());
            let orphan = linked.parent(name).is_some_and(|parent| linked.dropped[parent.at()]);
            if message && orphan {
                linked.parent[name.at()] = Some(end);
            }
        }
    }
    Ok(())
}

/// The row after which the preserved ones stand, and they.
fn kept_by(
    index: &Index,
    linked: &Linked,
    boundary: &Row,
) -> Result<Option<(Name, Vec<Name>)>, NoHistory> {
    let Some(kept) = &boundary.kept else { return Ok(None) };
    let broken = |what: &str| NoHistory::Broken {
        line: boundary.line,
        why: format!("the compaction there preserved {what}"),
    };
    let there = |uuid: &str| {
        let found = index.names.find(uuid).filter(|name| linked.latest(*name).is_some());
        found.ok_or_else(|| broken(&format!("{uuid}, which is not in the record")))
    };
    if let Some(list) = &kept.preserved_messages {
        if list.uuids.is_empty() {
            return Ok(None);
        }
        let anchor = there(&list.anchor_uuid)?;
        let rows: Result<Vec<_>, _> = list.uuids.iter().map(|uuid| there(uuid)).collect();
        return Ok(Some((anchor, rows?)));
    }
    let Some(segment) = &kept.preserved_segment else { return Ok(None) };
    let anchor = there(&segment.anchor_uuid)?;
    let head = there(&segment.head_uuid)?;
    let mut rows = vec![there(&segment.tail_uuid)?];
    let mut seen = HashSet::new();
    while let Some(now) = rows.last().copied().filter(|now| *now != head) {
        match linked.parent(now).filter(|up| seen.insert(*up) && linked.latest(*up).is_some()) {
            Some(up) => rows.push(up),
            None => return Err(broken("rows that do not hang together")),
        }
    }
    rows.reverse();
    Ok(Some((anchor, rows)))
}
