//! The rows of a child that are not inherited: what phase 1 itself wrote, and nothing else (SPEC 8).
//!
//! Measured with 2.1.197 and 2.1.332 on some sixty conversations. In this order, each once but for the first:
//!
//! - answers for calls that nothing has answered, hanging from those calls;
//! - `Continue from where you left off.`, said by the program to itself,
//!   directly before the next;
//! - `No response requested.` in a model's place, directly below a turn without
//!   a reply. Where rows of the system end the history, it may stand before
//!   them: the one row that ever stands among the inherited;
//! - the notice that the source's model is not known here;
//! - `/cost`, and what it printed.
//!
//! A hook's context, a prompt, a reply with other words, a row elsewhere: none
//! of them was ever seen, and none passes.

use super::child::Matched;
use super::history::{History, of_fork};
use super::index::{Index, Kind, Name, Own};
use std::collections::{HashMap, HashSet};

/// The rows of a history that phase 1 reacts to.
#[derive(Debug, Default)]
pub(super) struct Unanswered<'a>(HashSet<&'a str>);

impl<'a> Unanswered<'a> {
    /// The calls of a history that nothing in it answers.
    pub(super) fn of(index: &'a Index, history: &History) -> Self {
        let answered: HashSet<Name> =
            history.rows().flat_map(|row| index.rows[row].answers.iter().copied()).collect();
        let calls = history.rows().flat_map(|row| index.rows[row].calls.iter().copied());
        let open = calls.filter(|call| !answered.contains(call));
        Self(open.map(|call| index.names.text(call)).collect())
    }
}

/// The first of these rows of a child that phase 1 does not write, or not there. `end` is the place of the last
/// inherited row.
pub(super) fn stranger(
    child: &Index,
    own: &[usize],
    end: Option<usize>,
    open: &Unanswered<'_>,
) -> Option<Name> {
    let mut order = 0;
    own.iter().copied().find_map(|place| {
        let row = &child.rows[place];
        let above = place.checked_sub(1).map(|above| child.rows[above].uuid);
        let next = own_order(row.own);
        let in_order = next > order || (row.own == Own::Interrupted && next == order);
        let fits = in_order
            && match row.own {
                Own::Interrupted => {
                    let calls = row.parent.and_then(|parent| calls_of(child, place, parent));
                    row.answers.iter().all(|call| {
                        open.0.contains(child.names.text(*call))
                            && calls.is_some_and(|calls| calls.contains(call))
                    })
                }
                Own::Continue => {
                    let replied = child.rows.get(place + 1).map(|row| row.own) == Some(Own::Silent);
                    replied && row.parent == above && lacks_reply(child, place)
                }
                Own::Silent => row.parent == above && lacks_reply(child, place),
                Own::Notice | Own::Command | Own::Output => true,
                Own::Other => false,
            }
            && (end < Some(place) || may_stand_among(child, place, end));
        order = next;
        (!fits).then_some(row.uuid)
    })
}

/// Whether an own row may have inherited rows after it, up to `end`.
fn may_stand_among(child: &Index, place: usize, end: Option<usize>) -> bool {
    let after = end.map_or(&[][..], |end| &child.rows[place + 1..=end]);
    child.rows[place].own == Own::Silent && after.iter().all(|row| row.kind == Kind::System)
}

/// Their order after the inherited rows, from 1.
const fn own_order(own: Own) -> u8 {
    match own {
        Own::Interrupted => 1,
        Own::Continue => 2,
        Own::Silent => 3,
        Own::Notice => 4,
        Own::Command => 5,
        Own::Output | Own::Other => 6,
    }
}

/// Whether the last message above is a turn that had no reply.
fn lacks_reply(child: &Index, place: usize) -> bool {
    let message = child.rows[..place].iter().rev().find(|row| row.kind.is_message());
    message.is_some_and(|row| row.kind == Kind::User)
}

fn calls_of(child: &Index, place: usize, parent: Name) -> Option<&[Name]> {
    child.rows[..place].iter().find(|row| row.uuid == parent).map(|row| row.calls.as_ref())
}

/// Whether the runtime would go on from what the child inherited: all of it is part of the child's own effective
/// history, in order. The order of a file alone does not say so: a tip may hang from an earlier row.
pub(super) fn goes_on(
    child: &Index,
    source: &Index,
    history: &History,
    matched: &Matched,
) -> Result<(), String> {
    let onward = of_fork(child)
        .map_err(|none| format!("the child would not go on from what it inherited: {none}"))?;
    let kept: HashSet<usize> = onward.rows().collect();
    let wanted: HashSet<usize> = history.rows().collect();
    // Where phase 1 answers a call, rows of no message that hung below the call are left beside.
    let answers = matched.own.iter().any(|row| child.rows[*row].own == Own::Interrupted);
    let lost = matched.pairs.iter().find(|(place, of)| {
        let beside = answers && !source.rows[*of].kind.is_message();
        wanted.contains(of) && !beside && !kept.contains(place)
    });
    if let Some((place, _)) = lost {
        let uuid = child.names.text(child.rows[*place].uuid);
        return Err(format!("the child would go on without record {uuid}"));
    }
    let order: HashMap<usize, usize> =
        onward.spine.iter().enumerate().map(|(at, row)| (*row, at)).collect();
    let on_spine = matched
        .pairs
        .iter()
        .filter_map(|(place, _)| order.get(place).map(|at| (*at, child.rows[*place].uuid)));
    let mut before = None;
    for (at, uuid) in on_spine {
        if before > Some(at) {
            let uuid = child.names.text(uuid);
            return Err(format!("the child would go on with record {uuid} in the wrong order"));
        }
        before = Some(at);
    }
    Ok(())
}
