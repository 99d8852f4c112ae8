//! Lineage: which conversation came from which, append-only, asked for both ways (SPEC 1, 11, 13).

mod graph;

pub use graph::{LineageEdge, LineageGraph, LineageNode, LineageOf};

use crate::column::{Columns, bits, scope_of, time_text};
use crate::db::Db;
use crate::error::StoreError;
use crate::id::LaunchId;
use camino::Utf8PathBuf;
use jiff::Timestamp;
use rusqlite::named_params;
use seatfork_schema::proof::Inherited;
use seatfork_schema::{ConversationId, NativeId};

/// Bytes of another file that a child's content lives in (SPEC 8, by reference).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRange {
    /// The file's real path.
    pub path: Utf8PathBuf,
    /// Its device.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// First byte.
    pub from: u64,
    /// One past the last byte.
    pub to: u64,
    /// SHA-256 of those bytes, lower-case hex.
    pub sha256: String,
}

/// A lineage row to be written. How it came to be is its launch's `created_via`.
pub(crate) struct Descent<'a> {
    pub(crate) child: &'a ConversationId,
    pub(crate) parent: Option<&'a ConversationId>,
    pub(crate) launch: LaunchId,
    pub(crate) inherited: Option<&'a Inherited>,
    pub(crate) ranges: &'a [SourceRange],
    pub(crate) at: Timestamp,
}

/// Makes sure a conversation is known, in this spelling.
pub(crate) fn see(
    db: Db<'_>,
    conversation: &ConversationId,
    origin: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    db.execute(
        "storing the conversation",
        "INSERT INTO conversations(runtime,scope,native_id,origin,first_seen_at)
         SELECT :runtime,:scope,:id,:origin,:at
         WHERE NOT EXISTS(SELECT 1 FROM conversations WHERE runtime=:runtime AND scope=:scope AND native_id=:id)",
        named_params! {
            ":runtime": conversation.runtime.as_str(),
            ":scope": conversation.scope.as_str(),
            ":id": conversation.native_id.as_str(),
            ":origin": origin,
            ":at": time_text(at),
        },
    )?;
    Ok(())
}

/// Writes the lineage of a realized launch's child.
pub(crate) fn record(db: Db<'_>, descent: &Descent<'_>) -> Result<(), StoreError> {
    let child = descent.child;
    // A conversation rotated back to has its parent on record; it is not told twice.
    let told = known(db, child)?;
    let parent = descent.parent.filter(|_| !told.as_ref().is_some_and(|told| told.has_parent));
    let root = match parent {
        Some(parent) => known(db, parent)?.map_or_else(|| parent.clone(), |known| known.root),
        None => told.map_or_else(|| child.clone(), |told| told.root),
    };
    let inherited = descent.inherited.filter(|_| parent.is_some());
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    db.execute(
        "storing the lineage",
        "INSERT INTO lineage(runtime,scope,child_id,parent_scope,parent_id,root_scope,root_id,launch_id,created_via,
           inherited_records,inherited_bytes,inherited_sha256,last_inherited,not_inherited,depends_on_source,at)
         SELECT :runtime,:scope,:child,:parent_scope,:parent,:root_scope,:root,launch_id,created_via,
           :records,:bytes,:sha256,:last,:not,:depends,:at FROM launches WHERE launch_id=:launch",
        named_params! {
            ":runtime": child.runtime.as_str(),
            ":scope": child.scope.as_str(),
            ":child": child.native_id.as_str(),
            ":parent_scope": parent.map(|parent| parent.scope.as_str()),
            ":parent": parent.map(|parent| parent.native_id.as_str()),
            ":root_scope": root.scope.as_str(),
            ":root": root.native_id.as_str(),
            ":records": inherited.map(|inherited| count(inherited.records)),
            ":bytes": inherited.map(|inherited| count(inherited.source_bytes)),
            ":sha256": inherited.map(|inherited| inherited.sha256.as_str()),
            ":last": inherited.and_then(|inherited| inherited.last_record.as_deref()),
            ":not": crate::seat::names(inherited.map_or(&[], |inherited| &inherited.not_inherited)),
            ":depends": inherited.is_some_and(|inherited| inherited.depends_on_source),
            ":at": time_text(descent.at),
            ":launch": descent.launch.to_string(),
        },
    )?;
    for (range, n) in descent.ranges.iter().zip(1_u32..) {
        db.execute(
            "storing the bytes the child depends on",
            "INSERT INTO lineage_ranges(launch_id,n,path,dev,ino,from_byte,to_byte,sha256) VALUES(?,?,?,?,?,?,?,?)",
            (
                descent.launch.to_string(),
                n,
                range.path.as_str(),
                bits(range.device),
                bits(range.inode),
                count(range.from),
                count(range.to),
                &range.sha256,
            ),
        )?;
    }
    Ok(())
}

/// What lineage says of a conversation.
struct Known {
    root: ConversationId,
    has_parent: bool,
}

fn known(db: Db<'_>, conversation: &ConversationId) -> Result<Option<Known>, StoreError> {
    let runtime = conversation.runtime;
    db.first(
        "reading the lineage",
        "SELECT root_scope, root_id, parent_id IS NOT NULL AS has_parent FROM lineage
         WHERE runtime=? AND scope=? AND child_id=? ORDER BY parent_id IS NULL, rowid LIMIT 1",
        (runtime.as_str(), conversation.scope.as_str(), conversation.native_id.as_str()),
        |row| {
            Ok(Known {
                root: ConversationId {
                    runtime,
                    scope: scope_of(&row.get::<_, String>("root_scope")?),
                    native_id: row.word("root_id", |text| NativeId::new(text).ok())?,
                },
                has_parent: row.get("has_parent")?,
            })
        },
    )
}
