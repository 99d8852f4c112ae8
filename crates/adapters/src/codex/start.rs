//! The commands: phase 1, which makes the conversation headless, and the pane (SPEC 6).

use super::abilities::{
    EXEC_FORK, NO_DAEMON, PROFILE, SERVER_FORK, SERVER_NOTE, SERVER_START, has,
};
use super::config::all_off;
use super::permission::posture;
use super::server;
use crate::contract::environment::NONCE_VAR;
use crate::contract::evidence::Evidence;
use crate::contract::failure::PlanRefusal;
use crate::contract::notice;
use crate::contract::plan::{Binary, PaneStart, Phase1, Phase1Ask, ProcessPlan, SeatWish};
use seatfork_schema::LaunchCode;
use std::time::Duration;

/// Phase 1 without a source, and what one of 5 MB more takes (SPEC 6 Deadlines).
const DEADLINE: Duration = Duration::from_secs(30);
const BYTES_PER_SECOND: u64 = 5_000_000;

/// How long a pane may take to be ready.
const READY: Duration = Duration::from_secs(20);

/// Settings of phase 1, for that one command: it tells nobody, asks for no update, and brings up nothing but itself.
const QUIET: &[&str] = &[
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    "features.apps=false",
    "features.hooks=false",
    "features.plugins=false",
];

/// The mark of a launch in the record of its child (SPEC 7).
pub(super) fn mark(nonce: &str) -> String {
    format!("seatfork-{nonce}")
}

/// What stops at plan, before anything is started.
pub(super) fn check(wish: &SeatWish, binary: &Binary) -> Vec<PlanRefusal> {
    let mut refused: Vec<PlanRefusal> = posture(wish).err().into_iter().collect();
    if let Some(profile) = &wish.codex_config_profile
        && !has(binary, PROFILE)
    {
        refused.push(PlanRefusal {
            code: LaunchCode::BinaryTooOld,
            message: format!(
                "{}: Codex {} takes no --profile, and the member asks for {profile}",
                wish.seat_name, binary.version
            ),
            help: Some("update Codex, or take codex_config_profile out of the member".to_owned()),
        });
    }
    refused
}

/// How the conversation comes to be.
pub(super) fn phase1(ask: &Phase1Ask<'_>) -> Result<Phase1, PlanRefusal> {
    let Phase1Ask { wish, binary, source, child, .. } = *ask;
    let inconsistent =
        |message: String| PlanRefusal { code: LaunchCode::PlanInconsistent, message, help: None };
    if child.is_some() {
        return Err(inconsistent("Codex chooses the id of a new conversation itself".to_owned()));
    }
    if wish.wants_fork != source.is_some() {
        let message =
            format!("{}: a fork needs its source, and only a fork has one", wish.seat_name);
        return Err(inconsistent(message));
    }
    if let Some(source) = source
        && !source.native_id.is_lowercase_uuid()
    {
        return Err(inconsistent(format!("{} is no lower-case UUID", source.native_id)));
    }
    let posture = posture(wish)?;
    // The server takes no profile, and a conversation made without it belongs to another model provider.
    let by_server = |ability| wish.codex_config_profile.is_none() && has(binary, ability);
    match source {
        Some(source) if by_server(SERVER_FORK) => {
            let note = told(wish, binary);
            let dialogue = server::fork(ask, source, posture, note.as_deref());
            Ok(headless(ask, &["app-server"], Some(dialogue)))
        }
        Some(source) if has(binary, EXEC_FORK) => {
            let mark = mark(ask.nonce);
            let mut words = vec!["exec", "fork"];
            words.extend(["--json", "--skip-git-repo-check", "--thread-source", &mark]);
            if let Some(model) = &wish.model {
                words.extend(["-m", model]);
            }
            words.push(source.native_id.as_str());
            Ok(headless(ask, &words, None))
        }
        None if by_server(SERVER_START) => {
            Ok(headless(ask, &["app-server"], Some(server::start(ask, posture))))
        }
        _ => Ok(Phase1::InPane),
    }
}

/// What a fork is told of itself, where the binary can tell it without a model call.
pub(super) fn told(wish: &SeatWish, binary: &Binary) -> Option<String> {
    let tells = wish.notice && wish.wants_fork && has(binary, SERVER_NOTE);
    tells.then(|| notice::text(&wish.seat_name))
}

fn headless(
    ask: &Phase1Ask<'_>,
    words: &[&str],
    dialogue: Option<crate::contract::dialogue::Dialogue>,
) -> Phase1 {
    let mut argv = vec![ask.binary.path.to_string()];
    if let Some(profile) = &ask.wish.codex_config_profile {
        argv.extend(["--profile".to_owned(), profile.clone()]);
    }
    // The settings go before the id, which stands last.
    let (last, before) = match words {
        [before @ .., last] if dialogue.is_none() => (Some(*last), before),
        all => (None, all),
    };
    argv.extend(before.iter().map(|word| (*word).to_owned()));
    let off = all_off(ask.surroundings);
    let settings = QUIET.iter().map(|setting| (*setting).to_owned()).chain(off);
    argv.extend(settings.flat_map(|setting| ["-c".to_owned(), setting]));
    argv.extend(last.map(ToOwned::to_owned));
    let bytes = ask.source.map_or(0, whole_bytes);
    Phase1::Headless(Box::new(ProcessPlan {
        argv,
        cwd: ask.wish.cwd.clone(),
        set_env: vec![(NONCE_VAR.to_owned(), ask.nonce.to_owned())],
        unset_env: Vec::new(),
        deadline: DEADLINE + Duration::from_secs(bytes.div_ceil(BYTES_PER_SECOND)),
        dialogue,
    }))
}

/// All bytes a source's history lives in.
fn whole_bytes(source: &Evidence) -> u64 {
    source.bytes + source.ancestors.iter().map(|range| range.to - range.from).sum::<u64>()
}

/// The command of the pane. Its permission, model and profile go with every start.
pub(super) fn pane(
    wish: &SeatWish,
    binary: &Binary,
    start: PaneStart<'_>,
) -> Result<ProcessPlan, PlanRefusal> {
    let posture = posture(wish)?;
    let mut argv = vec![binary.path.to_string()];
    let id = match start {
        PaneStart::Resume(token) => {
            argv.push("resume".to_owned());
            Some(token.conversation().native_id.as_str())
        }
        PaneStart::Fork(source) => {
            argv.push("fork".to_owned());
            Some(source.native_id.as_str())
        }
        PaneStart::Fresh => None,
    };
    if has(binary, NO_DAEMON) {
        argv.push("--no-daemon".to_owned());
    }
    argv.extend(["-C".to_owned(), wish.cwd.to_string()]);
    argv.extend(posture.flags());
    if let Some(model) = &wish.model {
        argv.extend(["-m".to_owned(), model.clone()]);
    }
    if let Some(profile) = &wish.codex_config_profile {
        argv.extend(["--profile".to_owned(), profile.clone()]);
    }
    argv.extend(["-c".to_owned(), "check_for_update_on_startup=false".to_owned()]);
    argv.extend(id.map(ToOwned::to_owned));
    Ok(ProcessPlan {
        argv,
        cwd: wish.cwd.clone(),
        set_env: Vec::new(),
        unset_env: Vec::new(),
        deadline: READY,
        dialogue: None,
    })
}
