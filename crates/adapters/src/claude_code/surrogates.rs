//! Halves of surrogate pairs in JSON text.
//!
//! Claude Code cuts texts by UTF-16 units and so writes `"\ud83d"` where an
//! emoji was cut in two. That is JSON, but no text: both versions read it as
//! U+FFFD, and so do we.

/// Replaces every escape of half a surrogate pair by that of U+FFFD; `None` when there is none.
pub(super) fn mend(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    let mut out: Option<String> = None;
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        let escape = at + found;
        let unit = unit_at(bytes, escape);
        at = match unit {
            Some(0xD800..=0xDBFF) if is_low(unit_at(bytes, escape + 6)) => escape + 12,
            Some(0xD800..=0xDFFF) => {
                let mended = out.get_or_insert_default();
                mended.push_str(&json[copied..escape]);
                mended.push_str("\\ufffd");
                copied = escape + 6;
                copied
            }
            Some(_) => escape + 6,
            // Any other escape is two bytes; a lone backslash at the end is for the parser to refuse.
            None => (escape + 2).min(bytes.len()),
        };
    }
    if let Some(mended) = &mut out {
        mended.push_str(&json[copied..]);
    }
    out
}

fn is_low(unit: Option<u32>) -> bool {
    matches!(unit, Some(0xDC00..=0xDFFF))
}

/// The UTF-16 unit of the `\uXXXX` that begins here.
fn unit_at(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    if &escape[..2] != b"\\u" {
        return None;
    }
    escape[2..].iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::mend;

    // SPEC 8: text cut in the middle of a pair is compared as the runtime reads it.
    #[test]
    fn only_halves_are_replaced() {
        for (json, mended) in [
            (r#""plain""#, None),
            (r#""\ud83d\ude00 whole""#, None),
            (r#""\u00e9 \n \\ud83d""#, None),
            (r#""cut \ud83d here""#, Some(r#""cut \ufffd here""#)),
            (r#""\uDE00""#, Some(r#""\ufffd""#)),
            (r#""\ud83d\ud83d\ude00""#, Some(r#""\ufffd\ud83d\ude00""#)),
            (r#""\\\ud83d\n""#, Some(r#""\\\ufffd\n""#)),
            (r#""\ud83d\u0041""#, Some(r#""\ufffd\u0041""#)),
            (r#""\ud83"#, None),
            ("\\", None),
        ] {
            assert_eq!(mend(json).as_deref(), mended, "{json}");
        }
        let mended = mend(r#""a \ud83d b \udc00 c""#).unwrap();
        assert_eq!(serde_json::from_str::<String>(&mended).unwrap(), "a \u{fffd} b \u{fffd} c");
    }
}
