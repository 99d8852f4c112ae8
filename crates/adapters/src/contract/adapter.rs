//! The trait every runtime's module implements (SPEC 6).

use super::environment::SeatEnv;
use super::evidence::{Evidence, InUse, Made, SessionSummary};
use super::failure::{FindError, Phase1Refusal, PlanRefusal, ProbeError, ProveError, ResolveError};
use super::plan::{
    Binary, Description, PaneStart, Phase1, Phase1Ask, Phase1Output, ProcessPlan, SeatWish,
    Surroundings, WritePlan,
};
use super::watch::{Dialog, Foretold, Observation};
use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use seatfork_process::ProcessId;
use seatfork_schema::{ConversationId, LaunchCode, PlannedChild, Proof, Runtime, Scope, SourceId};
use std::fmt;

/// What seatfork can do with one runtime. No other code names that runtime's flags.
#[async_trait]
pub trait Adapter: fmt::Debug + Send + Sync {
    /// The runtime it is for.
    fn runtime(&self) -> Runtime;

    /// What the runtime can do, what a child inherits and what not.
    fn describe(&self) -> &'static Description;

    /// Finds the binary that would answer, by absolute real path, and asks it for its version and abilities.
    /// PATH entries that are relative or inside `rig_root` are skipped.
    async fn probe(&self, env: &SeatEnv, rig_root: &Utf8Path) -> Result<Binary, ProbeError>;

    /// Pure: what this seat asks that the binary or this build cannot do. Empty when all is well.
    fn check(&self, wish: &SeatWish, binary: &Binary) -> Vec<PlanRefusal>;

    /// Pure: the words of the pane's command that carry this seat's permission policy, as they stand there; a refusal
    /// where [`Adapter::check`] refuses for it. None where the runtime has no permissions (terminal).
    fn permission_flags(
        &self,
        wish: &SeatWish,
        binary: &Binary,
    ) -> Result<Vec<String>, PlanRefusal> {
        let (_no_permissions, _of) = (wish, binary);
        Ok(Vec::new())
    }

    /// Dialogs that the pane would meet, as far as files tell. Reads little and keeps nothing (SPEC 14).
    async fn foretell(&self, wish: &SeatWish, env: &SeatEnv) -> Vec<Foretold>;

    /// Pure: whether this can be an id of the runtime's at all. What cannot is refused before anything is stored
    /// of it: it names no conversation, in any spelling.
    fn check_source(&self, _source: &SourceId) -> Result<(), ResolveError> {
        Ok(())
    }

    /// Looks at the source itself, before any process is started.
    async fn resolve(
        &self,
        source: &SourceId,
        env: &SeatEnv,
        cwd: &Utf8Path,
    ) -> Result<Evidence, ResolveError>;

    /// Pure: where the ids of conversations kept for a working directory are unique (SPEC 1).
    fn scope(&self, _cwd: &Utf8Path) -> Scope {
        Scope::everywhere()
    }

    /// A new random id for a child, where the runtime lets us choose it; `None` where it does not. Whoever declares it
    /// puts it into the [`Adapter::scope`] of where it will be kept.
    fn plan_child(&self) -> Option<PlannedChild>;

    /// What the runtime's own settings hold that a headless start must know. Reads little and keeps names only.
    async fn surroundings(
        &self,
        _wish: &SeatWish,
        _env: &SeatEnv,
    ) -> Result<Surroundings, FindError> {
        Ok(Surroundings::default())
    }

