//! One connection with the path it belongs to, so that every error names the file and what was being done.

use crate::error::StoreError;
use camino::Utf8Path;
use rusqlite::{Connection, Params, Row};

/// A connection or an open transaction.
#[derive(Clone, Copy)]
pub(crate) struct Db<'a> {
    pub(crate) conn: &'a Connection,
    pub(crate) path: &'a Utf8Path,
}

impl Db<'_> {
    /// Runs one statement; the number of rows it changed.
    pub(crate) fn execute(
        &self,
        during: &'static str,
        sql: &str,
        params: impl Params,
    ) -> Result<usize, StoreError> {
        self.conn
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(params))
            .map_err(|source| StoreError::of(self.path, during, source))
    }

    /// The first row, if any.
    pub(crate) fn first<T>(
        &self,
        during: &'static str,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        let found = || -> rusqlite::Result<Option<T>> {
            let mut statement = self.conn.prepare_cached(sql)?;
            let mut rows = statement.query(params)?;
            rows.next()?.map(read).transpose()
        };
        found().map_err(|source| StoreError::of(self.path, during, source))
    }

    /// Every row.
    pub(crate) fn all<T>(
        &self,
        during: &'static str,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let found = || -> rusqlite::Result<Vec<T>> {
            self.conn.prepare_cached(sql)?.query_map(params, read)?.collect()
        };
        found().map_err(|source| StoreError::of(self.path, during, source))
    }

    /// Whether the query finds a row.
    pub(crate) fn exists(
        &self,
        during: &'static str,
        sql: &str,
        params: impl Params,
    ) -> Result<bool, StoreError> {
        Ok(self.first(during, sql, params, |_| Ok(()))?.is_some())
    }

    /// The error for a row that is not there.
    pub(crate) fn missing(&self, what: &'static str, id: impl std::fmt::Display) -> StoreError {
        StoreError::NotFound { path: self.path.to_owned(), what, id: id.to_string() }
    }
}
