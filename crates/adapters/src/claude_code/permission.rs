//! A seat's permission policy as explicit flags (SPEC 6 Permissions).

use super::abilities::mode_ability;
use crate::contract::failure::PlanRefusal;
use crate::contract::plan::{Binary, SeatWish};
use seatfork_schema::LaunchCode;

/// The flags of a policy; every start of a seat carries them, so nothing is inherited from a source.
///
/// | policy | Claude Code |
/// |---|---|
/// | absent, `none`, `builtin:standard` | `default`, or `manual` where the version calls it so |
/// | `builtin:locked` | `plan` |
/// | `builtin:open` | `acceptEdits` |
/// | `builtin:yolo` | `bypassPermissions`, only with `--allow-yolo` |
pub(super) fn flags(wish: &SeatWish, binary: &Binary) -> Result<[String; 2], PlanRefusal> {
    let choices: &[&str] = match wish.permission.as_deref() {
        None | Some("none" | "builtin:standard") => &["manual", "default"],
        Some("builtin:locked") => &["plan"],
        Some("builtin:open") => &["acceptEdits"],
        Some("builtin:yolo") if wish.allow_yolo => &["bypassPermissions"],
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
    let offered = |mode: &&&str| binary.abilities.contains(&mode_ability(mode));
    match choices.iter().find(offered) {
        Some(mode) => Ok(["--permission-mode".to_owned(), (*mode).to_owned()]),
        None => Err(PlanRefusal {
            code: LaunchCode::PermissionPolicyUnsupported,
            message: format!(
                "{}: Claude Code {} has no permission mode {}",
                wish.seat_name,
                binary.version,
                choices.join(" or ")
            ),
            help: Some("choose another policy, or another version".to_owned()),
        }),
    }
}
