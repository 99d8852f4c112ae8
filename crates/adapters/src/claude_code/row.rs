//! One line of a transcript, read by meaning: only what the effective history needs.
//!
//! Unknown kinds of records and unknown fields are skipped; a field of an
//! unexpected shape counts as absent. What must be there is checked by those
//! who need it.

use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::fmt;

/// The fields of a record that matter.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Head<'a> {
    #[serde(rename = "type")]
    pub(super) kind: Text,
    pub(super) subtype: Text,
    pub(super) uuid: Text,
    pub(super) parent_uuid: Text,
    pub(super) session_id: Text,
    pub(super) is_sidechain: Flag,
    pub(super) is_meta: Flag,
    pub(super) timestamp: Text,
    pub(super) cwd: Text,
    pub(super) version: Text,
    pub(super) leaf_uuid: Named,
    pub(super) explicit: Flag,
    #[serde(borrow)]
    pub(super) compact_metadata: Option<&'a RawValue>,
    pub(super) message: Message,
    /// What a row without a message says.
    pub(super) content: Text,
    /// The titles of the records that carry one.
    pub(super) custom_title: Text,
    pub(super) ai_title: Text,
    pub(super) summary: Text,
}

/// A string, if it is one.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Loose")]
pub(super) struct Text(pub(super) Option<String>);

/// `true`, if it is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(from = "Loose")]
pub(super) struct Flag(pub(super) bool);

/// A string, null, or nothing: a checkpoint that names no row is not the same as none.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Loose")]
pub(super) enum Named {
    /// The field is not there.
    #[default]
    Absent,
    /// It is there and names nothing.
    Nothing,
    /// It names something.
    Row(String),
}

/// What a message is made of.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Message {
    /// The id of the response it is a part of.
    pub(super) response: Option<String>,
    /// It was written by the program in a model's place.
    pub(super) synthetic: bool,
    /// The ids of the tool calls in it.
    pub(super) calls: Vec<String>,
    /// The ids of the tool calls it answers.
    pub(super) answers: Vec<String>,
    /// It holds text other than blanks, or anything that is neither thinking, nor a call, nor an answer.
    pub(super) says: bool,
    /// It holds thinking.
    pub(super) thinks: bool,
    /// Its first text, cut.
    pub(super) opening: Option<String>,
    /// How many blocks it is made of; a plain text is one.
    pub(super) blocks: usize,
    /// How many of its answers say that the call was interrupted.
    pub(super) interrupted: usize,
}

/// How an answer begins that the program gives for a call nothing has answered.
const INTERRUPTED: &str = "[Tool call interrupted:";

/// What a compaction kept.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Compaction {
    pub(super) preserved_messages: Option<Kept>,
    pub(super) preserved_segment: Option<Segment>,
}

/// Rows kept by name, and the row they come after.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Kept {
    pub(super) anchor_uuid: String,
    pub(super) uuids: Vec<String>,
}

/// Rows kept from a head to a tail, and the row they come after.
#[expect(clippy::struct_field_names, reason = "the runtime's own names")]
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Segment {
    pub(super) head_uuid: String,
    pub(super) anchor_uuid: String,
    pub(super) tail_uuid: String,
}

/// Characters of an opening that are kept.
const OPENING: usize = 200;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Parts {
    id: Text,
    model: Text,
    content: Content,
}

impl From<Parts> for Message {
    fn from(parts: Parts) -> Self {
        let mut message = Self {
            response: parts.id.0,
            synthetic: parts.model.0.as_deref() == Some("<synthetic>"),
            ..Self::default()
        };
        match parts.content {
            Content::Nothing => {}
            Content::Strange => message.note_said(None),
            Content::Said(text) => {
                message.blocks = 1;
                message.note_said(Some(text));
            }
            Content::Blocks(blocks) => {
                message.blocks = blocks.len();
                for block in blocks {
                    message.note_block(block);
                }
            }
        }
        message
    }
}

impl Message {
    /// Whether it is this text and nothing else. Texts longer than what is kept of one are never equal to it.
    pub(super) fn is_just(&self, text: &str) -> bool {
        self.blocks == 1 && self.opening.as_deref() == Some(text)
    }

    fn note_said(&mut self, text: Option<String>) {
        self.says = true;
        if self.opening.is_none() {
            self.opening = text;
        }
    }

