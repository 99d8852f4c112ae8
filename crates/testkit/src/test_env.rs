//! A place of its own for a test of the command line: home, environment, folders, processes.

mod cleanup;

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    os::unix::fs::{DirBuilderExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use rustix::process::{Signal, kill_process};
use tempfile::TempDir;

use crate::{
    output::Output,
    process::{self, Finished, Started},
    redact::Redactor,
};

/// How long a run may take before the test fails.
const DEADLINE: Duration = Duration::from_mins(3);

/// A temporary root with a home, a fixed environment and the program under test.
///
/// Nothing of the machine's environment comes in. On drop the private tmux servers below the
/// root and every process that has this home are ended, then the root is removed.
#[derive(Debug)]
pub struct TestEnv {
    root: PathBuf,
    program: PathBuf,
    vars: BTreeMap<OsString, OsString>,
    redactor: Redactor,
    _folder: TempDir,
}

impl TestEnv {
    /// An environment for the program at this absolute path (`env!("CARGO_BIN_EXE_seatfork")`).
    ///
    /// # Panics
    /// When the folders cannot be made.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        // Short, since unix sockets below it have at most about 100 bytes for their path.
        let folder = tempfile::Builder::new().prefix("sf-").tempdir().expect("make a folder");
        let root = fs::canonicalize(folder.path()).expect("resolve the folder");
        let mut redactor = Redactor::default();
        redactor.path(&root, "ROOT");
        let mut env = Self {
            root,
            program: program.into(),
            vars: BTreeMap::new(),
            redactor,
            _folder: folder,
        };
        for private in ["home", "run", "state", "tmp"] {
            let path = env.root.join(private);
            fs::DirBuilder::new().mode(0o700).create(&path).expect("make a private folder");
        }
        let bin = env.dir("bin");
        let mut path = bin.into_os_string();
        path.push(":/usr/local/bin:/usr/bin:/bin");
        env.set("HOME", env.home());
        env.set("PATH", path);
        env.set("TMPDIR", env.root.join("tmp"));
        env.set("XDG_STATE_HOME", env.root.join("state"));
        env.set("XDG_RUNTIME_DIR", env.root.join("run"));
        for (name, value) in [
            ("USER", "tester"),
            ("LOGNAME", "tester"),
            ("SHELL", "/bin/sh"),
            ("LANG", "C.UTF-8"),
            ("TERM", "xterm-256color"),
            ("TZ", "UTC"),
            ("COLUMNS", "100"),
        ] {
            env.set(name, value);
        }
        env
    }

    /// The root; every other folder of the environment is below it. A real path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The home.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The default folder of seatfork's store.
    pub fn state_dir(&self) -> PathBuf {
        self.root.join("state/seatfork")
    }

    /// A folder below the root, made if it is not there.
    ///
    /// # Panics
    /// When it cannot be made.
    pub fn dir(&self, relative: &str) -> PathBuf {
        let path = self.root.join(relative);
        fs::create_dir_all(&path).unwrap_or_else(|e| panic!("make {}: {e}", path.display()));
        path
    }

    /// Writes a file below the root, its folders made.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, relative: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(relative);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).unwrap_or_else(|e| panic!("make {}: {e}", folder.display()));
        }
        fs::write(&path, text).unwrap_or_else(|e| panic!("write {}: {e}", path.display()));
        path
    }

    /// A new git repository with one commit.
    ///
    /// # Panics
    /// When git does not do it.
    pub fn git_repo(&self, relative: &str) -> PathBuf {
        let repo = self.dir(relative);
        self.git(&repo, &["init", "--quiet"]);
        self.git(&repo, &["commit", "--quiet", "--allow-empty", "--message", "start"]);
        repo
    }

    /// A worktree of a repository, on a branch of its own.
    ///
    /// # Panics
    /// When git does not do it.
    pub fn git_worktree(&self, repo: &Path, relative: &str) -> PathBuf {
        let worktree = self.root.join(relative);
        let branch = relative.replace('/', "-");
        let path = worktree.to_string_lossy();
        self.git(repo, &["worktree", "add", "--quiet", "-b", &branch, &path]);
        worktree
    }

    fn git(&self, repo: &Path, args: &[&str]) {
        let mut git = self.command("git");
        git.current_dir(repo);
        git.args(["-c", "user.name=tester", "-c", "user.email=tester@example.org"]).args(args);
        drop(self.finish(git, "git").exits(0));
    }

    /// Sets a variable for every later run.
    pub fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.vars.insert(name.into(), value.into());
    }

    /// Takes a variable out for every later run.
    pub fn unset(&mut self, name: &str) {
        self.vars.remove(OsStr::new(name));
    }

    /// A variable's value.
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Puts a program on this environment's PATH under `name`, in place of one that was there.
    ///
    /// # Panics
    /// When it cannot be linked.
    pub fn install(&self, name: &str, program: &Path) -> PathBuf {
        let link = self.root.join("bin").join(name);
        if link.is_symlink() {
            fs::remove_file(&link).expect("take the old link away");
        }
        symlink(program, &link).unwrap_or_else(|e| panic!("link {}: {e}", link.display()));
        link
    }

    /// A command with exactly this environment's variables, its cwd the root.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = process::command(program);
        command.env_clear().envs(&self.vars).current_dir(&self.root);
        command
    }

    /// Runs the program under test to its end.
    ///
    /// # Panics
    /// When it cannot be started or does not end in time.
    pub fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Output {
        self.run_in(&self.root, args)
    }

    /// Runs the program under test in a folder.
    ///
    /// # Panics
    /// When it cannot be started or does not end in time.
    pub fn run_in<A: AsRef<OsStr>>(&self, cwd: &Path, args: impl IntoIterator<Item = A>) -> Output {
        let mut command = self.command(&self.program);
        command.args(args).current_dir(cwd);
        self.finish(command, "seatfork")
    }

    /// Starts the program under test and leaves it running.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Running {
        let mut command = self.command(&self.program);
        command.args(args);
        self.start_command(command, "seatfork")
    }

    /// Runs any command to its end; `name` is what the output shows as the program.
    ///
    /// # Panics
    /// When it cannot be started or does not end in time.
    pub fn finish(&self, command: Command, name: &str) -> Output {
        self.start_command(command, name).wait()
    }

    /// Starts any command; `name` is what the output shows as the program.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start_command(&self, command: Command, name: &str) -> Running {
        let shown = shown(&command, name);
        let started = process::start(command).unwrap_or_else(|e| panic!("start {shown}: {e}"));
        Running { started, shown, redactor: self.redactor.clone() }
    }

    /// What this environment's outputs are redacted by; more paths may be added.
    pub fn redactor(&mut self) -> &mut Redactor {
        &mut self.redactor
    }
}

