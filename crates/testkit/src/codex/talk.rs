//! One real `codex app-server` with a conversation of many turns.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::TestEnv;

const DEADLINE: Duration = Duration::from_mins(1);

/// A conversation that is being had: a process that takes one turn after the other and writes the
/// same rows as one run a turn would. It holds the conversation's writer lock until it ends.
#[derive(Debug)]
pub struct CodexTalk {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    asked: u64,
    cwd: PathBuf,
    id: String,
}

impl CodexTalk {
    /// Starts a conversation in `cwd`.
    ///
    /// # Panics
    /// When the real program does not.
    #[track_caller]
    pub fn start(env: &TestEnv, cwd: &Path) -> Self {
        Self::begin(env, cwd, "thread/start", json!({"cwd": cwd}))
    }

    /// Goes on with a conversation.
    ///
    /// # Panics
    /// When the real program does not.
    #[track_caller]
    pub fn resume(env: &TestEnv, cwd: &Path, id: &str) -> Self {
        Self::begin(env, cwd, "thread/resume", json!({"threadId": id, "cwd": cwd}))
    }

    /// Forks a conversation and goes on in the child.
    ///
    /// # Panics
    /// When the real program does not.
    #[track_caller]
    pub fn fork(env: &TestEnv, cwd: &Path, id: &str) -> Self {
        Self::begin(env, cwd, "thread/fork", json!({"threadId": id, "cwd": cwd}))
    }

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "the parameters are made for the call")]
    fn begin(env: &TestEnv, cwd: &Path, method: &str, params: Value) -> Self {
        let mut server = env.command(env.root().join("bin/codex"));
        server.arg("app-server").current_dir(cwd);
        server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = server.spawn().expect("start codex app-server");
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
        let cwd = cwd.to_path_buf();
        let mut talk = Self { child, input, lines, asked: 0, cwd, id: String::new() };
        let client = json!({"name": "kit", "title": null, "version": "0"});
        let capabilities = json!({"experimentalApi": true});
        talk.call("initialize", &json!({"clientInfo": client, "capabilities": capabilities}));
        talk.send(&json!({"method": "initialized"}));
        let thread = talk.call(method, &params);
        thread["thread"]["id"].as_str().expect("a thread has an id").clone_into(&mut talk.id);
        talk
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("the talk is not over");
        writeln!(input, "{message}").and_then(|()| input.flush()).expect("codex reads its input");
    }

    #[track_caller]
    fn recv(&self, what: &str) -> Value {
        self.lines.recv_timeout(DEADLINE).unwrap_or_else(|e| panic!("codex answers {what}: {e}"))
    }

    /// Asks one thing of the server; its result.
    ///
    /// # Panics
    /// When it answers with an error or not in time.
    #[track_caller]
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"id": id, "method": method, "params": params}));
        loop {
            let mut answer = self.recv(method);
            if answer["id"] == id {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].take();
            }
        }
    }

    /// Says one thing and waits for the whole answer.
    ///
    /// # Panics
    /// When there is no answer in time or it is an error.
    #[track_caller]
    pub fn turn(&mut self, text: &str) {
        self.say(text);
        self.answer();
    }

    /// Says one thing and does not wait for the answer.
    ///
    /// # Panics
    /// When the process is gone.
    #[track_caller]
    pub fn say(&mut self, text: &str) {
        let input = json!([{"type": "text", "text": text}]);
        self.call("turn/start", &json!({"threadId": self.id, "input": input}));
    }

    /// Waits for the answer to what was said.
    ///
    /// # Panics
    /// When there is none in time or it is an error.
    #[track_caller]
    pub fn answer(&mut self) {
        loop {
            let event = self.recv("a turn");
            if event["method"] == "turn/completed" {
                assert_eq!(event["params"]["turn"]["status"], "completed", "{event}");
                return;
            }
        }
    }

    /// The conversation's native id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Where it is had.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends the conversation as a client does that leaves; its native id.
    ///
    /// # Panics
    /// When the process ends badly.
    #[track_caller]
    pub fn end(mut self) -> String {
        drop(self.input.take());
        let status = self.child.wait().expect("codex can be waited for");
        assert!(status.success(), "codex ended with {status}");
        self.id.clone()
    }
}

impl Drop for CodexTalk {
    fn drop(&mut self) {
        // Ended already: nothing to end.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
