//! `claude -p`: forks, fresh conversations and turns without a terminal.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use rustix::process::{Signal, getpid, kill_process};
use serde_json::json;
use uuid::Uuid;

use super::{
    Act, ChildChange, Stream,
    child::Child,
    late, pane,
    run::Run,
    store::{append, id_of, is_path},
    told::{exit_code, say},
};
use crate::transcript::{History, HistoryError, Row, Transcript};

/// One headless invocation.
pub(super) fn run(run: &Run) -> io::Result<ExitCode> {
    match checked(run) {
        Ok(()) => {}
        Err(text) => {
            say(Stream::Stderr, &format!("{text}\n"));
            return Ok(ExitCode::from(1));
        }
    }
    let args = &run.args;
    let new = args.session_id.clone().unwrap_or_else(|| Uuid::new_v4().to_string());
    match (&args.resume, args.fork) {
        (Some(source), true) => fork(run, source, &new),
        (Some(id), false) => turn(run, id),
        (None, _) => fresh(run, &new),
    }
}

/// What the real program refuses before it looks for anything; the error is its words.
fn checked(run: &Run) -> Result<(), String> {
    let args = &run.args;
    if let Some(id) = &args.session_id {
        if Uuid::parse_str(id).is_err() {
            return Err("Error: Invalid session ID. Must be a valid UUID.".into());
        }
        if args.resume.is_some() && !args.fork {
            let text = "Error: --session-id with --continue or --resume also needs --fork-session.";
            return Err(text.into());
        }
        if args.resume.as_deref().map(id_of) != Some(id) && run.store.find(id).is_some() {
            return Err(format!("Error: Session ID {id} is already in use."));
        }
    }
    if let Some(source) = &args.resume
        && Uuid::parse_str(source).is_err()
        && !is_path(source)
    {
        let given = if source.is_empty() {
            String::new()
        } else {
            format!(
                " Provided value \"{source}\" is not a UUID and does not match any session title."
            )
        };
        return Err(format!(
            "Error: --resume requires a valid session ID or session title when used with --print. \
             Usage: claude -p --resume <session-id|title>.{given}"
        ));
    }
    if args.prompt.as_ref().is_none_or(String::is_empty) {
        return Err(
            "Error: No deferred tool marker found in the resumed session. Provide a prompt \
                    to continue the conversation."
                .into(),
        );
    }
    Ok(())
}

/// The source as the real program reads it: lines that do not parse are passed over in silence.
pub(super) fn read(run: &Run, id: &str) -> Result<(PathBuf, Transcript), String> {
    // For a path that is not there the real program tells an id nobody gave.
    let told = || if is_path(id) { Uuid::new_v4().to_string() } else { id.to_owned() };
    let not_found = || format!("No conversation found with session ID: {}", told());
    let path = run.store.find(id).ok_or_else(not_found)?;
    let bytes = fs::read(&path).map_err(|err| match err.kind() {
        io::ErrorKind::IsADirectory => "Failed to resume session: EISDIR: illegal operation on a \
                                        directory, read"
            .to_owned(),
        _ => format!("Failed to resume session: {err}"),
    })?;
    let text = String::from_utf8_lossy(&bytes);
    let parse = |line: &str| {
        let json = serde_json::from_str(line).ok()?;
        Some(Row { text: line.to_owned(), json })
    };
    let rows = text.lines().filter_map(parse).collect();
    Ok((path, Transcript { id: id_of(id).to_owned(), rows }))
}

