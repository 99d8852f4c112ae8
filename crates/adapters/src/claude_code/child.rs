//! Whether the rows of a child are the effective history of a source, in order.
//!
//! Held here: every row of the spine and every companion is there once, in
//! order; nothing of the source stands there that is no part of its history;
//! the child's own rows come after all of it, but for one that `own` knows; and
//! each inherited row follows the same row as in the source, or the one directly
//! before it.
//!
//! Two kinds of rows are the runtime's choice, which differs between versions.
//! *Loose* rows may be left out: parts of a response that hold nothing but
//! thinking, blanks, or calls that nothing has answered. *Side* rows may be
//! taken along: rows without a message that hang from an inherited row, and
//! answers to its calls that hang elsewhere. Both are counted and said.

use super::history::History;
use super::index::{Index, Kind, Name, Own};
use super::prove::Moment;
use std::collections::{HashMap, HashSet};

/// A child whose rows stand as they should. Its content is not compared yet.
#[derive(Debug, Default)]
pub(super) struct Matched {
    /// For each inherited row of the child, in order: its place in the child's index and in the source's.
    pub(super) pairs: Vec<(usize, usize)>,
    /// What was left out, counted by reason.
    pub(super) left_out: Vec<String>,
    /// Rows of the child's own.
    pub(super) own: Vec<usize>,
    /// Inherited rows that the runtime wrote once more in the child's later life: as `pairs`.
    pub(super) again: Vec<(usize, usize)>,
}

impl Matched {
    /// The place in the child of the last inherited row.
    pub(super) fn end(&self) -> Option<usize> {
        self.pairs.last().map(|(place, _)| *place)
    }

    /// The own rows that phase 1 wrote for certain: all of them, or those among the inherited where others may follow.
    pub(super) fn written(&self, moment: Moment) -> &[usize] {
        let all = match moment {
            Moment::Untouched => self.own.len(),
            Moment::Later => self.own.partition_point(|own| Some(*own) < self.end()),
        };
        &self.own[..all]
    }
}

/// Holds the order of a child's rows against a history of its source.
pub(super) fn match_rows(
    source: &Index,
    history: &History,
    child: &Index,
    moment: Moment,
) -> Result<Matched, String> {
    let mut expected: HashMap<usize, Expected> = HashMap::new();
    for (place, row) in history.spine.iter().enumerate() {
        expected.insert(*row, Expected::Spine(place));
    }
    for one in &history.companions {
        expected.insert(one.row, Expected::Companion { after: one.after, before: one.before });
    }
    let names = Translated::new(child, source);
    let side = Side::new(source, history);

    let mut matched = Matched::default();
    let mut inherited: HashSet<usize> = HashSet::new();
    let mut spine_at: Option<usize> = None;
    let mut newest: HashMap<(usize, bool), usize> = HashMap::new();
    for (place, row) in child.rows.iter().enumerate() {
        let uuid = child.names.text(row.uuid);
        let Some(of) = names.of(row.uuid).and_then(|name| history.linked.latest(name)) else {
            matched.own.push(place);
            continue;
        };
        if moment == Moment::Later && !matched.own.is_empty() && inherited.contains(&of) {
            // Before a compaction one version writes rows a second time.
            matched.again.push((place, of));
            continue;
        }
        let stranger = |own: &&usize| child.rows[**own].own != Own::Silent;
        if let Some(own) = matched.own.iter().find(stranger) {
            let own = child.names.text(child.rows[*own].uuid);
            return Err(format!(
                "record {own} of the child's own stands before record {uuid} of the source"
            ));
        }
        if !inherited.insert(of) {
            return Err(format!("record {uuid} stands there twice"));
        }
        match expected.get(&of) {
            Some(Expected::Spine(at)) => {
                if spine_at.is_some_and(|before| before >= *at) {
                    return Err(format!("record {uuid} stands in the wrong order"));
                }
                spine_at = Some(*at);
            }
            Some(Expected::Companion { after, before }) => {
                let one = &source.rows[of];
                // Parts of one reply stand in the order they came, and so do the answers to its calls.
                let (kind, rank) =
                    ((*after, one.kind == Kind::User), history.linked.rank(one.uuid));
                let overtaken = newest.insert(kind, rank).is_some_and(|before| before > rank);
                let too_early = overtaken || spine_at.is_none_or(|now| now < *after);
                let too_late = before.is_some_and(|before| spine_at >= Some(before));
                if too_early || too_late {
                    return Err(format!("record {uuid} stands in the wrong order"));
                }
            }
            None if side.belongs(of, &inherited) => {}
            None => {
                return Err(format!("record {uuid} is no part of the source's effective history"));
            }
        }
        let above = place.checked_sub(1).map(|above| child.rows[above].uuid);
        check_parent(&names, (row.parent, above), source.rows[of].parent, uuid)?;
        matched.pairs.push((place, of));
    }
    let mut left: HashMap<&str, u64> = HashMap::new();
    for row in history.rows() {
        if inherited.contains(&row) {
            continue;
        }
        let Some(why) = side.loose(row) else {
            let uuid = source.names.text(source.rows[row].uuid);
            return Err(format!("record {uuid} of the source is missing"));
        };
        *left.entry(why).or_default() += 1;
    }
    if matched.pairs.is_empty() {
        return Err("nothing of the source's history is there".to_owned());
    }
    matched.left_out = left.into_iter().map(|(why, count)| format!("{count} {why}")).collect();
    matched.left_out.sort_unstable();
    Ok(matched)
}

