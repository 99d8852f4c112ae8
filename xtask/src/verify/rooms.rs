//! SQL, and the one door through which a stored token becomes a `SeatToken`, stay in their rooms.
//!
//! A `SeatToken` is made by `realize` from proved evidence and by the store reading its own column
//! (SPEC 11): the constructor for the latter is named in `crates/store` and, where it is defined, in
//! `crates/schema`. SQL is written in `crates/store` and nowhere else.

use crate::exceptions::Exceptions;
use crate::failure::{Failure, Finding};
use crate::rust_text::{self, Kind};
use crate::workspace::{TextFile, Workspace, has_extension, is_rust};

/// The constructor that turns a stored column into a token.
const TOKEN_DOOR: &str = "from_store_column";

const STORE: &str = "crates/store/";
const TOKEN_ROOMS: &[&str] = &[STORE, "crates/schema/"];

/// How statements begin; in capitals, as they are written, so that a sentence is none.
const STATEMENTS: &[&str] = &[
    "ALTER TABLE",
    "ATTACH DATABASE",
    "BEGIN IMMEDIATE",
    "CREATE INDEX",
    "CREATE TABLE",
    "CREATE TRIGGER",
    "CREATE UNIQUE",
    "CREATE VIEW",
    "DELETE FROM",
    "DROP INDEX",
    "DROP TABLE",
    "DROP TRIGGER",
    "INSERT INTO",
    "INSERT OR",
    "PRAGMA ",
    "REPLACE INTO",
    "SELECT ",
    "UPDATE ",
];

/// Looks at every source and every `.sql` file.
pub(super) fn check(workspace: &Workspace) -> Result<Vec<Finding>, Failure> {
    let exceptions = Exceptions::load(workspace)?;
    let mut findings = Vec::new();
    for path in workspace.paths()? {
        if has_extension(&path, "sql") && !path.starts_with(STORE) {
            findings.push(Finding::new(&path, 0, format!("SQL lives in {STORE}; move it there")));
        } else if is_rust(&path) {
            check_source(&workspace.text(&path)?, &exceptions, &mut findings);
        }
    }
    findings.extend(exceptions.unused(&["sql"]));
    Ok(findings)
}

fn check_source(file: &TextFile, exceptions: &Exceptions, findings: &mut Vec<Finding>) {
    let TextFile { path, text } = file;
    let pieces = match rust_text::pieces(text) {
        Ok(pieces) => pieces,
        Err(unclosed) => {
            findings.push(Finding::new(
                path,
                unclosed.line,
                "a literal or comment begins here and never ends",
            ));
            return;
        }
    };
    for piece in &pieces {
        match piece.kind {
            Kind::Code if !TOKEN_ROOMS.iter().any(|room| path.starts_with(room)) => {
                for (at, _) in piece.text.match_indices(TOKEN_DOOR) {
                    let line = piece.line + piece.text[..at].matches('\n').count();
                    let message = format!(
                        "`{TOKEN_DOOR}` is the store's own door to a token; take a `SeatToken` from the store or from `realize`"
                    );
                    findings.push(Finding::new(path, line, message));
                }
            }
            Kind::Text | Kind::RawText if !path.starts_with(STORE) => {
                let value = rust_text::value(piece);
                let value = value.trim_start();
                let statement = STATEMENTS.iter().find(|opening| value.starts_with(**opening));
                if let Some(opening) = statement
                    && !exceptions.allow("sql", path, value)
                {
                    let message = format!(
                        "`{}…` is SQL, which lives in {STORE}; add a query there",
                        opening.trim_end()
                    );
                    findings.push(Finding::new(path, piece.line, message));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let mut findings = Vec::new();
        let file = TextFile { path: path.to_owned(), text: text.to_owned() };
        check_source(&file, &Exceptions::parse("").unwrap(), &mut findings);
        findings.into_iter().map(|finding| finding.line).collect()
    }

    // SPEC 11: only the store turns a stored column into a seat token
    #[test]
    fn the_token_door_is_refused_outside_its_rooms() {
        let source = "//! A.\nfn f() {\n    SeatToken::from_store_column(x);\n}\n";
        assert_eq!(lines("crates/launch/src/a.rs", source), [3]);
        assert_eq!(lines("crates/cli/tests/e2e/a.rs", source), [3]);
        assert_eq!(lines("crates/store/src/a.rs", source), [0; 0]);
        assert_eq!(lines("crates/schema/src/token.rs", source), [0; 0]);
        assert_eq!(lines("crates/cli/src/a.rs", "// from_store_column is the store's\n"), [0; 0]);
    }

    // SPEC 11: SQL is written in the store alone
    #[test]
    fn sql_is_refused_outside_the_store() {
        for sql in ["\"SELECT 1\"", "r#\"\n   UPDATE seats SET x = 1\"#", "\"PRAGMA user_version\""]
        {
            assert_eq!(lines("crates/cli/src/a.rs", &format!("f({sql});")), [1], "{sql}");
            assert_eq!(lines("crates/store/src/a.rs", &format!("f({sql});")), [0; 0], "{sql}");
        }
        assert_eq!(
            lines(
                "crates/cli/src/a.rs",
                "f(\"Select a seat\", \"update it\", \"UPDATED\"); // SELECT"
            ),
            [0; 0]
        );
    }
}
