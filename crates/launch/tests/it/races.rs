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

/// Runs a whole command of its own, on a thread of its own, once: `up` where nothing else is said.
#[derive(Debug)]
struct Meanwhile {
    root: Utf8PathBuf,
    spec: RigSpec,
    at: Option<Step>,
    depth: Option<DownDepth>,
    done: AtomicBool,
}

impl Meanwhile {
    fn new(world: &World, spec: &RigSpec, at: Option<Step>) -> Arc<Self> {
        let (root, spec) = (world.root.clone(), spec.clone());
        Arc::new(Self { root, spec, at, depth: None, done: AtomicBool::new(false) })
    }

    fn down(world: &World, depth: DownDepth, at: Step) -> Arc<Self> {
        let (root, spec) = (world.root.clone(), rig(&[fork("a")]));
        let (at, depth) = (Some(at), Some(depth));
        Arc::new(Self { root, spec, at, depth, done: AtomicBool::new(false) })
    }

    fn run(&self) {
        if self.done.swap(true, Ordering::SeqCst) {
            return;
        }
        let (root, spec, depth) = (self.root.clone(), self.spec.clone(), self.depth);
        let other = std::thread::spawn(move || {
            let world = World::of_another(&root);
            match depth {
                None => drop(run(world.up(&spec))),
                Some(depth) => drop(run(world.down(depth))),
            }
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

// SPEC 7: and so where nothing of the rig ran: what was filled between the last look and the retiring is not retired.
#[test]
fn a_seat_that_was_filled_after_the_last_look_is_not_retired() {
    let world = World::new();
    let spec = rig(&[terminal("a")]);
    let cancel = Cancel::new();
    cancel.request();
    // Its seat is made, and nothing was ever started in it.
    run(world.up_on(world.ground(CrashPoints::none(), cancel), &spec)).unwrap();
    let clock = Meanwhile::new(&world, &spec, None);
    let ground = Ground { clock, ..Arc::into_inner(world.plain()).unwrap() };
    let Target::Rig(known) = run(target(&world.plain().store, "r")).unwrap() else {
        panic!("a rig")
    };
    let report = run(down(&ground, &known, DownDepth::Forget)).unwrap();
    let error = report.seats[0].error.as_ref();
    assert_eq!(error.map(|error| error.code.as_str()), Some("launch-in-progress"), "{report:#?}");
    assert!(!report.seats[0].retired);
    assert_eq!((world.launches().len(), world.running_panes()), (1, 1));
}

// SPEC 7: a seat that is forgotten between decision and act gets no pane and no launch.
#[test]
fn nothing_is_opened_for_a_seat_that_was_forgotten_meanwhile() {
    let spec = rig(&[fork("a")]);
    let forgotten = |world: &World, at| {
        let seat = world.seat().seat.id;
        let other = Meanwhile::down(world, DownDepth::Forget, at);
        let ground = world.ground_with(CrashPoints::none(), Cancel::new(), other);
        let report = run(world.up_on(ground, &spec)).unwrap();
        let said = only(&report);
        let code = said.error.as_ref().map(|error| error.code.as_str());
        assert_eq!(code, Some("taken-down"), "{at:?}: {said:#?}");
        assert_eq!(world.running_panes(), 0, "{at:?}");
        let store = world.store();
        assert!(store.seat(seat).unwrap().retired_at.is_some(), "{at:?}");
        assert_eq!(store.launches_of(seat).unwrap().len(), 1, "{at:?}");
        assert_eq!(world.root.join("state/locks").read_dir().unwrap().count(), 0, "{at:?}");
    };
    // Its first pane was never opened.
    let world = World::new();
    kill_at(&world, CrashPoint::AfterRealized, "resume_if_possible");
    forgotten(&world, Step::Recover);
    // It was to be brought back.
    let world = World::new();
    run(world.up(&spec));
    run(world.down(DownDepth::Stop));
    forgotten(&world, Step::Declare);
}
