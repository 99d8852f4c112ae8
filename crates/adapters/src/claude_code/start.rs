//! The commands: phase 1, which makes the conversation headless, and the pane (SPEC 6).

use super::permission;
use crate::contract::environment::NONCE_VAR;
use crate::contract::failure::{Phase1Refusal, PlanRefusal};
use crate::contract::plan::{Binary, PaneStart, Phase1Ask, Phase1Output, ProcessPlan, SeatWish};
use seatfork_schema::{
    ConversationId, LaunchCode, NativeId, PlannedChild, Runtime, SourceId, printable,
};
use serde::Deserialize;
use std::time::Duration;

/// Phase 1 without a source, and what one of 5 MB more takes (SPEC 6 Deadlines).
const DEADLINE: Duration = Duration::from_secs(30);
const BYTES_PER_SECOND: u64 = 5_000_000;

/// Set in phase 1: a model call becomes physically impossible, the binary stays as it is. The driver gives a headless
/// command none of the pane's keys, other ways to a model, or proxies, which the dead end would go through.
const DEAD_END: &[(&str, &str)] = &[
    ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9"),
    ("ANTHROPIC_API_KEY", "unused"),
    ("DISABLE_AUTOUPDATER", "1"),
];

/// What stops at plan, before anything is started.
pub(super) fn check(wish: &SeatWish, binary: &Binary) -> Vec<PlanRefusal> {
    permission::flags(wish, binary).err().into_iter().collect()
}

/// The headless command that makes the child.
///
/// The source is named by the absolute path of the very file that was judged.
/// Both known versions take it from any working directory, where an id alone
/// is looked up in the working directory's project (2.1.197) or refused as
/// ambiguous; and no other file can be meant.
pub(super) fn phase1(ask: &Phase1Ask<'_>) -> Result<ProcessPlan, PlanRefusal> {
    let Phase1Ask { wish, binary, source, child, nonce, .. } = *ask;
    let refused = |code, message: String| PlanRefusal { code, message, help: None };
    let Some(child) = child.map(|child| &child.conversation().native_id) else {
        return Err(refused(
            LaunchCode::PlanInconsistent,
            "a Claude Code child needs its id chosen beforehand".to_owned(),
        ));
    };
    if wish.wants_fork != source.is_some() {
        // A fork flag without a resume flag makes a fresh conversation and says nothing (and the other way round).
        let message =
            format!("{}: a fork needs its source, and only a fork has one", wish.seat_name);
        return Err(refused(LaunchCode::PlanInconsistent, message));
    }
    if let Some(source) = source
        && source.native_id.as_str().eq_ignore_ascii_case(child.as_str())
    {
        let message =
            format!("the child's id {child} is the source's: the source would be written to");
        return Err(refused(LaunchCode::ChildIsSource, message));
    }
    if !child.is_lowercase_uuid() {
        return Err(refused(
            LaunchCode::PlanInconsistent,
            format!("the child's id {child} is no lower-case UUID"),
        ));
    }
    permission::flags(wish, binary)?;
    let mut argv = vec![binary.path.to_string(), "-p".to_owned()];
    if let Some(source) = source {
        argv.extend(["--resume".to_owned(), source.path.to_string(), "--fork-session".to_owned()]);
    }
    argv.extend(
        [
            "--session-id",
            child.as_str(),
            "--name",
            &wish.seat_name,
            "--output-format",
            "json",
            "--safe-mode",
            "--disable-slash-commands",
            "/cost",
        ]
        .map(ToOwned::to_owned),
    );
    let set = DEAD_END.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let mark = (NONCE_VAR.to_owned(), nonce.to_owned());
    let bytes = source.map_or(0, |source| source.bytes);
    Ok(ProcessPlan {
        argv,
        cwd: wish.cwd.clone(),
        set_env: set.chain([mark]).collect(),
        unset_env: Vec::new(),
        deadline: DEADLINE + Duration::from_secs(bytes.div_ceil(BYTES_PER_SECOND)),
        dialogue: None,
    })
}

