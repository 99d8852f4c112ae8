//! Secret shapes in text from outside, masked before it is shown (SPEC 7). The kept file is verbatim.

/// Beginnings of words that are keys or tokens.
const PREFIXES: &[&str] = &[
    "sk-",
    "sk_",
    "pk-",
    "rk_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "eyJ",
    "npm_",
    "pypi-",
    "hf_",
    "ya29.",
];

/// Words after which the next one is a secret.
const HERALDS: &[&str] =
    &["bearer", "authorization", "x-api-key", "api_key", "apikey", "password", "token"];

/// The shortest word taken for a secret.
const SHORTEST: usize = 12;

/// Replaces what looks like a secret by its first characters and `[masked]`.
pub(crate) fn mask(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut heralded = false;
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        if word == 0 {
            let next = rest.chars().next().map_or(1, char::len_utf8);
            let between = &rest[..next];
            if between == "\n" {
                heralded = false;
            }
            out.push_str(between);
            rest = &rest[next..];
            continue;
        }
        let (this, after) = rest.split_at(word);
        let known = PREFIXES.iter().any(|prefix| this.starts_with(prefix));
        if this.len() >= SHORTEST && (known || heralded) {
            out.push_str(&this[..4]);
            out.push_str("…[masked]");
            heralded = false;
        } else {
            out.push_str(this);
            heralded = HERALDS.iter().any(|herald| this.eq_ignore_ascii_case(herald))
                || (heralded && this.len() < SHORTEST);
        }
        rest = after;
    }
    out
}

const fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/')
}

#[cfg(test)]
mod tests {
    use super::mask;

    // SPEC 7: secret shapes are masked where a runtime's words are shown.
    #[test]
    fn keys_and_bearers_are_masked_and_ids_are_not() {
        assert_eq!(mask("key sk-ant-REDACTED bad"), "key sk-a…[masked] bad");
        assert_eq!(
            mask("Authorization: Bearer abcdef0123456789\nok"),
            "Authorization: Bearer abcd…[masked]\nok"
        );
        let id = "No conversation found with session ID: 0b0165d7-cb4d-4650-90de-15c0a1ede9e6";
        assert_eq!(mask(id), id);
        assert_eq!(
            mask("{\"x-api-key\":\"0123456789abcdef\"}"),
            "{\"x-api-key\":\"0123…[masked]\"}"
        );
    }
}
