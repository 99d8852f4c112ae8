//! `startup` in its normal form (SPEC 2).

use super::names::{ImageName, ImageVersion};
use super::paths::SafePath;
use super::prose::Script;
use super::words::{ActionPhase, ActionType, DeliveryHint, FileKind, StartKind};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// What is delivered to a seat, and done in it, when it starts. Empty equals absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Startup {
    /// Files, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<StartupFile>,
    /// Actions, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<StartupAction>,
}

impl Startup {
    /// Whether nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.actions.is_empty()
    }
}

/// One entry of `startup.files`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartupFile {
    /// What it is.
    pub content: StartupContent,
    /// How it reaches the seat; absent: not said.
    pub delivery_hint: Option<DeliveryHint>,
    /// Whether the seat needs it. True where absent.
    pub required: bool,
    /// When it is delivered. Both where absent.
    pub applies_on: AppliesOn,
}

/// A file, or a context pack by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartupContent {
    /// `kind: file`, which is the default.
    File {
        /// Below the spec's directory.
        path: SafePath,
    },
    /// `kind: context_pack`.
    ContextPack {
        /// The pack.
        name: ImageName,
        /// Its version, kept as written.
        version: Option<ImageVersion>,
    },
}

/// One entry of `startup.actions`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct StartupAction {
    /// What it does.
    #[serde(rename = "type")]
    pub action: ActionType,
    /// What is typed, byte for byte.
    pub value: Script,
    /// When it is due; absent: after the files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<ActionPhase>,
    /// Whether doing it twice does no harm.
    pub idempotent: bool,
    /// When it is done. Both where absent; never on restore where it is not idempotent.
    #[serde(skip_serializing_if = "AppliesOn::is_default")]
    pub applies_on: AppliesOn,
}

/// The starts an entry is for: at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AppliesOn {
    /// A fresh start and a restore.
    #[default]
    Both,
    /// A fresh start alone.
    FreshStart,
    /// A restore alone.
    Restore,
}

impl AppliesOn {
    /// The starts of a list in any order, repeated or not; none for an empty list.
    pub fn of(starts: &[StartKind]) -> Option<Self> {
        match (starts.contains(&StartKind::FreshStart), starts.contains(&StartKind::Restore)) {
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::FreshStart),
            (false, true) => Some(Self::Restore),
            (false, false) => None,
        }
    }

    /// The starts, in the order of the SPEC.
    pub const fn starts(self) -> &'static [StartKind] {
        match self {
            Self::Both => StartKind::ALL,
            Self::FreshStart => &[StartKind::FreshStart],
            Self::Restore => &[StartKind::Restore],
        }
    }

    /// Whether an entry is for this start.
    pub fn includes(self, start: StartKind) -> bool {
        self.starts().contains(&start)
    }

    /// Whether it says no more than an absent key.
    pub fn is_default(&self) -> bool {
        *self == Self::Both
    }
}

impl Serialize for AppliesOn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.starts().len()))?;
        for start in self.starts() {
            list.serialize_element(start)?;
        }
        list.end()
    }
}

impl Serialize for StartupFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { content, delivery_hint, required, applies_on } = self;
        let mut map = serializer.serialize_map(None)?;
        match content {
            StartupContent::File { path } => map.serialize_entry("path", path)?,
            StartupContent::ContextPack { name, version } => {
                map.serialize_entry("kind", &FileKind::ContextPack)?;
                map.serialize_entry("name", name)?;
                if let Some(version) = version {
                    map.serialize_entry("version", version)?;
                }
            }
        }
        if let Some(hint) = delivery_hint {
            map.serialize_entry("delivery_hint", hint)?;
        }
        if !required {
            map.serialize_entry("required", required)?;
        }
        if !applies_on.is_default() {
            map.serialize_entry("applies_on", applies_on)?;
        }
        map.end()
    }
}
