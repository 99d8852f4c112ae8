//! A plain shell: it holds no conversation, has no token and cannot fork (SPEC 6).

use crate::binary::stamp_of;
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
use seatfork_process::ProcessId;
use seatfork_schema::{ConversationId, LaunchCode, PlannedChild, Proof, Runtime, SourceId};
use std::time::Duration;

/// Why there is no fork here.
pub const NO_FORK: &str =
    "terminal runtime has no native fork primitive; remove session_source for terminal members";

/// The shell where the user names none, as POSIX has it.
const ANY_SHELL: &str = "/bin/sh";

/// The adapter of plain shells.
///
/// ```
/// use seatfork_adapters::{Adapter, terminal::Terminal};
/// assert!(!Terminal.describe().fork);
/// assert!(Terminal.plan_child().is_none());
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Terminal;

static DESCRIPTION: Description = Description {
    runtime: Runtime::Terminal,
    fork: false,
    resume: false,
    fresh: false,
    tested_versions: &[],
    inherits: &[],
    does_not_inherit: &[],
    depends: None,
    location_vars: &[],
    pass_vars: &[],
};

#[async_trait]
impl Adapter for Terminal {
    fn runtime(&self) -> Runtime {
        Runtime::Terminal
    }

    fn describe(&self) -> &'static Description {
        &DESCRIPTION
    }

    /// The user's own shell, by the absolute path in `SHELL`; where nothing is named there, `/bin/sh`.
    async fn probe(&self, env: &SeatEnv, rig_root: &Utf8Path) -> Result<Binary, ProbeError> {
        let missing = |program: &str| ProbeError::Missing {
            program: program.to_owned(),
            looked_in: 0,
            skipped: 0,
        };
        let named = env.get("SHELL").filter(|shell| !shell.is_empty());
        let shell = Utf8Path::new(named.unwrap_or(ANY_SHELL));
        if !shell.is_absolute() {
            return Err(missing(shell.as_str()));
        }
        let failed = |source| ProbeError::Io { path: shell.to_owned(), source };
        let path = shell.canonicalize_utf8().map_err(failed)?;
        let root = rig_root.canonicalize_utf8().unwrap_or_else(|_| rig_root.to_owned());
        if path.starts_with(&root) {
            return Err(ProbeError::Missing {
                program: shell.to_string(),
                looked_in: 0,
                skipped: 1,
            });
        }
        rustix::fs::access(path.as_std_path(), rustix::fs::Access::EXEC_OK)
            .map_err(|error| failed(error.into()))?;
        let stamp = stamp_of(&path).map_err(failed)?;
        Ok(Binary {
            path,
            device: stamp.device,
            inode: stamp.inode,
            stamp: stamp.stamp,
            version: match named {
                Some(_) => "a shell".to_owned(),
                None => format!("a shell; {ANY_SHELL}, for SHELL is not set"),
            },
            abilities: Vec::new(),
        })
    }

    fn check(&self, wish: &SeatWish, _binary: &Binary) -> Vec<PlanRefusal> {
        let fork = wish.wants_fork.then(|| PlanRefusal {
            code: LaunchCode::SourceUnsupported,
            message: format!("{}: {NO_FORK}", wish.seat_name),
            help: None,
        });
        fork.into_iter().collect()
    }

    async fn foretell(&self, _wish: &SeatWish, _env: &SeatEnv) -> Vec<Foretold> {
        Vec::new()
    }

    async fn resolve(
        &self,
        _source: &SourceId,
        _env: &SeatEnv,
        _cwd: &Utf8Path,
    ) -> Result<Evidence, ResolveError> {
        Err(ResolveError::CannotFork(NO_FORK.to_owned()))
    }

    fn plan_child(&self) -> Option<PlannedChild> {
        None
    }

    fn phase1(&self, ask: &Phase1Ask<'_>) -> Result<Phase1, PlanRefusal> {
        let wish = ask.wish;
        if wish.wants_fork || ask.source.is_some() {
            return Err(PlanRefusal {
                code: LaunchCode::SourceUnsupported,
                message: format!("{}: {NO_FORK}", wish.seat_name),
                help: None,
            });
        }
        Ok(Phase1::NoConversation)
    }

    fn learn(
        &self,
        _source: Option<&SourceId>,
        _child: Option<&PlannedChild>,
        _output: &Phase1Output,
    ) -> Result<ConversationId, Phase1Refusal> {
        Err(Phase1Refusal {
            code: LaunchCode::SourceUnsupported,
            message: "a terminal holds no conversation".to_owned(),
        })
    }

    async fn prove(
        &self,
        _source: Option<&Evidence>,
        _child: &ConversationId,
        _env: &SeatEnv,
        _cwd: &Utf8Path,
    ) -> Result<Proof, ProveError> {
        Err(ProveError::Refuted {
            code: LaunchCode::SourceUnsupported,
            message: "a terminal holds no conversation".to_owned(),
        })
    }

    async fn find_made(
        &self,
        _child: Option<&PlannedChild>,
        _nonce: &str,
        _env: &SeatEnv,
    ) -> Result<Option<Made>, FindError> {
        Ok(None)
    }

    async fn in_use(
        &self,
        _conversation: &ConversationId,
        _env: &SeatEnv,
    ) -> Result<Option<InUse>, FindError> {
        Ok(None)
    }

    async fn locate(
        &self,
        _conversation: &ConversationId,
        _env: &SeatEnv,
    ) -> Result<Option<Utf8PathBuf>, FindError> {
        Ok(None)
    }

    /// The shell without any argument: on a terminal that is an interactive one.
    fn pane(
        &self,
        wish: &SeatWish,
        binary: &Binary,
        start: PaneStart<'_>,
    ) -> Result<ProcessPlan, PlanRefusal> {
        if !matches!(start, PaneStart::Fresh) {
            return Err(PlanRefusal {
                code: LaunchCode::PlanInconsistent,
                message: format!("{}: a terminal has no conversation", wish.seat_name),
                help: None,
            });
        }
        Ok(ProcessPlan {
            argv: vec![binary.path.to_string()],
            cwd: wish.cwd.clone(),
            set_env: Vec::new(),
            unset_env: Vec::new(),
            deadline: Duration::from_secs(20),
            dialogue: None,
        })
    }

    async fn observe(&self, pane: ProcessId, _env: &SeatEnv) -> Observation {
        match pane.alive() {
            Ok(true) => Observation::Up,
            Ok(false) => Observation::Gone,
            // A look that failed says nothing.
            Err(_) => Observation::Unknown,
        }
    }

    fn wake_dirs(&self, _env: &SeatEnv) -> Vec<Utf8PathBuf> {
        Vec::new()
    }

    fn recognise(&self, _screen: &[String]) -> Option<Dialog> {
        None
    }

    async fn sessions(&self, _env: &SeatEnv) -> Result<Vec<SessionSummary>, FindError> {
        Ok(Vec::new())
    }
}
