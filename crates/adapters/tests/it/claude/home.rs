//! A home of Claude Code on disk, made for a test.

use crate::support::{Place, block_on, env};
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::claude_code::ClaudeCode;
use seatfork_adapters::{Adapter, Evidence, ProveError, ResolveError, SeatEnv};
use seatfork_schema::{ConversationId, LaunchCode, NativeId, Proof, Runtime, SourceId};

/// Where the transcripts of a test were written.
pub(crate) const CWD: &str = "/home/user/project";
pub(crate) const SLUG: &str = "-home-user-project";

pub(crate) struct Home {
    pub(crate) place: Place,
    pub(crate) env: SeatEnv,
}

impl Home {
    pub(crate) fn new() -> Self {
        let place = Place::new();
        std::fs::create_dir_all(place.path.join(".claude/projects")).unwrap();
        let env = env(&[("HOME", place.path.as_str()), ("PATH", "/usr/bin:/bin")]);
        Self { place, env }
    }

    /// Where a transcript stands.
    pub(crate) fn path(&self, slug: &str, id: &str) -> Utf8PathBuf {
        self.place.path.join(format!(".claude/projects/{slug}/{id}.jsonl"))
    }

    /// Writes a transcript.
    pub(crate) fn write(&self, id: &str, bytes: impl AsRef<[u8]>) -> Utf8PathBuf {
        self.place.file(&format!(".claude/projects/{SLUG}/{id}.jsonl"), bytes)
    }

    pub(crate) fn resolve(&self, id: &str) -> Result<Evidence, ResolveError> {
        let source = SourceId::new(claude(id));
        block_on(ClaudeCode.resolve(&source, &self.env, Utf8Path::new(CWD)))
    }

    pub(crate) fn prove(
        &self,
        source: Option<&Evidence>,
        child: &str,
    ) -> Result<Proof, ProveError> {
        block_on(ClaudeCode.prove(source, &claude(child), &self.env, Utf8Path::new(CWD)))
    }

    pub(crate) fn prove_untouched(
        &self,
        source: Option<&Evidence>,
        child: &str,
    ) -> Result<Proof, ProveError> {
        block_on(ClaudeCode.prove_untouched(source, &claude(child), &self.env, Utf8Path::new(CWD)))
    }
}

pub(crate) fn claude(id: &str) -> ConversationId {
    ConversationId::new(Runtime::ClaudeCode, NativeId::new(id).unwrap())
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

/// Field 22 of `/proc/PID/stat`.
pub(crate) fn start_of(pid: u32) -> u64 {
    seatfork_process::entry(pid).unwrap().unwrap().id.start
}

impl Home {
    /// Writes what an interactive process says of itself.
    pub(crate) fn serve(&self, id: &str, pid: u32, status: Option<&str>) {
        self.serve_since(id, pid, start_of(pid), status);
    }

    pub(crate) fn serve_since(&self, id: &str, pid: u32, start: u64, status: Option<&str>) {
        let mut session = serde_json::json!({
            "pid": pid, "sessionId": id, "cwd": CWD, "startedAt": 1, "procStart": start.to_string(),
            "version": "2.1.332", "kind": "interactive", "entrypoint": "cli", "name": "seat", "nameSource": "user",
        });
        if let Some(status) = status {
            session["status"] = serde_json::json!(status);
        }
        self.place.file(&format!(".claude/sessions/{pid}.json"), session.to_string());
    }

    pub(crate) fn stop_serving(&self, pid: u32) {
        std::fs::remove_file(self.place.path.join(format!(".claude/sessions/{pid}.json"))).unwrap();
    }
}
