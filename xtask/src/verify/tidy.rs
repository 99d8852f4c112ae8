//! Small rules of the house that no compiler checks.
//!
//! Every `.rs` begins with `//!` (or, a crate's root, with its README) and is not called `mod.rs`; no
//! hand-written file has more than 500 lines; nothing is left unfinished or ignored; serde never
//! flattens or guesses; no white space ends a line; no machine's paths and no registry's hosts stand
//! anywhere.

mod places;

use crate::exceptions::{self, Exceptions};
use crate::failure::{Failure, Finding};
use crate::process;
use crate::rust_text;
use crate::workspace::{TextFile, Workspace, has_extension, is_rust};

/// The rules that know exceptions.
const RULES: &[&str] = &["lines", "trailing-space", "machine-path", "registry-host"];

/// The most lines a hand-written file may have.
const MOST_LINES: usize = 500;

/// What is written by hand and read by people.
const WRITTEN: &[&str] = &["rs", "md", "toml", "sql", "sh", "txt", "yml", "yaml", "json", "jsonl"];

/// Data of tests: its size and its white space may be the point of it.
const DATA: &[&str] = &["yaml", "json", "jsonl"];

/// How a source says what it is for: in words of its own, or a crate in those of its README.
const PURPOSE: &[&str] = &["//!", "#![doc = include_str!(\"../README.md\")]"];

/// Code that must not stand anywhere, and what to do about it.
const UNFINISHED: &[(&str, &str)] = &[
    ("todo!", "write it, or refuse the case with an error that says so"),
    ("unimplemented!", "write it, or refuse the case with an error that says so"),
    ("dbg!", "remove it"),
    ("#[ignore", "a test runs or is not there; assert what holds today and say why"),
];

/// Looks at every file of the workspace; `generated` are the paths no person writes.
pub(super) fn check(workspace: &Workspace, generated: &[String]) -> Result<Vec<Finding>, Failure> {
    let allowed = Exceptions::load(workspace)?;
    let places = places::Places::of(&workspace.root, process::environment("HOME"));
    let mut findings = Vec::new();
    let written = |path: &str| {
        let known =
            WRITTEN.iter().any(|kind| has_extension(path, kind)) || path.starts_with(".ci/");
        known && !generated.iter().any(|own| own == path)
    };
    for file in workspace.texts(written)? {
        if is_rust(&file.path) {
            rust_rules(&file, &mut findings);
        }
        if !DATA.iter().any(|kind| has_extension(&file.path, kind)) {
            shape_rules(&file, &allowed, &mut findings);
        }
        // The list of exceptions must quote what it excepts.
        let quotes = file.path == exceptions::FILE;
        for (line, rule, message) in places.named_in(&file.text).into_iter().filter(|_| !quotes) {
            let passage = file.text.lines().nth(line - 1).unwrap_or_default();
            if !allowed.allow(rule, &file.path, passage) {
                findings.push(Finding::new(&file.path, line, message));
            }
        }
    }
    findings.extend(allowed.unused(RULES));
    Ok(findings)
}

/// Length and white space.
fn shape_rules(file: &TextFile, exceptions: &Exceptions, findings: &mut Vec<Finding>) {
    let lines = file.text.lines().count();
    if lines > MOST_LINES && !exceptions.allow("lines", &file.path, "") {
        let message = format!("has {lines} lines, more than {MOST_LINES}; split it by meaning");
        findings.push(Finding::new(&file.path, 0, message));
    }
    for (index, line) in file.text.lines().enumerate() {
        if line.ends_with([' ', '\t', '\r'])
            && !exceptions.allow("trailing-space", &file.path, line)
        {
            findings.push(Finding::new(
                &file.path,
                index + 1,
                "white space ends the line; remove it",
            ));
        }
    }
}

/// What only Rust source can get wrong.
fn rust_rules(file: &TextFile, findings: &mut Vec<Finding>) {
    let TextFile { path, text } = file;
    if !PURPOSE.iter().any(|opening| text.starts_with(opening)) {
        findings.push(Finding::new(path, 1, "must begin with `//!`: say what this file is for"));
    }
    if path == "mod.rs" || path.ends_with("/mod.rs") {
        findings.push(Finding::new(
            path,
            0,
            "a module `foo` is `foo.rs` with its children in `foo/`; rename it",
        ));
    }
    match rust_text::pieces(text) {
        Ok(pieces) => code_rules(path, &rust_text::code_only(&pieces), findings),
        Err(unclosed) => {
            findings.push(Finding::new(
                path,
                unclosed.line,
                "a literal or comment begins here and never ends",
            ));
        }
    }
}

fn code_rules(path: &str, code: &str, findings: &mut Vec<Finding>) {
    let mut found = |at: usize, message: String| {
        findings.push(Finding::new(path, 1 + code[..at].matches('\n').count(), message));
    };
    for (leftover, advice) in UNFINISHED {
        for (at, _) in code.match_indices(leftover) {
            if !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                found(at, format!("`{leftover}` is not allowed: {advice}"));
            }
        }
    }
    for (at, _) in code.match_indices("serde(") {
        let inside = &code[at + "serde(".len()..];
        let inside = &inside[..inside.find(']').unwrap_or(inside.len())];
        for word in inside.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            if matches!(word, "flatten" | "untagged") {
                found(
                    at,
                    format!("`serde({word})` loses messages and positions; write the visitor out"),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests;