impl Drop for TestEnv {
    fn drop(&mut self) {
        cleanup::end_tmux_servers(&self.root);
        cleanup::end_processes_at_home(&self.home());
    }
}

/// A run that has not ended yet.
#[derive(Debug)]
pub struct Running {
    started: Started,
    shown: String,
    redactor: Redactor,
}

impl Running {
    /// Its process id; it leads a process group of its own.
    pub fn pid(&self) -> u32 {
        self.started.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Sends it a signal.
    ///
    /// # Panics
    /// When it has ended already.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.started.pid, signal)
            .unwrap_or_else(|e| panic!("signal {}: {e}", self.shown));
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it does not end in time or its output cannot be read.
    pub fn wait(self) -> Output {
        let Self { started, shown, redactor } = self;
        let done = started.finish(DEADLINE);
        let Finished { status, stdout, stderr } =
            done.unwrap_or_else(|err| panic!("run {shown}: {err}"));
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let (stdout, stderr) = (text(stdout), text(stderr));
        let Some(status) = status else {
            panic!("{shown} did not end within {DEADLINE:?}\n{stdout}\n{stderr}");
        };
        Output { command: shown, status, stdout, stderr, redactor }
    }
}

/// The command line as a person would type it, the program under its short name.
fn shown(command: &Command, name: &str) -> String {
    let args = command.get_args().map(|arg| {
        let arg = arg.to_string_lossy();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@,+".contains(c);
        if !arg.is_empty() && arg.chars().all(plain) {
            arg.into_owned()
        } else {
            format!("{arg:?}")
        }
    });
    std::iter::once(name.to_owned()).chain(args).collect::<Vec<_>>().join(" ")
}
