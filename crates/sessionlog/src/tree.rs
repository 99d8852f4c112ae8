//! Which session of a workspace came from which: forks, warm starts and subagents, each log read once.
//!
//! The lineage is what the first line of each log says, a subagent what its
//! parent's events say. Nothing of it is trusted as a path. A log that is
//! damaged, torn, missing or kept elsewhere is a node like any other, and says
//! so; a circle is shown and walked once.

mod read;
mod show;
mod walk;

pub use walk::{Place, Row};

use crate::error::StateError;
use crate::id::SessionId;
use crate::lineage::Lineage;
use crate::workspace::Workspace;
use camino::Utf8PathBuf;
use serde::Serialize;
use std::collections::BTreeMap;

/// The sessions of a workspace and what ties them together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tree {
    /// The workspace, by its real path.
    pub workspace: Utf8PathBuf,
    /// Places in `nodes` nothing leads to, and of each circle that nothing leads into the first.
    pub roots: Vec<usize>,
    /// Every session that has a log here or is named by one.
    pub nodes: Vec<Node>,
    /// What ties them together.
    pub edges: Vec<Edge>,
    /// Files beside the logs whose names are no session's.
    pub strangers: u64,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Its id.
    pub session: SessionId,
    /// How its log was found.
    pub log: LogState,
    /// Events, as far as the log could be read.
    pub events: u64,
    /// Events by type; unknown types are counted below.
    pub by_type: BTreeMap<&'static str, u64>,
    /// Events of types this build does not know.
    pub unknown: u64,
    /// When the first event was written.
    pub first_ts: Option<String>,
    /// When the last event was written.
    pub last_ts: Option<String>,
    /// What its first line says of where it comes from.
    pub lineage: Option<Lineage>,
    /// Children its events name by what is no session id. They lead nowhere.
    pub refused_children: u64,
    /// Children that are not shown, because they lie deeper than was asked for.
    pub hidden_children: u64,
}

/// How the log of a session was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum LogState {
    /// It was read to its end.
    Whole,
    /// It was read to its end, where a record stands that is not whole: being written just now, or cut off by a crash.
    Torn {
        /// Bytes of that record.
        bytes: u64,
    },
    /// A line is not what a log holds; what is said of it ends before that line.
    Corrupt {
        /// The line, from 1.
        line: u64,
        /// The byte, from the start of the log.
        byte: u64,
        /// What is wrong.
        why: String,
    },
    /// It could not be read.
    Unreadable {
        /// Why.
        why: String,
    },
    /// It is named, and there is no log of it here.
    Missing,
    /// It is named as a session of another workspace, which is not looked into.
    Elsewhere {
        /// That workspace, as the log that names it has it.
        workspace: String,
    },
}

/// How one session came from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kin {
    /// The child's first line names the parent.
    Fork,
    /// So it does, as its seed.
    WarmStart,
    /// An event of the parent names the child as a subagent's session.
    Subagent,
}

/// One tie between two sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edge {
    /// The parent's place in `nodes`.
    pub parent: usize,
    /// The child's place in `nodes`.
    pub child: usize,
    /// How.
    pub kind: Kin,
    /// The parent's id.
    pub parent_session: SessionId,
    /// The child's id.
    pub child_session: SessionId,
}

impl Tree {
    /// Reads every log of a workspace, each once and in memory for its longest line.
    pub fn read(workspace: &Workspace) -> Result<Self, StateError> {
        read::read(workspace)
    }

    /// The place of a session that has, or should have, its log in this workspace.
    pub fn find(&self, session: &SessionId) -> Option<usize> {
        let here = |node: &Node| !matches!(node.log, LogState::Elsewhere { .. });
        self.nodes.iter().position(|node| here(node) && node.session == *session)
    }

    /// The part of it that a session leads to, at most so many steps deep.
    #[must_use]
    pub fn below(&self, root: usize, depth: usize) -> Self {
        walk::below(self, root, depth)
    }

    /// Its rows from top to bottom, each session in full where it is met first.
    pub fn rows(&self) -> Vec<Row> {
        walk::rows(self)
    }

    /// Whether a log could not be read to its end.
    pub fn is_damaged(&self) -> bool {
        let damaged =
            |log: &LogState| matches!(log, LogState::Corrupt { .. } | LogState::Unreadable { .. });
        self.nodes.iter().any(|node| damaged(&node.log))
    }
}

impl Kin {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fork => "fork",
            Self::WarmStart => "warm start",
            Self::Subagent => "subagent",
        }
    }
}

#[cfg(test)]
mod tests;
