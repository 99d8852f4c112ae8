//! Making a store under another name and giving it its own when it is complete.

use super::{APPLICATION_ID, FLAGS, OpenError, harden, place, write_ahead_log};
use crate::durable;
use crate::migrate::{self, MIGRATIONS};
use camino::Utf8Path;
use rusqlite::{Connection, OpenFlags};
use std::io::ErrorKind;

pub(super) fn create(path: &Utf8Path) -> Result<(), OpenError> {
    if let Some(directory) = path.parent().filter(|directory| !directory.as_str().is_empty()) {
        durable::create_private_dir(directory)
            .map_err(OpenError::io(directory, "making the directory"))?;
    }
    let path = place::vacant(path)?;
    let name = path.file_name().unwrap_or_default();
    let unfinished = path.with_file_name(format!(".{name}.new-{}", uuid::Uuid::new_v4()));
    let made = build(&unfinished).and_then(|()| {
        durable::publish(&unfinished, &path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => OpenError::AlreadyThere { path: path.clone() },
            _ => OpenError::io(&path, "giving it its name")(error),
        })
    });
    if made.is_err() {
        for ending in ["", "-wal", "-shm"] {
            // Best effort: the error that stands is the one to be told.
            drop(std::fs::remove_file(place::beside(&unfinished, ending)));
        }
    }
    made
}

fn build(unfinished: &Utf8Path) -> Result<(), OpenError> {
    let file = durable::create_private(unfinished)
        .map_err(OpenError::io(unfinished, "making the file"))?;
    let failed = |source| OpenError::of(unfinished, "building it", source);
    let flags = FLAGS | OpenFlags::SQLITE_OPEN_READ_WRITE;
    let mut conn = Connection::open_with_flags(unfinished, flags).map_err(failed)?;
    conn.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
    write_ahead_log(&conn, unfinished)?;
    harden(&conn).map_err(failed)?;
    migrate::migrate(&mut conn, unfinished, MIGRATIONS)?;
    // Closing the last connection moves the log into the file; only then may it change its name.
    conn.close().map_err(|(_, source)| failed(source))?;
    if place::wal_has_content(unfinished)? {
        return Err(OpenError::NotWal {
            path: unfinished.to_owned(),
            answered: "a log that stays after the last connection".to_owned(),
        });
    }
    file.sync_all().map_err(OpenError::io(unfinished, "making it durable"))
}
