//! Which test holds which section of the specification: `docs/traceability.md`.
//!
//! A test says what it holds in a line comment right above its function, attributes between or not:
//! `// SPEC 7: a dead owner's launch is finished`, or `// SPEC 10.4: …` for a numbered part. What a
//! section asks for and no build does yet stands in `xtask/later.txt`.

mod scan;

use std::collections::BTreeMap;

use crate::failure::{Failure, Finding};
use crate::workspace::{Workspace, is_rust};

/// Where the page is.
pub(crate) const PAGE: &str = "docs/traceability.md";

/// Where what is later is listed.
const LATER: &str = "xtask/later.txt";

/// The sections of the specification, and whether tests must hold them already.
const SECTIONS: &[(u32, &str, bool)] = &[
    (1, "Words", false),
    (2, "The rig spec", true),
    (3, "`session_source`", true),
    (4, "The refusal matrix", true),
    (5, "Codec", true),
    (6, "Adapters", true),
    (7, "Launch states", true),
    (8, "Proof", true),
    (9, "Outcomes and words", true),
    (10, "Failure modes", true),
    (11, "Store", true),
    (12, "Further source modes and verbs", false),
    (13, "CLI", true),
    (14, "Security", true),
    (15, "Deferred in v1, said as such", false),
];

/// A section, or a numbered part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Section {
    pub(crate) number: u32,
    pub(crate) part: Option<u32>,
}

/// A test and what it says it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) section: Section,
    pub(crate) text: String,
    pub(crate) path: String,
    pub(crate) test: String,
}

impl Section {
    /// Reads `7` or `10.4`.
    fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| -> Option<u32> {
            text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
        };
        match text.split_once('.') {
            Some((section, part)) => {
                Some(Self { number: number(section)?, part: Some(number(part)?) })
            }
            None => Some(Self { number: number(text)?, part: None }),
        }
    }
}

/// Reads `SPEC n[.m]: text`; `None` for a comment that is not of this form.
fn statement(text: &str) -> Option<(Section, &str)> {
    let (section, text) = text.trim().strip_prefix("SPEC ")?.split_once(':')?;
    Some((Section::parse(section)?, text.trim()))
}

/// The page, as it must stand.
pub(crate) fn page(workspace: &Workspace) -> Result<String, Failure> {
    let (held, _) = read(workspace)?;
    Ok(render(&held, &later(workspace)?))
}

/// Sections without a test, comments above no test, and sections that do not exist.
pub(crate) fn check(workspace: &Workspace) -> Result<Vec<Finding>, Failure> {
    let (held, mut findings) = read(workspace)?;
    for (number, title, required) in SECTIONS {
        // Tests of these tasks hold the rules about the sources; the product's behaviour is held by its own.
        let by_product =
            |held: &Held| held.section.number == *number && held.path.starts_with("crates/");
        if *required && !held.iter().any(by_product) {
            let message = format!(
                "SPEC {number} ({title}) is held by no test below crates/; put `// SPEC {number}: what it holds` above one that does"
            );
            findings.push(Finding::new(PAGE, 0, message));
        }
    }
    later(workspace)?;
    Ok(findings)
}

fn read(workspace: &Workspace) -> Result<(Vec<Held>, Vec<Finding>), Failure> {
    let mut held = Vec::new();
    let mut findings = Vec::new();
    for file in workspace.texts(is_rust)? {
        scan::file(&file, &mut held, &mut findings)?;
    }
    held.retain(|held| {
        let known = SECTIONS.iter().any(|(number, ..)| *number == held.section.number);
        if !known {
            let message =
                format!("`{}` names SPEC {}, which is no section", held.test, held.section.number);
            findings.push(Finding::new(&held.path, 0, message));
        }
        known
    });
    Ok((held, findings))
}

/// What is later, by section.
fn later(workspace: &Workspace) -> Result<BTreeMap<u32, Vec<String>>, Failure> {
    let mut later: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (index, line) in workspace.text(LATER)?.text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match statement(line) {
            Some((section, text)) if !text.is_empty() => {
                later.entry(section.number).or_default().push(text.to_owned());
            }
            _ => {
                let why = "a line is `SPEC n: what is later`".to_owned();
                return Err(Failure::Content { path: format!("{LATER}:{}", index + 1), why });
            }
        }
    }
    Ok(later)
}

fn render(held: &[Held], later: &BTreeMap<u32, Vec<String>>) -> String {
    let mut lines = vec![format!(
        "# Traceability\n\nWhich test holds which section of the specification. Generated by `cargo xtask traceability` from the\n\
         `// SPEC n: …` lines above the tests and from `{LATER}`; do not edit.\n\n| section | tests | later |\n|---|---|---|"
    )];
    for (number, title, _) in SECTIONS {
        let tests = held.iter().filter(|held| held.section.number == *number).count();
        let later = later.get(number).map_or(0, Vec::len);
        lines.push(format!("| {number}. {title} | {tests} | {later} |"));
    }
    for (number, title, _) in SECTIONS {
        lines.push(format!("\n## SPEC {number}: {title}\n"));
        let mut here: Vec<&Held> =
            held.iter().filter(|held| held.section.number == *number).collect();
        here.sort_by_key(|held| (held.section, &held.path));
        for Held { section, text, path, test } in &here {
            let part = section.part.map(|part| format!("{number}.{part}: ")).unwrap_or_default();
            lines.push(format!("- {part}{text}\n  `{path}::{test}`"));
        }
        let later = later.get(number).into_iter().flatten();
        lines.extend(later.map(|text| format!("- Later: {text}")));
        if lines.last().is_some_and(|last| last.starts_with("\n## ")) {
            lines.push("No test names this section.".to_owned());
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

#[cfg(test)]
mod tests;
