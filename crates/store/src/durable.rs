//! Files of ours made so that they are there, whole and private, or not at all.

use camino::Utf8Path;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};

/// A new 0600 file; fails if anything stands there, a dangling link included.
pub(crate) fn create_private(path: &Utf8Path) -> io::Result<File> {
    OpenOptions::new().write(true).read(true).create_new(true).mode(0o600).open(path)
}

/// A 0700 directory with its missing parents; one that stands there stays as it is.
pub(crate) fn create_private_dir(path: &Utf8Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    match path.parent() {
        Some(parent) if !parent.as_str().is_empty() => sync_dir(parent),
        _ => Ok(()),
    }
}

/// Gives a finished file its name without ever replacing another, durably.
pub(crate) fn publish(unfinished: &Utf8Path, name: &Utf8Path) -> io::Result<()> {
    std::fs::hard_link(unfinished, name)?;
    std::fs::remove_file(unfinished)?;
    sync_parent(name)
}

/// Makes changes to the names beside a path durable.
pub(crate) fn sync_parent(path: &Utf8Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if !parent.as_str().is_empty() => sync_dir(parent),
        _ => sync_dir(Utf8Path::new(".")),
    }
}

fn sync_dir(path: &Utf8Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
