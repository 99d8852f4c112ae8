//! Lines of a log, read by Pixir's rules.

use std::{collections::HashSet, fs, path::Path};

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

/// The types a log holds.
pub const CANONICAL: &[&str] = &[
    "user_message",
    "assistant_message",
    "reasoning",
    "skill_activation",
    "subagent_event",
    "workflow_event",
    "tool_call",
    "tool_result",
    "permission_decision",
    "session_fork",
    "branch_summary",
    "history_compaction",
    "provider_usage",
    "turn_failed",
];

/// Those of them that `replay_v1` copies: the first nine.
pub const REPLAYED: &[&str] = CANONICAL.split_at(9).0;

/// The keys of an event, sorted.
const KEYS: [&str; 6] = ["data", "id", "seq", "session_id", "ts", "type"];

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id.
    pub id: String,
    /// The session it says it belongs to.
    pub session: String,
    /// Its number; none where the file says `null` or something else that is no number.
    pub seq: Option<u64>,
    /// Its time, as written.
    pub ts: String,
    /// Its type.
    pub kind: String,
    /// Its data, exactly as it stands in the file.
    pub data: String,
    /// The whole line without its end.
    pub line: String,
}

impl Event {
    /// Its data as a value.
    ///
    /// # Panics
    /// When it is no JSON, which no event of a folded log is.
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|err| panic!("{err} in {}", self.line))
    }

    /// A text of its data.
    pub fn text(&self, key: &str) -> Option<String> {
        self.value()[key].as_str().map(str::to_owned)
    }
}

/// Why Pixir refuses a whole log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("corrupt_log_line: line {line}: {why}")]
pub struct Refused {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    id: Option<String>,
    session_id: Option<String>,
    seq: Option<Value>,
    ts: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

/// Reads a log as Pixir folds it, in the order of the file.
///
/// # Panics
/// When the file cannot be read.
pub fn fold(path: &Path) -> Result<Vec<Event>, Refused> {
    let bytes = fs::read(path).unwrap_or_else(|err| panic!("read {}: {err}", path.display()));
    fold_bytes(&bytes)
}

/// The same of bytes. Blank lines and CRLF are taken, unknown keys are dropped; a torn tail, a bad
/// line or an unknown type refuses the whole log. (A key of the envelope that stands twice is refused
/// here; which one counts for Pixir is its map's affair.)
pub fn fold_bytes(bytes: &[u8]) -> Result<Vec<Event>, Refused> {
    let mut events = Vec::new();
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let no = |why: String| Refused { line: at + 1, why };
        let text = std::str::from_utf8(line).map_err(|err| no(err.to_string()))?;
        let text = text.strip_suffix('\r').unwrap_or(text);
        if text.trim().is_empty() {
            continue;
        }
        events.push(event(text).map_err(no)?);
    }
    Ok(events)
}

fn event(line: &str) -> Result<Event, String> {
    let envelope: Envelope<'_> = serde_json::from_str(line).map_err(|err| err.to_string())?;
    // Escapes are judged where the data is read whole.
    let data = envelope.data.map_or("{}", RawValue::get);
    let data = if data == "null" { "{}" } else { data };
    serde_json::from_str::<Value>(data).map_err(|err| err.to_string())?;
    let kind = envelope.kind.ok_or("no type")?;
    if !CANONICAL.contains(&kind.as_str()) {
        return Err(format!("unknown_event_type {kind}"));
    }
    Ok(Event {
        id: envelope.id.unwrap_or_default(),
        session: envelope.session_id.unwrap_or_default(),
        seq: envelope.seq.as_ref().and_then(Value::as_u64),
        ts: envelope.ts.unwrap_or_default(),
        kind,
        data: data.to_owned(),
        line: line.to_owned(),
    })
}

/// The events a fork copies, in the order of their numbers.
pub fn replayed(events: &[Event]) -> Vec<&Event> {
    let mut copied: Vec<_> = events
        .iter()
        .filter(|event| REPLAYED.contains(&event.kind.as_str()) && event.seq.is_some())
        .collect();
    copied.sort_by_key(|event| event.seq);
    copied
}

/// The root of a log's family: what its first line says, where that line is a fork's and the root
/// can be a session's id; else the log itself.
pub fn root_of(session: &str, events: &[Event]) -> String {
    let first = events.first().filter(|event| event.kind == "session_fork");
    let root = first.and_then(|event| event.text("fork_root_session_id"));
    root.filter(|root| is_id(root)).unwrap_or_else(|| session.to_owned())
}

/// Whether a text can be a session's id.
pub(super) fn is_id(text: &str) -> bool {
    let start = |c: char| c.is_alphanumeric() || c == '_';
    (1..=235).contains(&text.len())
        && text.starts_with(start)
        && text.chars().all(|c| start(c) || matches!(c, '.' | '-') || !c.is_ascii())
}

/// What is wrong with a log that we wrote, beyond what Pixir minds: every line ends, every key is
/// there once and none besides, numbers run from 0 in the order of the file, ids are 16 lower-case
/// hex digits and differ, times are UTC with microseconds, and the session is the log's own.
pub fn faults(session: &str, bytes: &[u8]) -> Vec<String> {
    let events = match fold_bytes(bytes) {
        Ok(events) => events,
        Err(refused) => return vec![refused.to_string()],
    };
    let mut faults = Vec::new();
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        faults.push("the last line has no end".to_owned());
    } else if bytes.split(|byte| *byte == b'\n').count() != events.len() + 1 {
        faults.push("there are blank lines".to_owned());
    }
    let mut ids = HashSet::new();
    for (at, event) in events.iter().enumerate() {
        let mut say = |what: &str| faults.push(format!("line {}: {what}: {}", at + 1, event.line));
        if keys(&event.line) != KEYS {
            say("the keys are not the six");
        }
        if event.seq != u64::try_from(at).ok() {
            say("the number is not the line's");
        }
        if event.session != session {
            say("it belongs to another session");
        }
        if !is_hex(&event.id, 16) || !ids.insert(event.id.as_str()) {
            say("the id is not its own 16 hex digits");
        }
        if !is_time(&event.ts) {
            say("the time is not UTC with microseconds");
        }
        if !event.data.starts_with('{') {
            say("the data is no object");
        }
    }
    faults
}

/// The keys of a line, sorted; one that stands twice is there twice.
fn keys(line: &str) -> Vec<String> {
    struct Keys(Vec<String>);
    impl<'de> Deserialize<'de> for Keys {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Visitor;
            impl<'de> serde::de::Visitor<'de> for Visitor {
                type Value = Keys;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("an event")
                }
                fn visit_map<A: serde::de::MapAccess<'de>>(
                    self,
                    mut map: A,
                ) -> Result<Keys, A::Error> {
                    let mut keys = Vec::new();
                    while let Some(key) = map.next_key::<String>()? {
                        map.next_value::<serde::de::IgnoredAny>()?;
                        keys.push(key);
                    }
                    Ok(Keys(keys))
                }
            }
            deserializer.deserialize_map(Visitor)
        }
    }
    let mut keys = serde_json::from_str::<Keys>(line).map(|keys| keys.0).unwrap_or_default();
    keys.sort();
    keys
}

pub(super) fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn is_time(text: &str) -> bool {
    let shape = "dddd-dd-ddTdd:dd:dd.ddddddZ";
    let fits = |(shape, b): (u8, u8)| if shape == b'd' { b.is_ascii_digit() } else { shape == b };
    text.len() == shape.len() && shape.bytes().zip(text.bytes()).all(fits)
}
