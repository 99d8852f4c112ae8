//! The only module that gives work to tokio: blocking calls off the thread, and members side by side.

use std::future::Future;
use tokio::task::JoinSet;

/// Runs something that blocks for milliseconds or more (tmux, `/proc`) beside the async thread.
///
/// A panic in it goes on here, so nothing is lost on the way.
pub(crate) async fn off_thread<T, F>(work: F) -> T
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(join) => match join.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // Only a runtime that is shutting down cancels blocking work, and then nobody polls us.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Futures that run side by side and give their results as they end.
#[derive(Debug)]
pub(crate) struct SideBySide<T>(JoinSet<T>);

impl<T: Send + 'static> SideBySide<T> {
    pub(crate) fn new() -> Self {
        Self(JoinSet::new())
    }

    /// Starts one.
    pub(crate) fn add(&mut self, work: impl Future<Output = T> + Send + 'static) {
        self.0.spawn(work);
    }

    /// How many run.
    pub(crate) fn running(&self) -> usize {
        self.0.len()
    }

    /// The next to end; `None` when none runs.
    pub(crate) async fn next(&mut self) -> Option<T> {
        match self.0.join_next().await? {
            Ok(value) => Some(value),
            Err(join) => match join.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => std::future::pending().await,
            },
        }
    }
}
