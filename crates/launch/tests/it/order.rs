//! Which member begins when, and where a seat's runtime looks (SPEC 13, 14).

use crate::support::{World, fork, fresh, only, rig, run};
use seatfork_launch::{
    CallerEnv, Cancel, CrashPoints, DownDepth, Event, ExitClass, LaunchCode, Observer, PlanOptions,
    UpOptions, plan, up,
};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// When each seat began and ended.
#[derive(Debug, Default)]
struct Times(Mutex<Vec<(String, bool, Instant)>>);

impl Observer for Times {
    fn event(&self, event: &Event<'_>) {
        let (seat, ended) = match event {
            Event::Begun { seat } => ((*seat).to_owned(), false),
            Event::Done { report, .. } => (report.seat.clone(), true),
            _ => return,
        };
        self.0.lock().unwrap().push((seat, ended, Instant::now()));
    }
}

/// How many ran at a time at most, and the gaps between the starts.
fn timed(jobs: usize, stagger: Duration) -> (usize, Vec<Duration>) {
    let world = World::new();
    world.mode("slow");
    let times = Arc::new(Times::default());
    let observer = Arc::clone(&times) as Arc<dyn Observer>;
    let ground = world.ground_with(CrashPoints::none(), Cancel::new(), observer);
    let spec = rig(&[fork("a"), fork("b"), fork("c"), fork("d")]);
    let report = run(async {
        let options = UpOptions { jobs: NonZeroUsize::new(jobs).unwrap(), stagger, strict: false };
        up(ground, world.plan(&spec).await, options).await.unwrap()
    });
    assert_eq!(report.exit, ExitClass::Ok, "{report:#?}");
    let (mut running, mut most, mut starts) = (0_usize, 0, Vec::new());
    for (_, ended, at) in times.0.lock().unwrap().iter() {
        if *ended {
            running -= 1;
        } else {
            running += 1;
            starts.push(*at);
        }
        most = most.max(running);
    }
    (most, starts.windows(2).map(|pair| pair[1] - pair[0]).collect())
}

// SPEC 13: `--jobs`: so many at a time and no more, one a moment after the other; without the moment all at once.
#[test]
fn so_many_run_at_a_time_and_start_a_moment_apart() {
    let default = UpOptions::default();
    assert_eq!((default.jobs.get(), default.stagger > Duration::ZERO), (2, true));
    let stagger = Duration::from_millis(300);
    let (most, gaps) = timed(2, stagger);
    assert_eq!(most, 2);
    assert_eq!(gaps.len(), 3);
    assert!(gaps[0] >= stagger, "{gaps:?}");
    let (most, gaps) = timed(4, Duration::ZERO);
    assert_eq!(most, 4, "they start together: {gaps:?}");
    assert_eq!(timed(1, stagger).0, 1);
}

/// What the environment of a process says of a variable.
fn variable(pid: u32, name: &str) -> Option<String> {
    let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    let mut pairs = environ.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    pairs.find_map(|pair| pair.strip_prefix(&format!("{name}=")).map(str::to_owned))
}

fn with_home(caller: CallerEnv, dir: &str) -> CallerEnv {
    let mut caller = caller;
    caller.0.insert("CLAUDE_CONFIG_DIR".to_owned(), dir.to_owned());
    caller
}

// SPEC 14: a location variable is read once, recorded, and given identically to every later resume, whatever the caller
// has by then, and though a tmux server with another one runs.
#[test]
fn a_seat_keeps_the_home_it_was_made_with() {
    let world = World::new();
    let up_from = |dir: &str, member: &str| {
        let caller = with_home(world.caller(), dir);
        let mut ground = world.plain();
        Arc::get_mut(&mut ground).unwrap().caller = caller.clone();
        let options = PlanOptions { skip_sources: true, ..PlanOptions::default() };
        run(async {
            let spec = rig(&[fork(member)]);
            let planned = plan(&world.adapters(), &caller, &spec, &world.origin(), &options).await;
            up(ground, planned, UpOptions::default()).await.unwrap()
        })
    };
    let pane = |member: &str| {
        let store = world.store();
        let rig = store.rigs().unwrap().remove(0);
        let rows = store.rig_state(rig.id).unwrap();
        let row = rows.into_iter().find(|row| row.seat.member == member).unwrap();
        row.last_pane.unwrap().process.pid
    };
    let first = up_from("/one", "a");
    assert_eq!(first.exit, ExitClass::Ok, "{first:#?}");
    assert_eq!(variable(pane("a"), "CLAUDE_CONFIG_DIR").as_deref(), Some("/one"));
    // The server was started with the first; another seat has its own.
    up_from("/two", "b");
    assert_eq!(variable(pane("b"), "CLAUDE_CONFIG_DIR").as_deref(), Some("/two"));
    run(world.down(DownDepth::Stop));
    let back = up_from("/two", "a");
    let seat = only(&back);
    assert_eq!(seat.token, first.seats[0].token, "{seat:#?}");
    assert_eq!(variable(pane("a"), "CLAUDE_CONFIG_DIR").as_deref(), Some("/one"));
    assert!(seat.warnings.iter().any(|said| said.code == LaunchCode::Remark), "{seat:#?}");
}

// SPEC 6: `--no-notice` reaches what is asked of the runtime; without it a fork is to be told what it is.
#[test]
fn whether_a_fork_is_told_what_it_is_is_asked_of_its_runtime() {
    let world = World::new();
    let spec = rig(&[fork("a"), fresh("b")]);
    for no_notice in [false, true] {
        let options = PlanOptions { no_notice, skip_sources: true, ..PlanOptions::default() };
        let planned =
            run(plan(&world.adapters(), &world.caller(), &spec, &world.origin(), &options));
        assert!(planned.seats.iter().all(|seat| seat.wish.notice != no_notice), "{planned:#?}");
    }
}
