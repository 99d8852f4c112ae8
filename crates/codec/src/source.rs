//! What was written at a node: the anchor, alias or tag the events do not spell out.

use seatfork_schema::tree::{Position, Span};

/// The longest name kept of an anchor, alias or tag, in characters; the rest is cut.
const LONGEST: usize = 64;

/// A reader of the text that only moves forward, as the findings do, so that
/// looking up the names of many anchors on one long line stays linear.
#[derive(Debug)]
pub(crate) struct Source<'t> {
    text: &'t str,
    byte: usize,
    at: Position,
}

/// A word of the text with its place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// Its text, cut if very long.
    pub(crate) text: String,
    /// Where it stands, whole.
    pub(crate) span: Span,
}

impl<'t> Source<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, byte: 0, at: Position { line: 1, column: 1 } }
    }

    /// The first word from a place on that begins with a mark, passing over
    /// other properties, white space and comments; a word of the mark alone if there is none.
    pub(crate) fn word(&mut self, from: Position, mark: char) -> Word {
        self.move_to(from);
        let (mut rest, mut at) = (&self.text[self.byte..], self.at);
        while let Some(c) = rest.chars().next() {
            if c == mark {
                return word(rest, at);
            }
            let skip: usize = match c {
                ' ' | '\t' | '\n' | '\r' => c.len_utf8(),
                '#' => rest.find(['\n', '\r']).unwrap_or(rest.len()),
                '&' | '!' => length(rest),
                _ => break,
            };
            at = passed(&rest[..skip], &rest[skip..], at);
            rest = &rest[skip..];
        }
        let end = Position { column: from.column + 1, ..from };
        Word { text: mark.to_string(), span: Span { start: from, end } }
    }

    fn move_to(&mut self, to: Position) {
        if to < self.at {
            *self = Self::new(self.text);
        }
        let mut rest = self.text[self.byte..].char_indices().peekable();
        let mut byte = self.text.len();
        while let Some((offset, c)) = rest.next() {
            if self.at >= to {
                byte = self.byte + offset;
                break;
            }
            step(&mut self.at, c, rest.peek().map(|(_, next)| *next));
        }
        self.byte = byte;
    }
}

/// The word a text begins with.
fn word(rest: &str, start: Position) -> Word {
    let whole = &rest[..length(rest)];
    let end = passed(whole, &rest[whole.len()..], start);
    let mut text: String = whole.chars().take(LONGEST).collect();
    if text.len() < whole.len() {
        text.push('…');
    }
    Word { text, span: Span { start, end } }
}

/// How long an anchor, alias or tag is, in bytes.
fn length(rest: &str) -> usize {
    if let Some(verbatim) = rest.strip_prefix("!<") {
        return verbatim.find('>').map_or(rest.len(), |end| end + 3);
    }
    rest.find([' ', '\t', '\n', '\r', ',', '[', ']', '{', '}']).unwrap_or(rest.len())
}

/// The place after some text, given what comes behind it.
fn passed(text: &str, behind: &str, mut at: Position) -> Position {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        step(&mut at, c, chars.peek().copied().or_else(|| behind.chars().next()));
    }
    at
}

fn step(at: &mut Position, c: char, next: Option<char>) {
    let ends = c == '\n' || (c == '\r' && next != Some('\n'));
    if ends {
        at.line += 1;
        at.column = 1;
    } else {
        at.column += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, column: u32) -> Position {
        Position { line, column }
    }

    fn found(text: &str, from: Position, mark: char) -> (String, Position, Position) {
        let word = Source::new(text).word(from, mark);
        (word.text, word.span.start, word.span.end)
    }

    // SPEC 2: anchors, aliases and tags are refused by name, each at its own place.
    #[test]
    fn names_are_read_where_they_stand() {
        assert_eq!(found("é: &ab x", at(1, 4), '&'), ("&ab".into(), at(1, 4), at(1, 7)));
        assert_eq!(found("a: !!str &b x", at(1, 4), '&'), ("&b".into(), at(1, 10), at(1, 12)));
        assert_eq!(
            found("a: &b # why\r\n  !<t:x> c", at(1, 4), '!'),
            ("!<t:x>".into(), at(2, 3), at(2, 9))
        );
        assert_eq!(found("[*a,*b]", at(1, 5), '*'), ("*b".into(), at(1, 5), at(1, 7)));
        assert_eq!(found("a: b", at(1, 4), '*'), ("*".into(), at(1, 4), at(1, 5)));
        assert_eq!(found("", at(3, 4), '*'), ("*".into(), at(3, 4), at(3, 5)));
    }

    // SPEC 2: a name is shown, not a page of it.
    #[test]
    fn a_very_long_name_is_cut() {
        let (text, _, end) = found(&format!("&{}", "x".repeat(5000)), at(1, 1), '&');
        assert_eq!((text.chars().count(), end), (65, at(1, 5002)));
    }

    // SPEC 2: a reader asked for an earlier place starts over instead of answering wrongly.
    #[test]
    fn going_back_is_answered_rightly() {
        let mut source = Source::new("&a\n&b");
        assert_eq!(source.word(at(2, 1), '&').text, "&b");
        assert_eq!(source.word(at(1, 1), '&').text, "&a");
    }
}
