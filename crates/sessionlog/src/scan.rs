//! A strict scanner of one line: finds the six keys of an event and checks all of the JSON, building nothing.
//!
//! Strict: control characters, bad escapes, lone surrogates, numbers after
//! RFC 8259, at most 128 levels. Eight bytes at a time inside strings, because
//! that is where logs are long.

mod json;

use crate::event::Noted;
use crate::problem::{LineProblem, Misplaced};
use json::Scan;
use std::borrow::Cow;

/// The most levels of a value.
pub(crate) const MAX_DEPTH: usize = 128;

/// One event's keys and values, as they stand in the line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Envelope<'a> {
    pub(crate) id: Text<'a>,
    pub(crate) session_id: Text<'a>,
    pub(crate) seq: u64,
    /// Where the number stands in the line.
    pub(crate) seq_at: usize,
    pub(crate) ts: Text<'a>,
    pub(crate) kind: Text<'a>,
    pub(crate) data: &'a str,
    pub(crate) noted: Noted<'a>,
}

/// A JSON string as it stands, quotes included.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'a> {
    pub(crate) raw: &'a str,
    pub(crate) at: usize,
    escaped: bool,
}

impl<'a> Text<'a> {
    /// What the string says.
    pub(crate) fn value(&self) -> Cow<'a, str> {
        let inside = &self.raw[1..self.raw.len() - 1];
        if !self.escaped {
            return Cow::Borrowed(inside);
        }
        // The scanner has accepted it, so serde_json does too.
        serde_json::from_str(self.raw).map_or(Cow::Borrowed(inside), Cow::Owned)
    }
}

const KEYS: [&str; 6] = ["data", "id", "seq", "session_id", "ts", "type"];

/// Reads one line, without its line feed, as an event.
pub(crate) fn envelope(line: &str) -> Result<Envelope<'_>, Misplaced> {
    let mut scan = Scan::of(line);
    scan.skip_space();
    if scan.peek() != Some(b'{') {
        return Err(scan.no(if scan.peek().is_none() {
            LineProblem::Unfinished
        } else {
            LineProblem::NotAnObject
        }));
    }
    scan.at += 1;
    let mut texts: [Option<Text<'_>>; 4] = [None; 4];
    let (mut seq, mut data) = (None, None);
    let mut noted = Noted::default();
    scan.skip_space();
    if scan.peek() == Some(b'}') {
        scan.at += 1;
    } else {
        loop {
            let key_at = scan.at;
            let key = scan.key()?;
            let name = key.value();
            let Some(known) = KEYS.iter().position(|known| *known == name) else {
                return Err(Misplaced {
                    at: key_at,
                    problem: LineProblem::UnknownKey { key: shown(&name) },
                });
            };
            let twice =
                Misplaced { at: key_at, problem: LineProblem::DuplicateKey { key: KEYS[known] } };
            match KEYS[known] {
                "seq" if seq.is_none() => {
                    let at = scan.at;
                    seq = Some((scan.seq()?, at));
                }
                "data" if data.is_none() => {
                    if scan.peek() != Some(b'{') {
                        return Err(scan.wrong("data", "an object"));
                    }
                    let from = scan.at;
                    scan.data(&mut noted)?;
                    data = Some(&line[from..scan.at]);
                }
                "seq" | "data" => return Err(twice),
                key => {
                    let place = &mut texts[match key {
                        "id" => 0,
                        "session_id" => 1,
                        "ts" => 2,
                        _ => 3,
                    }];
                    if place.is_some() {
                        return Err(twice);
                    }
                    if scan.peek() != Some(b'"') {
                        return Err(scan.wrong(KEYS[known], "a string"));
                    }
                    let text = scan.string()?;
                    if text.raw.len() == 2 {
                        return Err(Misplaced {
                            at: text.at,
                            problem: LineProblem::WrongType {
                                key: KEYS[known],
                                wanted: "a string that is not empty",
                            },
                        });
                    }
                    *place = Some(text);
                }
            }
            if scan.ends(b'}')? {
                break;
            }
        }
    }
    scan.skip_space();
    if scan.at < line.len() {
        return Err(scan.no(LineProblem::Trailing));
    }
    let missing = |key| Misplaced { at: line.len(), problem: LineProblem::MissingKey { key } };
    let [id, session_id, ts, kind] = texts;
    let (seq, seq_at) = seq.ok_or_else(|| missing("seq"))?;
    Ok(Envelope {
        id: id.ok_or_else(|| missing("id"))?,
        session_id: session_id.ok_or_else(|| missing("session_id"))?,
        seq,
        seq_at,
        ts: ts.ok_or_else(|| missing("ts"))?,
        kind: kind.ok_or_else(|| missing("type"))?,
        data: data.ok_or_else(|| missing("data"))?,
        noted,
    })
}

/// Checks one JSON object that is the data of an event to be written, and notes what stands in it.
pub(crate) fn object(text: &str) -> Result<Noted<'_>, Misplaced> {
    let mut scan = Scan::of(text);
    let mut noted = Noted::default();
    if scan.peek() != Some(b'{') {
        return Err(scan.wrong("data", "an object"));
    }
    scan.data(&mut noted)?;
    if scan.at < text.len() {
        return Err(scan.no(LineProblem::Trailing));
    }
    Ok(noted)
}

/// As much of a foreign text as an error shows.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests;