fn fork(run: &Run, source: &str, new: &str) -> io::Result<ExitCode> {
    let refuse = |text: &str| {
        say(Stream::Stderr, &format!("{text}\n"));
        Ok(ExitCode::from(1))
    };
    let (path, transcript) = match read(run, source) {
        Ok(found) => found,
        Err(text) => return refuse(&text),
    };
    let change = run.acts.iter().find_map(|act| match act {
        Act::Child { change } => Some(change),
        _ => None,
    });
    let inherited = match change {
        Some(ChildChange::OtherHistory { id }) => match read(run, id) {
            Ok((_, other)) => History::of(&other),
            Err(text) => return refuse(&text),
        },
        _ => History::of(&transcript),
    };
    let history = match inherited {
        Ok(history) => history,
        Err(HistoryError::Empty) => {
            return refuse(&format!("No conversation found with session ID: {source}"));
        }
        Err(err) => return refuse(&format!("Failed to resume session: {err}")),
    };
    let (source, name) = (id_of(source), run.args.name.as_deref());
    let child = Child { store: &run.store, source_id: source, id: new, name };
    harm_source(run, &path, &child, &history)?;
    let text = if new == source {
        // Seen in the real program: it goes on in the source itself.
        child.more_text(&history)
    } else {
        child.text(&history, change)
    };
    finish(run, source, new, &text)
}

fn fresh(run: &Run, new: &str) -> io::Result<ExitCode> {
    let name = run.args.name.as_deref();
    let text = Child { store: &run.store, source_id: new, id: new, name }.fresh_text();
    finish(run, new, new, &text)
}

/// A turn on a conversation: the prompt and an answer, appended.
fn turn(run: &Run, id: &str) -> io::Result<ExitCode> {
    let (path, transcript) = match read(run, id) {
        Ok(found) => found,
        Err(text) => {
            say(Stream::Stderr, &format!("{text}\n"));
            return Ok(ExitCode::from(1));
        }
    };
    let prompt = run.args.prompt.as_deref().unwrap_or_default();
    let text = pane::turn_text(&run.store, &transcript, id, prompt, "sdk-cli");
    append(&path, &text)?;
    answer(run, id, 1);
    Ok(ExitCode::SUCCESS)
}

/// What a script does to the source.
fn harm_source(run: &Run, path: &Path, child: &Child<'_>, history: &History) -> io::Result<()> {
    for act in &run.acts {
        match act {
            Act::AppendToSource => {
                let own = Child { id: child.source_id, name: None, ..*child };
                append(path, &own.more_text(history))?;
            }
            Act::ChangeSource => {
                let mut bytes = fs::read(path)?;
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                fs::write(path, bytes)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes the child and says so, unless the script wants it otherwise.
fn finish(run: &Run, source: &str, new: &str, text: &str) -> io::Result<ExitCode> {
    let (mut said, mut write, mut turns) = (new.to_owned(), true, 0);
    for act in &run.acts {
        match act {
            Act::LieSuccess => write = false,
            Act::AnswerId { id } => said.clone_from(id),
            Act::AnswerSourceId => source.clone_into(&mut said),
            Act::CallModel => turns = 1,
            Act::WriteLate { ms } => {
                write = false;
                late::leave(run, *ms, text, &run.store.path(new))?;
            }
            _ => {}
        }
    }
    let path = run.store.find(new).filter(|_| new == source);
    if write {
        append(&path.unwrap_or_else(|| run.store.path(new)), text)?;
    }
    for act in &run.acts {
        if let Act::DieAfterWriting { code } = act {
            let Some(code) = code else {
                kill_process(getpid(), Signal::KILL)?;
                return Ok(ExitCode::FAILURE);
            };
            return Ok(exit_code(*code));
        }
    }
    answer(run, &said, turns);
    Ok(ExitCode::SUCCESS)
}

/// The result, as JSON or as text.
fn answer(run: &Run, id: &str, turns: u32) {
    let result = "/cost isn't available in this environment.";
    if !run.args.json {
        say(Stream::Stdout, &format!("{result}\n"));
        return;
    }
    let answer = json!({
        "type": "result", "subtype": "success", "is_error": false, "duration_ms": 150,
        "duration_api_ms": if turns == 0 { 0 } else { 91 }, "num_turns": turns,
        "result": result, "stop_reason": null, "session_id": id, "total_cost_usd": 0,
        "permission_denials": [], "uuid": Uuid::new_v4().to_string(),
    });
    say(Stream::Stdout, &format!("{answer}\n"));
}
