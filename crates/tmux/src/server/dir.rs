//! The runtime directory: who can enter it can type into every seat, so it must be ours alone.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};

use camino::Utf8Path;

/// Why a runtime directory is not to be trusted.
#[derive(Debug, thiserror::Error)]
pub enum DirError {
    /// Something else stands there; a symbolic link is not followed.
    #[error("it is not a directory (a link is not followed)")]
    NotADirectory,
    /// It belongs to somebody else.
    #[error("it belongs to user {owner}, not to user {expected}")]
    Owner {
        /// The owner found.
        owner: u32,
        /// Our effective user.
        expected: u32,
    },
    /// Group or others have access.
    #[error("its mode is {mode:04o}, and 0700 is needed")]
    Mode {
        /// The permission bits found.
        mode: u32,
    },
    /// It could not be looked at.
    #[error("it cannot be looked at")]
    Unreadable(#[source] io::Error),
    /// It could not be made.
    #[error("it cannot be made")]
    Uncreatable(#[source] io::Error),
}

/// Checks a directory that may not be there yet.
pub(crate) fn check(dir: &Utf8Path) -> Result<(), DirError> {
    match fs::symlink_metadata(dir) {
        Ok(found) => judge(&found),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(DirError::Unreadable(e)),
    }
}

/// Makes the directory, with mode 0700 from its first moment, and checks what is there then.
pub(crate) fn make(dir: &Utf8Path) -> Result<(), DirError> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(DirError::Uncreatable)?;
    judge(&fs::symlink_metadata(dir).map_err(DirError::Unreadable)?)
}

fn judge(found: &fs::Metadata) -> Result<(), DirError> {
    if !found.is_dir() {
        return Err(DirError::NotADirectory);
    }
    let expected = rustix::process::geteuid().as_raw();
    if found.uid() != expected {
        return Err(DirError::Owner { owner: found.uid(), expected });
    }
    let mode = found.mode() & 0o7777;
    if mode & 0o077 != 0 || mode & 0o700 != 0o700 {
        return Err(DirError::Mode { mode });
    }
    Ok(())
}
