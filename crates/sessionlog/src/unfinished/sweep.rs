//! Taking away what processes that died left unfinished.

use super::{OF, PREFIX, identity};
use crate::error::StateError;
use crate::id::SessionId;
use crate::rim::Rim;
use crate::workspace::{STATE, Workspace};
use rustix::fs::{self, FlockOperation};
use rustix::io::Errno;

/// Removes what processes that died left unfinished in a workspace, and says how many there were.
///
/// What living ones are making stays. Every warm start, fork and new log does this first.
pub fn remove_unfinished(workspace: &Workspace) -> Result<u64, StateError> {
    sweep(workspace, Rim::default())
}

/// Removes what processes that died left unfinished; what living ones are making stays.
pub(crate) fn sweep(workspace: &Workspace, rim: Rim<'_>) -> Result<u64, StateError> {
    let Some(state) = workspace.folder().folder(&[STATE])? else { return Ok(0) };
    let mut removed = 0;
    for name in state.names()?.iter().filter(|name| name.starts_with(PREFIX)) {
        let Some(folder) = state.folder(&[name])? else { continue };
        // Another user's is theirs to remove.
        let owner = fs::fstat(folder.fd())
            .map_err(|errno| StateError::io(&folder.path, "looking at it", errno))?
            .st_uid;
        if owner != rustix::process::geteuid().as_raw() {
            continue;
        }
        match fs::flock(folder.fd(), FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => continue,
            Err(errno) => return Err(StateError::io(&folder.path, "locking it", errno)),
        }
        let names = folder.names()?;
        let session = names
            .iter()
            .find_map(|name| name.strip_prefix(OF))
            .and_then(|text| SessionId::for_new_log(text).ok());
        if let (Some(session), Some(sessions)) = (session, workspace.sessions()?) {
            // Its payloads had their name already, its log did not: they belong to nothing. By that
            // name others may stand by now, so it is asked whether these are those.
            let is_it = identity(&sessions, session.as_str())?
                .is_some_and(|identity| names.contains(&identity));
            if is_it && sessions.look(&session.log_name())?.is_none() {
                sessions.remove_tree(session.as_str(), rim)?;
            }
        }
        state.remove_tree(name, rim)?;
        removed += 1;
    }
    Ok(removed)
}
