//! Waiting until a pane serves what it should, or is seen not to (SPEC 6, 7).

use super::look::screen;
use super::{SCREEN_LINES, Seen};
use crate::cancel::Cancel;
use crate::clock::Clock;
use crate::tasks::off_thread;
use seatfork_adapters::{Adapter, Observation, SeatEnv};
use seatfork_process::{ProcessId, Waker};
use seatfork_schema::ProcessState;
use seatfork_tmux::{DeadStatus, Exit, Lookup, Pane, Server};
use std::time::{Duration, Instant};

/// How often the screen is looked at while nothing else tells.
const SCREEN_TICK: Duration = Duration::from_millis(500);

/// Waits for a pane to be ready, to ask a person, to end, or for the time to be over.
///
/// The state is read anew after every waking; what wakes proves nothing (PERF: events only wake).
pub(crate) async fn await_ready(
    tmux: &Server,
    adapter: &dyn Adapter,
    pane: &Pane,
    env: &SeatEnv,
    patience: Duration,
    clock: &dyn Clock,
    cancel: &Cancel,
) -> Seen {
    let Some(process) = pane.process else { return ended(tmux, pane, clock).await };
    let until = Instant::now() + patience;
    let mut next_screen = Instant::now() + SCREEN_TICK;
    let mut waker = Waker::new();
    let dirs = adapter.wake_dirs(env);
    loop {
        match adapter.observe(process, env).await {
            Observation::Gone => return ended(tmux, pane, clock).await,
            Observation::Up => return Seen::just(ProcessState::Ready, clock.now()),
            Observation::Serving { conversation, ready: true } => {
                let seen = Seen::just(ProcessState::Ready, clock.now());
                return Seen { serves: Some(conversation), ..seen };
            }
            Observation::Serving { ready: false, .. } | Observation::Unknown => {}
        }
        if process_is_gone(process) {
            return ended(tmux, pane, clock).await;
        }
        if Instant::now() >= next_screen {
            next_screen = Instant::now() + SCREEN_TICK;
            let lines = screen(tmux, pane).await.unwrap_or_default();
            if let Some(dialog) = adapter.recognise(&lines) {
                let seen = Seen::just(ProcessState::AttentionRequired, clock.now());
                return Seen { dialog: Some(dialog), screen: last(lines), ..seen };
            }
        }
        if Instant::now() >= until || cancel.is_requested() {
            let lines = screen(tmux, pane).await.unwrap_or_default();
            let seen = Seen::just(ProcessState::Starting, clock.now());
            return Seen { screen: last(lines), ..seen };
        }
        waker = wake(waker, &dirs, process, until.min(next_screen)).await;
    }
}

/// Sleeps beside the async thread until something happens, at most one tick.
async fn wake(
    mut waker: Waker,
    dirs: &[camino::Utf8PathBuf],
    process: ProcessId,
    until: Instant,
) -> Waker {
    let dirs = dirs.to_vec();
    off_thread(move || {
        // A watch that cannot be had costs one tick of delay and no correctness.
        for dir in &dirs {
            drop(waker.watch_dir(dir.as_std_path()));
        }
        drop(waker.watch_process(process));
        if waker.wait(until).is_err() {
            std::thread::sleep(seatfork_process::TICK);
        }
        waker
    })
    .await
}

fn process_is_gone(process: ProcessId) -> bool {
    // An unreadable process is not a gone one.
    matches!(process.alive(), Ok(false))
}

/// What is left of a pane whose process ended: its code and its last lines.
pub(super) async fn ended(tmux: &Server, pane: &Pane, clock: &dyn Clock) -> Seen {
    let lines = screen(tmux, pane).await.unwrap_or_default();
    let (server, asked) = (tmux.clone(), pane.clone());
    let status = off_thread(move || server.dead_status(&asked)).await;
    let seen = Seen { screen: last(lines), ..Seen::just(ProcessState::Exited, clock.now()) };
    match status {
        Ok(Lookup::Found(DeadStatus::Ended(Exit::Code(code)))) => {
            Seen { exit_code: Some(code), ended: Some(format!("exit code {code}")), ..seen }
        }
        Ok(Lookup::Found(DeadStatus::Ended(Exit::Signal(signal)))) => {
            Seen { ended: Some(format!("signal {signal}")), ..seen }
        }
        _ => seen,
    }
}

pub(super) fn last(mut lines: Vec<String>) -> Vec<String> {
    let start = lines.len().saturating_sub(SCREEN_LINES);
    lines.split_off(start)
}
