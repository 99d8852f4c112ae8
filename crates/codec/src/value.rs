//! Specs as values of serde, for people who keep them inside a YAML of their own (SPEC 5).
//!
//! The same validation runs as over a text. A value has no places, so the
//! diagnostics have paths only; and it has lost how its scalars were written,
//! so text is what serde says is text.

use seatfork_schema::tree::{NodeId, NodeKind, Span, Tree};
use seatfork_schema::validate::{Hints, Outcome, validate};
use seatfork_schema::{Diagnostic, Document};
use serde_yaml::Value;
use thiserror::Error;

use crate::MAX_DEPTH;

/// Why a value could not be made into a document, or a document into a value.
#[derive(Debug, Error)]
pub enum ValueError {
    /// The document is refused.
    #[error("the spec is refused: {}", first(.diagnostics))]
    Refused {
        /// Everything there is to say, errors and warnings.
        diagnostics: Vec<Diagnostic>,
    },
    /// A mapping's key is a list, a mapping or tagged.
    #[error("a key of the value is no scalar")]
    ComplexKey,
    /// A value carries a tag.
    #[error("a value is tagged {tag}")]
    Tagged {
        /// The tag.
        tag: String,
    },
    /// More levels than a spec may have.
    #[error("the value has more than {MAX_DEPTH} levels")]
    TooDeep,
    /// The serializer refused.
    #[error("the document could not be made a value")]
    Serialize(#[source] serde_yaml::Error),
}

fn first(diagnostics: &[Diagnostic]) -> &str {
    diagnostics.first().map_or("", |diagnostic| diagnostic.message.as_str())
}

/// Validates a spec that is already a value.
///
/// ```
/// let value: serde_yaml::Value = serde_yaml::from_str("
/// pod: dev
/// members:
///   - {id: a, runtime: codex, agent_ref: agents/a.yaml, profile: p, cwd: .}
/// ").unwrap();
/// let document = seatfork_codec::from_value(&value, &Default::default()).unwrap();
/// let again = seatfork_codec::to_value(&document).unwrap();
/// assert_eq!(again["members"][0]["agent_ref"], "local:agents/a.yaml");
/// ```
pub fn from_value(value: &Value, hints: &Hints) -> Result<Document, ValueError> {
    let mut tree = Tree::new();
    let root = node(&mut tree, value, 0)?;
    tree.set_root(root);
    let Outcome { document, kind: _, rig: _, diagnostics } = validate(&tree, hints);
    document.ok_or(ValueError::Refused { diagnostics })
}

/// A document in its normal form as a value.
pub fn to_value(document: &Document) -> Result<Value, ValueError> {
    serde_yaml::to_value(document).map_err(ValueError::Serialize)
}

fn node(tree: &mut Tree, value: &Value, depth: usize) -> Result<NodeId, ValueError> {
    if depth > MAX_DEPTH {
        return Err(ValueError::TooDeep);
    }
    let plain = |text: &str| NodeKind::Scalar { text: text.to_owned(), plain: true };
    let kind = match value {
        Value::Null => plain(""),
        Value::Bool(flag) => plain(if *flag { "true" } else { "false" }),
        // A float has lost its spelling (`1.10` is `1.1`): with an exponent it is still
        // a number, and none that could pass for a version as somebody wrote it.
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => plain(&format!("{float:e}")),
            _ => plain(&number.to_string()),
        },
        Value::String(text) => NodeKind::Scalar { text: text.clone(), plain: false },
        Value::Sequence(items) => {
            let items = items.iter().map(|item| node(tree, item, depth + 1));
            NodeKind::Sequence(items.collect::<Result<_, _>>()?)
        }
        Value::Mapping(pairs) => {
            let mut nodes = Vec::with_capacity(pairs.len());
            for (key, value) in pairs {
                if matches!(key, Value::Sequence(_) | Value::Mapping(_) | Value::Tagged(_)) {
                    return Err(ValueError::ComplexKey);
                }
                nodes.push((node(tree, key, depth + 1)?, node(tree, value, depth + 1)?));
            }
            NodeKind::Mapping(nodes)
        }
        Value::Tagged(tagged) => {
            return Err(ValueError::Tagged { tag: tagged.tag.to_string() });
        }
    };
    Ok(tree.push(kind, Span::default()))
}
