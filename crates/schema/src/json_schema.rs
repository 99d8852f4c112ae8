//! The JSON Schema of rig specs and expand payloads, for editors (SPEC 5).
//!
//! Table and which of them are required come from the tables validation reads
//! by; words and patterns from the types of [`crate::spec`]. The schema never
//! refuses what validation accepts. What it cannot say (unique ids, edges that
//! resolve, characters that cannot be seen) is validation's alone.

use crate::spec::{
    ArtifactPath, BuiltinPolicy, CompactionStrategy, ImageName, SourceMode, StartKind, StarterName,
};
use crate::validate::{Need, OLD_STRATEGIES, Shaped, Table, tables};
use crate::words::{Runtime, Word};
use serde_json::{Map, Value, json};

/// The JSON Schema (draft 2020-12) of every document seatfork reads: a rig, or an expand payload.
///
/// ```
/// let schema = seatfork_schema::json_schema();
/// assert_eq!(schema["$defs"]["member"]["additionalProperties"], false);
/// ```
pub fn json_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "seatfork rig spec",
        "description": "A rig, or an expand payload: members to add to a known rig.",
        "if": { "required": ["members"], "not": { "required": ["pods"] } },
        "then": { "$ref": "#/$defs/payload" },
        "else": { "$ref": "#/$defs/rig" },
        "$defs": {
            "rig": rig(object(&tables::RIG)),
            "payload": object(&tables::PAYLOAD),
            "pod": object(&tables::POD),
            "member": member(object(&tables::MEMBER)),
            "startup": object(&tables::STARTUP),
            "session_source": tables::session_source(),
        },
    })
}

/// A definition by its name.
pub(crate) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

pub(crate) fn pod() -> Value {
    reference("pod")
}

pub(crate) fn member_ref() -> Value {
    reference("member")
}

pub(crate) fn startup() -> Value {
    reference("startup")
}

pub(crate) fn session_source_ref() -> Value {
    reference("session_source")
}

/// A mapping by its table: required keys, no others, empty where that counts as absent.
pub(crate) fn object<const N: usize>(table: &Table<N>) -> Value {
    let mut properties = Map::new();
    for key in &table.keys {
        let shape = (key.shape)();
        let shape = if key.need == Need::Blankable {
            json!({ "anyOf": [shape, { "type": "null" }] })
        } else {
            shape
        };
        properties.insert(key.name.to_owned(), shape);
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": table.required(),
        "additionalProperties": false,
    })
}

