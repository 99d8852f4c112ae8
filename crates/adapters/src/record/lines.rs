//! Reading lines of any length up to a cap, hashing what was read.

use super::file::RecordFile;
use memchr::{memchr_iter, memrchr};
use sha2::{Digest, Sha256};
use std::io;
use std::os::unix::fs::FileExt;
use thiserror::Error;

/// The longest line that is read, in bytes. A record of a runtime holds at most a few files' contents.
pub const MAX_LINE: usize = 64 * 1024 * 1024;

/// Bytes asked for at a time.
const CHUNK: usize = 1024 * 1024;

/// Why reading stopped.
#[derive(Debug, Error)]
pub enum ReadError<E> {
    /// The system refused.
    #[error("{0}")]
    Io(io::Error),
    /// The file became shorter than it was when it was opened.
    #[error("it became shorter while it was read")]
    Shrank,
    /// A line is longer than [`MAX_LINE`].
    #[error("line {line} is longer than {MAX_LINE} bytes")]
    TooLong {
        /// The line, from 1.
        line: u64,
    },
    /// The reader of lines stopped.
    #[error("{0}")]
    Stopped(E),
}

/// What stands after the last line feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tail {
    /// Its line, from 1.
    pub line: u64,
    /// Where it begins.
    pub offset: u64,
    /// It.
    pub bytes: Vec<u8>,
}

/// Reads a record up to the length it had when it was opened. `each` gets every
/// line that ends with a line feed, with its number from 1 and its offset, line
/// feed included. What follows the last line feed is returned.
///
/// Memory is one buffer of 1 MiB, or of the longest line.
pub fn read_lines<E>(
    record: &RecordFile,
    mut each: impl FnMut(u64, u64, &[u8]) -> Result<(), E>,
) -> Result<Option<Tail>, ReadError<E>> {
    let mut buffer = vec![0_u8; CHUNK];
    // `held` bytes of an unfinished line stand at the front; they begin at `at - held` in the file.
    let (mut at, mut held, mut line) = (0_u64, 0_usize, 1_u64);
    while at < record.bytes {
        if held == buffer.len() {
            if held >= MAX_LINE {
                return Err(ReadError::TooLong { line });
            }
            buffer.resize((held * 2).min(MAX_LINE), 0);
        }
        let left = usize::try_from(record.bytes - at).unwrap_or(usize::MAX);
        let room = (buffer.len() - held).min(left);
        let read = match record.file.read_at(&mut buffer[held..held + room], at) {
            Ok(0) => return Err(ReadError::Shrank),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(ReadError::Io(error)),
        };
        let begin = at - held as u64;
        let (old, filled) = (held, held + read);
        at += read as u64;
        held = filled;
        // Only the fresh part is searched, or one huge line would be searched again and again.
        let Some(last) = memrchr(b'\n', &buffer[old..filled]) else { continue };
        let mut from = 0;
        for found in memchr_iter(b'\n', &buffer[old..=old + last]) {
            let end = old + found + 1;
            each(line, begin + from as u64, &buffer[from..end]).map_err(ReadError::Stopped)?;
            line += 1;
            from = end;
        }
        buffer.copy_within(from..filled, 0);
        held = filled - from;
    }
    let tail = &buffer[..held];
    Ok((held > 0).then(|| Tail { line, offset: at - held as u64, bytes: tail.to_vec() }))
}

/// Hashes bytes as they come, and keeps the hash of a prefix of a given length.
#[derive(Debug)]
pub struct PrefixHash {
    hash: Sha256,
    seen: u64,
    cut: Option<u64>,
    at_cut: Option<String>,
}

impl PrefixHash {
    /// Hashes everything; `cut` is the length of the prefix whose hash is wanted too.
    pub fn new(cut: Option<u64>) -> Self {
        let mut new = Self { hash: Sha256::new(), seen: 0, cut, at_cut: None };
        new.note();
        new
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        if let Some(cut) = self.cut
            && self.at_cut.is_none()
            && cut - self.seen <= bytes.len() as u64
        {
            let first = usize::try_from(cut - self.seen).unwrap_or(bytes.len());
            self.hash.update(&bytes[..first]);
            self.seen = cut;
            self.note();
            bytes = &bytes[first..];
        }
        self.hash.update(bytes);
        self.seen += bytes.len() as u64;
    }

    fn note(&mut self) {
        if self.cut == Some(self.seen) {
            self.at_cut = Some(hex(&self.hash.clone().finalize()));
        }
    }

    /// The hash of the prefix, once that many bytes came.
    pub fn prefix(&self) -> Option<&str> {
        self.at_cut.as_deref()
    }

    /// Bytes so far, and their hash.
    pub fn finish(self) -> (u64, String) {
        (self.seen, hex(&self.hash.finalize()))
    }
}

/// The SHA-256 of bytes, as lower-case hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])
        .map(char::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 8: the hash of the bytes present at resolve is found again, however the bytes come.
    #[test]
    fn a_prefix_is_hashed_wherever_the_pieces_fall() {
        let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for cut in [0, 1, 499, 500, 999, 1000] {
            for piece in [1, 7, 500, 1000] {
                let mut hash = PrefixHash::new(Some(cut as u64));
                bytes.chunks(piece).for_each(|chunk| hash.feed(chunk));
                assert_eq!(hash.prefix(), Some(sha256_hex(&bytes[..cut]).as_str()));
                assert_eq!(hash.finish(), (1000, sha256_hex(&bytes)));
            }
        }
        let mut short = PrefixHash::new(Some(1001));
        short.feed(&bytes);
        assert_eq!(short.prefix(), None);
    }
}
