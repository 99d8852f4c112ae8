//! A new log: planned as data, then written whole or not at all (SPEC 6, 7).

use super::look::{chain, session};
use super::permission;
use crate::contract::failure::{Phase1Refusal, PlanRefusal};
use crate::contract::plan::{Phase1Ask, Seed, WritePlan};
use camino::Utf8PathBuf;
use jiff::Timestamp;
use seatfork_schema::{ConversationId, LaunchCode, PlannedChild};
use seatfork_sessionlog::{
    CacheFacts, CreateError, Posture, SeedError, SeedRequest, Workspace, WorkspaceMode, create_log,
    seed_child_log,
};

/// What is to be written.
pub(super) fn plan(ask: &Phase1Ask<'_>) -> Result<WritePlan, PlanRefusal> {
    let Phase1Ask { wish, source, child, nonce, .. } = *ask;
    let refused = |code, message: String| PlanRefusal { code, message, help: None };
    let inconsistent =
        |why: &str| refused(LaunchCode::PlanInconsistent, format!("{}: {why}", wish.seat_name));
    let Some(child) = child.map(PlannedChild::conversation) else {
        return Err(inconsistent("a session log needs its id chosen beforehand"));
    };
    if wish.wants_fork != source.is_some() {
        return Err(inconsistent("a fork needs its source, and only a fork has one"));
    }
    let ConversationId { scope, native_id, .. } = child;
    if scope.as_str().is_empty() {
        return Err(inconsistent("a session log belongs to a workspace"));
    }
    if let Some(source) = source
        && source.native_id.as_str().eq_ignore_ascii_case(native_id.as_str())
    {
        let message = format!("the child's id {native_id} is the source's");
        return Err(refused(LaunchCode::ChildIsSource, message));
    }
    Ok(WritePlan {
        child: native_id.clone(),
        workspace: Utf8PathBuf::from(scope.as_str()),
        // The seed is read from the seat's cwd and nowhere else, wherever the child goes.
        seed: source.map(|source| Seed {
            native_id: source.native_id.clone(),
            workspace: wish.cwd.clone(),
        }),
        posture: permission::posture(wish)?,
        seat: wish.seat_name.clone(),
        nonce: nonce.to_owned(),
    })
}

/// Writes it.
pub(super) fn write(plan: &WritePlan, at: Timestamp) -> Result<(), Phase1Refusal> {
    let failed = |message: String| Phase1Refusal { code: LaunchCode::Phase1Failed, message };
    let open = |path| Workspace::open(path).map_err(|error| failed(chain(&error)));
    let workspace = open(&plan.workspace)?;
    let child = session(&plan.child).map_err(failed)?;
    let posture = Posture {
        permission: permission::mode(plan.posture),
        workspace_mode: WorkspaceMode::Shared,
        holder: plan.seat.clone(),
    };
    let Some(seed) = &plan.seed else {
        let made = create_log(&workspace, &child, Some(&posture), at);
        return made.map(|_path| ()).map_err(|error| {
            let code = match error {
                CreateError::AlreadyExists { .. } => LaunchCode::ChildIdTaken,
                CreateError::Leased { .. } => LaunchCode::ConversationInUse,
                _ => LaunchCode::Phase1Failed,
            };
            Phase1Refusal { code, message: chain(&error) }
        });
    };
    let request = SeedRequest {
        workspace: &open(&seed.workspace)?,
        seed: &session(&seed.native_id).map_err(failed)?,
        child_workspace: &workspace,
        child: &child,
        posture: Some(&posture),
        cache: CacheFacts::default(),
        at,
    };
    seed_child_log(&request).map(|_seeded| ()).map_err(|error| {
        let code = match error {
            SeedError::AlreadyExists { .. } => LaunchCode::ChildIdTaken,
            SeedError::Leased { .. } => LaunchCode::ConversationInUse,
            _ => LaunchCode::Phase1Failed,
        };
        Phase1Refusal { code, message: chain(&error) }
    })
}
