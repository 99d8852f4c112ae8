//! Writing the lines of a new log: other lines' `data` byte for byte, in envelopes of our own.

use crate::error::StateError;
use crate::id::{EventIds, RandomError, SessionId};
use crate::read::MAX_LINE;
use crate::rim::{Rim, Step};
use camino::Utf8Path;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::sync::mpsc;
use std::thread;
use thiserror::Error;

/// Lines are gathered to so many bytes before they are written.
const GATHER: usize = 1 << 20;
/// After so many bytes the disk is put to work, so that the end need not wait for all of it.
const EARLY: u64 = 16 << 20;

/// Why lines were not written.
#[derive(Debug, Error)]
pub(crate) enum SpliceError {
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Random(#[from] RandomError),
}

/// Puts an event's line together behind what is in `out`.
///
/// `ts` is a JSON string with its quotes, `data` a JSON object; both are taken as they are.
pub(crate) fn line(
    out: &mut Vec<u8>,
    id: [u8; 16],
    session: &SessionId,
    seq: u64,
    ts: &str,
    kind: &str,
    data: &str,
) {
    // A session id and the word of a type have nothing that JSON escapes.
    out.extend_from_slice(b"{\"data\":");
    out.extend_from_slice(data.as_bytes());
    out.extend_from_slice(b",\"id\":\"");
    out.extend_from_slice(&id);
    out.extend_from_slice(b"\",\"seq\":");
    decimal(out, seq);
    out.extend_from_slice(b",\"session_id\":\"");
    out.extend_from_slice(session.as_str().as_bytes());
    out.extend_from_slice(b"\",\"ts\":");
    out.extend_from_slice(ts.as_bytes());
    out.extend_from_slice(b",\"type\":\"");
    out.extend_from_slice(kind.as_bytes());
    out.extend_from_slice(b"\"}\n");
}

fn decimal(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// A new log being written: a first line whose numbers are known last, then events, numbered from 1.
#[derive(Debug)]
pub(crate) struct Splice<'f> {
    file: &'f File,
    path: &'f Utf8Path,
    session: &'f SessionId,
    rim: Rim<'f>,
    ids: EventIds,
    out: Vec<u8>,
    /// How many bytes the first line has.
    head: usize,
    head_id: [u8; 16],
    next_seq: u64,
    written: u64,
    early: Option<(mpsc::Sender<()>, u64)>,
}

impl<'f> Splice<'f> {
    /// Begins with a first line as long as `widest`, the data it may come to have at most.
    pub(crate) fn begin(
        file: &'f File,
        path: &'f Utf8Path,
        session: &'f SessionId,
        head: (&str, &str, &str),
        rim: Rim<'f>,
    ) -> Result<Self, SpliceError> {
        let (ts, kind, widest) = head;
        let mut ids = EventIds::new();
        let head_id = ids.next()?;
        let mut out = Vec::with_capacity(GATHER + GATHER / 4);
        line(&mut out, head_id, session, 0, ts, kind, widest);
        let head = out.len();
        let next_seq = 1;
        Ok(Self {
            file,
            path,
            session,
            rim,
            ids,
            out,
            head,
            head_id,
            next_seq,
            written: 0,
            early: None,
        })
    }

    /// From now on a thread of this scope makes durable what is written, as it grows.
    pub(crate) fn sync_early<'s>(
        &mut self,
        scope: &'s thread::Scope<'s, '_>,
    ) -> io::Result<thread::ScopedJoinHandle<'s, io::Result<()>>>
    where
        'f: 's,
    {
        let (sender, receiver) = mpsc::channel();
        let (file, rim) = (self.file, self.rim);
        let thread = thread::Builder::new().name("sync a new log".into()).spawn_scoped(
            scope,
            move || {
                while receiver.recv().is_ok() {
                    // Those that came meanwhile are answered together.
                    while receiver.try_recv().is_ok() {}
                    rim.before(Step::Sync)?;
                    file.sync_data()?;
                }
                Ok(())
            },
        )?;
        self.early = Some((sender, 0));
        Ok(thread)
    }

    /// Adds an event and gives its seq and its id.
    pub(crate) fn event(
        &mut self,
        ts: &str,
        kind: &str,
        data: &str,
    ) -> Result<(u64, [u8; 16]), SpliceError> {
        let (seq, id) = (self.next_seq, self.ids.next()?);
        self.next_seq += 1;
        let before = self.out.len();
        line(&mut self.out, id, self.session, seq, ts, kind, data);
        // A longer id than the parent's may make a line one that nobody would read again.
        if self.out.len() - before > MAX_LINE {
            let source = io::Error::other("a line would be longer than a log's lines are");
            return Err(self.failed("writing the new log", source));
        }
        if self.out.len() >= GATHER {
            self.flush()?;
        }
        Ok((seq, id))
    }

    fn failed(&self, doing: &'static str, source: io::Error) -> SpliceError {
        StateError::io(self.path, doing, source).into()
    }

    fn flush(&mut self) -> Result<(), SpliceError> {
        let mut file = self.file;
        let written = self.rim.before(Step::Write).and_then(|()| file.write_all(&self.out));
        written.map_err(|source| self.failed("writing the new log", source))?;
        self.written += self.out.len() as u64;
        self.out.clear();
        self.out.shrink_to(GATHER + GATHER / 4);
        if let Some((sender, told)) = &mut self.early
            && self.written - *told >= EARLY
        {
            *told = self.written;
            // Nobody listens only after an error, which the thread hands over at its end.
            sender.send(()).ok();
        }
        Ok(())
    }

    /// Writes what is left and the first line as it is, and lets the thread end. The bytes written.
    pub(crate) fn finish(mut self, head: (&str, &str, &str)) -> Result<u64, SpliceError> {
        self.flush()?;
        self.early = None;
        let (ts, kind, data) = head;
        let mut line_now = Vec::with_capacity(self.head);
        line(&mut line_now, self.head_id, self.session, 0, ts, kind, data);
        if line_now.len() > self.head {
            let source = io::Error::other("its first line is longer than the place for it");
            return Err(self.failed("writing its first line", source));
        }
        // Spaces before the last brace are JSON, too.
        line_now.truncate(line_now.len() - 2);
        line_now.resize(self.head - 2, b' ');
        line_now.extend_from_slice(b"}\n");
        let patched =
            self.rim.before(Step::Write).and_then(|()| self.file.write_all_at(&line_now, 0));
        patched.map_err(|source| self.failed("writing its first line", source))?;
        Ok(self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_rust_writes_them() {
        for number in [0, 1, 9, 10, 12_345, u64::MAX] {
            let mut out = Vec::new();
            decimal(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
    }
}
