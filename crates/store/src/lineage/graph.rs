//! Reading lineage as a graph (SPEC 13, `lineage --json`).

use super::SourceRange;
use crate::column::Columns;
use crate::error::StoreError;
use crate::id::{LaunchId, RigId, SeatId};
use crate::launch;
use crate::open::Store;
use jiff::Timestamp;
use rusqlite::{Row, named_params};
use seatfork_schema::{ContinuityOutcome, ConversationId, CreatedVia, Proof, Runtime};

/// What lineage is asked about. Ancestors and descendants come with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineageOf {
    /// Every conversation that ever lived in a seat of this rig, retired seats included.
    Rig(RigId),
    /// Every conversation that ever lived in this seat.
    Seat(SeatId),
    /// One conversation.
    Conversation(ConversationId),
}

/// One conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineageNode {
    /// It.
    pub conversation: ConversationId,
    /// The seat it was launched for, with its name; `None` for a conversation that only was a source.
    pub seat: Option<(SeatId, String)>,
    /// When that seat was forgotten.
    pub seat_retired_at: Option<Timestamp>,
    /// The launch that made or adopted it.
    pub launch: Option<LaunchId>,
    /// How that launch ended.
    pub outcome: Option<ContinuityOutcome>,
    /// The oldest ancestor known when it was written down; itself where it has none.
    pub root: ConversationId,
    /// How it came to be; `None` for a conversation that only was a source.
    pub created_via: Option<CreatedVia>,
    /// When it was realized, or first seen.
    pub at: Timestamp,
    /// What was proved.
    pub proof: Option<Proof>,
}

/// One descent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineageEdge {
    /// From.
    pub parent: ConversationId,
    /// To.
    pub child: ConversationId,
    /// By what.
    pub kind: CreatedVia,
}

/// Conversations and descents, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineageGraph {
    /// The conversations.
    pub nodes: Vec<LineageNode>,
    /// The descents among them.
    pub edges: Vec<LineageEdge>,
}

/// The conversations asked about, all their ancestors and all their descendants.
macro_rules! with_nodes {
    ($start:literal, $rest:literal) => {
        concat!(
            "WITH RECURSIVE start(runtime,scope,id) AS (",
            $start,
            "), up(runtime,scope,id) AS (
               SELECT * FROM start UNION
               SELECT x.runtime,x.parent_scope,x.parent_id FROM up JOIN lineage x
                 ON x.runtime=up.runtime AND x.scope=up.scope AND x.child_id=up.id WHERE x.parent_id IS NOT NULL),
             down(runtime,scope,id) AS (
               SELECT * FROM start UNION
               SELECT x.runtime,x.scope,x.child_id FROM down JOIN lineage x
                 ON x.runtime=down.runtime AND x.parent_scope=down.scope AND x.parent_id=down.id),
             nodes(runtime,scope,id) AS (SELECT * FROM up UNION SELECT * FROM down) ",
            $rest
        )
    };
}

macro_rules! queries {
    ($start:literal) => {
        (
            with_nodes!(
                $start,
                "SELECT n.runtime, n.scope, n.id, s.seat_id, s.name, s.retired_at, l.launch_id, l.outcome, x.created_via,
                   coalesce(x.root_scope,n.scope) AS root_scope, coalesce(x.root_id,n.id) AS root_id,
                   coalesce(x.at,c.first_seen_at) AS at, l.proof_grade, l.proof_status, l.proof_detail,
                   x.inherited_records, x.inherited_bytes, x.inherited_sha256, x.last_inherited, x.not_inherited, x.depends_on_source
                 FROM nodes n
                 JOIN conversations c ON c.runtime=n.runtime AND c.scope=n.scope AND c.native_id=n.id
                 LEFT JOIN lineage x ON x.rowid=(SELECT y.rowid FROM lineage y WHERE y.runtime=n.runtime AND y.scope=n.scope
                   AND y.child_id=n.id ORDER BY y.created_via='rotated', y.rowid LIMIT 1)
                 LEFT JOIN launches l ON l.launch_id=x.launch_id
                 LEFT JOIN seats s ON s.seat_id=l.seat_id
                 ORDER BY at, n.runtime, n.scope, n.id"
            ),
            with_nodes!(
                $start,
                "SELECT x.runtime, x.scope, x.child_id, x.parent_scope, x.parent_id, x.created_via FROM lineage x
                 JOIN nodes p ON p.runtime=x.runtime AND p.scope=x.parent_scope AND p.id=x.parent_id
                 JOIN nodes n ON n.runtime=x.runtime AND n.scope=x.scope AND n.id=x.child_id
                 ORDER BY x.at, x.rowid"
            ),
        )
    };
}

