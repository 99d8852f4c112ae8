//! `session_source` and `starter_ref` in their normal form (SPEC 3).

use super::names::{ImageName, ImageVersion, StarterName};
use super::paths::ArtifactPath;
use super::words::SourceMode;
use crate::conversation::NativeId;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// What a new seat starts from: a launch-time input, declared, used once, then history (SPEC 1, 3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionSource {
    /// A new conversation, started by the runtime from a prior one.
    Fork {
        /// The prior conversation's own id, never changed.
        native_id: NativeId,
    },
    /// A fresh conversation seeded from files.
    Rebuild {
        /// At least one, highest trust first.
        paths: Vec<ArtifactPath>,
    },
    /// A fork of the conversation a named image refers to.
    AgentImage {
        /// The image.
        name: ImageName,
        /// Its version; the newest where absent.
        version: Option<ImageVersion>,
    },
}

impl SessionSource {
    /// The mode it stands under.
    pub const fn mode(&self) -> SourceMode {
        match self {
            Self::Fork { .. } => SourceMode::Fork,
            Self::Rebuild { .. } => SourceMode::Rebuild,
            Self::AgentImage { .. } => SourceMode::AgentImage,
        }
    }
}

/// Serializes as the spec is written: `{mode, ref: {kind, value, version?}}`.
impl Serialize for SessionSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("mode", &self.mode())?;
        map.serialize_entry("ref", &Ref(self))?;
        map.end()
    }
}

struct Ref<'a>(&'a SessionSource);

impl Serialize for Ref<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.0 {
            SessionSource::Fork { native_id } => {
                map.serialize_entry("kind", "native_id")?;
                map.serialize_entry("value", native_id)?;
            }
            SessionSource::Rebuild { paths } => {
                map.serialize_entry("kind", "artifact_set")?;
                map.serialize_entry("value", paths)?;
            }
            SessionSource::AgentImage { name, version } => {
                map.serialize_entry("kind", "image_name")?;
                map.serialize_entry("value", name)?;
                if let Some(version) = version {
                    map.serialize_entry("version", version)?;
                }
            }
        }
        map.end()
    }
}

/// A named list of artifacts applied on a fresh start (SPEC 3, 12).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct StarterRef {
    /// The starter's name.
    pub name: StarterName,
}
