//! One real `claude` process with a conversation of many turns.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::World;

const TURN_DEADLINE: Duration = Duration::from_mins(1);

/// A conversation that is being had: `claude -p --input-format stream-json`, a process that
/// takes one turn after the other and writes the same rows as one run a turn would.
#[derive(Debug)]
pub struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    cwd: PathBuf,
    id: Option<String>,
}

impl World {
    /// Starts a conversation, or goes on with one (`["--resume", id]`).
    ///
    /// # Panics
    /// When `claude` cannot be started.
    pub fn talk(&self, cwd: &Path, args: &[&str]) -> Talk {
        let mut claude = self.command(self.root().join("bin/claude"));
        claude.args(["-p", "--input-format", "stream-json", "--output-format", "stream-json"]);
        claude.arg("--verbose").args(args).current_dir(cwd);
        claude.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = claude.spawn().expect("start claude");
        let input = child.stdin.take();
        let output = child.stdout.take().expect("its output is piped");
        let (tell, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // Nobody listens any more when the talk is over.
                if let Ok(value) = serde_json::from_str(&line)
                    && tell.send(value).is_err()
                {
                    return;
                }
            }
        });
        Talk { child, input, lines, cwd: cwd.to_path_buf(), id: None }
    }
}

impl Talk {
    /// Says one thing and waits for the whole answer: the result row.
    ///
    /// # Panics
    /// When there is no answer in time or it is an error.
    #[track_caller]
    pub fn turn(&mut self, text: &str) -> Value {
        self.say(text);
        self.answer()
    }

    /// Says one thing and does not wait.
    ///
    /// # Panics
    /// When the process is gone.
    pub fn say(&mut self, text: &str) {
        let row = json!({"type": "user", "message": {"role": "user", "content": text}});
        let input = self.input.as_mut().expect("the talk is not over");
        writeln!(input, "{row}").and_then(|()| input.flush()).expect("claude reads its input");
    }

    /// Waits for the answer to what was said.
    ///
    /// # Panics
    /// When there is none in time or it is an error.
    #[track_caller]
    pub fn answer(&mut self) -> Value {
        loop {
            let row = self.lines.recv_timeout(TURN_DEADLINE).expect("claude answers in time");
            if let Some(id) = row["session_id"].as_str() {
                self.id = Some(id.to_owned());
            }
            if row["type"] == "result" {
                assert!(row["is_error"] == false, "claude answered with an error: {row}");
                return row;
            }
        }
    }

    /// The conversation's native id, known once it was spoken.
    ///
    /// # Panics
    /// Before the first answer.
    pub fn id(&self) -> &str {
        self.id.as_deref().expect("something was answered")
    }

    /// Where it is had.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Ends the conversation as a person would; its native id.
    ///
    /// # Panics
    /// When the process ends badly.
    pub fn end(mut self) -> String {
        drop(self.input.take());
        let status = self.child.wait().expect("claude can be waited for");
        assert!(status.success(), "claude ended with {status}");
        self.id().to_owned()
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // Ended already: nothing to end.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
