//! What happens in a pane: signals, typed lines, the script's own end.

use std::{
    fs::OpenOptions,
    io::{self, BufRead as _, Read as _, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::mpsc,
    thread,
    time::Duration,
};

use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use tokio::{
    runtime::Builder,
    signal::unix::{SignalKind, signal},
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
};

use super::{
    Act, Stream,
    install::beside,
    told::{Told, say},
};

/// What a pane waits for.
pub(super) enum Event {
    Line(String),
    Signal(i32),
    Over { code: i32 },
}

/// Turns signals, typed lines and the script's own end into events.
pub(super) fn watch(run: &Told) -> io::Result<UnboundedReceiver<Event>> {
    let (tell, watched) = unbounded_channel();
    let over = run.acts.iter().find_map(|act| match act {
        Act::DieAfter { ms, code } => Some((Duration::from_millis(*ms), *code)),
        _ => None,
    });
    let (ready, is_ready) = mpsc::channel();
    let events = tell.clone();
    thread::spawn(move || {
        let watched = watch_signals(&events, over, &ready);
        if let Err(err) = watched {
            ready.send(Err(err)).ok();
        }
    });
    // Only then the record of the session is written: who reads it may send a signal at once.
    is_ready.recv().map_err(io::Error::other)??;
    let typed = typed_path(run);
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            note_typed(&typed, &format!("{line}\n"));
            if tell.send(Event::Line(line)).is_err() {
                return;
            }
        }
        // The terminal is gone.
        tell.send(Event::Over { code: 0 }).ok();
    });
    Ok(watched)
}

/// Runs for as long as the process; nobody listening any more means the pane is over.
fn watch_signals(
    tell: &UnboundedSender<Event>,
    over: Option<(Duration, i32)>,
    ready: &mpsc::Sender<io::Result<()>>,
) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        for kind in [SignalKind::hangup(), SignalKind::terminate(), SignalKind::interrupt()] {
            let mut signals = signal(kind)?;
            let tell = tell.clone();
            tokio::spawn(async move {
                while signals.recv().await.is_some() {
                    tell.send(Event::Signal(kind.as_raw_value())).ok();
                }
            });
        }
        ready.send(Ok(())).ok();
        if let Some((after, code)) = over {
            tokio::time::sleep(after).await;
            tell.send(Event::Over { code }).ok();
        }
        std::future::pending().await
    })
}

fn typed_path(run: &Told) -> PathBuf {
    beside(&run.program, "typed")
}

fn note_typed(path: &Path, text: &str) {
    let file = OpenOptions::new().create(true).append(true).open(path);
    if let Err(err) = file.and_then(|mut file| file.write_all(text.as_bytes())) {
        say(Stream::Stderr, &format!("write {}: {err}\n", path.display()));
    }
}

/// Shows a dialog and waits. Every key is noted; Enter takes the default answer, which ends the
/// program wherever the real one's default does.
pub(super) fn ask(run: &Told, text: &str) -> io::Result<ExitCode> {
    let terminal = io::stdin();
    let Ok(before) = tcgetattr(&terminal) else {
        say(Stream::Stdout, text);
        return Ok(ExitCode::from(1));
    };
    let mut raw = before.clone();
    raw.make_raw();
    tcsetattr(&terminal, OptionalActions::Now, &raw)?;
    say(Stream::Stdout, &text.replace('\n', "\r\n"));
    let typed = typed_path(run);
    let mut key = [0];
    let code = loop {
        if terminal.lock().read(&mut key)? == 0 {
            break ExitCode::SUCCESS;
        }
        note_typed(&typed, &String::from_utf8_lossy(&key));
        if matches!(key[0], b'\r' | b'\n') {
            break ExitCode::from(1);
        }
    };
    tcsetattr(&terminal, OptionalActions::Now, &before)?;
    Ok(code)
}

/// Never ends; a stubborn one does not for a signal either.
pub(super) fn hang(stubborn: bool) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut held = Vec::new();
        if stubborn {
            for kind in [SignalKind::hangup(), SignalKind::terminate(), SignalKind::interrupt()] {
                // A signal that has a listener does not end the process.
                held.push(signal(kind)?);
            }
        }
        std::future::pending::<()>().await;
        drop(held);
        Ok(())
    })
}
