//! Finds the `// SPEC n: …` lines of a source file and the test function each stands above.

use std::collections::BTreeMap;

use super::{Held, Section, statement};
use crate::failure::{Failure, Finding};
use crate::rust_text::{self, Kind};
use crate::workspace::TextFile;

/// What has been read above a function so far.
#[derive(Default)]
struct Above {
    statements: Vec<(usize, Section, String)>,
    is_test: bool,
    /// Brackets of an attribute that are still open.
    open: i32,
}

/// Adds what the tests of `file` hold; in a folder of tests a line above no test is a finding.
pub(super) fn file(
    file: &TextFile,
    held: &mut Vec<Held>,
    findings: &mut Vec<Finding>,
) -> Result<(), Failure> {
    let TextFile { path, text } = file;
    if !text.contains("// SPEC ") {
        return Ok(());
    }
    let pieces = rust_text::pieces(text).map_err(|unclosed| Failure::Content {
        path: format!("{path}:{}", unclosed.line),
        why: "a literal or comment begins here and never ends".to_owned(),
    })?;
    let comments: BTreeMap<usize, &str> = pieces
        .iter()
        .filter(|piece| matches!(piece.kind, Kind::Comment | Kind::Doc))
        .map(|piece| (piece.line, piece.text))
        .collect();
    let code = rust_text::code_only(&pieces);
    let mut above = Above::default();
    for (index, code) in code.lines().enumerate() {
        let line = index + 1;
        let comment = comments.get(&line).copied();
        if let Some(test) = above.take(line, code.trim(), comment) {
            for (_, section, text) in above.statements.drain(..) {
                held.push(Held { section, text, path: path.clone(), test: test.clone() });
            }
        }
        if !above.goes_on(code.trim(), comment) {
            let lost = std::mem::take(&mut above).statements;
            if path.starts_with("tests/") || path.contains("/tests/") {
                findings.extend(lost.into_iter().map(|(line, section, _)| {
                    let message = format!("this SPEC {} line stands above no test; put it right above the test's function", section.number);
                    Finding::new(path, line, message)
                }));
            }
        }
    }
    Ok(())
}

impl Above {
    /// Reads a line; the name of the test whose function it begins, if it does.
    fn take(&mut self, line: usize, code: &str, comment: Option<&str>) -> Option<String> {
        if code.is_empty() {
            let said = comment.and_then(|comment| comment.strip_prefix("//")).and_then(statement);
            if let Some((section, text)) = said {
                self.statements.push((line, section, text.to_owned()));
            }
            return None;
        }
        if self.open > 0 || code.starts_with("#[") {
            self.is_test |= is_test_attribute(code);
            self.open += balance(code);
        }
        let name = function(code)?;
        std::mem::take(&mut self.is_test).then(|| name.to_owned())
    }

    /// Whether what was read still belongs to the function to come.
    fn goes_on(&self, code: &str, comment: Option<&str>) -> bool {
        let attribute = self.open > 0
            || code.starts_with("#[")
            || code.ends_with(']') && function(code).is_none();
        (code.is_empty() && comment.is_some()) || (attribute && function(code).is_none())
    }
}

/// `#[test]`, `#[tokio::test]`, `#[tokio::test(…)]`.
fn is_test_attribute(code: &str) -> bool {
    code.match_indices("test").any(|(at, word)| {
        let before = code[..at].trim_end();
        let after = &code[at + word.len()..];
        (before.ends_with("#[") || before.ends_with("::")) && after.starts_with([']', '('])
    })
}

fn balance(code: &str) -> i32 {
    code.chars()
        .map(|c| match c {
            '[' => 1,
            ']' => -1,
            _ => 0,
        })
        .sum()
}

/// The name of the function a line of code begins.
fn function(code: &str) -> Option<&str> {
    let name = code.split_whitespace().skip_while(|word| *word != "fn").nth(1)?;
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '#'))?;
    Some(&name[..end])
}
