//! Pinned runtimes from npm, kept by version.
//!
//! The wrapper script of `@anthropic-ai/claude-code` wants a recent node; the program itself is
//! one native file in the package for this platform and needs no node. So packages are
//! installed without their scripts, and that file is used.

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

const CLAUDE_CODE: &str = "@anthropic-ai/claude-code";
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

/// The absolute path of Claude Code's native program of this version, installed into `cache` if
/// it is not there yet.
///
/// `cache` holds one folder a version, made whole beside it and renamed, under a lock: a folder
/// that is there is complete, and two callers install once.
pub fn claude_code(cache: &Path, version: &str) -> Result<PathBuf, NpmError> {
    claude_code_by(Path::new("npm"), cache, version)
}

/// [`claude_code`] by an npm of one's own.
pub fn claude_code_by(npm: &Path, cache: &Path, version: &str) -> Result<PathBuf, NpmError> {
    fs::create_dir_all(cache).map_err(at("create the cache folder", cache))?;
    let cache = fs::canonicalize(cache).map_err(at("resolve the cache folder", cache))?;
    let folder = cache.join(format!("claude-code-{version}"));
    if !folder.is_dir() {
        let lock_path = cache.join(format!(".claude-code-{version}.lock"));
        let lock = File::create(&lock_path).map_err(at("create the lock file", &lock_path))?;
        lock.lock().map_err(at("lock", &lock_path))?;
        if !folder.is_dir() {
            install(npm, &cache, version, &folder)?;
        }
    }
    program_in(&folder).ok_or(NpmError::NoProgram {
        package: CLAUDE_CODE,
        version: version.into(),
        folder,
    })
}

/// Whether this version is in `cache` already; nothing is installed.
pub fn cached_claude_code(cache: &Path, version: &str) -> Option<PathBuf> {
    program_in(&fs::canonicalize(cache).ok()?.join(format!("claude-code-{version}")))
}

fn install(npm: &Path, cache: &Path, version: &str, folder: &Path) -> Result<(), NpmError> {
    let building = tempfile::Builder::new()
        .prefix(&format!(".claude-code-{version}."))
        .tempdir_in(cache)
        .map_err(at("create a folder in", cache))?;
    let mut run = command(npm);
    run.args(["install", "--prefix"]).arg(building.path());
    run.args(["--ignore-scripts", "--no-save", "--no-package-lock", "--no-audit", "--no-fund"]);
    run.arg(format!("{CLAUDE_CODE}@{version}"));
    let Finished { status, stderr, .. } =
        process::finish(run, INSTALL_DEADLINE).map_err(|source| {
            if source.kind() == io::ErrorKind::NotFound {
                let (version, cache) = (version.into(), cache.into());
                NpmError::NpmAbsent { package: CLAUDE_CODE, version, cache }
            } else {
                NpmError::Run { program: npm.into(), source }
            }
        })?;
    if !status.is_some_and(|s| s.success()) {
        let stderr = tail(&stderr);
        return Err(NpmError::Install {
            package: CLAUDE_CODE,
            version: version.into(),
            status,
            stderr,
        });
    }
    let program = program_in(building.path()).ok_or_else(|| NpmError::NoProgram {
        package: CLAUDE_CODE,
        version: version.into(),
        folder: building.path().into(),
    })?;
    check_version(&program, version)?;
    let building = building.keep();
    fs::rename(&building, folder).map_err(at("rename into place", &building))
}

/// The program must say the version it was installed as; asked in an empty home.
fn check_version(program: &Path, version: &str) -> Result<(), NpmError> {
    let run = |source| NpmError::Run { program: program.into(), source };
    let home = tempfile::tempdir().map_err(run)?;
    let mut ask = command(program);
    ask.arg("--version").env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin");
    let said = process::finish(ask, VERSION_DEADLINE).map_err(run)?;
    let answer = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    if answer.split_whitespace().next() == Some(version) {
        return Ok(());
    }
    Err(NpmError::WrongVersion { program: program.into(), version: version.into(), answer })
}

/// `node_modules/@anthropic-ai/claude-code-<platform>/claude` below `folder`.
fn program_in(folder: &Path) -> Option<PathBuf> {
    let scope = folder.join("node_modules/@anthropic-ai");
    // A folder that cannot be listed holds no program; the caller says where it looked.
    let packages = fs::read_dir(scope).ok()?.filter_map(Result::ok);
    packages.map(|package| package.path().join("claude")).find(|program| program.is_file())
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
