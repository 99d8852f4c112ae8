//! What an adapter saw (SPEC 6, 8).

use camino::Utf8PathBuf;
use jiff::Timestamp;
use seatfork_schema::{ConversationId, SourceId, proof::ByteRange};
use serde::{Deserialize, Serialize};

/// What stands on disk for a source, at the moment of resolve. Stored with the launch, and enough to prove again offline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The source's native id.
    pub native_id: seatfork_schema::NativeId,
    /// The record's real path.
    pub path: Utf8PathBuf,
    /// Its device.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// Its length in bytes when it was read.
    pub bytes: u64,
    /// SHA-256 of those bytes, lower-case hex.
    pub sha256: String,
    /// Complete records in it.
    pub records: u64,
    /// Records of its effective history, which a child inherits.
    pub effective_records: u64,
    /// The runtime's id of the last record of the effective history.
    pub last_record: Option<String>,
    /// What is not inherited, counted by reason: `9 before the last compaction`.
    pub not_inherited: Vec<String>,
    /// Newest time in the record.
    pub last_activity: Option<Timestamp>,
    /// The working directory the record names last.
    pub recorded_cwd: Option<String>,
    /// A process that serves the source now.
    pub live: Option<InUse>,
    /// The runtime version that wrote it, where it says so.
    pub written_by: Option<String>,
    /// Things to be said that do not stop a fork: `last line is being written`.
    pub remarks: Vec<String>,
    /// The records its own history goes on from, nearest first, where it does not hold them itself (Codex).
    #[serde(default)]
    pub ancestors: Vec<ByteRange>,
    /// About how much disk a fork takes, where it is not as much as the source.
    #[serde(default)]
    pub fork_bytes: Option<u64>,
}

impl Evidence {
    /// The source this is about.
    pub fn source(&self, runtime: seatfork_schema::Runtime) -> SourceId {
        SourceId::new(ConversationId::new(runtime, self.native_id.clone()))
    }
}

/// A process that serves a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InUse {
    /// Its process id.
    pub pid: u32,
    /// What told us: `sessions/123.json`.
    pub seen_in: String,
}

/// A conversation on disk that bears a launch's mark (SPEC 7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// It.
    pub conversation: ConversationId,
    /// Where.
    pub path: Utf8PathBuf,
    /// Its length in bytes.
    pub bytes: u64,
}

/// One prior conversation, for `sessions`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    /// It.
    pub conversation: ConversationId,
    /// The record's path.
    pub path: Utf8PathBuf,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its records; `None` where it was too large to be read whole for a list, or could not be read.
    pub records: Option<u64>,
    /// Newest change.
    pub last_activity: Option<Timestamp>,
    /// The working directory it names.
    pub cwd: Option<String>,
    /// A title, or the start of its first message; text from outside.
    pub preview: Option<String>,
    /// Why it cannot be forked. `None` when it can, and when it was not read whole (`records` is then `None`), so that
    /// only `resolve` can tell.
    pub not_forkable: Option<String>,
    /// A process that serves it now.
    pub live: Option<InUse>,
}
