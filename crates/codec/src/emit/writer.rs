//! Block-style YAML, one key at a time, quoted by rule (SPEC 5).

use std::fmt::Write as _;

use seatfork_schema::printable::is_printable;

/// A YAML text being written.
#[derive(Debug, Default)]
pub(super) struct Writer {
    out: String,
    depth: usize,
    /// The next key is the first of a list item and stands behind its dash.
    dash: bool,
}

impl Writer {
    /// The text.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// An id or free text: always double-quoted.
    pub(super) fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        self.out.push(' ');
        quoted(&mut self.out, text);
        self.out.push('\n');
    }

    /// A path or a reference: plain where every reader of YAML 1.1 and 1.2 takes it for this text.
    pub(super) fn path(&mut self, key: &str, path: &str) {
        self.key(key);
        self.out.push(' ');
        plain_or_quoted(&mut self.out, path);
        self.out.push('\n');
    }

    /// A word of a closed vocabulary, none of which means anything else in any YAML.
    pub(super) fn word(&mut self, key: &str, word: &str) {
        debug_assert!(is_plain(word), "{word:?} would not read as text everywhere");
        self.key(key);
        self.out.push(' ');
        self.out.push_str(word);
        self.out.push('\n');
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, key: &str, flag: bool) {
        self.key(key);
        self.out.push_str(if flag { " true\n" } else { " false\n" });
    }

    /// A mapping; nothing at all where `write` writes no key.
    pub(super) fn map(&mut self, key: &str, write: impl FnOnce(&mut Self)) {
        let (before, dash) = (self.out.len(), self.dash);
        self.key(key);
        self.out.push('\n');
        let start = self.out.len();
        self.depth += 1;
        write(self);
        self.depth -= 1;
        if self.out.len() == start {
            self.out.truncate(before);
            self.dash = dash;
        }
    }

    /// A list of mappings; nothing at all where it is empty.
    pub(super) fn list<T>(&mut self, key: &str, items: &[T], write: impl FnMut(&mut Self, &T)) {
        if !items.is_empty() {
            self.needed_list(key, items, write);
        }
    }

    /// A list of mappings that is written even where it is empty, because its key is required.
    pub(super) fn needed_list<T>(
        &mut self,
        key: &str,
        items: &[T],
        mut write: impl FnMut(&mut Self, &T),
    ) {
        self.key(key);
        if items.is_empty() {
            self.out.push_str(" []\n");
            return;
        }
        self.out.push('\n');
        self.depth += 2;
        for item in items {
            self.dash = true;
            write(self, item);
        }
        self.depth -= 2;
    }

    /// A list of free texts; nothing at all where it is empty.
    pub(super) fn texts<T: AsRef<str>>(&mut self, key: &str, texts: &[T]) {
        self.scalars(key, texts, |out, text| quoted(out, text.as_ref()));
    }

    /// A list of paths; nothing at all where it is empty.
    pub(super) fn paths<T: AsRef<str>>(&mut self, key: &str, paths: &[T]) {
        self.scalars(key, paths, |out, path| plain_or_quoted(out, path.as_ref()));
    }

    /// A list of words; nothing at all where it is empty.
    pub(super) fn words<T: Copy>(
        &mut self,
        key: &str,
        words: &[T],
        spelled: fn(T) -> &'static str,
    ) {
        self.scalars(key, words, |out, word| out.push_str(spelled(*word)));
    }

    fn scalars<T>(&mut self, key: &str, items: &[T], write: impl Fn(&mut String, &T)) {
        if items.is_empty() {
            return;
        }
        self.key(key);
        self.out.push('\n');
        for item in items {
            self.indent(self.depth + 1);
            self.out.push_str("- ");
            write(&mut self.out, item);
            self.out.push('\n');
        }
    }

    fn key(&mut self, key: &str) {
        if std::mem::take(&mut self.dash) {
            self.indent(self.depth - 1);
            self.out.push_str("- ");
        } else {
            self.indent(self.depth);
        }
        self.out.push_str(key);
        self.out.push(':');
    }

    fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.out.push_str("  ");
        }
    }
}

fn plain_or_quoted(out: &mut String, text: &str) {
    if is_plain(text) { out.push_str(text) } else { quoted(out, text) }
}

/// Whether a text may stand without quotes: a positive list of characters, no
/// first character that begins anything else, and no word of YAML 1.1.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let starts = bytes.first().is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'/'));
    let ends = bytes.last().is_some_and(|b| *b != b':');
    let inside =
        |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'/' | b'.' | b'-' | b':');
    starts && ends && bytes.iter().all(inside) && !is_word_of_yaml_1_1(text)
}

fn is_word_of_yaml_1_1(text: &str) -> bool {
    const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    text.len() <= 5 && WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Writes a text between double quotes, with everything escaped that is not plainly visible in one line.
fn quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if is_printable(c) => out.push(c),
            // Writing to a String cannot fail.
            c => {
                let _infallible = match u32::from(c) {
                    code @ 0..=0xff => write!(out, "\\x{code:02X}"),
                    code @ 0x100..=0xffff => write!(out, "\\u{code:04X}"),
                    code => write!(out, "\\U{code:08X}"),
                };
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 5: plain only where YAML 1.1 and 1.2 agree that it is this text.
    #[test]
    fn what_any_yaml_could_take_for_something_else_is_quoted() {
        for plain in
            ["local:agents/a.yaml", "/abs/x", "_a", "docs/x-1.md", "none", "yesno", "nullable"]
        {
            assert!(is_plain(plain), "{plain}");
        }
        for other in [
            "",
            ".",
            "./x",
            "y",
            "No",
            "ON",
            "off",
            "TRUE",
            "null",
            "~",
            "1",
            "1_000",
            "12:30",
            "-x",
            "a:",
            "a b",
            "a#b",
            "é",
            "<<",
            "=",
            "2026-01-01",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "a\n",
            "'",
            "\"",
            "a,b",
            "[a",
        ] {
            assert!(!is_plain(other), "{other}");
        }
    }

    // SPEC 5: quoted text holds no character that is invisible or a line break in YAML 1.1.
    #[test]
    fn quoted_text_escapes_what_is_not_visible() {
        let mut out = String::new();
        quoted(&mut out, "a\"\\\n\t\u{85}\u{2028}\u{feff}\u{1f600}\u{e0001}é");
        assert_eq!(out, "\"a\\\"\\\\\\n\\t\\x85\\u2028\\uFEFF\u{1f600}\\U000E0001é\"");
    }

    // SPEC 5: an optional mapping without keys is not written, and leaves no trace behind a dash.
    #[test]
    fn empty_containers_are_not_written() {
        let mut writer = Writer::default();
        writer.needed_list("a", &[1, 2], |writer, item| {
            writer.map("empty", |_| {});
            writer.text("id", &item.to_string());
            writer.list::<u8>("none", &[], |_, _| {});
        });
        writer.needed_list::<u8>("b", &[], |_, _| {});
        assert_eq!(writer.finish(), "a:\n  - id: \"1\"\n  - id: \"2\"\nb: []\n");
    }
}
