//! Codex (SPEC 6, 8).
//!
//! A source is judged by reading its rollout and every record that one goes on
//! from; the child is made headless by the runtime's server, or by `exec fork`,
//! and bears the launch's mark; it is proved by its first line and the bytes it
//! names, and opened in its pane by a plain resume. Tested with 0.171.0.

mod abilities;
mod config;
mod copied;
pub mod dialogs;
mod foretell;
mod held;
mod layout;
mod lineage;
mod listing;
mod live;
mod made;
mod meta;
mod own;
mod packed;
mod permission;
mod prove;
mod resolve;
mod scan;
mod server;
mod start;

use crate::apart::apart;
use crate::contract::adapter::Adapter;
use crate::contract::environment::SeatEnv;
use crate::contract::evidence::{Evidence, InUse, Made, SessionSummary};
use crate::contract::failure::{
    FindError, Phase1Refusal, PlanRefusal, ProbeError, ProveError, ResolveError,
};
use crate::contract::plan::{
    Binary, Description, PaneStart, Phase1, Phase1Ask, Phase1Output, ProcessPlan, SeatWish,
    Surroundings,
};
use crate::contract::watch::{Dialog, Foretold, Observation};
use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use layout::Layout;
use prove::Moment;
use seatfork_process::ProcessId;
use seatfork_schema::{ConversationId, PlannedChild, Proof, Runtime, SourceId};

/// The adapter of Codex.
///
/// ```
/// use seatfork_adapters::{Adapter, codex::Codex};
/// assert!(Codex.describe().fork);
/// assert!(Codex.plan_child().is_none(), "Codex chooses ids itself");
/// assert!(Codex.describe().depends.is_some());
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Codex;

static DESCRIPTION: Description = Description {
    runtime: Runtime::Codex,
    fork: true,
    resume: true,
    fresh: true,
    tested_versions: &["0.171.0"],
    inherits: &[
        "the whole conversation up to the moment of the fork, by reference to the source's own record",
        "a copy of what a model is shown, where the source is of an older version",
    ],
    does_not_inherit: &[
        "what was gone back over before the fork",
        "approval policy, sandbox and model: they come from the spec",
    ],
    depends: Some(
        "the source's record, and every record that one goes on from: deleting one of them breaks the child",
    ),
    location_vars: &[layout::HOME_VAR],
    pass_vars: &[
        "AWS_*",
        "AZURE_OPENAI_*",
        "CODEX_API_KEY",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "OPENAI_ORGANIZATION",
        "OPENAI_PROJECT",
        "ALL_PROXY",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "NO_PROXY",
        "all_proxy",
        "https_proxy",
        "http_proxy",
        "no_proxy",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
    ],
};

#[async_trait]
impl Adapter for Codex {
    fn runtime(&self) -> Runtime {
        Runtime::Codex
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
        _binary: &Binary,
    ) -> Result<Vec<String>, PlanRefusal> {
        permission::posture(wish).map(|posture| Vec::from(posture.flags()))
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
        None
    }

    async fn surroundings(
        &self,
        wish: &SeatWish,
        env: &SeatEnv,
    ) -> Result<Surroundings, FindError> {
        config::surroundings(wish, &Layout::of(env)?)
    }

    fn phase1(&self, ask: &Phase1Ask<'_>) -> Result<Phase1, PlanRefusal> {
        start::phase1(ask)
    }

    fn learn(
        &self,
        source: Option<&SourceId>,
        _child: Option<&PlannedChild>,
        output: &Phase1Output,
    ) -> Result<ConversationId, Phase1Refusal> {
        server::learn(source, output)
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
        _child: Option<&PlannedChild>,
        nonce: &str,
        env: &SeatEnv,
    ) -> Result<Option<Made>, FindError> {
        let (layout, mark) = (Layout::of(env)?, start::mark(nonce));
        apart(move || made::find(&layout, &mark)).await
    }

    async fn forks_of_others(
        &self,
        source: &SourceId,
        env: &SeatEnv,
    ) -> Result<Vec<Made>, FindError> {
        let (layout, id) = (Layout::of(env)?, source.conversation().native_id.clone());
        apart(move || made::forks_of_others(&layout, &id)).await
    }

    async fn has_notice(
        &self,
        conversation: &ConversationId,
        env: &SeatEnv,
    ) -> Result<bool, FindError> {
        let (layout, id) = (Layout::of(env)?, conversation.native_id.clone());
        apart(move || made::has_notice(&layout, &id)).await
    }

    fn born(&self, conversation: &ConversationId) -> Option<Timestamp> {
        made::born(&conversation.native_id)
    }

    async fn in_use(
        &self,
        conversation: &ConversationId,
        env: &SeatEnv,
    ) -> Result<Option<InUse>, FindError> {
        held::writer(&Layout::of(env)?, &conversation.native_id)
    }

    async fn locate(
        &self,
        conversation: &ConversationId,
        env: &SeatEnv,
    ) -> Result<Option<Utf8PathBuf>, FindError> {
        made::locate(&Layout::of(env)?, &conversation.native_id)
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
        Layout::of(env).map(|layout| vec![layout.locks()]).unwrap_or_default()
    }

    fn recognise(&self, screen: &[String]) -> Option<Dialog> {
        dialogs::recognise(screen)
    }

    async fn sessions(&self, env: &SeatEnv) -> Result<Vec<SessionSummary>, FindError> {
        let layout = Layout::of(env)?;
        apart(move || listing::sessions(&layout)).await
    }
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
