//! Whether a launch's owner lives: a kernel lock on a file, held while it runs (SPEC 7). Not a clock, not a pid.

use crate::durable;
use crate::id::LaunchId;
use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::time::Duration;
use thiserror::Error;

/// How often a lock that somebody only looks at is tried again.
const TRIES: u32 = 20;
/// And how long it is waited for in between.
const PAUSE: Duration = Duration::from_millis(5);

/// The lock of one launch's owner, in `locks/<launch id>` beside the store.
///
/// Held from before the launch is declared until after it ended. When the
/// process dies the kernel lets go of it. It is not passed on to children that
/// are executed (close-on-exec).
#[derive(Debug)]
pub struct OwnerLock {
    launch: LaunchId,
    path: Utf8PathBuf,
    /// Dropping it is what lets go.
    _file: File,
}

/// Why a launch is not owned.
#[derive(Debug, Error)]
pub enum LockError {
    /// Its owner lives.
    #[error("launch {launch} is owned by a living process, which holds {path}")]
    Held {
        /// The launch.
        launch: LaunchId,
        /// The lock.
        path: Utf8PathBuf,
    },
    /// The file system has no such locks. Never taken for success.
    #[error("{path}: this file system has no kernel locks; choose a local directory with --store")]
    Unsupported {
        /// The lock.
        path: Utf8PathBuf,
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
        source: io::Error,
    },
}

impl OwnerLock {
    /// The lock of a launch that is about to be declared.
    ///
    /// ```
    /// use seatfork_store::{LaunchId, OwnerLock};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let locks = camino::Utf8Path::from_path(dir.path()).unwrap().join("locks");
    /// let launch = LaunchId::new("2026-01-02T03:04:05Z".parse().unwrap());
    /// let lock = OwnerLock::acquire(&locks, launch).unwrap();
    /// assert!(!OwnerLock::is_free(&locks.join(lock.file_name())).unwrap());
    /// drop(lock); // or the end of the process, however it ends
    /// assert!(OwnerLock::is_free(&locks.join(launch.to_string())).unwrap());
    /// ```
    pub fn acquire(locks: &Utf8Path, launch: LaunchId) -> Result<Self, LockError> {
        durable::create_private_dir(locks)
            .map_err(|source| failed(locks, "making the directory", source))?;
        Self::take_over(locks, launch)
    }

    /// The lock of a launch whose owner died. [`LockError::Held`] where it lives, or somebody else was faster.
    pub fn take_over(locks: &Utf8Path, launch: LaunchId) -> Result<Self, LockError> {
        let path = locks.join(launch.to_string());
        for _ in 0..TRIES {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .custom_flags(nofollow())
                .open(&path)
                .map_err(|source| failed(&path, "opening it", source))?;
            match file.try_lock() {
                // A file that was removed or replaced meanwhile locks nothing any more.
                Ok(()) if stands_at(&file, &path)? => {
                    return Ok(Self { launch, path, _file: file });
                }
                Ok(()) => {}
                // Perhaps somebody only looks, which takes no time.
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(source)) => {
                    return Err(failed(&path, "locking it", source));
                }
            }
        }
        Err(LockError::Held { launch, path })
    }

    /// Whether nobody holds that lock: the owner is gone. A lock file that is not there is free.
    pub fn is_free(path: &Utf8Path) -> Result<bool, LockError> {
        let opened = OpenOptions::new().read(true).custom_flags(nofollow()).open(path);
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
            Err(source) => return Err(failed(path, "opening it", source)),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(source)) => Err(failed(path, "looking at the lock", source)),
        }
    }

    /// The launch it is for.
    pub fn launch(&self) -> LaunchId {
        self.launch
    }

    /// Its file's name, as the launch row has it.
    pub fn file_name(&self) -> &str {
        self.path.file_name().unwrap_or_default()
    }

    /// Lets go and removes the file: for a launch that ended. Merely dropping the lock leaves the file, free.
    pub fn release(self) -> Result<(), LockError> {
        match std::fs::remove_file(&self.path) {
            Err(source) if source.kind() != ErrorKind::NotFound => {
                Err(failed(&self.path, "removing it", source))
            }
            _ => Ok(()),
        }
    }
}

fn nofollow() -> i32 {
    OFlags::NOFOLLOW.bits().cast_signed()
}

fn stands_at(file: &File, path: &Utf8Path) -> Result<bool, LockError> {
    let ours = file.metadata().map_err(|source| failed(path, "looking at it", source))?;
    match path.symlink_metadata() {
        Ok(there) => Ok((there.dev(), there.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(source) => Err(failed(path, "looking at it", source)),
    }
}

fn failed(path: &Utf8Path, doing: &'static str, source: io::Error) -> LockError {
    if source.kind() == ErrorKind::Unsupported {
        LockError::Unsupported { path: path.to_owned() }
    } else {
        LockError::Io { path: path.to_owned(), doing, source }
    }
}
