//! Pinned runtimes from npm, kept by version.
//!
//! The wrapper scripts of the runtimes want a (recent) node; the program itself is one native
//! file in the package for this platform and needs no node. So packages are installed without
//! their scripts, and that file is used.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::ExitStatus,
    time::Duration,
};

use crate::process::{self, Finished, command};

/// The Claude Code versions the end-to-end tests run, newest first.
pub const CLAUDE_CODE_VERSIONS: [&str; 2] = ["2.1.332", "2.1.197"];
/// The Codex versions the end-to-end tests run, newest first.
pub const CODEX_VERSIONS: [&str; 1] = ["0.171.0"];

/// Claude Code.
pub const CLAUDE_CODE: Package = Package {
    product: "Claude Code",
    versions: &CLAUDE_CODE_VERSIONS,
    npm_name: "@anthropic-ai/claude-code",
    folder: "claude-code",
    // `node_modules/@anthropic-ai/claude-code-<platform>/claude`
    scope: "@anthropic-ai",
    vendored: false,
    program: "claude",
};
/// Codex.
pub const CODEX: Package = Package {
    product: "Codex",
    versions: &CODEX_VERSIONS,
    npm_name: "@openai/codex",
    folder: "codex",
    // `node_modules/@openai/codex-<platform>/vendor/<target>/bin/codex`
    scope: "@openai",
    vendored: true,
    program: "codex",
};
/// Every runtime that is had from npm.
pub const ALL: [Package; 2] = [CLAUDE_CODE, CODEX];

/// A runtime as npm offers it.
///
/// A cache holds one folder a version (`codex-0.171.0`), made whole beside it and renamed, under
/// a lock: a folder that is there is complete, and two callers install once.
#[derive(Clone, Copy, Debug)]
pub struct Package {
    /// What it is called.
    pub product: &'static str,
    /// The versions the end-to-end tests run, newest first.
    pub versions: &'static [&'static str],
    npm_name: &'static str,
    folder: &'static str,
    scope: &'static str,
    vendored: bool,
    program: &'static str,
}

/// A package of some hundred megabytes over a slow line.
const INSTALL_DEADLINE: Duration = Duration::from_mins(10);
const VERSION_DEADLINE: Duration = Duration::from_mins(1);

