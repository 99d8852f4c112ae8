//! The first phases of a launch, driven as a launch drives them.

use crate::subject::{Pane, Subject};
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::process::{RunOptions, run};
use seatfork_adapters::{
    Adapter, Binary, Evidence, Observation, PaneStart, Phase1, Phase1Ask, Phase1Output,
    Phase1Refusal, ProcessId, ProcessPlan, ProveError, ResolveError, SeatEnv, SeatWish,
};
use seatfork_schema::{
    ConversationId, LaunchCode, NativeId, PlannedChild, Proof, ProvedChild, SeatToken, SourceId,
};
use std::time::{Duration, Instant};

/// How long a pane may take to be ready.
const PATIENCE: Duration = Duration::from_secs(20);
const STEP: Duration = Duration::from_millis(50);

/// A subject whose binary was asked who it is.
#[derive(Debug)]
pub struct Bench<'s> {
    /// The subject.
    pub subject: &'s dyn Subject,
    /// The binary that answers.
    pub binary: Binary,
    /// The environment of its seats.
    pub env: SeatEnv,
}

/// A conversation that was made and proved.
#[derive(Debug)]
pub struct Made {
    /// It.
    pub child: ConversationId,
    /// What was seen of its source.
    pub source: Option<Evidence>,
    /// Its proof.
    pub proof: Proof,
}

/// Where a launch ended, and why.
#[derive(Debug)]
pub enum Failure {
    /// The source.
    Resolve(ResolveError),
    /// What phase 1 said, of which no id could be learned.
    Learn {
        /// Why.
        code: LaunchCode,
        /// What it said.
        output: Box<Phase1Output>,
        /// The process that was started.
        process: ProcessId,
    },
    /// The record that the adapter was to write.
    Write {
        /// Why.
        code: LaunchCode,
        /// In words.
        message: String,
    },
    /// The child.
    Prove {
        /// Why.
        code: LaunchCode,
        /// In words.
        message: String,
    },
}

impl Failure {
    /// The code of a launch that failed after its source was found.
    pub fn code(&self) -> LaunchCode {
        match self {
            Self::Resolve(error) => error.code(),
            Self::Learn { code, .. } | Self::Write { code, .. } | Self::Prove { code, .. } => *code,
        }
    }
}

impl<'s> Bench<'s> {
    /// Probes the binary of a subject.
    ///
    /// # Panics
    /// When none answers.
    pub fn new(subject: &'s dyn Subject) -> Self {
        let env = subject.env();
        let root = subject.cwd().join("a-rig");
        let binary = block_on(subject.adapter().probe(&env, &root)).expect("a binary answers");
        Self { subject, binary, env }
    }

