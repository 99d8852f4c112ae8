//! The one place where tests stand between two steps of writing, to fail one or to kill the process there.

use std::fmt;
use std::io;

/// A step that changes what is on disk, or makes it last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A folder of the workspace is made.
    MakeFolder,
    /// A file without its name, or a folder for unfinished things, is made.
    Begin,
    /// Bytes are written.
    Write,
    /// A file or folder is made durable.
    Sync,
    /// A payload is copied.
    Copy,
    /// Something finished gets its name.
    Rename,
    /// Something unfinished is removed.
    Remove,
}

/// What is called before each step; in the product nothing is.
#[derive(Clone, Copy, Default)]
pub(crate) struct Rim<'a> {
    before: Option<&'a (dyn Fn(Step) -> io::Result<()> + Sync)>,
    /// As if the system had no files without names.
    names_only: bool,
}

#[cfg(test)]
impl<'a> Rim<'a> {
    pub(crate) fn of(before: &'a (dyn Fn(Step) -> io::Result<()> + Sync)) -> Self {
        Self { before: Some(before), names_only: false }
    }

    pub(crate) fn names_only(self, names_only: bool) -> Self {
        Self { names_only, ..self }
    }
}

impl Rim<'_> {
    pub(crate) fn before(self, step: Step) -> io::Result<()> {
        self.before.map_or(Ok(()), |before| before(step))
    }

    pub(crate) fn has_nameless(self) -> bool {
        !self.names_only
    }
}

impl fmt::Debug for Rim<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rim").field("before", &self.before.is_some()).finish_non_exhaustive()
    }
}
