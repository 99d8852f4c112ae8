//! One machine in a temporary directory: a store file, a tmux server on a private socket, a runtime, a rig.

use super::record_runtime::RecordRuntime;
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::Adapter;
use seatfork_adapters::pixir::Pixir;
use seatfork_adapters::terminal::Terminal;
use seatfork_launch::{
    Adapters, CallerEnv, Cancel, Clock, CrashPoints, DownDepth, DownReport, Ground, Observer,
    Patience, PlanOptions, PsReport, RigPlan, SeatReport, Silent, SpecOrigin, StoreThread, Target,
    UpError, UpOptions, UpReport, down, plan, ps, target, this_process, up,
};
use seatfork_schema::RigSpec;
use seatfork_store::{Launch, Mode, SeatRow, Store};
use seatfork_tmux::Server;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

/// The id of the conversation every fork of these tests starts from.
pub(crate) const SOURCE: &str = "0b0165d7-cb4d-4650-90de-15c0a1ede9e6";

/// The system's clock: launches are ordered by it.
#[derive(Debug)]
struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }
}

/// The machine. Its tmux server ends with it.
pub(crate) struct World {
    /// Its directory, kept as long as it lives; absent where another process owns it.
    _dir: Option<tempfile::TempDir>,
    pub(crate) root: Utf8PathBuf,
    owns: bool,
}

impl World {
    /// A new machine with one source conversation.
    pub(crate) fn new() -> Self {
        // Short, for the socket's path.
        let dir = tempfile::Builder::new().prefix("sf").tempdir_in("/tmp").unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap().canonicalize_utf8().unwrap();
        std::fs::create_dir(root.join("rig")).unwrap();
        let world = Self { _dir: Some(dir), root, owns: true };
        world.runtime();
        std::fs::write(world.record(SOURCE), "one\ntwo\nthree\n").unwrap();
        world
    }

    /// The machine in a directory that another process made.
    pub(crate) fn of_another(root: &Utf8Path) -> Self {
        Self { _dir: None, root: root.to_owned(), owns: false }
    }

    pub(crate) fn home(&self) -> Utf8PathBuf {
        self.root.join("home")
    }

    pub(crate) fn record(&self, id: &str) -> Utf8PathBuf {
        self.home().join("records").join(id)
    }

    /// Tells the runtime's script how to behave.
    pub(crate) fn mode(&self, mode: &str) {
        std::fs::write(self.home().join("mode"), mode).unwrap();
    }

    /// Everything the runtime's program was started for.
    pub(crate) fn calls(&self, what: &str) -> Vec<String> {
        let calls = std::fs::read_to_string(self.home().join("calls")).unwrap_or_default();
        let mine = calls.lines().filter(|line| line.starts_with(&format!("{what} ")));
        mine.map(|line| line[what.len() + 1..].to_owned()).collect()
    }

