//! Reading a rollout from its beginning: every line a record, hashed on the way.

use super::meta::Meta;
use crate::record::{PrefixHash, ReadError, RecordFile, Tail, read_lines};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use thiserror::Error;

/// A line that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {why}")]
pub(super) struct Damage {
    pub(super) line: u64,
    pub(super) why: String,
}

/// A record by its outer fields.
#[derive(Debug, Deserialize)]
pub(super) struct Line<'a> {
    #[serde(borrow)]
    pub(super) timestamp: Option<Cow<'a, str>>,
    pub(super) ordinal: Option<u64>,
    #[serde(borrow)]
    pub(super) r#type: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) payload: &'a RawValue,
}

/// What of a payload tells who speaks and where.
#[derive(Debug, Deserialize)]
struct Payload<'a> {
    #[serde(borrow, default)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    cwd: Option<Cow<'a, str>>,
    #[serde(default)]
    content: Opening,
}

/// The start of the first text of a message.
#[derive(Debug, Default)]
pub(super) struct Opening(pub(super) Option<String>);

/// Characters of a message that are kept for a preview.
const OPENING: usize = 200;

impl<'de> Deserialize<'de> for Opening {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // Only messages hold a list of pieces here; everything else is passed over.
        let value = serde_json::Value::deserialize(from)?;
        let text = value.get(0).and_then(|piece| piece.get("text")).and_then(|text| text.as_str());
        Ok(Self(text.map(|text| text.chars().take(OPENING).collect())))
    }
}

/// A record that ends at a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// Complete records up to it.
    pub(super) records: u64,
    /// The ordinal of the last of them, where records have one.
    pub(super) ordinal: Option<u64>,
}

/// A rollout without its text.
#[derive(Debug)]
pub(super) struct Scanned {
    pub(super) meta: Meta,
    /// Complete records.
    pub(super) records: u64,
    /// Where the last of them ends.
    pub(super) end: u64,
    /// The ordinal of the last of them.
    pub(super) last_ordinal: Option<u64>,
    /// The cut that was asked for, if a record ends there.
    pub(super) cut: Option<Cut>,
    /// A user speaks in it.
    pub(super) user: bool,
    /// The model answers in it.
    pub(super) assistant: bool,
    pub(super) last_activity: Option<Timestamp>,
    pub(super) cwd: Option<String>,
    pub(super) opening: Option<String>,
    /// A last line that is no whole record.
    pub(super) torn: Option<Tail>,
    /// The hash of the complete records, and of the prefix that was asked for.
    pub(super) hash: PrefixHash,
}

/// Reads a rollout. `cut` is a byte at which a record should end.
pub(super) fn scan(
    record: &RecordFile,
    mut hash: PrefixHash,
    cut: Option<u64>,
) -> Result<Scanned, ReadError<Damage>> {
    let mut state: Option<Scanned> = None;
    let tail = read_lines(record, |number, offset, bytes| {
        let end = offset + bytes.len() as u64;
        let damage = |why: String| Damage { line: number, why };
        hash.feed(bytes);
        if bytes.trim_ascii().is_empty() {
            if let Some(scanned) = &mut state {
                scanned.end = end;
            }
            return Ok(());
        }
        let line = parse(bytes).map_err(damage)?;
        let scanned = match &mut state {
            Some(scanned) => scanned,
            None => state.insert(Scanned::of(Meta::parse(bytes).map_err(damage)?)),
        };
        scanned.note(&line);
        scanned.records += 1;
        scanned.end = end;
        scanned.last_ordinal = line.ordinal;
        if cut == Some(end) {
            scanned.cut = Some(Cut { records: scanned.records, ordinal: line.ordinal });
        }
        Ok(())
    })?;
    if let Some(scanned) = state {
        return Ok(Scanned { torn: tail, hash, ..scanned });
    }
    let why = match (record.bytes, tail) {
        (0, _) => "it has no bytes",
        (_, Some(_)) => "its first line is cut off",
        (_, None) => "it holds no record",
    };
    Err(ReadError::Stopped(Damage { line: 1, why: why.to_owned() }))
}

/// Reads a line as a record.
pub(super) fn parse(bytes: &[u8]) -> Result<Line<'_>, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to() + 1))?;
    serde_json::from_str(text).map_err(|error| {
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        format!("it is no record: {what} at byte {}", error.column())
    })
}

impl Scanned {
    fn of(meta: Meta) -> Self {
        Self {
            cwd: meta.cwd.clone(),
            meta,
            records: 0,
            end: 0,
            last_ordinal: None,
            cut: None,
            user: false,
            assistant: false,
            last_activity: None,
            opening: None,
            torn: None,
            hash: PrefixHash::new(None),
        }
    }

    fn note(&mut self, line: &Line<'_>) {
        if let Some(at) = line.timestamp.as_deref().and_then(|text| text.parse().ok()) {
            self.last_activity = self.last_activity.max(Some(at));
        }
        if !matches!(&*line.r#type, "response_item" | "event_msg" | "turn_context") {
            return;
        }
        // A payload of another shape says nothing of who speaks.
        let Ok(payload) = serde_json::from_str::<Payload<'_>>(line.payload.get()) else { return };
        if line.r#type == "turn_context" {
            if let Some(cwd) = payload.cwd {
                self.cwd = Some(cwd.into_owned());
            }
            return;
        }
        match (payload.r#type.as_deref(), payload.role.as_deref()) {
            (Some("message"), Some("user")) => {
                // The program puts its own notes between the user's words, in angle brackets.
                let told = payload.content.0.filter(|text| !text.trim_start().starts_with('<'));
                self.user |= told.is_some();
                if self.opening.is_none() {
                    self.opening = told;
                }
            }
            (Some("user_message"), _) => self.user = true,
            (Some("message"), Some("assistant"))
            | (
                Some("agent_message" | "function_call" | "local_shell_call" | "custom_tool_call"),
                _,
            ) => {
                self.assistant = true;
            }
            _ => {}
        }
    }
}
