//! What Codex keeps in a home, as tests prepare it and look at it.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{Output, TestEnv, transcript::write_private};

/// The variable the stub's provider takes its key from. The key is a dummy.
pub const KEY_VAR: &str = "OPENAI_API_KEY";
const DUMMY_KEY: &str = "sk-dummy-key-for-tests-0123456789abcdef";

/// What stands in `config.toml`.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The model stub's base URL; `None`: Codex's own provider, for which nobody is signed in.
    pub stub: Option<String>,
    /// These directories are trusted; real paths count.
    pub trusted: Vec<PathBuf>,
    /// TOML after that: tables of the test's own.
    pub more: String,
}

impl Config {
    /// The stub as the model's provider.
    pub fn with_stub(base_url: &str) -> Self {
        Self { stub: Some(base_url.to_owned()), ..Self::default() }
    }

    /// More TOML at the end.
    #[must_use]
    pub fn and(mut self, toml: &str) -> Self {
        self.more.push_str(toml);
        self.more.push('\n');
        self
    }

    /// The text of the file.
    pub fn toml(&self) -> String {
        // Keys of the root come before the first table.
        let stub = self.stub.as_ref().map(|url| {
            format!(
                "model = \"stub-model\"\nmodel_provider = \"stub\"\n\n\
                 [model_providers.stub]\nname = \"stub\"\nbase_url = \"{url}/v1\"\n\
                 wire_api = \"responses\"\nenv_key = \"{KEY_VAR}\"\n\n"
            )
        });
        let trusted = self.trusted.iter().map(|dir| {
            let real = fs::canonicalize(dir).unwrap_or_else(|_| dir.clone());
            let quoted = Value::from(real.to_string_lossy());
            format!("[projects.{quoted}]\ntrust_level = \"trusted\"\n\n")
        });
        let parts = stub
            .into_iter()
            .chain(["[analytics]\nenabled = false\n\n".to_owned()])
            .chain(trusted)
            .chain([self.more.clone()]);
        parts.collect::<Vec<_>>().concat()
    }
}

/// Codex's side of a [`TestEnv`].
pub trait CodexHome {
    /// `$CODEX_HOME`, else `~/.codex`.
    fn codex_dir(&self) -> PathBuf;

    /// Writes `config.toml`; what stood there is forgotten.
    fn configure_codex(&self, config: &Config);

    /// Every file of a conversation, archived ones and compressed ones too.
    fn rollouts(&self) -> Vec<PathBuf>;

    /// The files of one conversation.
    fn rollouts_of(&self, id: &str) -> Vec<PathBuf>;

    /// The file of one conversation.
    fn rollout_of(&self, id: &str) -> PathBuf;

    /// Whether a process holds the lock of a conversation's writer.
    fn is_written(&self, id: &str) -> bool;

    /// Runs `codex` to its end.
    fn codex<A: AsRef<OsStr>>(&self, cwd: &Path, args: impl IntoIterator<Item = A>) -> Output;
}

impl CodexHome for TestEnv {
    fn codex_dir(&self) -> PathBuf {
        self.var("CODEX_HOME").map_or_else(|| self.home().join(".codex"), PathBuf::from)
    }

    fn configure_codex(&self, config: &Config) {
        let dir = self.codex_dir();
        fs::create_dir_all(&dir).unwrap_or_else(|e| panic!("make {}: {e}", dir.display()));
        write_private(&dir.join("config.toml"), config.toml().as_bytes());
    }

    fn rollouts(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for folder in ["sessions", "archived_sessions"] {
            files_below(&self.codex_dir().join(folder), &mut found);
        }
        found.retain(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rollout-"))
        });
        found.sort_unstable();
        found
    }

    fn rollouts_of(&self, id: &str) -> Vec<PathBuf> {
        let mut all = self.rollouts();
        all.retain(|path| path.to_string_lossy().contains(&format!("-{id}.jsonl")));
        all
    }

    #[track_caller]
    fn rollout_of(&self, id: &str) -> PathBuf {
        let mut found = self.rollouts_of(id);
        assert_eq!(found.len(), 1, "the rollouts of {id}: {found:?}");
        found.swap_remove(0)
    }

    fn is_written(&self, id: &str) -> bool {
        let lock = self.codex_dir().join(format!("thread-writer-locks/{id}.lock"));
        // No file, no lock.
        let Ok(file) = fs::File::open(lock) else { return false };
        file.try_lock_shared().is_err()
    }

    fn codex<A: AsRef<OsStr>>(&self, cwd: &Path, args: impl IntoIterator<Item = A>) -> Output {
        let mut codex = self.command(self.root().join("bin/codex"));
        codex.args(args).current_dir(cwd);
        self.finish(codex, "codex")
    }
}

impl TestEnv {
    /// Puts this Codex on the PATH, with the stub as its model and a dummy key.
    pub fn add_codex(&mut self, codex: &Path, stub: &str) {
        self.install("codex", codex);
        self.set(KEY_VAR, DUMMY_KEY);
        self.configure_codex(&Config::with_stub(stub));
    }
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    // A folder that is not there holds nothing.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_rollout(&entry.path()) {
            files_below(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

/// A directory may stand where a rollout should.
fn is_rollout(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}
