//! A home of Codex on disk, made for a test.

use crate::support::{Place, block_on, env};
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::codex::Codex;
use seatfork_adapters::{Adapter, Evidence, ProveError, ResolveError, SeatEnv};
use seatfork_schema::{ConversationId, LaunchCode, NativeId, Proof, Runtime, SourceId};
use serde_json::{Value, json};
use std::fs::File;

/// Where the seats of a test work.
pub(crate) const CWD: &str = "/home/user/project";
/// The day a test's rollouts stand under.
pub(crate) const DAY: &str = "2026/01/02";

pub(crate) const SOURCE: &str = "01a00000-0000-7000-8000-000000000001";
pub(crate) const CHILD: &str = "01a00000-0000-7000-8000-0000000000c1";

pub(crate) struct Home {
    pub(crate) place: Place,
    pub(crate) env: SeatEnv,
}

impl Home {
    pub(crate) fn new() -> Self {
        let place = Place::new();
        std::fs::create_dir_all(place.path.join(".codex/sessions")).unwrap();
        let env = env(&[("HOME", place.path.as_str()), ("PATH", "/usr/bin:/bin")]);
        Self { place, env }
    }

    /// Writes a file below the runtime's home.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> Utf8PathBuf {
        self.place.file(&format!(".codex/{name}"), bytes)
    }

    /// Writes a rollout where the runtime would.
    pub(crate) fn write(&self, id: &str, bytes: impl AsRef<[u8]>) -> Utf8PathBuf {
        self.file(&format!("sessions/{DAY}/rollout-2026-01-02T03-04-05-{id}.jsonl"), bytes)
    }

    /// Holds a thread's lock, as its writer does, until it is dropped.
    pub(crate) fn hold(&self, id: &str) -> File {
        let lock = File::create(self.file(&format!("thread-writer-locks/{id}.lock"), "")).unwrap();
        lock.lock().unwrap();
        lock
    }

    pub(crate) fn resolve(&self, id: &str) -> Result<Evidence, ResolveError> {
        let source = SourceId::new(codex(id));
        block_on(Codex.resolve(&source, &self.env, Utf8Path::new(CWD)))
    }

    pub(crate) fn prove(
        &self,
        source: Option<&Evidence>,
        child: &str,
    ) -> Result<Proof, ProveError> {
        block_on(Codex.prove(source, &codex(child), &self.env, Utf8Path::new(CWD)))
    }

    pub(crate) fn prove_untouched(
        &self,
        source: Option<&Evidence>,
        child: &str,
    ) -> Result<Proof, ProveError> {
        block_on(Codex.prove_untouched(source, &codex(child), &self.env, Utf8Path::new(CWD)))
    }
}

pub(crate) fn codex(id: &str) -> ConversationId {
    ConversationId::new(Runtime::Codex, NativeId::new(id).unwrap())
}

/// The code and the words of a proof that failed.
pub(crate) fn failed(proof: Result<Proof, ProveError>) -> (LaunchCode, String) {
    match proof {
        Ok(proof) => panic!("proved: {proof}"),
        Err(ProveError::Refuted { code, message } | ProveError::Unverifiable { code, message }) => {
            (code, message)
        }
    }
}

/// Lines of a rollout as the runtime writes them, with ordinals.
#[derive(Clone)]
pub(crate) struct Lines {
    next: u64,
    pub(crate) text: String,
}

impl Lines {
    /// A thread that begins with itself.
    pub(crate) fn of(id: &str) -> Self {
        let mut lines = Self { next: 0, text: String::new() };
        lines.push("session_meta", &meta(id));
        lines
    }

    /// A thread that goes on from another record's bytes.
    pub(crate) fn forked(id: &str, from: &str, base: &Self, mark: &str) -> Self {
        let mut payload = meta(id);
        payload["forked_from_id"] = json!(from);
        payload["thread_source"] = json!(mark);
        payload["history_base"] = json!({
            "thread_id": from,
            "end_ordinal_exclusive": base.next,
            "end_byte_offset": base.text.len(),
        });
        let mut lines = Self { next: base.next, text: String::new() };
        lines.push("session_meta", &payload);
        lines
    }

    pub(crate) fn push(&mut self, kind: &str, payload: &Value) -> &mut Self {
        let line = json!({
            "timestamp": format!("2026-01-02T03:04:{:02}.000Z", self.next.min(59)),
            "ordinal": self.next,
            "type": kind,
            "payload": payload,
        });
        self.text.push_str(&line.to_string());
        self.text.push('\n');
        self.next += 1;
        self
    }

    /// A question and its answer.
    pub(crate) fn turn(&mut self, question: &str, answer: &str) -> &mut Self {
        self.push("response_item", &said("user", question));
        self.push("response_item", &said("assistant", answer))
    }

    /// What a thread's settings are told as.
    pub(crate) fn settings(&mut self, id: &str) -> &mut Self {
        self.push("event_msg", &json!({"type": "thread_settings_applied", "thread_id": id}))
    }
}

pub(crate) fn meta(id: &str) -> Value {
    json!({
        "id": id, "session_id": id, "timestamp": "2026-01-02T03:04:05.000Z", "cwd": CWD,
        "originator": "codex_exec", "cli_version": "0.171.0", "source": "exec", "thread_source": "user",
        "model_provider": "fake", "base_instructions": {"text": "trimmed"}, "history_mode": "paginated",
    })
}

pub(crate) fn said(role: &str, text: &str) -> Value {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
}
