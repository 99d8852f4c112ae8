//! A private server per test, ended with it; and how to wait for what a test expects.

use std::ops::Deref;
use std::process::Command;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use seatfork_tmux::{Lookup, Opened, Pane, PaneSpec, ProcessId, Screen, Server, ServerError};
use tempfile::TempDir;

/// What the base environment of every test server holds.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

pub(crate) fn base_env(path: &str) -> Vec<(String, String)> {
    [("PATH", path), ("LANG", "C.UTF-8"), ("BASE_MARK", "base")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

/// A directory with a short path, as a socket needs.
pub(crate) fn temp() -> TempDir {
    tempfile::Builder::new().prefix("sft-").tempdir_in("/tmp").unwrap()
}

pub(crate) fn utf8(dir: &TempDir) -> &Utf8Path {
    Utf8Path::from_path(dir.path()).unwrap()
}

/// A server of one test. Its sessions end with it.
pub(crate) struct TestServer {
    server: Server,
    pub(crate) dir: TempDir,
}

impl Deref for TestServer {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let ended = self.server.kill_server();
        if !std::thread::panicking() {
            ended.unwrap();
        }
    }
}

/// Makes a server, or says why there is none; with `SEATFORK_E2E=require` that is a failure.
#[expect(clippy::disallowed_methods, reason = "a test reads the one variable that steers tests")]
pub(crate) fn server() -> Option<TestServer> {
    let dir = temp();
    match Server::at(&utf8(&dir).join("run"), base_env(PATH)) {
        Ok(server) => Some(TestServer { server, dir }),
        Err(missing @ ServerError::NoTmux { .. }) => {
            let required = std::env::var("SEATFORK_E2E").is_ok_and(|value| value == "require");
            assert!(!required, "SEATFORK_E2E=require, but: {missing}");
            #[expect(clippy::print_stderr, reason = "nothing may be skipped silently")]
            {
                eprintln!("skipped, nothing was tested: {missing}");
            }
            None
        }
        Err(other) => panic!("{other}"),
    }
}

/// Makes a second server in the same directory whose `tmux` is a script around the real one.
pub(crate) fn wrapped(test: &TestServer, script: &str) -> Server {
    let bin = utf8(&test.dir).join("bin");
    std::fs::create_dir(&bin).unwrap();
    let wrapper = format!("#!/bin/sh\n{script}\nexec {} \"$@\"\n", test.tmux());
    executable(&bin.join("tmux"), &wrapper);
    Server::at(test.socket().parent().unwrap(), base_env(&format!("{bin}:{PATH}"))).unwrap()
}

/// Writes a script through another process: one of ours that is forked while the file is open
/// for writing would keep it from being executed.
pub(crate) fn executable(path: &Utf8Path, text: &str) {
    let write = "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\"";
    let written = command("/bin/sh").args(["-c", write, path.as_str(), text]).status();
    assert!(written.unwrap().success());
}

/// Copies a program, through another process for the same reason.
pub(crate) fn copy(program: &str, to: &Utf8Path) {
    assert!(command("cp").args([program, to.as_str()]).status().unwrap().success());
}

pub(crate) fn spec(session: &str, argv: &[&str]) -> PaneSpec {
    PaneSpec {
        session: session.parse().unwrap(),
        cwd: "/tmp".into(),
        env: vec![("PATH".into(), PATH.into())],
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        options: Vec::new(),
    }
}

/// A shell that runs `script` and then stays until its terminal goes. Its own argument vector
/// stays what it was given.
pub(crate) fn staying(session: &str, script: &str) -> PaneSpec {
    spec(session, &["/bin/sh", "-c", &format!("{script}; read x")])
}

pub(crate) fn process(opened: &Opened) -> ProcessId {
    opened.pane.process.expect("the program runs")
}

/// Runs tmux by hand on the server's socket, as a person would.
#[expect(clippy::disallowed_methods, reason = "a test plays the person at the keyboard")]
pub(crate) fn by_hand(server: &Server, args: &[&str]) -> String {
    let socket = ["-S", server.socket().as_str()];
    let output = Command::new(server.tmux()).args(socket).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Starts a program beside tmux.
#[expect(clippy::disallowed_methods, reason = "a test needs processes to look at")]
pub(crate) fn command(program: &str) -> Command {
    Command::new(program)
}

/// Looks again until `look` finds something; a test that waits in vain fails with `what`.
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn found<T: std::fmt::Debug>(lookup: Lookup<T>) -> T {
    match lookup {
        Lookup::Found(found) => found,
        other => panic!("not there: {other:?}"),
    }
}

pub(crate) fn screen(server: &Server, pane: &Pane) -> Screen {
    found(server.capture(pane).unwrap())
}

/// The strings a process was started with: `cmdline` or `environ`.
pub(crate) fn block(process: ProcessId, what: &str) -> Vec<String> {
    let bytes = std::fs::read(format!("/proc/{}/{what}", process.pid)).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    text.strip_suffix('\0').unwrap_or(&text).split('\0').map(str::to_owned).collect()
}

pub(crate) fn subdir(dir: &TempDir, name: &str) -> Utf8PathBuf {
    let path = utf8(dir).join(name);
    std::fs::create_dir(&path).unwrap();
    path.canonicalize_utf8().unwrap()
}
