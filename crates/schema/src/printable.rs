//! The one gate for text from outside (SPEC 14).

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Makes text from outside harmless to print on one line: control, format
/// (bidi, zero-width), private-use, unassigned and line-breaking characters
/// come out as `\u{…}` escapes, everything else as it is.
///
/// ```
/// assert_eq!(seatfork_schema::printable("a\u{1b}[31mb"), "a\\u{1b}[31mb");
/// assert_eq!(seatfork_schema::printable("日本 ok"), "日本 ok");
/// ```
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_printable(c) {
            out.push(c);
        } else {
            out.extend(c.escape_unicode());
        }
    }
    out
}

/// Like [`printable`], but keeps line feeds and tabs: for quoted runtime output of several lines.
pub fn printable_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_printable(c) || matches!(c, '\n' | '\t') {
            out.push(c);
        } else {
            out.extend(c.escape_unicode());
        }
    }
    out
}

/// Whether a character may stand in one line of output as it is.
pub fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    !matches!(
        c.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned
            | GeneralCategory::Surrogate
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 14: text from outside cannot move the cursor, hide or reverse what is shown.
    #[test]
    fn control_format_and_private_characters_come_out_escaped() {
        for c in [
            '\u{0}', '\n', '\u{7f}', '\u{9b}', '\u{200b}', '\u{202e}', '\u{2066}', '\u{feff}',
            '\u{e000}', '\u{2028}', '\u{378}',
        ] {
            assert!(!is_printable(c), "{c:?}");
        }
        assert_eq!(printable("x\u{202e}y"), "x\\u{202e}y");
        assert_eq!(printable_lines("a\n\tb\r"), "a\n\tb\\u{d}");
        assert_eq!(printable("é ü 日 🙂"), "é ü 日 🙂");
    }
}
