//! Making folders below a workspace, 0700, and taking them away again where nothing came of it.

use super::{Folder, STATE, Workspace};
use crate::error::StateError;
use crate::rim::{Rim, Step};
use rustix::fs::{self, AtFlags, Mode};
use rustix::io::Errno;

/// Folders that were made for something that is yet to be published, in order.
#[derive(Debug)]
pub(crate) struct Made<'w> {
    workspace: &'w Workspace,
    names: Vec<Vec<&'static str>>,
}

impl Workspace {
    /// Opens `.pixir/<name>`, making what is missing.
    pub(crate) fn make(
        &self,
        name: &'static str,
        rim: Rim<'_>,
    ) -> Result<(Folder, Made<'_>), StateError> {
        let mut made = Made { workspace: self, names: Vec::new() };
        for names in [vec![STATE], vec![STATE, name]] {
            match self.make_one(&names, rim) {
                Ok(true) => made.names.push(names),
                Ok(false) => {}
                Err(error) => {
                    made.undo(rim)?;
                    return Err(error);
                }
            }
        }
        match self.folder.folder(&[STATE, name])? {
            Some(folder) => Ok((folder, made)),
            None => {
                let path = self.folder.path_of(&[STATE, name]);
                Err(StateError::io(&path, "opening the folder just made", Errno::NOENT))
            }
        }
    }

    fn make_one(&self, names: &[&'static str], rim: Rim<'_>) -> Result<bool, StateError> {
        if self.folder.folder(names)?.is_some() {
            return Ok(false);
        }
        let path = self.folder.path_of(names);
        let failed = |source: std::io::Error| StateError::io(&path, "making the folder", source);
        let above;
        let parent = match names.split_last() {
            Some((_, [])) | None => self.folder(),
            Some((_, before)) => match self.folder.folder(before)? {
                Some(folder) => {
                    above = folder;
                    &above
                }
                None => return Err(failed(Errno::NOENT.into())),
            },
        };
        let name = names.last().copied().unwrap_or_default();
        rim.before(Step::MakeFolder).map_err(failed)?;
        match fs::mkdirat(&parent.fd, name, Mode::RWXU) {
            Ok(()) => {
                parent.sync(rim)?;
                Ok(true)
            }
            // Somebody else was faster, which is as good.
            Err(Errno::EXIST) => Ok(false),
            Err(errno) => Err(failed(errno.into())),
        }
    }
}

impl Made<'_> {
    /// Removes the folders again, where nobody has put anything into them meanwhile.
    pub(crate) fn undo(&mut self, rim: Rim<'_>) -> Result<(), StateError> {
        while let Some(names) = self.names.pop() {
            let path = self.workspace.folder.path_of(&names);
            let failed =
                |source: std::io::Error| StateError::io(&path, "removing the empty folder", source);
            rim.before(Step::Remove).map_err(failed)?;
            let done = match names.as_slice() {
                [name] => fs::unlinkat(&self.workspace.folder.fd, *name, AtFlags::REMOVEDIR),
                [before @ .., name] => match self.workspace.folder.folder(before)? {
                    Some(parent) => fs::unlinkat(&parent.fd, *name, AtFlags::REMOVEDIR),
                    None => Ok(()),
                },
                [] => Ok(()),
            };
            match done {
                Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => {}
                Err(errno) => return Err(failed(errno.into())),
            }
        }
        Ok(())
    }
}

impl Folder {
    /// Makes the names in it durable.
    pub(crate) fn sync(&self, rim: Rim<'_>) -> Result<(), StateError> {
        let failed = |source| StateError::io(&self.path, "making the folder durable", source);
        rim.before(Step::Sync).map_err(failed)?;
        fs::fsync(&self.fd).map_err(|errno| failed(errno.into()))
    }

    /// A new folder in it, 0700; fails where anything stands there.
    pub(crate) fn make_new(&self, name: &str, rim: Rim<'_>) -> Result<Self, StateError> {
        let path = self.path.join(name);
        let failed = |source| StateError::io(&path, "making the folder", source);
        rim.before(Step::MakeFolder).map_err(failed)?;
        fs::mkdirat(&self.fd, name, Mode::RWXU).map_err(|errno| failed(errno.into()))?;
        match self.folder(&[name])? {
            Some(folder) => Ok(folder),
            None => Err(failed(Errno::NOENT.into())),
        }
    }

    /// Removes a name in it and all below, following no link. What is not there is removed already.
    pub(crate) fn remove_tree(&self, name: &str, rim: Rim<'_>) -> Result<(), StateError> {
        let path = self.path.join(name);
        let failed = |source| StateError::io(&path, "removing it", source);
        rim.before(Step::Remove).map_err(failed)?;
        match fs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => return Ok(()),
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(errno) => return Err(failed(errno.into())),
        }
        if let Some(folder) = self.folder(&[name])? {
            for entry in folder.names()? {
                folder.remove_tree(&entry, rim)?;
            }
        }
        match fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(failed(errno.into())),
        }
    }

    /// The names in it that are UTF-8, sorted. No name of ours is anything else.
    pub(crate) fn names(&self) -> Result<Vec<String>, StateError> {
        let failed = |errno| StateError::io(&self.path, "listing it", errno);
        let mut names = Vec::new();
        for entry in fs::Dir::read_from(&self.fd).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if let Ok(name) = entry.file_name().to_str()
                && !matches!(name, "." | "..")
            {
                names.push(name.to_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}
