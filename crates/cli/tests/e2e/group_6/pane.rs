//! Sources that change while they are forked, and panes that fail after it.

use std::fs;

use seatfork_testkit::fake::{Act, Phase, Script};
use serde_json::json;

use super::exit;
use crate::support::{Faked, Rig, assert_failed, runs, seat, text};

// SPEC 6, 8: a source that is written to while it is forked: growth is said, a change inside fails the launch.
#[test]
fn a_source_that_is_written_to_meanwhile_is_told_and_a_changed_one_proves_nothing() {
    let place =
        Faked::told(&Script::faithful().on_nth(Phase::Fork, 0, [Act::ChangeSource]).on_nth(
            Phase::Fork,
            1,
            [Act::AppendToSource],
        ));
    place.rig(&place.fork_rig());
    let whole = fs::read(&place.parent.path).unwrap();
    let (code, report) = place.up();
    assert_eq!(code, 1);
    let changed = seat(&report, "a");
    assert_failed(changed, "source-changed", "prove");
    let said = place.run(["ps", "review"]).exits(1);
    assert!(!said.stdout().contains("Sources unchanged"), "{said}");
    // Put right again, it can be forked; what comes after it is no part of the child.
    fs::write(&place.parent.path, &whole).unwrap();
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    let grown = fs::metadata(&place.parent.path).unwrap().len() - whole.len() as u64;
    assert!(grown > 0);
    let detail = text(seat(&report, "a"), "/proof/detail");
    assert!(detail.contains(&format!("grew by {grown} bytes")), "{detail}");
}

// SPEC 6, 7: a pane that fails takes nothing from the conversation: it is forked, its token kept, and brought back later.
#[test]
fn a_pane_that_dies_or_never_is_ready_fails_the_command_and_not_the_conversation() {
    let die = |ms| Act::DieAfter { ms, code: 5 };
    let cases = [
        ("at-once", vec![exit(4, "cannot go on\n", "")], "exited", "pane-failed"),
        ("silent", vec![Act::Hang { stubborn: false }], "starting", "pane-timeout"),
        ("no-record", vec![Act::NoSessionFile], "starting", "pane-timeout"),
        ("stale", vec![Act::StaleStart], "starting", "pane-timeout"),
        ("soon", vec![Act::Slow { ms: 300 }, exit(1, "lost it\n", "")], "exited", "pane-failed"),
    ];
    let mut script = Script::faithful();
    for (nth, (_, acts, ..)) in cases.iter().enumerate() {
        script = script.on_nth(Phase::Pane, nth, acts.clone());
    }
    // The last one comes up and dies a while later.
    script = script.on_nth(Phase::Pane, cases.len(), [die(1500)]);
    let place = Faked::told(&script);
    let rig =
        cases.iter().fold(Rig::named("review"), |rig, (id, ..)| rig.fork(id, &place.parent.id));
    place.rig(&rig.fork("later", &place.parent.id));
    let up = ["up", "--json", "--jobs", "1", "--ready-timeout", "1", "work/rig.yaml"];
    let report = place.run(up).exits(1).json();
    for (id, _, process, code) in &cases {
        let seat = seat(&report, id);
        let facts = ["continuity_outcome", "launch_state", "process_state"];
        let expected = [json!("forked"), json!("realized"), json!(process)];
        assert_eq!(facts.map(|fact| seat[fact].clone()), expected, "{seat:#}");
        assert_eq!(text(seat, "/error/code"), *code, "{seat:#}");
        assert!(seat["token"].is_string() && seat["proof"]["grade"] == "L3", "{seat:#}");
    }
    let words = |id| text(seat(&report, id), "/error/output").to_owned();
    assert!(words("at-once").contains("cannot go on") && words("soon").contains("lost it"));
    assert_eq!(seat(&report, "later")["process_state"], "ready");
    let (code, ps) = place.wait_until("it died", || {
        let (code, ps) = place.ps();
        (seat(&ps, "later")["process_state"] == "exited").then_some((code, ps))
    });
    assert_eq!((code, &seat(&ps, "later")["continuity_outcome"]), (1, &json!("forked")));

    place.fake.script(&Script::faithful());
    let made = place.made();
    let down = place.run(["down", "--json", "review"]).exits(0).json();
    assert_eq!(down["ok"], true, "no pane is left: {down:#}");
    let (code, again) = place.up();
    assert_eq!(code, 0, "{again:#}");
    assert_eq!(place.made(), made, "nothing is forked twice");
    for id in cases.iter().map(|(id, ..)| *id).chain(["later"]) {
        let (now, then) = (seat(&again, id), seat(&report, id));
        assert_eq!(
            (&now["token"], &now["continuity_outcome"]),
            (&then["token"], &json!("resumed"))
        );
    }
    place.source_is_unchanged();
}

// SPEC 6: a pane that serves another conversation than asked for is ended and told with both ids; the token is kept.
#[test]
fn a_pane_that_serves_something_else_from_the_start_is_ended_and_told() {
    let other = "99999999-2222-4333-8444-555555555555";
    let script = Script::faithful().on_nth(Phase::Pane, 0, [Act::Serve { id: other.to_owned() }]);
    let place = Faked::told(&script);
    place.rig(&place.fork_rig());
    let (code, report) = place.up();
    assert_eq!(code, 1);
    let refused = seat(&report, "a");
    let why = (text(refused, "/error/code"), text(refused, "/failed_step"));
    assert_eq!(why, ("serves-another-conversation", "ready"), "{refused:#}");
    let token = text(refused, "/token");
    let message = text(refused, "/error/message");
    assert!(message.contains(other) && message.contains(token), "{message}");
    let pane = &place.fake.asked(Phase::Pane)[0];
    assert!(!runs(pane.pid), "it goes on");
    let (code, again) = place.up();
    let own = seat(&again, "a");
    assert_eq!((code, text(own, "/token"), &own["process_state"]), (0, token, &json!("ready")));
    assert_eq!(place.made(), 1, "nothing is forked twice");
    place.source_is_unchanged();
}
