//! A spec that changes under a rig, and seats that are forgotten.

use std::fs;

use seatfork_testkit::claude_home::ClaudeHome as _;
use seatfork_testkit::fake::{Phase, recorded_parent};
use serde_json::{Value, json};

use crate::support::{
    Faked, Rig, assert_failed, assert_failed_resume, assert_lineage, codes, seat, text,
};

/// A rig that is up, and what was said of it.
fn up(place: &Faked, rig: &Rig) -> Value {
    place.rig(rig);
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    report
}

// SPEC 7: a failed member mended in the spec: only it launches.
#[test]
fn a_failed_member_that_is_mended_launches_alone() {
    let place = Faked::new();
    let unknown = "00000000-1111-4222-8333-444444444444";
    place.rig(&place.fork_rig().fork("c", unknown).fresh("b"));
    let (code, first) = place.up();
    assert_eq!(code, 1);
    assert_failed(seat(&first, "c"), "source-not-found", "resolve");
    let (made, panes) = (place.made(), place.fake.asked(Phase::Pane).len());
    assert_eq!((made, panes), (2, 2), "the others went on");
    place.rig(&place.fork_rig().fork("c", &place.parent.id).fresh("b"));
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    for member in ["a", "b"] {
        let (now, then) = (seat(&report, member), seat(&first, member));
        assert_eq!((&now["action"], &now["token"]), (&json!("unchanged"), &then["token"]));
    }
    let mended = seat(&report, "c");
    let facts = ["action", "continuity_outcome", "attempt", "process_state"];
    let expected = [json!("created"), json!("forked"), json!(2), json!("ready")];
    assert_eq!(facts.map(|fact| mended[fact].clone()), expected, "{mended:#}");
    assert_eq!((place.made(), place.fake.asked(Phase::Pane).len()), (made + 1, panes + 1));
    place.source_is_unchanged();
}

// SPEC 7: what the spec changes of a realized seat is said and left; with --strict it is exit 6.
#[test]
fn an_edited_spec_is_said_and_leaves_the_seats_as_they_are() {
    let place = Faked::new();
    let other = recorded_parent(&place, &place.work, 2);
    let elsewhere = place.dir("work/elsewhere");
    let full = || place.fork_rig().fresh("b");
    let first = up(&place, &full());
    let source = place.parent.id.clone();
    let cases: [(&str, Rig, &str, &[&str]); 5] = [
        (
            "another source",
            Rig::named("review").fork("a", &other.id).fresh("b"),
            "a",
            &[&other.id, &source],
        ),
        ("no source", Rig::named("review").fresh("a").fresh("b"), "a", &[&source]),
        (
            "another directory",
            Rig::named("review").fork_in("a", &source, &elsewhere).fresh("b"),
            "a",
            &[elsewhere.to_str().unwrap(), place.work.to_str().unwrap()],
        ),
        ("another runtime", place.fork_rig().terminal("b"), "b", &["terminal", "claude-code"]),
        ("a source for a fresh seat", place.fork_rig().fork("b", &source), "b", &[&source]),
    ];
    let (made, panes) = (place.made(), place.fake.asked(Phase::Pane).len());
    for (what, rig, member, words) in cases {
        place.rig(&rig);
        let report = place.run(["up", "--json", "work/rig.yaml"]).exits(0).json();
        let strict = place.run(["up", "--json", "--strict", "work/rig.yaml"]).exits(6).json();
        for report in [&report, &strict] {
            let edited = seat(report, member);
            assert_eq!(codes(&edited["warnings"]), ["seat-differs"], "{what}: {edited:#}");
            let message = text(&edited["warnings"][0], "/message");
            assert!(words.iter().all(|word| message.contains(word)), "{what}: {message}");
            for member in ["a", "b"] {
                let (now, then) = (seat(report, member), seat(&first, member));
                for fact in ["token", "source", "runtime", "attempt", "process_state"] {
                    assert_eq!(now[fact], then[fact], "{what}: {fact} of {member}");
                }
                assert_eq!(now["action"], "unchanged", "{what}");
            }
        }
    }
    // A member that is gone.
    place.rig(&place.fork_rig());
    let gone = place.run(["up", "--json", "--strict", "work/rig.yaml"]).exits(6).json();
    assert_eq!(codes(&gone["warnings"]), ["not-in-spec"], "{gone:#}");
    assert!(text(&gone["warnings"][0], "/message").contains("dev-b@review"), "{gone:#}");
    drop(place.run(["up", "work/rig.yaml"]).exits(0));
    let (_, ps) = place.ps();
    assert_eq!(seat(&ps, "b")["process_state"], "ready", "it is left running");
    // A model takes effect at the next start.
    place.rig(&place.fork_rig().with("model: other-model").fresh("b"));
    let later = place.run(["up", "--json", "--strict", "work/rig.yaml"]).exits(0).json();
    assert_eq!(codes(&seat(&later, "a")["warnings"]), ["takes-effect-later"], "{later:#}");
    assert_eq!((place.made(), place.fake.asked(Phase::Pane).len()), (made, panes), "nothing ran");
    drop(place.run(["down", "review"]).exits(0));
    let (code, report) = place.up();
    assert_eq!((code, codes(&seat(&report, "a")["warnings"])), (0, vec![]), "{report:#}");
    let opened = place.fake.asked(Phase::Pane);
    let of_a =
        |call: &&seatfork_testkit::fake::Invocation| call.option("--name") == Some("dev-a@review");
    assert_eq!(opened.iter().rfind(of_a).unwrap().option("--model"), Some("other-model"));
    place.source_is_unchanged();
}

