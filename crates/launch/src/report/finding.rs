//! What deserves a look and stops nothing.

use seatfork_schema::LaunchCode;
use serde::Serialize;

/// Something that deserves a look and stopped nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The stable code.
    pub code: LaunchCode,
    /// What was seen.
    pub message: String,
}

impl Finding {
    /// A finding.
    pub fn new(code: LaunchCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Whether `--strict` makes it exit 6: the spec and the seat differ, or a seat serves something else (SPEC 7).
    pub fn is_strict(&self) -> bool {
        matches!(
            self.code,
            LaunchCode::SeatDiffers
                | LaunchCode::NotInSpec
                | LaunchCode::ServesAnotherConversation
                | LaunchCode::OrphanFound
        )
    }
}
