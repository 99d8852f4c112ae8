//! Transactions per second of the store, beside a bare loop that runs the same statement.
//!
//! `cargo bench -p seatfork-store`. Both sides alternate; what counts is the
//! ratio, for the disk decides the rest.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]
#![expect(clippy::print_stdout, reason = "a benchmark tells its numbers")]

use camino::Utf8Path;
use rusqlite::{Connection, TransactionBehavior, named_params};
use seatfork_schema::{
    ConversationId, NativeId, NoticeState, PlannedChild, Proof, ProofGrade, ProofStatus,
    ProvedChild, Runtime, SourceId,
};
use seatfork_store::{
    ForkVia, LaunchId, Location, Mode, NewLaunch, NewRig, NewSeat, Nonce, Owner, OwnerLock,
    ProcessMark, Realized, Resolution, SourceEvidence, Store, Verification, Work,
};
use std::time::Instant;

const ROUNDS: usize = 5;
const TRANSACTIONS: u32 = 1500;
const LAUNCHES: u32 = 300;

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(dir.path()).unwrap().join("state/seatfork.db");
    let mut store = Store::create(&path).unwrap();
    let rig = store
        .ensure_rig(&NewRig {
            name: "bench".into(),
            root: "/w".into(),
            spec_path: None,
            spec_sha256: "0".repeat(64),
            at: at(0),
        })
        .unwrap();
    let seat = |n: u32| NewSeat {
        rig: rig.id,
        pod: "p".into(),
        member: format!("m{n}"),
        runtime: Runtime::ClaudeCode,
        cwd: "/w".into(),
        location: Location::default(),
        pass_env: vec![],
        at: at(0),
    };
    let first = launch(&mut store, &seat(0), 0);

    let launches = per_second(LAUNCHES, |n| {
        launch(&mut store, &seat(n + 1), n + 1);
    });
    println!("whole launches, 5 transactions each: {launches:.0}/s");
    opens(&path);

    let raw = Connection::open(&path).unwrap();
    for (name, value) in [("synchronous", "FULL"), ("foreign_keys", "ON")] {
        raw.pragma_update(None, name, value).unwrap();
    }
    let mut raw = raw;
    let mut ratios = Vec::new();
    for round in 0..ROUNDS {
        let bare = per_second(TRANSACTIONS, |n| bare(&mut raw, first, n));
        let ours = per_second(TRANSACTIONS, |n| {
            let seen = Verification {
                at: at(n.into()),
                status: ProofStatus::Proved,
                detail: "content proved 214/214".into(),
            };
            store.record_verification(first, &seen).unwrap();
        });
        println!("round {round}: bare {bare:.0}/s, store {ours:.0}/s, ratio {:.2}", ours / bare);
        ratios.push(ours / bare);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio {:.2} (target 0.70)", ratios[ROUNDS / 2]);

    drop((store, raw));
    opens(&path);
}

/// How long an open takes, its integrity check included.
fn opens(path: &Utf8Path) {
    for mode in [Mode::ReadWrite, Mode::Observe, Mode::ReadOnly] {
        let opens = per_second(50, |_| drop(Store::open(path, mode).unwrap()));
        let size = path.metadata().unwrap().len() / 1024;
        println!("open {mode:?}, {size} KiB: {:.2} ms", 1000.0 / opens);
    }
}

fn at(second: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_second(1_767_323_045 + second).unwrap()
}

fn per_second(times: u32, mut what: impl FnMut(u32)) -> f64 {
    let begin = Instant::now();
    for n in 0..times {
        what(n);
    }
    f64::from(times) / begin.elapsed().as_secs_f64()
}

/// The statement of `record_verification` without the store.
fn bare(conn: &mut Connection, launch: LaunchId, n: u32) {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    tx.prepare_cached(
        "INSERT INTO verifications(launch_id,n,at,status,detail)
         SELECT :launch, 1+coalesce(max(n),0), :at, :status, :detail FROM verifications WHERE launch_id=:launch",
    )
    .unwrap()
    .execute(named_params! {
        ":launch": launch.to_string(),
        ":at": format!("{:.9}", at(n.into())),
        ":status": "proved",
        ":detail": "content proved 214/214",
    })
    .unwrap();
    tx.commit().unwrap();
}

/// A seat and its launch from declaration to token.
fn launch(store: &mut Store, seat: &NewSeat, n: u32) -> LaunchId {
    let claude = |id: String| ConversationId::new(Runtime::ClaudeCode, NativeId::new(id).unwrap());
    let seat = store.ensure_seat(seat).unwrap().seat;
    let lock = OwnerLock::acquire(&store.locks_dir(), LaunchId::new(at(1))).unwrap();
    let source = SourceId::new(claude("source".into()));
    let child = claude(format!("child-{n}"));
    let new = NewLaunch {
        seat: seat.id,
        work: Work::Fork {
            source: source.clone(),
            planned: Some(PlannedChild::new(child.clone())),
            via: ForkVia::Fork,
        },
        nonce: Nonce::random(),
        owner: Owner {
            host: "h".into(),
            boot: "b".into(),
            process: ProcessMark { pid: 1, start: "1".into() },
        },
        replaces: None,
        cwd: "/w".into(),
        model: None,
        profile: None,
        notice_wanted: true,
        permission: "default".into(),
        build: "bench".into(),
        binary: None,
        at: at(1),
    };
    let launch = store.declare(&lock, &new).unwrap().id;
    let evidence = SourceEvidence {
        path: "/s.jsonl".into(),
        device: 1,
        inode: 2,
        bytes: 3,
        sha256: "0".repeat(64),
        records: 214,
        detail: serde_json::json!({}),
    };
    let resolution = Resolution { evidence: Some(evidence), artifacts: vec![] };
    store.resolved(launch, &resolution, at(2)).unwrap();
    store.forking(launch, at(3)).unwrap();
    let proof = Proof {
        grade: ProofGrade::L3,
        status: ProofStatus::Proved,
        detail: "content proved 214/214".into(),
        inherited: None,
    };
    let proved = ProvedChild::forked(source, child, proof).unwrap();
    let facts = Realized { notice: NoticeState::None, ranges: vec![], at: at(4) };
    store.realize(launch, &proved, &facts).unwrap();
    lock.release().unwrap();
    launch
}
