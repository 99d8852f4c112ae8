//! A strict scanner of one line: finds the six keys of an event and checks all of the JSON, building nothing.
//!
//! Strict: control characters, bad escapes, lone surrogates, numbers after
//! RFC 8259, at most 128 levels. Eight bytes at a time inside strings, because
//! that is where logs are long.

use crate::event::Noted;
use crate::problem::{LineProblem, Misplaced};
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
    let mut scan = Scan { text: line, bytes: line.as_bytes(), at: 0 };
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
    let mut scan = Scan { text, bytes: text.as_bytes(), at: 0 };
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

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
const QUOTES: u64 = u64::from_le_bytes([b'"'; 8]);
const ESCAPES: u64 = u64::from_le_bytes([b'\\'; 8]);

/// The high bit of each byte that ends or interrupts a string; exact up to and including the lowest one set.
fn special(word: u64) -> u64 {
    let quote = word ^ QUOTES;
    let escape = word ^ ESCAPES;
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (quote.wrapping_sub(ONES) & !quote | escape.wrapping_sub(ONES) & !escape | control) & HIGH
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn no(&self, problem: LineProblem) -> Misplaced {
        Misplaced { at: self.at, problem }
    }

    fn wrong(&self, key: &'static str, wanted: &'static str) -> Misplaced {
        if self.at == self.bytes.len() {
            return self.no(LineProblem::Unfinished);
        }
        self.no(LineProblem::WrongType { key, wanted })
    }

    fn json(&self, what: &'static str) -> Misplaced {
        if self.at >= self.bytes.len() {
            return Misplaced { at: self.bytes.len(), problem: LineProblem::Unfinished };
        }
        self.no(LineProblem::Json { what })
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// A key, its colon, and the space around them.
    fn key(&mut self) -> Result<Text<'a>, Misplaced> {
        if self.peek() != Some(b'"') {
            return Err(self.json("a key must stand here"));
        }
        let key = self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.json("a colon must stand here"));
        }
        self.at += 1;
        self.skip_space();
        Ok(key)
    }

    /// Whether a list or object ends here; else steps over the comma.
    fn ends(&mut self, close: u8) -> Result<bool, Misplaced> {
        self.skip_space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.skip_space();
                Ok(false)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            _ => Err(self.json("a comma or the end must stand here")),
        }
    }

    fn string(&mut self) -> Result<Text<'a>, Misplaced> {
        let from = self.at;
        let mut escaped = false;
        self.at += 1;
        loop {
            while let Some(chunk) = self.bytes[self.at..].first_chunk::<8>() {
                let found = special(u64::from_le_bytes(*chunk));
                if found != 0 {
                    self.at += (found.trailing_zeros() / 8) as usize;
                    break;
                }
                self.at += 8;
            }
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Text { raw: &self.text[from..self.at], at: from, escaped });
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(byte) if byte < 0x20 => {
                    return Err(self.json("a control character must be escaped"));
                }
                Some(_) => self.at += 1,
                None => return Err(self.json("")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Misplaced> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let unit = self.unit()?;
                if (0xDC00..0xE000).contains(&unit) {
                    return Err(self.json("half of a surrogate pair stands alone"));
                }
                if (0xD800..0xDC00).contains(&unit) {
                    let first = self.at;
                    self.at += 6;
                    let second = match self.bytes.get(self.at..self.at + 2) {
                        Some(b"\\u") => self.unit()?,
                        _ if self.at + 2 > self.bytes.len() => return Err(self.unfinished()),
                        _ => 0,
                    };
                    if !(0xDC00..0xE000).contains(&second) {
                        self.at = first;
                        return Err(self.json("half of a surrogate pair stands alone"));
                    }
                }
                self.at += 6;
            }
            None => return Err(self.unfinished()),
            Some(_) => return Err(self.json("no escape is written so")),
        }
        Ok(())
    }

    fn unfinished(&self) -> Misplaced {
        Misplaced { at: self.bytes.len(), problem: LineProblem::Unfinished }
    }

    /// The code unit of the `\uXXXX` that begins here.
    fn unit(&self) -> Result<u32, Misplaced> {
        let digits = self.bytes.get(self.at + 2..self.at + 6).ok_or_else(|| self.unfinished())?;
        digits.iter().try_fold(0, |unit, digit| match char::from(*digit).to_digit(16) {
            Some(value) => Ok(unit * 16 + value),
            None => Err(self.json("no escape is written so")),
        })
    }

    fn digits(&mut self) -> Result<(), Misplaced> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.json("a digit must stand here"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Misplaced> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.json("a number does not begin with a zero"));
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    /// A plain whole number, at most 2^63-1.
    fn seq(&mut self) -> Result<u64, Misplaced> {
        let from = self.at;
        let wrong = |at| Misplaced {
            at,
            problem: LineProblem::WrongType { key: "seq", wanted: "a whole number from 0" },
        };
        match self.peek() {
            Some(b'0'..=b'9') => self.number()?,
            None => return Err(self.unfinished()),
            Some(_) => return Err(wrong(from)),
        }
        let text = &self.text[from..self.at];
        match text.parse::<u64>() {
            Ok(seq) if i64::try_from(seq).is_ok() => Ok(seq),
            _ => Err(wrong(from)),
        }
    }

    fn word(&mut self, word: &'static str) -> Result<(), Misplaced> {
        let there = &self.bytes[self.at..];
        if there.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        if word.as_bytes().starts_with(there) {
            return Err(self.unfinished());
        }
        Err(self.json("no value is written so"))
    }

    fn value(&mut self, depth: usize) -> Result<(), Misplaced> {
        match self.peek() {
            Some(b'"') => self.string().map(|_| ()),
            Some(b'{' | b'[') if depth >= MAX_DEPTH => Err(self.no(LineProblem::TooDeep)),
            Some(b'{') => self.object(depth + 1, None),
            Some(b'[') => self.list(depth + 1),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.json("a value must stand here")),
        }
    }

    fn list(&mut self, depth: usize) -> Result<(), Misplaced> {
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.value(depth)?;
            if self.ends(b']')? {
                return Ok(());
            }
        }
    }

    /// The object of an event's data, which is on the second level.
    fn data(&mut self, noted: &mut Noted<'a>) -> Result<(), Misplaced> {
        self.object(2, Some(noted))
    }

    fn object(&mut self, depth: usize, mut noted: Option<&mut Noted<'a>>) -> Result<(), Misplaced> {
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            let key = self.key()?;
            let from = self.at;
            self.value(depth)?;
            if let Some(noted) = noted.as_deref_mut() {
                noted.note(&key.value(), &self.text[from..self.at]);
            }
            if self.ends(b'}')? {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests;
