//! The JSON of RFC 8259, stepped over value by value.

use super::{MAX_DEPTH, Text};
use crate::event::Noted;
use crate::problem::{LineProblem, Misplaced};

/// A text, and how far it was read.
pub(super) struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pub(super) at: usize,
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
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0 }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn no(&self, problem: LineProblem) -> Misplaced {
        Misplaced { at: self.at, problem }
    }

    pub(super) fn wrong(&self, key: &'static str, wanted: &'static str) -> Misplaced {
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

    pub(super) fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// A key, its colon, and the space around them.
    pub(super) fn key(&mut self) -> Result<Text<'a>, Misplaced> {
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
    pub(super) fn ends(&mut self, close: u8) -> Result<bool, Misplaced> {
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

    pub(super) fn string(&mut self) -> Result<Text<'a>, Misplaced> {
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
    pub(super) fn seq(&mut self) -> Result<u64, Misplaced> {
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
    pub(super) fn data(&mut self, noted: &mut Noted<'a>) -> Result<(), Misplaced> {
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
