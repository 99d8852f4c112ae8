//! The words a fork is never reported with (SPEC 9), looked for in everything we say.
//!
//! What is read: every string literal and rustdoc comment of our crates, tests included; every `.snap`
//! without its header; every Markdown file. "restored" and "resumed the original" are refused wherever
//! they stand as whole words, over line breaks too; "snapshot" where its sentence also speaks of a fork.

use crate::exceptions::Exceptions;
use crate::failure::{Failure, Finding};
use crate::rust_text::{self, Kind};
use crate::workspace::{Workspace, has_extension, is_rust};

/// The names of the rules, as exceptions use them.
const RULES: &[&str] = &["restored", "resumed-the-original", "snapshot"];

/// Words that, right after "snapshot", make it the name of a test's file.
const OF_A_TEST: &[&str] = &["test", "tests", "tested"];

/// A stretch of text that is read as prose.
struct Passage {
    line: usize,
    text: String,
}

/// Looks at all words of the workspace.
pub(super) fn check(workspace: &Workspace) -> Result<Vec<Finding>, Failure> {
    let exceptions = Exceptions::load(workspace)?;
    let mut findings = Vec::new();
    for file in workspace
        .texts(|path| is_rust(path) || has_extension(path, "snap") || has_extension(path, "md"))?
    {
        let passages = match () {
            () if is_rust(&file.path) => rust_passages(&file.path, &file.text)?,
            () if has_extension(&file.path, "snap") => vec![without_header(&file.text)],
            () => vec![Passage { line: 1, text: file.text }],
        };
        for passage in passages {
            check_passage(&file.path, &passage, &exceptions, &mut findings);
        }
    }
    findings.extend(exceptions.unused(RULES));
    Ok(findings)
}

/// The literals of a source file, and its rustdoc with neighbouring lines put together.
fn rust_passages(path: &str, source: &str) -> Result<Vec<Passage>, Failure> {
    let pieces = rust_text::pieces(source).map_err(|unclosed| Failure::Content {
        path: format!("{path}:{}", unclosed.line),
        why: "a literal or comment begins here and never ends".to_owned(),
    })?;
    let mut passages: Vec<Passage> = Vec::new();
    let mut doc_end = 0;
    for piece in &pieces {
        match piece.kind {
            Kind::Text | Kind::RawText => {
                passages.push(Passage { line: piece.line, text: rust_text::value(piece) });
                doc_end = 0;
            }
            Kind::Doc => {
                // The last passage is rustdoc, and this line goes on with it.
                let text = piece.text.trim_start_matches(['/', '!', '*']);
                match passages.last_mut() {
                    Some(above) if doc_end + 1 == piece.line => {
                        above.text.push('\n');
                        above.text.push_str(text);
                    }
                    _ => passages.push(Passage { line: piece.line, text: text.to_owned() }),
                }
                doc_end = piece.line + piece.text.matches('\n').count();
            }
            Kind::Code | Kind::Char | Kind::Comment => {}
        }
    }
    Ok(passages)
}

/// A snapshot without the header in which insta says where it came from.
fn without_header(snapshot: &str) -> Passage {
    let header_end = snapshot.strip_prefix("---\n").and_then(|rest| rest.find("\n---\n"));
    match header_end {
        Some(end) => {
            let from = "---\n".len() + end + "\n---\n".len();
            Passage {
                line: 1 + snapshot[..from].matches('\n').count(),
                text: snapshot[from..].to_owned(),
            }
        }
        None => Passage { line: 1, text: snapshot.to_owned() },
    }
}

fn check_passage(
    path: &str,
    passage: &Passage,
    exceptions: &Exceptions,
    findings: &mut Vec<Finding>,
) {
    for Offence { at, rule, sentence } in offences(&passage.text) {
        if exceptions.allow(rule, path, sentence) {
            continue;
        }
        let line = passage.line + passage.text[..at].matches('\n').count();
        let said = match rule {
            "restored" => "says \"restored\"",
            "snapshot" => "calls a fork a \"snapshot\"",
            _ => "says \"resumed the original\"",
        };
        let message = format!(
            "{said}; a fork is \"forked from source session\" or \"started from prior conversation source\" \
             (SPEC 9), and a passage that must say it is named in {}",
            crate::exceptions::FILE
        );
        findings.push(Finding::new(path, line, message));
    }
}

/// Words that must not stand where they stand.
struct Offence<'a> {
    at: usize,
    rule: &'static str,
    sentence: &'a str,
}

/// Where `text` breaks which rule.
fn offences(text: &str) -> Vec<Offence<'_>> {
    let mut found = Vec::new();
    for (from, to) in sentences(text) {
        let words = words(text, (from, to));
        let of_a_fork = words.iter().any(|(_, word)| word.starts_with("fork"));
        for (index, (at, word)) in words.iter().enumerate() {
            let next = |n: usize| words.get(index + n).map_or("", |(_, word)| word.as_str());
            let rule = match word.as_str() {
                "restored" => "restored",
                "resumed" if next(1) == "the" && next(2) == "original" => "resumed-the-original",
                "snapshot" | "snapshots" | "snapshotted"
                    if of_a_fork && !OF_A_TEST.contains(&next(1)) =>
                {
                    "snapshot"
                }
                _ => continue,
            };
            found.push(Offence { at: *at, rule, sentence: &text[from..to] });
        }
    }
    found
}

/// The byte ranges of the sentences of `text`: they end at `.`, `!`, `?` or `;` before white space, at
/// blank lines, and where a list item, table row or heading begins.
fn sentences(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut ends_at = |end: usize| {
        found.push((from, end));
        from = end;
    };
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        let ends = match c {
            '.' | '!' | '?' | ';' => after.starts_with(char::is_whitespace),
            '\n' => {
                after.trim_start_matches([' ', '\t']).starts_with(['\n', '-', '*', '|', '#', '>'])
            }
            _ => false,
        };
        if ends {
            ends_at(at + c.len_utf8());
        }
    }
    ends_at(text.len());
    found
}

/// The words of a range in lower case, each with its place in `text`; `_` is part of a word.
fn words(text: &str, (from, to): (usize, usize)) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (at, c) in text[from..to].char_indices() {
        let is_part = c.is_alphanumeric() || c == '_';
        if is_part && !inside {
            found.push((from + at, String::new()));
        }
        if is_part && let Some((_, word)) = found.last_mut() {
            word.extend(c.to_lowercase());
        }
        inside = is_part;
    }
    found
}

#[cfg(test)]
mod tests;
