//! The real runtimes the tests run, and how long each took.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use seatfork_testkit::npm::CLAUDE_CODE;

/// A real Claude Code that is installed.
#[derive(Clone, Debug)]
pub(crate) struct Runtime {
    /// Its version.
    pub(crate) version: String,
    /// Its program.
    pub(crate) program: PathBuf,
}

/// The version of `SEATFORK_E2E_VERSION`, else every pinned one that is installed, newest first.
fn installed() -> Vec<Runtime> {
    let cache = var("SEATFORK_E2E_RUNTIMES").map_or_else(beside_this_test, PathBuf::from);
    let asked = var("SEATFORK_E2E_VERSION");
    let runtimes: Vec<_> = CLAUDE_CODE
        .wanted(asked.as_deref())
        .into_iter()
        .filter_map(|version| {
            let program = CLAUDE_CODE.cached(&cache, version)?;
            Some(Runtime { version: version.to_owned(), program })
        })
        .collect();
    assert!(
        !runtimes.is_empty(),
        "no Claude Code {} in {}: run these tests by `cargo xtask e2e`, which installs it",
        asked.as_deref().unwrap_or("of a pinned version"),
        cache.display()
    );
    runtimes
}

/// The newest of them: for what is too dear to run twice.
pub(crate) fn newest() -> Runtime {
    installed().swap_remove(0)
}

/// Whether it is the newest of them: the others are run on less where that is dear.
pub(crate) fn is_newest(runtime: &Runtime) -> bool {
    runtime.version == newest().version
}

/// Runs a test with every runtime, one after the other.
pub(crate) fn each_version(what: &str, test: impl Fn(&Runtime)) {
    for runtime in installed() {
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
