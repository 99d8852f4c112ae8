//! Killed at every crash point.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use seatfork_launch::CrashPoint;
use seatfork_testkit::claude_home::ClaudeHome as _;
use seatfork_testkit::fake::{Act, ChildChange, Phase, Script};
use seatfork_testkit::world::Parent;
use seatfork_testkit::{Output, Running};
use serde_json::{Value, json};

use crate::support::{
    Call, Calls, Faked, Files, Locked, Place, Rig, assert_lineage, codes, newest, runs, seat, text,
    timed,
};

/// How a seat is to get its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Fork,
    Fresh,
}

/// What the next `up` is to make of what was left: the line of SPEC 7's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Abandoned; a new attempt with a new child id.
    Anew,
    /// Its child is proved and stored; said as finished.
    Finished,
    /// It is realized already; its pane is opened, or adopted.
    Realized,
    /// All of it is done and written down; nothing but seeing it was missing.
    Running,
}

/// What is expected of a launch of a new conversation that died at a point. A new point is expected to be on that
/// way, and fails here until somebody says which line of the table is its own.
fn line(point: CrashPoint) -> Option<Line> {
    match point {
        CrashPoint::AfterDeclared | CrashPoint::AfterResolved | CrashPoint::BeforeSpawn => {
            Some(Line::Anew)
        }
        CrashPoint::AfterSpawn
        | CrashPoint::AfterSpawnRecorded
        | CrashPoint::AfterPhase1
        | CrashPoint::AfterProof
        | CrashPoint::RescueWritten
        | CrashPoint::RecoveredProof => Some(Line::Finished),
        CrashPoint::AfterRealized | CrashPoint::AfterPane => Some(Line::Realized),
        CrashPoint::AfterPaneRecorded => Some(Line::Running),
        // The old occupant is still there; it has a test of its own.
        CrashPoint::BeforeRelaunch => None,
    }
}

/// A rig of two: `a`, which dies with its launcher, and `b`, of the other kind, whose turn never came.
struct Scene<'p> {
    place: &'p Place,
    calls: Calls,
    parent: String,
    path: PathBuf,
    source: Files,
}

impl<'p> Scene<'p> {
    fn new(place: &'p Place, parent: &Parent, kind: Kind, policy: &str) -> Self {
        let rig = Rig::named("review");
        let policy = format!("restore_policy: {policy}");
        let rig = match kind {
            Kind::Fork => rig.fork("a", &parent.id).with(&policy).fresh("b"),
            Kind::Fresh => rig.fresh("a").with(&policy).fork("b", &parent.id),
        };
        place.rig(&rig);
        let calls = Calls::watch(place);
        let Parent { id, path, .. } = parent.clone();
        Self { place, calls, parent: id, source: Files::below([&path]), path }
    }

    fn of(faked: &'p Faked, kind: Kind) -> Self {
        Self::new(faked, &faked.parent, kind, "resume_if_possible")
    }

    /// `up`, which is to die at a point, one member after the other.
    #[track_caller]
    fn killed_at(&self, point: CrashPoint) {
        let up = self.start_to_die(point).wait();
        self.assert_killed(&up, point);
    }

    fn start_to_die(&self, point: CrashPoint) -> Running {
        let mut up = self.place.command(env!("CARGO_BIN_EXE_seatfork"));
        up.args(["up", "--json", "--jobs", "1", "work/rig.yaml"]);
        up.env("SEATFORK_CRASH_AT", point.as_str());
        self.place.start_command(up, "seatfork")
    }

    #[track_caller]
    fn assert_killed(&self, up: &Output, point: CrashPoint) {
        assert_eq!(up.status().signal(), Some(Signal::KILL.as_raw()), "{point} not reached\n{up}");
        assert_eq!(up.stdout(), "", "nothing was said before it was so");
    }

