//! Stores as an earlier build could leave them.

use std::path::Path;

use rusqlite::Connection;

/// Makes a store's ids as an earlier build could leave them.
pub(crate) fn respell(store: &Path) {
    let store = Connection::open(store).unwrap();
    let triggers: Vec<(String, String)> = store
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type='trigger' AND tbl_name IN ('launches','conversations')")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    store.pragma_update(None, "foreign_keys", false).unwrap();
    for (name, _) in &triggers {
        store.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
    }
    let upper = "UPDATE conversations SET native_id=upper(native_id);
                 UPDATE launches SET source_id=upper(source_id)";
    store.execute_batch(upper).unwrap();
    for (_, sql) in &triggers {
        store.execute_batch(sql).unwrap();
    }
}
