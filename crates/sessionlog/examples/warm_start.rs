//! Makes a warm-started child of a session: `warm_start WORKSPACE SEED [CHILD]`.

use camino::Utf8Path;
use jiff::Timestamp;
use seatfork_sessionlog::{
    CacheFacts, PermissionMode, Posture, SeedRequest, SessionId, Workspace, WorkspaceMode,
    seed_child_log,
};
use std::error::Error;
use std::io::Write;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(workspace), Some(seed)) = (words.next(), words.next()) else {
        return Err("usage: warm_start WORKSPACE SEED [CHILD]".into());
    };
    let at = Timestamp::now();
    let child = match words.next() {
        Some(child) => SessionId::for_new_log(child)?,
        None => SessionId::generate(at)?,
    };
    let (workspace, seed) = (Workspace::open(Utf8Path::new(&workspace))?, SessionId::new(seed)?);
    // What the child may do comes from here, never from the seed.
    let posture = Posture {
        permission: PermissionMode::ReadOnly,
        workspace_mode: WorkspaceMode::Shared,
        holder: "example".into(),
    };
    let seeded = seed_child_log(&SeedRequest {
        workspace: &workspace,
        seed: &seed,
        child_workspace: &workspace,
        child: &child,
        posture: Some(&posture),
        cache: CacheFacts::default(),
        at,
    })?;
    writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&seeded)?)?;
    Ok(())
}