    /// The conversations on disk besides the source.
    fn children(&self) -> BTreeSet<String> {
        let files = self.place.conversations();
        let ids = files.iter().map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned());
        ids.filter(|id| *id != self.parent).collect()
    }

    /// The next `up`: nothing lost, nothing doubled. One conversation a seat, or a burned one that is named; one
    /// pane a seat, which serves the stored token; lineage right; and a further `up` has nothing to do.
    #[track_caller]
    fn holds(&self, what: &str) -> Value {
        let (code, report) = self.place.up();
        assert_eq!(code, 0, "{what}: {report:#}");
        let seats = ["a", "b"].map(|member| seat(&report, member));
        let tokens: BTreeSet<_> =
            seats.iter().map(|seat| text(seat, "/token").to_owned()).collect();
        assert_eq!(tokens.len(), 2, "{what}: {report:#}");
        assert!(!tokens.contains(&self.parent), "{what}");
        for child in self.children() {
            let burned = seats.iter().any(|seat| seat["warnings"].to_string().contains(&child));
            assert!(tokens.contains(&child) || burned, "{what}: {child} is nobody's: {report:#}");
        }
        for seat in seats {
            assert_eq!(seat["process_state"], "ready", "{what}: {seat:#}");
            assert_eq!(seat["launch_state"], "realized", "{what}: {seat:#}");
        }
        let served: BTreeSet<_> = self
            .place
            .live_sessions()
            .iter()
            .filter(|session| runs(session["pid"].as_u64().unwrap().try_into().unwrap()))
            .map(|session| text(session, "/sessionId").to_owned())
            .collect();
        assert_eq!(served, tokens, "{what}: each pane serves its own");
        assert_eq!(self.place.tmux_sessions().len(), 2, "{what}");
        self.lineage_is_right(&tokens, &report, what);
        assert_eq!(self.source.changes(&Files::below([&self.path])), [""; 0], "{what}");
        let made = self.calls.made().len();
        let (code, again) = self.place.up();
        assert_eq!(code, 0, "{what}: {again:#}");
        for (member, before) in ["a", "b"].iter().zip(seats) {
            let now = seat(&again, member);
            assert_eq!((&now["action"], &now["token"]), (&json!("unchanged"), &before["token"]));
        }
        assert_eq!(self.calls.made().len(), made, "{what}");
        report
    }

    #[track_caller]
    fn lineage_is_right(&self, tokens: &BTreeSet<String>, report: &Value, what: &str) {
        let lineage = self.place.run(["lineage", "--json"]).exits(0).json();
        assert_lineage(&lineage);
        let forked = ["a", "b"].map(|member| seat(report, member));
        let forked: Vec<_> = forked.into_iter().filter(|seat| !seat["source"].is_null()).collect();
        let edges = lineage["edges"].as_array().unwrap();
        let from_source: Vec<_> = edges.iter().filter(|edge| edge["kind"] == "fork").collect();
        assert_eq!(from_source.len(), forked.len(), "{what}: {lineage:#}");
        for seat in forked {
            let ends = (text(seat, "/source/native_id"), text(seat, "/token"));
            let edge = |edge: &&&Value| (text(edge, "/parent"), text(edge, "/child")) == ends;
            assert_eq!(from_source.iter().filter(edge).count(), 1, "{what}: {lineage:#}");
        }
        let nodes = lineage["nodes"].as_array().unwrap();
        for token in tokens {
            let of_token = nodes.iter().filter(|node| node["native_id"] == json!(token));
            assert_eq!(of_token.count(), 1, "{what}: {lineage:#}");
        }
    }

    /// How often `a`'s conversation was to be made.
    fn made_of_a(&self) -> Vec<Call> {
        let mut made = self.calls.made();
        made.retain(|call| call.option("--name") == Some("dev-a@review"));
        made
    }

    /// What SPEC 7's table says of a point.
    #[track_caller]
    fn table_holds(&self, line: Line, what: &str) {
        let panes = self.place.tmux_sessions();
        let report = self.holds(what);
        let a = seat(&report, "a");
        let (attempt, finished, action) = match line {
            Line::Anew => (2, false, "created"),
            Line::Finished => (1, true, "created"),
            Line::Realized => (1, false, "created"),
            Line::Running => (1, false, "unchanged"),
        };
        assert_eq!(
            (&a["attempt"], &a["action"]),
            (&json!(attempt), &json!(action)),
            "{what}: {a:#}"
        );
        let said = codes(&a["warnings"]).contains(&"finished-interrupted-launch");
        assert_eq!(said, finished, "{what}: {a:#}");
        assert_eq!(self.made_of_a().len(), 1, "{what}: made once");
        assert_eq!(self.made_of_a()[0].option("--session-id"), a["token"].as_str(), "{what}");
        assert_eq!(seat(&report, "b")["attempt"], 1, "{what}: its turn never came before");
        let after = self.place.tmux_sessions();
        assert!(panes.iter().all(|pane| after.contains(pane)), "{what}: a pane was replaced");
        assert_eq!(self.calls.panes().len(), 2, "{what}: one pane a seat");
        let rescue = fs::read_dir(self.place.state_dir().join("rescue"));
        assert_eq!(rescue.map_or(0, Iterator::count), 0, "{what}: a rescue file nobody needs");
    }
}

