//! Work that takes its time, beside the other seats.

/// Reads or writes large files on a thread of its own, so that other seats go on.
pub(crate) async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            // A bug there is a bug here.
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => panic!("the runtime was shut down while reading: {error}"),
        },
    }
}
