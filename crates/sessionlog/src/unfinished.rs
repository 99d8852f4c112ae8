//! What is being made and has no name yet: a log, and the payloads that go with it.
//!
//! Where the system has files without names, a log in the making is one: when
//! this process dies it is gone. What must have a name before it is finished
//! (payloads, and logs elsewhere) stands in a folder `.pixir/.unfinished-…`
//! that this process holds locked; whoever next makes a log in the workspace
//! finds it unlocked and removes it.

mod sweep;

use crate::error::StateError;
use crate::id::{RandomError, SessionId, random_bytes};
use crate::rim::{Rim, Step};
use crate::workspace::{Folder, SESSIONS, STATE, Workspace};
use rustix::fs::{self, AtFlags, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::AsRawFd;
pub use sweep::remove_unfinished;
pub(crate) use sweep::sweep;

const PREFIX: &str = ".unfinished-";
/// How often a folder is made anew.
const TRIES: u32 = 64;
// What stands in such a folder beside payloads, whose folder has the session's id, begins with a
// dot, as no id does.
/// The name of a log that must have one.
const LOG: &str = ".log";
/// Before the id of the session it is for.
const OF: &str = ".for-";

/// Why something finished did not get its name.
#[derive(Debug)]
pub(crate) enum PublishError {
    /// Something has that name. Nothing was replaced.
    Exists,
    /// It has its name, but the name may not outlive a crash of the system.
    NotDurable(StateError),
    /// It does not have its name.
    State(StateError),
}

impl From<StateError> for PublishError {
    fn from(error: StateError) -> Self {
        Self::State(error)
    }
}

/// A locked folder for what needs a name before it is finished.
#[derive(Debug)]
pub(crate) struct Staging {
    state: Folder,
    pub(crate) folder: Folder,
    name: String,
}

impl Staging {
    pub(crate) fn make(
        workspace: &Workspace,
        session: &SessionId,
        rim: Rim<'_>,
    ) -> Result<Self, MakeError> {
        let path = workspace.path().join(STATE);
        let Some(state) = workspace.folder().folder(&[STATE])? else {
            return Err(StateError::io(&path, "opening the folder", Errno::NOENT).into());
        };
        // Whoever sweeps may take a folder for left that is not locked yet: then another is made.
        for _ in 0..TRIES {
            let name = format!("{PREFIX}{:016x}", u64::from_be_bytes(random_bytes()?));
            let Some(folder) = state.make_new(&name, rim)? else { continue };
            let staging = Self { state: state.again()?, folder, name };
            match staging.begin(session, rim) {
                Ok(true) => return Ok(staging),
                Ok(false) => {}
                Err(error) => {
                    staging.remove(Rim::default())?;
                    return Err(error.into());
                }
            }
        }
        Err(StateError::io(&path, "locking a new folder in it", Errno::WOULDBLOCK).into())
    }

    /// Locks and marks it; `false` where somebody took it away first.
    fn begin(&self, session: &SessionId, rim: Rim<'_>) -> Result<bool, StateError> {
        let failed = |source| StateError::io(&self.folder.path, "locking it", source);
        match fs::flock(self.folder.fd(), FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Ok(false),
            Err(errno) => return Err(failed(errno.into())),
        }
        if self.state.folder(&[&self.name])?.is_none() {
            return Ok(false);
        }
        let name = format!("{OF}{session}");
        rim.before(Step::Begin).map_err(failed)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        fs::openat(self.folder.fd(), name.as_str(), flags, Mode::RUSR | Mode::WUSR)
            .map(|_| true)
            .map_err(|errno| StateError::io(&self.folder.path, "marking it", errno))
    }

    /// Gives the payloads in `<staging>/<session>` their name beside the log that is to follow. It is not durable yet.
    pub(crate) fn publish_payloads(
        &self,
        sessions: &Folder,
        session: &SessionId,
        rim: Rim<'_>,
    ) -> Result<(), PublishError> {
        let failed =
            |source| StateError::io(&self.folder.path, "giving payloads their name", source);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        rim.before(Step::Begin).map_err(failed)?;
        let mark =
            identity(&self.folder, session.as_str())?.ok_or_else(|| failed(Errno::NOENT.into()))?;
        fs::openat(self.folder.fd(), mark.as_str(), flags, Mode::RUSR | Mode::WUSR)
            .map_err(|errno| failed(errno.into()))?;
        self.folder.sync(rim)?;
        rename_new(&self.folder, session.as_str(), sessions, session.as_str(), rim)
    }

    pub(crate) fn remove(&self, rim: Rim<'_>) -> Result<(), StateError> {
        self.state.remove_tree(&self.name, rim)
    }
}

/// Why something unfinished could not be begun.
#[derive(Debug)]
pub(crate) enum MakeError {
    State(StateError),
    Random(RandomError),
}

impl From<StateError> for MakeError {
    fn from(error: StateError) -> Self {
        Self::State(error)
    }
}

impl From<RandomError> for MakeError {
    fn from(error: RandomError) -> Self {
        Self::Random(error)
    }
}

/// What a folder is known by under any name: the name of the mark that says it was about to get its own.
fn identity(parent: &Folder, name: &str) -> Result<Option<String>, StateError> {
    match fs::statat(parent.fd(), name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(format!(".payloads-{}-{}", stat.st_dev, stat.st_ino))),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(StateError::io(&parent.path.join(name), "looking at it", errno)),
    }
}

