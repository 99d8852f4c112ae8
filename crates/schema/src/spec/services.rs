//! `services` in its normal form (SPEC 2). seatfork reads it and does not act on it.

use super::names::ProjectName;
use super::paths::SafePath;
use super::prose::{Line, Script};
use super::words::{DownPolicy, ServicesKind, WaitCondition};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// What runs beside a rig.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Services {
    /// Who runs it.
    pub kind: ServicesKind,
    /// The compose file.
    pub compose_file: SafePath,
    /// The compose project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_name: Option<ProjectName>,
    /// Compose profiles. Empty equals absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<Line>,
    /// What becomes of it when the rig goes down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub down_policy: Option<DownPolicy>,
    /// What must answer before seats start. Empty equals absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wait_for: Vec<WaitFor>,
    /// Where people find it. Empty equals absent.
    #[serde(skip_serializing_if = "Surfaces::is_empty")]
    pub surfaces: Surfaces,
    /// How its data is taken and brought back. Empty equals absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<Checkpoint>,
}

/// One thing to wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitFor {
    /// A service's condition.
    Service {
        /// The service.
        service: Line,
        /// Its condition.
        condition: WaitCondition,
    },
    /// A url that answers.
    Url {
        /// The url.
        url: Line,
    },
    /// A TCP address that answers.
    Tcp {
        /// `host:port`.
        tcp: Line,
    },
}

impl Serialize for WaitFor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Service { service, condition } => {
                map.serialize_entry("service", service)?;
                map.serialize_entry("condition", condition)?;
            }
            Self::Url { url } => map.serialize_entry("url", url)?,
            Self::Tcp { tcp } => map.serialize_entry("tcp", tcp)?,
        }
        map.end()
    }
}

/// Where people find the services.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Surfaces {
    /// Pages to open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub urls: Vec<SurfaceUrl>,
    /// Commands to run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<SurfaceCommand>,
}

impl Surfaces {
    /// Whether nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.urls.is_empty() && self.commands.is_empty()
    }
}

/// A page to open.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SurfaceUrl {
    /// What it is.
    pub name: Line,
    /// Where it is.
    pub url: Line,
}

/// A command to run.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SurfaceCommand {
    /// What it is.
    pub name: Line,
    /// The command.
    pub command: Script,
}

/// How the data of a service is taken and brought back.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Checkpoint {
    /// Its id.
    pub id: Line,
    /// The command that takes it.
    pub export: Script,
    /// The command that brings it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub import: Option<Script>,
}
