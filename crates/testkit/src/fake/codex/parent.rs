//! Prior conversations of Codex without the real program.

use std::{fs, path::Path};

use serde_json::json;
use uuid::Uuid;

use super::store::{Store, append, line, lines, turn};
use crate::{
    TestEnv,
    codex::{CodexHome as _, CodexThread},
    fake::FakeCodex,
    world::codeword,
};

/// A conversation of so many turns recorded in `cwd`, its rows of the shapes the real program
/// writes, each turn with a codeword of its own.
///
/// # Panics
/// When it cannot be written, or with no turns.
pub fn recorded_thread(env: &TestEnv, cwd: &Path, turns: usize) -> CodexThread {
    assert!(turns > 0, "a conversation has a turn");
    let cwd = fs::canonicalize(cwd).expect("resolve the directory");
    let id = Uuid::now_v7().to_string();
    let version = crate::npm::CODEX_VERSIONS[0];
    let store = Store { dir: env.codex_dir(), version: version.into() };
    let header = json!({
        "session_id": id, "id": id, "timestamp": super::store::now(), "cwd": cwd,
        "runtime_workspace_roots": [cwd], "originator": "codex_exec", "cli_version": version,
        "source": "exec", "model_provider": "stub", "base_instructions": {"text": "Be brief."},
        "history_mode": "paginated",
    });
    let mut rows = vec![line(Some(0), "session_meta", &header)];
    let codewords: Vec<_> = (0..turns).map(|_| codeword()).collect();
    for (nth, word) in codewords.iter().enumerate() {
        let prompt = format!("Turn {nth}: please remember {word}");
        rows.extend(turn(Some(rows.len() as u64), &prompt));
    }
    let path = store.path(&id);
    append(&path, &lines(&rows)).expect("write the rollout");
    CodexThread { id, codewords, path, cwd }
}

impl FakeCodex {
    /// A faithful fake Codex on the PATH of an environment with a configuration.
    ///
    /// # Panics
    /// When it cannot be put there.
    pub fn ready(env: &mut TestEnv, binary: &Path) -> Self {
        env.configure_codex(&crate::codex::Config::default());
        Self::install(env, binary)
    }
}
