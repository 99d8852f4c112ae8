//! Choices from random bytes, and texts that are hard to write down.

use serde_json::{Map, Value};

/// Random choices, then smallest choices.
pub(crate) struct Dice {
    pub(crate) bytes: std::vec::IntoIter<u8>,
}

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        usize::from(self.bytes.next().unwrap_or(0)) % sides
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.roll(2) == 1
    }

    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.roll(choices.len())]
    }

    /// A text that passes a test, from texts people and adversaries write.
    pub(crate) fn text(&mut self, fits: impl Fn(&str) -> bool) -> String {
        for _ in 0..4 {
            let mut text = self.pick(NASTY).to_owned();
            for _ in 0..self.roll(3) {
                text.push_str(self.pick(NASTY));
            }
            if fits(&text) {
                return text;
            }
        }
        "x".to_owned()
    }

    pub(crate) fn line(&mut self) -> String {
        self.text(|t| {
            !t.trim().is_empty() && t.chars().all(seatfork_schema::printable::is_printable)
        })
    }

    pub(crate) fn summary(&mut self) -> String {
        let fine = |c| matches!(c, '\n' | '\t') || seatfork_schema::printable::is_printable(c);
        self.text(|t| !t.trim().is_empty() && t.chars().all(fine))
    }

    pub(crate) fn script(&mut self) -> String {
        let fine = |c: char| matches!(c, '\n' | '\t') || !c.is_control();
        self.text(|t| !t.trim().is_empty() && t.chars().all(fine))
    }

    /// A word of letters, digits and some more, with a start of its own class.
    pub(crate) fn word(&mut self, first: &[char], next: &[char], most: usize) -> String {
        let mut word = self.pick(first).to_string();
        for _ in 0..self.roll(most) {
            word.push(self.pick(next));
        }
        if word.contains("..") { "x".to_owned() } else { word }
    }

    pub(crate) fn name(&mut self) -> String {
        if self.coin() {
            return self
                .pick(&[
                    "1", "1.10", "007", "0x1F", "1e3", "yes", "no", "null", "true", "y", "0o17",
                    "1_000",
                ])
                .to_owned();
        }
        self.word(&['a', 'Z', '0'], &['a', 'Z', '9', '_', '.', '-'], 20)
    }

    pub(crate) fn safe_path(&mut self) -> String {
        let mut segments = Vec::new();
        for _ in 0..=self.roll(3) {
            segments.push(self.pick(&[
                "a", ".", "docs", "é", "a b", "a#b", "x:", "-", "yes", "1", "null", "…", "{a}",
                "a, b", "$", "100%",
            ]));
        }
        let path = segments.join("/");
        // One letter and a colon is a drive.
        if path.trim() == path && !path.starts_with("x:") { path } else { "docs".to_owned() }
    }

    pub(crate) fn path(&mut self) -> String {
        match self.roll(5) {
            0 => ".".to_owned(),
            1 => format!("/{}", self.safe_path()),
            2 => format!("../{}", self.safe_path()),
            _ => self.safe_path(),
        }
    }

    pub(crate) fn several<T>(
        &mut self,
        least: usize,
        most: usize,
        mut make: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        (0..least + self.roll(most - least + 1)).map(|_| make(self)).collect()
    }

    pub(crate) fn maybe<T: Into<Value>>(
        &mut self,
        map: &mut Map<String, Value>,
        key: &str,
        make: impl FnOnce(&mut Self) -> T,
    ) {
        if self.coin() {
            let value = make(self).into();
            map.insert(key.to_owned(), value);
        }
    }
}

/// Texts that some reader of YAML takes for something else, or that are hard to write down.
const NASTY: &[&str] = &[
    "x",
    "yes",
    "no",
    "on",
    "off",
    "y",
    "n",
    "null",
    "~",
    "true",
    "FALSE",
    "1",
    "-1",
    "1.10",
    "007",
    "0x1F",
    "0o17",
    "1e3",
    ".inf",
    ".nan",
    "2026-01-01",
    "12:30:45",
    "1_000",
    "=",
    "<<",
    "- a",
    "? a",
    ": a",
    "a: b",
    "a:",
    "a #b",
    "#",
    "'",
    "\"",
    "\\",
    "\\n",
    "&a",
    "*a",
    "!x",
    "%x",
    "@x",
    "`x`",
    "{a}",
    "[a]",
    "{",
    "]",
    "|",
    ">",
    ">-",
    "|+",
    ",",
    "---",
    "...",
    "é",
    "日本語",
    "🙂",
    "\u{301}",
    " ",
    "  a",
    "a  ",
    "\u{a0}",
    "\t",
    "\n",
    "\n\n",
    "\n a",
    " \n",
    "a\nb",
    "\u{2028}",
    "\u{feff}",
    "\u{200b}",
    "\u{202e}",
    "\u{e000}",
    "%YAML 1.2",
    "# c",
    "''",
    "\"\"",
    "\\x41",
    "$HOME",
    "~/x",
    "a\tb",
];
