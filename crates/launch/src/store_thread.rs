//! The store on a thread of its own, asked through a channel (STYLE: no lock is held over an await).

use seatfork_store::Store;
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, mpsc};
use std::thread::{JoinHandle, current};
use tokio::sync::oneshot;

type Job = Box<dyn FnOnce(&mut Store) + Send>;
type Panic = Box<dyn Any + Send>;

/// A handle to the store's thread. Clones speak to the same thread; it ends with the last of them,
/// which waits until the store is closed: no process ends while its log is moved into the file.
///
/// Requests are carried out one after the other, in the order they were made. A request whose
/// caller goes away is carried out all the same: a transaction is never left half asked for.
#[derive(Clone)]
pub struct StoreThread(Arc<Running>);

struct Running {
    /// Taken when it is to end.
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.jobs.take());
        // A thread cannot wait for itself: the last handle may have gone into a request.
        if let Some(thread) = self.thread.take().filter(|it| it.thread().id() != current().id())
            && thread.join().is_err()
        {
            unreachable!("a panic of a request goes on in its caller");
        }
    }
}

impl StoreThread {
    /// Moves a store to a thread named `store`.
    pub fn start(store: Store) -> std::io::Result<Self> {
        let (jobs, inbox) = mpsc::channel::<Job>();
        let thread = std::thread::Builder::new().name("store".to_owned()).spawn(move || {
            let mut store = store;
            while let Ok(job) = inbox.recv() {
                job(&mut store);
            }
        })?;
        Ok(Self(Arc::new(Running { jobs: Some(jobs), thread: Some(thread) })))
    }

    /// Has `work` done with the store, and gives its answer. A panic in it goes on in the caller.
    pub async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Store) -> T + Send + 'static,
    ) -> T {
        let (answer, answered) = oneshot::channel::<Result<T, Panic>>();
        let job: Job = Box::new(move |store| {
            let done = catch_unwind(AssertUnwindSafe(|| work(store)));
            // The caller may have gone away; the work is done nevertheless.
            drop(answer.send(done));
        });
        if self.0.jobs.as_ref().is_none_or(|jobs| jobs.send(job).is_err()) {
            unreachable!("the store's thread lives as long as a handle to it");
        }
        match answered.await {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => unreachable!("the store's thread answers every request it takes"),
        }
    }
}

impl fmt::Debug for StoreThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreThread").finish_non_exhaustive()
    }
}
