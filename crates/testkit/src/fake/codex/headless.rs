//! `codex exec`: forks and turns without a terminal; and what makes a child, for the server too.

use std::{fs, io, process::ExitCode};

use rustix::process::{Signal, getpid, kill_process};
use serde_json::json;
use uuid::Uuid;

use super::{
    Run,
    child::Child,
    store::{Thread, append, lines, turn as turn_rows},
};
use crate::fake::{
    Act, ChildChange, Stream, late,
    told::{Told, exit_code, say},
};

/// What came of making a conversation.
pub(super) enum Made {
    /// It is there, or is said to be.
    Thread { id: String, said: String },
    /// The process is to end with this.
    End(ExitCode),
}

/// `exec fork ID`.
pub(super) fn fork(run: &Run, told: &Told, id: &str) -> io::Result<ExitCode> {
    let source = match run.store.read(id) {
        Ok(source) => source,
        Err(text) => {
            say(Stream::Stderr, &format!("Error: thread/fork: {text} (code -32600)\n"));
            return Ok(ExitCode::from(1));
        }
    };
    let cwd = told.cwd.to_string_lossy();
    let thread_source = run.args.thread_source.as_deref();
    match make(run, told, Some(&source), &cwd, "exec", thread_source)? {
        Made::End(code) => Ok(code),
        Made::Thread { said, .. } => {
            let event = json!({"type": "thread.started", "thread_id": said});
            say(Stream::Stdout, &format!("{event}\n"));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// `exec resume ID PROMPT`: a turn, appended.
pub(super) fn turn(run: &Run, id: &str, prompt: &str) -> io::Result<ExitCode> {
    let refuse = |text: &str| {
        say(Stream::Stderr, &format!("Error: thread/resume: {text} (code -32600)\n"));
        Ok(ExitCode::from(1))
    };
    let thread = match run.store.read(id) {
        Ok(thread) => thread,
        Err(text) => return refuse(&text),
    };
    let Some(_lock) = run.store.lock(id)? else {
        return refuse(&format!("thread {id} already has an active writer"));
    };
    go_on(&thread, prompt)?;
    let event = json!({"type": "thread.started", "thread_id": id});
    say(Stream::Stdout, &format!("{event}\n"));
    Ok(ExitCode::SUCCESS)
}

/// A question and an answer at the end of a conversation.
pub(super) fn go_on(thread: &Thread, prompt: &str) -> io::Result<()> {
    let ordinal = (!thread.is_legacy()).then(|| thread.ordinal_after(thread.rows.len()));
    append(&thread.path, &lines(&turn_rows(ordinal, prompt)))
}

/// Makes a conversation, as the script has it; a fork of `source`, or a fresh one.
pub(super) fn make(
    run: &Run,
    told: &Told,
    source: Option<&Thread>,
    cwd: &str,
    made_by: &str,
    thread_source: Option<&str>,
) -> io::Result<Made> {
    let id = Uuid::now_v7().to_string();
    let child = Child { store: &run.store, id: &id, cwd, made_by, thread_source };
    let change = told.acts.iter().find_map(|act| match act {
        Act::Child { change } => Some(change),
        _ => None,
    });
    let text = match source {
        None => child.fresh_text(),
        Some(source) => {
            harm(told, source)?;
            let other = match change {
                Some(ChildChange::OtherHistory { id }) => {
                    Some(run.store.read(id).map_err(io::Error::other)?)
                }
                _ => None,
            };
            child.text(source, other.as_ref(), change)
        }
    };
    let (mut said, mut write) = (id.clone(), true);
    let path = run.store.path(&id);
    for act in &told.acts {
        match act {
            Act::LieSuccess => write = false,
            Act::AnswerId { id } => said.clone_from(id),
            Act::AnswerSourceId => {
                if let Some(source) = source {
                    said.clone_from(&source.id);
                }
            }
            Act::WriteLate { ms } => {
                write = false;
                late::leave(told, *ms, &text, &path)?;
            }
            _ => {}
        }
    }
    if write {
        append(&path, &text)?;
    }
    for act in &told.acts {
        if let Act::DieAfterWriting { code } = act {
            let Some(code) = code else {
                kill_process(getpid(), Signal::KILL)?;
                return Ok(Made::End(ExitCode::FAILURE));
            };
            return Ok(Made::End(exit_code(*code)));
        }
    }
    Ok(Made::Thread { id, said })
}

/// What a script does to the source.
fn harm(told: &Told, source: &Thread) -> io::Result<()> {
    for act in &told.acts {
        match act {
            Act::AppendToSource => go_on(source, "and one thing more")?,
            Act::ChangeSource => {
                let mut bytes = fs::read(&source.path)?;
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                fs::write(&source.path, bytes)?;
            }
            _ => {}
        }
    }
    Ok(())
}