/// A log in the making.
#[derive(Debug)]
pub(crate) struct Unfinished {
    pub(crate) file: File,
    /// In a staging folder under the name [`LOG`], or without any.
    named: bool,
}

impl Unfinished {
    /// A file without a name, in the folder where it will get one, or as near as there is a folder.
    pub(crate) fn without_name(
        workspace: &Workspace,
        rim: Rim<'_>,
    ) -> Result<Option<Self>, StateError> {
        let failed =
            |source| StateError::io(workspace.path(), "making a file without a name", source);
        let below = match workspace.sessions()? {
            Some(sessions) => Some(sessions),
            None => workspace.folder().folder(&[STATE])?,
        };
        let folder = below.as_ref().unwrap_or_else(|| workspace.folder());
        if !rim.has_nameless() {
            return Ok(None);
        }
        rim.before(Step::Begin).map_err(failed)?;
        Ok(nameless(folder)
            .map_err(|errno| failed(errno.into()))?
            .map(|file| Self { file, named: false }))
    }

    /// A file in a staging folder.
    pub(crate) fn named(staging: &Staging, rim: Rim<'_>) -> Result<Self, StateError> {
        let failed = |source| StateError::io(&staging.folder.path, "making a file in it", source);
        rim.before(Step::Begin).map_err(failed)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let fd = fs::openat(staging.folder.fd(), LOG, flags, Mode::RUSR | Mode::WUSR)
            .map_err(|errno| failed(errno.into()))?;
        Ok(Self { file: File::from(fd), named: true })
    }

    /// Gives a finished file its name, never replacing another, and makes the name durable.
    pub(crate) fn publish(
        &self,
        staging: Option<&Staging>,
        sessions: &Folder,
        name: &str,
        rim: Rim<'_>,
    ) -> Result<(), PublishError> {
        if let Some(staging) = staging.filter(|_| self.named) {
            rename_new(&staging.folder, LOG, sessions, name, rim)?;
        } else {
            let failed =
                |source| StateError::io(&sessions.path.join(name), "giving it its name", source);
            rim.before(Step::Rename).map_err(failed)?;
            let unnamed = format!("/proc/self/fd/{}", self.file.as_raw_fd());
            match fs::linkat(fs::CWD, unnamed, sessions.fd(), name, AtFlags::SYMLINK_FOLLOW) {
                Ok(()) => {}
                Err(Errno::EXIST) => return Err(PublishError::Exists),
                Err(errno) => return Err(failed(errno.into()).into()),
            }
        }
        sessions.sync(rim).map_err(PublishError::NotDurable)
    }
}

#[cfg(target_os = "linux")]
fn nameless(folder: &Folder) -> Result<Option<File>, Errno> {
    if !std::path::Path::new("/proc/self/fd").is_dir() {
        return Ok(None);
    }
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match fs::openat(folder.fd(), ".", flags, Mode::RUSR | Mode::WUSR) {
        Ok(fd) => Ok(Some(File::from(fd))),
        // A file system, or a kernel, that has no such files.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Folder) -> Result<Option<File>, Errno> {
    Ok(None)
}

/// Renames without replacing: by the system's own call, else by a second name, which folders cannot have.
fn rename_new(
    from: &Folder,
    old: &str,
    to: &Folder,
    new: &str,
    rim: Rim<'_>,
) -> Result<(), PublishError> {
    let failed = |source| StateError::io(&to.path.join(new), "giving it its name", source);
    rim.before(Step::Rename).map_err(failed)?;
    match fs::renameat_with(from.fd(), old, to.fd(), new, RenameFlags::NOREPLACE) {
        Ok(()) => return Ok(()),
        Err(Errno::EXIST | Errno::NOTEMPTY) => return Err(PublishError::Exists),
        Err(Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP) => {}
        Err(errno) => return Err(failed(errno.into()).into()),
    }
    // The first name goes with the folder it is in.
    match fs::linkat(from.fd(), old, to.fd(), new, AtFlags::empty()) {
        Ok(()) => Ok(()),
        Err(Errno::EXIST) => Err(PublishError::Exists),
        Err(errno) => Err(failed(errno.into()).into()),
    }
}

/// Whether a session has a log, or payloads, in this workspace.
pub(crate) fn exists(workspace: &Workspace, session: &SessionId) -> Result<bool, StateError> {
    let Some(sessions) = workspace.sessions()? else { return Ok(false) };
    Ok(sessions.look(&session.log_name())?.is_some() || sessions.look(session.as_str())?.is_some())
}

/// The folder of sessions, made where it is missing.
pub(crate) fn sessions<'w>(
    workspace: &'w Workspace,
    rim: Rim<'_>,
) -> Result<(Folder, crate::workspace::make::Made<'w>), StateError> {
    workspace.make(SESSIONS, rim)
}