const OF_SEATS: (&str, &str) = queries!(
    "SELECT x.runtime,x.scope,x.child_id FROM lineage x JOIN launches l ON l.launch_id=x.launch_id
     JOIN seats s ON s.seat_id=l.seat_id WHERE s.rig_id IS :a OR s.seat_id IS :b OR :c<>''"
);
const OF_CONVERSATION: (&str, &str) = queries!(
    "SELECT runtime,scope,native_id FROM conversations WHERE runtime=:a AND scope=:b
     AND native_key=CASE :a WHEN 'pixir' THEN :c ELSE lower(:c) END"
);

impl Store {
    /// The conversations asked about with all their ancestors and descendants. One the store never saw gives an empty graph.
    pub fn lineage(&self, of: &LineageOf) -> Result<LineageGraph, StoreError> {
        let ((nodes, edges), a, b, c) = match of {
            LineageOf::Rig(rig) => (OF_SEATS, rig.to_string(), String::new(), String::new()),
            LineageOf::Seat(seat) => (OF_SEATS, String::new(), seat.to_string(), String::new()),
            LineageOf::Conversation(conversation) => (
                OF_CONVERSATION,
                conversation.runtime.to_string(),
                conversation.scope.as_str().to_owned(),
                conversation.native_id.to_string(),
            ),
        };
        self.read("reading the lineage", |db| {
            let params = named_params! { ":a": a, ":b": b, ":c": c };
            let during = "reading the lineage";
            Ok(LineageGraph {
                nodes: db.all(during, nodes, params, read_node)?,
                edges: db.all(during, edges, params, read_edge)?,
            })
        })
    }

    /// Bytes of other files the child of a launch depends on, nearest ancestor first.
    pub fn ranges_of(&self, launch: LaunchId) -> Result<Vec<SourceRange>, StoreError> {
        self.read("reading the lineage", |db| {
            db.all(
                "reading the lineage",
                "SELECT * FROM lineage_ranges WHERE launch_id=? ORDER BY n",
                [launch.to_string()],
                |row| {
                    Ok(SourceRange {
                        path: row.path("path")?,
                        device: row.unbits("dev")?,
                        inode: row.unbits("ino")?,
                        from: row.count("from_byte")?,
                        to: row.count("to_byte")?,
                        sha256: row.get("sha256")?,
                    })
                },
            )
        })
    }
}

fn read_node(row: &Row<'_>) -> rusqlite::Result<LineageNode> {
    let seat: Option<SeatId> = row.parsed_opt("seat_id")?;
    let name: Option<String> = row.get("name")?;
    Ok(LineageNode {
        conversation: conversation(row, "scope", "id")?,
        seat: seat.zip(name),
        seat_retired_at: row.time_opt("retired_at")?,
        launch: row.parsed_opt("launch_id")?,
        outcome: row.word_opt("outcome", ContinuityOutcome::from_word)?,
        root: conversation(row, "root_scope", "root_id")?,
        created_via: row.word_opt("created_via", CreatedVia::from_word)?,
        at: row.time("at")?,
        proof: launch::proof(row)?,
    })
}

fn read_edge(row: &Row<'_>) -> rusqlite::Result<LineageEdge> {
    Ok(LineageEdge {
        parent: conversation(row, "parent_scope", "parent_id")?,
        child: conversation(row, "scope", "child_id")?,
        kind: row.word("created_via", CreatedVia::from_word)?,
    })
}

/// A conversation whose columns are never null.
fn conversation(row: &Row<'_>, scope: &str, id: &str) -> rusqlite::Result<ConversationId> {
    Ok(ConversationId {
        runtime: row.word("runtime", Runtime::from_word)?,
        scope: crate::column::scope_of(&row.get::<_, String>(scope)?),
        native_id: row.word(id, |text| seatfork_schema::NativeId::new(text).ok())?,
    })
}
