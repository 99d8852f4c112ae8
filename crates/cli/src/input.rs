//! Reading a spec from a file or from stdin.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::exit::Exit;
use crate::output::Failure;
use seatfork_schema::LaunchCode;

/// The argument that means stdin.
pub(crate) const STDIN: &str = "-";

/// What was read, and how it is called in messages.
#[derive(Debug)]
pub(crate) struct Input {
    /// As the caller named it; `-` for stdin.
    pub(crate) file: String,
    /// The bytes, at most one more than a spec may have: what is too large is not read whole.
    pub(crate) bytes: Vec<u8>,
}

impl Input {
    /// Reads the file of an argument, or stdin for `-`.
    pub(crate) fn read(argument: &Path) -> Result<Self, Failure> {
        let file = argument.to_string_lossy().into_owned();
        let read = if argument == Path::new(STDIN) {
            limited(io::stdin().lock())
        } else {
            File::open(argument).and_then(limited)
        };
        match read {
            Ok(bytes) => Ok(Self { file, bytes }),
            Err(error) => Err(unread(&file, &error)),
        }
    }

    /// The name to show above an excerpt.
    pub(crate) fn shown(&self) -> &str {
        if self.file == STDIN { "<stdin>" } else { &self.file }
    }
}

fn limited(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = seatfork_codec::MAX_BYTES as u64 + 1;
    reader.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unread(file: &str, error: &io::Error) -> Failure {
    let (code, message, hint) = match error.kind() {
        io::ErrorKind::NotFound => (
            LaunchCode::FileNotFound,
            format!("no file {file}"),
            "give the path of a spec file, or `-` to read stdin",
        ),
        io::ErrorKind::IsADirectory => (
            LaunchCode::FileUnreadable,
            format!("{file} is a directory"),
            "give the spec file in it",
        ),
        _ => (
            LaunchCode::FileUnreadable,
            format!("{file} could not be read: {error}"),
            "check that the file may be read by you",
        ),
    };
    Failure::new(Exit::NotFound, code, message).hint(hint).detail("file", file)
}
