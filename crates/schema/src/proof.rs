//! What was proved of a child, and the only road from evidence to a token (SPEC 8).

use crate::conversation::ConversationId;
use crate::token::SourceId;
use crate::words::{Runtime, words};
use std::fmt;
use thiserror::Error;

words! {
    /// How much was seen (SPEC 8).
    ProofGrade {
        /// A process alive in our pane.
        L0 = "L0",
        /// A new id bound to this launch, not the source's, unique.
        L1 = "L1",
        /// The runtime's own record names the source as parent.
        L2 = "L2",
        /// The content is the source's effective history.
        L3 = "L3",
    }
}

words! {
    /// What the evidence says when it is looked at again (SPEC 8).
    ProofStatus {
        /// It holds.
        Proved = "proved",
        /// It contradicts.
        Refuted = "refuted",
        /// It cannot be looked at.
        Unverifiable = "unverifiable",
    }
}

/// The evidence for one child.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Proof {
    /// How much was seen.
    pub grade: ProofGrade,
    /// What it says.
    pub status: ProofStatus,
    /// One line for people: `content proved 214/214`.
    pub detail: String,
    /// What was inherited, where content was compared.
    pub inherited: Option<Inherited>,
}

/// What a child took over from its source, measured (SPEC 8, 11).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Inherited {
    /// Records of the source's effective history found in the child, in order.
    pub records: u64,
    /// Bytes of the source that were hashed.
    pub source_bytes: u64,
    /// SHA-256 of the compared history in its canonical form, lower-case hex.
    pub sha256: String,
    /// The runtime's id of the last inherited record.
    pub last_record: Option<String>,
    /// Records of the source that are not part of its effective history, by reason, as text: `9 before the last compaction`.
    pub not_inherited: Vec<String>,
    /// Whether the child's content lives in the source's file (Codex paginated).
    pub depends_on_source: bool,
    /// The bytes of other records the child's content lives in, nearest ancestor first; empty where it stands by itself.
    #[serde(default)]
    pub depends_on: Vec<ByteRange>,
}

/// Bytes of a record that another conversation's history lives in (SPEC 8 "by reference").
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ByteRange {
    /// The runtime's own id of that record.
    pub record_id: String,
    /// The record's path.
    pub path: String,
    /// Its device.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// Where the range begins.
    pub from: u64,
    /// Where it ends, exclusive.
    pub to: u64,
    /// Complete records in it.
    pub records: u64,
    /// SHA-256 of those bytes, lower-case hex.
    pub sha256: String,
}

impl Proof {
    /// The grade as it is shown: `L3 (by reference)` where the child's content lives in other records (SPEC 8).
    pub fn shown_grade(&self) -> String {
        match &self.inherited {
            Some(inherited) if inherited.depends_on_source => {
                format!("{} (by reference)", self.grade)
            }
            _ => self.grade.to_string(),
        }
    }

    /// Evidence that a new id belongs to this launch and nothing more (L1).
    pub fn new_id(detail: impl Into<String>) -> Self {
        Self {
            grade: ProofGrade::L1,
            status: ProofStatus::Proved,
            detail: detail.into(),
            inherited: None,
        }
    }
}

/// Why evidence does not make a seat.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotProved {
    /// The child is the source.
    #[error("the new conversation has the source's own id {id}")]
    IsTheSource {
        /// That id.
        id: String,
    },
    /// Child and source belong to different runtimes.
    #[error("the source belongs to {parent}, the child to {child}")]
    OtherRuntime {
        /// The source's runtime.
        parent: Runtime,
        /// The child's runtime.
        child: Runtime,
    },
    /// The evidence is too weak for the runtime.
    #[error("{runtime} needs proof {needed}, the evidence reaches {grade} ({status})")]
    TooWeak {
        /// The runtime.
        runtime: Runtime,
        /// What it needs.
        needed: ProofGrade,
        /// What was reached.
        grade: ProofGrade,
        /// What the evidence says.
        status: ProofStatus,
    },
}

/// A child with evidence enough to become an occupant. The only road to a new [`crate::SeatToken`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvedChild {
    child: ConversationId,
    source: Option<SourceId>,
    proof: Proof,
}

impl ProvedChild {
    /// A child forked from a source. Claude Code and pixir need L3, others at least L2 (SPEC 8).
    pub fn forked(
        source: SourceId,
        child: ConversationId,
        proof: Proof,
    ) -> Result<Self, NotProved> {
        if child.runtime != source.conversation().runtime {
            return Err(NotProved::OtherRuntime {
                parent: source.conversation().runtime,
                child: child.runtime,
            });
        }
        if child.is_same(source.conversation())
            || child
                .native_id
                .as_str()
                .eq_ignore_ascii_case(source.conversation().native_id.as_str())
        {
            return Err(NotProved::IsTheSource { id: child.native_id.to_string() });
        }
        let needed = match child.runtime {
            Runtime::ClaudeCode | Runtime::Pixir => ProofGrade::L3,
            Runtime::Codex | Runtime::Terminal | Runtime::Pi => ProofGrade::L2,
        };
        Self::graded(Some(source), child, proof, needed)
    }

    /// A child made from nothing. It needs L1.
    pub fn fresh(child: ConversationId, proof: Proof) -> Result<Self, NotProved> {
        Self::graded(None, child, proof, ProofGrade::L1)
    }

    fn graded(
        source: Option<SourceId>,
        child: ConversationId,
        proof: Proof,
        needed: ProofGrade,
    ) -> Result<Self, NotProved> {
        if proof.status != ProofStatus::Proved || proof.grade < needed {
            return Err(NotProved::TooWeak {
                runtime: child.runtime,
                needed,
                grade: proof.grade,
                status: proof.status,
            });
        }
        Ok(Self { child, source, proof })
    }

    /// The child.
    pub fn child(&self) -> &ConversationId {
        &self.child
    }

    /// The source, for a fork.
    pub fn source(&self) -> Option<&SourceId> {
        self.source.as_ref()
    }

    /// The evidence.
    pub fn proof(&self) -> &Proof {
        &self.proof
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.shown_grade(), self.status, self.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::NativeId;

    fn claude(id: &str) -> ConversationId {
        ConversationId::new(Runtime::ClaudeCode, NativeId::new(id).unwrap())
    }

    fn graded(grade: ProofGrade, status: ProofStatus) -> Proof {
        Proof { grade, status, detail: String::new(), inherited: None }
    }

    // SPEC 8: `forked` for Claude needs L3, proved, and a child that is not the source.
    #[test]
    fn a_claude_fork_below_l3_or_with_the_sources_id_is_no_child() {
        let source = || SourceId::new(claude("aa"));
        for grade in [ProofGrade::L0, ProofGrade::L1, ProofGrade::L2] {
            assert!(
                ProvedChild::forked(source(), claude("bb"), graded(grade, ProofStatus::Proved))
                    .is_err()
            );
        }
        for status in [ProofStatus::Refuted, ProofStatus::Unverifiable] {
            assert!(
                ProvedChild::forked(source(), claude("bb"), graded(ProofGrade::L3, status))
                    .is_err()
            );
        }
        let proved = || graded(ProofGrade::L3, ProofStatus::Proved);
        assert!(matches!(
            ProvedChild::forked(source(), claude("AA"), proved()),
            Err(NotProved::IsTheSource { .. })
        ));
        assert!(ProvedChild::forked(source(), claude("bb"), proved()).is_ok());
    }
}
