//! The transcript of a fork, as the real program writes it, and as it should not be.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{ChildChange, store::Store, store::now};
use crate::transcript::{History, Row};

/// What a child is made of.
pub(super) struct Child<'a> {
    pub(super) store: &'a Store,
    pub(super) source_id: &'a str,
    pub(super) id: &'a str,
    pub(super) name: Option<&'a str>,
}

impl Child<'_> {
    /// The whole text of the child's transcript.
    pub(super) fn text(&self, history: &History, change: Option<&ChildChange>) -> String {
        let mut inherited: Vec<Row> = history.rows.iter().map(|row| self.inherit(row)).collect();
        if let Some(change) = change {
            apply(change, &mut inherited);
        }
        if change == Some(&ChildChange::SourceSessionId) {
            for row in &mut inherited {
                set(row, "sessionId", self.source_id);
            }
        }
        let mut rows = self.about();
        rows.push(self.meta("mode", "mode", "normal"));
        rows.extend(self.queue());
        let own = self.own(inherited.last());
        let leaf = own.last().and_then(Row::uuid).unwrap_or_default().to_owned();
        rows.extend(inherited);
        rows.extend(own);
        rows.push(self.meta("last-prompt", "leafUuid", &leaf));
        rows.extend(self.about());
        rows.push(self.meta("mode", "mode", "normal"));
        match change {
            Some(ChildChange::ZeroBytes) => String::new(),
            Some(ChildChange::TornLastLine) => {
                let own = rows.iter().rposition(|row| row.uuid().is_some()).unwrap_or(0);
                let mut text = lines(&rows[..=own]);
                let last = rows[own].text.len();
                text.truncate(text.len() - 1 - last / 2);
                text
            }
            _ => lines(&rows),
        }
    }

    /// The text of a fresh conversation.
    pub(super) fn fresh_text(&self) -> String {
        let mut rows = self.about();
        rows.extend(self.queue());
        let own = self.own(None);
        let leaf = own.last().and_then(Row::uuid).unwrap_or_default().to_owned();
        rows.extend(own);
        rows.push(self.meta("last-prompt", "leafUuid", &leaf));
        lines(&rows)
    }

    /// What goes on after a history in the conversation itself.
    pub(super) fn more_text(&self, history: &History) -> String {
        let mut rows = Vec::from(self.queue());
        rows.extend(self.own(history.rows.last()));
        let leaf = rows.last().and_then(Row::uuid).unwrap_or_default().to_owned();
        rows.push(self.meta("last-prompt", "leafUuid", &leaf));
        lines(&rows)
    }

    /// An inherited row: the fields the program rewrites, and no other.
    fn inherit(&self, row: &Row) -> Row {
        let mut row = row.clone();
        set(&mut row, "sessionId", self.id);
        set(&mut row, "entrypoint", "sdk-cli");
        set(&mut row, "cwd", &self.store.cwd.to_string_lossy());
        set(&mut row, "version", &self.store.version);
        set(&mut row, "promptId", &Uuid::new_v4().to_string());
        if let Some(slug) = row.json["slug"].as_str() {
            row.text = row.text.replacen(&format!(",\"slug\":{}", Value::from(slug)), "", 1);
            row.json.as_object_mut().map(|row| row.remove("slug"));
        }
        if row.kind() == "assistant" && row.json["requestSessionId"].is_null() {
            add(&mut row, "requestSessionId", self.source_id);
        }
        row
    }

    fn about(&self) -> Vec<Row> {
        let name = self.name.unwrap_or_default();
        if name.is_empty() {
            return Vec::new();
        }
        vec![
            self.meta("custom-title", "customTitle", name),
            self.meta("agent-name", "agentName", name),
        ]
    }

    fn queue(&self) -> [Row; 2] {
        let row = |operation, content: Option<&str>| {
            let mut row = json!({"type": "queue-operation", "operation": operation,
                                 "timestamp": now(), "sessionId": self.id});
            if let Some(content) = content {
                row["content"] = content.into();
            }
            Row::new(row)
        };
        [row("enqueue", Some("/cost")), row("dequeue", None)]
    }

    fn meta(&self, kind: &str, field: &str, value: &str) -> Row {
        Row::new(json!({"type": kind, field: value, "sessionId": self.id}))
    }

    /// The rows of the fork's own after the inherited ones.
    fn own(&self, after: Option<&Row>) -> Vec<Row> {
        let mut parent = after.and_then(Row::uuid).map(str::to_owned);
        let mut rows = Vec::new();
        let mut push = |own: Value| {
            let row = self.store.row(parent.as_deref(), self.id, "sdk-cli", &own);
            parent = row["uuid"].as_str().map(str::to_owned);
            rows.push(Row::new(row));
        };
        if after.is_some_and(|row| row.kind() == "user") {
            push(json!({"type": "assistant", "message": {
                "id": Uuid::new_v4().to_string(), "role": "assistant", "model": "<synthetic>",
                "type": "message", "content": [{"type": "text", "text": "No response requested."}],
                "stop_reason": "stop_sequence", "stop_sequence": "",
            }}));
        }
        let said = "<local-command-stdout>/cost isn't available in this environment.\
                    </local-command-stdout>";
        for content in ["/cost", said] {
            push(json!({"type": "system", "subtype": "local_command", "content": content,
                        "level": "info", "isMeta": false}));
        }
        rows
    }
}