// SPEC 7: killed at any point, a fork is what the table says it is: finished or tried anew, nothing lost or doubled.
#[test]
fn a_fork_killed_at_any_point_is_what_the_table_says_it_is() {
    killed_at_every_point(Kind::Fork);
}

// SPEC 7: and so is a fresh launch.
#[test]
fn a_fresh_launch_killed_at_any_point_is_what_the_table_says_it_is() {
    killed_at_every_point(Kind::Fresh);
}

fn killed_at_every_point(kind: Kind) {
    for point in CrashPoint::ALL {
        let Some(line) = line(*point) else { continue };
        let what = format!("{point}, {kind:?}");
        timed(&what, || killed(*point, kind, line, &what));
    }
}

fn killed(point: CrashPoint, kind: Kind, line: Line, what: &str) {
    let faked = Faked::new();
    let scene = Scene::of(&faked, kind);
    match point {
        CrashPoint::AfterSpawn | CrashPoint::AfterSpawnRecorded => {
            // The runtime outlives its launcher by a while: it is waited for, nothing is made beside it.
            let phase = if kind == Kind::Fork { Phase::Fork } else { Phase::Fresh };
            faked.fake.script(&Script::faithful().on_nth(phase, 0, [Act::Slow { ms: 1200 }]));
            scene.killed_at(point);
            assert!(scene.children().is_empty(), "{what}: it still works");
        }
        CrashPoint::AfterPane | CrashPoint::AfterPaneRecorded => {
            // The pane is not ready yet when the next `up` comes: it is waited for, none is opened beside it.
            let slow = [Act::Slow { ms: 1200 }];
            faked.fake.script(&Script::faithful().on_nth(Phase::Pane, 0, slow));
            scene.killed_at(point);
            assert!(faked.live_sessions().is_empty(), "{what}: it still starts");
        }
        CrashPoint::RescueWritten => {
            scene.calls.hold();
            let up = scene.start_to_die(point);
            scene.calls.wait_for_made(1);
            let locked = Locked::once_spawned(&faked, 1);
            scene.calls.let_go();
            scene.assert_killed(&up.wait(), point);
            locked.unlock();
        }
        CrashPoint::RecoveredProof => {
            scene.killed_at(CrashPoint::AfterPhase1);
            scene.killed_at(point);
            // And whoever recovers dies once more, just before it would be stored.
            scene.killed_at(point);
        }
        _ => scene.killed_at(point),
    }
    let rows = faked.run(["ps", "--json"]).json();
    let a = seat(&rows, "a");
    let token = matches!(line, Line::Realized | Line::Running);
    assert_eq!(a["token"].is_string(), token, "{what}: {a:#}");
    scene.table_holds(line, what);
}

