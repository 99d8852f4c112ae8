//! Session logs: a runtime that needs no program (SPEC 6).
//!
//! A seat's conversation is a log in a workspace. A fork is a warm start: a new
//! log written from the seed by this build, whole and durable or not at all. A
//! program called `pixir`, where one is installed, serves it in a pane.

mod look;
mod permission;
mod program;
mod prove;
mod write;

use crate::apart::apart;
use crate::contract::adapter::Adapter;
use crate::contract::environment::SeatEnv;
use crate::contract::evidence::{Evidence, InUse, Made, SessionSummary};
use crate::contract::failure::{
    FindError, Phase1Refusal, PlanRefusal, ProbeError, ProveError, ResolveError,
};
use crate::contract::plan::{
    Binary, Description, PaneStart, Phase1, Phase1Ask, Phase1Output, ProcessPlan, SeatWish,
    WritePlan,
};
use crate::contract::watch::{Dialog, Foretold, Observation};
use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use prove::Moment;
use seatfork_process::ProcessId;
use seatfork_schema::{
    ConversationId, LaunchCode, NativeId, PlannedChild, Proof, Runtime, Scope, SourceId,
};
use seatfork_sessionlog::SessionId;

/// The adapter of session logs.
///
/// ```
/// use camino::Utf8Path;
/// use seatfork_adapters::{Adapter, pixir::Pixir};
/// assert!(Pixir.describe().fork && Pixir.warm_starts());
/// assert_eq!(Pixir.scope(Utf8Path::new("/srv/work")).as_str(), "/srv/work");
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Pixir;

