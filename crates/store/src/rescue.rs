//! Rescue files: a child and its proof that the store could not take (`token-not-stored`, SPEC 7, 10).
//!
//! A rescue file is a hint, not a token: the next `up` or `reconcile` proves
//! the child again and stores it by the code of the live path.

use crate::column::scope_of;
use crate::durable;
use crate::id::{LaunchId, SeatId};
use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use rustix::fs::OFlags;
use seatfork_schema::{ConversationId, NativeId, Proof, Runtime, SourceId};
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use thiserror::Error;

/// The version of the file's format.
const VERSION: u32 = 1;
/// No rescue file of ours is longer, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// What is rescued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescue {
    /// The launch, which the store still says is forking.
    pub launch: LaunchId,
    /// Its seat.
    pub seat: SeatId,
    /// The seat's name.
    pub seat_name: String,
    /// The new conversation.
    pub child: ConversationId,
    /// What it came from.
    pub source: Option<SourceId>,
    /// What was proved of it.
    pub proof: Proof,
    /// Why the store did not take it.
    pub why: String,
    /// When.
    pub at: Timestamp,
}

/// A rescue file, readable or not.
#[derive(Debug)]
pub struct Found {
    /// Where.
    pub path: Utf8PathBuf,
    /// What it holds.
    pub rescue: Result<Rescue, RescueError>,
}

/// Why a rescue file was not written or read.
#[derive(Debug, Error)]
pub enum RescueError {
    /// Another child of the same launch is rescued there already; it is kept.
    #[error("{path} holds another rescued conversation of this launch")]
    OtherThere {
        /// The file.
        path: Utf8PathBuf,
    },
    /// The file is of a newer build.
    #[error("{path} has version {found}, this build reads {VERSION}")]
    Newer {
        /// The file.
        path: Utf8PathBuf,
        /// Its version.
        found: u64,
    },
    /// The file is not what we write.
    #[error("{path} is no rescue file: {why}")]
    Malformed {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The file system said no.
    #[error("{path}: failed {doing}")]
    Io {
        /// What it was about.
        path: Utf8PathBuf,
        /// What was being done.
        doing: &'static str,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// The file's shape.
#[derive(Serialize, Deserialize)]
struct Wire {
    seatfork_rescue: u32,
    launch: LaunchId,
    seat: SeatId,
    seat_name: String,
    child: WireConversation,
    source: Option<WireConversation>,
    proof: Proof,
    why: String,
    at: String,
}

#[derive(Serialize, Deserialize)]
struct WireConversation {
    runtime: Runtime,
    scope: String,
    native_id: NativeId,
}

impl From<&ConversationId> for WireConversation {
    fn from(id: &ConversationId) -> Self {
        Self {
            runtime: id.runtime,
            scope: id.scope.as_str().to_owned(),
            native_id: id.native_id.clone(),
        }
    }
}

impl From<WireConversation> for ConversationId {
    fn from(wire: WireConversation) -> Self {
        Self { runtime: wire.runtime, scope: scope_of(&wire.scope), native_id: wire.native_id }
    }
}

/// Writes a rescue file, 0600, durable when this returns, never over another. The same rescue again is recognised.
pub fn write(directory: &Utf8Path, rescue: &Rescue) -> Result<Utf8PathBuf, RescueError> {
    durable::create_private_dir(directory).map_err(io_at(directory, "making the directory"))?;
    let path = directory.join(format!("{}.json", rescue.launch));
    let unfinished = directory.join(format!(".{}.{}", rescue.launch, uuid::Uuid::new_v4()));
    let put = || -> io::Result<()> {
        let mut file = durable::create_private(&unfinished)?;
        file.write_all(to_json(rescue).as_bytes())?;
        file.sync_all()?;
        durable::publish(&unfinished, &path)
    };
    let Err(source) = put() else { return Ok(path) };
    // Best effort: the error that stands is the one to be told.
    drop(std::fs::remove_file(&unfinished));
    if source.kind() != ErrorKind::AlreadyExists {
        return Err(io_at(&path, "writing it")(source));
    }
    match read(&path) {
        Ok(known) if (known.launch, &known.child) == (rescue.launch, &rescue.child) => Ok(path),
        _ => Err(RescueError::OtherThere { path }),
    }
}

/// Every rescue file of a directory, by name; one that cannot be read is there with its error. No directory, no files.
pub fn list(directory: &Utf8Path) -> Result<Vec<Found>, RescueError> {
    let entries = match directory.read_dir_utf8() {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(io_at(directory, "listing it")(source)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(io_at(directory, "listing it"))?.into_path();
        let hidden = path.file_name().is_none_or(|name| name.starts_with('.'));
        if !hidden && path.extension() == Some("json") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths.into_iter().map(|path| Found { rescue: read(&path), path }).collect())
}

/// Reads one rescue file.
pub fn read(path: &Utf8Path) -> Result<Rescue, RescueError> {
    let malformed = |why: String| RescueError::Malformed { path: path.to_owned(), why };
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
        .map_err(io_at(path, "opening it"))?;
    let mut text = String::new();
    file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(|source| match source.kind() {
        ErrorKind::InvalidData => malformed("not UTF-8".to_owned()),
        _ => io_at(path, "reading it")(source),
    })?;
    if text.len() as u64 > MAX_BYTES {
        return Err(malformed(format!("longer than {MAX_BYTES} bytes")));
    }
    let tree: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| malformed(error.to_string()))?;
    match tree.get("seatfork_rescue").and_then(serde_json::Value::as_u64) {
        Some(version) if version == u64::from(VERSION) => {}
        Some(found) => return Err(RescueError::Newer { path: path.to_owned(), found }),
        None => return Err(malformed("it does not say so".to_owned())),
    }
    let wire: Wire = serde_json::from_value(tree).map_err(|error| malformed(error.to_string()))?;
    Ok(Rescue {
        launch: wire.launch,
        seat: wire.seat,
        seat_name: wire.seat_name,
        child: wire.child.into(),
        source: wire.source.map(|source| SourceId::new(source.into())),
        proof: wire.proof,
        why: wire.why,
        at: wire.at.parse().map_err(|error| malformed(format!("at: {error}")))?,
    })
}

/// Removes a rescue file once the store has what it held.
pub fn remove(path: &Utf8Path) -> Result<(), RescueError> {
    std::fs::remove_file(path)
        .and_then(|()| durable::sync_parent(path))
        .map_err(io_at(path, "removing it"))
}

fn to_json(rescue: &Rescue) -> String {
    let wire = Wire {
        seatfork_rescue: VERSION,
        launch: rescue.launch,
        seat: rescue.seat,
        seat_name: rescue.seat_name.clone(),
        child: (&rescue.child).into(),
        source: rescue.source.as_ref().map(|source| source.conversation().into()),
        proof: rescue.proof.clone(),
        why: rescue.why.clone(),
        at: rescue.at.to_string(),
    };
    let json = serde_json::to_string_pretty(&wire);
    json.expect("strings, numbers and closed words always serialize") + "\n"
}

fn io_at(path: &Utf8Path, doing: &'static str) -> impl FnOnce(io::Error) -> RescueError + use<> {
    let path = path.to_owned();
    move |source| RescueError::Io { path, doing, source }
}
