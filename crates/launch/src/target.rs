//! What a word on the command line names: a rig, a seat, or a conversation (SPEC 13).

use crate::exit::ExitClass;
use crate::pane::chain;
use crate::store_thread::StoreThread;
use seatfork_store::{Rig, SeatRow, Store, StoreError};
use thiserror::Error;

/// What was named.
#[derive(Debug, Clone)]
pub enum Target {
    /// A rig.
    Rig(Rig),
    /// A seat.
    Seat(Box<SeatRow>),
}

/// Why a word names nothing, or too much. Exit 4.
#[derive(Debug, Error)]
pub enum TargetError {
    /// Nothing of that name.
    #[error("nothing here is called {asked:?}{}", hint(.known))]
    NotFound {
        /// The word.
        asked: String,
        /// What is there, each by its name.
        known: Vec<String>,
    },
    /// More than one.
    #[error("{asked:?} may mean {}", .candidates.join(", "))]
    Ambiguous {
        /// The word.
        asked: String,
        /// What it may mean.
        candidates: Vec<String>,
    },
    /// The store could not be read. That is no absence.
    #[error("{}", chain(.0))]
    Store(#[from] StoreError),
}

impl TargetError {
    /// How the command ends.
    pub fn exit(&self) -> ExitClass {
        match self {
            Self::NotFound { .. } | Self::Ambiguous { .. } => ExitClass::NotFound,
            Self::Store(_) => ExitClass::NotReady,
        }
    }
}

fn hint(known: &[String]) -> String {
    if known.is_empty() {
        "; no rig is known".to_owned()
    } else {
        format!("; known: {}", known.join(", "))
    }
}

/// The shortest part of a native id that may stand for it.
const PREFIX_MIN: usize = 4;

/// Finds what a word names: a rig by its name; a seat by `pod-member@rig`, `rig/member`,
/// `rig/pod-member`, a member that is the only one of its name, or its token or a prefix of it.
pub async fn target(store: &StoreThread, asked: &str) -> Result<Target, TargetError> {
    let word = asked.to_owned();
    store.ask(move |store| find(store, &word)).await
}

/// Every rig that is not retired, with its seats.
pub(crate) fn everything(store: &Store) -> Result<Vec<(Rig, Vec<SeatRow>)>, StoreError> {
    let rigs = store.rigs()?;
    rigs.into_iter().map(|rig| store.rig_state(rig.id).map(|seats| (rig, seats))).collect()
}

fn find(store: &Store, asked: &str) -> Result<Target, TargetError> {
    let all = everything(store)?;
    if let Some((rig, _)) = all.iter().find(|(rig, _)| rig.name == asked) {
        return Ok(Target::Rig(rig.clone()));
    }
    let seats: Vec<&SeatRow> = all.iter().flat_map(|(_, seats)| seats).collect();
    let ways: [&dyn Fn(&SeatRow) -> bool; 4] = [
        &|row| row.seat.name.eq_ignore_ascii_case(asked),
        &|row| is_in_rig(row, asked),
        &|row| names_member(row, asked),
        &|row| is_token(row, asked),
    ];
    for way in ways {
        let found: Vec<_> = seats.iter().filter(|row| way(row)).collect();
        match found[..] {
            [] => {}
            [one] => return Ok(Target::Seat(Box::new((*one).clone()))),
            _ => {
                let candidates = found.iter().map(|row| row.seat.name.clone()).collect();
                return Err(TargetError::Ambiguous { asked: asked.to_owned(), candidates });
            }
        }
    }
    let rigs = all.iter().map(|(rig, _)| rig.name.clone());
    let known = rigs.chain(seats.iter().map(|row| row.seat.name.clone())).collect();
    Err(TargetError::NotFound { asked: asked.to_owned(), known })
}

fn is_in_rig(row: &SeatRow, asked: &str) -> bool {
    let Some((rig, seat)) = asked.split_once('/') else { return false };
    let of_rig = row.seat.name.rsplit_once('@').is_some_and(|(_, of)| of.eq_ignore_ascii_case(rig));
    of_rig && names_member(row, seat)
}

/// `member`, `pod-member` or `pod.member`.
fn names_member(row: &SeatRow, asked: &str) -> bool {
    let (pod, member) = (&row.seat.pod, &row.seat.member);
    member.eq_ignore_ascii_case(asked)
        || format!("{pod}-{member}").eq_ignore_ascii_case(asked)
        || format!("{pod}.{member}").eq_ignore_ascii_case(asked)
}

fn is_token(row: &SeatRow, asked: &str) -> bool {
    let token = row.occupant.as_ref().and_then(|occupant| occupant.token.as_ref());
    token.is_some_and(|token| {
        let id = token.conversation().native_id.as_str();
        asked.len() >= PREFIX_MIN
            && id.get(..asked.len()).is_some_and(|start| start.eq_ignore_ascii_case(asked))
    })
}

/// The seats a command is about.
pub(crate) async fn seats_of(
    store: &StoreThread,
    which: Option<&Target>,
) -> Result<Vec<SeatRow>, StoreError> {
    match which {
        Some(Target::Seat(row)) => {
            let id = row.seat.id;
            store.ask(move |store| store.seat_state(id).map(|row| vec![row])).await
        }
        Some(Target::Rig(rig)) => {
            let id = rig.id;
            store.ask(move |store| store.rig_state(id)).await
        }
        None => {
            store
                .ask(|store| {
                    Ok(everything(store)?.into_iter().flat_map(|(_, seats)| seats).collect())
                })
                .await
        }
    }
}
