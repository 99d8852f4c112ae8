//! Opening a record: its last component is no link, it is a regular file, and it is ours.

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use thiserror::Error;

/// An opened record and what it was at that moment.
#[derive(Debug)]
pub struct RecordFile {
    /// The open file.
    pub file: File,
    /// Its path.
    pub path: Utf8PathBuf,
    /// Its device.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// Its length; whatever is written later is not read.
    pub bytes: u64,
}

/// Why a record was not opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// There is none.
    #[error("it is not there")]
    Gone,
    /// Something else stands there.
    #[error("it is {what}, not a regular file")]
    NotAFile {
        /// What it is.
        what: &'static str,
    },
    /// It belongs to another user.
    #[error("it belongs to user {owner}, not to us")]
    NotOurs {
        /// That user's id.
        owner: u32,
    },
    /// The system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Opens a record for reading, without following a link at its last component and without waiting on a pipe.
pub fn open(path: &Utf8Path) -> Result<RecordFile, OpenError> {
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = match rustix::fs::open(path.as_std_path(), flags, Mode::empty()) {
        Ok(handle) => File::from(handle),
        Err(rustix::io::Errno::NOENT) => return Err(OpenError::Gone),
        // With NOFOLLOW the last component being a link is told as a loop.
        Err(rustix::io::Errno::LOOP) => return Err(not_a_file(path, rustix::io::Errno::LOOP)),
        // A socket cannot be opened at all.
        Err(rustix::io::Errno::NXIO) => return Err(OpenError::NotAFile { what: "a socket" }),
        Err(error) => return Err(io::Error::from(error).into()),
    };
    let meta = file.metadata()?;
    match FileType::from_raw_mode(meta.mode()) {
        FileType::RegularFile => {}
        FileType::Directory => return Err(OpenError::NotAFile { what: "a directory" }),
        FileType::Fifo => return Err(OpenError::NotAFile { what: "a named pipe" }),
        _ => return Err(OpenError::NotAFile { what: "a device" }),
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(OpenError::NotOurs { owner: meta.uid() });
    }
    Ok(RecordFile {
        file,
        path: path.to_owned(),
        device: meta.dev(),
        inode: meta.ino(),
        bytes: meta.len(),
    })
}

fn not_a_file(path: &Utf8Path, errno: rustix::io::Errno) -> OpenError {
    if path.is_symlink() {
        OpenError::NotAFile { what: "a symbolic link" }
    } else {
        OpenError::Io(errno.into())
    }
}