// SPEC 7: forgotten seats are retired; the next `up` forks anew, and nothing is deleted.
#[test]
fn forgotten_seats_are_forked_anew_and_their_conversations_stay() {
    let place = Faked::new();
    let first = up(&place, &place.fork_rig().fresh("b"));
    let old = ["a", "b"].map(|member| text(seat(&first, member), "/token").to_owned());
    let down = place.run(["down", "--forget", "--json", "review"]).exits(0).json();
    for seat in down["seats"].as_array().unwrap() {
        assert_eq!(seat["retired"], true, "{seat:#}");
    }
    let kept: Vec<_> =
        down["kept"].as_array().unwrap().iter().map(|one| text(one, "/native_id")).collect();
    assert!(old.iter().all(|token| kept.contains(&token.as_str())), "{down:#}");
    let ps = place.run(["ps", "--json"]).exits(0).json();
    assert_eq!(ps["seats"], json!([]), "their names are free");
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    for (member, old) in ["a", "b"].iter().zip(&old) {
        let anew = seat(&report, member);
        assert_eq!((&anew["action"], &anew["attempt"]), (&json!("created"), &json!(1)), "{anew:#}");
        assert_ne!(text(anew, "/token"), old);
        assert_eq!(place.transcripts_of(old).len(), 1, "no verb deletes a conversation");
    }
    assert_eq!(place.made(), 4);
    // Asked of the source, lineage knows all that came of it, retired or not.
    let lineage = place.run(["lineage", "--json", &place.parent.id]).exits(0).json();
    assert_lineage(&lineage);
    let children: Vec<_> =
        lineage["edges"].as_array().unwrap().iter().map(|edge| text(edge, "/child")).collect();
    let new = text(seat(&report, "a"), "/token");
    assert!(children.contains(&old[0].as_str()) && children.contains(&new), "{lineage:#}");
    place.source_is_unchanged();
}

// SPEC 7: a restore policy is kept: gone is `failed` and never fresh, `checkpoint_only` stays down, `relaunch_fresh` is said.
#[test]
fn a_seat_comes_back_by_its_restore_policy_alone() {
    let place = Faked::new();
    let policy = |policy: &str| format!("restore_policy: {policy}");
    let rig = place
        .fork_rig()
        .fork("checkpoint", &place.parent.id)
        .with(&policy("checkpoint_only"))
        .fork("anew", &place.parent.id)
        .with(&policy("relaunch_fresh"));
    let first = up(&place, &rig);
    let token = |report: &Value, member| text(seat(report, member), "/token").to_owned();
    drop(place.run(["down", "review"]).exits(0));
    let gone = place.transcript(&place.work, &token(&first, "a"));
    let bytes = fs::read(&gone).unwrap();
    fs::remove_file(&gone).unwrap();
    let made = place.made();
    let (code, report) = place.up();
    assert_eq!(code, 1);
    assert_failed_resume(seat(&report, "a"), "own-conversation-gone", &token(&first, "a"));
    let down = seat(&report, "checkpoint");
    assert_eq!(
        (&down["action"], text(down, "/error/code")),
        (&json!("skipped"), "checkpoint-not-kept")
    );
    assert_eq!(token(&report, "checkpoint"), token(&first, "checkpoint"));
    let anew = seat(&report, "anew");
    assert_eq!((&anew["continuity_outcome"], &anew["source"]), (&json!("fresh"), &json!(null)));
    assert!(codes(&anew["warnings"]).contains(&"relaunched-fresh"), "{anew:#}");
    assert_ne!(token(&report, "anew"), token(&first, "anew"));
    assert_eq!(place.made(), made + 1, "one fresh conversation, and no fork");
    assert_eq!(place.fake.asked(Phase::Fork).len(), 3);
    // Its record brought back, it is itself again.
    fs::write(&gone, bytes).unwrap();
    let (_, report) = place.up();
    let back = seat(&report, "a");
    assert_eq!((&back["action"], token(&report, "a")), (&json!("resumed"), token(&first, "a")));
    place.source_is_unchanged();
}
