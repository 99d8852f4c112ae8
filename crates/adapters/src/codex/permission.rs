//! A seat's permission policy as explicit flags (SPEC 6 Permissions).

use crate::contract::failure::PlanRefusal;
use crate::contract::plan::SeatWish;
use seatfork_schema::LaunchCode;

/// What a policy asks of Codex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posture {
    /// When a person is asked.
    pub(super) approval: &'static str,
    /// Where commands may write.
    pub(super) sandbox: &'static str,
}

impl Posture {
    /// As the words of a command.
    pub(super) fn flags(self) -> [String; 4] {
        ["-a", self.approval, "-s", self.sandbox].map(ToOwned::to_owned)
    }
}

/// The posture of a policy; every start of a seat carries it, so nothing is inherited from a source.
///
/// | policy | Codex |
/// |---|---|
/// | absent, `none`, `builtin:standard` | `-a on-request -s workspace-write` |
/// | `builtin:locked` | `-a on-request -s read-only` |
/// | `builtin:open` | `-a never -s workspace-write` |
/// | `builtin:yolo` | `-a never -s danger-full-access`, only with `--allow-yolo` |
pub(super) fn posture(wish: &SeatWish) -> Result<Posture, PlanRefusal> {
    let (approval, sandbox) = match wish.permission.as_deref() {
        None | Some("none" | "builtin:standard") => ("on-request", "workspace-write"),
        Some("builtin:locked") => ("on-request", "read-only"),
        Some("builtin:open") => ("never", "workspace-write"),
        Some("builtin:yolo") if wish.allow_yolo => ("never", "danger-full-access"),
        Some("builtin:yolo") => {
            return Err(PlanRefusal {
                code: LaunchCode::YoloNotAllowed,
                message: format!("{}: builtin:yolo bypasses every permission", wish.seat_name),
                help: Some("say --allow-yolo, or choose another policy".to_owned()),
            });
        }
        Some(path) => {
            return Err(PlanRefusal {
                code: LaunchCode::PermissionPolicyUnsupported,
                message: format!(
                    "{}: the permission policy {path:?} is a file, and no format for such files exists yet",
                    wish.seat_name
                ),
                help: Some(
                    "choose none, builtin:locked, builtin:standard, builtin:open or builtin:yolo"
                        .to_owned(),
                ),
            });
        }
    };
    Ok(Posture { approval, sandbox })
}
