//! Phase 1 through Codex's server, and what either way of phase 1 said (SPEC 6).

use super::permission::Posture;
use super::start::mark;
use crate::contract::dialogue::{Answer, Dialogue, Say, answer_to};
use crate::contract::evidence::Evidence;
use crate::contract::failure::Phase1Refusal;
use crate::contract::plan::{Phase1Ask, Phase1Output};
use seatfork_schema::{ConversationId, LaunchCode, NativeId, Runtime, SourceId, printable};
use serde_json::{Value, json};

/// The numbers of the requests.
const HELLO: u64 = 1;
const MAKE: u64 = 2;
const NOTE: u64 = 3;
const NAME: u64 = 4;

/// Where a new thread's id stands in the answer.
const THREAD: &str = "/result/thread/id";
const SLOT: &str = "thread";

/// A fork, told what it is, and named.
pub(super) fn fork(
    ask: &Phase1Ask<'_>,
    source: &Evidence,
    posture: Posture,
    note: Option<&str>,
) -> Dialogue {
    let mut params = wished(ask, posture);
    params["threadId"] = json!(source.native_id.as_str());
    params["excludeTurns"] = json!(true);
    let mut says = hello();
    // Nothing is said to the source, whatever the program takes for its child.
    let make = Say::request(MAKE, "thread/fork", params).take(SLOT, THREAD);
    says.push(make.never(THREAD, source.native_id.as_str()));
    says.extend(note.map(|text| {
        let item = json!({
            "type": "message",
            "role": "developer",
            "content": [{"type": "input_text", "text": text}],
        });
        Say::request(NOTE, "thread/inject_items", json!({ "items": [item] })).fill("threadId", SLOT)
    }));
    says.push(name(ask));
    Dialogue { says }
}

/// A new conversation. It is written to disk by being named.
pub(super) fn start(ask: &Phase1Ask<'_>, posture: Posture) -> Dialogue {
    let mut says = hello();
    says.push(Say::request(MAKE, "thread/start", wished(ask, posture)).take(SLOT, THREAD));
    says.push(name(ask));
    Dialogue { says }
}

fn hello() -> Vec<Say> {
    let who = json!({
        "clientInfo": {"name": "seatfork", "title": null, "version": env!("CARGO_PKG_VERSION")},
        "capabilities": {"experimentalApi": true},
    });
    vec![Say::request(HELLO, "initialize", who), Say::notice("initialized", json!({}))]
}

fn wished(ask: &Phase1Ask<'_>, posture: Posture) -> Value {
    let mut params = json!({
        "cwd": ask.wish.cwd.as_str(),
        "threadSource": mark(ask.nonce),
        "approvalPolicy": posture.approval,
        "sandbox": posture.sandbox,
    });
    if let Some(model) = &ask.wish.model {
        params["model"] = json!(model);
    }
    params
}

fn name(ask: &Phase1Ask<'_>) -> Say {
    Say::request(NAME, "thread/name/set", json!({ "name": ask.wish.seat_name }))
        .fill("threadId", SLOT)
}

/// What phase 1 said that it made.
#[derive(Debug, Default)]
struct Said {
    /// The id of the new thread.
    thread: Option<String>,
    /// What was refused, in the program's words.
    refused: Option<String>,
    /// The last thing that was asked for was done.
    finished: bool,
    /// The model was asked, or a turn begun.
    turned: bool,
}

impl Said {
    fn of(stdout: &[u8]) -> Self {
        let mut said = Self::default();
        for line in stdout.split(|byte| *byte == b'\n') {
            for id in [HELLO, MAKE, NOTE, NAME] {
                match answer_to(line, id) {
                    Some(Answer::Given(answer)) => {
                        if id == MAKE {
                            let thread = answer.pointer(THREAD).and_then(Value::as_str);
                            said.thread = thread.map(ToOwned::to_owned);
                        }
                        said.finished |= id == NAME;
                    }
                    Some(Answer::Refused(why)) => {
                        said.refused.get_or_insert(why);
                    }
                    None => {}
                }
            }
            said.note_event(line);
        }
        said
    }

    /// A line of `exec fork --json`.
    fn note_event(&mut self, line: &[u8]) {
        let Ok(event) = serde_json::from_slice::<Value>(line) else { return };
        match event.get("type").and_then(Value::as_str) {
            Some("thread.started") => {
                let thread = event.get("thread_id").and_then(Value::as_str);
                self.thread = thread.map(ToOwned::to_owned);
                self.finished = true;
            }
            Some(kind) if kind.starts_with("turn.") => self.turned = true,
            _ => {}
        }
        self.turned |= event.get("method").and_then(Value::as_str) == Some("turn/started");
    }
}

/// Takes the child's id out of what phase 1 said. It is an answer, not a proof.
pub(super) fn learn(
    source: Option<&SourceId>,
    output: &Phase1Output,
) -> Result<ConversationId, Phase1Refusal> {
    let said = Said::of(&output.stdout);
    let made = match &said.thread {
        Some(thread) => format!("; it had made {}", shown(thread)),
        None => String::new(),
    };
    let refused = |code, message: String| Err(Phase1Refusal { code, message });
    if output.timed_out {
        let message = format!("Codex did not end within its deadline and was ended{made}");
        return refused(LaunchCode::Phase1Timeout, message);
    }
    let is_source = |thread: &String| {
        source.is_some_and(|source| {
            thread.trim().eq_ignore_ascii_case(source.conversation().native_id.as_str())
        })
    };
    if said.thread.as_ref().is_some_and(is_source) {
        let message = "Codex went on with the source itself".to_owned();
        return refused(LaunchCode::ChildIsSource, message);
    }
    if let Some(why) = &said.refused {
        return refused(LaunchCode::Phase1Failed, format!("Codex refused: {}{made}", shown(why)));
    }
    if output.exit_code != Some(0) {
        let how = match (output.exit_code, output.signal) {
            (Some(code), _) => format!("exit {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "an unknown end".to_owned(),
        };
        let stderr = String::from_utf8_lossy(&output.stderr);
        let text = stderr.lines().rev().find(|line| !line.trim().is_empty());
        let text = text.map_or(" and said nothing".to_owned(), |text| format!(": {}", shown(text)));
        return refused(LaunchCode::Phase1Failed, format!("Codex ended with {how}{text}{made}"));
    }
    if said.turned {
        let message = format!("Codex began a turn, where none was asked for{made}");
        return refused(LaunchCode::Phase1CalledTheModel, message);
    }
    let Some(thread) = said.thread.filter(|_| said.finished) else {
        let message = format!("Codex ended without having done all it was asked for{made}");
        return refused(LaunchCode::Phase1Failed, message);
    };
    if let Some(id) = NativeId::new(thread.as_str()).ok().filter(NativeId::is_lowercase_uuid) {
        return Ok(ConversationId::new(Runtime::Codex, id));
    }
    let message = format!("Codex made {}, which is no id of it", shown(&thread));
    refused(LaunchCode::ChildIdMismatch, message)
}

fn shown(text: &str) -> String {
    printable(&text.trim().chars().take(300).collect::<String>())
}
