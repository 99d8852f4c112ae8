//! The fake runtime as a test puts it into place, and what it was asked.

use std::{
    collections::BTreeMap,
    env, fs,
    ops::Deref,
    path::{Path, PathBuf},
    sync::OnceLock,
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::{Phase, Script};
use crate::{TestEnv, process};

/// A fake runtime as it was put into place: its script, what it was asked. Both kinds are one of
/// these (by deref).
#[derive(Clone, Debug)]
pub struct Installed {
    program: PathBuf,
}

/// A fake Claude Code installed into a [`TestEnv`].
#[derive(Clone, Debug)]
pub struct FakeClaude(Installed);

/// A fake Codex installed into a [`TestEnv`].
#[derive(Clone, Debug)]
pub struct FakeCodex(Installed);

/// One invocation of the fake runtime, written before it does anything.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Invocation {
    /// Which kind.
    pub phase: Phase,
    /// The arguments, without the program.
    pub args: Vec<String>,
    /// Its working directory.
    pub cwd: PathBuf,
    /// The names of all its variables, sorted.
    pub env_names: Vec<String>,
    /// The values of those a test may look at: `SEATFORK_*`, the runtime's locations, the base
    /// URL.
    pub env: BTreeMap<String, String>,
    /// Its process id.
    pub pid: u32,
}

impl Invocation {
    /// The value after an option, if the option is there.
    pub fn option(&self, name: &str) -> Option<&str> {
        let at = self.args.iter().position(|arg| arg == name)?;
        self.args.get(at + 1).map(String::as_str)
    }

    /// Whether an argument is there.
    pub fn has(&self, arg: &str) -> bool {
        self.args.iter().any(|a| a == arg)
    }
}

impl FakeClaude {
    /// Puts the fake runtime on the environment's PATH as `claude`, faithful.
    ///
    /// # Panics
    /// When it cannot be put there.
    pub fn install(env: &TestEnv, binary: &Path) -> Self {
        Self::install_as(&env.root().join("bin/claude"), binary)
    }

    /// Puts the fake runtime at a path of one's own.
    ///
    /// # Panics
    /// When it cannot be put there.
    pub fn install_as(program: &Path, binary: &Path) -> Self {
        Self(Installed::at(program, binary, &Script::faithful()))
    }
}

impl FakeCodex {
    /// Puts the fake runtime on the environment's PATH as `codex`, faithful.
    ///
    /// # Panics
    /// When it cannot be put there.
    pub fn install(env: &TestEnv, binary: &Path) -> Self {
        Self::install_as(&env.root().join("bin/codex"), binary)
    }

    /// Puts the fake runtime at a path of one's own.
    ///
    /// # Panics
    /// When it cannot be put there.
    pub fn install_as(program: &Path, binary: &Path) -> Self {
        Self(Installed::at(program, binary, &Script::faithful_codex()))
    }
}

impl Deref for FakeClaude {
    type Target = Installed;

    fn deref(&self) -> &Installed {
        &self.0
    }
}

impl Deref for FakeCodex {
    type Target = Installed;

    fn deref(&self) -> &Installed {
        &self.0
    }
}

impl Installed {
    fn at(program: &Path, binary: &Path, script: &Script) -> Self {
        // A link of its own name, not a symbolic one: the program finds its script beside
        // itself, and callers may resolve symbolic links.
        if fs::hard_link(binary, program).is_err() {
            fs::copy(binary, program).unwrap_or_else(|e| {
                panic!("copy {} to {}: {e}", binary.display(), program.display())
            });
        }
        let fake = Self { program: program.to_path_buf() };
        fake.script(script);
        fake
    }

    /// Gives it another script, from the next invocation on.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn script(&self, script: &Script) {
        let text = serde_json::to_string_pretty(script).expect("a script is JSON");
        // Renamed into place, so that an invocation reads the old or the new one.
        let (path, new) = (beside(&self.program, "script.json"), beside(&self.program, "new"));
        fs::write(&new, text).unwrap_or_else(|e| panic!("write {}: {e}", new.display()));
        fs::rename(&new, &path).unwrap_or_else(|e| panic!("write {}: {e}", path.display()));
    }

    /// Where it is.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// What it was asked so far, in order.
    ///
    /// # Panics
    /// When its log cannot be read.
    pub fn invocations(&self) -> Vec<Invocation> {
        let text = read_or_empty(&beside(&self.program, "log.jsonl"));
        let line = |line| serde_json::from_str(line).expect("a line of the log is an invocation");
        text.lines().map(line).collect()
    }

    /// The invocations of one kind.
    pub fn asked(&self, phase: Phase) -> Vec<Invocation> {
        let mut all = self.invocations();
        all.retain(|invocation| invocation.phase == phase);
        all
    }

    /// What was typed into its panes so far; at a dialog every single key, else whole lines.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn typed(&self) -> String {
        read_or_empty(&beside(&self.program, "typed"))
    }
}

fn read_or_empty(path: &Path) -> String {
    match fs::read_to_string(path) {
        Ok(text) => text,
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(err) => panic!("read {}: {err}", path.display()),
    }
}

/// A file that belongs to an installed fake runtime.
pub(super) fn beside(program: &Path, suffix: &str) -> PathBuf {
    let mut name = program.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(suffix);
    program.with_file_name(name)
}

/// The fake Claude Code's binary, built if it is not or is out of date.
///
/// For tests of other packages; this package's own have `CARGO_BIN_EXE_fake-claude`.
///
/// # Panics
/// When it cannot be built.
pub fn fake_claude_binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| built("fake-claude"))
}

/// The fake Codex's binary, likewise.
///
/// # Panics
/// When it cannot be built.
pub fn fake_codex_binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| built("fake-codex"))
}

fn built(name: &str) -> PathBuf {
    // A test runs as <target>/<profile>/deps/<name>.
    let test = env::current_exe().expect("the path of this test");
    let profile = test.ancestors().nth(2).expect("the folder of the profile");
    let target = profile.parent().expect("the target folder");
    let cargo = process::var("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = process::command(cargo);
    build.current_dir(env!("CARGO_MANIFEST_DIR")).args(["build", "--quiet", "--offline"]);
    build.args(["--package", "seatfork-testkit", "--bin", name, "--target-dir"]).arg(target);
    if profile.file_name().is_some_and(|name| name == "release") {
        build.arg("--release");
    }
    let done = process::finish(build, Duration::from_mins(10)).expect("run cargo");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.is_some_and(|s| s.success()), "build {name}: {said}");
    profile.join(name)
}
