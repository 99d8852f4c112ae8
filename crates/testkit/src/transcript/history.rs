//! What a fork of a transcript inherits, by the rules measured on the real program.
//!
//! The rules are told, each with the recording that shows it, in `fixtures/claude/README.md`; the
//! crate's tests hold this module against every recording. It is written for the fake runtime
//! and shares nothing with the product, so that the two check each other.

use std::collections::{HashMap, HashSet};

use super::{Row, Transcript};

/// The rows a fork inherits, in the child's order.
#[derive(Clone, Debug)]
pub struct History {
    /// The rows, relinked where a compaction moved them; `sessionId` still the source's.
    pub rows: Vec<Row>,
}

/// Why a transcript has no history to inherit.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// There is no user or assistant row.
    #[error("there is nothing said in it")]
    Empty,
    /// A row's parent is not in the file.
    #[error("row {0} hangs on a row that is not there")]
    Dangling(String),
}

/// A row with its place in the file.
#[derive(Clone, Debug)]
struct Placed {
    at: usize,
    row: Row,
}

impl History {
    /// The history of a transcript.
    pub fn of(transcript: &Transcript) -> Result<Self, HistoryError> {
        let mut kept = live_rows(transcript);
        let dropped = drop_compacted(transcript, &mut kept);
        let tip = tip(transcript, &kept).ok_or(HistoryError::Empty)?;
        let chain = chain(&kept, tip, &dropped)?;
        let rows = with_parallel_calls(&kept, &chain);
        if !rows.iter().any(|row| matches!(row.kind(), "user" | "assistant")) {
            return Err(HistoryError::Empty);
        }
        Ok(Self { rows })
    }

    /// The uuids, in order.
    pub fn uuids(&self) -> Vec<&str> {
        self.rows.iter().filter_map(Row::uuid).collect()
    }
}

/// The rows of the conversation by uuid; of rows written twice the last counts, sidechains do
/// not.
fn live_rows(transcript: &Transcript) -> HashMap<String, Placed> {
    let rows = transcript.rows.iter().enumerate();
    rows.filter(|(_, row)| row.json["isSidechain"] != true)
        .filter_map(|(at, row)| Some((row.uuid()?.to_owned(), Placed { at, row: row.clone() })))
        .collect()
}

/// Drops what stands before the last compaction, but for the rows it preserves, which are moved
/// behind its summary. Returns the uuids dropped.
fn drop_compacted(transcript: &Transcript, kept: &mut HashMap<String, Placed>) -> HashSet<String> {
    let is_boundary = |row: &Row| row.json["subtype"] == "compact_boundary";
    let Some(at) = transcript.rows.iter().rposition(is_boundary) else {
        return HashSet::new();
    };
    let preserved = &transcript.rows[at].json["compactMetadata"]["preservedMessages"];
    let anchor = preserved["anchorUuid"].as_str().unwrap_or_default().to_owned();
    let uuids: Vec<String> = preserved["uuids"].as_array().map_or_else(Vec::new, |uuids| {
        uuids.iter().filter_map(|u| u.as_str()).map(str::to_owned).collect()
    });
    let mut dropped = HashSet::new();
    kept.retain(|uuid, placed| {
        let keep = placed.at >= at || uuids.contains(uuid);
        if !keep {
            dropped.insert(uuid.clone());
        }
        keep
    });
    if let Some(last) = uuids.last() {
        for placed in kept.values_mut() {
            if placed.row.parent() == Some(&anchor) {
                placed.row = relinked(&placed.row, last);
            }
        }
        let parents = std::iter::once(&anchor).chain(&uuids);
        for (uuid, parent) in uuids.iter().zip(parents) {
            if let Some(placed) = kept.get_mut(uuid) {
                placed.row = without_usage(&relinked(&placed.row, parent));
            }
        }
    }
    dropped
}

/// The newest row of the active branch.
fn tip<'a>(transcript: &Transcript, kept: &'a HashMap<String, Placed>) -> Option<&'a str> {
    let newest = kept.values().max_by_key(|placed| placed.at)?;
    let newest_uuid = newest.row.uuid()?;
    let Some(at) = transcript.rows.iter().rposition(|row| row.kind() == "last-prompt") else {
        return Some(newest_uuid);
    };
    let prompt = &transcript.rows[at].json;
    let Some((named, _)) = prompt["leafUuid"].as_str().and_then(|u| kept.get_key_value(u)) else {
        return Some(newest_uuid);
    };
    let newest_is_below = ancestors(kept, newest_uuid).any(|uuid| uuid == named);
    let named_is_exact = prompt["explicit"] == true && newest.at < at;
    Some(if newest_is_below && !named_is_exact { newest_uuid } else { named })
}

