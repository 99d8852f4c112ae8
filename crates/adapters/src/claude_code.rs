//! Claude Code (SPEC 6, 8).
//!
//! A source is judged by reading its transcript; the child is made headless
//! under an id chosen beforehand, proved by comparing transcripts, and opened
//! in its pane by a plain resume. Tested with 2.1.197 and 2.1.332.

mod abilities;
mod child;
mod compare;
pub mod dialogs;
mod foretell;
mod history;
mod index;
mod layout;
mod listing;
mod live;
mod own;
mod permission;
mod prove;
mod relink;
mod resolve;
mod row;
mod start;
mod surrogates;

pub use compare::REWRITTEN;

use crate::apart::apart;
use crate::contract::adapter::Adapter;
use crate::contract::environment::SeatEnv;
use crate::contract::evidence::{Evidence, InUse, Made, SessionSummary};
use crate::contract::failure::{
    FindError, Phase1Refusal, PlanRefusal, ProbeError, ProveError, ResolveError,
};
use crate::contract::plan::{
    Binary, Description, PaneStart, Phase1, Phase1Ask, Phase1Output, ProcessPlan, SeatWish,
};
use crate::contract::watch::{Dialog, Foretold, Observation};
use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use layout::Layout;
use prove::Moment;
use seatfork_process::ProcessId;
use seatfork_schema::{ConversationId, NativeId, PlannedChild, Proof, Runtime, SourceId};

/// The adapter of Claude Code.
///
/// ```
/// use seatfork_adapters::{Adapter, claude_code::ClaudeCode};
/// assert!(ClaudeCode.describe().fork);
/// let child = ClaudeCode.plan_child().expect("Claude Code lets us choose ids");
/// assert!(child.conversation().native_id.is_lowercase_uuid());
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ClaudeCode;

static DESCRIPTION: Description = Description {
    runtime: Runtime::ClaudeCode,
    fork: true,
    resume: true,
    fresh: true,
    tested_versions: &["2.1.197", "2.1.332"],
    inherits: &[
        "the active branch of the conversation, from its last compaction on, byte for byte in its messages",
    ],
    does_not_inherit: &[
        "what stands before the last compaction, rewound branches and sidechains",
        "permission mode and model: they come from the spec",
        "file history, so the source's edits cannot be rewound in the child",
    ],
    depends: None,
    location_vars: &[layout::HOME_VAR],
    pass_vars: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_BEDROCK_BASE_URL",
        "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_VERTEX_BASE_URL",
        "ANTHROPIC_VERTEX_PROJECT_ID",
        "AWS_*",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_FOUNDRY",
        "CLAUDE_CODE_USE_VERTEX",
        "CLOUD_ML_REGION",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_CLOUD_PROJECT",
        "ALL_PROXY",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "NO_PROXY",
        "all_proxy",
        "https_proxy",
        "http_proxy",
        "no_proxy",
        "NODE_EXTRA_CA_CERTS",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
    ],
};

#[async_trait]
impl Adapter for ClaudeCode {
    fn runtime(&self) -> Runtime {
        Runtime::ClaudeCode
    }

