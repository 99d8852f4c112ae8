//! Trees from JSON, which is YAML: order and double keys are kept, and every node has a place of its own.
//!
//! Strings are quoted, so they are text; `"!x"` stands for the plain scalar `x`.

use seatfork_schema::tree::{NodeId, NodeKind, Position, Span, Tree};
use seatfork_schema::{Diagnostic, Hints, Outcome, Severity, validate};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A document as written.
#[derive(Debug, Clone)]
pub(crate) enum Doc {
    Quoted(String),
    Plain(String),
    List(Vec<Self>),
    Map(Vec<(Self, Self)>),
}

impl Doc {
    pub(crate) fn read(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_else(|error| panic!("{error} in {json}"))
    }

    pub(crate) fn key(name: &str) -> Self {
        Self::Plain(name.to_owned())
    }

    pub(crate) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        let mut line = 0;
        let root = self.push(&mut tree, &mut line);
        tree.set_root(root);
        tree
    }

    fn push(&self, tree: &mut Tree, line: &mut u32) -> NodeId {
        *line += 1;
        let here = Position { line: *line, column: 1 };
        let span = Span { start: here, end: Position { column: 2, ..here } };
        // A container is pushed when it opens, as a reader of text does.
        match self {
            Self::Quoted(text) => {
                tree.push(NodeKind::Scalar { text: text.clone(), plain: false }, span)
            }
            Self::Plain(text) => {
                tree.push(NodeKind::Scalar { text: text.clone(), plain: true }, span)
            }
            Self::List(items) => {
                let id = tree.push(NodeKind::Sequence(Vec::new()), span);
                let items = items.iter().map(|item| item.push(tree, line)).collect();
                tree.fill(id, NodeKind::Sequence(items), span);
                id
            }
            Self::Map(pairs) => {
                let id = tree.push(NodeKind::Mapping(Vec::new()), span);
                let mut filled = Vec::with_capacity(pairs.len());
                for (key, value) in pairs {
                    let key = key.push(tree, line);
                    filled.push((key, value.push(tree, line)));
                }
                tree.fill(id, NodeKind::Mapping(filled), span);
                id
            }
        }
    }
}

impl<'de> Deserialize<'de> for Doc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AsWritten;
        impl<'de> Visitor<'de> for AsWritten {
            type Value = Doc;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }
            fn visit_bool<E>(self, value: bool) -> Result<Doc, E> {
                Ok(Doc::Plain(value.to_string()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Doc, E> {
                Ok(Doc::Plain(value.to_string()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Doc, E> {
                Ok(Doc::Plain(value.to_string()))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Doc, E> {
                Ok(Doc::Plain(value.to_string()))
            }
            fn visit_str<E>(self, value: &str) -> Result<Doc, E> {
                Ok(match value.strip_prefix('!') {
                    Some(plain) => Doc::Plain(plain.to_owned()),
                    None => Doc::Quoted(value.to_owned()),
                })
            }
            fn visit_unit<E>(self) -> Result<Doc, E> {
                Ok(Doc::Plain(String::new()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Doc, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Doc::List(items))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Doc, A::Error> {
                let mut pairs = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, Doc>()? {
                    pairs.push((Doc::key(&key), value));
                }
                Ok(Doc::Map(pairs))
            }
        }
        deserializer.deserialize_any(AsWritten)
    }
}

/// Validates a document given as JSON.
pub(crate) fn check(json: &str) -> Outcome {
    validate(&Doc::read(json).tree(), &Hints::default())
}

/// The codes and paths of an outcome, warnings included.
pub(crate) fn told(outcome: &Outcome) -> Vec<(&'static str, &str)> {
    outcome.diagnostics.iter().map(|it| (it.code.as_str(), it.path.as_str())).collect()
}

/// Whether a document came out exactly when no error did.
pub(crate) fn is_sound(outcome: &Outcome) -> bool {
    let refused = outcome.diagnostics.iter().any(|it| it.severity == Severity::Error);
    outcome.document.is_some() != refused
}

/// A rig around its pods and further keys.
pub(crate) fn rig(keys: &str, pods: &str) -> String {
    format!(r#"{{"version":"0.2","name":"demo"{keys},"pods":[{pods}]}}"#)
}

/// A pod around its members and further keys.
pub(crate) fn pod(id: &str, members: &str, keys: &str) -> String {
    format!(r#"{{"id":"{id}","label":"Pod","members":[{members}]{keys}}}"#)
}

/// A member with an id and further keys.
pub(crate) fn member(id: &str, keys: &str) -> String {
    format!(
        r#"{{"id":"{id}","agent_ref":"local:a","profile":"p","runtime":"claude-code","cwd":"."{keys}}}"#
    )
}

/// A member of another runtime.
pub(crate) fn member_of(runtime: &str, keys: &str) -> String {
    let (agent_ref, profile) = match runtime {
        "terminal" => ("builtin:terminal", "none"),
        _ => ("local:a", "p"),
    };
    format!(
        r#"{{"id":"impl","agent_ref":"{agent_ref}","profile":"{profile}","runtime":"{runtime}","cwd":"."{keys}}}"#
    )
}

/// A rig of one member with further keys.
pub(crate) fn one(keys: &str) -> String {
    rig("", &pod("dev", &member("impl", keys), ""))
}

/// A rig of one member of a runtime.
pub(crate) fn one_of(runtime: &str, keys: &str) -> String {
    rig("", &pod("dev", &member_of(runtime, keys), ""))
}

/// The only diagnostic of an outcome.
pub(crate) fn only(outcome: &Outcome) -> &Diagnostic {
    assert_eq!(outcome.diagnostics.len(), 1, "{:#?}", outcome.diagnostics);
    &outcome.diagnostics[0]
}
