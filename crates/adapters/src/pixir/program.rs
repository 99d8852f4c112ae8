//! The program `pixir`, where one is installed: asked for its version, given a resume, and seen.

use super::permission;
use crate::binary::{PROBE_DEADLINE, ask, find, stamp_of, strange};
use crate::contract::environment::SeatEnv;
use crate::contract::failure::{PlanRefusal, ProbeError};
use crate::contract::plan::{Binary, PaneStart, ProcessPlan, SeatWish};
use crate::contract::watch::Observation;
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_process::ProcessId;
use seatfork_schema::{ConversationId, LaunchCode, NativeId, Runtime, Scope};
use std::time::Duration;

const PROGRAM: &str = "pixir";

/// The ability of a program that serves a log in a pane; this build has it not.
const RESUME: &str = "resume";

/// How long a pane may take, where nothing else is said.
const DEADLINE: Duration = Duration::from_secs(20);

pub(super) async fn probe(env: &SeatEnv, rig_root: &Utf8Path) -> Result<Binary, ProbeError> {
    match find(PROGRAM, env, rig_root) {
        Ok(path) => {
            let answer = ask(&path, &["--version"], env, &[], PROBE_DEADLINE).await?;
            let version = answer.split_whitespace().last().unwrap_or_default().to_owned();
            if !version.starts_with(|c: char| c.is_ascii_digit()) {
                return Err(strange(&path, "--version", &answer));
            }
            binary(path, version, vec![RESUME.to_owned()])
        }
        Err(ProbeError::Missing { .. }) => {
            let own = |source| ProbeError::Io { path: "/proc/self/exe".into(), source };
            let path = std::env::current_exe().map_err(own)?;
            let path = Utf8PathBuf::from_path_buf(path).map_err(|path| {
                own(std::io::Error::other(format!("{} is no text", path.display())))
            })?;
            let version = format!("seatfork {}", env!("CARGO_PKG_VERSION"));
            binary(path, version, Vec::new())
        }
        Err(other) => Err(other),
    }
}

fn binary(
    path: Utf8PathBuf,
    version: String,
    abilities: Vec<String>,
) -> Result<Binary, ProbeError> {
    let stamp = stamp_of(&path).map_err(|source| ProbeError::Io { path: path.clone(), source })?;
    let (device, inode) = (stamp.device, stamp.inode);
    Ok(Binary { path, device, inode, stamp: stamp.stamp, version, abilities })
}

/// Whether the binary serves a log in a pane.
pub(super) fn serves(binary: &Binary) -> bool {
    binary.abilities.iter().any(|ability| ability == RESUME)
}

/// The program's own resume, in the workspace the log belongs to: it looks nowhere else.
pub(super) fn pane(
    wish: &SeatWish,
    binary: &Binary,
    start: PaneStart<'_>,
) -> Result<ProcessPlan, PlanRefusal> {
    let inconsistent = |why: &str| PlanRefusal {
        code: LaunchCode::PlanInconsistent,
        message: format!("{}: {why}", wish.seat_name),
        help: None,
    };
    let PaneStart::Resume(token) = start else {
        return Err(inconsistent("a pixir pane resumes its own conversation, and has none"));
    };
    if !serves(binary) {
        return Err(inconsistent("no pixir program is installed, so there is no pane"));
    }
    let ConversationId { scope, native_id, .. } = token.conversation();
    let flag = permission::flag(permission::posture(wish)?);
    let argv = [binary.path.as_str(), flag, RESUME, native_id.as_str()];
    Ok(ProcessPlan {
        argv: argv.map(str::to_owned).into(),
        cwd: Utf8PathBuf::from(scope.as_str()),
        set_env: Vec::new(),
        unset_env: Vec::new(),
        deadline: DEADLINE,
        dialogue: None,
    })
}

/// What a pane's process serves, by the words it was started with and the directory it is in.
pub(super) fn observe(pane: ProcessId) -> Observation {
    match pane.alive() {
        Ok(true) => {}
        Ok(false) => return Observation::Gone,
        // A look that failed says nothing.
        Err(_) => return Observation::Unknown,
    }
    serving(pane.pid).map_or(Observation::Unknown, |conversation| Observation::Serving {
        conversation,
        ready: true,
    })
}

fn serving(pid: u32) -> Option<ConversationId> {
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let mut words = words.split(|byte| *byte == 0).skip_while(|word| *word != RESUME.as_bytes());
    let id = std::str::from_utf8(words.nth(1)?).ok()?;
    let native_id = NativeId::for_runtime(Runtime::Pixir, id).ok()?;
    let cwd = std::fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
    let scope = Scope::workspace(cwd.to_str()?);
    Some(ConversationId { runtime: Runtime::Pixir, scope, native_id })
}
