//! A workspace of logs and a seat that works in it.

use crate::support::{block_on, env};
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::pixir::Pixir;
use seatfork_adapters::{
    Adapter, Binary, Evidence, Phase1, Phase1Ask, Phase1Refusal, PlanRefusal, ProveError,
    ResolveError, SeatEnv, SeatWish, Surroundings, WritePlan,
};
use seatfork_schema::{ConversationId, NativeId, PlannedChild, Proof, Runtime, Scope, SourceId};
use seatfork_testkit::pixir::Workspace;

pub(crate) const SEED: &str = "20260303T080000-aaaaaa";

/// The workspace of the family made by hand, and what a member of it would see.
pub(crate) struct Home {
    pub(crate) files: Workspace,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self::of("family")
    }

    pub(crate) fn of(folder: &str) -> Self {
        Self { files: Workspace::of(folder) }
    }

    pub(crate) fn cwd(&self) -> Utf8PathBuf {
        Utf8PathBuf::from_path_buf(self.files.real()).unwrap()
    }

    pub(crate) fn id(&self, native_id: &str) -> ConversationId {
        conversation(&self.cwd(), native_id)
    }

    pub(crate) fn resolve(&self, seed: &str) -> Result<Evidence, ResolveError> {
        block_on(Pixir.resolve(&SourceId::new(self.id(seed)), &nothing(), &self.cwd()))
    }

    pub(crate) fn wish(&self, permission: Option<&str>) -> SeatWish {
        SeatWish {
            seat_name: "dev-reviewer@rig".to_owned(),
            cwd: self.cwd(),
            model: None,
            codex_config_profile: None,
            permission: permission.map(str::to_owned),
            allow_yolo: false,
            wants_fork: true,
            notice: true,
        }
    }

    /// Plans a child in this workspace and writes it.
    pub(crate) fn make(&self, source: Option<&Evidence>, child: &str) -> Result<(), Phase1Refusal> {
        let wish = SeatWish { wants_fork: source.is_some(), ..self.wish(None) };
        let plan = planned(&wish, source, &PlannedChild::new(self.id(child))).unwrap();
        block_on(Pixir.write(&plan))
    }

    /// The child as it was written.
    pub(crate) fn untouched(
        &self,
        source: Option<&Evidence>,
        child: &str,
    ) -> Result<Proof, ProveError> {
        let child = self.id(child);
        block_on(Pixir.prove_untouched(source, &child, &nothing(), &self.cwd()))
    }

    /// The child at any later time.
    pub(crate) fn later(
        &self,
        source: Option<&Evidence>,
        child: &str,
    ) -> Result<Proof, ProveError> {
        block_on(Pixir.prove(source, &self.id(child), &nothing(), &self.cwd()))
    }

    /// A child that is proved, of the seed made by hand.
    pub(crate) fn proved(&self, child: &str) -> Evidence {
        let source = self.resolve(SEED).unwrap();
        self.make(Some(&source), child).unwrap();
        self.untouched(Some(&source), child).unwrap();
        source
    }

    /// The text of a log.
    pub(crate) fn text(&self, session: &str) -> String {
        String::from_utf8(self.files.bytes(session)).unwrap()
    }
}

pub(crate) fn conversation(cwd: &Utf8Path, native_id: &str) -> ConversationId {
    let native_id = NativeId::for_runtime(Runtime::Pixir, native_id).unwrap();
    let scope = Scope::workspace(cwd.as_str());
    ConversationId { runtime: Runtime::Pixir, scope, native_id }
}

/// What phase 1 would write.
pub(crate) fn planned(
    wish: &SeatWish,
    source: Option<&Evidence>,
    child: &PlannedChild,
) -> Result<WritePlan, PlanRefusal> {
    match Pixir.phase1(&Phase1Ask {
        wish,
        binary: &embedded(),
        source,
        child: Some(child),
        nonce: "n0nce",
        surroundings: &Surroundings::default(),
    })? {
        Phase1::Write(plan) => Ok(*plan),
        other => panic!("{other:?}"),
    }
}

/// This build, which writes logs and serves none.
pub(crate) fn embedded() -> Binary {
    block_on(Pixir.probe(&nothing(), "/nowhere".into())).unwrap()
}

pub(crate) fn nothing() -> SeatEnv {
    env(&[])
}