// SPEC 7: a runtime that hangs after its launcher died is ended at its deadline, and only then a new one is started.
#[test]
fn a_runtime_that_hangs_after_its_launcher_died_is_ended_before_a_new_attempt() {
    for (kind, phase) in [(Kind::Fork, Phase::Fork), (Kind::Fresh, Phase::Fresh)] {
        let faked =
            Faked::told(&Script::faithful().on_nth(phase, 0, [Act::Hang { stubborn: true }]));
        let scene = Scene::of(&faked, kind);
        scene.killed_at(CrashPoint::AfterSpawnRecorded);
        let hung = scene.calls.wait_for_made(1);
        assert!(runs(hung.pid));
        let up = ["up", "--phase1-timeout", "2", "work/rig.yaml"];
        let up = timed("ended first", || faked.run(up).exits(0));
        let waiting = format!("waiting for process {}", hung.pid);
        assert!(up.stderr().contains(&waiting), "{up}");
        assert!(!runs(hung.pid));
        let made = scene.made_of_a();
        assert_eq!(made.len(), 2);
        assert!(!made[1].beside.contains(&hung.pid), "started beside it");
        let report = scene.holds("hung");
        assert_eq!(seat(&report, "a")["attempt"], 2);
    }
}

// SPEC 7: a partial child of a dead launcher: proof refuses, its id is burned, the leftover is named and stays.
#[test]
fn a_partial_child_of_a_dead_launcher_is_refused_named_and_left() {
    for change in
        [ChildChange::Partial { rows: 4 }, ChildChange::ZeroBytes, ChildChange::TornLastLine]
    {
        let what = format!("{change:?}");
        let faked =
            Faked::told(&Script::faithful().on_nth(Phase::Fork, 0, [Act::Child { change }]));
        let scene = Scene::of(&faked, Kind::Fork);
        scene.killed_at(CrashPoint::AfterPhase1);
        let partial = scene.children();
        assert_eq!(partial.len(), 1, "{what}");
        let report = scene.holds(&what);
        let a = seat(&report, "a");
        assert_eq!((&a["attempt"], scene.made_of_a().len()), (&json!(2), 2), "{what}: {a:#}");
        assert!(codes(&a["warnings"]).contains(&"partial-child"), "{what}: {a:#}");
        assert!(scene.children().is_superset(&partial), "{what}: nothing is deleted");
    }
}

// SPEC 7: a resume killed at any point brings the same token back, once.
#[test]
fn a_resume_killed_at_any_point_brings_the_same_token_back_in_one_pane() {
    for point in [
        CrashPoint::AfterDeclared,
        CrashPoint::AfterResolved,
        CrashPoint::BeforeSpawn,
        CrashPoint::AfterPane,
        CrashPoint::AfterPaneRecorded,
        CrashPoint::AfterRealized,
    ] {
        timed(&format!("resume, {point}"), || {
            let faked = Faked::new();
            let scene = Scene::of(&faked, Kind::Fork);
            let (code, first) = faked.up();
            assert_eq!(code, 0, "{first:#}");
            drop(faked.run(["down", "review"]).exits(0));
            scene.killed_at(point);
            let what = format!("resume killed {point}");
            let report = scene.holds(&what);
            for member in ["a", "b"] {
                let (now, then) = (seat(&report, member), seat(&first, member));
                assert_eq!(now["token"], then["token"], "{what}");
                assert_eq!(now["continuity_outcome"], "resumed", "{what}: {now:#}");
            }
            assert_eq!(scene.calls.made().len(), 2, "{what}: nothing is forked anew");
            // Two for the first start, two to come back.
            assert_eq!(scene.calls.panes().len(), 4, "{what}");
        });
    }
}

