//! The real runtimes the tests run, and how long each took.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use seatfork_testkit::npm::{CLAUDE_CODE, CODEX, Package};

/// Which runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Claude,
    Codex,
}

impl Kind {
    /// Its program's name on the PATH.
    pub(crate) fn program(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// Its word in a spec.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Claude => "claude-code",
            Self::Codex => "codex",
        }
    }

    fn package(self) -> Package {
        match self {
            Self::Claude => CLAUDE_CODE,
            Self::Codex => CODEX,
        }
    }
}

/// A real runtime that is installed.
#[derive(Clone, Debug)]
pub(crate) struct Runtime {
    /// Which.
    pub(crate) kind: Kind,
    /// Its version.
    pub(crate) version: String,
    /// Its program.
    pub(crate) program: PathBuf,
}

/// The version of `SEATFORK_E2E_VERSION` where that is one of this runtime, else every pinned one that is installed,
/// newest first.
fn installed(kind: Kind) -> Vec<Runtime> {
    let cache = var("SEATFORK_E2E_RUNTIMES").map_or_else(beside_this_test, PathBuf::from);
    let (asked, package) = (var("SEATFORK_E2E_VERSION"), kind.package());
    let wanted = package.wanted(asked.as_deref());
    let runtimes: Vec<_> = wanted
        .iter()
        .filter_map(|version| {
            let program = package.cached(&cache, version)?;
            Some(Runtime { kind, version: (*version).to_owned(), program })
        })
        .collect();
    assert!(
        !runtimes.is_empty(),
        "no {} {} in {}: run these tests by `cargo xtask e2e`, which installs it",
        package.product,
        wanted.join(" or "),
        cache.display()
    );
    runtimes
}

/// The newest Codex.
pub(crate) fn codex() -> Runtime {
    installed(Kind::Codex).swap_remove(0)
}

/// The newest Claude Code: for what is too dear to run twice.
pub(crate) fn newest() -> Runtime {
    installed(Kind::Claude).swap_remove(0)
}

/// Whether it is the newest Claude Code: the others are run on less where that is dear.
pub(crate) fn is_newest(runtime: &Runtime) -> bool {
    runtime.version == newest().version
}

/// Runs a test with every Claude Code, one after the other.
pub(crate) fn each_version(what: &str, test: impl Fn(&Runtime)) {
    for runtime in installed(Kind::Claude) {
        timed(&format!("{what}, {}", runtime.version), || test(&runtime));
    }
}

/// Runs something and says how long it took, whether the test runner shows outputs or not.
pub(crate) fn timed<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = run();
    // With stderr gone there is nobody left to tell.
    writeln!(std::io::stderr(), "    {:6.1} s  {what}", start.elapsed().as_secs_f64()).ok();
    done
}

/// Where `cargo xtask e2e` installs: a test runs as `<target>/<profile>/deps/<name>`.
fn beside_this_test() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    test.ancestors().nth(3).expect("the target folder").join("e2e")
}

fn var(name: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "the one place of these tests that may")]
    std::env::var(name).ok()
}
