//! The async runtime, for verbs that need one, and Ctrl-C (SPEC 7).

use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::mpsc;
use std::task::Poll;

use seatfork_launch::Cancel;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::Exit;
use crate::output::Failure;
use seatfork_schema::LaunchCode;

/// Runs a verb's async part to its end, on this thread.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = runtime().map_err(|error| {
        let message =
            format!("the async runtime could not be started: {error}; nothing was started");
        Failure::new(Exit::NotReady, LaunchCode::SystemRefused, message)
            .hint("see what limits this user's files and processes")
    })?;
    Ok(runtime.block_on(work))
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// A signal that asks to stop.
struct Asks {
    signal: Signal,
    /// Whether coming after another one it ends the process at once. A terminal that goes may say so more than once.
    insists: bool,
}

/// From now on Ctrl-C, SIGTERM and the end of the terminal ask to stop; Ctrl-C or SIGTERM after that end this process
/// at once, whatever it is busy with.
///
/// What is running then is found by the next `up` (SPEC 7). A signal that the caller had ignored, as `nohup` and a
/// shell's background jobs do, stays ignored.
pub(crate) fn listen(cancel: &Cancel) -> Result<(), Failure> {
    let unheard = |error: io::Error| {
        let message = format!("signals cannot be listened to: {error}; nothing was started");
        Failure::new(Exit::NotReady, LaunchCode::SystemRefused, message)
            .hint("see what limits this user's files and processes")
    };
    let cancel = cancel.clone();
    let (tell, told) = mpsc::channel();
    // On a thread of their own they are heard while the command is busy with a file or a program.
    let thread = std::thread::Builder::new().name("signals".to_owned());
    let begun = thread.spawn(move || {
        let runtime = match runtime() {
            Ok(runtime) => runtime,
            Err(error) => return drop(tell.send(Err(error))),
        };
        runtime.block_on(async move {
            match all() {
                Ok(asks) => {
                    drop(tell.send(Ok(())));
                    obey(asks, &cancel).await;
                }
                Err(error) => drop(tell.send(Err(error))),
            }
        });
    });
    drop(begun.map_err(unheard)?);
    told.recv().unwrap_or_else(|gone| Err(io::Error::other(gone))).map_err(unheard)
}

/// Those the caller did not have ignored.
fn all() -> io::Result<Vec<Asks>> {
    let ignored = ignored();
    let kinds = [
        (SignalKind::interrupt(), true),
        (SignalKind::terminate(), true),
        (SignalKind::hangup(), false),
    ];
    let heard = kinds.into_iter().filter(|(kind, _)| !has(ignored, *kind));
    heard.map(|(kind, insists)| Ok(Asks { signal: signal(kind)?, insists })).collect()
}

async fn obey(mut asks: Vec<Asks>, cancel: &Cancel) {
    if asks.is_empty() {
        return;
    }
    loop {
        let insists = poll_fn(|cx| {
            let mut come = asks.iter_mut().filter_map(|one| match one.signal.poll_recv(cx) {
                Poll::Ready(_) => Some(one.insists),
                Poll::Pending => None,
            });
            // The others keep what they heard for the next round.
            come.next().map_or(Poll::Pending, Poll::Ready)
        });
        if insists.await && cancel.is_requested() {
            #[expect(clippy::exit, reason = "the second Ctrl-C ends the process at once (SPEC 7)")]
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
        cancel.request();
    }
}

/// The signals this process was started with as ignored, one bit each. Where the system does not tell, none.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0)
}

fn has(bits: u64, kind: SignalKind) -> bool {
    let place = u32::try_from(kind.as_raw_value() - 1).unwrap_or(u32::MAX);
    1_u64.checked_shl(place).is_some_and(|bit| bits & bit != 0)
}

/// The end of some work; `None` where it was asked to stop first. The work is then dropped, and what it ran ends.
pub(crate) async fn unless_asked<T>(cancel: &Cancel, work: impl Future<Output = T>) -> Option<T> {
    let (mut asked, mut work) = (pin!(cancel.requested()), pin!(work));
    poll_fn(|cx| match asked.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(None),
        Poll::Pending => work.as_mut().poll(cx).map(Some),
    })
    .await
}

/// The command was asked to stop before it began anything.
pub(crate) fn interrupted() -> Failure {
    let message = "interrupted before anything was begun; nothing was started";
    let code = LaunchCode::Interrupted;
    Failure::new(Exit::Interrupted, code, message).hint(code.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 7: what a caller had ignored is told by its bit.
    #[test]
    fn an_ignored_signal_is_told_by_its_bit() {
        assert!(has(0b10, SignalKind::interrupt()));
        assert!(!has(0b10, SignalKind::hangup()));
        assert!(has(0x4000, SignalKind::terminate()));
    }
}
