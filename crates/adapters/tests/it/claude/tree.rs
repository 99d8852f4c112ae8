//! Random transcripts against a second, naive reading of the rules.

use super::home::Home;
use super::made::{
    CHILD, SOURCE, answers, assistant, calls, checkpoint, fork_of, row, text, user, uuid,
};
use super::naive::{is_message, naive};
use proptest::prelude::*;
use serde_json::{Value, json};

/// One step in the life of a conversation.
#[derive(Debug, Clone)]
enum Step {
    /// A turn from the tip.
    Turn,
    /// The user goes back to an earlier row.
    Rewind(prop::sample::Index),
    /// The same, marked explicit, and nothing said since.
    Mark(prop::sample::Index),
    /// A sidechain row from the tip.
    Sidechain,
    /// A row without a message on the chain.
    Note,
    /// A progress row on the chain.
    Progress,
    /// A checkpoint at the tip.
    Checkpoint,
    /// One reply with several calls made in parallel, and their answers in some order.
    Parallel(u8, bool),
    /// A compaction that keeps so many of the last rows.
    Compact(usize),
    /// A message written a second time.
    Again(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Turn),
        1 => any::<prop::sample::Index>().prop_map(Step::Rewind),
        1 => any::<prop::sample::Index>().prop_map(Step::Mark),
        1 => Just(Step::Sidechain),
        1 => Just(Step::Note),
        1 => Just(Step::Progress),
        1 => Just(Step::Checkpoint),
        2 => (2..4_u8, any::<bool>()).prop_map(|(count, backward)| Step::Parallel(count, backward)),
        1 => (0..3_usize).prop_map(Step::Compact),
        1 => any::<prop::sample::Index>().prop_map(Step::Again),
    ]
}

/// A transcript that a conversation with these steps would leave.
fn live(steps: &[Step]) -> Vec<Value> {
    let mut rows = vec![user(1, None), assistant(2, Some(1))];
    let (mut next, mut tip) = (3, 2);
    // Rows the user may go back to.
    let mut stations = vec![1, 2];
    for step in steps {
        match step {
            Step::Turn => {
                rows.extend([user(next, Some(tip)), assistant(next + 1, Some(next))]);
                stations.extend([next, next + 1]);
                (tip, next) = (next + 1, next + 2);
            }
            Step::Rewind(to) => tip = *to.get(&stations),
            Step::Mark(to) => {
                tip = *to.get(&stations);
                rows.push(checkpoint(Some(tip), true));
            }
            Step::Sidechain => {
                let mut one = user(next, Some(tip));
                one["isSidechain"] = json!(true);
                rows.push(one);
                next += 1;
            }
            Step::Note | Step::Progress => {
                let kind = if matches!(step, Step::Note) { "system" } else { "progress" };
                rows.push(row(kind, next, Some(tip)));
                (tip, next) = (next, next + 1);
            }
            Step::Checkpoint => rows.push(checkpoint(Some(tip), false)),
            Step::Parallel(count, backward) => {
                let count = u32::from(*count);
                let response = format!("r{next}");
                for part in 0..count {
                    let parent = if part == 0 { tip } else { next + part - 1 };
                    rows.push(calls(
                        next + part,
                        parent,
                        &response,
                        &[&format!("c{}", next + part)],
                    ));
                }
                for place in 0..count {
                    let part = if *backward { count - 1 - place } else { place };
                    rows.push(answers(
                        next + count + place,
                        next + part,
                        &[&format!("c{}", next + part)],
                    ));
                }
                rows.push(assistant(next + 2 * count, Some(next + 2 * count - 1)));
                (tip, next) = (next + 2 * count, next + 2 * count + 1);
                stations.push(tip);
            }
            Step::Compact(keep) => {
                let kept: Vec<u32> = chain_up(&rows, tip).into_iter().take(*keep).collect();
                let mut boundary = row("system", next, None);
                boundary["subtype"] = json!("compact_boundary");
                if !kept.is_empty() {
                    let uuids: Vec<String> =
                        kept.iter().rev().map(|number| uuid(*number)).collect();
                    boundary["compactMetadata"] = json!({"preservedMessages": {"anchorUuid": uuid(next + 1), "uuids": uuids}});
                }
                rows.extend([
                    boundary,
                    user(next + 1, Some(next)),
                    assistant(next + 2, Some(next + 1)),
                ]);
                stations = vec![next + 1, next + 2];
                (tip, next) = (next + 2, next + 3);
            }
            Step::Again(which) => {
                let chain: Vec<&Value> = rows.iter().filter(|row| is_message(row)).collect();
                let copy = (*which.get(&chain)).clone();
                rows.push(copy);
            }
        }
    }
    rows
}