    fn note_block(&mut self, block: Block) {
        match (block.kind.0.as_deref(), block.id.0, block.tool_use_id.0) {
            (Some("tool_use"), Some(id), _) => self.calls.push(id),
            (Some("tool_result"), _, Some(id)) => {
                if matches!(block.content, Content::Said(text) if text.starts_with(INTERRUPTED)) {
                    self.interrupted += 1;
                }
                self.answers.push(id);
            }
            (Some("thinking" | "redacted_thinking"), _, _) => self.thinks = true,
            (Some("text"), _, _) => match block.text {
                Content::Nothing => {}
                Content::Said(text) => self.note_said(Some(text)),
                Content::Strange | Content::Blocks(_) => self.note_said(None),
            },
            _ => self.note_said(None),
        }
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = deserializer.deserialize_any(AnyOf(Shape::<Parts>::default()))?;
        Ok(match parts {
            Some(parts) => parts.into(),
            // A message that is no object says something we cannot take apart.
            None => Self { says: true, ..Self::default() },
        })
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Block {
    #[serde(rename = "type")]
    kind: Text,
    id: Text,
    tool_use_id: Text,
    text: Content,
    content: Content,
}

/// A block, or something in its place that is none.
struct AnyBlock(Block);

impl<'de> Deserialize<'de> for AnyBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let block = deserializer.deserialize_any(AnyOf(Shape::<Block>::default()))?;
        Ok(Self(block.unwrap_or_default()))
    }
}

/// Text or a list of blocks; of text only the beginning.
#[derive(Default)]
enum Content {
    /// Nothing, or blanks.
    #[default]
    Nothing,
    /// A text.
    Said(String),
    /// Blocks.
    Blocks(Vec<Block>),
    /// Something else.
    Strange,
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Content;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }
            fn visit_str<E>(self, text: &str) -> Result<Content, E> {
                let text = text.trim();
                Ok(if text.is_empty() {
                    Content::Nothing
                } else {
                    Content::Said(text.chars().take(OPENING).collect())
                })
            }
            fn visit_unit<E>(self) -> Result<Content, E> {
                Ok(Content::Nothing)
            }
            fn visit_bool<E>(self, _: bool) -> Result<Content, E> {
                Ok(Content::Strange)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Content, E> {
                Ok(Content::Strange)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Content, E> {
                Ok(Content::Strange)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Content, E> {
                Ok(Content::Strange)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Content, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Content::Strange)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = seq.next_element::<AnyBlock>()? {
                    blocks.push(block.0);
                }
                Ok(Content::Blocks(blocks))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// A scalar of any kind, or something else.
enum Loose {
    Null,
    Bool(bool),
    Text(String),
    Other,
}

impl From<Loose> for Text {
    fn from(loose: Loose) -> Self {
        Self(if let Loose::Text(text) = loose { Some(text) } else { None })
    }
}

impl From<Loose> for Flag {
    fn from(loose: Loose) -> Self {
        Self(matches!(loose, Loose::Bool(true)))
    }
}

impl From<Loose> for Named {
    fn from(loose: Loose) -> Self {
        match loose {
            Loose::Null => Self::Nothing,
            Loose::Text(text) => Self::Row(text),
            Loose::Bool(_) | Loose::Other => Self::Absent,
        }
    }
}

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyOf(Scalar))
    }
}

/// What one visitor makes of each shape of value.
trait Take<'de>: Sized {
    type Out;
    fn scalar(self, loose: Loose) -> Self::Out;
    fn map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Out, A::Error>;
}

/// Takes scalars.
struct Scalar;

impl<'de> Take<'de> for Scalar {
    type Out = Loose;
    fn scalar(self, loose: Loose) -> Loose {
        loose
    }
    fn map<A: MapAccess<'de>>(self, mut map: A) -> Result<Loose, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Loose::Other)
    }
}

/// Takes an object of a known shape, and `None` for anything else.
struct Shape<T>(std::marker::PhantomData<T>);

impl<T> Default for Shape<T> {
    fn default() -> Self {
        Self(std::marker::PhantomData)
    }
}

impl<'de, T: Deserialize<'de>> Take<'de> for Shape<T> {
    type Out = Option<T>;
    fn scalar(self, _: Loose) -> Option<T> {
        None
    }
    fn map<A: MapAccess<'de>>(self, map: A) -> Result<Option<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }
}

struct AnyOf<T>(T);

impl<'de, T: Take<'de>> Visitor<'de> for AnyOf<T> {
    type Value = T::Out;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_str<E>(self, text: &str) -> Result<T::Out, E> {
        Ok(self.0.scalar(Loose::Text(text.to_owned())))
    }
    fn visit_bool<E>(self, value: bool) -> Result<T::Out, E> {
        Ok(self.0.scalar(Loose::Bool(value)))
    }
    fn visit_unit<E>(self) -> Result<T::Out, E> {
        Ok(self.0.scalar(Loose::Null))
    }
    fn visit_i64<E>(self, _: i64) -> Result<T::Out, E> {
        Ok(self.0.scalar(Loose::Other))
    }
    fn visit_u64<E>(self, _: u64) -> Result<T::Out, E> {
        Ok(self.0.scalar(Loose::Other))
    }
    fn visit_f64<E>(self, _: f64) -> Result<T::Out, E> {
        Ok(self.0.scalar(Loose::Other))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<T::Out, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(self.0.scalar(Loose::Other))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T::Out, A::Error> {
        self.0.map(map)
    }
}
