//! Records on disk that other programs write while we read: opened without
//! trust, read line by line with bounded memory, hashed on the way (SPEC 6).

mod file;
mod lines;

pub use file::{OpenError, RecordFile, open};
pub use lines::{MAX_LINE, PrefixHash, ReadError, Tail, hex, read_lines, sha256_hex};
