//! The one way a word reaches tmux's own parser, and the one way a path reaches its formats.

/// Quotes one word for a command file of tmux, so that it arrives byte for byte.
///
/// Single quotes stop every expansion (double quotes expand variables). Two characters cannot
/// stand inside them: `'`, and a newline, which ends the command. Both go in between, the newline
/// as the escape `\n` of a double-quoted piece. A newline never appears raw, so a `\` before one
/// cannot become a line continuation. NUL cannot be an argument and is refused before
/// ([`crate::SpecError::Nul`]).
pub(crate) fn quote(word: &str) -> String {
    let mut out = String::with_capacity(word.len() + 2);
    out.push('\'');
    for c in word.chars() {
        match c {
            '\'' => out.push_str(r"'\''"),
            '\n' => out.push_str(r#"'"\n"'"#),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// Escapes a text for an argument that tmux expands as a format (`new-session -c`).
///
/// `##` is a literal `#`, so no `#{…}` and no `#(…)` can begin. The exception is a run of `#`
/// before `[`: tmux passes it as it stands, and doubling would change it.
pub(crate) fn escape_format(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('#') {
        out.push_str(&rest[..at]);
        let run = rest[at..].bytes().take_while(|b| *b == b'#').count();
        let after = &rest[at + run..];
        let copies = if after.starts_with('[') { 1 } else { 2 };
        for _ in 0..run * copies {
            out.push('#');
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 14: every word single-quoted; the integration tests put them through a real tmux
    #[test]
    fn words_are_quoted_without_a_raw_newline() {
        let table = [
            ("", "''"),
            ("plain", "'plain'"),
            ("a'b", r"'a'\''b'"),
            ("$HOME #{pid} \"x\" ;", "'$HOME #{pid} \"x\" ;'"),
            ("a\\\nb", "'a\\'\"\\n\"'b'"),
        ];
        for (word, quoted) in table {
            assert_eq!(quote(word), quoted);
            assert!(!quote(word).contains('\n'));
        }
    }

    // SPEC 14: a path never becomes a format
    #[test]
    fn formats_are_doubled_away() {
        let table = [
            ("/a/b", "/a/b"),
            ("#{pid}", "##{pid}"),
            ("a#(id)b", "a##(id)b"),
            ("##", "####"),
            ("#[x]", "#[x]"),
            ("##[x]#{y}", "##[x]##{y}"),
            ("é#", "é##"),
        ];
        for (text, escaped) in table {
            assert_eq!(escape_format(text), escaped);
        }
    }
}
