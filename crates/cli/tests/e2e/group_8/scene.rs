//! What every test of a killed launcher looks at.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;

use rustix::process::Signal;
use seatfork_launch::CrashPoint;
use seatfork_testkit::codex::{CodexHome as _, Rollout};
use seatfork_testkit::world::Parent;
use seatfork_testkit::{Output, Running};
use serde_json::{Value, json};

use crate::support::{
    Call, Calls, Faked, Files, Kind as RuntimeKind, Place, Rig, assert_lineage, codes, id_of, seat,
    text,
};

/// How a seat is to get its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Fork,
    Fresh,
}

/// What the next `up` is to make of what was left: the line of SPEC 7's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
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
pub(crate) fn line(point: CrashPoint) -> Option<Line> {
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
pub(crate) struct Scene<'p> {
    place: &'p Place,
    pub(crate) calls: Calls,
    parent: String,
    path: PathBuf,
    source: Files,
}

impl<'p> Scene<'p> {
    pub(crate) fn new(place: &'p Place, parent: &Parent, kind: Kind, policy: &str) -> Self {
        let rig = Rig::named("review").of(place.runtime.kind);
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

    pub(crate) fn of(faked: &'p Faked, kind: Kind) -> Self {
        Self::new(faked, &faked.parent, kind, "resume_if_possible")
    }

    /// `up`, which is to die at a point, one member after the other.
    #[track_caller]
    pub(crate) fn killed_at(&self, point: CrashPoint) {
        let up = self.start_to_die(point).wait();
        assert_killed(&up, point);
    }

    pub(crate) fn start_to_die(&self, point: CrashPoint) -> Running {
        let mut up = self.place.command(env!("CARGO_BIN_EXE_seatfork"));
        up.args(["up", "--json", "--jobs", "1", "work/rig.yaml"]);
        up.env("SEATFORK_CRASH_AT", point.as_str());
        self.place.start_command(up, "seatfork")
    }

    /// The conversations on disk besides the source.
    pub(crate) fn children(&self) -> BTreeSet<String> {
        let files = self.place.conversations();
        let ids = files.iter().map(|file| id_of(file));
        ids.filter(|id| *id != self.parent).collect()
    }

    /// The next `up`: nothing lost, nothing doubled. One conversation a seat, or a burned one that is named; one
    /// pane a seat, which serves the stored token; lineage right; and a further `up` has nothing to do.
    #[track_caller]
    pub(crate) fn holds(&self, what: &str) -> Value {
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
        assert_eq!(self.place.served(), tokens, "{what}: each pane serves its own");
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
    pub(crate) fn made_of_a(&self) -> Vec<Call> {
        let mut made = self.calls.made();
        match self.place.runtime.kind {
            RuntimeKind::Claude => {
                made.retain(|call| call.option("--name") == Some("dev-a@review"));
            }
            // Its call names no seat; `b` comes last, and once.
            RuntimeKind::Codex => drop(made.pop()),
        }
        made
    }

    /// The conversation bears the mark of the call that made it.
    #[track_caller]
    fn is_marked(&self, call: &Call, token: &str, what: &str) {
        match self.place.runtime.kind {
            RuntimeKind::Claude => assert_eq!(call.option("--session-id"), Some(token), "{what}"),
            RuntimeKind::Codex => {
                let rollout = Rollout::read(&self.place.rollout_of(token));
                let mark = format!("seatfork-{}", call.env["SEATFORK_NONCE"]);
                assert_eq!(rollout.header()["thread_source"], json!(mark), "{what}");
            }
        }
    }

    /// What SPEC 7's table says of a point.
    #[track_caller]
    pub(crate) fn table_holds(&self, line: Line, what: &str) {
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
        self.is_marked(&self.made_of_a()[0], text(a, "/token"), what);
        assert_eq!(seat(&report, "b")["attempt"], 1, "{what}: its turn never came before");
        let after = self.place.tmux_sessions();
        assert!(panes.iter().all(|pane| after.contains(pane)), "{what}: a pane was replaced");
        assert_eq!(self.calls.panes().len(), 2, "{what}: one pane a seat");
        let rescue = fs::read_dir(self.place.state_dir().join("rescue"));
        assert_eq!(rescue.map_or(0, Iterator::count), 0, "{what}: a rescue file nobody needs");
    }
}

/// It died where it was to die, and had said nothing before it was so.
#[track_caller]
pub(crate) fn assert_killed(up: &Output, point: CrashPoint) {
    assert_eq!(up.status().signal(), Some(Signal::KILL.as_raw()), "{point} not reached\n{up}");
    assert_eq!(up.stdout(), "", "nothing was said before it was so");
}
