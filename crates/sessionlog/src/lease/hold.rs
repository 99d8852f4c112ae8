//! Holding a lease, showing that its holder lives, and taking away one whose holder does not.

use super::{
    HEARTBEAT_MS, Lease, LeasePid, LeaseState, STALE_AFTER_MS, lease_name, lease_path, read,
};
use crate::error::StateError;
use crate::id::{RandomError, SessionId, random_bytes, random_suffix, stamp};
use crate::posture::json;
use crate::rim::Rim;
use crate::workspace::{Folder, LEASES, Workspace};
use camino::Utf8PathBuf;
use jiff::Timestamp;
use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use thiserror::Error;

/// Why a lease is not held.
#[derive(Debug, Error)]
pub enum HoldError {
    /// It is somebody else's, whether or not they live.
    #[error("the lease of the session is {state}: {path}")]
    Leased {
        /// `active`, `stale` or `ambiguous`.
        state: &'static str,
        /// The stable word for it.
        kind: &'static str,
        /// The lease.
        path: Utf8PathBuf,
    },
    /// Another process holds a lock on the log.
    #[error("another process writes {path} now")]
    Locked {
        /// The log.
        path: Utf8PathBuf,
    },
    /// It was ours and is not any more.
    #[error("the lease was taken away: {path}")]
    Lost {
        /// The lease.
        path: Utf8PathBuf,
    },
    /// A file or folder cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// There are no random numbers.
    #[error(transparent)]
    Random(#[from] RandomError),
}

impl HoldError {
    /// The stable word for it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Leased { kind, .. } => kind,
            Self::Locked { .. } => "session_writer_active",
            Self::Lost { .. } => "session_writer_lost",
            Self::State(error) => error.kind(),
            Self::Random(_) => "log_io_failed",
        }
    }
}

/// A lease of ours.
#[derive(Debug)]
pub(crate) struct Held {
    workspace: Workspace,
    session: SessionId,
    lease: Lease,
}

impl Held {
    pub(crate) fn acquire(
        workspace: &Workspace,
        session: &SessionId,
        at: Timestamp,
    ) -> Result<Self, HoldError> {
        let holder = format!("wrl_{:016x}", u64::from_be_bytes(random_bytes()?));
        let path = lease_path(workspace, session);
        let lease = Lease {
            version: 1,
            purpose: "session_writer".into(),
            session_id: session.to_string(),
            workspace: workspace.path().to_string(),
            lease_path: path.to_string(),
            holder_id: holder,
            os_pid: LeasePid(std::process::id().to_string()),
            beam_node: "nonode@nohost".into(),
            started_at: stamp(at),
            started_at_ms: at.as_millisecond(),
            heartbeat_at: stamp(at),
            heartbeat_at_ms: at.as_millisecond(),
            heartbeat_interval_ms: HEARTBEAT_MS,
            stale_after_ms: STALE_AFTER_MS,
        };
        // Looked at before any folder is made: whoever is refused leaves no trace.
        refuse_unless_free(workspace, session, at)?;
        let (leases, _) = workspace.make(LEASES, Rim::default())?;
        let (temporary, name) = (temporary(session)?, lease_name(session));
        put(&leases, &temporary, &json(&lease))?;
        // The whole lease gets its name at once, or another was faster.
        let named = fs::linkat(
            leases.fd(),
            temporary.as_str(),
            leases.fd(),
            name.as_str(),
            AtFlags::empty(),
        );
        leases.remove_tree(&temporary, Rim::default())?;
        match named {
            Ok(()) => Ok(Self { workspace: workspace.clone(), session: session.clone(), lease }),
            Err(Errno::EXIST) => {
                refuse_unless_free(workspace, session, at)?;
                let kind = "session_writer_active";
                Err(HoldError::Leased { state: "active", kind, path })
            }
            Err(errno) => Err(StateError::io(&path, "making it", errno).into()),
        }
    }

    /// Shows that the holder lives, once a heartbeat is due.
    pub(crate) fn beat(&mut self, at: Timestamp) -> Result<(), HoldError> {
        let now = at.as_millisecond();
        if now.saturating_sub(self.lease.heartbeat_at_ms) < HEARTBEAT_MS {
            return Ok(());
        }
        let leases = self.ours(at)?;
        let lease = Lease { heartbeat_at: stamp(at), heartbeat_at_ms: now, ..self.lease.clone() };
        let (temporary, name) = (temporary(&self.session)?, lease_name(&self.session));
        put(&leases, &temporary, &json(&lease))?;
        fs::renameat(leases.fd(), temporary.as_str(), leases.fd(), name.as_str())
            .map_err(|errno| StateError::io(&leases.path.join(&name), "renewing it", errno))?;
        self.lease = lease;
        Ok(())
    }

