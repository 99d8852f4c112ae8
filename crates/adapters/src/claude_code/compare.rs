//! Whether two records say the same.
//!
//! A fork rewrites a closed, named list of fields. Everything else must be
//! equal; a difference is told by the field it is in.

use super::surrogates;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The fields a fork rewrites, by their path in the record. They are no part of the canonical form (SPEC 8).
///
/// `parentUuid` is not compared here because it is a link: `child` holds it to
/// its own rule. `entrypoint` says which front end wrote the row (`cli`,
/// `sdk-cli`); a headless fork of a conversation held in a terminal rewrites it
/// in every row, seen in 2.1.197 and 2.1.332.
pub const REWRITTEN: &[&str] = &[
    "sessionId",
    "slug",
    "promptId",
    "requestSessionId",
    "version",
    "cwd",
    "gitBranch",
    "entrypoint",
    "message.usage",
    "parentUuid",
];

/// The fields that are a record's content: a difference there is another record, not an unknown rewriting.
const CONTENT: &[&str] = &[
    "type",
    "subtype",
    "uuid",
    "message.role",
    "message.content",
    "content",
    "attachment",
    "toolUseResult",
    "isSidechain",
    "isMeta",
    "isCompactSummary",
    "compactMetadata",
];

/// How two records differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    /// The first field that differs: `message.content[0].text`.
    pub(super) field: String,
    /// It is content, not some other field.
    pub(super) is_content: bool,
}

/// Reads a record into its canonical form: without what a fork rewrites, and with halves of surrogate pairs as the
/// runtime reads them.
pub(super) fn canonical(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let mut value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => match surrogates::mend(text) {
            Some(mended) => serde_json::from_str(&mended).map_err(|error| error.to_string())?,
            None => return Err(error.to_string()),
        },
    };
    for path in REWRITTEN {
        let mut at = &mut value;
        let mut parts = path.split('.').peekable();
        while let Some(part) = parts.next() {
            let Some(map) = at.as_object_mut() else { break };
            if parts.peek().is_none() {
                map.remove(part);
                break;
            }
            let Some(inner) = map.get_mut(part) else { break };
            at = inner;
        }
    }
    Ok(value)
}

/// Adds a canonical record to a hash: JSON with sorted keys and no blanks, then a line feed.
pub(super) fn feed(hash: &mut Sha256, value: &Value) {
    write(hash, value);
    hash.update(b"\n");
}

fn write(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            hash.update(b"{");
            for (place, key) in keys.into_iter().enumerate() {
                if place > 0 {
                    hash.update(b",");
                }
                hash.update(Value::from(key.as_str()).to_string());
                hash.update(b":");
                write(hash, &map[key]);
            }
            hash.update(b"}");
        }
        Value::Array(items) => {
            hash.update(b"[");
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    hash.update(b",");
                }
                write(hash, item);
            }
            hash.update(b"]");
        }
        scalar => hash.update(scalar.to_string()),
    }
}

/// The first difference between two canonical records: content before anything else.
pub(super) fn difference(source: &Value, child: &Value) -> Option<Difference> {
    if source == child {
        return None;
    }
    let mut found = Vec::new();
    walk(source, child, String::new(), &mut found);
    let is_content = |field: &String| {
        CONTENT.iter().any(|content| {
            field
                .strip_prefix(content)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    };
    let content = found.iter().find(|field| is_content(field)).cloned();
    let is_content = content.is_some();
    // Values that differ without a differing place do not exist; should they, the record as a whole is named.
    let field = content.or_else(|| found.into_iter().next()).unwrap_or_else(|| "record".to_owned());
    Some(Difference { field, is_content })
}

fn walk(a: &Value, b: &Value, path: String, found: &mut Vec<String>) {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let mut keys: Vec<&String> = a.keys().chain(b.keys()).collect();
            keys.sort_unstable();
            keys.dedup();
            for key in keys {
                let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => walk(a, b, inner, found),
                    _ => found.push(inner),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (place, (a, b)) in a.iter().zip(b).enumerate() {
                walk(a, b, format!("{path}[{place}]"), found);
            }
        }
        _ if a == b => {}
        _ => found.push(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::sha256_hex;

    fn differ(a: &str, b: &str) -> Option<(String, bool)> {
        let of = |text: &str| canonical(text.as_bytes()).unwrap();
        difference(&of(a), &of(b)).map(|found| (found.field, found.is_content))
    }

    // SPEC 8: exactly the named fields are ignored; any other difference is named, content first.
    #[test]
    fn only_the_named_fields_may_differ() {
        let row = r#"{"type":"user","uuid":"u","sessionId":"a","message":{"role":"user","content":"hi","usage":{"x":1}},"timestamp":"t"}"#;
        let rewritten = r#"{"timestamp":"t","message":{"usage":{"x":0},"content":"hi","role":"user"},"uuid":"u","type":"user","sessionId":"b","slug":"s","promptId":"p","requestSessionId":"r","version":"v","cwd":"/","gitBranch":"g","entrypoint":"cli","parentUuid":"q"}"#;
        assert_eq!(differ(row, rewritten), None);
        for (change, field, is_content) in [
            (r#""content":"ho""#, "message.content", true),
            (r#""content":["hi"]"#, "message.content", true),
            (r#""content":"hi","model":"m""#, "message.model", false),
        ] {
            let changed = row.replace(r#""content":"hi""#, change);
            assert_eq!(differ(row, &changed), Some((field.to_owned(), is_content)), "{change}");
        }
        assert_eq!(
            differ(row, &row.replace(r#""timestamp":"t""#, r#""timestamp":"z""#)),
            Some(("timestamp".to_owned(), false))
        );
        assert_eq!(
            differ(row, &row.replace(r#""type":"user","#, r#""type":"user","brandNew":1,"#)),
            Some(("brandNew".to_owned(), false))
        );
        let deep = r#"{"message":{"content":[{"text":"a"},{"text":"b"}]},"contentful":1}"#;
        assert_eq!(
            differ(deep, &deep.replace("\"b\"", "\"c\"").replace("ful\":1", "ful\":2")),
            Some(("message.content[1].text".to_owned(), true))
        );
    }

    // SPEC 8: the hash of a history does not depend on the order of keys, and does on everything else.
    #[test]
    fn the_canonical_form_sorts_keys_and_nothing_else() {
        let hash = |text: &str| {
            let mut hash = Sha256::new();
            feed(&mut hash, &canonical(text.as_bytes()).unwrap());
            hash.finalize().to_vec()
        };
        assert_eq!(
            hash(r#"{"b":[1,{"d":"\u00e9","c":null}],"a":1.5}"#),
            hash(r#"{"a":1.5,"b":[1,{"c":null,"d":"é"}]}"#)
        );
        assert_ne!(hash(r#"{"b":[1,2]}"#), hash(r#"{"b":[2,1]}"#));
        assert_eq!(
            crate::record::sha256_hex(b"{\"a\":\"\\u0001\"}\n"),
            sha256_hex("{\"a\":\"\\u0001\"}\n".as_bytes())
        );
    }
}