enum Expected {
    Spine(usize),
    Companion { after: usize, before: Option<usize> },
}

/// Names of the child as names of the source.
struct Translated(Vec<Option<Name>>);

impl Translated {
    fn new(child: &Index, source: &Index) -> Self {
        Self(child.names.texts().map(|text| source.names.find(text)).collect())
    }

    fn of(&self, name: Name) -> Option<Name> {
        self.0[name.at()]
    }
}

/// The link of an inherited row: as in the source, or to the row directly above it.
fn check_parent(
    names: &Translated,
    (child, above): (Option<Name>, Option<Name>),
    source: Option<Name>,
    uuid: &str,
) -> Result<(), String> {
    let fits = match child {
        None => source.is_none() || above.is_none(),
        Some(parent) => Some(parent) == above || (source.is_some() && names.of(parent) == source),
    };
    if fits {
        Ok(())
    } else {
        Err(format!("record {uuid} follows another record than in the source"))
    }
}

/// What the runtime may leave out or take along.
struct Side<'a> {
    index: &'a Index,
    history: &'a History,
    /// Calls of responses with a part on the spine.
    calls: HashSet<Name>,
    answered: HashSet<Name>,
    /// Responses of which some part says something.
    said: HashSet<Name>,
}

impl<'a> Side<'a> {
    fn new(index: &'a Index, history: &'a History) -> Self {
        let mut side = Self {
            index,
            history,
            calls: HashSet::new(),
            answered: HashSet::new(),
            said: HashSet::new(),
        };
        for row in history.linked.rows() {
            let row = &index.rows[row];
            side.answered.extend(row.answers.iter().copied());
            if row.says || !row.calls.is_empty() {
                side.said.extend(row.response);
            }
        }
        for row in &history.spine {
            side.calls.extend(index.rows[*row].calls.iter().copied());
        }
        for one in &history.companions {
            side.calls.extend(index.rows[one.row].calls.iter().copied());
        }
        side
    }

    fn belongs(&self, row: usize, inherited: &HashSet<usize>) -> bool {
        let one = &self.index.rows[row];
        if self.history.linked.row(one.uuid).is_none()
            || one.sidechain
            || one.kind == Kind::Boundary
        {
            return false;
        }
        if one.kind == Kind::User {
            return !one.answers.is_empty()
                && one.answers.iter().all(|call| self.calls.contains(call));
        }
        one.kind != Kind::Assistant
            && self
                .history
                .linked
                .parent(one.uuid)
                .and_then(|parent| self.history.linked.row(parent))
                .is_some_and(|parent| inherited.contains(&parent))
    }

    fn loose(&self, row: usize) -> Option<&'static str> {
        let one = &self.index.rows[row];
        if one.kind != Kind::Assistant || one.says {
            return None;
        }
        if one.calls.is_empty() {
            let alone = one.response.is_none_or(|response| !self.said.contains(&response));
            return (alone || !one.thinks).then_some("of a reply that says nothing");
        }
        let open = one.calls.iter().all(|call| !self.answered.contains(call));
        open.then_some("of a tool call without an answer")
    }
}
