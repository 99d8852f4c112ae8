//! Every fact a seat can present, and what `up` does with it.

use seatfork_launch::converge::{Act, Facts, Occupancy, Owner, Pane, Policy, Wanted, decide};
use seatfork_schema::Runtime;
use std::fmt::Write as _;

const RUNTIMES: [Runtime; 3] = [Runtime::ClaudeCode, Runtime::Codex, Runtime::Terminal];
const WANTED: [Wanted; 2] = [Wanted::Fork, Wanted::Fresh];
const POLICIES: [Policy; 3] =
    [Policy::ResumeIfPossible, Policy::RelaunchFresh, Policy::CheckpointOnly];
const OWNERS: [Option<Owner>; 3] = [None, Some(Owner::Alive), Some(Owner::Dead)];
const PANES: [Pane; 6] = [
    Pane::NeverOpened,
    Pane::Running,
    Pane::ServesAnother,
    Pane::NotNeeded,
    Pane::Gone,
    Pane::Unknown,
];

fn occupancies() -> Vec<Option<Occupancy>> {
    let some = PANES
        .into_iter()
        .flat_map(|pane| [true, false].map(|has_token| Some(Occupancy { has_token, pane })));
    std::iter::once(None).chain(some).collect()
}

fn all() -> Vec<Facts> {
    let mut all = Vec::new();
    for runtime in RUNTIMES {
        for source in WANTED {
            for policy in POLICIES {
                for open in OWNERS {
                    for occupant in occupancies() {
                        all.push(Facts { runtime, source, policy, open, occupant });
                    }
                }
            }
        }
    }
    all
}

// SPEC 7: convergence line 1: a living owner is left alone, a dead one's launch comes first.
#[test]
fn an_open_launch_comes_before_everything_else() {
    for facts in all() {
        match facts.open {
            Some(Owner::Alive) => assert_eq!(decide(facts), Act::Leave, "{facts:?}"),
            Some(Owner::Dead) => assert_eq!(decide(facts), Act::Recover, "{facts:?}"),
            None => assert!(!matches!(decide(facts), Act::Leave | Act::Recover), "{facts:?}"),
        }
    }
}

// SPEC 7: a seat with an occupant never forks again under `up`, and its source is not looked at.
#[test]
fn an_occupied_seat_never_forks_again_whatever_its_member_says() {
    let occupied = all().into_iter().filter(|f| f.open.is_none() && f.occupant.is_some());
    for facts in occupied {
        let act = decide(facts);
        assert!(!matches!(act, Act::Attempt(_)), "{facts:?}");
        for source in WANTED {
            assert_eq!(decide(Facts { source, ..facts }), act, "{facts:?}");
        }
    }
}

// SPEC 7: what could not be looked at is never taken for absent.
#[test]
fn a_pane_that_could_not_be_looked_at_starts_nothing() {
    let unknown =
        |f: &Facts| f.open.is_none() && f.occupant.is_some_and(|o| o.pane == Pane::Unknown);
    for facts in all().into_iter().filter(unknown) {
        assert!(matches!(decide(facts), Act::Refuse(_)), "{facts:?}");
    }
}

// SPEC 7: convergence lines 2 to 4 and restore_policy, every case.
#[test]
fn the_table_of_seats_without_an_open_launch_is_as_reviewed() {
    let mut table = String::new();
    for occupant in occupancies() {
        for runtime in RUNTIMES {
            for source in if occupant.is_none() { &WANTED[..] } else { &WANTED[..1] } {
                let row = match occupant {
                    None => format!("no occupant, member wants {source:?}"),
                    Some(o) => {
                        format!("{:?}, {}", o.pane, if o.has_token { "token" } else { "no token" })
                    }
                };
                let acts = POLICIES.map(|policy| {
                    let act =
                        decide(Facts { runtime, source: *source, policy, open: None, occupant });
                    format!("{act:?}")
                });
                let told = if acts.iter().all(|act| *act == acts[0]) {
                    acts[0].clone()
                } else {
                    acts.join(" | ")
                };
                writeln!(table, "{row:<32} {runtime:<12} {told}").unwrap();
            }
        }
    }
    insta::assert_snapshot!("convergence", table);
}
