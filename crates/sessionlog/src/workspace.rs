//! Folders of a workspace, opened so that nothing on the way is a link and nothing leaves it.
//!
//! The workspace itself is trusted and may be a link. Everything below it is
//! opened relative to an open folder, by the kernel's own confinement where it
//! has one (`openat2`), else one name at a time without following links.
//! Neither has a moment between looking and using.

mod beneath;
pub(crate) mod make;

use crate::error::{FileKind, StateError};
use crate::id::SessionId;
use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

pub(crate) const STATE: &str = ".pixir";
pub(crate) const SESSIONS: &str = "sessions";
pub(crate) const LEASES: &str = "session_leases";

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A workspace: the folder whose `.pixir` holds session logs. An id is unique in one workspace.
#[derive(Debug, Clone)]
pub struct Workspace {
    folder: Arc<Folder>,
}

/// An open folder, with its path for errors.
#[derive(Debug)]
pub(crate) struct Folder {
    fd: OwnedFd,
    pub(crate) path: Utf8PathBuf,
}

impl Workspace {
    /// Opens an existing folder as a workspace and takes its real path.
    pub fn open(path: &Utf8Path) -> Result<Self, StateError> {
        let fd = fs::open(path.as_std_path(), FOLDER, Mode::empty())
            .map_err(|errno| StateError::io(path, "opening the workspace", errno))?;
        let real = path.canonicalize_utf8().map_err(|source| StateError::Io {
            path: path.into(),
            doing: "finding its real path",
            source,
        })?;
        // The path is what lineage and leases name: it must be that of the folder that is open.
        let (opened, named) = fs::fstat(&fd)
            .and_then(|opened| Ok((opened, fs::stat(real.as_std_path())?)))
            .map_err(|errno| StateError::io(&real, "looking at the workspace", errno))?;
        if (opened.st_dev, opened.st_ino) != (named.st_dev, named.st_ino) {
            return Err(StateError::io(path, "opening the workspace", Errno::STALE));
        }
        Ok(Self { folder: Arc::new(Folder { fd, path: real }) })
    }

    /// Its real path: the scope of its sessions' ids.
    pub fn path(&self) -> &Utf8Path {
        &self.folder.path
    }

    /// Where the log of a session is, or would be.
    pub fn log_path(&self, id: &SessionId) -> Utf8PathBuf {
        self.path().join(STATE).join(SESSIONS).join(id.log_name())
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The folder of sessions; `None` where there is none yet.
    pub(crate) fn sessions(&self) -> Result<Option<Folder>, StateError> {
        self.folder.folder(&[STATE, SESSIONS])
    }

    /// The folder of leases; `None` where there is none yet.
    pub(crate) fn leases(&self) -> Result<Option<Folder>, StateError> {
        self.folder.folder(&[STATE, LEASES])
    }
}

impl Folder {
    pub(crate) fn fd(&self) -> &OwnedFd {
        &self.fd
    }

    /// A folder below this one; `None` where a name on the way is not there.
    pub(crate) fn folder(&self, names: &[&str]) -> Result<Option<Self>, StateError> {
        let path = names.iter().fold(self.path.clone(), |path, name| path.join(name));
        match beneath::open(self.fd.as_fd(), names, FOLDER, Mode::empty()) {
            Ok(fd) => Ok(Some(Self { fd, path })),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.explain(names, errno, FileKind::Folder, "opening the folder")),
        }
    }

    /// A regular file below this one; `None` where it is not there.
    pub(crate) fn file(&self, names: &[&str], flags: OFlags) -> Result<Option<File>, StateError> {
        // A named pipe or device must not make us wait: it is refused once it is open.
        let flags = flags | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let refused = |errno| self.explain(names, errno, FileKind::File, "opening it");
        let fd = match beneath::open(self.fd.as_fd(), names, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(refused(errno)),
        };
        let found = fs::fstat(&fd)
            .map(|stat| FileKind::of(stat.st_mode))
            .map_err(|errno| StateError::io(&self.path_of(names), "looking at it", errno))?;
        if found != FileKind::File {
            return Err(self.not_safe(names, names.len().saturating_sub(1), found, FileKind::File));
        }
        Ok(Some(File::from(fd)))
    }

