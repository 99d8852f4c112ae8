//! The only module that starts a process: one program, its answer, and a deadline.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::panic::resume_unwind;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use camino::Utf8PathBuf;

/// How long one question to tmux may take. It answers in milliseconds; only a stopped or hung
/// server takes longer, and then waiting on would hang the caller with it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The stack of a thread that only copies bytes.
const HELPER_STACK: usize = 128 * 1024;

/// One program to run, with nothing inherited.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) program: &'a str,
    pub(crate) args: &'a [String],
    pub(crate) env: &'a [(String, String)],
    pub(crate) stdin: &'a [u8],
    pub(crate) patience: Duration,
}

/// What a program answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) success: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Why a question to tmux has no answer. None of these says that something is absent.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// No tmux in the absolute directories of `PATH`.
    #[error("find tmux in PATH ({}); relative entries are skipped", searched.join(":"))]
    NoTmux {
        /// The absolute directories looked in.
        searched: Vec<String>,
    },
    /// The program could not be started.
    #[error("start {program}")]
    Start {
        /// The program, absolute.
        program: String,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// Talking to the running program failed.
    #[error("{step} {program}")]
    Pipe {
        /// `listen to`, `write to`, `read from`, `wait for` or `end`.
        step: &'static str,
        /// The program, absolute.
        program: String,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// The program did not answer in time and was ended; whether it had its effect is unknown.
    #[error("{program} did not answer within {} s and was ended; whether it had its effect is unknown", after.as_secs())]
    TimedOut {
        /// The program, absolute.
        program: String,
        /// How long was waited.
        after: Duration,
    },
    /// tmux refused, in its own words.
    #[error("tmux on {socket} refused {command}: {stderr}")]
    Refused {
        /// The socket asked.
        socket: Utf8PathBuf,
        /// The command, without values that came from outside.
        command: String,
        /// tmux's stderr, verbatim, without the final newline.
        stderr: String,
    },
    /// tmux answered what we cannot read.
    #[error("tmux on {socket} answered {command} with {answer:?}, which is not what was asked for")]
    Unreadable {
        /// The socket asked.
        socket: Utf8PathBuf,
        /// The command, without values that came from outside.
        command: String,
        /// The line that could not be read.
        answer: String,
    },
}

/// Runs a program to its end, feeding and draining all pipes at once.
#[expect(clippy::disallowed_methods, reason = "the one place of this crate that starts processes")]
pub(crate) fn run(call: &Call<'_>) -> Result<Answer, CallError> {
    let mut command = Command::new(call.program);
    command
        .args(call.args)
        .env_clear()
        .envs(call.env.iter().map(|(name, value)| (name, value)))
        // A server started by this call keeps its directory; `/` can always be let go of.
        .current_dir("/")
        // A Ctrl-C, or the end of the terminal, is for the program that asks: in the middle of an answer tmux would be
        // cut off, and the pane ended here may be the very one this runs in.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let program = || call.program.to_owned();
    let mut child =
        command.spawn().map_err(|source| CallError::Start { program: program(), source })?;
    talk(&mut child, call, HELPER_STACK)
}

/// Feeds stdin, drains stdout and stderr, waits; ends the child when the time is over.
///
/// Where the system has no thread left the child is ended, having been told nothing.
fn talk(child: &mut Child, call: &Call<'_>, stack: usize) -> Result<Answer, CallError> {
    let pipe = |step, source| CallError::Pipe { step, program: call.program.to_owned(), source };
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let (done, all_done) = mpsc::channel::<()>();
        let done_too = done.clone();
        let helper = || thread::Builder::new().stack_size(stack);
        let begin = move || {
            let reader = helper().spawn_scoped(scope, move || drain(stdout, &done))?;
            let listener = helper().spawn_scoped(scope, move || drain(stderr, &done_too))?;
            let writer = helper().spawn_scoped(scope, move || match stdin {
                Some(mut stdin) => stdin.write_all(call.stdin),
                None => Ok(()),
            })?;
            Ok((writer, reader, listener))
        };
        let (writer, reader, listener) = match begin() {
            Ok(helpers) => helpers,
            Err(source) => {
                child.kill().and_then(|()| child.wait()).map_err(|source| pipe("end", source))?;
                return Err(pipe("listen to", source));
            }
        };
        let mut late = false;
        // Both senders gone means both pipes are at their end, and so is the program.
        if all_done.recv_timeout(call.patience) == Err(mpsc::RecvTimeoutError::Timeout) {
            late = true;
            child.kill().map_err(|source| pipe("end", source))?;
        }
        let status = child.wait().map_err(|source| pipe("wait for", source))?;
        let fed = writer.join().unwrap_or_else(|panic| resume_unwind(panic));
        let out = reader.join().unwrap_or_else(|panic| resume_unwind(panic));
        let err = listener.join().unwrap_or_else(|panic| resume_unwind(panic));
        if late {
            let program = call.program.to_owned();
            return Err(CallError::TimedOut { program, after: call.patience });
        }
        match fed {
            // The program ended without reading everything; its own words say why.
            Err(source) if source.kind() != ErrorKind::BrokenPipe => {
                return Err(pipe("write to", source));
            }
            _ => {}
        }
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Answer {
            success: status.success(),
            stdout: text(out.map_err(|source| pipe("read from", source))?),
            stderr: text(err.map_err(|source| pipe("read from", source))?),
        })
    })
}