    /// The adapter.
    pub fn adapter(&self) -> &'static dyn Adapter {
        self.subject.adapter()
    }

    /// An id as one of the runtime's.
    ///
    /// # Panics
    /// When it is no native id at all.
    pub fn conversation(&self, id: &str) -> ConversationId {
        self.conversation_in(id, &self.subject.cwd())
    }

    /// The same of a seat's in another directory.
    fn conversation_in(&self, id: &str, cwd: &Utf8Path) -> ConversationId {
        let native_id = NativeId::new(id).expect("a native id");
        let (runtime, scope) = (self.adapter().runtime(), self.adapter().scope(cwd));
        ConversationId { runtime, scope, native_id }
    }

    /// What a seat asks.
    pub fn wish(&self, wants_fork: bool, cwd: Utf8PathBuf) -> SeatWish {
        SeatWish {
            seat_name: "dev-reviewer@rig".to_owned(),
            cwd,
            model: None,
            codex_config_profile: None,
            permission: None,
            allow_yolo: false,
            wants_fork,
            notice: false,
        }
    }

    /// Looks at a source.
    ///
    /// # Errors
    /// What the adapter refuses it for.
    pub fn resolve(&self, id: &str) -> Result<Evidence, ResolveError> {
        let source = SourceId::new(self.conversation(id));
        block_on(self.adapter().resolve(&source, &self.env, &self.subject.cwd()))
    }

    /// Resolve, plan, run, learn, prove: a fork, or a fresh conversation.
    ///
    /// # Errors
    /// Where it ended.
    ///
    /// # Panics
    /// When the plan is refused, or what was started outlives it.
    pub fn launch(&self, source: Option<&str>, cwd: Utf8PathBuf) -> Result<Made, Failure> {
        block_on(self.launching(source, cwd, None))
    }

    /// The same with so much time for phase 1.
    ///
    /// # Errors
    /// Where it ended.
    ///
    /// # Panics
    /// As [`Bench::launch`].
    pub fn launch_within(&self, source: Option<&str>, time: Duration) -> Result<Made, Failure> {
        block_on(self.launching(source, self.subject.cwd(), Some(time)))
    }

    async fn launching(
        &self,
        source: Option<&str>,
        cwd: Utf8PathBuf,
        time: Option<Duration>,
    ) -> Result<Made, Failure> {
        let adapter = self.adapter();
        let source = source.map(|id| SourceId::new(self.conversation_in(id, &cwd)));
        let evidence = match &source {
            Some(source) => {
                Some(adapter.resolve(source, &self.env, &cwd).await.map_err(Failure::Resolve)?)
            }
            None => None,
        };
        let wish = self.wish(source.is_some(), cwd.clone());
        assert!(adapter.check(&wish, &self.binary).is_empty(), "nothing hinders it");
        let child = adapter.plan_child().map(|child| {
            PlannedChild::new(self.conversation_in(child.conversation().native_id.as_str(), &cwd))
        });
        let surroundings = adapter.surroundings(&wish, &self.env).await.expect("its settings");
        let nonce = uuid::Uuid::new_v4().simple().to_string();
        let ask = Phase1Ask {
            wish: &wish,
            binary: &self.binary,
            source: evidence.as_ref(),
            child: child.as_ref(),
            nonce: &nonce,
            surroundings: &surroundings,
        };
        let made = match adapter.phase1(&ask).expect("a plan") {
            Phase1::Headless(plan) => self.run(&ask, *plan, source.as_ref(), time).await?,
            Phase1::Write(plan) => {
                let written = adapter.write(&plan).await;
                written
                    .map_err(|Phase1Refusal { code, message }| Failure::Write { code, message })?;
                child.as_ref().expect("its id is planned").conversation().clone()
            }
            other => panic!("a phase 1 without a pane is expected: {other:?}"),
        };
        let proof = adapter.prove_untouched(evidence.as_ref(), &made, &self.env, &cwd).await;
        let proof = proof.map_err(|error| match error {
            ProveError::Refuted { code, message } | ProveError::Unverifiable { code, message } => {
                Failure::Prove { code, message }
            }
        })?;
        let later = adapter.prove(evidence.as_ref(), &made, &self.env, &cwd).await;
        assert_eq!(later.expect("it is proved again"), proof);
        let found = adapter.find_made(child.as_ref(), &nonce, &self.env).await.expect("a look");
        assert!(found.is_some(), "it is found by its mark");
        Ok(Made { child: made, source: evidence, proof })
    }

    /// Runs a headless phase 1 and learns the new id.
    async fn run(
        &self,
        ask: &Phase1Ask<'_>,
        mut plan: ProcessPlan,
        source: Option<&SourceId>,
        time: Option<Duration>,
    ) -> Result<ConversationId, Failure> {
        assert_eq!(plan.cwd, ask.wish.cwd, "phase 1 runs where the seat is");
        plan.deadline = time.unwrap_or(plan.deadline);
        let fine = async |_| ();
        let done = run(&plan, &self.env, Some(&self.binary), RunOptions::default(), fine);
        let done = done.await.expect("phase 1 is started");
        assert!(done.leftovers.iter().all(|one| one.ended), "{:?}", done.leftovers);
        let made = self.adapter().learn(source, ask.child, &done.output);
        made.map_err(|refused| Failure::Learn {
            code: refused.code,
            output: Box::new(done.output.clone()),
            process: done.process,
        })
    }

    /// The token of a seat with this conversation.
    ///
    /// # Panics
    /// When its proof does not make one.
    pub fn token(&self, made: &Made) -> SeatToken {
        let proved = match &made.source {
            Some(source) => ProvedChild::forked(
                source.source(self.adapter().runtime()),
                made.child.clone(),
                made.proof.clone(),
            ),
            None => ProvedChild::fresh(made.child.clone(), made.proof.clone()),
        };
        SeatToken::realize(&proved.expect("a proof that is enough"))
    }

    /// Opens a pane that resumes a conversation, or a plain one, and waits until the adapter says what is expected.
    ///
    /// # Panics
    /// When it does not in time.
    pub fn open(&self, made: Option<&Made>, expected: &Observation) -> Box<dyn Pane> {
        let wish = self.wish(made.is_some_and(|made| made.source.is_some()), self.subject.cwd());
        let token = made.map(|made| self.token(made));
        let start = token.as_ref().map_or(PaneStart::Fresh, PaneStart::Resume);
        let plan = self.adapter().pane(&wish, &self.binary, start).expect("a plan of a pane");
        let pane = self.subject.open(&plan);
        let end = Instant::now() + PATIENCE;
        loop {
            let seen = self.observe(pane.as_ref());
            if seen == *expected {
                return pane;
            }
            let screen = || pane.screen();
            assert!(Instant::now() < end, "{seen:?} in place of {expected:?}:\n{}", screen());
            std::thread::sleep(STEP);
        }
    }

    /// What a pane's process serves.
    pub fn observe(&self, pane: &dyn Pane) -> Observation {
        block_on(self.adapter().observe(pane.process(), &self.env))
    }
}

/// Runs a future to its end.
///
/// # Panics
/// When there is no runtime to run it on.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime for one future").block_on(future)
}
