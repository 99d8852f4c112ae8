//! New logs that come from nowhere: empty, or with a posture of their own.

use crate::child::{BirthError, Place};
use crate::error::StateError;
use crate::id::{EventIds, SessionId, SessionIdError, stamp};
use crate::lease;
use crate::posture::Posture;
use crate::rim::{Rim, Step};
use crate::splice;
use crate::unfinished::{self, PublishError};
use crate::workspace::Workspace;
use camino::Utf8PathBuf;
use jiff::Timestamp;
use std::io::Write;
use thiserror::Error;

/// Why there is no new log. Unless it says otherwise, nothing was made and nothing is left.
#[derive(Debug, Error)]
pub enum CreateError {
    /// The id cannot be that of a new log.
    #[error("the session has no id that a new log can have")]
    Id(#[source] SessionIdError),
    /// There is one already. It is as it was.
    #[error("session {session} exists already: {path}")]
    AlreadyExists {
        /// The session.
        session: SessionId,
        /// Its log.
        path: Utf8PathBuf,
    },
    /// Somebody holds the lease of the id.
    #[error("the lease of session {session} is {state}: {path}")]
    Leased {
        /// The session.
        session: SessionId,
        /// `active`, `stale` or `ambiguous`.
        state: &'static str,
        /// The stable word for it.
        kind: &'static str,
        /// The lease.
        path: Utf8PathBuf,
    },
    /// It could not be written.
    #[error("the log of session {session} was not made")]
    Write {
        /// The session.
        session: SessionId,
        /// Why.
        #[source]
        source: BirthError,
    },
    /// It was published, whole. Whether its name outlives a crash of the system is not known, or what was
    /// needed to make it is still there.
    #[error("the log of session {session} is published, whole; what had to follow on that failed")]
    NotDurable {
        /// The session.
        session: SessionId,
        /// Why.
        #[source]
        source: StateError,
    },
}

impl CreateError {
    /// The stable word for it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Id(_) => "invalid_args",
            Self::AlreadyExists { .. } => "already_exists",
            Self::Leased { kind, .. } => kind,
            Self::Write {
                source: BirthError::State(error @ StateError::Unsafe { .. }), ..
            } => error.kind(),
            Self::Write { .. } => "write_failed",
            Self::NotDurable { .. } => "not_durable",
        }
    }
}

/// Makes a log that comes from no other: durable and under its own new id, or not at all. Gives its path.
///
/// ```
/// # use seatfork_sessionlog::{SessionId, Workspace, create_log};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// let workspace = Workspace::open(camino::Utf8Path::from_path(dir.path()).unwrap())?;
/// let at = "2026-01-02T03:04:05Z".parse()?;
/// let path = create_log(&workspace, &SessionId::generate(at)?, None, at)?;
/// assert_eq!(std::fs::metadata(path)?.len(), 0);
/// # Ok(()) }
/// ```
pub fn create_log(
    workspace: &Workspace,
    session: &SessionId,
    posture: Option<&Posture>,
    at: Timestamp,
) -> Result<Utf8PathBuf, CreateError> {
    create_with(workspace, session, posture, at, Rim::default())
}

pub(crate) fn create_with(
    workspace: &Workspace,
    session: &SessionId,
    posture: Option<&Posture>,
    at: Timestamp,
    rim: Rim<'_>,
) -> Result<Utf8PathBuf, CreateError> {
    let path = workspace.log_path(session);
    let write = |source: BirthError| CreateError::Write { session: session.clone(), source };
    let exists = || CreateError::AlreadyExists { session: session.clone(), path: path.clone() };
    if session.is_reserved() {
        return Err(CreateError::Id(SessionIdError::Reserved));
    }
    unfinished::sweep(workspace, rim).map_err(|error| write(error.into()))?;
    if unfinished::exists(workspace, session).map_err(|error| write(error.into()))? {
        return Err(exists());
    }
    let lease = lease::lease_state(workspace, session, at).map_err(|error| write(error.into()))?;
    if let Some(kind) = lease.refusal_kind() {
        let path = lease::lease_path(workspace, session);
        return Err(CreateError::Leased {
            session: session.clone(),
            state: lease.name(),
            kind,
            path,
        });
    }
    let mut place = Place::default();
    let made = make(workspace, session, posture, at, &mut place, rim);
    let keep = matches!(&made, Ok(()) | Err(Failed::NotDurable(_)));
    match (made, place.clear(workspace, session, keep, rim)) {
        (Ok(()), Ok(())) => Ok(path),
        (Ok(()), Err(source)) | (Err(Failed::NotDurable(source)), _) => {
            Err(CreateError::NotDurable { session: session.clone(), source })
        }
        (Err(Failed::Exists), Ok(())) => Err(exists()),
        (Err(Failed::Exists), Err(cleanup)) => {
            Err(write(BirthError::LeftBehind { failure: exists().to_string(), cleanup }))
        }
        (Err(Failed::Write(source)), Ok(())) => Err(write(source)),
        (Err(Failed::Write(failure)), Err(cleanup)) => {
            Err(write(BirthError::LeftBehind { failure: failure.to_string(), cleanup }))
        }
    }
}