    /// The conversations on disk but for the source.
    pub(crate) fn children(&self) -> Vec<String> {
        let entries = self.home().join("records").read_dir_utf8().unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_owned()).collect();
        names.retain(|name| name != SOURCE && !name.starts_with('.'));
        names.sort();
        names
    }

    fn runtime(&self) -> RecordRuntime {
        RecordRuntime::at(&self.home())
    }

    pub(crate) fn server(&self) -> Server {
        let base = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
        Server::at(&self.root.join("tmux"), base).unwrap()
    }

    pub(crate) fn store_path(&self) -> Utf8PathBuf {
        self.root.join("state/seatfork.db")
    }

    /// The store, opened beside whoever has it open.
    pub(crate) fn store(&self) -> Store {
        Store::open(&self.store_path(), Mode::ReadWrite).unwrap()
    }

    pub(crate) fn caller(&self) -> CallerEnv {
        // Programs of a test's own come first.
        let path = format!("{}:/usr/bin:/bin", self.root.join("bin"));
        let vars = [
            ("HOME", self.root.as_str()),
            ("PATH", &path),
            ("SHELL", "/bin/sh"),
            ("LANG", "C.UTF-8"),
        ];
        CallerEnv(BTreeMap::from(vars.map(|(name, value)| (name.to_owned(), value.to_owned()))))
    }

    /// The runtime of these tests under the names of Claude Code and of Codex, and the real terminal and session logs.
    pub(crate) fn adapters(&self) -> Adapters {
        let runtime: &'static dyn Adapter = Box::leak(Box::new(self.runtime()));
        let in_pane: &'static dyn Adapter =
            Box::leak(Box::new(RecordRuntime::in_pane(&self.home())));
        Adapters::new([runtime, in_pane, &Terminal, &Pixir])
    }

    pub(crate) fn ground(&self, crash: CrashPoints, cancel: Cancel) -> Arc<Ground> {
        self.ground_with(crash, cancel, Arc::new(Silent))
    }

    pub(crate) fn ground_with(
        &self,
        crash: CrashPoints,
        cancel: Cancel,
        observer: Arc<dyn Observer>,
    ) -> Arc<Ground> {
        std::fs::create_dir_all(self.root.join("state")).unwrap();
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(self.root.join("state"), private).unwrap();
        Arc::new(Ground {
            adapters: self.adapters(),
            caller: self.caller(),
            store: StoreThread::start(Store::open_or_create(&self.store_path()).unwrap()).unwrap(),
            tmux: self.server(),
            clock: Arc::new(SystemClock),
            observer,
            cancel,
            crash,
            output_dir: self.root.join("state/output"),
            build: "test".to_owned(),
            owner: this_process().unwrap(),
            patience: Patience { phase1: None, ready: Duration::from_secs(3) },
        })
    }

    pub(crate) fn plain(&self) -> Arc<Ground> {
        self.ground(CrashPoints::none(), Cancel::new())
    }

    pub(crate) fn origin(&self) -> SpecOrigin {
        SpecOrigin { root: self.root.join("rig"), path: None, sha256: "0".repeat(64) }
    }

    pub(crate) async fn plan(&self, spec: &RigSpec) -> RigPlan {
        let options = PlanOptions { skip_sources: true, ..PlanOptions::default() };
        plan(&self.adapters(), &self.caller(), spec, &self.origin(), &options).await
    }

    pub(crate) async fn up_on(
        &self,
        ground: Arc<Ground>,
        spec: &RigSpec,
    ) -> Result<UpReport, UpError> {
        let options = UpOptions {
            jobs: NonZeroUsize::new(4).unwrap(),
            stagger: Duration::ZERO,
            strict: false,
        };
        let planned = self.plan(spec).await;
        assert!(planned.refusals.is_empty(), "{:?}", planned.refusals);
        up(ground, planned, options).await
    }

    pub(crate) async fn up(&self, spec: &RigSpec) -> UpReport {
        self.up_on(self.plain(), spec).await.unwrap()
    }

    pub(crate) async fn down(&self, depth: DownDepth) -> DownReport {
        let ground = self.plain();
        let Target::Rig(rig) = target(&ground.store, "r").await.unwrap() else { panic!("a rig") };
        down(&ground, &rig, depth).await.unwrap()
    }

    pub(crate) async fn ps(&self) -> PsReport {
        ps(&self.plain(), None).await.unwrap()
    }

    /// The rows of the only seat.
    pub(crate) fn seat(&self) -> SeatRow {
        let store = self.store();
        let rig = store.rigs().unwrap().remove(0);
        store.rig_state(rig.id).unwrap().remove(0)
    }

    /// Every launch of the only seat.
    pub(crate) fn launches(&self) -> Vec<Launch> {
        let seat = self.seat().seat.id;
        self.store().launches_of(seat).unwrap()
    }

    pub(crate) fn token(&self) -> Option<String> {
        let occupant = self.seat().occupant?;
        occupant.token.map(|token| token.conversation().native_id.to_string())
    }

    /// The panes of ours that run.
    pub(crate) fn running_panes(&self) -> usize {
        match self.server().list(&[]).unwrap() {
            seatfork_tmux::Lookup::Found(panes) => {
                panes.iter().filter(|report| report.pane.process.is_some()).count()
            }
            _ => 0,
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if self.owns {
            self.server().kill_server().unwrap();
        }
    }
}

/// A rig named `r` with one pod `p`.
pub(crate) fn rig(members: &[Value]) -> RigSpec {
    let spec = json!({
        "version": "1", "name": "r",
        "pods": [{"id": "p", "label": "pod", "members": members}],
    });
    serde_json::from_value(spec).unwrap()
}

/// A member that forks the source.
pub(crate) fn fork(id: &str) -> Value {
    let mut member = fresh(id);
    member["session_source"] =
        json!({"mode": "fork", "ref": {"kind": "native_id", "value": SOURCE}});
    member
}

/// A member with a fresh conversation.
pub(crate) fn fresh(id: &str) -> Value {
    json!({"id": id, "agent_ref": "local:a.yaml", "profile": "x", "runtime": "claude-code", "cwd": "."})
}

/// A shell.
pub(crate) fn terminal(id: &str) -> Value {
    json!({"id": id, "agent_ref": "builtin:terminal", "profile": "none", "runtime": "terminal", "cwd": "."})
}

/// The one seat of a report.
pub(crate) fn only(report: &UpReport) -> &SeatReport {
    assert_eq!(report.seats.len(), 1);
    &report.seats[0]
}

/// Runs a future on a current-thread runtime.
pub(crate) fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}
