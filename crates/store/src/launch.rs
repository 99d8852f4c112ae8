//! Launches: one attempt each to fill a seat (SPEC 1, 7).

pub(crate) mod declare;
mod read;
pub(crate) mod step;

pub(crate) use read::{by_id, last_of, open_of, proof};

use crate::id::{LaunchId, Nonce, SeatId};
use crate::occupant::EndReason;
use camino::Utf8PathBuf;
use jiff::Timestamp;
use seatfork_schema::{
    ContinuityOutcome, ConversationId, CreatedVia, Intent, LaunchState, NoticeState, PlannedChild,
    Proof, Runtime, SeatToken, SourceId,
};
use step::LaunchError;

/// Who drives a launch. Whether it lives is its lock's answer ([`crate::OwnerLock`]), not these words'.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The host's name.
    pub host: String,
    /// The host's boot id.
    pub boot: String,
    /// The process.
    pub process: ProcessMark,
}

/// A process that cannot be taken for a later one of the same number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessMark {
    /// Its id.
    pub pid: u32,
    /// When it started, as the system tells it.
    pub start: String,
}

/// The binary that answered for a runtime, to be compared again at spawn (SPEC 6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeBinary {
    /// What it says it is.
    pub version: String,
    /// Its absolute real path.
    pub path: Utf8PathBuf,
    /// Its device.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// When the file was last changed.
    pub modified: Timestamp,
}

/// An agent image a fork goes by (SPEC 12).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageRef {
    /// Its name.
    pub name: String,
    /// Its version, as text; `None` where the newest was taken and images carry none.
    pub version: Option<String>,
}

/// The occupant a launch is to replace, declared with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replaces {
    /// Its number in the seat.
    pub n: u32,
    /// What its end will be called.
    pub reason: EndReason,
}

/// What an adapter saw of a source at resolve (SPEC 6, 8): enough to look again, and its whole report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceEvidence {
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
    /// The adapter's whole report.
    pub detail: serde_json::Value,
}

/// Whether an artifact file was there (SPEC 10, failure 2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArtifactState {
    /// Read and measured.
    Found {
        /// Its length.
        bytes: u64,
        /// SHA-256 of its bytes, lower-case hex.
        sha256: String,
    },
    /// Not there: a gap.
    Missing,
    /// There and not to be read: a gap.
    Unreadable,
}

/// One artifact file of a rebuild, or of a starter, in trust order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactFact {
    /// Its path, as declared.
    pub path: String,
    /// What was found.
    pub state: ArtifactState,
}

/// A launch as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Its id.
    pub id: LaunchId,
    /// The seat it is for.
    pub seat: SeatId,
    /// The seat's runtime.
    pub runtime: Runtime,
    /// Which attempt for the seat it is, from 1.
    pub attempt: u32,
    /// What it is to do.
    pub intent: Intent,
    /// How its child comes to be; `None` for a resume, which makes none.
    pub created_via: Option<CreatedVia>,
    /// How far it is.
    pub state: LaunchState,
    /// Its mark.
    pub nonce: Nonce,
    /// Who drives it.
    pub owner: Owner,
    /// The file name of its owner's lock, in [`crate::Store::locks_dir`].
    pub owner_lock: String,
    /// The conversation a fork starts from.
    pub source: Option<SourceId>,
    /// The seat's own token a resume brings back.
    pub resumes: Option<SeatToken>,
    /// The child's id, where we chose it.
    pub planned_child: Option<PlannedChild>,
    /// The launch whose orphan it adopts.
    pub adopts: Option<LaunchId>,
    /// The agent image it goes by.
    pub image: Option<ImageRef>,
    /// The occupant it is to replace.
    pub replaces: Option<Replaces>,
    /// The working directory.
    pub cwd: Utf8PathBuf,
    /// The model asked for.
    pub model: Option<String>,
    /// The runtime's configuration profile asked for.
    pub profile: Option<String>,
    /// Whether a fork is to be told what it is (SPEC 6).
    pub notice_wanted: bool,
    /// The permission policy, by name.
    pub permission: String,
    /// The build of seatfork that declared it.
    pub build: String,
    /// The binary that answered.
    pub binary: Option<RuntimeBinary>,
    /// When it was declared.
    pub declared_at: Timestamp,
    /// When it was resolved.
    pub resolved_at: Option<Timestamp>,
    /// What was seen of the source.
    pub evidence: Option<SourceEvidence>,
    /// When its runtime was about to run.
    pub forking_at: Option<Timestamp>,
    /// The process of phase 1.
    pub phase1: Option<ProcessMark>,
    /// The conversation it made, as far as known. Not a token: that is the occupant's.
    pub child: Option<ConversationId>,
    /// What was proved.
    pub proof: Option<Proof>,
    /// How it ended; `None` while it is open, and for an adopted rotation.
    pub outcome: Option<ContinuityOutcome>,
    /// The step that failed.
    pub failed_step: Option<String>,
    /// Why it failed.
    pub error: Option<LaunchError>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Whether the seat was told what it is.
    pub notice: Option<NoticeState>,
    /// Things that were said and did not stop it.
    pub warnings: Vec<String>,
}