/// A row and the rows above it, as far as they are there.
fn ancestors<'a>(
    kept: &'a HashMap<String, Placed>,
    from: &'a str,
) -> impl Iterator<Item = &'a str> {
    // Bounded, so that rows that hang on each other in a circle end too.
    std::iter::successors(Some(from), |uuid| kept.get(*uuid)?.row.parent()).take(kept.len() + 1)
}

/// The rows from the root to `tip`.
fn chain<'a>(
    kept: &'a HashMap<String, Placed>,
    tip: &'a str,
    dropped: &HashSet<String>,
) -> Result<Vec<&'a Placed>, HistoryError> {
    let mut chain = Vec::new();
    for uuid in ancestors(kept, tip) {
        match kept.get(uuid) {
            Some(placed) => chain.push(placed),
            None if dropped.contains(uuid) => {}
            None => return Err(HistoryError::Dangling(uuid.to_owned())),
        }
    }
    chain.reverse();
    Ok(chain)
}

/// Adds what hangs beside the chain because one reply made several calls: after the reply's last
/// row on the chain its other rows, then the results of all, each by time.
fn with_parallel_calls(kept: &HashMap<String, Placed>, chain: &[&Placed]) -> Vec<Row> {
    let on_chain: HashSet<_> = chain.iter().filter_map(|p| p.row.uuid()).collect();
    let beside = |p: &Placed| p.row.uuid().is_some_and(|uuid| !on_chain.contains(uuid));
    let mut rows_of: HashMap<&str, Vec<&Placed>> = HashMap::new();
    let mut results_of: HashMap<&str, Vec<&Placed>> = HashMap::new();
    for placed in kept.values() {
        if let Some(reply) = reply_of(&placed.row) {
            rows_of.entry(reply).or_default().push(placed);
        } else if is_result(&placed.row)
            && beside(placed)
            && let Some(call) = placed.row.parent()
        {
            results_of.entry(call).or_default().push(placed);
        }
    }
    let mut last_of = HashMap::new();
    for (at, placed) in chain.iter().enumerate() {
        reply_of(&placed.row).map(|reply| last_of.insert(reply, at));
    }
    let mut rows = Vec::new();
    for (at, placed) in chain.iter().enumerate() {
        rows.push(placed.row.clone());
        let reply = reply_of(&placed.row).filter(|reply| last_of[reply] == at);
        let Some(all) = reply.and_then(|reply| rows_of.get(reply)) else { continue };
        let results = all.iter().filter_map(|p| results_of.get(p.row.uuid()?)).flatten().copied();
        rows.extend(by_time(all.iter().copied().filter(|p| beside(p)).collect()));
        rows.extend(by_time(results.collect()));
    }
    rows
}

/// The model's reply a row is of: its `message.id`.
fn reply_of(row: &Row) -> Option<&str> {
    row.json["message"]["id"].as_str().filter(|_| row.kind() == "assistant")
}

fn is_result(row: &Row) -> bool {
    row.kind() == "user" && row.json["message"]["content"][0]["type"] == "tool_result"
}

fn by_time(mut rows: Vec<&Placed>) -> impl Iterator<Item = Row> {
    rows.sort_by_key(|p| (p.row.json["timestamp"].as_str().map(str::to_owned), p.at));
    rows.into_iter().map(|p| p.row.clone())
}

/// The row under another parent. `parentUuid` is the first field of every real row.
fn relinked(row: &Row, parent: &str) -> Row {
    let old = format!("\"parentUuid\":{}", row.json["parentUuid"]);
    let new = format!("\"parentUuid\":\"{parent}\"");
    let mut json = row.json.clone();
    json["parentUuid"] = parent.into();
    Row { text: row.text.replacen(&old, &new, 1), json }
}

/// The row with the token counts of its `usage` at zero, as preserved rows get them.
fn without_usage(row: &Row) -> Row {
    const COUNTS: [&str; 4] =
        ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];
    let mut row = row.clone();
    for count in COUNTS {
        if let Some(value) = row.json["message"]["usage"].get_mut(count) {
            let (old, new) = (format!("\"{count}\":{value}"), format!("\"{count}\":0"));
            *value = 0.into();
            row.text = row.text.replace(&old, &new);
        }
    }
    row
}
