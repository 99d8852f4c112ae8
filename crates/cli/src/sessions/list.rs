//! The list: filtered, cut, and as JSON.

use camino::Utf8Path;
use jiff::Timestamp;
use seatfork_adapters::{InUse, SessionSummary};
use seatfork_launch::ErrorReport;
use seatfork_schema::Runtime;
use serde::Serialize;

use super::find::Found;
use crate::exit::Exit;
use crate::output::SCHEMA_VERSION;

/// What is to be shown.
#[derive(Debug)]
pub(super) struct Sessions {
    report: SessionsReport,
}

/// What `sessions --json` says.
#[derive(Debug, Serialize)]
pub(crate) struct SessionsReport {
    schema_version: u32,
    ok: bool,
    /// The directory asked for; absent for all.
    pub(crate) cwd: Option<String>,
    /// Newest first.
    pub(crate) sessions: Vec<SessionReport>,
    /// How many fit and are not shown.
    pub(crate) more: usize,
    /// How many are of other directories.
    pub(crate) elsewhere: usize,
    /// Runtimes that could not be asked.
    pub(crate) unread: Vec<UnreadReport>,
}

/// One conversation.
#[derive(Debug, Serialize)]
pub(crate) struct SessionReport {
    pub(crate) runtime: Runtime,
    pub(crate) scope: String,
    pub(crate) native_id: String,
    pub(crate) path: String,
    pub(crate) bytes: u64,
    /// Its records; `None` where it was too large to be read whole for a list.
    pub(crate) records: Option<u64>,
    pub(crate) last_activity: Option<Timestamp>,
    pub(crate) cwd: Option<String>,
    /// A title or the start of its first message, as it is; absent with `--no-preview`.
    pub(crate) preview: Option<String>,
    /// `None` where it was too large to be read whole for a list: `plan` reads it.
    pub(crate) forkable: Option<bool>,
    /// Why it cannot be forked.
    pub(crate) not_forkable: Option<String>,
    /// A process that serves it now; it can be forked all the same.
    pub(crate) live: Option<InUse>,
}

/// A runtime whose conversations could not be listed.
#[derive(Debug, Serialize)]
pub(crate) struct UnreadReport {
    pub(crate) runtime: Runtime,
    pub(crate) error: ErrorReport,
}

impl Sessions {
    /// Those of a directory, or all, at most `limit`.
    pub(super) fn new(found: Found, cwd: Option<&Utf8Path>, limit: usize, preview: bool) -> Self {
        let Found { sessions, unread } = found;
        let all = sessions.len();
        let here: Vec<_> = sessions
            .into_iter()
            .filter(|session| cwd.is_none_or(|cwd| is_in(session, cwd)))
            .collect();
        let fit = here.len();
        let sessions: Vec<_> =
            here.into_iter().take(limit).map(|session| one(session, preview)).collect();
        let unread: Vec<_> =
            unread.into_iter().map(|(runtime, error)| UnreadReport { runtime, error }).collect();
        let report = SessionsReport {
            schema_version: SCHEMA_VERSION,
            ok: unread.is_empty(),
            cwd: cwd.map(ToString::to_string),
            more: fit - sessions.len(),
            elsewhere: all - fit,
            sessions,
            unread,
        };
        Self { report }
    }

    /// As it is shown.
    pub(super) fn report(&self) -> &SessionsReport {
        &self.report
    }

    /// 1 where a runtime could not be asked: the list is partial.
    pub(super) fn exit(&self) -> Exit {
        if self.report.ok { Exit::Ok } else { Exit::Failed }
    }
}

/// Whether a conversation was recorded in a directory, by its path as given or its real one.
fn is_in(session: &SessionSummary, cwd: &Utf8Path) -> bool {
    let Some(recorded) = session.cwd.as_deref() else { return false };
    recorded == cwd.as_str() || cwd.canonicalize_utf8().is_ok_and(|real| real == recorded)
}

fn one(session: SessionSummary, preview: bool) -> SessionReport {
    let SessionSummary {
        conversation,
        path,
        bytes,
        records,
        last_activity,
        cwd,
        preview: said,
        not_forkable,
        live,
    } = session;
    SessionReport {
        runtime: conversation.runtime,
        scope: conversation.scope.as_str().to_owned(),
        native_id: conversation.native_id.to_string(),
        path: path.into_string(),
        bytes,
        records,
        last_activity,
        cwd,
        preview: said.filter(|_| preview),
        forkable: match (&not_forkable, records) {
            (Some(_), _) => Some(false),
            (None, Some(_)) => Some(true),
            (None, None) => None,
        },
        not_forkable,
        live,
    }
}
