//! A store in a directory of its own, and short ways to a launch at every state.

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use rusqlite::Connection;
use seatfork_schema::proof::Inherited;
use seatfork_schema::{
    ConversationId, NativeId, NoticeState, PlannedChild, Proof, ProofGrade, ProofStatus,
    ProvedChild, Runtime, Scope, SeatToken, SourceId,
};
use seatfork_store::{
    DeclareError, ForkVia, Launch, LaunchId, Location, NewLaunch, NewPane, NewRig, NewSeat, Nonce,
    Owner, OwnerLock, ProcessMark, Realized, Replaces, Resolution, Rig, Seat, SeatId,
    SourceEvidence, SourceRange, Store, Work,
};
use tempfile::TempDir;

/// A store, its directory, and a rig in it.
pub(crate) struct Home {
    pub(crate) dir: TempDir,
    pub(crate) store: Store,
    pub(crate) rig: Rig,
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_767_323_045 + second).unwrap()
}

/// Where the store of a directory is.
pub(crate) fn db_path(dir: &TempDir) -> Utf8PathBuf {
    Utf8Path::from_path(dir.path()).unwrap().canonicalize_utf8().unwrap().join("state/seatfork.db")
}

pub(crate) fn id(runtime: Runtime, text: &str) -> ConversationId {
    let scope =
        if runtime == Runtime::Pixir { Scope::workspace("/w") } else { Scope::everywhere() };
    ConversationId { runtime, scope, native_id: NativeId::new(text).unwrap() }
}

pub(crate) fn claude(text: &str) -> ConversationId {
    id(Runtime::ClaudeCode, text)
}

pub(crate) fn codex(text: &str) -> ConversationId {
    id(Runtime::Codex, text)
}

pub(crate) fn source(text: &str) -> SourceId {
    SourceId::new(claude(text))
}

pub(crate) fn owner() -> Owner {
    Owner {
        host: "host".into(),
        boot: "boot".into(),
        process: ProcessMark { pid: 42, start: "4711".into() },
    }
}

pub(crate) fn evidence() -> SourceEvidence {
    SourceEvidence {
        path: "/h/source.jsonl".into(),
        device: u64::MAX,
        inode: 7,
        bytes: 1234,
        sha256: "ab".repeat(32),
        records: 12,
        detail: serde_json::json!({"effective_records": 10}),
    }
}

pub(crate) fn proof(grade: ProofGrade) -> Proof {
    let inherited = (grade >= ProofGrade::L2).then(|| Inherited {
        records: 10,
        source_bytes: 1234,
        sha256: "cd".repeat(32),
        last_record: Some("leaf".into()),
        not_inherited: vec!["2 before the last compaction".into()],
        depends_on_source: false,
        depends_on: Vec::new(),
    });
    Proof { grade, status: ProofStatus::Proved, detail: "content proved 10/10".into(), inherited }
}

pub(crate) fn forked(source: &SourceId, child: &ConversationId) -> ProvedChild {
    ProvedChild::forked(source.clone(), child.clone(), proof(ProofGrade::L3)).unwrap()
}

pub(crate) fn fresh(child: &ConversationId) -> ProvedChild {
    ProvedChild::fresh(child.clone(), Proof::new_id("one row")).unwrap()
}

pub(crate) fn realized(second: i64) -> Realized {
    Realized { notice: NoticeState::WithFirstText, ranges: vec![], at: at(second) }
}

pub(crate) fn range() -> SourceRange {
    SourceRange {
        path: "/h/rollout.jsonl".into(),
        device: 1,
        inode: u64::MAX - 1,
        from: 0,
        to: 99,
        sha256: "ef".repeat(32),
    }
}

pub(crate) fn pane() -> NewPane {
    NewPane {
        socket: "/run/s".into(),
        session: "review".into(),
        server: ProcessMark { pid: 1, start: "1".into() },
        pane_id: "%3".into(),
        process: ProcessMark { pid: 2, start: "2".into() },
        observed: seatfork_schema::ProcessState::Starting,
        at: at(20),
    }
}

pub(crate) fn new_rig(name: &str) -> NewRig {
    NewRig {
        name: name.into(),
        root: "/w/review".into(),
        spec_path: Some("/w/review/rig.yaml".into()),
        spec_sha256: "01".repeat(32),
        at: at(0),
    }
}

