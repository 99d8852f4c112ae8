//! Payloads that events name: their descriptors, checked before any path is built, and their copies.

use crate::error::StateError;
use crate::id::{SessionId, is_hex};
use crate::rim::{Rim, Step};
use crate::unfinished::Staging;
use crate::workspace::{Folder, SESSIONS, STATE, Workspace};
use rustix::fs::{self, Mode, OFlags};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Write};
use thiserror::Error;

/// The folder of a session's payloads.
const RESOURCES: &str = "resources";

/// Why a payload that an event names is not copied.
#[derive(Debug, Error)]
pub enum ResourceError {
    /// The descriptor is not one. No path was built from it.
    #[error("line {line}: a resource is not described as one: {why}")]
    Malformed {
        /// The line of the event.
        line: u64,
        /// What is wrong.
        why: &'static str,
    },
    /// Two descriptors under one id name different payloads.
    #[error("line {line}: resource {resource} was described otherwise on an earlier line")]
    Conflict {
        /// The line of the second.
        line: u64,
        /// The id of the resource.
        resource: String,
    },
    /// There is no payload.
    #[error("line {line}: the payload of resource {resource} is missing: {path}")]
    Missing {
        /// The line of the event.
        line: u64,
        /// The id of the resource.
        resource: String,
        /// Where it must be.
        path: camino::Utf8PathBuf,
    },
    /// The payload is not what the descriptor says.
    #[error(
        "line {line}: the payload of resource {resource} is not what is described: {why}: {path}"
    )]
    Mismatch {
        /// The line of the event.
        line: u64,
        /// The id of the resource.
        resource: String,
        /// Where it is.
        path: camino::Utf8PathBuf,
        /// What differs.
        why: &'static str,
    },
    /// A file or folder cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// The copy cannot be written.
    #[error("the copy of a payload was not made")]
    Copy(#[source] StateError),
}

impl ResourceError {
    /// The stable word for it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Malformed { .. } | Self::Conflict { .. } => "resource_malformed",
            Self::Missing { .. } | Self::Mismatch { .. } => "resource_missing",
            Self::Copy(error @ StateError::Unsafe { .. }) | Self::State(error) => error.kind(),
            Self::Copy(StateError::Io { .. }) => "write_failed",
        }
    }
}

/// What is known of a payload from its descriptor, all of it checked.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Payload {
    sha256: String,
    extension: String,
    bytes: Option<u64>,
    line: u64,
}

/// The payloads that copied events name, by resource id.
#[derive(Debug, Default)]
pub(crate) struct Resources(BTreeMap<String, Payload>);

#[derive(Deserialize)]
struct Descriptor {
    resource_id: Option<String>,
    kind: Option<String>,
    content_sha256: Option<String>,
    extension: Option<String>,
    size_bytes: Option<u64>,
    store_ref: Option<String>,
}

impl Resources {
    /// How many payloads there are.
    pub(crate) fn len(&self) -> u64 {
        self.0.len() as u64
    }

    /// Takes the `resources` of an event.
    pub(crate) fn take(&mut self, raw: &str, line: u64) -> Result<(), ResourceError> {
        let no = |why| ResourceError::Malformed { line, why };
        let all: Option<Vec<Descriptor>> =
            serde_json::from_str(raw).map_err(|_| no("a field has another type"))?;
        for found in all.into_iter().flatten() {
            let id = found.resource_id.ok_or_else(|| no("it has no resource_id"))?;
            if !id.strip_prefix("res_").is_some_and(|rest| is_hex(rest, 16)) {
                return Err(no("its resource_id is not res_ and 16 hexadecimal digits"));
            }
            let Some(sha256) = found.content_sha256 else {
                // A link to something elsewhere has no payload here.
                if found.kind.as_deref() == Some("resource_link") {
                    continue;
                }
                return Err(no("it has no content_sha256 and is no link"));
            };
            if !is_hex(&sha256, 64) {
                return Err(no("its content_sha256 is not 64 hexadecimal digits"));
            }
            let extension = found.extension.ok_or_else(|| no("it has no extension"))?;
            let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
            if extension.is_empty() || extension.len() > 8 || !extension.bytes().all(plain) {
                return Err(no("its extension is not 1 to 8 of a-z and 0-9"));
            }
            if let Some(at) = &found.store_ref {
                let name = format!("/{RESOURCES}/{id}/{sha256}.{extension}");
                let owner = at.strip_prefix("session://").and_then(|at| at.strip_suffix(&name));
                if owner.is_none_or(|owner| SessionId::new(owner).is_err()) {
                    return Err(no("its store_ref names another place than its other fields"));
                }
            }
            let payload = Payload { sha256, extension, bytes: found.size_bytes, line };
            let known = self.0.entry(id.clone()).or_insert_with(|| payload.clone());
            if (&known.sha256, &known.extension, known.bytes)
                != (&payload.sha256, &payload.extension, payload.bytes)
            {
                return Err(ResourceError::Conflict { line, resource: id });
            }
        }
        Ok(())
    }

