//! Why a store cannot be opened or made. Each is its own, and none of them reads as "no such seat" (SPEC 11).

use camino::{Utf8Path, Utf8PathBuf};
use rusqlite::ErrorCode;
use thiserror::Error;

/// Why a store was not opened. Nothing was changed.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Nothing stands there.
    #[error("there is no store at {path}")]
    Missing {
        /// Where it was looked for.
        path: Utf8PathBuf,
    },
    /// The database is gone, its write-ahead log is not: a store was here.
    #[error(
        "{path} is missing, but its write-ahead log {wal} is there: a store was here; put it back or move the log away"
    )]
    MissingBesideWal {
        /// The database.
        path: Utf8PathBuf,
        /// Its log.
        wal: Utf8PathBuf,
    },
    /// A file of no bytes: it was emptied, for a store is never made that way.
    #[error("{path} is empty (0 bytes), which no store ever is{}", if *.wal_beside { "; its write-ahead log is still beside it" } else { "" })]
    Empty {
        /// The database.
        path: Utf8PathBuf,
        /// Whether a log stands beside it.
        wal_beside: bool,
    },
    /// [`crate::Store::create`] where something stands.
    #[error("something stands at {path} already")]
    AlreadyThere {
        /// Where.
        path: Utf8PathBuf,
    },
    /// A link where the file should be.
    #[error("{path} is a symbolic link; the store is opened only as itself")]
    Symlink {
        /// The link.
        path: Utf8PathBuf,
    },
    /// A directory, socket or device.
    #[error("{path} is no regular file")]
    NotAFile {
        /// What stands there.
        path: Utf8PathBuf,
    },
    /// The file or its directory belongs to somebody else.
    #[error("{path} belongs to user {owner}, not to user {us}")]
    OtherOwner {
        /// The file or directory.
        path: Utf8PathBuf,
        /// Its owner.
        owner: u32,
        /// Who we are.
        us: u32,
    },
    /// The file can be read or written by others.
    #[error("{path} is a store and open to others (mode {mode:04o})")]
    FileOpenToOthers {
        /// The file.
        path: Utf8PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The directory can be written by others, who could put another file in its place.
    #[error("{directory} can be written by others (mode {mode:04o})")]
    DirectoryOpenToOthers {
        /// The directory.
        directory: Utf8PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// A file system on which a write-ahead log corrupts.
    #[error(
        "{directory} is on {file_system}, where SQLite's write-ahead log is not safe; choose a local directory with --store"
    )]
    NetworkFileSystem {
        /// The directory.
        directory: Utf8PathBuf,
        /// The file system.
        file_system: &'static str,
    },
    /// Not SQLite at all.
    #[error("{path} is no database")]
    NotADatabase {
        /// The file.
        path: Utf8PathBuf,
    },
    /// A SQLite file of another program.
    #[error("{path} is a database of another program (application id {application_id:#010x})")]
    Foreign {
        /// The file.
        path: Utf8PathBuf,
        /// What it says it is; 0 where it says nothing.
        application_id: i32,
    },
    /// The file is damaged.
    #[error("{path} is damaged: {}", if .findings.is_empty() { "SQLite cannot read it".to_owned() } else { .findings.join("; ") })]
    Corrupt {
        /// The file.
        path: Utf8PathBuf,
        /// What the integrity check says, where it got that far.
        findings: Vec<String>,
        /// What SQLite said.
        #[source]
        source: Option<rusqlite::Error>,
    },
    /// A newer build wrote it.
    #[error("{path} has schema version {found}, this build knows {ours}; use the newer build")]
    Newer {
        /// The file.
        path: Utf8PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        ours: u32,
    },
    /// An older build wrote it, and this verb migrates nothing.
    #[error(
        "{path} has schema version {found}, this build reads {ours}; a verb that changes seats (`up`, `reconcile --apply`) migrates it"
    )]
    Older {
        /// The file.
        path: Utf8PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        ours: u32,
    },
    /// SQLite keeps another journal.
    #[error("{path} has no write-ahead log: SQLite answered {answered:?}")]
    NotWal {
        /// The file.
        path: Utf8PathBuf,
        /// What `PRAGMA journal_mode` answered.
        answered: String,
    },
    /// File or directory may not be written.
    #[error("{path} cannot be written")]
    NotWritable {
        /// The file.
        path: Utf8PathBuf,
        /// What SQLite said, where it did.
        #[source]
        source: Option<rusqlite::Error>,
    },
    /// Read-only place, and a log that holds commits we cannot read.
    #[error(
        "{path} has commits in its write-ahead log, which cannot be read where the directory cannot be written"
    )]
    WalUnreadable {
        /// The file.
        path: Utf8PathBuf,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
    /// Another process holds it.
    #[error("{path} is held by another process; gave up waiting while {doing}")]
    Busy {
        /// The file.
        path: Utf8PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
    /// A migration failed; the store is as it was.
    #[error("{path} could not be brought to schema version {version}; it is as it was")]
    Migration {
        /// The file.
        path: Utf8PathBuf,
        /// The version aimed at.
        version: u32,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
    /// A guarantee does not hold for rows that are there; the store is as it was.
    #[error(
        "{path} breaks the guarantee \"{invariant}\" in {rows} rows, so it was not brought to schema version {version}"
    )]
    Invariant {
        /// The file.
        path: Utf8PathBuf,
        /// The version aimed at.
        version: u32,
        /// Which guarantee.
        invariant: String,
        /// Rows that break it.
        rows: u64,
    },
    /// The file system said no.
    #[error("{path}: failed {doing}")]
    Io {
        /// What it was about.
        path: Utf8PathBuf,
        /// What was being done.
        doing: &'static str,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Anything else SQLite says.
    #[error("{path}: failed {doing}")]
    Sqlite {
        /// The file.
        path: Utf8PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
}

impl OpenError {
    /// Sorts what SQLite said.
    pub(crate) fn of(path: &Utf8Path, doing: &'static str, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Self::Busy { path, doing, source }
            }
            Some(ErrorCode::DatabaseCorrupt) => {
                Self::Corrupt { path, findings: Vec::new(), source: Some(source) }
            }
            Some(ErrorCode::NotADatabase) => Self::NotADatabase { path },
            _ => Self::Sqlite { path, doing, source },
        }
    }

    pub(crate) fn io(
        path: &Utf8Path,
        doing: &'static str,
    ) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path, doing, source }
    }
}