/// A list.
pub(crate) fn list_of(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// A list that is not empty.
pub(crate) fn at_least_one(items: &Value) -> Value {
    json!({ "type": "array", "items": items, "minItems": 1 })
}

/// A validated text.
pub(crate) fn text<T: Shaped>() -> Value {
    string(T::PATTERN, T::MAX)
}

/// A word of a closed vocabulary.
pub(crate) fn word<W: Word>() -> Value {
    json!({ "enum": W::WORDS })
}

/// `true` or `false`.
pub(crate) fn flag() -> Value {
    json!({ "type": "boolean" })
}

/// Anything; another rule says what.
pub(crate) fn anything() -> Value {
    json!({ "type": "object" })
}

/// One word.
pub(crate) fn only(word: &str) -> Value {
    json!({ "const": word })
}

/// `<pod>.<member>`.
pub(crate) fn qualified() -> Value {
    string(r"^[A-Za-z0-9_][A-Za-z0-9_-]*\.[A-Za-z0-9_][A-Za-z0-9_-]*$", None)
}

/// A native id of any runtime; a member's runtime narrows it.
pub(crate) fn native_id() -> Value {
    string(r"\S", Some(crate::NativeId::MAX_PATH_BYTES))
}

/// The artifacts of a rebuild.
pub(crate) fn artifact_paths() -> Value {
    at_least_one(&string(ArtifactPath::PATTERN, None))
}

/// The name of an agent image.
pub(crate) fn image_name() -> Value {
    text::<ImageName>()
}

/// A version: a name, or a plain number.
pub(crate) fn image_version() -> Value {
    json!({ "anyOf": [text::<ImageName>(), { "type": "number", "minimum": 0 }] })
}

/// The name of a starter.
pub(crate) fn starter_name() -> Value {
    string(StarterName::PATTERN, StarterName::MAX)
}

/// The current words, and the old ones that still read.
pub(crate) fn compaction_strategy() -> Value {
    let current = json!({ "enum": CompactionStrategy::WORDS });
    let old: Vec<_> = OLD_STRATEGIES.iter().map(|(old, _)| *old).collect();
    json!({ "anyOf": [current, { "enum": old, "deprecated": true }] })
}

/// A startup file: the keys of its kind and no others.
pub(crate) fn startup_file(mut file: Value) -> Value {
    file["if"] =
        json!({ "properties": { "kind": { "const": "context_pack" } }, "required": ["kind"] });
    file["then"] = json!({ "required": ["name"], "properties": { "path": false } });
    file["else"] = json!({ "required": ["path"], "properties": { "name": { "type": "null" }, "version": { "type": "null" } } });
    file
}

/// One thing to wait for: exactly one of three.
pub(crate) fn wait_for(mut entry: Value) -> Value {
    let one =
        |name: &str| json!({ "required": [name], "properties": { name: { "type": "string" } } });
    entry["oneOf"] = json!([one("service"), one("url"), one("tcp")]);
    entry["if"] =
        json!({ "required": ["service"], "properties": { "service": { "type": "string" } } });
    entry["then"] = json!({ "required": ["condition"] });
    entry["else"] = json!({ "properties": { "condition": { "type": "null" } } });
    entry
}

/// A startup action: one that is not idempotent applies on a fresh start alone.
pub(crate) fn startup_action(mut action: Value) -> Value {
    action["if"] =
        json!({ "properties": { "idempotent": { "const": false } }, "required": ["idempotent"] });
    action["then"] = json!({
        "required": ["applies_on"],
        "properties": { "applies_on": { "items": { "const": StartKind::FreshStart.as_str() } } },
    });
    action
}

/// A session source: the shape of its ref follows from its mode.
pub(crate) fn session_source(refs: [(SourceMode, Value); 3], mut source: Value) -> Value {
    let per_mode: Vec<_> = refs
        .into_iter()
        .map(|(mode, shape)| {
            json!({
                "if": { "properties": { "mode": { "const": mode.as_str() } }, "required": ["mode"] },
                "then": { "properties": { "ref": shape } },
            })
        })
        .collect();
    source["allOf"] = Value::Array(per_mode);
    source
}

/// A rig has a member, in whichever pod.
fn rig(mut rig: Value) -> Value {
    rig["properties"]["pods"]["contains"] =
        json!({ "required": ["members"], "properties": { "members": { "minItems": 1 } } });
    rig
}

/// The rules between the keys of a member (SPEC 2, 3): the terminal triple, what a terminal has not, Codex profiles, starters and forks, ids per runtime.
fn member(mut member: Value) -> Value {
    // Letters of any script: what is refused is named, since few tools know `\p{L}`.
    const SESSION: &str = r"^[^\x00-/:-@\[-^`{-\x7f][^\x00-,/:-@\[-^`{-\x7f]*$";
    let terminal = json!({ "const": Runtime::Terminal.as_str() });
    let absent = json!({ "type": "null" });
    let fork_of = |runtimes: &[Runtime], pattern: &str, max: Option<usize>| {
        let words: Vec<_> = runtimes.iter().map(|runtime| runtime.as_str()).collect();
        json!({
            "if": {
                "properties": {
                    "runtime": { "enum": words },
                    "session_source": { "properties": { "mode": { "const": "fork" } }, "required": ["mode"] },
                },
                "required": ["runtime", "session_source"],
            },
            "then": { "properties": { "session_source": { "properties": { "ref": { "properties": { "value": string(pattern, max) } } } } } },
        })
    };
    let safe = "^[A-Za-z0-9_][A-Za-z0-9._-]*$";
    member["allOf"] = json!([
        {
            "if": { "properties": { "runtime": terminal }, "required": ["runtime"] },
            "then": { "properties": {
                "agent_ref": { "const": "builtin:terminal" },
                "profile": { "const": "none" },
                "role": absent,
                "permission_policy": absent,
                "session_source": false,
                "starter_ref": false,
            } },
            "else": { "properties": {
                "agent_ref": { "not": { "const": "builtin:terminal" } },
                "profile": { "not": { "const": "none" } },
            } },
        },
        {
            "if": { "properties": { "runtime": { "const": Runtime::Codex.as_str() } }, "required": ["runtime"] },
            "else": { "properties": { "codex_config_profile": absent } },
        },
        {
            "if": {
                "properties": { "session_source": {
                    "properties": { "mode": { "enum": [SourceMode::Fork.as_str(), SourceMode::AgentImage.as_str()] } },
                    "required": ["mode"],
                } },
                "required": ["session_source"],
            },
            "then": { "properties": { "starter_ref": false } },
        },
        fork_of(&[Runtime::ClaudeCode, Runtime::Codex], safe, Some(crate::NativeId::MAX_BYTES)),
        fork_of(&[Runtime::Pixir], SESSION, Some(crate::NativeId::MAX_SESSION_BYTES)),
        fork_of(&[Runtime::Pi], r"^([A-Za-z0-9_][A-Za-z0-9._-]*|/(?!(.*/)?\.\.(/|$)).*\.jsonl)$", None),
    ]);
    member
}

/// The built-in policies as a spec writes them, for completion.
pub(crate) fn permission_policy() -> Value {
    let builtin: Vec<_> =
        BuiltinPolicy::WORDS.iter().map(|name| format!("builtin:{name}")).collect();
    let mut policy = text::<crate::spec::PermissionPolicy>();
    policy["examples"] = json!(builtin);
    policy
}

fn string(pattern: &str, max: Option<usize>) -> Value {
    let mut text = json!({ "type": "string", "pattern": pattern });
    if let Some(max) = max {
        text["maxLength"] = json!(max);
    }
    text
}
