//! A seat's permission policy as the posture of its log (SPEC 6 Permissions).

use crate::contract::failure::PlanRefusal;
use crate::contract::plan::{Posture, SeatWish};
use seatfork_schema::LaunchCode;
use seatfork_sessionlog::{PermissionMode, WritePolicy};

/// The posture of a policy: from the spec alone, whatever the seed's was.
///
/// | policy | posture |
/// |---|---|
/// | absent, `none`, `builtin:standard` | `ask` |
/// | `builtin:locked` | `read_only` |
/// | `builtin:open` | `auto`, with a write policy bounded to the workspace |
/// | `builtin:yolo` | refused: there is no posture without bounds |
pub(super) fn posture(wish: &SeatWish) -> Result<Posture, PlanRefusal> {
    let refused = |why: String, help: &str| PlanRefusal {
        code: LaunchCode::PermissionPolicyUnsupported,
        message: format!("{}: {why}", wish.seat_name),
        help: Some(help.to_owned()),
    };
    match wish.permission.as_deref() {
        None | Some("none" | "builtin:standard") => Ok(Posture::Ask),
        Some("builtin:locked") => Ok(Posture::ReadOnly),
        Some("builtin:open") => Ok(Posture::AutoInWorkspace),
        Some("builtin:yolo") => Err(refused(
            "builtin:yolo has no bounds, and a session log's posture always has some".to_owned(),
            "choose builtin:open, which is bounded to the workspace",
        )),
        Some(path) => Err(refused(
            format!(
                "the permission policy {path:?} is a file, and no format for such files exists yet"
            ),
            "choose none, builtin:locked, builtin:standard or builtin:open",
        )),
    }
}

/// The same as a log holds it. Its own logs are no part of what a seat may write.
pub(super) fn mode(posture: Posture) -> PermissionMode {
    let everything_but = |denied: &str| {
        WritePolicy::bounded("seatfork-workspace", vec!["**/*".to_owned()], vec![denied.to_owned()])
    };
    match posture {
        Posture::ReadOnly => PermissionMode::ReadOnly,
        Posture::Ask => PermissionMode::Ask,
        Posture::AutoInWorkspace => PermissionMode::Auto(everything_but(".pixir/**")),
    }
}

/// The flag that a program in a pane is given.
///
/// `auto` within bounds has none that holds for a whole session, so a pane asks: less than the policy allows, never
/// more.
pub(super) fn flag(posture: Posture) -> &'static str {
    match posture {
        Posture::ReadOnly => "--read-only",
        Posture::Ask | Posture::AutoInWorkspace => "--ask",
    }
}

/// What `plan` shows of it.
pub(super) fn shown(posture: Posture, has_pane: bool) -> Vec<String> {
    let mut shown = vec![format!("permission_mode={}", mode(posture).name())];
    if posture == Posture::AutoInWorkspace {
        shown.push("write_policy=workspace".to_owned());
    }
    if has_pane {
        shown.push(flag(posture).to_owned());
    }
    shown
}
