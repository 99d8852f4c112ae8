//! A conversation that grows while it is forked.

use std::{
    fs::OpenOptions,
    io::Write as _,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use super::Parent;
use crate::transcript::{Row, Transcript};

/// Appends a turn to a transcript again and again, as a live runtime does, until dropped. Each
/// row is written in two halves with a pause between, so that readers meet torn lines.
#[derive(Debug)]
pub struct Growing {
    stop: Arc<AtomicBool>,
    rows: Arc<AtomicUsize>,
    writer: Option<JoinHandle<()>>,
}

impl Growing {
    /// Starts to grow a parent by a turn every `interval`.
    ///
    /// # Panics
    /// When the transcript has no turn to copy.
    pub fn start(parent: &Parent, interval: Duration) -> Self {
        let (user, reply) = last_turn(&parent.read());
        let stop = Arc::new(AtomicBool::new(false));
        let rows = Arc::new(AtomicUsize::new(0));
        let (path, stopped, count) = (parent.path.clone(), Arc::clone(&stop), Arc::clone(&rows));
        let writer = thread::spawn(move || grow(&path, &user, &reply, interval, &stopped, &count));
        Self { stop, rows, writer: Some(writer) }
    }

    /// How many rows it has appended whole.
    pub fn rows(&self) -> usize {
        self.rows.load(Ordering::SeqCst)
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
            && !thread::panicking()
        {
            panic!("the writer of a growing transcript failed");
        }
    }
}

/// The last question and its answer.
pub(super) fn last_turn(transcript: &Transcript) -> (Row, Row) {
    let reply = transcript.replies().pop().expect("the transcript has a reply").clone();
    let asks = |row: &&Row| row.kind() == "user" && row.json["message"]["content"].is_string();
    let user = transcript.conversation().filter(asks).last().expect("it has a question").clone();
    (user, reply)
}

fn grow(
    path: &PathBuf,
    user: &Row,
    reply: &Row,
    interval: Duration,
    stop: &AtomicBool,
    rows: &AtomicUsize,
) {
    let mut file = OpenOptions::new().append(true).open(path).expect("open the transcript");
    let mut tip = reply.uuid().expect("a reply has a uuid").to_owned();
    while !stop.load(Ordering::SeqCst) {
        for row in turn(user, reply, &mut tip) {
            let line = row.text + "\n";
            let (half, rest) = line.as_bytes().split_at(line.len() / 2);
            file.write_all(half).expect("append to the transcript");
            thread::sleep(interval / 4);
            file.write_all(rest).expect("append to the transcript");
            rows.fetch_add(1, Ordering::SeqCst);
            thread::sleep(interval / 4);
        }
    }
}

/// One more turn below `tip`, in the shape of an old one.
pub(crate) fn turn(user: &Row, reply: &Row, tip: &mut String) -> [Row; 2] {
    [user, reply].map(|row| {
        let uuid = uuid::Uuid::new_v4().to_string();
        let mut new = row.with("uuid", &uuid).with("parentUuid", tip);
        if let Some(old) = row.json["message"]["id"].as_str() {
            new = new.replacing(old, &format!("msg_{}", uuid::Uuid::new_v4().simple()));
        }
        *tip = uuid;
        new
    })
}