    fn describe(&self) -> &'static Description {
        &DESCRIPTION
    }

    async fn probe(&self, env: &SeatEnv, rig_root: &Utf8Path) -> Result<Binary, ProbeError> {
        abilities::probe(env, rig_root).await
    }

    fn check(&self, wish: &SeatWish, binary: &Binary) -> Vec<PlanRefusal> {
        start::check(wish, binary)
    }

    fn permission_flags(
        &self,
        wish: &SeatWish,
        binary: &Binary,
    ) -> Result<Vec<String>, PlanRefusal> {
        permission::flags(wish, binary).map(Vec::from)
    }

    async fn foretell(&self, wish: &SeatWish, env: &SeatEnv) -> Vec<Foretold> {
        foretell::foretell(wish, env)
    }

    fn check_source(&self, source: &SourceId) -> Result<(), ResolveError> {
        resolve::check_shape(source)
    }

    async fn resolve(
        &self,
        source: &SourceId,
        env: &SeatEnv,
        _cwd: &Utf8Path,
    ) -> Result<Evidence, ResolveError> {
        let (source, env) = (source.clone(), env.clone());
        apart(move || resolve::resolve(&source, &env)).await
    }

    fn plan_child(&self) -> Option<PlannedChild> {
        let id = NativeId::new(uuid::Uuid::new_v4().hyphenated().to_string()).ok()?;
        Some(PlannedChild::new(ConversationId::new(Runtime::ClaudeCode, id)))
    }

    fn phase1(&self, ask: &Phase1Ask<'_>) -> Result<Phase1, PlanRefusal> {
        start::phase1(ask).map(|plan| Phase1::Headless(Box::new(plan)))
    }

    fn learn(
        &self,
        source: Option<&SourceId>,
        child: Option<&PlannedChild>,
        output: &Phase1Output,
    ) -> Result<ConversationId, Phase1Refusal> {
        start::learn(source, child, output)
    }

    async fn prove(
        &self,
        source: Option<&Evidence>,
        child: &ConversationId,
        env: &SeatEnv,
        cwd: &Utf8Path,
    ) -> Result<Proof, ProveError> {
        prove_at(source, child, env, cwd, Moment::Later).await
    }

    async fn prove_untouched(
        &self,
        source: Option<&Evidence>,
        child: &ConversationId,
        env: &SeatEnv,
        cwd: &Utf8Path,
    ) -> Result<Proof, ProveError> {
        prove_at(source, child, env, cwd, Moment::Untouched).await
    }

    async fn find_made(
        &self,
        child: Option<&PlannedChild>,
        _nonce: &str,
        env: &SeatEnv,
    ) -> Result<Option<Made>, FindError> {
        // The id that was chosen beforehand is the mark (SPEC 7).
        let Some(child) = child else { return Ok(None) };
        let conversation = child.conversation().clone();
        let Some(path) = locate(&conversation, env)? else { return Ok(None) };
        let bytes = std::fs::symlink_metadata(&path)
            .map_err(|error| FindError { path: path.clone(), why: error.to_string() })?
            .len();
        Ok(Some(Made { conversation, path, bytes }))
    }

    async fn in_use(
        &self,
        conversation: &ConversationId,
        env: &SeatEnv,
    ) -> Result<Option<InUse>, FindError> {
        live::serving(&Layout::of(env)?, conversation)
    }

    async fn locate(
        &self,
        conversation: &ConversationId,
        env: &SeatEnv,
    ) -> Result<Option<Utf8PathBuf>, FindError> {
        locate(conversation, env)
    }

    fn pane(
        &self,
        wish: &SeatWish,
        binary: &Binary,
        start: PaneStart<'_>,
    ) -> Result<ProcessPlan, PlanRefusal> {
        start::pane(wish, binary, start)
    }

    async fn observe(&self, pane: ProcessId, env: &SeatEnv) -> Observation {
        live::observe(pane, env)
    }

    fn wake_dirs(&self, env: &SeatEnv) -> Vec<Utf8PathBuf> {
        Layout::of(env).map(|layout| vec![layout.sessions()]).unwrap_or_default()
    }

    fn recognise(&self, screen: &[String]) -> Option<Dialog> {
        dialogs::recognise(screen)
    }

    async fn sessions(&self, env: &SeatEnv) -> Result<Vec<SessionSummary>, FindError> {
        let layout = Layout::of(env)?;
        apart(move || listing::sessions(&layout)).await
    }
}

fn locate(conversation: &ConversationId, env: &SeatEnv) -> Result<Option<Utf8PathBuf>, FindError> {
    let mut paths = Layout::of(env)?.find(&conversation.native_id)?;
    if paths.len() > 1 {
        let why = format!("{} stands in {} places", conversation.native_id, paths.len());
        return Err(FindError { path: paths.remove(0), why });
    }
    Ok(paths.pop())
}

async fn prove_at(
    source: Option<&Evidence>,
    child: &ConversationId,
    env: &SeatEnv,
    cwd: &Utf8Path,
    moment: Moment,
) -> Result<Proof, ProveError> {
    let (source, child) = (source.cloned(), child.clone());
    let (env, cwd) = (env.clone(), cwd.to_owned());
    apart(move || prove::prove(source.as_ref(), &child, &env, &cwd, moment)).await
}
