//! The named exceptions to the rules of `verify`: each with its reason, each refused once unused.
//!
//! `xtask/exceptions.txt` has one a line, `rule | path | fragment | reason`. The path is a file, or a
//! folder with `/` at its end. The fragment is a piece of the offending sentence or line, or `*` for every one in the file.

use std::cell::Cell;

use crate::failure::{Failure, Finding};
use crate::workspace::Workspace;

/// Where the exceptions stand.
pub(crate) const FILE: &str = "xtask/exceptions.txt";

/// Every rule that knows exceptions; a name that is none of these is refused.
const RULES: &[&str] = &[
    "restored",
    "resumed-the-original",
    "snapshot",
    "lines",
    "trailing-space",
    "machine-path",
    "registry-host",
    "sql",
];

/// All exceptions, and which of them were needed so far.
#[derive(Debug)]
pub(crate) struct Exceptions(Vec<Row>);

#[derive(Debug)]
struct Row {
    line: usize,
    rule: String,
    path: String,
    fragment: String,
    used: Cell<bool>,
}

impl Exceptions {
    /// Reads the file of the workspace.
    pub(crate) fn load(workspace: &Workspace) -> Result<Self, Failure> {
        Self::parse(&workspace.text(FILE)?.text)
    }

    /// Reads exceptions from text; blank lines and lines that begin with `#` are skipped.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let mut rows = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let refused =
                |why: String| Failure::Content { path: format!("{FILE}:{}", index + 1), why };
            let columns: Vec<&str> = line.splitn(4, '|').map(str::trim).collect();
            let &[rule, path, fragment, reason] = columns.as_slice() else {
                return Err(refused(
                    "an exception is `rule | path | fragment | reason`".to_owned(),
                ));
            };
            if !RULES.contains(&rule) {
                return Err(refused(format!(
                    "no rule is called `{rule}`; there are {}",
                    RULES.join(", ")
                )));
            }
            if path.is_empty() || fragment.is_empty() || reason.is_empty() {
                return Err(refused(
                    "path, fragment and reason must each say something".to_owned(),
                ));
            }
            rows.push(Row {
                line: index + 1,
                rule: rule.to_owned(),
                path: path.to_owned(),
                fragment: fragment.to_owned(),
                used: Cell::new(false),
            });
        }
        Ok(Self(rows))
    }

    /// Whether an exception allows `passage` of `path` to break `rule`; it counts as used from then on.
    pub(crate) fn allow(&self, rule: &str, path: &str, passage: &str) -> bool {
        let passage = one_line(passage);
        let mut allowed = false;
        for row in self.0.iter().filter(|row| row.rule == rule) {
            let here = row.path == path || row.path.ends_with('/') && path.starts_with(&row.path);
            if here && (row.fragment == "*" || passage.contains(&row.fragment)) {
                row.used.set(true);
                allowed = true;
            }
        }
        allowed
    }

    /// The exceptions to `rules` that nothing needed.
    pub(crate) fn unused(&self, rules: &[&str]) -> Vec<Finding> {
        self.0
            .iter()
            .filter(|row| rules.contains(&row.rule.as_str()) && !row.used.get())
            .map(|row| {
                let Row { rule, path, .. } = row;
                Finding::new(
                    FILE,
                    row.line,
                    format!("the exception to `{rule}` for {path} is needed by nothing; remove it"),
                )
            })
            .collect()
    }
}

/// A passage with every run of white space as one space.
fn one_line(passage: &str) -> String {
    passage.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_covers_its_rule_path_and_fragment_alone() {
        let exceptions = Exceptions::parse(
            "# head\n\nlines | a.rs | * | a table\nsql | d/ | odd one | said | so",
        )
        .unwrap();
        assert!(exceptions.allow("lines", "a.rs", ""));
        assert!(!exceptions.allow("lines", "b.rs", ""));
        assert!(!exceptions.allow("sql", "a.rs", ""));
        assert!(exceptions.allow("sql", "d/x.rs", "an odd\n  one"));
        assert!(!exceptions.allow("sql", "d/x.rs", "another"));
    }

    #[test]
    fn an_exception_that_nothing_needed_is_found() {
        let exceptions = Exceptions::parse("lines | a.rs | * | why\nsql | b.rs | * | why").unwrap();
        assert!(exceptions.allow("lines", "a.rs", ""));
        assert_eq!(exceptions.unused(&["lines"]), []);
        let unused = exceptions.unused(&["lines", "sql"]);
        assert_eq!(unused.len(), 1);
        assert_eq!((unused[0].path.as_str(), unused[0].line), (FILE, 2));
    }

    #[test]
    fn a_row_without_a_reason_or_of_an_unknown_rule_is_refused() {
        for row in [
            "lines | a.rs | *",
            "lines | a.rs | * |",
            "lines |  | * | why",
            "speed | a.rs | * | why",
        ] {
            assert!(matches!(Exceptions::parse(row), Err(Failure::Content { .. })), "{row}");
        }
    }
}
