//! Bytes to text: the size limit, UTF-8, the byte order mark, and characters no YAML text may hold (SPEC 2).

use seatfork_schema::tree::Position;

/// The most bytes a spec may have (SPEC 2).
pub const MAX_BYTES: usize = 1024 * 1024;

/// A text that may be read as YAML.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Text<'a> {
    /// The text without its byte order mark, cut before the first forbidden character.
    pub(crate) text: &'a str,
    /// The first character that YAML forbids, with its place.
    pub(crate) forbidden: Option<(char, Position)>,
}

/// Why bytes are no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotText {
    /// More than [`MAX_BYTES`].
    TooLarge {
        /// How many there are, or were read.
        bytes: usize,
    },
    /// Not UTF-8.
    NotUtf8 {
        /// The offset of the first byte that is wrong, in the file.
        offset: usize,
        /// Where it stands.
        at: Position,
    },
}

/// Makes text of bytes, or says why they are none.
pub(crate) fn text(bytes: &[u8]) -> Result<Text<'_>, NotText> {
    if bytes.len() > MAX_BYTES {
        return Err(NotText::TooLarge { bytes: bytes.len() });
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let offset = error.valid_up_to();
            let good = String::from_utf8_lossy(&bytes[..offset]);
            return Err(NotText::NotUtf8 { offset, at: end_of(without_mark(&good)) });
        }
    };
    let text = without_mark(text);
    Ok(match first_forbidden(text) {
        None => Text { text, forbidden: None },
        Some((at, c)) => Text { text: &text[..at], forbidden: Some((c, end_of(&text[..at]))) },
    })
}

/// The text that a place in a report counts in: without the byte order mark,
/// and with every byte that is not UTF-8 shown as a replacement character.
pub(crate) fn shown(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    let bytes = bytes.strip_prefix(MARK.as_bytes()).unwrap_or(bytes);
    String::from_utf8_lossy(bytes)
}

const MARK: &str = "\u{feff}";

fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// The place just past a text. Lines end as in YAML: LF, CR LF, or CR alone.
fn end_of(text: &str) -> Position {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let lines = crate::lines::Lines::new(text);
    let start = lines.last_start();
    Position { line: number(lines.count()), column: number(text[start..].chars().count() + 1) }
}

/// The first character outside what YAML calls printable (production 1 of YAML 1.2), with its byte index.
fn first_forbidden(text: &str) -> Option<(usize, char)> {
    // Most texts hold none: one pass over bytes without branches on them decides that.
    // 0xC2 leads U+0080 to U+00BF, 0xEF leads U+F000 to U+FFFF.
    let suspicious = |b: u8| match b {
        b'\t' | b'\n' | b'\r' => false,
        0..0x20 | 0x7f | 0xc2 | 0xef => true,
        _ => false,
    };
    if !text.bytes().fold(false, |seen, b| seen | suspicious(b)) {
        return None;
    }
    text.char_indices().find(|(_, c)| {
        !matches!(c,
            '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}'
            | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, column: u32) -> Position {
        Position { line, column }
    }

    // SPEC 2: a byte order mark is ignored, and no place counts it.
    #[test]
    fn a_byte_order_mark_is_ignored() {
        assert_eq!(text(b"\xef\xbb\xbfa: 1"), Ok(Text { text: "a: 1", forbidden: None }));
        assert_eq!(shown(b"\xef\xbb\xbfa"), "a");
    }

    // SPEC 2: the first byte that is not UTF-8 is named with its place, in characters.
    #[test]
    fn the_first_bad_byte_is_placed_in_characters() {
        assert_eq!(
            text(
                "é: 1\r\nü: "
                    .as_bytes()
                    .iter()
                    .chain(b"\xff")
                    .copied()
                    .collect::<Vec<_>>()
                    .as_slice()
            ),
            Err(NotText::NotUtf8 { offset: 11, at: at(2, 4) })
        );
        assert_eq!(text(b"\xc0\xaf"), Err(NotText::NotUtf8 { offset: 0, at: at(1, 1) }));
    }

    // SPEC 2: one byte more than a mebibyte is too much.
    #[test]
    fn the_size_limit_is_exact() {
        assert!(text(&vec![b' '; MAX_BYTES]).is_ok());
        assert_eq!(
            text(&vec![b' '; MAX_BYTES + 1]),
            Err(NotText::TooLarge { bytes: MAX_BYTES + 1 })
        );
    }

    // SPEC 2: characters that YAML forbids end the text where they stand.
    #[test]
    fn forbidden_characters_are_found_and_allowed_ones_are_not() {
        for c in ['\0', '\u{1b}', '\u{7f}', '\u{80}', '\u{9f}', '\u{fffe}', '\u{ffff}'] {
            let text_with = format!("a: 1\nb: {c}");
            let found = text(text_with.as_bytes()).unwrap();
            assert_eq!(found.text, "a: 1\nb: ", "{c:?}");
            assert_eq!(found.forbidden, Some((c, at(2, 4))), "{c:?}");
        }
        let fine = "\t\r\n ~\u{85}\u{a0}é\u{d7ff}\u{e000}\u{fffd}\u{feff}🙂";
        assert_eq!(text(fine.as_bytes()).unwrap().forbidden, None);
    }
}