/// The command of the pane: a plain resume of the seat's own token. No fork flag, no prompt.
pub(super) fn pane(
    wish: &SeatWish,
    binary: &Binary,
    start: PaneStart<'_>,
) -> Result<ProcessPlan, PlanRefusal> {
    let PaneStart::Resume(token) = start else {
        return Err(PlanRefusal {
            code: LaunchCode::PlanInconsistent,
            message: format!(
                "{}: a Claude Code pane resumes its own conversation, and has none",
                wish.seat_name
            ),
            help: None,
        });
    };
    let mut argv = vec![binary.path.to_string()];
    argv.extend(
        ["--resume", token.conversation().native_id.as_str(), "--name", &wish.seat_name]
            .map(ToOwned::to_owned),
    );
    argv.extend(permission::flags(wish, binary)?);
    if let Some(model) = &wish.model {
        argv.extend(["--model".to_owned(), model.clone()]);
    }
    Ok(ProcessPlan {
        argv,
        cwd: wish.cwd.clone(),
        set_env: Vec::new(),
        unset_env: Vec::new(),
        deadline: Duration::from_secs(20),
        dialogue: None,
    })
}

/// What phase 1 says when it is done. Only what must hold is read.
#[derive(Deserialize)]
struct Said {
    session_id: String,
    is_error: bool,
    num_turns: u64,
    duration_api_ms: f64,
    result: Option<String>,
}

/// Takes the child's id out of what phase 1 said. It is an answer, not a proof: a read-only home says success too.
pub(super) fn learn(
    source: Option<&SourceId>,
    child: Option<&PlannedChild>,
    output: &Phase1Output,
) -> Result<ConversationId, Phase1Refusal> {
    let refused = |code, message: String| Err(Phase1Refusal { code, message });
    if output.timed_out {
        return refused(
            LaunchCode::Phase1Timeout,
            "Claude Code did not end within its deadline and was ended".to_owned(),
        );
    }
    let said = serde_json::from_slice::<Said>(&output.stdout);
    if output.exit_code != Some(0) {
        let how = match (output.exit_code, output.signal) {
            (Some(code), _) => format!("exit {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "an unknown end".to_owned(),
        };
        let stderr = String::from_utf8_lossy(&output.stderr);
        let text = match (stderr.trim(), &said) {
            ("", Ok(Said { result: Some(result), .. })) => result.trim().to_owned(),
            (stderr, _) => stderr.to_owned(),
        };
        let text = printable(&text.chars().take(300).collect::<String>());
        let said =
            if text.is_empty() { " and said nothing".to_owned() } else { format!(": {text}") };
        return refused(LaunchCode::Phase1Failed, format!("Claude Code ended with {how}{said}"));
    }
    let said = match said {
        Ok(said) => said,
        Err(error) => {
            return refused(
                LaunchCode::Phase1Failed,
                format!("Claude Code did not say what it did: {error}"),
            );
        }
    };
    if said.is_error {
        let text =
            printable(&said.result.unwrap_or_default().chars().take(300).collect::<String>());
        return refused(LaunchCode::Phase1Failed, format!("Claude Code reports an error: {text}"));
    }
    if said.num_turns != 0 || said.duration_api_ms != 0.0 {
        let (turns, time) = (said.num_turns, said.duration_api_ms);
        let message = format!(
            "Claude Code took {turns} turns and {time} ms of a model, where none was asked for"
        );
        return refused(LaunchCode::Phase1CalledTheModel, message);
    }
    let same = |other: &NativeId| said.session_id.trim().eq_ignore_ascii_case(other.as_str());
    if let Some(source) = source
        && same(&source.conversation().native_id)
    {
        return refused(
            LaunchCode::ChildIsSource,
            "Claude Code went on with the source itself".to_owned(),
        );
    }
    let planned = child.map(|child| &child.conversation().native_id);
    match planned {
        Some(planned) if said.session_id == planned.as_str() => {
            Ok(ConversationId::new(Runtime::ClaudeCode, planned.clone()))
        }
        _ => {
            let got = printable(&said.session_id.chars().take(80).collect::<String>());
            let wanted = planned.map_or("none", NativeId::as_str);
            refused(
                LaunchCode::ChildIdMismatch,
                format!("Claude Code made {got}, where {wanted} was asked for"),
            )
        }
    }
}
