//! The lines of a file of fixed length, through one buffer that grows to the longest line.

use super::MAX_LINE;
use crate::error::{ReadError, StateError};
use crate::problem::LineProblem;
use camino::Utf8Path;
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;

/// Large enough that a read costs little, small enough that it does not show.
const BUFFER: usize = 1 << 20;

/// Where one line is: in the buffer, and in the file.
#[derive(Debug, Clone)]
pub(super) struct Line {
    from: usize,
    to: usize,
    /// From 1.
    pub(super) number: u64,
    /// Where it begins in the file.
    pub(super) byte: u64,
    /// Whether a line feed ends it.
    pub(super) terminated: bool,
}

impl Line {
    /// Its bytes, line feed included.
    pub(super) fn whole(&self) -> u64 {
        (self.to - self.from) as u64 + u64::from(self.terminated)
    }
}

#[derive(Debug)]
pub(super) struct Lines {
    file: File,
    /// What is read of the file, and no more.
    length: u64,
    /// Where the next read begins.
    read: u64,
    buffer: Vec<u8>,
    /// The part of the buffer that is not given out yet.
    from: usize,
    to: usize,
    number: u64,
}

impl Lines {
    pub(super) fn new(file: File, length: u64) -> Self {
        let size = usize::try_from(length).unwrap_or(BUFFER).clamp(1, BUFFER);
        Self { file, length, read: 0, buffer: vec![0; size], from: 0, to: 0, number: 0 }
    }

    /// Begins again, of the same file and length.
    pub(super) fn rewind(&mut self) {
        (self.read, self.from, self.to, self.number) = (0, 0, 0, 0);
    }

    pub(super) fn bytes(&self, line: &Line) -> &[u8] {
        &self.buffer[line.from..line.to]
    }

    pub(super) fn is_blank(&self, line: &Line) -> bool {
        self.bytes(line).iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
    }

    /// The next line; what follows the last line feed is one without.
    pub(super) fn next(&mut self, path: &Utf8Path) -> Result<Option<Line>, ReadError> {
        // What was searched already is not searched again, or one huge line would cost its square.
        let mut searched = self.from;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[searched..self.to]) {
                let end = searched + at;
                return Ok(Some(self.give(end, true)));
            }
            if self.read == self.length {
                let end = self.to;
                return Ok((self.from < end).then(|| self.give(end, false)));
            }
            self.make_room(path)?;
            searched = self.to;
            self.fill(path)?;
        }
    }

    fn give(&mut self, end: usize, terminated: bool) -> Line {
        self.number += 1;
        let byte = self.read - (self.to - self.from) as u64;
        let line = Line { from: self.from, to: end, number: self.number, byte, terminated };
        self.from = end + usize::from(terminated);
        line
    }

    /// Makes room behind what is not given out yet, moving it to the front or growing.
    fn make_room(&mut self, path: &Utf8Path) -> Result<(), ReadError> {
        if self.from > 0 {
            self.buffer.copy_within(self.from..self.to, 0);
            self.to -= self.from;
            self.from = 0;
        }
        if self.to == self.buffer.len() {
            if self.to >= MAX_LINE {
                return Err(ReadError::Corrupt {
                    path: path.into(),
                    line: self.number + 1,
                    byte: self.read - self.to as u64,
                    problem: LineProblem::LineTooLong,
                });
            }
            self.buffer.resize((self.to * 2).min(MAX_LINE), 0);
        }
        Ok(())
    }

    fn fill(&mut self, path: &Utf8Path) -> Result<(), ReadError> {
        let left = usize::try_from(self.length - self.read).unwrap_or(usize::MAX);
        let room = (self.buffer.len() - self.to).min(left);
        let place = &mut self.buffer[self.to..self.to + room];
        match self.file.read_at(place, self.read) {
            Ok(0) => Err(ReadError::Shrunk { path: path.into(), bytes: self.read }),
            Ok(count) => {
                self.to += count;
                self.read += count as u64;
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            Err(source) => Err(StateError::io(path, "reading it", source).into()),
        }
    }
}