    /// Pure: how the conversation comes to be, and the headless command that makes it where there is one.
    fn phase1(&self, ask: &Phase1Ask<'_>) -> Result<Phase1, PlanRefusal>;

    /// Carries out a [`Phase1::Write`]: the record stands whole and durable under its id afterwards, or nothing of it
    /// does. Only a runtime that plans one can.
    async fn write(&self, plan: &WritePlan) -> Result<(), Phase1Refusal> {
        Err(Phase1Refusal {
            code: LaunchCode::PlanInconsistent,
            message: format!("{} writes no records of its own: {}", self.runtime(), plan.child),
        })
    }

    /// Whether a conversation that is made from a source is a warm start, and recorded as one (SPEC 11).
    fn warm_starts(&self) -> bool {
        false
    }

    /// Whether a seat with this binary has a process on this machine; where not, it is ready without one.
    fn needs_process(&self, _binary: &Binary) -> bool {
        true
    }

    /// Reads the new id out of what phase 1 said and left. It must be the planned one where one was planned,
    /// and never the source's.
    fn learn(
        &self,
        source: Option<&SourceId>,
        child: Option<&PlannedChild>,
        output: &Phase1Output,
    ) -> Result<ConversationId, Phase1Refusal>;

    /// Compares the child on disk with the source as it is now and as `source` recorded it (SPEC 8).
    /// For a fresh child (`source` absent) it shows that the new record exists and holds nothing inherited.
    /// Also the second reading of the source: bytes present at resolve must be unchanged.
    async fn prove(
        &self,
        source: Option<&Evidence>,
        child: &ConversationId,
        env: &SeatEnv,
        cwd: &Utf8Path,
    ) -> Result<Proof, ProveError>;

    /// [`Adapter::prove`] before the pane opens: besides, nothing follows the inherited records but what phase 1
    /// itself leaves there. Once the pane has been open, more records are no fault and `prove` is the question to ask.
    async fn prove_untouched(
        &self,
        source: Option<&Evidence>,
        child: &ConversationId,
        env: &SeatEnv,
        cwd: &Utf8Path,
    ) -> Result<Proof, ProveError> {
        self.prove(source, child, env, cwd).await
    }

    /// Whether a conversation bearing this launch's mark stands on disk, whole or partial.
    async fn find_made(
        &self,
        child: Option<&PlannedChild>,
        nonce: &str,
        env: &SeatEnv,
    ) -> Result<Option<Made>, FindError>;

    /// Conversations whose own records name this one as what they were forked from and that bear no mark of ours: forks
    /// of a source that somebody else made (SPEC 7). Empty where records do not say.
    async fn forks_of_others(
        &self,
        _source: &SourceId,
        _env: &SeatEnv,
    ) -> Result<Vec<Made>, FindError> {
        Ok(Vec::new())
    }

    /// Whether the notice stands in the conversation itself (SPEC 6 Notice).
    async fn has_notice(
        &self,
        _conversation: &ConversationId,
        _env: &SeatEnv,
    ) -> Result<bool, FindError> {
        Ok(false)
    }

    /// Pure: when the runtime began a conversation, as far as its id tells.
    fn born(&self, _conversation: &ConversationId) -> Option<Timestamp> {
        None
    }

    /// Whether a process serves this conversation now.
    async fn in_use(
        &self,
        conversation: &ConversationId,
        env: &SeatEnv,
    ) -> Result<Option<InUse>, FindError>;

    /// Whether a seat's own conversation is still there to be resumed; its path, or `None`.
    async fn locate(
        &self,
        conversation: &ConversationId,
        env: &SeatEnv,
    ) -> Result<Option<Utf8PathBuf>, FindError>;

    /// Pure: the command of the pane: a plain resume of the token; a fresh start, or a fork, where phase 1 made nothing.
    fn pane(
        &self,
        wish: &SeatWish,
        binary: &Binary,
        start: PaneStart<'_>,
    ) -> Result<ProcessPlan, PlanRefusal>;

    /// Which conversation the pane's process serves now, and whether it is ready.
    async fn observe(&self, pane: ProcessId, env: &SeatEnv) -> Observation;

    /// Directories whose changes may mean that [`Adapter::observe`] answers anew.
    fn wake_dirs(&self, env: &SeatEnv) -> Vec<Utf8PathBuf>;

    /// Recognises a dialog on the screen of a pane.
    fn recognise(&self, screen: &[String]) -> Option<Dialog>;

    /// Prior conversations, newest first, with forkable or why not (`sessions`).
    async fn sessions(&self, env: &SeatEnv) -> Result<Vec<SessionSummary>, FindError>;
}
