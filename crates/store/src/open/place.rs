//! What stands at a store's path, looked at before SQLite touches it (SPEC 11).

use super::{OpenError, filesystem};
use camino::{Utf8Path, Utf8PathBuf};
use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

/// Checks a store that should be there; its path by the real path of its directory.
pub(super) fn existing(path: &Utf8Path) -> Result<Utf8PathBuf, OpenError> {
    let path = real(path)?.ok_or_else(|| OpenError::Missing { path: path.to_owned() })?;
    check_directory(&path)?;
    let Some(meta) = look(&path)? else { return Err(absent(&path)?) };
    check_file(&path, &meta)?;
    if meta.len() == 0 {
        return Err(OpenError::Empty { wal_beside: stands(&beside(&path, "-wal"))?, path });
    }
    Ok(path)
}

/// Checks a place where a store is to be made; its directory is there already.
pub(super) fn vacant(path: &Utf8Path) -> Result<Utf8PathBuf, OpenError> {
    let path = real(path)?.ok_or_else(|| OpenError::Missing { path: path.to_owned() })?;
    check_directory(&path)?;
    match look(&path)? {
        Some(meta) if meta.is_symlink() => Err(OpenError::Symlink { path }),
        Some(_) => Err(OpenError::AlreadyThere { path }),
        None => match absent(&path)? {
            OpenError::Missing { .. } => Ok(path),
            other => Err(other),
        },
    }
}

/// Whether a write-ahead log with anything in it stands beside the database.
pub(super) fn wal_has_content(path: &Utf8Path) -> Result<bool, OpenError> {
    Ok(look(&beside(path, "-wal"))?.is_some_and(|meta| meta.len() > 0))
}

/// A name beside the database: SQLite appends to the whole file name.
pub(super) fn beside(path: &Utf8Path, ending: &str) -> Utf8PathBuf {
    Utf8PathBuf::from(format!("{path}{ending}"))
}

/// The path with its directory resolved; `None` when the directory is not there.
fn real(path: &Utf8Path) -> Result<Option<Utf8PathBuf>, OpenError> {
    let (Some(name), Some(parent)) = (path.file_name(), path.parent()) else {
        return Err(OpenError::NotAFile { path: path.to_owned() });
    };
    let parent = if parent.as_str().is_empty() { Utf8Path::new(".") } else { parent };
    match parent.canonicalize_utf8() {
        Ok(directory) => Ok(Some(directory.join(name))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(OpenError::io(parent, "resolving the directory")(error)),
    }
}

fn look(path: &Utf8Path) -> Result<Option<Metadata>, OpenError> {
    match path.symlink_metadata() {
        Ok(meta) => Ok(Some(meta)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(OpenError::io(path, "looking at it")(error)),
    }
}

fn stands(path: &Utf8Path) -> Result<bool, OpenError> {
    Ok(look(path)?.is_some())
}

/// An absent database is missing, unless its log says that one was here.
fn absent(path: &Utf8Path) -> Result<OpenError, OpenError> {
    let wal = beside(path, "-wal");
    Ok(if stands(&wal)? {
        OpenError::MissingBesideWal { path: path.to_owned(), wal }
    } else {
        OpenError::Missing { path: path.to_owned() }
    })
}

fn check_directory(path: &Utf8Path) -> Result<(), OpenError> {
    let directory = path.parent().unwrap_or(Utf8Path::new("."));
    let meta = directory.metadata().map_err(OpenError::io(directory, "looking at it"))?;
    check_owner(directory, &meta)?;
    if meta.mode() & 0o022 != 0 {
        return Err(OpenError::DirectoryOpenToOthers {
            directory: directory.to_owned(),
            mode: meta.mode() & 0o7777,
        });
    }
    let found = filesystem::of_directory(directory)
        .map_err(OpenError::io(directory, "asking for its file system"))?;
    match found {
        Some(file_system) => {
            Err(OpenError::NetworkFileSystem { directory: directory.to_owned(), file_system })
        }
        None => Ok(()),
    }
}

fn check_file(path: &Utf8Path, meta: &Metadata) -> Result<(), OpenError> {
    let kind = meta.file_type();
    if kind.is_symlink() {
        return Err(OpenError::Symlink { path: path.to_owned() });
    }
    if !kind.is_file() || kind.is_fifo() {
        return Err(OpenError::NotAFile { path: path.to_owned() });
    }
    check_owner(path, meta)?;
    if meta.mode() & 0o077 != 0 {
        return Err(OpenError::FileOpenToOthers {
            path: path.to_owned(),
            mode: meta.mode() & 0o7777,
        });
    }
    Ok(())
}

fn check_owner(path: &Utf8Path, meta: &Metadata) -> Result<(), OpenError> {
    let us = rustix::process::geteuid().as_raw();
    if meta.uid() == us {
        Ok(())
    } else {
        Err(OpenError::OtherOwner { path: path.to_owned(), owner: meta.uid(), us })
    }
}
