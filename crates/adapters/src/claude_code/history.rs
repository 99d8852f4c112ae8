//! The effective history of a transcript: what the runtime itself would go on from (SPEC 8).
//!
//! A transcript is a tree in a file that only grows. Its effective history at
//! a moment is
//!
//! - the **spine**: from the tip to the root by `parentUuid`. The tip is the
//!   row the last `last-prompt` record names, or the newest row of the file
//!   where that stands below it (or where no row is named). A `last-prompt`
//!   marked explicit, with no row after it, is a rewind: the tip is then
//!   exactly the row it names. One that explicitly names nothing has cleared
//!   the conversation;
//! - its **companions**: the other parts of a response that has a part on the
//!   spine, and the answers to that response's tool calls. Calls made in
//!   parallel hang beside each other, so a chain of parents alone misses them.
//!
//! With a compaction the history begins at the last one. The rows it names as
//! preserved stand after its summary. `progress` rows only bridge others.
//! Where rows stand in a child beyond that is `child`'s business.

use super::index::{Index, Kind, Name, Row};
use super::relink::{Linked, Lost, link};
use std::collections::{BTreeMap, HashMap, HashSet};
use thiserror::Error;

/// The effective history of the first records of a transcript. Rows are given by their place in [`Index::rows`].
#[derive(Debug)]
pub(super) struct History {
    /// From the root to the tip.
    pub(super) spine: Vec<usize>,
    /// Rows beside it that belong to it.
    pub(super) companions: Vec<Companion>,
    /// The rows as the runtime links them.
    pub(super) linked: Linked,
    /// Records it was read from.
    records: u64,
}

/// A row beside the spine, and where on the spine it may stand.
#[derive(Debug)]
pub(super) struct Companion {
    pub(super) row: usize,
    /// Place on the spine it stands after.
    pub(super) after: usize,
    /// Place on the spine it stands before, if any.
    pub(super) before: Option<usize>,
}

/// Why a row is no part of the effective history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    BeforeCompaction,
    OtherBranch,
    Sidechain,
    Progress,
    Repeated,
}

impl Reason {
    /// The reason with its count, as it is shown: `9 before the last compaction`.
    fn counted(self, count: u64) -> String {
        let why = match self {
            Self::BeforeCompaction => "before the last compaction",
            Self::OtherBranch => "on other branches",
            Self::Sidechain => "in sidechains",
            Self::Progress => "of progress",
            Self::Repeated => "repeated",
        };
        format!("{count} {why}")
    }
}

/// Why there is no effective history.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum NoHistory {
    /// Nothing to inherit.
    #[error("{0}")]
    Nothing(&'static str),
    /// It cannot be told what it is.
    #[error("line {line}: {why}")]
    Broken { line: u64, why: String },
}

/// The effective history of the first `records` records.
pub(super) fn effective(index: &Index, records: u64) -> Result<History, NoHistory> {
    read(index, records, Lost::Damage)
}

/// What the runtime goes on from in a fork it has just made.
///
/// The boundary of its compaction comes along as it was, also where the fork was taken at a row above those it
/// preserved. Both known versions then go by the parents alone, which the fork has written anew.
pub(super) fn of_fork(index: &Index) -> Result<History, NoHistory> {
    read(index, index.records(), Lost::Ignored)
}

fn read(index: &Index, records: u64, lost: Lost) -> Result<History, NoHistory> {
    let linked = link(index, records, lost)?;
    let tip = tip(index, &linked, records)?;
    let spine = spine(index, &linked, tip)?;
    if !spine.iter().any(|row| index.rows[*row].kind.is_message()) {
        return Err(NoHistory::Nothing("no message is left of it"));
    }
    let companions = companions(index, &linked, &spine);
    Ok(History { spine, companions, linked, records })
}

/// The row the runtime would go on from.
fn tip(index: &Index, linked: &Linked, records: u64) -> Result<Name, NoHistory> {
    let (mut last, mut at, mut explicit, mut cleared) = (None, None, false, false);
    let mut checkpoints =
        index.checkpoints.iter().take_while(|one| one.record < records).peekable();
    let rows = index.rows.iter().take_while(|row| row.record < records);
    for row in rows.map(Some).chain([None]) {
        let now = row.map_or(records, |row| row.record);
        while let Some(checkpoint) = checkpoints.next_if(|one| one.record < now) {
            match checkpoint.leaf {
                Some(leaf) => {
                    explicit = checkpoint.explicit || (explicit && at == Some(leaf));
                    at = Some(leaf);
                    cleared = false;
                }
                None if checkpoint.explicit => {
                    (at, explicit, cleared) = (None, false, true);
                }
                None => {}
            }
        }
        let Some(row) = row else { break };
        if row.kind == Kind::Progress {
            continue;
        }
        if !row.sidechain {
            if linked.row(row.uuid).is_some() {
                last = Some(row.uuid);
            }
            (explicit, cleared) = (false, false);
        }
        if row.kind == Kind::Boundary {
            (at, explicit) = (None, false);
        }
    }
    if cleared {
        return Err(NoHistory::Nothing("it was cleared"));
    }
    let there = |name: &Name| linked.row(*name).is_some_and(|row| !index.rows[row].sidechain);
    match (at.filter(there), last.filter(there)) {
        (Some(at), _) if explicit => Ok(at),
        (Some(at), Some(last)) if is_below(index, linked, last, at) => Ok(last),
        (Some(at), _) => Ok(at),
        (None, Some(last)) => Ok(last),
        (None, None) => Err(NoHistory::Nothing("no row is left of it")),
    }
}