    /// Reads every payload of a session and holds it to its descriptor; copies them where there is a place for them.
    pub(crate) fn check_and_copy(
        &self,
        workspace: &Workspace,
        session: &SessionId,
        staged: Option<(&Staging, &SessionId)>,
        rim: Rim<'_>,
    ) -> Result<u64, ResourceError> {
        let copy = ResourceError::Copy;
        let target = match staged.filter(|_| !self.0.is_empty()) {
            Some((staging, child)) => {
                let own = staging.folder.make_own(child.as_str(), rim).map_err(copy)?;
                let all = own.make_own(RESOURCES, rim).map_err(copy)?;
                Some((own, all))
            }
            None => None,
        };
        let mut buffer = vec![0; 256 << 10];
        let mut total = 0;
        for (id, payload) in &self.0 {
            let name = format!("{}.{}", payload.sha256, payload.extension);
            let names = [STATE, SESSIONS, session.as_str(), RESOURCES, id, &name];
            let path = workspace.folder().path_of(&names);
            let Some(source) = workspace.folder().file(&names, OFlags::RDONLY)? else {
                return Err(ResourceError::Missing {
                    line: payload.line,
                    resource: id.clone(),
                    path,
                });
            };
            let place = match &target {
                Some((_, all)) => {
                    let folder = all.make_own(id, rim).map_err(copy)?;
                    let file = new_file(&folder, &name, rim).map_err(copy)?;
                    Some((folder, file))
                }
                None => None,
            };
            let (bytes, sha256) = pour(
                (source, &path),
                place.as_ref().map(|(folder, file)| (file, folder)),
                &mut buffer,
                rim,
            )?;
            let why = match payload.bytes {
                Some(described) if described != bytes => Some("its size differs"),
                _ if sha256 != payload.sha256 => Some("its checksum differs"),
                _ => None,
            };
            if let Some(why) = why {
                let (line, resource) = (payload.line, id.clone());
                return Err(ResourceError::Mismatch { line, resource, path, why });
            }
            if let Some((folder, file)) = place {
                let failed = |source| {
                    copy(StateError::io(&folder.path.join(&name), "making it durable", source))
                };
                rim.before(Step::Sync).map_err(failed)?;
                file.sync_all().map_err(failed)?;
                folder.sync(rim).map_err(copy)?;
            }
            total += bytes;
        }
        if let Some((own, all)) = target {
            all.sync(rim).map_err(copy)?;
            own.sync(rim).map_err(copy)?;
        }
        Ok(total)
    }
}

fn new_file(folder: &Folder, name: &str, rim: Rim<'_>) -> Result<File, StateError> {
    let failed = |source| StateError::io(&folder.path.join(name), "making it", source);
    rim.before(Step::Begin).map_err(failed)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    fs::openat(folder.fd(), name, flags, Mode::RUSR | Mode::WUSR)
        .map(File::from)
        .map_err(|errno| failed(errno.into()))
}

/// Reads a payload to its end, into a copy where there is one; its length and checksum.
fn pour(
    (mut source, path): (File, &camino::Utf8Path),
    target: Option<(&File, &Folder)>,
    buffer: &mut [u8],
    rim: Rim<'_>,
) -> Result<(u64, String), ResourceError> {
    let mut hash = Sha256::new();
    let mut bytes = 0;
    loop {
        let count = match source.read(buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(source) => return Err(StateError::io(path, "reading it", source).into()),
        };
        hash.update(&buffer[..count]);
        bytes += count as u64;
        if let Some((mut file, folder)) = target {
            let failed = |source| {
                ResourceError::Copy(StateError::io(
                    &folder.path,
                    "copying a payload into it",
                    source,
                ))
            };
            rim.before(Step::Copy).map_err(failed)?;
            file.write_all(&buffer[..count]).map_err(failed)?;
        }
    }
    let mut text = String::with_capacity(64);
    for byte in hash.finalize() {
        // Writing to a string does not fail.
        write!(text, "{byte:02x}").ok();
    }
    Ok((bytes, text))
}
