//! The rollout of a fork, as the real program writes it, and as it should not be.

use serde_json::{Value, json};
use uuid::Uuid;

use super::store::{Store, Thread, line, lines};
use crate::{fake::ChildChange, transcript::Row};

/// What a child is made of.
pub(super) struct Child<'a> {
    pub(super) store: &'a Store,
    pub(super) id: &'a str,
    pub(super) cwd: &'a str,
    /// Who makes it: `exec`, `vscode` (the server), `cli`.
    pub(super) made_by: &'a str,
    pub(super) thread_source: Option<&'a str>,
}

impl Child<'_> {
    /// The whole text of a fork's rollout.
    pub(super) fn text(
        &self,
        source: &Thread,
        other: Option<&Thread>,
        change: Option<&ChildChange>,
    ) -> String {
        let rows = if source.is_legacy() {
            self.copy(source, other, change)
        } else {
            self.by_reference(source, other, change)
        };
        match change {
            Some(ChildChange::ZeroBytes) => String::new(),
            Some(ChildChange::TornLastLine) => {
                let mut text = lines(&rows[..1]);
                text.truncate(text.len() / 2);
                text
            }
            _ => lines(&rows),
        }
    }

    /// The text of a fresh conversation.
    pub(super) fn fresh_text(&self) -> String {
        lines(&[line(Some(0), "session_meta", &self.header(true))])
    }

    fn header(&self, paginated: bool) -> Value {
        let mut header = json!({
            "session_id": self.id, "id": self.id, "timestamp": super::store::now(),
            "cwd": self.cwd, "runtime_workspace_roots": [self.cwd], "originator": "fake",
            "cli_version": self.store.version, "source": self.made_by, "model_provider": "stub",
            "base_instructions": {"text": "You are a fake."},
            "context_window": {"window_id": Uuid::now_v7().to_string()},
        });
        if let Some(source) = self.thread_source {
            header["thread_source"] = source.into();
        }
        if paginated {
            header["history_mode"] = "paginated".into();
        }
        header
    }

    /// A child that names the history it goes on from.
    fn by_reference(
        &self,
        source: &Thread,
        other: Option<&Thread>,
        change: Option<&ChildChange>,
    ) -> Vec<Row> {
        let base = other.unwrap_or(source);
        let mut rows = base.rows.len();
        match change {
            Some(ChildChange::MissRecord { at }) => rows = at.unwrap_or(rows - 1),
            Some(ChildChange::Partial { rows: only }) => rows = (*only).min(rows),
            _ => {}
        }
        let (mut ordinal, mut end) = (base.ordinal_after(rows), base.ends[rows - 1]);
        match change {
            Some(ChildChange::ChangeRecord { .. }) => end -= 7,
            Some(ChildChange::SwapRecords { .. }) => ordinal -= 1,
            _ => {}
        }
        let mut header = self.header(true);
        if change != Some(&ChildChange::Empty) {
            header["forked_from_id"] = source.id.as_str().into();
            header["forked_from_ordinal_exclusive"] = ordinal.into();
            header["history_base"] = json!({
                "thread_id": base.id, "end_ordinal_exclusive": ordinal, "end_byte_offset": end,
            });
        }
        match change {
            Some(ChildChange::UnknownField { .. }) => header["history_base"]["filter"] = 1.into(),
            Some(ChildChange::SourceSessionId) => {
                for name in ["id", "session_id"] {
                    header[name] = source.id.as_str().into();
                }
            }
            _ => {}
        }
        let mut made = vec![
            line(Some(ordinal), "session_meta", &header),
            line(Some(ordinal + 1), "event_msg", &self.settings()),
        ];
        if matches!(change, Some(ChildChange::ForeignRecord { .. })) {
            made.push(line(Some(ordinal + 2), "response_item", &message("I never said this")));
        }
        made
    }

    /// A child of a legacy source: its rows follow, its header among them.
    fn copy(
        &self,
        source: &Thread,
        other: Option<&Thread>,
        change: Option<&ChildChange>,
    ) -> Vec<Row> {
        let mut header = self.header(false);
        header["history_mode"] = "legacy".into();
        header["forked_from_id"] = source.id.as_str().into();
        let mut rows = other.unwrap_or(source).rows.clone();
        let middle = rows.len() / 2;
        match change {
            Some(ChildChange::ChangeRecord { at }) => {
                let at = at.unwrap_or(middle);
                rows[at] = line(None, "response_item", &message("something else was said"));
            }
            Some(ChildChange::MissRecord { at }) => drop(rows.remove(at.unwrap_or(middle))),
            Some(ChildChange::SwapRecords { at }) => {
                let at = at.unwrap_or(middle).min(rows.len() - 2);
                rows.swap(at, at + 1);
            }
            Some(ChildChange::ForeignRecord { at }) => rows.insert(
                at.unwrap_or(middle),
                line(None, "response_item", &message("I never said this")),
            ),
            Some(ChildChange::UnknownField { .. }) => {
                let mut json = rows[middle].json.clone();
                json["unheard_of"] = true.into();
                rows[middle] = Row::new(json);
            }
            Some(ChildChange::Partial { rows: only }) => rows.truncate(*only),
            Some(ChildChange::Empty) => {
                rows.clear();
                header.as_object_mut().map(|header| header.remove("forked_from_id"));
            }
            Some(ChildChange::SourceSessionId) => {
                header["id"] = source.id.as_str().into();
            }
            _ => {}
        }
        let mut made = vec![line(None, "session_meta", &header)];
        made.extend(rows);
        made.push(line(None, "event_msg", &self.settings()));
        made
    }

    fn settings(&self) -> Value {
        json!({"type": "thread_settings_applied", "thread_id": self.id, "thread_settings": {
            "model": "stub-model", "model_provider_id": "stub", "approval_policy": "never",
            "cwd": self.cwd,
        }})
    }
}

fn message(text: &str) -> Value {
    json!({"type": "message", "id": format!("msg_{}", Uuid::now_v7()), "role": "user",
           "content": [{"type": "input_text", "text": text}]})
}