static DESCRIPTION: Description = Description {
    runtime: Runtime::Pixir,
    fork: true,
    resume: true,
    fresh: true,
    tested_versions: &["0.1.12"],
    inherits: &[
        "every replayed event of the seed, byte for byte",
        "the payloads its messages name",
        "the first of its family",
    ],
    does_not_inherit: &[
        "permissions, postures and approvals",
        "summaries, compactions and provider accounting",
        "subagents' own logs",
    ],
    depends: None,
    location_vars: &[],
    pass_vars: &["PIXIR_HOME", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"],
};

#[async_trait]
impl Adapter for Pixir {
    fn runtime(&self) -> Runtime {
        Runtime::Pixir
    }

    fn describe(&self) -> &'static Description {
        &DESCRIPTION
    }

    /// The program `pixir`, where there is one; else this build itself, which writes the logs.
    async fn probe(&self, env: &SeatEnv, rig_root: &Utf8Path) -> Result<Binary, ProbeError> {
        program::probe(env, rig_root).await
    }

    fn check(&self, wish: &SeatWish, _binary: &Binary) -> Vec<PlanRefusal> {
        let model = wish.model.as_ref().map(|model| PlanRefusal {
            code: LaunchCode::NotInThisBuild,
            message: format!(
                "{}: a session log has no model, so {model:?} could not be kept to",
                wish.seat_name
            ),
            help: Some("leave model out for pixir members".to_owned()),
        });
        permission::posture(wish).err().into_iter().chain(model).collect()
    }

    fn permission_flags(
        &self,
        wish: &SeatWish,
        binary: &Binary,
    ) -> Result<Vec<String>, PlanRefusal> {
        let posture = permission::posture(wish)?;
        Ok(permission::shown(posture, self.needs_process(binary)))
    }

    async fn foretell(&self, _wish: &SeatWish, _env: &SeatEnv) -> Vec<Foretold> {
        Vec::new()
    }

    async fn resolve(
        &self,
        source: &SourceId,
        _env: &SeatEnv,
        cwd: &Utf8Path,
    ) -> Result<Evidence, ResolveError> {
        let (source, cwd) = (source.clone(), cwd.to_owned());
        apart(move || look::resolve(&source, &cwd)).await
    }

    fn scope(&self, cwd: &Utf8Path) -> Scope {
        Scope::workspace(cwd.as_str())
    }

    fn plan_child(&self) -> Option<PlannedChild> {
        let id = SessionId::generate(Timestamp::now()).ok()?;
        let id = NativeId::for_runtime(Runtime::Pixir, id.as_str()).ok()?;
        Some(PlannedChild::new(ConversationId::new(Runtime::Pixir, id)))
    }

    fn phase1(&self, ask: &Phase1Ask<'_>) -> Result<Phase1, PlanRefusal> {
        write::plan(ask).map(|plan| Phase1::Write(Box::new(plan)))
    }

    async fn write(&self, plan: &WritePlan) -> Result<(), Phase1Refusal> {
        let plan = plan.clone();
        apart(move || write::write(&plan, Timestamp::now())).await
    }

    fn warm_starts(&self) -> bool {
        true
    }

    fn needs_process(&self, binary: &Binary) -> bool {
        program::serves(binary)
    }

    fn learn(
        &self,
        _source: Option<&SourceId>,
        _child: Option<&PlannedChild>,
        _output: &Phase1Output,
    ) -> Result<ConversationId, Phase1Refusal> {
        Err(Phase1Refusal {
            code: LaunchCode::PlanInconsistent,
            message: "no command makes a session log, so none has anything to say of one"
                .to_owned(),
        })
    }

    async fn prove(
        &self,
        source: Option<&Evidence>,
        child: &ConversationId,
        _env: &SeatEnv,
        cwd: &Utf8Path,
    ) -> Result<Proof, ProveError> {
        let (source, child, cwd) = (source.cloned(), child.clone(), cwd.to_owned());
        apart(move || prove::prove(source.as_ref(), &child, &cwd, Moment::Later)).await
    }

    async fn prove_untouched(
        &self,
        source: Option<&Evidence>,
        child: &ConversationId,
        _env: &SeatEnv,
        cwd: &Utf8Path,
    ) -> Result<Proof, ProveError> {
        let (source, child, cwd) = (source.cloned(), child.clone(), cwd.to_owned());
        apart(move || prove::prove(source.as_ref(), &child, &cwd, Moment::Untouched)).await
    }

    async fn find_made(
        &self,
        child: Option<&PlannedChild>,
        _nonce: &str,
        _env: &SeatEnv,
    ) -> Result<Option<Made>, FindError> {
        // The id is the mark, and its scope says where it would be.
        child.map_or(Ok(None), |child| look::made(child.conversation()))
    }

    /// The boundary of a warm start, which no option leaves out.
    async fn has_notice(
        &self,
        conversation: &ConversationId,
        _env: &SeatEnv,
    ) -> Result<bool, FindError> {
        let conversation = conversation.clone();
        apart(move || look::has_boundary(&conversation)).await
    }

    async fn in_use(
        &self,
        conversation: &ConversationId,
        _env: &SeatEnv,
    ) -> Result<Option<InUse>, FindError> {
        look::in_use(conversation, Timestamp::now())
    }

    async fn locate(
        &self,
        conversation: &ConversationId,
        _env: &SeatEnv,
    ) -> Result<Option<Utf8PathBuf>, FindError> {
        Ok(look::made(conversation)?.map(|made| made.path))
    }

    fn pane(
        &self,
        wish: &SeatWish,
        binary: &Binary,
        start: PaneStart<'_>,
    ) -> Result<ProcessPlan, PlanRefusal> {
        program::pane(wish, binary, start)
    }

    async fn observe(&self, pane: ProcessId, _env: &SeatEnv) -> Observation {
        program::observe(pane)
    }

    fn wake_dirs(&self, _env: &SeatEnv) -> Vec<Utf8PathBuf> {
        Vec::new()
    }

    fn recognise(&self, _screen: &[String]) -> Option<Dialog> {
        None
    }

    /// None: logs belong to workspaces, which are not known here; `seatfork log tree` lists those of one.
    async fn sessions(&self, _env: &SeatEnv) -> Result<Vec<SessionSummary>, FindError> {
        Ok(Vec::new())
    }
}
