//! The one module that starts processes and reads the environment.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::failure::Failure;

/// How many last lines of a streamed process are kept to be shown again.
const TAIL: usize = 60;

/// A process to be started: its program, words, directory and added environment.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    program: OsString,
    args: Vec<OsString>,
    envs: Vec<(String, OsString)>,
    dir: PathBuf,
}

/// A streamed process that ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Whether it exited 0.
    pub(crate) ok: bool,
    /// Its exit status in words.
    pub(crate) status: String,
    /// Its last lines, both streams.
    pub(crate) tail: Vec<String>,
}

/// A captured process that ended.
#[derive(Debug)]
pub(crate) struct Captured {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Call {
    /// A call of `program` in `dir`.
    pub(crate) fn new(program: impl AsRef<OsStr>, dir: &Path) -> Self {
        let program = program.as_ref().to_owned();
        Self { program, args: Vec::new(), envs: Vec::new(), dir: dir.to_owned() }
    }

    /// A call of the cargo that runs this task.
    pub(crate) fn cargo(dir: &Path, args: &[&str]) -> Self {
        Self::new(environment("CARGO").unwrap_or_else(|| "cargo".into()), dir).args(args)
    }

    /// Adds words.
    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets a variable for this process alone.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.envs.push((name.to_owned(), value.as_ref().to_owned()));
        self
    }

    /// The program followed by its words, for running it beneath another program.
    pub(crate) fn words(&self) -> impl Iterator<Item = &OsString> {
        std::iter::once(&self.program).chain(&self.args)
    }

    /// This call made beneath `outer`, whose last words it becomes; directory and variables stay.
    pub(crate) fn beneath(self, outer: Self) -> Self {
        let mut call = outer.args(self.words());
        call.envs.extend(self.envs);
        call.dir = self.dir;
        call
    }

    /// Runs it, passing both streams on as they come and keeping their last lines.
    pub(crate) fn streamed(&self) -> Result<Ended, Failure> {
        println!("$ {self}");
        let mut child = self.spawn(Stdio::null())?;
        let (sender, lines) = mpsc::channel::<(bool, Vec<u8>)>();
        let readers = [
            child.stdout.take().map(|stream| forward(stream, false, sender.clone())),
            child.stderr.take().map(|stream| forward(stream, true, sender)),
        ];
        let mut tail = VecDeque::new();
        for (is_error, line) in lines {
            let shown = if is_error {
                io::stderr().write_all(&line)
            } else {
                io::stdout().write_all(&line)
            };
            shown.map_err(Failure::file("write to", Path::new("the terminal")))?;
            if tail.len() == TAIL {
                tail.pop_front();
            }
            tail.push_back(String::from_utf8_lossy(&line).trim_end().to_owned());
        }
        for reader in readers.into_iter().flatten() {
            reader.join().map_err(|_| self.failed("a reader of its output panicked"))?;
        }
        let status = child.wait().map_err(|error| self.failed(error))?;
        Ok(Ended { ok: status.success(), status: status.to_string(), tail: tail.into() })
    }

