//! The async runtime, for verbs that need one, and Ctrl-C (SPEC 7).

use std::future::Future;

use seatfork_launch::Cancel;
use tokio::signal::unix::{SignalKind, signal};

use crate::exit::Exit;
use crate::output::Failure;
use seatfork_schema::LaunchCode;

/// Runs a verb's async part to its end, on this thread.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        let message =
            format!("the async runtime could not be started: {error}; nothing was started");
        Failure::new(Exit::NotReady, LaunchCode::SystemRefused, message)
            .hint("see what limits this user's files and processes")
    })?;
    Ok(runtime.block_on(work))
}

/// From now on Ctrl-C (and SIGTERM) first asks to stop, and the second time ends this process at once.
///
/// What is running then is found by the next `up` (SPEC 7).
pub(crate) fn listen(cancel: &Cancel) -> Result<(), Failure> {
    let unheard = |error: std::io::Error| {
        let message = format!("signals cannot be listened to: {error}; nothing was started");
        Failure::new(Exit::NotReady, LaunchCode::SystemRefused, message)
    };
    let mut interrupt = signal(SignalKind::interrupt()).map_err(unheard)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(unheard)?;
    let cancel = cancel.clone();
    drop(tokio::spawn(async move {
        let mut asked = false;
        loop {
            // Whichever comes first; neither of the two streams ends before the process does.
            let heard = std::future::poll_fn(|cx| {
                let either = [interrupt.poll_recv(cx), terminate.poll_recv(cx)];
                if either.iter().any(std::task::Poll::is_ready) {
                    std::task::Poll::Ready(())
                } else {
                    std::task::Poll::Pending
                }
            });
            heard.await;
            if asked {
                #[expect(
                    clippy::exit,
                    reason = "the second Ctrl-C ends the process at once (SPEC 7)"
                )]
                std::process::exit(i32::from(Exit::Interrupted.code()));
            }
            asked = true;
            cancel.request();
        }
    }));
    Ok(())
}
