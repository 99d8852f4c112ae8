//! Transcripts made by hand, in the real shapes.

use serde_json::{Value, json};

/// A source and a child every hand-made transcript uses.
pub(crate) const SOURCE: &str = "0b0165d7-cb4d-4650-90de-15c0a1ede9e6";
pub(crate) const CHILD: &str = "7c1f09aa-1111-4222-8333-444455556666";

/// The uuid of a numbered row.
pub(crate) fn uuid(number: u32) -> String {
    format!("{number:08x}-aaaa-4bbb-8ccc-dddddddddddd")
}

/// A row. `parent` is the number of another.
pub(crate) fn row(kind: &str, number: u32, parent: Option<u32>) -> Value {
    let mut row = json!({
        "parentUuid": parent.map(uuid), "isSidechain": false, "type": kind, "uuid": uuid(number),
        "timestamp": format!("2026-11-30T14:{:02}:{:02}.000Z", number / 60 % 60, number % 60),
        "userType": "external", "entrypoint": "cli", "cwd": super::home::CWD, "sessionId": SOURCE,
        "version": "2.1.332", "gitBranch": "main",
    });
    let text = format!("{kind} {number}");
    match kind {
        "user" => row["message"] = json!({"role": "user", "content": text}),
        "assistant" => {
            row["message"] = json!({
                "model": "m", "id": format!("msg_{number}"), "role": "assistant", "stop_reason": "end_turn",
                "content": [{"type": "text", "text": text}], "usage": {"input_tokens": 3, "output_tokens": 4},
            });
        }
        "attachment" => row["attachment"] = json!({"type": "date", "content": text}),
        "system" => {
            row["subtype"] = json!("informational");
            row["content"] = json!(text);
        }
        "progress" => row["data"] = json!({"type": "hook_progress"}),
        _ => unreachable!("{kind}"),
    }
    row
}

pub(crate) fn user(number: u32, parent: Option<u32>) -> Value {
    row("user", number, parent)
}

pub(crate) fn assistant(number: u32, parent: Option<u32>) -> Value {
    row("assistant", number, parent)
}

/// A part of the response `response` that calls tools.
pub(crate) fn calls(number: u32, parent: u32, response: &str, ids: &[&str]) -> Value {
    let mut row = assistant(number, Some(parent));
    row["message"]["id"] = json!(response);
    row["message"]["content"] = ids
        .iter()
        .map(|id| json!({"type": "tool_use", "id": id, "name": "Read", "input": {}}))
        .collect();
    row
}

/// The answers to tool calls.
pub(crate) fn answers(number: u32, parent: u32, ids: &[&str]) -> Value {
    let mut row = user(number, Some(parent));
    row["message"]["content"] = ids
        .iter()
        .map(|id| json!({"type": "tool_result", "tool_use_id": id, "content": "r"}))
        .collect();
    row
}

/// A checkpoint at a numbered row.
pub(crate) fn checkpoint(leaf: Option<u32>, explicit: bool) -> Value {
    let mut row = json!({"type": "last-prompt", "lastPrompt": "x", "leafUuid": leaf.map(uuid), "sessionId": SOURCE});
    if explicit {
        row["explicit"] = json!(true);
    }
    row
}

/// The text of a transcript.
pub(crate) fn text(rows: &[Value]) -> String {
    let mut text = String::new();
    for row in rows {
        text.push_str(&row.to_string());
        text.push('\n');
    }
    text
}

/// A child with these rows of a source, as a fork writes them: renamed, linked to fit, and two rows of its own after.
pub(crate) fn fork_of<'a>(rows: impl IntoIterator<Item = &'a Value>) -> Vec<Value> {
    let mut child: Vec<Value> = rows.into_iter().cloned().collect();
    for place in 0..child.len() {
        let above = place.checked_sub(1).map(|above| child[above]["uuid"].clone());
        let row = &mut child[place];
        row["sessionId"] = json!(CHILD);
        row["entrypoint"] = json!("sdk-cli");
        row["parentUuid"] = above.unwrap_or(Value::Null);
        if row["type"] == "assistant" {
            row["requestSessionId"] = json!(SOURCE);
        }
    }
    let printed =
        "<local-command-stdout>/cost isn't available in this environment.</local-command-stdout>";
    for (number, told) in [(4_000_000_001, "/cost"), (4_000_000_002, printed)] {
        let mut own = row("system", number, None);
        own["content"] = json!(told);
        own["subtype"] = json!("local_command");
        own["sessionId"] = json!(CHILD);
        own["parentUuid"] = child.last().map_or(Value::Null, |row| row["uuid"].clone());
        child.push(own);
    }
    child
}
