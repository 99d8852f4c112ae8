//! Small and read-only file systems, for tests of what happens when nothing can be written.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{offline, process};

const DEADLINE: Duration = Duration::from_secs(10);

/// Why something could not be mounted.
#[derive(Debug, thiserror::Error)]
pub enum MountError {
    /// The mounts of this process are the machine's.
    #[error("mount {}: only inside `offline::enter`, where mounts are of this process alone", .0.display())]
    NotAlone(PathBuf),
    /// `mount` could not be run.
    #[error("run mount for {}", path.display())]
    Run {
        /// Where to mount.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// `mount` did not do it.
    #[error("mount {}: {said}", path.display())]
    Refused {
        /// Where to mount.
        path: PathBuf,
        /// What `mount` said.
        said: String,
    },
}

/// A mount of a test's own, in the namespace of [`offline::enter`]; gone when dropped.
#[derive(Debug)]
pub struct Mount {
    path: PathBuf,
}

impl Mount {
    /// An empty file system of so many bytes at a folder.
    pub fn small(folder: &Path, bytes: u64) -> Result<Self, MountError> {
        let size = format!("size={bytes},mode=700");
        mount(folder, &["-t", "tmpfs", "-o", &size, "tmpfs"])?;
        Ok(Self { path: folder.into() })
    }

    /// A folder as it is, read-only, for root too.
    pub fn read_only(folder: &Path) -> Result<Self, MountError> {
        let path = folder.to_string_lossy();
        mount(folder, &["--bind", &path])?;
        let mounted = Self { path: folder.into() };
        mount(folder, &["-o", "remount,bind,ro"])?;
        Ok(mounted)
    }
}

fn mount(folder: &Path, args: &[&str]) -> Result<(), MountError> {
    if !offline::has_own_mounts() {
        return Err(MountError::NotAlone(folder.into()));
    }
    let mut mount = process::command("mount");
    mount.args(args).arg(folder);
    let done = process::finish(mount, DEADLINE)
        .map_err(|source| MountError::Run { path: folder.into(), source })?;
    if done.status.is_some_and(|status| status.success()) {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr).trim().to_owned();
    Err(MountError::Refused { path: folder.into(), said })
}

impl Drop for Mount {
    fn drop(&mut self) {
        let mut umount = process::command("umount");
        umount.arg("--lazy").arg(&self.path);
        // The namespace ends with the test's process, and every mount in it.
        process::finish(umount, DEADLINE).ok();
    }
}
