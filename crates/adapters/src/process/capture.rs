//! Reading a pipe to its end while keeping only its head.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Where a copy of the kept bytes goes while they arrive: a 0600 file of the caller.
pub type Tee = Box<dyn Write + Send>;

/// What was read from one pipe so far.
#[derive(Default)]
pub(super) struct Captured {
    /// The first bytes, at most the cap.
    pub(super) head: Vec<u8>,
    /// All bytes that came.
    pub(super) total: u64,
    /// The end was reached.
    pub(super) ended: bool,
    /// The first error of reading or of the tee.
    pub(super) error: Option<String>,
}

/// A task that reads one pipe.
pub(super) struct Reader {
    state: Arc<Mutex<Captured>>,
    task: JoinHandle<()>,
}

impl Reader {
    /// Starts reading; `cap` bytes are kept, the rest is counted. A listener gets everything, as long as it listens.
    pub(super) fn start(
        mut pipe: impl AsyncRead + Unpin + Send + 'static,
        cap: usize,
        mut tee: Option<Tee>,
        mut listener: Option<mpsc::Sender<Vec<u8>>>,
    ) -> Self {
        let state = Arc::new(Mutex::new(Captured::default()));
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            let mut buffer = vec![0_u8; 64 * 1024];
            loop {
                let read = pipe.read(&mut buffer).await;
                if let (Ok(count @ 1..), Some(to)) = (&read, &listener)
                    && to.send(buffer[..*count].to_vec()).await.is_err()
                {
                    // Nobody listens any more.
                    listener = None;
                }
                let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
                match read {
                    Ok(0) => {
                        state.ended = true;
                        return;
                    }
                    Ok(count) => {
                        state.total += count as u64;
                        let room = cap.saturating_sub(state.head.len()).min(count);
                        let kept = &buffer[..room];
                        state.head.extend_from_slice(kept);
                        if let Some(out) = &mut tee
                            && let Err(error) = out.write_all(kept).and_then(|()| out.flush())
                        {
                            state.error.get_or_insert(format!("the copy of its output: {error}"));
                            tee = None;
                        }
                    }
                    Err(error) => {
                        state.error.get_or_insert(format!("its output: {error}"));
                        return;
                    }
                }
            }
        });
        Self { state, task }
    }

    /// Waits for the end of the pipe, but no longer than `limit`: a process that escaped may hold it open for ever.
    pub(super) async fn finish(mut self, limit: std::time::Duration) -> Captured {
        if tokio::time::timeout(limit, &mut self.task).await.is_err() {
            self.task.abort();
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *state)
    }
}
