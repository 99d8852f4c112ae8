//! Panes of a private tmux.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use seatfork_adapters::{ProcessId, ProcessPlan};
use seatfork_conformance::Pane;
use seatfork_testkit::TestEnv;

const PATIENCE: Duration = Duration::from_secs(20);

/// A pane: a tmux server of its own with one session. The server is ended with its test's environment.
#[derive(Debug)]
pub(crate) struct Tmux {
    socket: PathBuf,
    /// What every tmux of this pane is run with.
    vars: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    process: ProcessId,
}

impl Tmux {
    /// Opens a pane with a command.
    pub(crate) fn open(env: &TestEnv, number: usize, plan: &ProcessPlan) -> Self {
        let socket = env.root().join(format!("run/pane-{number}"));
        let like = env.command("tmux");
        let vars = like
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect();
        let none = ProcessId { pid: 0, start: 0 };
        let mut pane = Self { socket, vars, process: none };
        let mut open = pane.tmux();
        open.args(["new-session", "-d", "-P", "-F", "#{pane_pid}", "-x", "200", "-y", "50"]);
        for (name, value) in &plan.set_env {
            open.args(["-e", &format!("{name}={value}")]);
        }
        open.args(["-c", plan.cwd.as_str(), "--"]).args(&plan.argv);
        let pid = output(open).trim().parse().unwrap();
        // One that has ended already is told by its id alone.
        pane.process = ProcessId::of(pid).unwrap().unwrap_or(ProcessId { pid, start: 0 });
        pane
    }

    fn tmux(&self) -> Command {
        tmux(&self.socket, &self.vars)
    }
}

fn tmux(socket: &Path, vars: &[(std::ffi::OsString, std::ffi::OsString)]) -> Command {
    #[expect(clippy::disallowed_methods, reason = "tests start the programs they need")]
    let mut tmux = Command::new("tmux");
    tmux.env_clear().envs(vars.iter().cloned());
    tmux.arg("-S").arg(socket).args(["-f", "/dev/null"]);
    tmux
}

fn output(mut command: Command) -> String {
    let done = command.output().unwrap();
    String::from_utf8_lossy(&done.stdout).into_owned()
}

impl Pane for Tmux {
    fn process(&self) -> ProcessId {
        self.process
    }

    fn screen(&self) -> String {
        let mut capture = self.tmux();
        capture.args(["capture-pane", "-p"]);
        output(capture)
    }

    fn close(&self) {
        let mut kill = self.tmux();
        kill.arg("kill-server");
        output(kill);
        let end = Instant::now() + PATIENCE;
        while self.process.alive().unwrap() {
            assert!(Instant::now() < end, "{:?} outlives its pane", self.process);
            thread::sleep(Duration::from_millis(20));
        }
    }
}