    /// What stands under a name, without following it; `None` where nothing does.
    pub(crate) fn look(&self, name: &str) -> Result<Option<FileKind>, StateError> {
        match fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(FileKind::of(stat.st_mode))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(StateError::io(&self.path.join(name), "looking at it", errno)),
        }
    }

    pub(crate) fn path_of(&self, names: &[&str]) -> Utf8PathBuf {
        names.iter().fold(self.path.clone(), |path, name| path.join(name))
    }

    fn not_safe(
        &self,
        names: &[&str],
        at: usize,
        found: FileKind,
        expected: FileKind,
    ) -> StateError {
        StateError::Unsafe {
            path: self.path_of(names),
            component: self.path_of(&names[..=at]),
            found,
            expected,
        }
    }

    /// Names the component that stood in the way; it was refused before anyone looked here.
    pub(crate) fn explain(
        &self,
        names: &[&str],
        errno: Errno,
        last: FileKind,
        doing: &'static str,
    ) -> StateError {
        if matches!(
            errno,
            Errno::LOOP | Errno::NOTDIR | Errno::XDEV | Errno::ISDIR | Errno::NXIO | Errno::MLINK
        ) {
            for at in 0..names.len() {
                let here = names[..=at].join("/");
                let Ok(stat) = fs::statat(&self.fd, here, AtFlags::SYMLINK_NOFOLLOW) else { break };
                let found = FileKind::of(stat.st_mode);
                let expected = if at + 1 == names.len() { last } else { FileKind::Folder };
                if found != expected {
                    return self.not_safe(names, at, found, expected);
                }
            }
        }
        StateError::io(&self.path_of(names), doing, errno)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{Home, id};
    use std::io::Read;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    // SPEC 6: nothing is reached through a link, whoever puts one there between two steps.
    #[test]
    fn a_folder_that_becomes_a_link_while_it_is_opened_leads_nowhere() {
        let (home, outside) = (Home::new(), Home::new());
        home.log("s", "inside");
        outside.log("s", "outside");
        let (sessions, aside) = (home.sessions(), home.path().join(".pixir/aside"));
        let link = home.path().join(".pixir/link");
        symlink(outside.sessions(), &link).unwrap();
        let stop = AtomicBool::new(false);
        let by_steps = |names: &[&str]| {
            beneath::by_steps(
                home.workspace.folder.fd.as_fd(),
                names,
                OFlags::RDONLY,
                Mode::empty(),
            )
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::fs::rename(&sessions, &aside).unwrap();
                    std::fs::rename(&link, &sessions).unwrap();
                    std::fs::rename(&sessions, &link).unwrap();
                    std::fs::rename(&aside, &sessions).unwrap();
                }
            });
            let (mut read, mut refused) = (0, 0);
            let name = id("s").log_name();
            let names = [STATE, SESSIONS, &*name];
            for _ in 0..200_000 {
                for way in [0, 1] {
                    let file = if way == 0 {
                        home.workspace.folder().file(&names, OFlags::RDONLY).ok().flatten()
                    } else {
                        by_steps(&names).ok().map(File::from)
                    };
                    let Some(mut file) = file else {
                        refused += 1;
                        continue;
                    };
                    let mut text = String::new();
                    file.read_to_string(&mut text).unwrap();
                    assert_eq!(text, "inside");
                    read += 1;
                }
                if read > 2000 && refused > 2000 {
                    break;
                }
            }
            stop.store(true, Ordering::Relaxed);
            assert!(read > 0 && refused > 0, "{read} {refused}");
        });
    }

    #[test]
    fn a_workspace_may_be_a_link_and_has_its_real_path() {
        let home = Home::new();
        let other = tempfile::tempdir().unwrap();
        let link = Utf8Path::from_path(other.path()).unwrap().join("link");
        symlink(home.path(), &link).unwrap();
        assert_eq!(Workspace::open(&link).unwrap().path(), home.path());
        let missing = Workspace::open(&link.with_file_name("missing")).unwrap_err();
        assert!(missing.to_string().contains("missing: failed opening the workspace"), "{missing}");
        std::fs::write(link.with_file_name("file"), "").unwrap();
        assert!(Workspace::open(&link.with_file_name("file")).is_err());
    }
}
