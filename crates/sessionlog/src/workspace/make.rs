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
            let done = match self.make_one(&names, rim) {
                Ok(true) => {
                    made.names.push(names.clone());
                    self.parent(&names).and_then(|parent| parent.get(self).sync(rim))
                }
                Ok(false) => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = done {
                made.undo(rim)?;
                return Err(error);
            }
        }
        let folder = self.folder.folder(&[STATE, name])?.ok_or_else(|| {
            let path = self.folder.path_of(&[STATE, name]);
            StateError::io(&path, "opening the folder just made", Errno::NOENT)
        })?;
        Ok((folder, made))
    }

    fn make_one(&self, names: &[&'static str], rim: Rim<'_>) -> Result<bool, StateError> {
        if self.folder.folder(names)?.is_some() {
            return Ok(false);
        }
        let path = self.folder.path_of(names);
        let failed = |source: std::io::Error| StateError::io(&path, "making the folder", source);
        let name = names.last().copied().unwrap_or_default();
        let parent = self.parent(names)?;
        rim.before(Step::MakeFolder).map_err(failed)?;
        match fs::mkdirat(&parent.get(self).fd, name, Mode::RWXU) {
            Ok(()) => Ok(true),
            // Somebody else was faster, which is as good.
            Err(Errno::EXIST) => Ok(false),
            Err(errno) => Err(failed(errno.into())),
        }
    }
}

/// The folder that something is made in: the workspace itself, or one below it.
enum Parent {
    Workspace,
    Below(Folder),
}

impl Parent {
    fn get<'a>(&'a self, workspace: &'a Workspace) -> &'a Folder {
        match self {
            Self::Workspace => workspace.folder(),
            Self::Below(folder) => folder,
        }
    }
}

impl Workspace {
    fn parent(&self, names: &[&'static str]) -> Result<Parent, StateError> {
        let Some((_, before @ [_, ..])) = names.split_last() else { return Ok(Parent::Workspace) };
        let folder = self.folder.folder(before)?.ok_or_else(|| {
            StateError::io(&self.folder.path_of(before), "opening the folder", Errno::NOENT)
        })?;
        Ok(Parent::Below(folder))
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
            let parent = self.workspace.parent(&names)?;
            let name = names.last().copied().unwrap_or_default();
            let done = fs::unlinkat(&parent.get(self.workspace).fd, name, AtFlags::REMOVEDIR);
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

    /// A new folder in it, 0700; fails where anything stands there. `None` where it was taken away at once.
    pub(crate) fn make_new(&self, name: &str, rim: Rim<'_>) -> Result<Option<Self>, StateError> {
        let path = self.path.join(name);
        let failed = |source| StateError::io(&path, "making the folder", source);
        rim.before(Step::MakeFolder).map_err(failed)?;
        fs::mkdirat(&self.fd, name, Mode::RWXU).map_err(|errno| failed(errno.into()))?;
        self.folder(&[name])
    }

    /// A new folder in one that nobody else touches.
    pub(crate) fn make_own(&self, name: &str, rim: Rim<'_>) -> Result<Self, StateError> {
        self.make_new(name, rim)?.ok_or_else(|| {
            StateError::io(&self.path.join(name), "opening the folder just made", Errno::NOENT)
        })
    }

    /// The same folder, opened once more.
    pub(crate) fn again(&self) -> Result<Self, StateError> {
        let fd = self.fd.try_clone();
        fd.map(|fd| Self { fd, path: self.path.clone() })
            .map_err(|source| StateError::io(&self.path, "opening it again", source))
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
