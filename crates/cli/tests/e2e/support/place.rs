//! A place of its own for a test: a home, the real runtime, the model stub, a trusted directory.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use seatfork_testkit::claude_home::ClaudeHome as _;
use seatfork_testkit::codex::CodexHome as _;
use seatfork_testkit::fake::{
    FakeClaude, FakeCodex, Installed, Script, fake_claude_binary, fake_codex_binary,
};
use seatfork_testkit::world::World;
use seatfork_testkit::{Output, offline};
use serde_json::Value;

use super::pane::{PATIENCE, STEP};
use super::runtime::Kind;
use super::{Pane, Rig, Runtime, runs, shape, text, words};

/// A [`World`] (by deref, and so a `TestEnv`) with a trusted directory `work` to keep rigs in.
#[derive(Debug)]
pub(crate) struct Place {
    /// The directory.
    pub(crate) work: PathBuf,
    /// The runtime on its PATH.
    pub(crate) runtime: Runtime,
    world: World,
}

impl Place {
    /// A place with this runtime.
    pub(crate) fn new(runtime: &Runtime) -> Self {
        alone();
        let world = match runtime.kind {
            Kind::Claude => World::new(env!("CARGO_BIN_EXE_seatfork"), &runtime.program),
            Kind::Codex => World::with_codex(env!("CARGO_BIN_EXE_seatfork"), &runtime.program),
        };
        let mut world = world.unwrap_or_else(|error| panic!("start the model stub: {error}"));
        let work = world.trusted_dir("work");
        Self { work, runtime: runtime.clone(), world }
    }

    /// Puts a fake runtime of the same kind and version in place of the real one: from now on it answers in its
    /// name, behaves like the real one until it is given a script, and logs what it is asked.
    pub(crate) fn fake(&self) -> Installed {
        let link = self.root().join("bin").join(self.runtime.kind.program());
        // Else the copy would be made through the link.
        std::fs::remove_file(&link).unwrap();
        let fake = installed_at(self.runtime.kind, &link);
        fake.script(&self.faithful());
        fake
    }

    /// A script of this place's runtime and version that changes nothing.
    pub(crate) fn faithful(&self) -> Script {
        let script = match self.runtime.kind {
            Kind::Claude => Script::faithful(),
            Kind::Codex => Script::faithful_codex(),
        };
        script.version(&self.runtime.version)
    }

    /// Writes a rig as `work/rig.yaml`; its path.
    pub(crate) fn rig(&self, rig: &Rig) -> PathBuf {
        self.write("work/rig.yaml", rig.yaml())
    }

    /// Runs `seatfork` to its end, and holds what it says to the words a fork may be told in.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Output {
        words::checked(self.world.run(args))
    }

    /// `up --json` on that rig: its exit code and its object, in the shape of the contract.
    pub(crate) fn up(&self) -> (i32, Value) {
        self.up_with(&[])
    }

    /// The same with more arguments.
    pub(crate) fn up_with(&self, more: &[&str]) -> (i32, Value) {
        let args = ["up", "--json", "work/rig.yaml"];
        seats(&self.run(args.iter().chain(more)))
    }

    /// `ps --json`, likewise.
    pub(crate) fn ps(&self) -> (i32, Value) {
        seats(&self.run(["ps", "--json"]))
    }

    /// Asks again and again until there is an answer; the answer.
    #[track_caller]
    pub(crate) fn wait_until<T>(&self, what: &str, ask: impl Fn() -> Option<T>) -> T {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = ask() {
                return answer;
            }
            assert!(Instant::now() < end, "not in {PATIENCE:?}: {what}\n{}", self.run(["ps"]));
            thread::sleep(STEP);
        }
    }

    /// The pane of a seat.
    pub(crate) fn pane(&self, seat: &str) -> Pane<'_> {
        Pane::of(&self.world, seat)
    }

    /// A command of the private tmux server.
    pub(crate) fn tmux(&self, args: &[&str]) -> Output {
        let mut tmux = self.command("tmux");
        tmux.arg("-S").arg(self.root().join("run/seatfork/tmux.sock")).args(args);
        self.finish(tmux, "tmux")
    }

    /// The names of the sessions of the private tmux server; none where there is no server.
    pub(crate) fn tmux_sessions(&self) -> Vec<String> {
        let listed = self.tmux(&["list-sessions", "-F", "#{session_name}"]);
        listed.stdout().lines().map(str::to_owned).collect()
    }

    /// The conversations that running processes serve.
    pub(crate) fn served(&self) -> BTreeSet<String> {
        match self.runtime.kind {
            Kind::Claude => self
                .live_sessions()
                .iter()
                .filter(|session| runs(session["pid"].as_u64().unwrap().try_into().unwrap()))
                .map(|session| text(session, "/sessionId").to_owned())
                .collect(),
            Kind::Codex => {
                let all = self.rollouts().into_iter().map(|file| id_of(&file));
                all.filter(|id| self.is_written(id)).collect()
            }
        }
    }

    /// Every conversation file below the runtime's home.
    pub(crate) fn conversations(&self) -> Vec<PathBuf> {
        if self.runtime.kind == Kind::Codex {
            return self.rollouts();
        }
        let projects = self.claude_dir().join("projects");
        let folders = std::fs::read_dir(projects).into_iter().flatten();
        let mut files: Vec<_> = folders
            .flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).into_iter().flatten())
            .map(|file| file.unwrap().path())
            .filter(|file| is_transcript(file))
            .collect();
        files.sort_unstable();
        files
    }
}

/// A fake runtime at a path.
pub(super) fn installed_at(kind: Kind, program: &Path) -> Installed {
    match kind {
        Kind::Claude => (*FakeClaude::install_as(program, fake_claude_binary())).clone(),
        Kind::Codex => (*FakeCodex::install_as(program, fake_codex_binary())).clone(),
    }
}

fn seats(output: &Output) -> (i32, Value) {
    let (code, report) = (output.code(), output.json());
    shape::assert_seats(&report, code);
    (code, report)
}

/// The conversation a file of one is named after.
pub(crate) fn id_of(file: &Path) -> String {
    let stem = file.file_stem().unwrap().to_str().unwrap();
    // `<id>`, or `rollout-<time>-<id>`.
    stem[stem.len() - 36..].to_owned()
}

fn is_transcript(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "jsonl")
}

/// A real runtime must reach nobody but the stub.
fn alone() {
    match offline::is_offline() {
        Ok(true) => {}
        Ok(false) => panic!(
            "these tests run in a network namespace that holds the loopback alone: \
             start them by `cargo xtask e2e`"
        ),
        Err(error) => panic!("cannot tell whether this network is the loopback alone: {error}"),
    }
}

impl Deref for Place {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl DerefMut for Place {
    fn deref_mut(&mut self) -> &mut World {
        &mut self.world
    }
}
