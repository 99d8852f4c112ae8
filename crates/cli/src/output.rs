//! Data on stdout, talk on stderr; and what happens when nobody reads it (SPEC 13).

use std::io::{self, Write};

use anstream::ColorChoice;
use serde::Serialize;

use crate::exit::Exit;
use crate::show::lines::put;
use seatfork_schema::LaunchCode;

/// The version of every JSON shape; fields may be added under it, never changed.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// The two streams of a command.
#[derive(Debug)]
pub(crate) struct Output {
    json: bool,
    colour: bool,
    stdout: Stream<io::Stdout>,
    stderr: Stream<io::Stderr>,
}

impl Output {
    /// The process's own streams.
    pub(crate) fn new(json: bool, choice: ColorChoice) -> Self {
        let stderr = io::stderr();
        // Refusals and other coloured texts are talk, so stderr decides; `auto` knows NO_COLOR and terminals.
        let choice = match choice {
            ColorChoice::Auto => anstream::AutoStream::choice(&stderr),
            fixed => fixed,
        };
        let colour = choice != ColorChoice::Never;
        Self { json, colour, stdout: Stream::new(io::stdout()), stderr: Stream::new(stderr) }
    }

    /// From now on data is one JSON object, and so is an error.
    pub(crate) fn make_json(&mut self) {
        self.json = true;
    }

    /// Whether data is one JSON object.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether talk may be coloured.
    pub(crate) fn has_colour(&self) -> bool {
        self.colour
    }

    /// Writes data, as it is.
    pub(crate) fn data(&mut self, text: &str) {
        self.stdout.write(text.as_bytes());
    }

    /// Writes talk, as it is.
    pub(crate) fn talk(&mut self, text: &str) {
        self.stderr.write(text.as_bytes());
    }

    /// Writes data as one JSON object. What `printable()` would escape in text is escaped here as JSON has it: no
    /// character of it acts on a terminal, and a program reads what was there (SPEC 14).
    pub(crate) fn object(&mut self, object: &impl Serialize) {
        match serde_json::to_string_pretty(object) {
            Ok(json) => self.stdout.write((escaped(&json) + "\n").as_bytes()),
            Err(error) => self.stdout.fail(io::Error::other(error)),
        }
    }

    /// Tells why a command could not do its work, in the form the caller asked for.
    pub(crate) fn failure(&mut self, failure: &Failure) -> Exit {
        if self.json {
            self.object(&failure.object());
        } else {
            self.talk(&failure.text());
        }
        failure.exit
    }

    /// Flushes; the exit code, unless data could not be written. A reader that
    /// went away is no failure: what the command found still decides.
    pub(crate) fn finish(mut self, exit: Exit) -> Exit {
        self.stdout.flush();
        if let Some(error) = &self.stdout.error {
            let message = format!("the result could not be written: {error}");
            let failure = Failure::new(Exit::Failed, LaunchCode::OutputNotWritten, message);
            self.talk(&failure.text());
            return if exit == Exit::Ok { Exit::Failed } else { exit };
        }
        exit
    }
}

/// JSON with every character that is not printable as `\uXXXX`. Beyond ASCII there are none outside of its strings.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || seatfork_schema::printable::is_printable(c) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                put(&mut out, format_args!("\\u{unit:04x}"));
            }
        }
    }
    out
}

#[derive(Debug)]
struct Stream<W> {
    inner: W,
    closed: bool,
    error: Option<io::Error>,
}

impl<W: Write> Stream<W> {
    fn new(inner: W) -> Self {
        Self { inner, closed: false, error: None }
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.closed {
            return;
        }
        if let Err(error) = self.inner.write_all(bytes) {
            self.fail(error);
        }
    }

    fn flush(&mut self) {
        if !self.closed
            && let Err(error) = self.inner.flush()
        {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.closed = true;
        if error.kind() != io::ErrorKind::BrokenPipe {
            self.error = Some(error);
        }
    }
}

/// Why a command could not do its work: nothing about a spec, everything about the call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) exit: Exit,
    /// A stable kebab-case code.
    pub(crate) code: LaunchCode,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
    /// The facts, for programs.
    pub(crate) details: serde_json::Map<String, serde_json::Value>,
}

impl Failure {
    /// A failure without a hint.
    pub(crate) fn new(exit: Exit, code: LaunchCode, message: impl Into<String>) -> Self {
        let details = serde_json::Map::new();
        Self { exit, code, message: message.into(), hint: None, details }
    }

    /// Adds what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a fact.
    pub(crate) fn detail(mut self, name: &str, value: impl Into<serde_json::Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let Self { exit: _, code, message, hint, details: _ } = self;
        let message = seatfork_schema::printable::printable_lines(message);
        match hint {
            None => format!("error[{code}]: {message}\n"),
            Some(hint) => {
                let hint = seatfork_schema::printable::printable_lines(hint);
                format!("error[{code}]: {message}\n  help: {hint}\n")
            }
        }
    }

    /// For programs.
    pub(crate) fn object(&self) -> FailureObject<'_> {
        let Self { exit: _, code, message, hint, details } = self;
        FailureObject {
            schema_version: SCHEMA_VERSION,
            ok: false,
            code: *code,
            message,
            hint: hint.as_deref(),
            details,
        }
    }
}

/// The JSON shape of a [`Failure`].
#[derive(Debug, Serialize)]
pub(crate) struct FailureObject<'f> {
    schema_version: u32,
    ok: bool,
    code: LaunchCode,
    message: &'f str,
    hint: Option<&'f str>,
    details: &'f serde_json::Map<String, serde_json::Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Gone(io::ErrorKind);

    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from(self.0))
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(io::Error::from(self.0))
        }
    }

    // SPEC 13: a closed pipe is a quiet exit, a full disk is not.
    #[test]
    fn a_closed_pipe_is_quiet_and_a_full_disk_is_not() {
        let mut closed = Stream::new(Gone(io::ErrorKind::BrokenPipe));
        closed.write(b"x");
        closed.flush();
        assert!(closed.closed && closed.error.is_none());

        let mut full = Stream::new(Gone(io::ErrorKind::StorageFull));
        full.write(b"x");
        assert_eq!(full.error.unwrap().kind(), io::ErrorKind::StorageFull);
    }

    // SPEC 14: text from outside acts on no terminal as JSON either, and a program reads it as it was.
    #[test]
    fn json_holds_no_character_that_is_not_printable() {
        let odd = "a\u{7f}\u{9b}31m\u{202e}\u{200b}\u{e0001}\u{2028}\u{1b}\n é 日 🙂";
        let json = escaped(&serde_json::to_string_pretty(&[odd]).unwrap());
        assert!(
            json.chars().all(|c| c == '\n' || seatfork_schema::printable::is_printable(c)),
            "{json:?}"
        );
        assert!(json.contains("é 日 🙂"), "{json}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&json).unwrap(), [odd]);
    }

    // SPEC 13: errors have the same words as text and as JSON.
    #[test]
    fn a_failure_says_the_same_in_both_forms() {
        let failure = Failure::new(Exit::NotFound, LaunchCode::FileNotFound, "no file x\u{1b}")
            .hint("look in y")
            .detail("file", "x");
        assert_eq!(failure.text(), "error[file-not-found]: no file x\\u{1b}\n  help: look in y\n");
        assert_eq!(
            serde_json::to_value(failure.object()).unwrap(),
            serde_json::json!({"schema_version": 1, "ok": false, "code": "file-not-found",
                "message": "no file x\u{1b}", "hint": "look in y", "details": {"file": "x"}})
        );
    }
}
