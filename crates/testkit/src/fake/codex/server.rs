//! `codex app-server`: JSON lines on standard input and output.

use std::{
    fs::{self, File},
    io::{self, BufRead as _},
    path::Path,
    process::ExitCode,
};

use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    Run,
    headless::{Made, go_on, make},
    store::{append, line, lines},
};
use crate::fake::{Phase, Stream, told::say};

/// A conversation that was started and is not on disk yet: the real one writes it when it is named.
struct Unwritten {
    id: String,
    text: String,
}

/// Writes down what it can be asked, as the real one does.
pub(super) fn describe(out: &Path, without: &[String]) -> io::Result<()> {
    const WORDS: [&str; 9] = [
        "initialize",
        "thread/start",
        "thread/fork",
        "thread/read",
        "thread/name/set",
        "thread/inject_items",
        "turn/start",
        "threadSource",
        "excludeTurns",
    ];
    let has = |word: &&&str| !without.iter().any(|gone| gone == **word);
    let words: Vec<_> = WORDS.iter().filter(has).collect();
    fs::create_dir_all(out)?;
    fs::write(out.join("ClientRequest.json"), json!({"enum": words}).to_string())
}

/// Serves until its input ends.
pub(super) fn serve(run: &Run) -> io::Result<ExitCode> {
    let mut server = Server { run, locks: Vec::new(), unwritten: None };
    for request in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&request?)?;
        // A notification is not answered.
        if request["id"].is_null() {
            continue;
        }
        let method = request["method"].as_str().unwrap_or_default();
        let answer = if run.script.without_options.iter().any(|gone| gone == method) {
            Answer::Error(-32601, format!("unknown method {method}"))
        } else {
            server.answer(method, &request["params"])?
        };
        let said = match answer {
            Answer::Result(result) => json!({"id": request["id"], "result": result}),
            Answer::Error(code, message) => {
                json!({"id": request["id"], "error": {"code": code, "message": message}})
            }
            Answer::End(code) => return Ok(code),
        };
        say(Stream::Stdout, &format!("{said}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

enum Answer {
    Result(Value),
    Error(i64, String),
    End(ExitCode),
}

struct Server<'r> {
    run: &'r Run,
    /// The writer locks it holds until it ends.
    locks: Vec<File>,
    unwritten: Option<Unwritten>,
}

impl Server<'_> {
    fn answer(&mut self, method: &str, params: &Value) -> io::Result<Answer> {
        let id = params["threadId"].as_str().unwrap_or_default();
        match method {
            "initialize" => Ok(Answer::Result(json!({
                "userAgent": format!("fake/{}", self.run.script.version),
                "codexHome": self.run.store.dir, "platformFamily": "unix", "platformOs": "linux",
            }))),
            "thread/fork" => self.make(Phase::Fork, method, Some(id), params),
            "thread/start" => self.make(Phase::Fresh, method, None, params),
            "thread/name/set" => self.name(id, params),
            "thread/inject_items" => self.inject(id, &params["items"]),
            "thread/read" => Ok(match self.run.store.read(id) {
                Ok(thread) => Answer::Result(json!({"thread": {
                    "id": id, "sessionId": id, "path": thread.path,
                    "forkedFromId": thread.rows[0].json["payload"]["forked_from_id"],
                }})),
                Err(_) => Answer::Error(-32600, format!("thread not loaded: {id}")),
            }),
            "turn/start" => Ok(match self.run.store.read(id) {
                Ok(thread) => {
                    go_on(&thread, params["input"][0]["text"].as_str().unwrap_or_default())?;
                    Answer::Result(json!({"turn": {"id": Uuid::now_v7().to_string()}}))
                }
                Err(text) => Answer::Error(-32600, text),
            }),
            _ => Ok(Answer::Error(-32601, format!("unknown method {method}"))),
        }
    }

    fn make(
        &mut self,
        phase: Phase,
        method: &str,
        source: Option<&str>,
        params: &Value,
    ) -> io::Result<Answer> {
        let run = self.run;
        let told = run.told(phase, &[method.to_owned(), params.to_string()])?;
        if let Some(code) = told.acts_before()? {
            return Ok(Answer::End(code));
        }
        let source = match source.map(|id| run.store.read(id)).transpose() {
            Ok(source) => source,
            Err(text) => return Ok(Answer::Error(-32600, text)),
        };
        let here = told.cwd.to_string_lossy().into_owned();
        let cwd = params["cwd"].as_str().unwrap_or(&here);
        let mark = params["threadSource"].as_str();
        let (id, said) = match make(run, &told, source.as_ref(), cwd, "vscode", mark)? {
            Made::End(code) => return Ok(Answer::End(code)),
            Made::Thread { id, said } => (id, said),
        };
        self.locks.extend(run.store.lock(&id)?);
        let path = run.store.find(&id);
        if source.is_none()
            && let Some(path) = &path
        {
            // Not on disk before it is named.
            let text = fs::read_to_string(path)?;
            fs::remove_file(path)?;
            self.unwritten = Some(Unwritten { id: id.clone(), text });
        }
        let from = source.map(|source| source.id);
        Ok(Answer::Result(json!({
            "thread": {"id": said, "sessionId": said, "forkedFromId": from, "path": path,
                       "cwd": cwd, "source": "vscode", "threadSource": mark, "turns": []},
            "model": "stub-model", "modelProvider": "stub", "cwd": cwd,
            "approvalPolicy": params["approvalPolicy"], "sandbox": params["sandbox"],
        })))
    }

    fn name(&mut self, id: &str, params: &Value) -> io::Result<Answer> {
        if let Some(fresh) = self.unwritten.take_if(|fresh| fresh.id == id) {
            append(&self.run.store.path(id), &fresh.text)?;
        }
        let row = json!({"id": id, "thread_name": params["name"]});
        append(&self.run.store.dir.join("session_index.jsonl"), &format!("{row}\n"))?;
        Ok(Answer::Result(json!({})))
    }

    fn inject(&mut self, id: &str, items: &Value) -> io::Result<Answer> {
        let thread = match self.run.store.read(id) {
            Ok(thread) => thread,
            Err(text) => return Ok(Answer::Error(-32600, text)),
        };
        let first = thread.ordinal_after(thread.rows.len());
        let mut ordinal = (!thread.is_legacy()).then_some(first);
        let mut rows = Vec::new();
        for item in items.as_array().into_iter().flatten() {
            rows.push(line(ordinal, "response_item", item));
            ordinal = ordinal.map(|ordinal| ordinal + 1);
        }
        append(&thread.path, &lines(&rows))?;
        Ok(Answer::Result(json!({})))
    }
}
