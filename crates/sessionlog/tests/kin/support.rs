//! A workspace of files and the same as our crate sees it.

use camino::Utf8Path;
use jiff::Timestamp;
use seatfork_sessionlog::{SessionId, Workspace};
use seatfork_testkit::pixir;

/// Both views of one workspace.
pub(crate) struct Home {
    pub(crate) files: pixir::Workspace,
    pub(crate) workspace: Workspace,
}

impl Home {
    pub(crate) fn of(folder: &str) -> Self {
        Self::over(pixir::Workspace::of(folder))
    }

    pub(crate) fn empty() -> Self {
        Self::over(pixir::Workspace::new())
    }

    fn over(files: pixir::Workspace) -> Self {
        let workspace = Workspace::open(Utf8Path::from_path(files.path()).unwrap()).unwrap();
        Self { files, workspace }
    }
}

pub(crate) fn id(text: &str) -> SessionId {
    SessionId::new(text).unwrap()
}

pub(crate) fn now() -> Timestamp {
    "2026-11-30T18:00:00Z".parse().unwrap()
}