fn number(uuid: &str) -> u32 {
    u32::from_str_radix(&uuid[..8], 16).unwrap()
}

/// Messages from the tip upwards, without what only bridges.
fn chain_up(rows: &[Value], tip: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut now = Some(uuid(tip));
    while let Some(row) = now.and_then(|now| rows.iter().rev().find(|row| row["uuid"] == now)) {
        if is_message(row) {
            found.push(number(row["uuid"].as_str().unwrap()));
        }
        now = row["parentUuid"].as_str().map(ToOwned::to_owned);
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    // SPEC 8: whatever a conversation went through, the history told beforehand is the one the rules give, a child that
    // holds it is proved, and a child that lacks one record or holds another is not.
    #[test]
    fn any_conversation_has_the_history_the_rules_give(steps in prop::collection::vec(step(), 0..14), pick in any::<prop::sample::Index>()) {
        let rows = live(&steps);
        let wanted = naive(&rows);
        let home = Home::new();
        home.write(SOURCE, text(&rows));
        let evidence = home.resolve(SOURCE).unwrap();
        prop_assert_eq!(evidence.effective_records, wanted.len() as u64);
        let last = |uuid: &String| rows.iter().rev().find(|row| row["uuid"] == *uuid).unwrap();
        let inherited: Vec<&Value> = wanted.iter().map(last).collect();
        home.write(CHILD, text(&fork_of(inherited.iter().copied())));
        let proof = home.prove_untouched(Some(&evidence), CHILD).unwrap();
        prop_assert_eq!(proof.inherited.unwrap().records, wanted.len() as u64);

        let missing = pick.index(inherited.len());
        let fewer = inherited.iter().enumerate().filter(|(place, _)| *place != missing).map(|(_, row)| *row);
        home.write(CHILD, text(&fork_of(fewer)));
        prop_assert!(home.prove_untouched(Some(&evidence), CHILD).is_err());

        let outside = rows.iter().find(|row| {
            is_message(row) && !wanted.iter().any(|uuid| row["uuid"] == *uuid)
        });
        if let Some(outside) = outside {
            let mut more = inherited.clone();
            more.insert(missing, outside);
            home.write(CHILD, text(&fork_of(more)));
            prop_assert!(home.prove_untouched(Some(&evidence), CHILD).is_err());
        }
    }

    // SPEC 8: the child may equal the source at any instant between the two looks, and at no instant before them.
    #[test]
    fn a_growing_source_is_matched_at_one_instant(steps in prop::collection::vec(step(), 0..8), more in 1..4_usize, at in 0..5_usize) {
        let mut rows = live(&steps);
        let (before, mut next) = (rows.len(), 5000);
        for _ in 0..more {
            let tip = naive(&rows).last().map(|uuid| number(uuid)).unwrap();
            rows.extend([user(next, Some(tip)), assistant(next + 1, Some(next))]);
            next += 2;
        }
        let at = (before + at).min(rows.len());
        let home = Home::new();
        home.write(SOURCE, text(&rows[..before]));
        let evidence = home.resolve(SOURCE).unwrap();
        let path = home.path(super::home::SLUG, SOURCE);
        std::io::Write::write_all(
            &mut std::fs::File::options().append(true).open(path).unwrap(),
            text(&rows[before..]).as_bytes(),
        ).unwrap();
        let history = |rows: &[Value]| -> Vec<Value> {
            naive(rows).iter().map(|uuid| rows.iter().rev().find(|row| row["uuid"] == *uuid).unwrap().clone()).collect()
        };
        home.write(CHILD, text(&fork_of(&history(&rows[..at]))));
        let proof = home.prove_untouched(Some(&evidence), CHILD).unwrap();
        prop_assert!(proof.detail.contains("source is live, grew by"));
        // Rows without a message below the tip may come along, so the last message tells two histories apart.
        let message = |rows: &[Value]| history(rows).into_iter().rfind(is_message);
        let older = live(&steps[..steps.len().saturating_sub(1)]);
        if message(&older) != message(&rows[..before]) {
            home.write(CHILD, text(&fork_of(&history(&older))));
            let early = home.prove_untouched(Some(&evidence), CHILD);
            prop_assert!(early.is_err(), "a history from before the first look");
        }
    }
}
