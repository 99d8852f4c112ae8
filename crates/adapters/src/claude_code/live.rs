//! Which conversation a process serves, by the file it keeps about itself.
//!
//! An interactive Claude Code writes `sessions/PID.json` once every dialog is
//! behind it. The file outlives a kill, so it counts only while its process
//! lives with the start time it names. Its `.key` sibling is never read.

use super::layout::{Layout, list};
use crate::contract::environment::SeatEnv;
use crate::contract::evidence::InUse;
use crate::contract::failure::FindError;
use crate::contract::watch::Observation;
use camino::Utf8Path;
use seatfork_process::ProcessId;
use seatfork_schema::{ConversationId, NativeId, Runtime};
use serde::Deserialize;
use std::io;

/// What a process says of itself.
#[expect(clippy::struct_field_names, reason = "the runtime's own names")]
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Session {
    pid: u32,
    session_id: NativeId,
    #[serde(default)]
    proc_start: Start,
    status: Option<String>,
}

/// Field 22 of `/proc/PID/stat`, as text in the versions known.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "serde_json::Value")]
struct Start(Option<u64>);

impl From<serde_json::Value> for Start {
    fn from(value: serde_json::Value) -> Self {
        Self(value.as_u64().or_else(|| value.as_str()?.parse().ok()))
    }
}

impl Session {
    fn is_ready(&self) -> bool {
        // While a picker is on the screen the file is there, without a status.
        matches!(self.status.as_deref(), Some("idle" | "busy"))
    }
}

/// Every conversation that a living process serves.
pub(super) fn served(layout: &Layout) -> Result<Vec<(ConversationId, InUse)>, FindError> {
    let mut found = Vec::new();
    for path in list(&layout.sessions())? {
        let Some(pid) = path.file_name().and_then(|name| name.strip_suffix(".json")?.parse().ok())
        else {
            continue;
        };
        let Some(session) = read(&path, pid)? else { continue };
        if lives(&session, &path)? {
            let conversation = ConversationId::new(Runtime::ClaudeCode, session.session_id);
            found.push((conversation, InUse { pid, seen_in: format!("sessions/{pid}.json") }));
        }
    }
    Ok(found)
}

/// A living process that serves a conversation.
pub(super) fn serving(
    layout: &Layout,
    conversation: &ConversationId,
) -> Result<Option<InUse>, FindError> {
    let mut served = served(layout)?.into_iter();
    Ok(served.find(|(one, _)| one.is_same(conversation)).map(|(_, by)| by))
}

/// What the pane's own process serves: itself, or the program it started where it is a wrapper.
pub(super) fn observe(pane: ProcessId, env: &SeatEnv) -> Observation {
    // A look that failed says nothing, and neither do we.
    let (Ok(layout), Ok(alive)) = (Layout::of(env), pane.alive()) else {
        return Observation::Unknown;
    };
    if !alive {
        return Observation::Gone;
    }
    // Without them the pane's own process is still asked; where it tells nothing the answer is `Unknown`.
    let children = seatfork_process::children(pane.pid).unwrap_or_default();
    for who in std::iter::once(pane).chain(children) {
        let path = layout.sessions().join(format!("{}.json", who.pid));
        if let Ok(Some(session)) = read(&path, who.pid)
            && session.proc_start.0 == Some(who.start)
        {
            let ready = session.is_ready();
            let conversation = ConversationId::new(Runtime::ClaudeCode, session.session_id);
            return Observation::Serving { conversation, ready };
        }
    }
    Observation::Unknown
}

/// Reads one file. `None` when it is not there, and when it is no record of a process that lives.
fn read(path: &Utf8Path, pid: u32) -> Result<Option<Session>, FindError> {
    let mut why = String::new();
    // It is rewritten in place: a torn one is looked at again.
    for _ in 0..3 {
        match std::fs::read(path) {
            Ok(bytes) => match serde_json::from_slice::<Session>(&bytes) {
                Ok(session) if session.pid == pid => return Ok(Some(session)),
                Ok(session) => why = format!("it speaks of process {}", session.pid),
                Err(error) => why = error.to_string(),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => why = error.to_string(),
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let failed = |why: String| FindError { path: path.to_owned(), why };
    // One that cannot be read matters only while a process of that id lives.
    match seatfork_process::entry(pid) {
        Ok(Some(entry)) if !entry.ended => Err(failed(why)),
        Ok(_) => Ok(None),
        Err(error) => Err(failed(error.to_string())),
    }
}

fn lives(session: &Session, path: &Utf8Path) -> Result<bool, FindError> {
    let entry = seatfork_process::entry(session.pid)
        .map_err(|error| FindError { path: path.to_owned(), why: error.to_string() })?;
    Ok(match (entry, session.proc_start.0) {
        (Some(entry), Some(start)) => !entry.ended && entry.id.start == start,
        // Without a start time a process of that id is taken for the one meant: rather too careful than too bold.
        (Some(entry), None) => !entry.ended,
        (None, _) => false,
    })
}
