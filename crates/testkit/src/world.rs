//! A [`TestEnv`] in which the real runtimes run against the model stub.

mod growing;
mod parent;
mod sources;
mod talk;

use std::{ops::Deref, path::Path, path::PathBuf};

use crate::{
    Output, TestEnv,
    claude_home::{Answered, ClaudeHome as _, DUMMY_KEY},
    codex::{CodexHome as _, Config},
    model_stub::{ModelStub, StubError},
};

pub use growing::Growing;
pub(crate) use growing::turn;
pub use parent::Parent;
pub(crate) use parent::codeword;
pub use talk::Talk;

/// The real runtimes, offline. To be made inside a loopback-only namespace
/// ([`offline::enter`](crate::offline::enter)), so that nothing but the stub can be reached.
///
/// It is a [`TestEnv`] (by deref): `run` runs the program under test with the runtimes that were
/// added on its PATH, the stub as their model and a dummy key.
#[derive(Debug)]
pub struct World {
    /// The model.
    pub stub: ModelStub,
    env: TestEnv,
    trusted: Vec<PathBuf>,
}

impl World {
    /// A world for the program under test and this Claude Code binary, every first-run question
    /// answered but trust.
    ///
    /// # Panics
    /// When the folders cannot be made.
    pub fn new(program: impl Into<PathBuf>, claude: &Path) -> Result<Self, StubError> {
        let mut world = Self::bare(program)?;
        world.add_claude(claude);
        Ok(world)
    }

    /// A world for the program under test and this Codex binary.
    ///
    /// # Panics
    /// When the folders cannot be made.
    pub fn with_codex(program: impl Into<PathBuf>, codex: &Path) -> Result<Self, StubError> {
        let mut world = Self::bare(program)?;
        world.add_codex(codex);
        Ok(world)
    }

    /// A world without a runtime.
    fn bare(program: impl Into<PathBuf>) -> Result<Self, StubError> {
        Ok(Self { stub: ModelStub::start()?, env: TestEnv::new(program), trusted: Vec::new() })
    }

    /// Adds a Claude Code binary.
    pub fn add_claude(&mut self, claude: &Path) {
        self.env.install("claude", claude);
        self.env.set("ANTHROPIC_API_KEY", DUMMY_KEY);
        self.env.set("ANTHROPIC_BASE_URL", self.stub.base_url());
        self.env.answer(&Answered::default());
    }

    /// Adds a Codex binary.
    pub fn add_codex(&mut self, codex: &Path) {
        self.env.add_codex(codex, &self.stub.base_url());
    }

    /// The environment, to change it.
    pub fn env_mut(&mut self) -> &mut TestEnv {
        &mut self.env
    }

    /// A directory below the root, trusted.
    pub fn trusted_dir(&mut self, relative: &str) -> PathBuf {
        let dir = self.env.dir(relative);
        self.trust(&dir);
        dir
    }

    /// Trusts a directory, besides those trusted before. To be called while no runtime runs: it
    /// rewrites the file they share.
    pub fn trust(&mut self, dir: &Path) {
        if !self.trusted.iter().any(|trusted| trusted == dir) {
            self.trusted.push(dir.to_path_buf());
        }
        if self.env.claude_json().exists() {
            self.env.answer(&Answered { trusted: self.trusted.clone(), ..Answered::default() });
        }
        if self.env.codex_dir().join("config.toml").exists() {
            let stub = Config::with_stub(&self.stub.base_url());
            self.env.configure_codex(&Config { trusted: self.trusted.clone(), ..stub });
        }
    }

    /// Runs `claude` to its end.
    pub fn claude(&self, cwd: &Path, args: &[&str]) -> Output {
        let mut claude = self.env.command(self.env.root().join("bin/claude"));
        claude.args(args).current_dir(cwd);
        self.env.finish(claude, "claude")
    }

    /// Forks a conversation headless, the way seatfork's first phase does.
    pub fn fork(&self, cwd: &Path, source: &str, child: &str) -> Output {
        self.claude(
            cwd,
            &[
                "-p",
                "--resume",
                source,
                "--fork-session",
                "--session-id",
                child,
                "--name",
                "seat",
                "--output-format",
                "json",
                "--safe-mode",
                "--disable-slash-commands",
                "/cost",
            ],
        )
    }
}

impl Deref for World {
    type Target = TestEnv;

    fn deref(&self) -> &TestEnv {
        &self.env
    }
}