pub(crate) fn new_seat(rig: &Rig, member: &str, runtime: Runtime) -> NewSeat {
    NewSeat {
        rig: rig.id,
        pod: "dev".into(),
        member: member.into(),
        runtime,
        cwd: "/w/review".into(),
        location: Location { claude_config_dir: Some("/h/.claude".into()), codex_home: None },
        pass_env: vec!["ANTHROPIC_API_KEY".into()],
        at: at(0),
    }
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::create(&db_path(&dir)).unwrap();
        let rig = store.ensure_rig(&new_rig("review")).unwrap();
        Self { dir, store, rig }
    }

    /// A second connection that knows nothing of ours: no pragma is set.
    pub(crate) fn raw(&self) -> Connection {
        Connection::open(self.store.path()).unwrap()
    }

    pub(crate) fn seat(&mut self, member: &str, runtime: Runtime) -> Seat {
        self.store.ensure_seat(&new_seat(&self.rig, member, runtime)).unwrap().seat
    }

    pub(crate) fn new_launch(seat: &Seat, work: Work) -> NewLaunch {
        NewLaunch {
            seat: seat.id,
            work,
            nonce: Nonce::random(),
            owner: owner(),
            replaces: None,
            cwd: seat.cwd.clone(),
            model: Some("m".into()),
            profile: Some("p".into()),
            notice_wanted: false,
            permission: "default".into(),
            build: "0.1.0 (abc, clean)".into(),
            binary: None,
            at: at(1),
        }
    }

    pub(crate) fn lock(&self) -> OwnerLock {
        OwnerLock::acquire(&self.store.locks_dir(), LaunchId::new(at(1))).unwrap()
    }

    /// Each living seat with the number of its latest launch, as a caller sees it that goes on to retire the rig.
    pub(crate) fn seen(&self) -> Vec<(SeatId, u32)> {
        let rows = self.store.rig_state(self.rig.id).unwrap();
        rows.iter().map(|row| (row.seat.id, self.latest(row.seat.id))).collect()
    }

    pub(crate) fn latest(&self, seat: SeatId) -> u32 {
        self.store.launches_of(seat).unwrap().last().map_or(0, |launch| launch.attempt)
    }

    pub(crate) fn declare(&mut self, seat: &Seat, work: Work) -> Result<Launch, DeclareError> {
        let lock = self.lock();
        self.store.declare(&lock, &Self::new_launch(seat, work))
    }

    pub(crate) fn declare_replacing(
        &mut self,
        seat: &Seat,
        work: Work,
        replaces: Replaces,
    ) -> Result<Launch, DeclareError> {
        let lock = self.lock();
        let new = NewLaunch { replaces: Some(replaces), ..Self::new_launch(seat, work) };
        self.store.declare(&lock, &new)
    }

    /// declared → forking.
    pub(crate) fn drive_to_forking(&mut self, launch: &Launch) {
        let evidence = launch.source.as_ref().map(|_| evidence());
        let resolution = Resolution { evidence, artifacts: vec![] };
        self.store.resolved(launch.id, &resolution, at(2)).unwrap();
        self.store.forking(launch.id, at(3)).unwrap();
    }

    /// A forking launch for a work.
    pub(crate) fn forking(&mut self, seat: &Seat, work: Work) -> Launch {
        let launch = self.declare(seat, work).unwrap();
        self.drive_to_forking(&launch);
        self.store.launch(launch.id).unwrap()
    }

    /// A realized Claude fork.
    pub(crate) fn fork(&mut self, seat: &Seat, from: &str, to: &str) -> (Launch, SeatToken) {
        let launch = self.forking(seat, fork(from, to));
        let proved = forked(&source(from), &claude(to));
        let token = self.store.realize(launch.id, &proved, &realized(9)).unwrap();
        (self.store.launch(launch.id).unwrap(), token)
    }
}

/// A Claude fork with a planned child.
pub(crate) fn fork(from: &str, to: &str) -> Work {
    Work::Fork {
        source: source(from),
        planned: Some(PlannedChild::new(claude(to))),
        via: ForkVia::Fork,
    }
}

/// A fresh Claude conversation with a planned id.
pub(crate) fn fresh_work(to: &str) -> Work {
    Work::Fresh { planned: Some(PlannedChild::new(claude(to))) }
}
