//! A few lines of a text around some places, made harmless and short enough to read.

use std::ops::Range;

use seatfork_schema::printable;
use seatfork_schema::printable::is_printable;
use seatfork_schema::tree::Span;

use crate::lines::Lines;

/// Lines of context before the first mark and after the last.
const AROUND: usize = 1;
/// A longer line is cut, in characters: what is left fits the printer's width, which would cut it again.
const LONG: usize = 110;
/// What is kept of a cut line before its first mark.
const BEFORE: usize = 40;

/// Lines of a text with marks in them.
#[derive(Debug)]
pub(crate) struct Excerpt {
    /// The lines, escaped and cut.
    pub(crate) text: String,
    /// The number of the first of them in the whole text, from 1.
    pub(crate) first_line: usize,
    /// The marks as byte ranges of `text`, in the order they were given.
    pub(crate) marks: Vec<Range<usize>>,
}

impl Excerpt {
    /// Cuts out the lines around some spans; nothing where none of them is in the text.
    ///
    /// A span over several lines is marked on its first line only: what is
    /// wrong with a mapping is shown at its beginning, not by underlining all of it.
    pub(crate) fn new(
        text: &str,
        lines: &Lines,
        spans: impl Iterator<Item = Span> + Clone,
    ) -> Option<Self> {
        let numbers = spans.clone().map(|span| span.start.line as usize);
        let first_mark = numbers.clone().min()?.max(1);
        let last_mark = numbers.max()?.min(lines.count());
        let first_line = first_mark.saturating_sub(AROUND).max(1);
        let last_line = (last_mark + AROUND).min(lines.count());
        let spans: Vec<_> = spans.collect();
        let mut out = String::new();
        let mut marks = vec![0..0; spans.len()];
        for number in first_line..=last_line {
            let line = lines.line(text, number);
            let here: Vec<_> = spans
                .iter()
                .enumerate()
                .filter(|(_, span)| span.start.line as usize == number)
                .map(|(index, span)| (index, columns(*span)))
                .collect();
            push_line(&mut out, line, &here, &mut marks);
            out.push('\n');
        }
        Some(Self { text: out, first_line, marks })
    }

    /// The column of the first mark as it stands here, in characters from 1.
    pub(crate) fn column_of_first(&self) -> usize {
        let start = self.marks.first().map_or(0, |mark| mark.start);
        let before = &self.text[..start];
        before.chars().rev().take_while(|c| *c != '\n').count() + 1
    }
}

/// The characters of the first line of a span, from 0, end excluded.
fn columns(span: Span) -> Range<usize> {
    let start = (span.start.column as usize).saturating_sub(1);
    if span.end.line > span.start.line {
        return start..usize::MAX;
    }
    // A mark of nothing would not be seen: one character is marked.
    start..(span.end.column as usize).saturating_sub(1).max(start + 1)
}

/// Adds one line, and notes where its marks came to stand.
fn push_line(
    out: &mut String,
    line: &str,
    here: &[(usize, Range<usize>)],
    marks: &mut [Range<usize>],
) {
    let from = here.iter().map(|(_, columns)| columns.start).min().unwrap_or(0);
    let skipped = if is_longer(line, LONG) { from.saturating_sub(BEFORE) } else { 0 };
    if skipped > 0 {
        out.push('…');
    }
    for (index, _) in here {
        marks[*index] = usize::MAX..usize::MAX;
    }
    let mut cut = false;
    for (column, c) in (skipped..).zip(line.chars().skip(skipped)) {
        if column - skipped >= LONG {
            cut = true;
            break;
        }
        note(here, marks, column, out.len());
        if c == '\t' || is_printable(c) {
            out.push(c);
        } else {
            out.push_str(&printable(c.encode_utf8(&mut [0; 4])));
        }
    }
    let end = out.trim_end_matches([' ', '\t']).len();
    for (index, columns) in here {
        let mark = &mut marks[*index];
        if mark.start == usize::MAX {
            // Past the end of the line: its end is what there is to mark.
            *mark = out.len()..out.len();
        } else if mark.end == usize::MAX {
            let all = if columns.end == usize::MAX { end } else { out.len() };
            mark.end = all.max(mark.start);
        }
    }
    if cut {
        out.push('…');
    }
}

/// Notes that a column of the line came to stand at a byte.
fn note(here: &[(usize, Range<usize>)], marks: &mut [Range<usize>], column: usize, byte: usize) {
    for (index, columns) in here {
        let mark = &mut marks[*index];
        if columns.start == column {
            mark.start = byte;
        }
        if columns.end == column && mark.start != usize::MAX {
            mark.end = byte;
        }
    }
}

fn is_longer(line: &str, limit: usize) -> bool {
    line.len() > limit && line.chars().nth(limit).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use seatfork_schema::tree::Position;

    fn span(line: u32, from: u32, to: u32) -> Span {
        Span { start: Position { line, column: from }, end: Position { line, column: to } }
    }

    fn marked(excerpt: &Excerpt, index: usize) -> &str {
        &excerpt.text[excerpt.marks[index].clone()]
    }

    // SPEC 13: a place is found by lines and characters, whatever stands around it.
    #[test]
    fn a_mark_covers_its_characters() {
        let text = "a: 1\nschlüssel: wért\r\nc: 3\nd: 4\n";
        let lines = Lines::new(text);
        let spans = [span(2, 12, 16), span(1, 1, 2)];
        let excerpt = Excerpt::new(text, &lines, spans.into_iter()).unwrap();
        assert_eq!(excerpt.text, "a: 1\nschlüssel: wért\nc: 3\n");
        assert_eq!(
            (excerpt.first_line, marked(&excerpt, 0), marked(&excerpt, 1)),
            (1, "wért", "a")
        );
    }

    // SPEC 14: what would move the cursor is shown escaped, and marks stay where they belong.
    #[test]
    fn escapes_keep_the_marks_in_place() {
        let text = "a: \u{202e}x\u{200b} y";
        let excerpt = Excerpt::new(text, &Lines::new(text), [span(1, 7, 9)].into_iter()).unwrap();
        assert_eq!(excerpt.text, "a: \\u{202e}x\\u{200b} y\n");
        assert_eq!(marked(&excerpt, 0), " y");
    }

    // SPEC 13: a very long line is cut around its mark.
    #[test]
    fn a_long_line_is_cut_around_its_mark() {
        let text = format!("{}MARK{}", "x".repeat(100_000), "y".repeat(100_000));
        let excerpt =
            Excerpt::new(&text, &Lines::new(&text), [span(1, 100_001, 100_005)].into_iter())
                .unwrap();
        assert_eq!(marked(&excerpt, 0), "MARK");
        assert!(excerpt.text.chars().count() < 200 && excerpt.text.starts_with('…'));
    }

    // SPEC 13: a mark at or past the end, and one over several lines, are still marks.
    #[test]
    fn marks_at_the_end_and_over_lines() {
        let text = "ab: \nc:\n  d: 1\n";
        let lines = Lines::new(text);
        let over =
            Span { start: Position { line: 2, column: 1 }, end: Position { line: 3, column: 7 } };
        let excerpt = Excerpt::new(text, &lines, [span(1, 9, 9), over].into_iter()).unwrap();
        assert_eq!((marked(&excerpt, 0), marked(&excerpt, 1)), ("", "c:"));
        assert!(Excerpt::new(text, &lines, std::iter::empty()).is_none());
    }
}