pub(super) fn lines(rows: &[Row]) -> String {
    rows.iter().map(|row| row.text.clone() + "\n").collect::<Vec<_>>().concat()
}

/// Sets a top-level string field where the row has it. Such fields come last in a real row, so
/// the last place with that text is the field.
fn set(row: &mut Row, name: &str, value: &str) {
    let Some(old) = row.json[name].as_str() else { return };
    let old = format!("\"{name}\":{}", Value::from(old));
    if let Some(at) = row.text.rfind(&old) {
        let new = format!("\"{name}\":{}", Value::from(value));
        row.text.replace_range(at..at + old.len(), &new);
        row.json[name] = value.into();
    }
}

/// Adds a string field at the end of the row.
fn add(row: &mut Row, name: &str, value: &str) {
    row.text.truncate(row.text.len() - 1);
    row.text.extend([",\"", name, "\":", &Value::from(value).to_string(), "}"]);
    row.json[name] = value.into();
}

/// Hangs a row on another. `parentUuid` is the first field of a real row.
fn hang(row: &mut Row, parent: Option<&str>) {
    let old = format!("\"parentUuid\":{}", row.json["parentUuid"]);
    let new = Value::from(parent);
    row.text = row.text.replacen(&old, &format!("\"parentUuid\":{new}"), 1);
    row.json["parentUuid"] = new;
}

/// Makes the inherited rows not what they should be.
fn apply(change: &ChildChange, rows: &mut Vec<Row>) {
    let place = |at: &Option<usize>, rows: &[Row]| at.unwrap_or(rows.len() / 2);
    match change {
        ChildChange::ChangeRecord { at } => {
            let from = place(at, rows);
            // The next record that says something in words.
            if let Some((row, said)) = rows[from..].iter_mut().find_map(|row| {
                let content = &row.json["message"]["content"];
                let said = content.as_str().or(content[0]["text"].as_str())?.to_owned();
                Some((row, said))
            }) {
                let quoted = |text: &str| Value::from(text).to_string();
                *row = row.replacing(&quoted(&said), &quoted("something else was said"));
            }
        }
        ChildChange::MissRecord { at } => {
            let gone = rows.remove(place(at, rows));
            for row in rows.iter_mut().filter(|row| row.parent() == gone.uuid()) {
                hang(row, gone.parent());
            }
        }
        ChildChange::SwapRecords { at } => {
            let at = place(at, rows).min(rows.len().saturating_sub(2));
            let (first, second) = (rows[at].clone(), rows[at + 1].clone());
            for row in rows.iter_mut().filter(|row| row.parent() == second.uuid()) {
                hang(row, first.uuid());
            }
            hang(&mut rows[at + 1], first.parent());
            hang(&mut rows[at], second.uuid());
            rows.swap(at, at + 1);
        }
        ChildChange::ForeignRecord { at } => {
            let at = place(at, rows);
            let mut foreign = rows[at].clone();
            let uuid = Uuid::new_v4().to_string();
            set(&mut foreign, "uuid", &uuid);
            hang(&mut rows[at], Some(&uuid));
            rows.insert(at, foreign);
        }
        ChildChange::UnknownField { at } => {
            let at = place(at, rows);
            add(&mut rows[at], "fieldNobodyKnows", "x");
        }
        ChildChange::Partial { rows: keep } => rows.truncate(*keep),
        ChildChange::Empty => rows.clear(),
        // Another history was read in its place; the rest is done to the whole text.
        ChildChange::OtherHistory { .. }
        | ChildChange::ZeroBytes
        | ChildChange::TornLastLine
        | ChildChange::SourceSessionId => {}
    }
}
