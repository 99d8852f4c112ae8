//! Interactive `codex`, as in a pane: its gates, its prompt, the rollout it holds open.

use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
    process::ExitCode,
    thread,
    time::Duration,
};

use uuid::Uuid;

use super::{
    Run,
    args::Ask,
    headless::{Made, go_on, make},
};
use crate::fake::{
    Act, Screen, Stream, screens,
    told::{Told, exit_code, say},
    watch::{Event, ask, watch},
};

/// How long a pane stays after its last words. The real program takes its time to end, and tmux
/// sometimes loses the words of one that does not.
const LINGER: Duration = Duration::from_millis(100);

/// One interactive invocation.
pub(super) fn run(run: &Run, told: &Told) -> io::Result<ExitCode> {
    let code = open(run, told);
    thread::sleep(LINGER);
    code
}

/// What a pane holds of the conversation it serves.
struct Held {
    id: String,
    /// The real one has its rollout and its writer's lock open for as long as it serves it.
    files: Vec<File>,
}

fn open(run: &Run, told: &Told) -> io::Result<ExitCode> {
    let here = run.args.cd.clone().unwrap_or_else(|| told.cwd.clone());
    let show = |screen| ask(told, &screens::codex(screen, &here));
    for act in &told.acts {
        if let Act::Dialog { screen } = act {
            return show(*screen);
        }
    }
    let events = watch(told)?;
    let id = match &run.args.ask {
        Ask::Fork { id } => match run.store.read(id) {
            Ok(source) => {
                let cwd = here.to_string_lossy();
                match make(run, told, Some(&source), &cwd, "cli", None)? {
                    Made::End(code) => return Ok(code),
                    Made::Thread { id, .. } => id,
                }
            }
            Err(_) => return Ok(not_found(id)),
        },
        Ask::Resume { id } => match run.store.read(id) {
            Ok(_) => id.clone(),
            Err(_) => return Ok(not_found(id)),
        },
        _ => Uuid::now_v7().to_string(),
    };
    let other = told.acts.iter().find_map(|act| match act {
        Act::Serve { id } => Some(id.clone()),
        _ => None,
    });
    let nothing = told.acts.iter().any(|act| matches!(act, Act::NoSessionFile));
    let mut held = Held { id: other.unwrap_or(id), files: Vec::new() };
    if !nothing && !held.take(run)? {
        return show(Screen::ActiveWriter);
    }
    say(Stream::Stdout, &ready(run, &here));
    serve(run, held, events, nothing)
}

fn serve(
    run: &Run,
    mut held: Held,
    mut events: tokio::sync::mpsc::UnboundedReceiver<Event>,
    nothing: bool,
) -> io::Result<ExitCode> {
    while let Some(event) = events.blocking_recv() {
        match event {
            Event::Signal(number) => return Ok(exit_code(128 + number)),
            Event::Over { code } => return Ok(exit_code(code)),
            Event::Line(line) => match line.trim() {
                "/quit" | "/exit" => return Ok(ExitCode::SUCCESS),
                "/new" | "/clear" => held.id = Uuid::now_v7().to_string(),
                "" => continue,
                line => match line.strip_prefix("/resume ") {
                    Some(id) => id.clone_into(&mut held.id),
                    None => say_turn(run, &held.id, line)?,
                },
            },
        }
        if !nothing {
            held.take(run)?;
        }
        say(Stream::Stdout, "› Ask Codex to do anything\n");
    }
    Ok(ExitCode::SUCCESS)
}

impl Held {
    /// Opens what belongs to the conversation, in place of what was held; whether nobody else
    /// writes it.
    fn take(&mut self, run: &Run) -> io::Result<bool> {
        self.files.clear();
        let Some(lock) = run.store.lock(&self.id)? else { return Ok(false) };
        self.files.push(lock);
        // A fresh conversation has no rollout before its first message.
        if let Some(path) = run.store.find(&self.id) {
            self.files.push(OpenOptions::new().read(true).append(true).open(path)?);
        }
        Ok(true)
    }
}

/// A message and its answer; the first of a fresh conversation makes its rollout.
fn say_turn(run: &Run, id: &str, line: &str) -> io::Result<()> {
    if run.store.find(id).is_none() {
        let here = std::env::current_dir()?;
        let cwd = here.to_string_lossy();
        let (store, made_by) = (&run.store, "cli");
        let child = super::child::Child { store, id, cwd: &cwd, made_by, thread_source: None };
        super::store::append(&run.store.path(id), &child.fresh_text())?;
    }
    let thread = run.store.read(id).map_err(io::Error::other)?;
    go_on(&thread, line)?;
    say(Stream::Stdout, "\n• FAKE-REPLY\n\n");
    Ok(())
}

fn not_found(id: &str) -> ExitCode {
    let text = format!(
        "ERROR: No saved session found with ID {id}. Run `codex resume` without an ID to choose \
         from existing sessions.\n"
    );
    say(Stream::Stdout, &text);
    ExitCode::from(1)
}

fn ready(run: &Run, here: &Path) -> String {
    let head = screens::CODEX_READY.split("› Remember").next().unwrap_or_default();
    let here = here.to_string_lossy();
    let head = head.replace("~/w", &here).replace("0.171.0", &run.script.version);
    format!("{}\n\n› Ask Codex to do anything\n", head.trim_end())
}
