//! What columns hold, read back into types. The only module that makes a seat token out of a column.

use camino::Utf8PathBuf;
use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Error, Row};
use seatfork_schema::{ConversationId, NativeId, Runtime, Scope, SeatToken};
use std::str::FromStr;

/// A time as it stands in a column: RFC 3339, UTC, nine digits, so that text order is time order.
pub(crate) fn time_text(at: Timestamp) -> String {
    format!("{at:.9}")
}

/// Device and inode numbers keep their bits in SQLite's signed integers.
pub(crate) fn bits(number: u64) -> i64 {
    number.cast_signed()
}

/// The scope of a conversation as it stands in a column.
pub(crate) fn scope_of(text: &str) -> Scope {
    if text.is_empty() { Scope::everywhere() } else { Scope::workspace(text) }
}

/// An error for a column that holds something that is not ours.
fn unreadable(
    row: &Row<'_>,
    column: &str,
    why: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> Error {
    let at = row.as_ref().column_index(column).unwrap_or(usize::MAX);
    let why = format!("column {column}: {}", why.into());
    Error::FromSqlConversionFailure(at, Type::Text, why.into())
}

/// Typed access to the columns of a row, by name.
pub(crate) trait Columns {
    fn parsed<T>(&self, column: &str) -> rusqlite::Result<T>
    where
        T: FromStr,
        T::Err: std::error::Error + Send + Sync + 'static;
    fn parsed_opt<T>(&self, column: &str) -> rusqlite::Result<Option<T>>
    where
        T: FromStr,
        T::Err: std::error::Error + Send + Sync + 'static;
    fn word<T>(&self, column: &str, read: fn(&str) -> Option<T>) -> rusqlite::Result<T>;
    fn word_opt<T>(&self, column: &str, read: fn(&str) -> Option<T>)
    -> rusqlite::Result<Option<T>>;
    fn time(&self, column: &str) -> rusqlite::Result<Timestamp>;
    fn time_opt(&self, column: &str) -> rusqlite::Result<Option<Timestamp>>;
    fn path(&self, column: &str) -> rusqlite::Result<Utf8PathBuf>;
    fn path_opt(&self, column: &str) -> rusqlite::Result<Option<Utf8PathBuf>>;
    fn json<T: serde::de::DeserializeOwned>(&self, column: &str) -> rusqlite::Result<T>;
    fn unbits(&self, column: &str) -> rusqlite::Result<u64>;
    fn count(&self, column: &str) -> rusqlite::Result<u64>;
    fn conversation(
        &self,
        runtime: &str,
        scope: &str,
        id: &str,
    ) -> rusqlite::Result<Option<ConversationId>>;
    fn token(&self, runtime: &str, scope: &str, id: &str) -> rusqlite::Result<Option<SeatToken>>;
}

impl Columns for Row<'_> {
    fn parsed<T>(&self, column: &str) -> rusqlite::Result<T>
    where
        T: FromStr,
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        let text: String = self.get(column)?;
        text.parse().map_err(|why| unreadable(self, column, Box::new(why)))
    }

    fn parsed_opt<T>(&self, column: &str) -> rusqlite::Result<Option<T>>
    where
        T: FromStr,
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        let text: Option<String> = self.get(column)?;
        text.map(|text| text.parse().map_err(|why| unreadable(self, column, Box::new(why))))
            .transpose()
    }

    fn word<T>(&self, column: &str, read: fn(&str) -> Option<T>) -> rusqlite::Result<T> {
        let text: String = self.get(column)?;
        read(&text).ok_or_else(|| unreadable(self, column, format!("unknown word {text:?}")))
    }

    fn word_opt<T>(
        &self,
        column: &str,
        read: fn(&str) -> Option<T>,
    ) -> rusqlite::Result<Option<T>> {
        let text: Option<String> = self.get(column)?;
        text.map(|text| {
            read(&text).ok_or_else(|| unreadable(self, column, format!("unknown word {text:?}")))
        })
        .transpose()
    }

    fn time(&self, column: &str) -> rusqlite::Result<Timestamp> {
        self.parsed(column)
    }

    fn time_opt(&self, column: &str) -> rusqlite::Result<Option<Timestamp>> {
        self.parsed_opt(column)
    }

    fn path(&self, column: &str) -> rusqlite::Result<Utf8PathBuf> {
        self.get::<_, String>(column).map(Utf8PathBuf::from)
    }

    fn path_opt(&self, column: &str) -> rusqlite::Result<Option<Utf8PathBuf>> {
        Ok(self.get::<_, Option<String>>(column)?.map(Utf8PathBuf::from))
    }

    fn json<T: serde::de::DeserializeOwned>(&self, column: &str) -> rusqlite::Result<T> {
        let text: String = self.get(column)?;
        serde_json::from_str(&text).map_err(|why| unreadable(self, column, Box::new(why)))
    }

    fn unbits(&self, column: &str) -> rusqlite::Result<u64> {
        self.get::<_, i64>(column).map(i64::cast_unsigned)
    }

    fn count(&self, column: &str) -> rusqlite::Result<u64> {
        let number: i64 = self.get(column)?;
        u64::try_from(number).map_err(|why| unreadable(self, column, Box::new(why)))
    }

    fn conversation(
        &self,
        runtime: &str,
        scope: &str,
        id: &str,
    ) -> rusqlite::Result<Option<ConversationId>> {
        let Some(text) = self.get::<_, Option<String>>(id)? else { return Ok(None) };
        let native_id = NativeId::new(text).map_err(|why| unreadable(self, id, Box::new(why)))?;
        let scope: Option<String> = self.get(scope)?;
        Ok(Some(ConversationId {
            runtime: self.word(runtime, Runtime::from_word)?,
            scope: scope_of(&scope.unwrap_or_default()),
            native_id,
        }))
    }

    fn token(&self, runtime: &str, scope: &str, id: &str) -> rusqlite::Result<Option<SeatToken>> {
        Ok(self.conversation(runtime, scope, id)?.map(SeatToken::from_store_column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 11: times in the store sort as text the way they sort as times, and lose nothing.
    #[test]
    fn text_order_of_times_is_time_order() {
        let times: Vec<Timestamp> =
            ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.5Z", "2026-01-02T03:04:05.500000001Z"]
                .map(|text| text.parse().unwrap())
                .into();
        let texts: Vec<String> = times.iter().copied().map(time_text).collect();
        assert!(texts.is_sorted(), "{texts:?}");
        for (time, text) in times.iter().zip(&texts) {
            assert_eq!(text.parse::<Timestamp>().unwrap(), *time);
            assert_eq!(text.len(), 30);
        }
    }
}
