//! Session logs as a subject: their runtime is this build itself.

use std::cell::Cell;
use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::{Adapter, ProcessPlan, SeatEnv, adapter_for};
use seatfork_conformance::{Misdeed, Pane, Source, Subject};
use seatfork_schema::Runtime;
use seatfork_testkit::pixir::Workspace;

/// Two workspaces; prior conversations are in the first.
#[derive(Debug)]
pub(crate) struct Logs {
    work: Workspace,
    other: Workspace,
    cwd: Utf8PathBuf,
    made: Cell<usize>,
}

impl Logs {
    pub(crate) fn new() -> Self {
        let (work, other) = (Workspace::new(), Workspace::new());
        let cwd = Utf8PathBuf::from_path_buf(work.real()).unwrap();
        Self { work, other, cwd, made: Cell::new(0) }
    }

    fn keep(&self, events: impl Fn(&str) -> String) -> Source {
        let made = self.made.get() + 1;
        self.made.set(made);
        let id = format!("20260101T{made:06}-aaaaa0");
        self.work.write(&id, events(&id));
        let path = self.cwd.join(format!(".pixir/sessions/{id}.ndjson"));
        Source { id, path, cwd: self.cwd.clone() }
    }
}

/// An event as its line.
fn event(session: &str, seq: usize, kind: &str, text: &str) -> String {
    format!(
        "{{\"data\":{{\"text\":\"{text}\"}},\"id\":\"{seq:016x}\",\"seq\":{seq},\"session_id\":\"{session}\",\"ts\":\"2026-01-01T00:00:00.000000Z\",\"type\":\"{kind}\"}}\n"
    )
}

fn turns(session: &str, turns: usize) -> String {
    let mut text = String::new();
    for turn in 0..turns {
        for (at, kind) in ["user_message", "assistant_message"].into_iter().enumerate() {
            let said = format!("CODEWORD-{turn}");
            text.write_str(&event(session, turn * 2 + at, kind, &said)).unwrap();
        }
    }
    text
}

impl Subject for Logs {
    fn adapter(&self) -> &'static dyn Adapter {
        adapter_for(Runtime::Pixir).unwrap()
    }

    fn env(&self) -> SeatEnv {
        SeatEnv::default()
    }

    fn home(&self) -> &Utf8Path {
        &self.cwd
    }

    fn cwd(&self) -> Utf8PathBuf {
        self.cwd.clone()
    }

    fn other_cwd(&self) -> Utf8PathBuf {
        Utf8PathBuf::from_path_buf(self.other.real()).unwrap()
    }

    fn source(&self, number: usize) -> Option<Source> {
        Some(self.keep(|id| turns(id, number)))
    }

    fn damaged(&self, _of: &Source) -> Source {
        self.keep(|id| turns(id, 3).replacen("\"seq\":3", "\"seq\":", 1))
    }

    fn unspoken(&self, _of: &Source) -> Source {
        self.keep(|id| event(id, 0, "provider_usage", ""))
    }

    /// There is no runtime that could misbehave.
    fn tell(&self, _misdeed: Option<&Misdeed>) -> bool {
        false
    }

    fn starts(&self) -> usize {
        0
    }

    fn side_effects(&self) -> Vec<String> {
        Vec::new()
    }

    fn open(&self, plan: &ProcessPlan) -> Box<dyn Pane> {
        panic!("no pane is planned without a program: {plan:?}");
    }
}
