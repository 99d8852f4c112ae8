//! What differs from run to run beyond the test kit's own redaction: codewords, hashes, free space, spans.

use seatfork_testkit::Output;

/// A whole output, ready for a snapshot.
pub(crate) fn shown(output: &Output) -> String {
    steady(&output.to_string())
}

/// What a run said on stdout, with its exit code: progress on stderr comes as it comes.
pub(crate) fn said(output: &Output) -> String {
    let whole = output.to_string();
    let (said, _progress) = whole.split_once("----- stderr -----").unwrap_or((&whole, ""));
    steady(said)
}

/// Replaces it in a text.
pub(crate) fn steady(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = between(line, " of disk (", " free)", "[size]");
        let line = between(&line, ", last activity ", ", ", "[span]");
        words(&spans(&line))
    });
    lines.map(|line| line + "\n").collect()
}

/// What stands between two texts, replaced.
fn between(line: &str, before: &str, after: &str, with: &str) -> String {
    let Some((head, rest)) = line.split_once(before) else { return line.to_owned() };
    let Some((_, tail)) = rest.split_once(after) else { return line.to_owned() };
    [head, before, with, after, tail].concat()
}

/// A slow machine is no other result.
fn spans(line: &str) -> String {
    let mut out = line.to_owned();
    for unit in [" s ago", " min ago"] {
        while let Some(at) = out.find(unit) {
            let digits = out[..at].chars().rev().take_while(char::is_ascii_digit).count();
            out.replace_range(at - digits..at + unit.len(), "just now");
        }
    }
    out
}

/// Codewords and hashes.
fn words(line: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(is_word) {
        let len = rest[start..].find(|c| !is_word(c)).unwrap_or(rest.len() - start);
        let word = &rest[start..start + len];
        let is_hash = [16, 64].contains(&word.len()) && word.chars().all(|c| c.is_ascii_hexdigit());
        out.push_str(&rest[..start]);
        match word {
            word if word.starts_with("CODEWORD-") => out.push_str("[codeword]"),
            _ if is_hash => out.push_str("[hash]"),
            word => out.push_str(word),
        }
        rest = &rest[start + len..];
    }
    out + rest
}