enum Failed {
    Exists,
    NotDurable(StateError),
    Write(BirthError),
}

impl<T: Into<BirthError>> From<T> for Failed {
    fn from(error: T) -> Self {
        Self::Write(error.into())
    }
}

fn make<'w>(
    workspace: &'w Workspace,
    session: &SessionId,
    posture: Option<&Posture>,
    at: Timestamp,
    place: &mut Place<'w>,
    rim: Rim<'_>,
) -> Result<(), Failed> {
    let path = workspace.log_path(session);
    let unfinished = place.begin(workspace, session, rim)?;
    let mut bytes = Vec::new();
    if let Some(posture) = posture {
        let ts = format!("\"{}\"", stamp(at));
        let id = EventIds::new().next()?;
        let data = posture.root_data(workspace);
        splice::line(&mut bytes, id, session, 0, &ts, "subagent_event", &data);
    }
    let failed = |source| StateError::io(&path, "writing the new log", source);
    rim.before(Step::Write).map_err(failed)?;
    (&unfinished.file).write_all(&bytes).map_err(failed)?;
    rim.before(Step::Sync).map_err(failed)?;
    unfinished.file.sync_all().map_err(failed)?;
    let sessions = place.sessions(workspace, rim)?;
    match unfinished.publish(place.staging.as_ref(), &sessions, &session.log_name(), rim) {
        Ok(()) => Ok(()),
        Err(PublishError::Exists) => Err(Failed::Exists),
        Err(PublishError::NotDurable(error)) => Err(Failed::NotDurable(error)),
        Err(PublishError::State(error)) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posture::{PermissionMode, WorkspaceMode, current_posture};
    use crate::test_support::{Home, at, id, plain};
    use std::os::unix::fs::PermissionsExt;

    // SPEC 6: a fresh conversation has a posture of its own, on its first line.
    #[test]
    fn a_new_log_is_private_and_has_its_posture_first() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(camino::Utf8Path::from_path(dir.path()).unwrap()).unwrap();
        let posture = Posture {
            permission: PermissionMode::Ask,
            workspace_mode: WorkspaceMode::Shared,
            holder: "seat".into(),
        };
        let path = create_log(&workspace, &id("s"), Some(&posture), at(0)).unwrap();
        let lines = plain(&path);
        assert_eq!((lines.len(), lines[0].seq, lines[0].kind.as_str()), (1, 0, "subagent_event"));
        assert_eq!(lines[0].value()["lineage"], "root");
        let found = current_posture(&workspace, &id("s")).unwrap();
        assert_eq!((found.permission_mode.as_str(), found.line), ("ask", 1));
        let mode = |path: &camino::Utf8Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(path.ancestors().skip(1).take(2).map(mode).collect::<Vec<_>>(), [0o700, 0o700]);
    }

    // SPEC 3: the longest session id has room for every file that is named after it.
    #[test]
    fn the_longest_id_can_be_made_written_forked_and_seeded() {
        use crate::append::{Durability, LogWriter};
        let home = Home::new();
        let name = |end: &str| format!("{}{end}", "é".repeat(116));
        let parent = id(&name("-a1"));
        assert_eq!(parent.as_str().len(), SessionId::MAX_BYTES);
        create_log(&home.workspace, &parent, None, at(0)).unwrap();
        let mut writer =
            LogWriter::open(&home.workspace, &parent, Durability::AtClose, at(0)).unwrap();
        writer.append("user_message", "{}", at(2000)).unwrap();
        writer.close().unwrap();
        for (end, names_only) in [("-b1", false), ("-b2", true)] {
            let made = crate::seed::tests::support::seed_from(
                &home,
                parent.as_str(),
                &name(end),
                Rim::default().names_only(names_only),
            );
            assert_eq!(made.unwrap().child_session_id.as_str().len(), SessionId::MAX_BYTES);
        }
        let child = id(&name("-c1"));
        let asked = crate::fork::ForkRequest {
            workspace: &home.workspace,
            parent: &parent,
            child: &child,
            to_seq: None,
            summarize: true,
            at: at(0),
        };
        assert_eq!(crate::fork::fork(&asked).unwrap().plan.event_count, 1);
    }

    #[test]
    fn nothing_that_exists_is_replaced() {
        let home = Home::new();
        for names_only in [false, true] {
            let name = format!("s-{names_only}");
            let create = || {
                let rim = Rim::default().names_only(names_only);
                create_with(&home.workspace, &id(&name), None, at(0), rim)
            };
            create().unwrap();
            home.log(&name, "kept");
            assert_eq!(create().unwrap_err().kind(), "already_exists");
            assert_eq!(
                home.names().iter().filter(|name| name.contains("s-")).count(),
                1 + usize::from(names_only)
            );
        }
        let taken = create_log(&home.workspace, &id("a.ndjson"), None, at(0)).unwrap_err();
        assert_eq!(taken.kind(), "invalid_args");
    }
}
