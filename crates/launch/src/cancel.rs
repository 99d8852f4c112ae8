//! Interruption: a flag that can be waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// Asked once, it stops what has not started: running forks end and are recorded (SPEC 7 "Ctrl-C").
///
/// Clones share the flag. Whoever handles the signal calls [`Cancel::request`]; a second signal is
/// the handler's own affair (exit at once).
///
/// ```
/// let cancel = seatfork_launch::Cancel::new();
/// let elsewhere = cancel.clone();
/// elsewhere.request();
/// assert!(cancel.is_requested());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    asked: AtomicBool,
    wake: Notify,
}

impl Cancel {
    /// A flag nobody has raised yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the flag. It never comes down again.
    pub fn request(&self) {
        self.0.asked.store(true, Ordering::SeqCst);
        self.0.wake.notify_waiters();
    }

    /// Whether the flag is up.
    pub fn is_requested(&self) -> bool {
        self.0.asked.load(Ordering::SeqCst)
    }

    /// Waits until the flag is up; at once when it is.
    pub async fn requested(&self) {
        // Registered before the flag is read, so that a request in between is not missed.
        let mut woken = std::pin::pin!(self.0.wake.notified());
        woken.as_mut().enable();
        if !self.is_requested() {
            woken.await;
        }
    }
}