    /// Runs it with `input`, and ends it when it is not done by `deadline`.
    pub(crate) fn captured(&self, input: &[u8], deadline: Duration) -> Result<Captured, Failure> {
        let mut child = self.spawn(Stdio::piped())?;
        let (Some(mut stdin), Some(mut stdout), Some(mut stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(self.failed("its streams are not piped"));
        };
        let input = input.to_owned();
        let (sender, done) = mpsc::channel::<()>();
        // A process that refuses early closes its input; what it then says and its status are the evidence.
        let writer = thread::spawn(move || drop(stdin.write_all(&input)));
        let errors = thread::spawn(move || all_of(&mut stderr));
        let output = thread::spawn(move || {
            let read = all_of(&mut stdout);
            // Done is said by hanging up: the stream has ended.
            drop(sender);
            read
        });
        let in_time = done.recv_timeout(deadline) != Err(mpsc::RecvTimeoutError::Timeout);
        if !in_time {
            child.kill().map_err(|error| self.failed(error))?;
        }
        let status = child.wait().map_err(|error| self.failed(error))?;
        let join = |reader: thread::JoinHandle<io::Result<Vec<u8>>>| match reader.join() {
            Ok(read) => read.map_err(|error| self.failed(error)),
            Err(_) => Err(self.failed("a reader of its output panicked")),
        };
        if !in_time {
            return Err(self.failed(format!("was ended after {} s", deadline.as_secs())));
        }
        writer.join().map_err(|_| self.failed("the writer of its input panicked"))?;
        Ok(Captured { status, stdout: join(output)?, stderr: join(errors)? })
    }

    /// Runs it and returns what it wrote; anything but exit 0 is a failure that quotes its words.
    pub(crate) fn output(&self) -> Result<String, Failure> {
        let captured = self.captured(b"", Duration::from_mins(10))?;
        if !captured.status.success() {
            let stderr = String::from_utf8_lossy(&captured.stderr);
            return Err(self.failed(format!("{}\n{}", captured.status, stderr.trim_end())));
        }
        String::from_utf8(captured.stdout).map_err(|_| self.failed("its output is not UTF-8"))
    }

    /// Whether it can be started and exits 0; its output is not wanted.
    pub(crate) fn succeeds(&self) -> bool {
        self.captured(b"", Duration::from_mins(1)).is_ok_and(|captured| captured.status.success())
    }

    #[expect(clippy::disallowed_methods, reason = "the one place of xtask that starts processes")]
    fn spawn(&self, stdin: Stdio) -> Result<Child, Failure> {
        Command::new(&self.program)
            .args(&self.args)
            .envs(self.envs.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.dir)
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| self.failed(error))
    }

    fn failed(&self, why: impl fmt::Display) -> Failure {
        Failure::Process { command: self.to_string(), why: why.to_string() }
    }
}

impl fmt::Display for Call {
    /// The command as a person would type it, without its variables.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = Path::new(&self.program).file_name().unwrap_or(&self.program);
        f.write_str(&program.to_string_lossy())?;
        for arg in &self.args {
            let arg = arg.to_string_lossy();
            if arg.contains(' ') { write!(f, " '{arg}'")? } else { write!(f, " {arg}")? }
        }
        Ok(())
    }
}

/// A variable of this process's environment.
#[expect(clippy::disallowed_methods, reason = "the one place of xtask that reads the environment")]
pub(crate) fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Whether a program of that name is on the PATH.
pub(crate) fn installed(program: &str) -> bool {
    environment("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

/// Sends each line of a stream on; a line that nobody wants any more is dropped with its receiver.
fn forward(
    stream: impl Read + Send + 'static,
    is_error: bool,
    sender: mpsc::Sender<(bool, Vec<u8>)>,
) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        loop {
            let mut line = Vec::new();
            match stream.read_until(b'\n', &mut line) {
                Ok(1..) if sender.send((is_error, line)).is_ok() => {}
                _ => break,
            }
        }
    })
}

fn all_of(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).map(|_| bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Call {
        Call::new("sh", Path::new("/")).args(["-c", script])
    }

    #[test]
    fn a_captured_process_gives_its_streams_and_status() {
        let captured = shell("cat; echo oops >&2; exit 3")
            .captured(b"given", Duration::from_secs(10))
            .unwrap();
        assert_eq!(captured.status.code(), Some(3));
        assert_eq!(captured.stdout, b"given");
        assert_eq!(captured.stderr, b"oops\n");
    }

    #[test]
    fn a_process_that_hangs_is_ended_at_the_deadline() {
        let failure = shell("exec sleep 100").captured(b"", Duration::from_millis(50)).unwrap_err();
        assert!(failure.to_string().contains("was ended after"), "{failure}");
    }

    #[test]
    fn a_process_that_does_not_read_its_input_is_no_failure_of_ours() {
        let input = vec![b'x'; 1 << 20];
        assert!(
            shell("exit 0").captured(&input, Duration::from_secs(10)).unwrap().status.success()
        );
    }

    #[test]
    fn a_streamed_process_keeps_its_last_lines() {
        let ended = shell("seq 100; exit 1").streamed().unwrap();
        assert!(!ended.ok);
        assert_eq!(ended.tail.len(), TAIL);
        assert_eq!(ended.tail.last().map(String::as_str), Some("100"));
    }

    #[test]
    fn a_call_beneath_another_keeps_its_own_words_and_directory() {
        let inner = Call::new("pwd", Path::new("/usr")).env("A", "1");
        let call = inner.beneath(shell(r#"exec "$@""#).args(["sh"]));
        assert_eq!(call.output().unwrap(), "/usr\n");
    }
}
