//! What of a log in the making is on disk, and how it goes again.

use super::BirthError;
use crate::error::StateError;
use crate::id::SessionId;
use crate::rim::Rim;
use crate::unfinished::{self, Staging, Unfinished};
use crate::workspace::make::Made;
use crate::workspace::{Folder, Workspace};

/// What was put on disk on the way.
#[derive(Default)]
pub(crate) struct Place<'w> {
    made: Option<Made<'w>>,
    pub(crate) staging: Option<Staging>,
    /// Whether payloads have their name.
    pub(super) payloads: bool,
}

impl<'w> Place<'w> {
    /// Begins a log: without a name where the system has such files, else in a staging folder.
    pub(crate) fn begin(
        &mut self,
        workspace: &'w Workspace,
        session: &SessionId,
        rim: Rim<'_>,
    ) -> Result<Unfinished, BirthError> {
        if let Some(unfinished) = Unfinished::without_name(workspace, rim)? {
            return Ok(unfinished);
        }
        self.made = Some(unfinished::sessions(workspace, rim)?.1);
        let staging = Staging::make(workspace, session, rim)?;
        Ok(Unfinished::named(self.staging.insert(staging), rim)?)
    }

    /// The folder of sessions, made where it is missing.
    pub(crate) fn sessions(
        &mut self,
        workspace: &'w Workspace,
        rim: Rim<'_>,
    ) -> Result<Folder, StateError> {
        let (sessions, made) = unfinished::sessions(workspace, rim)?;
        self.made.get_or_insert(made);
        Ok(sessions)
    }

    /// Removes all of it, except what belongs to a log that is published.
    pub(crate) fn clear(
        &mut self,
        workspace: &Workspace,
        session: &SessionId,
        keep: bool,
        rim: Rim<'_>,
    ) -> Result<(), StateError> {
        if self.payloads
            && !keep
            && let Some(sessions) = workspace.sessions()?
        {
            sessions.remove_tree(session.as_str(), rim)?;
        }
        if let Some(staging) = &self.staging {
            staging.remove(rim)?;
        }
        match &mut self.made {
            Some(made) if !keep => made.undo(rim),
            _ => Ok(()),
        }
    }
}
