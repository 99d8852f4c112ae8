//! What Claude Code keeps in a home, as tests prepare it and look at it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{TestEnv, transcript::project_slug, transcript::write_private};

/// The dummy API key of test environments.
pub const DUMMY_KEY: &str = "sk-ant-dummy-key-for-tests-0123456789abcdef";

/// What of the first-run questions is answered beforehand.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The onboarding is done.
    pub onboarding: bool,
    /// The dummy key is approved.
    pub key: bool,
    /// These directories are trusted; real paths count.
    pub trusted: Vec<PathBuf>,
}

impl Default for Answered {
    /// Everything but trust, which belongs to directories.
    fn default() -> Self {
        Self { onboarding: true, key: true, trusted: Vec::new() }
    }
}

/// Claude Code's side of a [`TestEnv`].
pub trait ClaudeHome {
    /// `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    fn claude_dir(&self) -> PathBuf;

    /// The file with the answers: in `$CLAUDE_CONFIG_DIR`, else beside `~/.claude`.
    fn claude_json(&self) -> PathBuf;

    /// Writes the answers; what was answered before is forgotten.
    fn answer(&self, answered: &Answered);

    /// The folder that holds the conversations recorded in `cwd`.
    fn project_dir(&self, cwd: &Path) -> PathBuf;

    /// The transcript of `id` as recorded in `cwd`, there or not.
    fn transcript(&self, cwd: &Path, id: &str) -> PathBuf;

    /// Every file named after this conversation, in whatever project.
    fn transcripts_of(&self, id: &str) -> Vec<PathBuf>;

    /// What running interactive processes say of themselves: `sessions/<pid>.json`.
    fn live_sessions(&self) -> Vec<Value>;
}

impl ClaudeHome for TestEnv {
    fn claude_dir(&self) -> PathBuf {
        self.var("CLAUDE_CONFIG_DIR").map_or_else(|| self.home().join(".claude"), PathBuf::from)
    }

    fn claude_json(&self) -> PathBuf {
        let folder = self.var("CLAUDE_CONFIG_DIR").map_or_else(|| self.home(), PathBuf::from);
        folder.join(".claude.json")
    }

    fn answer(&self, answered: &Answered) {
        let Answered { onboarding, key, trusted } = answered;
        let projects: serde_json::Map<_, _> = trusted
            .iter()
            .map(|dir| fs::canonicalize(dir).unwrap_or_else(|_| dir.clone()))
            .map(|dir| {
                (dir.to_string_lossy().into_owned(), json!({"hasTrustDialogAccepted": true}))
            })
            .collect();
        let mut answers = json!({"projects": projects});
        if *onboarding {
            answers["hasCompletedOnboarding"] = true.into();
            answers["theme"] = "dark".into();
        }
        if *key {
            let shown = &DUMMY_KEY[DUMMY_KEY.len() - 20..];
            answers["customApiKeyResponses"] = json!({"approved": [shown], "rejected": []});
        }
        let path = self.claude_json();
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).unwrap_or_else(|e| panic!("make {}: {e}", folder.display()));
        }
        write_private(&path, answers.to_string().as_bytes());
    }

    fn project_dir(&self, cwd: &Path) -> PathBuf {
        let real = fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_path_buf());
        self.claude_dir().join("projects").join(project_slug(&real))
    }

    fn transcript(&self, cwd: &Path, id: &str) -> PathBuf {
        self.project_dir(cwd).join(format!("{id}.jsonl"))
    }

    fn transcripts_of(&self, id: &str) -> Vec<PathBuf> {
        let projects = self.claude_dir().join("projects");
        // No such folder: no conversation yet.
        let Ok(entries) = fs::read_dir(projects) else { return Vec::new() };
        let files = entries.filter_map(Result::ok).map(|e| e.path().join(format!("{id}.jsonl")));
        let mut found: Vec<_> = files.filter(|path| path.exists()).collect();
        found.sort_unstable();
        found
    }

    fn live_sessions(&self) -> Vec<Value> {
        let Ok(entries) = fs::read_dir(self.claude_dir().join("sessions")) else {
            return Vec::new();
        };
        entries
            .filter_map(Result::ok)
            .filter(|entry| entry.path().extension().is_some_and(|e| e == "json"))
            // A file being written or removed just now is looked at the next time.
            .filter_map(|entry| serde_json::from_slice(&fs::read(entry.path()).ok()?).ok())
            .collect()
    }
}
