//! Two commands at once: whoever comes second looks again and blames nobody (SPEC 7).

use crate::crash::kill_at;
use crate::support::{World, fork, only, rig, run, terminal};
use camino::Utf8PathBuf;
use seatfork_launch::{
    Action, Cancel, Clock, CrashPoint, CrashPoints, DownAction, DownDepth, Event, ExitClass,
    Ground, Observer, Step, Target, down, target,
};
use seatfork_schema::{LaunchState, RigSpec};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs a whole `up` of its own, on a thread of its own, once.
#[derive(Debug)]
struct Meanwhile {
    root: Utf8PathBuf,
    spec: RigSpec,
    at: Option<Step>,
    done: AtomicBool,
}

impl Meanwhile {
    fn new(world: &World, spec: &RigSpec, at: Option<Step>) -> Arc<Self> {
        let (root, spec) = (world.root.clone(), spec.clone());
        Arc::new(Self { root, spec, at, done: AtomicBool::new(false) })
    }

    fn run(&self) {
        if self.done.swap(true, Ordering::SeqCst) {
            return;
        }
        let (root, spec) = (self.root.clone(), self.spec.clone());
        let other = std::thread::spawn(move || {
            let world = World::of_another(&root);
            run(world.up(&spec));
        });
        other.join().unwrap();
    }
}

impl Observer for Meanwhile {
    fn event(&self, event: &Event<'_>) {
        if matches!(event, Event::Entered { step, .. } if Some(*step) == self.at) {
            self.run();
        }
    }
}

impl Clock for Meanwhile {
    fn now(&self) -> jiff::Timestamp {
        self.run();
        jiff::Timestamp::now()
    }
}

// SPEC 7: the seat was filled between decision and declaration: the loser decides again and finds it running.
#[test]
fn an_up_that_comes_second_to_an_empty_seat_finds_it_filled() {
    for spec in [rig(&[terminal("t")]), rig(&[fork("a")])] {
        let world = World::new();
        let other = Meanwhile::new(&world, &spec, Some(Step::Declare));
        let ground = world.ground_with(CrashPoints::none(), Cancel::new(), other);
        let report = run(world.up_on(ground, &spec)).unwrap();
        let seat = only(&report);
        assert_eq!(report.exit, ExitClass::Ok, "{seat:#?}");
        assert_eq!(seat.action, Action::Unchanged);
        assert_eq!((world.launches().len(), world.running_panes()), (1, 1));
        assert_eq!(world.root.join("state/locks").read_dir().unwrap().count(), 0);
    }
}

// SPEC 7: and so where the seat was brought back meanwhile, or relaunched.
#[test]
fn an_up_that_comes_second_to_a_seat_that_is_down_finds_it_running() {
    for spec in [rig(&[terminal("t")]), rig(&[fork("a")])] {
        let world = World::new();
        run(world.up(&spec));
        run(world.down(DownDepth::Stop));
        let other = Meanwhile::new(&world, &spec, Some(Step::Declare));
        let ground = world.ground_with(CrashPoints::none(), Cancel::new(), other);
        let report = run(world.up_on(ground, &spec)).unwrap();
        assert_eq!(report.exit, ExitClass::Ok, "{report:#?}");
        assert_eq!((world.launches().len(), world.running_panes()), (2, 1));
    }
}

// SPEC 7: of two that find a dead owner one deals with the launch; the other decides again and leaves no lock behind.
#[test]
fn of_two_that_find_a_dead_owner_the_second_decides_again() {
    let world = World::new();
    let spec = rig(&[fork("a")]);
    kill_at(&world, CrashPoint::AfterDeclared, "resume_if_possible");
    let other = Meanwhile::new(&world, &spec, Some(Step::Recover));
    let ground = world.ground_with(CrashPoints::none(), Cancel::new(), other);
    let report = run(world.up_on(ground, &spec)).unwrap();
    assert_eq!(report.exit, ExitClass::Ok, "{report:#?}");
    assert_eq!(only(&report).action, Action::Unchanged);
    let states: Vec<_> = world.launches().iter().map(|launch| launch.state).collect();
    assert_eq!(states, [LaunchState::Abandoned, LaunchState::Realized]);
    assert_eq!(world.root.join("state/locks").read_dir().unwrap().count(), 0);
}

// SPEC 7: a seat that `up` fills while `down` stops another one is seen as it is, and never retired running.
#[test]
fn down_sees_a_seat_that_was_filled_meanwhile() {
    for depth in [DownDepth::Stop, DownDepth::Forget] {
        let world = World::new();
        let spec = rig(&[terminal("a"), terminal("b")]);
        run(world.up(&spec));
        run(world.down(DownDepth::Stop));
        run(world.up(&rig(&[terminal("a")])));
        let clock = Meanwhile::new(&world, &spec, None);
        let ground = Ground { clock, ..Arc::into_inner(world.plain()).unwrap() };
        let Target::Rig(known) = run(target(&world.plain().store, "r")).unwrap() else {
            panic!("a rig")
        };
        let report = run(down(&ground, &known, depth)).unwrap();
        assert_eq!(report.seats[1].action, DownAction::Stopped, "{depth:?}: {report:#?}");
        assert_eq!(world.running_panes(), 0, "{depth:?}");
    }
}