/// Reads a pipe to its end, then drops `done`.
fn drain<R: Read>(pipe: Option<R>, _done: &mpsc::Sender<()>) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, stdin: &[u8], patience: Duration) -> Result<Answer, CallError> {
        let args = ["-c".to_owned(), script.to_owned()];
        let env = [("ONLY".to_owned(), "this".to_owned())];
        run(&Call { program: "/bin/sh", args: &args, env: &env, stdin, patience })
    }

    #[test]
    fn a_program_that_hangs_is_ended_and_said_to_be_unknown() {
        let begun = std::time::Instant::now();
        let said = sh("exec sleep 600", b"", Duration::from_millis(100));
        assert!(matches!(said, Err(CallError::TimedOut { .. })), "{said:?}");
        assert!(begun.elapsed() < Duration::from_mins(1));
    }

    // SPEC 13: what the system refuses is an error and no panic; the program is ended, and was told nothing
    #[test]
    fn a_system_without_a_thread_left_is_an_error() {
        let mut child = sh_child("read line && echo told; exec sleep 600");
        let call =
            Call { program: "/bin/sh", args: &[], env: &[], stdin: b"x\n", patience: PATIENCE };
        let said = talk(&mut child, &call, usize::MAX / 2);
        assert!(matches!(said, Err(CallError::Pipe { step: "listen to", .. })), "{said:?}");
        assert!(child.try_wait().expect("it is ours").is_some_and(|status| !status.success()));
    }

    #[expect(clippy::disallowed_methods, reason = "a child to talk to")]
    fn sh_child(script: &str) -> Child {
        let mut command = Command::new("/bin/sh");
        let piped = command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        piped.stderr(Stdio::piped()).spawn().expect("a shell")
    }

    #[test]
    fn large_input_and_output_do_not_block_each_other() {
        let big = vec![b'x'; 1 << 20];
        let said = sh("cat; echo done >&2", &big, PATIENCE).expect("an answer");
        assert_eq!((said.stdout.len(), said.stderr.as_str()), (1 << 20, "done\n"));
    }

    #[test]
    fn a_program_that_reads_nothing_still_says_why_it_failed() {
        let big = vec![b'x'; 1 << 20];
        let said = sh("echo refused >&2; exit 3", &big, PATIENCE).expect("an answer");
        assert!(!said.success);
        assert_eq!(said.stderr, "refused\n");
    }

    // SPEC 14: nothing is inherited
    #[test]
    fn the_environment_is_the_one_given() {
        let said = sh("/usr/bin/env", b"", PATIENCE).expect("an answer");
        let mut names: Vec<&str> = said.stdout.lines().collect();
        // A shell adds these of its own.
        names.retain(|l| !["PWD=", "SHLVL=", "_=", "OLDPWD="].iter().any(|own| l.starts_with(own)));
        assert_eq!(names, ["ONLY=this"]);
    }

    #[test]
    fn a_missing_program_is_named() {
        let said = run(&Call {
            program: "/nowhere/x",
            args: &[],
            env: &[],
            stdin: b"",
            patience: PATIENCE,
        });
        assert!(said.expect_err("there is none").to_string().contains("/nowhere/x"));
    }
}
