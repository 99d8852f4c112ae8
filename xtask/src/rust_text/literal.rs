//! What a string literal says once its escapes are read.

use super::{Kind, Piece};

/// The words of a string literal: escapes read, and a continued line still a line of its own, so that
/// a phrase broken over two lines is two words with white space between and keeps its place.
pub(crate) fn value(piece: &Piece<'_>) -> String {
    if piece.kind != Kind::Text {
        return piece.text.to_owned();
    }
    let mut value = String::with_capacity(piece.text.len());
    let mut chars = piece.text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            value.push(c);
            continue;
        }
        match chars.next() {
            // White space to a reader, but no line of the source.
            Some('n' | 'r' | 't' | '0') => value.push(' '),
            Some('x') => {
                let digits: String = chars.by_ref().take(2).collect();
                value.extend(character(&digits));
            }
            Some('u') => {
                let digits: String =
                    chars.by_ref().take_while(|&c| c != '}').filter(|&c| c != '{').collect();
                value.extend(character(&digits.replace('_', "")));
            }
            Some(other) => value.push(other),
            None => value.push('\\'),
        }
    }
    value
}

/// The character a hexadecimal escape names; bytes above 0x7f, which only byte strings have, become U+FFFD.
fn character(digits: &str) -> Option<char> {
    let code = u32::from_str_radix(digits, 16).ok()?;
    if digits.len() == 2 && code > 0x7f {
        Some(char::REPLACEMENT_CHARACTER)
    } else {
        char::from_u32(code)
    }
}
