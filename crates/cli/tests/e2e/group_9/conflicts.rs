//! Two of a name, two at once, and an interruption.

use std::collections::BTreeMap;

use rustix::process::Signal;
use seatfork_testkit::fake::{Act, Phase, Script};
use serde_json::json;

use crate::support::{Calls, Faked, Place, Rig, newest, seat, text, timed};

// SPEC 7: a rig's name from another directory is refused; nothing is started for it, and the other goes on.
#[test]
fn the_same_rig_name_from_another_directory_is_refused() {
    let place = Faked::new();
    place.rig(&place.fork_rig());
    assert_eq!(place.up().0, 0);
    let made = place.made();
    let other = place.dir("other");
    place.write("other/rig.yaml", place.fork_rig().yaml());
    let said = place.run(["up", "other/rig.yaml"]).exits(5);
    assert!(said.stderr().contains("rig-name-taken"), "{said}");
    assert!(said.stderr().contains("nothing was started"), "{said}");
    let json = place.run(["up", "--json", "other/rig.yaml"]).exits(5).json();
    assert_eq!((&json["ok"], &json["code"]), (&json!(false), &json!("rig-name-taken")));
    assert!(text(&json, "/message").contains(place.work.to_str().unwrap()), "{json:#}");
    assert!(text(&json, "/hint").contains("--rig-name"), "{json:#}");
    assert_eq!(place.made(), made);
    // By a link to its own directory it is the same rig: its real path counts.
    std::os::unix::fs::symlink(&place.work, place.root().join("link")).unwrap();
    let same = place.run(["up", "--json", "link/rig.yaml"]).exits(0).json();
    assert_eq!(seat(&same, "a")["action"], "unchanged");
    // The trust of the other directory is not ours to give.
    let named = ["up", "--json", "--rig-name", "second", "other/rig.yaml"];
    let second = place.run(named).exits(1).json();
    let second = seat(&second, "a");
    assert_eq!(
        (text(second, "/seat"), &second["continuity_outcome"]),
        ("dev-a@second", &json!("forked"))
    );
    assert_eq!(text(second, "/error/code"), "attention-trust", "in {}", other.display());
}

// SPEC 7, 13: two `up` at once: one launch a seat; who comes second leaves it to the owner, names it, and exits 5.
#[test]
fn of_two_at_once_one_launches_a_seat_and_the_other_names_its_owner() {
    let place = Faked::new();
    place.rig(&place.fork_rig());
    let calls = Calls::watch(&place);
    calls.hold();
    let first = place.start(["up", "--json", "work/rig.yaml"]);
    calls.wait_for_made(1);
    let second = place.run(["up", "--json", "work/rig.yaml"]).exits(5).json();
    let left = seat(&second, "a");
    let facts = (&left["action"], text(left, "/error/code"), &left["token"]);
    assert_eq!(facts, (&json!("skipped"), "launch-in-progress", &json!(null)), "{left:#}");
    let message = text(left, "/error/message");
    assert!(message.contains(&format!("process {}", first.pid())), "{message}");
    let said = place.run(["up", "work/rig.yaml"]).exits(5);
    assert!(said.stdout().contains("1 left to another command"), "{said}");
    let down = place.run(["down", "--json", "review"]).exits(5).json();
    assert_eq!(down["seats"][0]["action"], "left", "{down:#}");
    calls.let_go();
    let first = first.wait().exits(0).json();
    assert_eq!(seat(&first, "a")["attempt"], 1);
    assert_eq!((calls.made().len(), calls.panes().len()), (1, 1));
    place.source_is_unchanged();
}

// SPEC 7: the same without any order, over many seats.
#[test]
fn many_at_once_make_one_launch_a_seat() {
    let place = Faked::new();
    let ids = ["a", "b", "c", "d", "e"];
    let rig = ids.iter().fold(Rig::named("review"), |rig, id| rig.fork(id, &place.parent.id));
    place.rig(&rig);
    let ups: Vec<_> =
        (0..3).map(|_| place.start(["up", "--json", "--jobs", "3", "work/rig.yaml"])).collect();
    for up in ups {
        let ended = up.wait();
        assert!([0, 5].contains(&ended.code()), "{ended}");
    }
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    let tokens: BTreeMap<_, _> =
        ids.iter().map(|id| (text(seat(&report, id), "/token").to_owned(), *id)).collect();
    assert_eq!(tokens.len(), ids.len());
    for id in ids {
        assert_eq!(seat(&report, id)["attempt"], 1, "{report:#}");
    }
    assert_eq!((place.made(), place.fake.asked(Phase::Pane).len()), (ids.len(), ids.len()));
}

// SPEC 7, 13: Ctrl-C: nothing more is started, the running fork ends and is recorded, exit 130 with the summary.
#[test]
fn an_interrupted_up_records_the_running_fork_and_starts_nothing_more() {
    timed("interrupted, fake", || {
        let place = Faked::told(&Script::faithful().on(Phase::Fork, [Act::Slow { ms: 700 }]));
        place.rig(&place.fork_rig().fork("b", &place.parent.id).terminal("shell"));
        let calls = Calls::watch(&place);
        interrupted(&place, &calls, &["b", "shell"]);
        place.source_is_unchanged();
    });
    timed("interrupted, real", || {
        let place = Place::new(&newest());
        let parent = place.make_parent(&place.work, 2);
        place.rig(&Rig::named("review").fork("a", &parent.id).fresh("b"));
        let calls = Calls::watch(&place);
        interrupted(&place, &calls, &["b"]);
    });
}

fn interrupted(place: &Place, calls: &Calls, others: &[&str]) {
    let up = place.start(["up", "--jobs", "1", "work/rig.yaml"]);
    let running = calls.wait_for_made(1);
    up.signal(Signal::INT);
    let up = up.wait().exits(130);
    assert!(up.stderr().contains("nothing more is started"), "{up}");
    let summary = up.stdout().lines().last().unwrap_or_default();
    assert!(summary.starts_with("review: ") && summary.contains("not started"), "{up}");
    assert!(summary.contains("Next: seatfork "), "{up}");
    assert_eq!(calls.made().len(), 1, "nothing more was started");
    let (code, ps) = place.ps();
    let forked = seat(&ps, "a");
    let child = running.option("--session-id").unwrap();
    assert_eq!(
        (code, &forked["token"], &forked["launch_state"]),
        (1, &json!(child), &json!("realized"))
    );
    assert_eq!(forked["proof"]["grade"], "L3", "{forked:#}");
    for other in others {
        let never = seat(&ps, other);
        assert_eq!((&never["attempt"], &never["token"]), (&json!(null), &json!(null)), "{never:#}");
    }
    let (code, again) = place.up();
    assert_eq!(code, 0, "{again:#}");
    let now = seat(&again, "a");
    assert_eq!(
        (&now["token"], &now["attempt"], &now["process_state"]),
        (&json!(child), &json!(1), &json!("ready"))
    );
    for other in others {
        assert_eq!(seat(&again, other)["attempt"], 1);
    }
}
