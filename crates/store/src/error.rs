//! How the database says no (SPEC 11). Operations that can refuse for reasons of their own have their own enums around this one.

use camino::{Utf8Path, Utf8PathBuf};
use rusqlite::ErrorCode;
use thiserror::Error;

/// Why the database did not do it. Nothing of the transaction it happened in was stored.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another process held the writer's place for longer than we wait.
    #[error("{path} is held by another process; gave up waiting while {during}")]
    Busy {
        /// The store.
        path: Utf8PathBuf,
        /// What was being done.
        during: &'static str,
        /// What SQLite said.
        #[source]
        source: Box<rusqlite::Error>,
    },
    /// No room: the disk, a quota, or the page limit.
    #[error("no space left for {path} while {during}")]
    Full {
        /// The store.
        path: Utf8PathBuf,
        /// What was being done.
        during: &'static str,
        /// What SQLite said.
        #[source]
        source: Box<rusqlite::Error>,
    },
    /// The store was opened, or stands, where nothing may be written.
    #[error("{path} cannot be written while {during}")]
    ReadOnly {
        /// The store.
        path: Utf8PathBuf,
        /// What was being done.
        during: &'static str,
        /// What SQLite said.
        #[source]
        source: Box<rusqlite::Error>,
    },
    /// A guarantee of the store would have been broken (SPEC 11).
    #[error("{path} refused {during}: {message}")]
    Constraint {
        /// The store.
        path: Utf8PathBuf,
        /// What was being done.
        during: &'static str,
        /// The name of the constraint, trigger or index that refused.
        rule: String,
        /// What it says.
        message: String,
        /// What SQLite said.
        #[source]
        source: Box<rusqlite::Error>,
    },
    /// The file is damaged. This is never "no such seat".
    #[error("{path} is damaged, found while {during}")]
    Corrupt {
        /// The store.
        path: Utf8PathBuf,
        /// What was being done.
        during: &'static str,
        /// What SQLite said.
        #[source]
        source: Box<rusqlite::Error>,
    },
    /// A row holds something this build cannot read. As loud as damage.
    #[error("{path} holds something this build cannot read, found while {during}")]
    Unreadable {
        /// The store.
        path: Utf8PathBuf,
        /// What was being done.
        during: &'static str,
        /// Which column, and why.
        #[source]
        source: Box<rusqlite::Error>,
    },
    /// A row that the caller has an id of is not there.
    #[error("{path} has no {what} {id}")]
    NotFound {
        /// The store.
        path: Utf8PathBuf,
        /// What was looked for: `launch`, `seat`, `rig`.
        what: &'static str,
        /// Its id.
        id: String,
    },
    /// Anything else SQLite or the file system says.
    #[error("{path} failed while {during}")]
    Sqlite {
        /// The store.
        path: Utf8PathBuf,
        /// What was being done.
        during: &'static str,
        /// What SQLite said.
        #[source]
        source: Box<rusqlite::Error>,
    },
}

impl StoreError {
    /// Sorts what SQLite said.
    pub(crate) fn of(path: &Utf8Path, during: &'static str, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        let source = Box::new(source);
        match source.as_ref() {
            rusqlite::Error::SqliteFailure(failure, message) => match failure.code {
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                    Self::Busy { path, during, source }
                }
                ErrorCode::DiskFull => Self::Full { path, during, source },
                ErrorCode::ReadOnly => Self::ReadOnly { path, during, source },
                ErrorCode::ConstraintViolation => {
                    let said = message.clone().unwrap_or_default();
                    let (rule, message) = rule_of(&said);
                    Self::Constraint { path, during, rule, message, source }
                }
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                    Self::Corrupt { path, during, source }
                }
                _ => Self::Sqlite { path, during, source },
            },
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..) => Self::Unreadable { path, during, source },
            _ => Self::Sqlite { path, during, source },
        }
    }

    /// The name of the guarantee that refused, if one did.
    pub fn rule(&self) -> Option<&str> {
        match self {
            Self::Constraint { rule, .. } => Some(rule),
            _ => None,
        }
    }

    /// What was being done when it failed.
    pub fn during(&self) -> Option<&'static str> {
        match self {
            Self::Busy { during, .. }
            | Self::Full { during, .. }
            | Self::ReadOnly { during, .. }
            | Self::Constraint { during, .. }
            | Self::Corrupt { during, .. }
            | Self::Unreadable { during, .. }
            | Self::Sqlite { during, .. } => Some(during),
            Self::NotFound { .. } => None,
        }
    }
}

/// Splits `trigger: text`, `CHECK constraint failed: name`, `UNIQUE constraint failed: columns`.
fn rule_of(said: &str) -> (String, String) {
    match said.split_once(": ") {
        Some((kind, name)) if kind.ends_with("constraint failed") => {
            let name = name.trim_start_matches("index ").trim_matches('\'');
            (name.to_owned(), said.to_owned())
        }
        Some((rule, text)) if !rule.contains(' ') => (rule.to_owned(), text.to_owned()),
        _ => (said.to_owned(), said.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::rule_of;

    // SPEC 11: a refusal names the guarantee.
    #[test]
    fn the_name_of_a_rule_is_read_out_of_what_sqlite_says() {
        let name = |said| rule_of(said).0;
        assert_eq!(name("launch_steps: a launch has no such step"), "launch_steps");
        assert_eq!(name("CHECK constraint failed: fork_has_source"), "fork_has_source");
        assert_eq!(name("UNIQUE constraint failed: index 'seat_name_live'"), "seat_name_live");
        assert_eq!(name("UNIQUE constraint failed: launches.nonce"), "launches.nonce");
        assert_eq!(name("FOREIGN KEY constraint failed"), "FOREIGN KEY constraint failed");
    }
}