/// Whether `low` stands at or below `high`. The parts of one response and the answers to its calls count as one step.
fn is_below(index: &Index, linked: &Linked, low: Name, high: Name) -> bool {
    let step_of = |name: Name| {
        let row = &index.rows[linked.row(name)?];
        match row.kind {
            Kind::Assistant => row.response.filter(|_| !row.calls.is_empty()),
            Kind::User if !row.answers.is_empty() => {
                let parent = &index.rows[linked.row(linked.parent(name)?)?];
                parent.response
            }
            _ => None,
        }
    };
    let step = step_of(high);
    let mut seen = HashSet::new();
    let mut now = Some(low);
    while let Some(name) = now.filter(|name| seen.insert(*name)) {
        if name == high || (step.is_some() && step_of(name) == step) {
            return true;
        }
        now = linked.parent(name);
    }
    false
}

/// From the root to the tip.
fn spine(index: &Index, linked: &Linked, tip: Name) -> Result<Vec<usize>, NoHistory> {
    let mut seen = vec![false; index.names.len()];
    let mut spine = Vec::new();
    let mut now = Some(tip);
    let mut below: Option<&Row> = None;
    while let Some(name) = now {
        let broken = |why: String| NoHistory::Broken { line: below.map_or(0, |row| row.line), why };
        let Some(place) = linked.row(name) else {
            let parent = index.names.text(name);
            return Err(broken(format!("its parent {parent} is not in the record")));
        };
        if std::mem::replace(&mut seen[name.at()], true) {
            return Err(broken("its parents go round in a circle".to_owned()));
        }
        below = Some(&index.rows[place]);
        spine.push(place);
        now = linked.parent(name);
    }
    spine.reverse();
    Ok(spine)
}

/// The rows beside the spine that belong to it, in the order of the file.
fn companions(index: &Index, linked: &Linked, spine: &[usize]) -> Vec<Companion> {
    let mut first: HashMap<Name, usize> = HashMap::new();
    let mut last: HashMap<Name, usize> = HashMap::new();
    for (place, row) in spine.iter().enumerate() {
        if let Some(response) = index.rows[*row].response {
            first.entry(response).or_insert(place);
            last.insert(response, place);
        }
    }
    if first.is_empty() {
        return Vec::new();
    }
    let on_spine: HashSet<usize> = spine.iter().copied().collect();
    let mut limits: HashMap<Name, Option<usize>> = HashMap::new();
    let mut found = Vec::new();
    for row in linked.rows() {
        let one = &index.rows[row];
        if one.sidechain || on_spine.contains(&row) {
            continue;
        }
        let response = match one.kind {
            Kind::Assistant => one.response,
            Kind::User if !one.answers.is_empty() => linked
                .parent(one.uuid)
                .and_then(|parent| linked.row(parent))
                .and_then(|parent| index.rows[parent].response),
            _ => None,
        };
        let Some(response) = response else { continue };
        let (Some(after), Some(end)) = (first.get(&response), last.get(&response)) else {
            continue;
        };
        let before = limits.entry(response).or_insert_with(|| {
            let further = spine[end + 1..].iter().position(|row| {
                let row = &index.rows[*row];
                row.kind == Kind::Assistant && row.response != Some(response)
            });
            further.map(|further| end + 1 + further)
        });
        found.push(Companion { row, after: *after, before: *before });
    }
    found
}

impl History {
    /// Its rows: spine and companions.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> {
        self.spine.iter().copied().chain(self.companions.iter().map(|one| one.row))
    }

    /// What is no part of it, counted by reason; `besides` are rows that came along all the same.
    pub(super) fn outside(
        &self,
        index: &Index,
        besides: impl IntoIterator<Item = usize>,
    ) -> Vec<String> {
        let inside: HashSet<usize> = self.rows().chain(besides).collect();
        let compaction =
            self.spine.iter().rev().find(|row| index.rows[**row].kind == Kind::Boundary);
        let begin = compaction.map_or(0, |row| index.rows[*row].record);
        let mut counts: BTreeMap<Reason, u64> = BTreeMap::new();
        let rows = index.rows.iter().enumerate();
        for (place, row) in rows.take_while(|(_, row)| row.record < self.records) {
            if inside.contains(&place) {
                continue;
            }
            let reason = if row.kind == Kind::Progress {
                Reason::Progress
            } else if self.linked.latest(row.uuid) != Some(place) {
                Reason::Repeated
            } else if row.sidechain {
                Reason::Sidechain
            } else if row.record < begin {
                Reason::BeforeCompaction
            } else {
                Reason::OtherBranch
            };
            *counts.entry(reason).or_default() += 1;
        }
        counts.into_iter().map(|(why, count)| why.counted(count)).collect()
    }
}