/// Why a runtime could not be had from npm.
#[derive(Debug, thiserror::Error)]
pub enum NpmError {
    /// There is no `npm` on the PATH.
    #[error("find npm: {package}@{version} is not in {} and no npm is on the PATH to install it", cache.display())]
    NpmAbsent {
        /// The package wanted.
        package: &'static str,
        /// Its version.
        version: String,
        /// Where it was looked for.
        cache: PathBuf,
    },
    /// A file or folder of the cache could not be used.
    #[error("{what} {}", path.display())]
    Cache {
        /// What was tried, an imperative.
        what: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// npm or the installed program could not be started.
    #[error("run {}", program.display())]
    Run {
        /// The program.
        program: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// npm ended with an error or did not end in time.
    #[error("npm install {package}@{version}: {}\n{stderr}", outcome(*status))]
    Install {
        /// The package wanted.
        package: &'static str,
        /// Its version.
        version: String,
        /// How npm ended; `None`: not in time.
        status: Option<ExitStatus>,
        /// The end of what npm said.
        stderr: String,
    },
    /// npm installed no native program for this platform.
    #[error("find the native program of {package}@{version} for this platform below {}", folder.display())]
    NoProgram {
        /// The package wanted.
        package: &'static str,
        /// Its version.
        version: String,
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// The installed program does not answer with the version asked for.
    #[error("check {}: its --version says {answer:?}, not {version}", program.display())]
    WrongVersion {
        /// The program.
        program: PathBuf,
        /// The version asked for.
        version: String,
        /// What it said.
        answer: String,
    },
}

impl NpmError {
    /// Whether npm answered that it has no such package or version: not a failure of the line.
    pub fn is_not_offered(&self) -> bool {
        matches!(self, Self::Install { stderr, .. }
            if ["E404", "ETARGET"].iter().any(|code| stderr.contains(&format!("code {code}"))))
    }
}

fn outcome(status: Option<ExitStatus>) -> String {
    status.map_or_else(|| "did not end in time".into(), |status| status.to_string())
}

impl Package {
    /// The absolute path of the native program of this version, installed into `cache` if it is
    /// not there yet.
    pub fn install(&self, cache: &Path, version: &str) -> Result<PathBuf, NpmError> {
        self.install_by(Path::new("npm"), cache, version)
    }

    /// [`install`](Self::install) by an npm of one's own.
    pub fn install_by(&self, npm: &Path, cache: &Path, version: &str) -> Result<PathBuf, NpmError> {
        fs::create_dir_all(cache).map_err(at("create the cache folder", cache))?;
        let cache = fs::canonicalize(cache).map_err(at("resolve the cache folder", cache))?;
        let folder = self.folder_of(&cache, version);
        if !folder.is_dir() {
            let lock_path = cache.join(format!(".{}-{version}.lock", self.folder));
            let lock = File::create(&lock_path).map_err(at("create the lock file", &lock_path))?;
            lock.lock().map_err(at("lock", &lock_path))?;
            if !folder.is_dir() {
                self.make(npm, &cache, version, &folder)?;
            }
        }
        self.program_in(&folder).ok_or_else(|| self.no_program(version, &folder))
    }

    /// The program of this version, if it is in `cache` already; nothing is installed.
    pub fn cached(&self, cache: &Path, version: &str) -> Option<PathBuf> {
        self.program_in(&self.folder_of(&fs::canonicalize(cache).ok()?, version))
    }

    /// The versions to test where `asked` alone is asked for: `VERSION`, or with the runtime's
    /// name before it (`codex@VERSION`), which a version that nobody pins needs. A runtime that
    /// is not named by it is tested in its pinned versions.
    ///
    /// ```
    /// use seatfork_testkit::npm::{CLAUDE_CODE, CODEX};
    ///
    /// assert_eq!(CODEX.wanted(Some("codex@9.9.9")), ["9.9.9"]);
    /// assert_eq!(CLAUDE_CODE.wanted(Some("2.1.197")), ["2.1.197"]);
    /// assert_eq!(CODEX.wanted(Some("2.1.197")), CODEX.versions);
    /// ```
    pub fn wanted<'a>(&self, asked: Option<&'a str>) -> Vec<&'a str> {
        match asked.and_then(|asked| self.asked(asked)) {
            Some(version) => vec![version],
            None => self.versions.to_vec(),
        }
    }

    /// The version of this runtime that `asked` names.
    fn asked<'a>(&self, asked: &'a str) -> Option<&'a str> {
        match asked.split_once('@') {
            Some((runtime, version)) => (runtime == self.folder).then_some(version),
            None => self.versions.contains(&asked).then_some(asked),
        }
    }

    fn folder_of(&self, cache: &Path, version: &str) -> PathBuf {
        cache.join(format!("{}-{version}", self.folder))
    }

    fn make(&self, npm: &Path, cache: &Path, version: &str, folder: &Path) -> Result<(), NpmError> {
        let building = tempfile::Builder::new()
            .prefix(&format!(".{}-{version}.", self.folder))
            .tempdir_in(cache)
            .map_err(at("create a folder in", cache))?;
        let mut run = command(npm);
        run.args(["install", "--prefix"]).arg(building.path());
        run.args(["--ignore-scripts", "--no-save", "--no-package-lock", "--no-audit", "--no-fund"]);
        run.arg(format!("{}@{version}", self.npm_name));
        let Finished { status, stderr, .. } =
            process::finish(run, INSTALL_DEADLINE).map_err(|source| {
                if source.kind() == io::ErrorKind::NotFound {
                    let (version, cache) = (version.into(), cache.into());
                    NpmError::NpmAbsent { package: self.npm_name, version, cache }
                } else {
                    NpmError::Run { program: npm.into(), source }
                }
            })?;
        if !status.is_some_and(|s| s.success()) {
            let (version, stderr) = (version.into(), tail(&stderr));
            return Err(NpmError::Install { package: self.npm_name, version, status, stderr });
        }
        let program = self.program_in(building.path());
        let program = program.ok_or_else(|| self.no_program(version, building.path()))?;
        check_version(&program, version)?;
        let building = building.keep();
        fs::rename(&building, folder).map_err(at("rename into place", &building))
    }

    /// The native program below `folder`.
    fn program_in(&self, folder: &Path) -> Option<PathBuf> {
        // A folder that cannot be listed holds no program; the caller says where it looked.
        let below = |folder: &Path| {
            let entries = fs::read_dir(folder).ok().into_iter().flatten();
            entries.filter_map(Result::ok).map(|entry| entry.path())
        };
        let packages = below(&folder.join("node_modules").join(self.scope));
        let folders: Vec<_> = if self.vendored {
            let targets = packages.flat_map(|package| below(&package.join("vendor")));
            targets.map(|target| target.join("bin")).collect()
        } else {
            packages.collect()
        };
        folders.iter().map(|folder| folder.join(self.program)).find(|program| program.is_file())
    }

    fn no_program(&self, version: &str, folder: &Path) -> NpmError {
        let (version, folder) = (version.into(), folder.into());
        NpmError::NoProgram { package: self.npm_name, version, folder }
    }
}

/// The program must say the version it was installed as; asked in an empty home.
fn check_version(program: &Path, version: &str) -> Result<(), NpmError> {
    let run = |source| NpmError::Run { program: program.into(), source };
    let home = tempfile::tempdir().map_err(run)?;
    let mut ask = command(program);
    ask.arg("--version").env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin");
    let said = process::finish(ask, VERSION_DEADLINE).map_err(run)?;
    let answer = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    // `2.1.332 (Claude Code)`, `codex-cli 0.171.0`.
    if answer.split_whitespace().any(|word| word == version) {
        return Ok(());
    }
    Err(NpmError::WrongVersion { program: program.into(), version: version.into(), answer })
}

fn at(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> NpmError + use<> {
    let path = path.to_path_buf();
    move |source| NpmError::Cache { what, path, source }
}

fn tail(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<_> = text.lines().rev().take(20).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("\n")
}