// SPEC 7: a fresh relaunch killed at any point leaves one occupant: the old one until the new one is stored.
#[test]
fn a_fresh_relaunch_killed_at_any_point_leaves_one_occupant() {
    let points = [
        CrashPoint::BeforeRelaunch,
        CrashPoint::BeforeSpawn,
        CrashPoint::AfterPhase1,
        CrashPoint::AfterProof,
        CrashPoint::AfterRealized,
        CrashPoint::AfterPane,
    ];
    for point in points {
        timed(&format!("relaunch, {point}"), || {
            let faked = Faked::new();
            let scene = Scene::new(&faked, &faked.parent, Kind::Fork, "relaunch_fresh");
            let (code, first) = faked.up();
            assert_eq!(code, 0, "{first:#}");
            let old = text(seat(&first, "a"), "/token").to_owned();
            drop(faked.run(["down", "review"]).exits(0));
            scene.killed_at(point);
            let what = format!("relaunch killed {point}");
            let (code, report) = faked.up();
            assert_eq!(code, 0, "{what}: {report:#}");
            let a = seat(&report, "a");
            assert_ne!(text(a, "/token"), old, "{what}");
            assert_eq!(a["continuity_outcome"], "fresh", "{what}: {a:#}");
            assert!(a["source"].is_null(), "{what}: the source was not read: {a:#}");
            assert_eq!(scene.made_of_a().len(), 2, "{what}: once forked, once fresh");
            assert_eq!(scene.children().len(), 3, "{what}");
            assert_eq!(faked.tmux_sessions().len(), 2, "{what}");
            let made = scene.calls.made().len();
            let (code, again) = faked.up();
            let now = seat(&again, "a");
            assert_eq!(
                (code, &now["action"], &now["token"]),
                (0, &json!("unchanged"), &a["token"])
            );
            assert_eq!(scene.calls.made().len(), made, "{what}");
        });
    }
}

// SPEC 7: the same with the real Claude Code, at the points that matter most to it.
#[test]
fn the_real_runtime_killed_with_its_launcher_loses_nothing() {
    for (point, kind) in [
        (CrashPoint::BeforeSpawn, Kind::Fork),
        (CrashPoint::AfterSpawnRecorded, Kind::Fork),
        (CrashPoint::AfterSpawn, Kind::Fresh),
        (CrashPoint::AfterPhase1, Kind::Fork),
        (CrashPoint::AfterRealized, Kind::Fresh),
        (CrashPoint::AfterPane, Kind::Fork),
        (CrashPoint::AfterPaneRecorded, Kind::Fresh),
    ] {
        let what = format!("real, {point}, {kind:?}");
        timed(&what, || {
            let place = Place::new(&newest());
            let parent = place.make_parent(&place.work, 2);
            place.stub.forget();
            let policy = "resume_if_possible";
            let scene = Scene::new(&place, &parent, kind, policy);
            scene.killed_at(point);
            match line(point) {
                // What a process does whose launcher is gone is its own affair: it is over first, then looked at.
                Some(Line::Finished) if point != CrashPoint::AfterPhase1 => {
                    let report = scene.holds(&what);
                    let attempt = seat(&report, "a")["attempt"].as_u64().unwrap();
                    assert_eq!(scene.made_of_a().len() as u64, attempt, "{what}");
                }
                Some(line) => scene.table_holds(line, &what),
                None => unreachable!("not among them"),
            }
            assert!(place.stub.model_calls().is_empty(), "{what}: nobody spoke");
        });
    }
}

// SPEC 7: killed by anybody at any moment, not only at points of ours.
#[test]
fn a_launcher_killed_at_odd_moments_loses_nothing() {
    for ms in [40, 90, 160, 260, 400] {
        timed(&format!("killed after {ms} ms"), || {
            let faked = Faked::new();
            let scene = Scene::of(&faked, Kind::Fork);
            let up = faked.start(["up", "--json", "--jobs", "2", "work/rig.yaml"]);
            thread::sleep(Duration::from_millis(ms));
            if fs::metadata(format!("/proc/{}", up.pid())).is_ok() {
                up.signal(Signal::KILL);
            }
            drop(up.wait());
            let report = scene.holds(&format!("killed after {ms} ms"));
            for member in ["a", "b"] {
                assert!(seat(&report, member)["attempt"].as_u64().unwrap() <= 2);
            }
        });
    }
}