    /// The folder of leases, if the lease in it is still ours.
    fn ours(&self, at: Timestamp) -> Result<Folder, HoldError> {
        let path = lease_path(&self.workspace, &self.session);
        let ours = match read(&self.workspace, &self.session, at)?.0 {
            LeaseState::Active(found) | LeaseState::Stale(found) => {
                found.holder_id == self.lease.holder_id
            }
            LeaseState::Available | LeaseState::Ambiguous { .. } => false,
        };
        match self.workspace.leases()?.filter(|_| ours) {
            Some(leases) => Ok(leases),
            None => Err(HoldError::Lost { path }),
        }
    }

    pub(crate) fn release(self) -> Result<(), HoldError> {
        let at = Timestamp::from_millisecond(self.lease.heartbeat_at_ms)
            .unwrap_or(Timestamp::UNIX_EPOCH);
        let leases = self.ours(at)?;
        leases.remove_tree(&lease_name(&self.session), Rim::default())?;
        Ok(())
    }
}

fn refuse_unless_free(
    workspace: &Workspace,
    session: &SessionId,
    at: Timestamp,
) -> Result<(), HoldError> {
    let state = read(workspace, session, at)?.0;
    match state.refusal_kind() {
        None => Ok(()),
        Some(kind) => {
            let path = lease_path(workspace, session);
            Err(HoldError::Leased { state: state.name(), kind, path })
        }
    }
}

fn temporary(session: &SessionId) -> Result<String, RandomError> {
    Ok(format!("{}.tmp-{}", lease_name(session), random_suffix()?))
}

fn put(folder: &Folder, name: &str, text: &str) -> Result<(), StateError> {
    let path = folder.path.join(name);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let fd = fs::openat(folder.fd(), name, flags, Mode::RUSR | Mode::WUSR)
        .map_err(|errno| StateError::io(&path, "making it", errno))?;
    let written = File::from(fd).write_all(text.as_bytes());
    if let Err(source) = written {
        folder.remove_tree(name, Rim::default())?;
        return Err(StateError::io(&path, "writing it", source));
    }
    Ok(())
}

#[derive(Serialize)]
struct Release<'a> {
    version: u8,
    purpose: &'static str,
    session_id: &'a SessionId,
    state: &'static str,
    reason: &'a str,
    released_at: String,
    lease: String,
}

/// Takes away a lease whose holder does not live, after a record of it was written. Gives the record's path.
///
/// Refused while the lease is active. `None` where there is no lease.
pub fn force_release(
    workspace: &Workspace,
    session: &SessionId,
    reason: &str,
    at: Timestamp,
) -> Result<Option<Utf8PathBuf>, HoldError> {
    let (state, bytes) = read(workspace, session, at)?;
    match state {
        LeaseState::Available => return Ok(None),
        LeaseState::Active(_) => {
            let path = lease_path(workspace, session);
            let kind = "session_writer_active";
            return Err(HoldError::Leased { state: "active", kind, path });
        }
        LeaseState::Stale(_) | LeaseState::Ambiguous { .. } => {}
    }
    let (leases, _) = workspace.make(LEASES, Rim::default())?;
    let releases = match leases.folder(&["releases"])? {
        Some(folder) => folder,
        None => leases.make_own("releases", Rim::default())?,
    };
    let mut hash = String::new();
    for byte in &Sha256::digest(session.as_str())[..8] {
        // Writing to a string does not fail.
        write!(hash, "{byte:02x}").ok();
    }
    let random = random_suffix()?;
    let name = format!("{}-{hash}-{}.json", at.strftime("%Y%m%dT%H%M%S"), &random[..6]);
    let record = Release {
        version: 1,
        purpose: "session_writer_release",
        session_id: session,
        state: state.name(),
        reason,
        released_at: stamp(at),
        lease: String::from_utf8_lossy(&bytes).into_owned(),
    };
    put(&releases, &name, &json(&record))?;
    releases.sync(Rim::default())?;
    // Whoever it is of may have come back, or another may have taken it away and begun.
    let (state, now) = read(workspace, session, at)?;
    if now != bytes {
        let path = lease_path(workspace, session);
        let kind = state.refusal_kind().unwrap_or("session_writer_lost");
        return Err(HoldError::Leased { state: state.name(), kind, path });
    }
    leases.remove_tree(&lease_name(session), Rim::default())?;
    Ok(Some(releases.path.join(name)))
}
