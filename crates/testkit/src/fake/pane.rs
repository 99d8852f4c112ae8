//! Interactive `claude`, as in a pane: its gates, its prompt, its record of the session.

mod dialog;
mod session;

use std::{io, process::ExitCode, thread, time::Duration};

use serde_json::json;
use tokio::sync::mpsc::UnboundedReceiver;
use uuid::Uuid;

use self::session::Session;
use super::{
    Act, Screen, Stream,
    child::Child,
    headless,
    run::Run,
    store::{Store, append},
    told::{exit_code, say},
    watch::{Event, watch},
};
use crate::transcript::{History, Row, Transcript};

/// How long a pane stays after its last words. The real program takes its time to end, and tmux
/// sometimes loses the words of one that does not.
const LINGER: Duration = Duration::from_millis(100);

/// One interactive invocation.
pub(super) fn run(run: &Run) -> io::Result<ExitCode> {
    let code = open(run);
    thread::sleep(LINGER);
    code
}

fn open(run: &Run) -> io::Result<ExitCode> {
    let scripted = run.acts.iter().find_map(|act| match act {
        Act::Dialog { screen } => Some(*screen),
        _ => None,
    });
    if let Some(screen) = scripted.or_else(|| dialog::due(run)) {
        return dialog::show(run, screen);
    }
    let args = &run.args;
    if let Some(id) = &args.resume {
        if Uuid::parse_str(id).is_err() {
            let own = args.session_id.clone().unwrap_or_else(|| Uuid::new_v4().to_string());
            let session = Session::start(run, &own, false)?;
            let code = dialog::show(run, Screen::Picker);
            session.end();
            return code;
        }
        if let Err(text) = headless::read(run, id) {
            say(Stream::Stdout, &format!("{text}\n"));
            return Ok(ExitCode::from(1));
        }
    }
    Pane::open(run)?.serve()
}

/// A pane past its gates.
struct Pane<'r> {
    run: &'r Run,
    session: Session,
    /// The conversation served.
    id: String,
    /// A fork that is not on disk yet: the source's id.
    unwritten: Option<String>,
    events: UnboundedReceiver<Event>,
}

impl<'r> Pane<'r> {
    fn open(run: &'r Run) -> io::Result<Self> {
        let args = &run.args;
        let fork = args.resume.clone().filter(|_| args.fork);
        let resumed = args.resume.clone().filter(|_| !args.fork);
        let own = args.session_id.clone().unwrap_or_else(|| Uuid::new_v4().to_string());
        let mut id = resumed.unwrap_or(own);
        for act in &run.acts {
            if let Act::Serve { id: other } = act {
                id.clone_from(other);
            }
        }
        // Only then the record of the session is written: who reads it may send a signal at once.
        let events = watch(run)?;
        let session = Session::start(run, &id, true)?;
        Ok(Self { run, session, id, unwritten: fork, events })
    }

    fn serve(mut self) -> io::Result<ExitCode> {
        let name = self.run.args.name.clone().unwrap_or_default();
        let line = "─".repeat(60);
        say(
            Stream::Stdout,
            &format!("Claude Code v{}\n\n{line} {name} ─\n", self.run.script.version),
        );
        say(Stream::Stdout, "❯ ");
        while let Some(event) = self.events.blocking_recv() {
            match event {
                Event::Signal(number) => {
                    self.session.end();
                    return Ok(exit_code(128 + number));
                }
                Event::Over { code } => {
                    self.session.end();
                    return Ok(exit_code(code));
                }
                Event::Line(line) if line.trim() == "/exit" => {
                    self.write_fork()?;
                    self.session.end();
                    return Ok(ExitCode::SUCCESS);
                }
                Event::Line(line) => self.line(&line)?,
            }
            say(Stream::Stdout, "❯ ");
        }
        self.session.end();
        Ok(ExitCode::SUCCESS)
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        let line = line.trim();
        if line == "/clear" {
            self.unwritten = None;
            self.id = Uuid::new_v4().to_string();
            return self.session.serve(&self.id);
        }
        if let Some(id) = line.strip_prefix("/resume ") {
            self.unwritten = None;
            id.clone_into(&mut self.id);
            return self.session.serve(&self.id);
        }
        if line.is_empty() {
            return Ok(());
        }
        self.session.status("busy")?;
        self.write_fork()?;
        let store = &self.run.store;
        let (path, transcript) = headless::read(self.run, &self.id).unwrap_or_else(|_| {
            (store.path(&self.id), Transcript { id: self.id.clone(), rows: Vec::new() })
        });
        append(&path, &turn_text(store, &transcript, &self.id, line, "cli"))?;
        say(Stream::Stdout, "\n● FAKE-REPLY\n\n");
        self.session.status("idle")
    }

    /// Writes an interactive fork down, which the real program does with the first message or at
    /// a graceful end.
    fn write_fork(&mut self) -> io::Result<()> {
        let Some(source) = self.unwritten.take() else { return Ok(()) };
        let (_, transcript) = headless::read(self.run, &source).map_err(io::Error::other)?;
        let history = History::of(&transcript).map_err(io::Error::other)?;
        let name = self.run.args.name.as_deref();
        let child = Child { store: &self.run.store, source_id: &source, id: &self.id, name };
        append(&self.run.store.path(&self.id), &child.text(&history, None))
    }
}

/// A question and an answer below the newest row of a conversation.
pub(super) fn turn_text(
    store: &Store,
    transcript: &Transcript,
    id: &str,
    prompt: &str,
    entrypoint: &str,
) -> String {
    let history = History::of(transcript);
    let tip = history.ok().and_then(|h| h.rows.last().and_then(Row::uuid).map(str::to_owned));
    let asked = store.row(
        tip.as_deref(),
        id,
        entrypoint,
        &json!({
            "type": "user", "promptId": Uuid::new_v4().to_string(),
            "message": {"role": "user", "content": prompt},
        }),
    );
    let answered = store.row(
        asked["uuid"].as_str(),
        id,
        entrypoint,
        &json!({
            "type": "assistant",
            "message": {
                "id": format!("msg_{}", Uuid::new_v4().simple()), "type": "message",
                "role": "assistant", "model": "fake-model",
                "content": [{"type": "text", "text": "FAKE-REPLY"}],
                "stop_reason": "end_turn", "stop_sequence": null,
                "usage": {"input_tokens": 1, "output_tokens": 1},
            },
        }),
    );
    let leaf = answered["uuid"].clone();
    let prompted =
        json!({"type": "last-prompt", "lastPrompt": prompt, "leafUuid": leaf, "sessionId": id});
    format!("{asked}\n{answered}\n{prompted}\n")
}
