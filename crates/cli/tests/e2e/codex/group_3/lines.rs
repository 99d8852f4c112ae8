//! Forks of forks, and many of one source at once.

use std::collections::BTreeSet;
use std::fs;
use std::thread;

use seatfork_testkit::codex::{CodexHome as _, make_fork};
use serde_json::{Value, json};

use super::super::{ask, assert_forked, with_parent};
use crate::support::{Files, Kind, Place, Rig, seat, text, timed};

/// Brings up a rig of one Codex member, `a`, that forks a conversation and keeps links to what it depends on; the child.
#[track_caller]
fn forked(place: &Place, rig: &str, source: &str) -> String {
    place.rig(&Rig::named(rig).of(Kind::Codex).fork("a", source));
    let (code, up) = place.up_with(&["--pin-source"]);
    assert_eq!(code, 0, "{up:#}");
    text(seat(&up, "a"), "/token").to_owned()
}

// SPEC 8: a fork of a fork of a fork depends on each record before it; with the one in the middle gone all that follow are unverifiable and say which is missing; the link that was kept puts it back, and all is well.
#[test]
fn a_line_of_codex_forks_depends_on_every_record_in_it() {
    let (place, parent) = with_parent(2);
    let one = forked(&place, "one", &parent.id);
    ask(&place, "dev-a@one", &one);
    let answered = || {
        let text = fs::read_to_string(place.rollout_of(&one)).unwrap();
        text.contains("task_complete").then_some(())
    };
    place.wait_until("its answer is on disk", answered);
    drop(place.run(["down", "one"]).exits(0));
    let two = forked(&place, "two", &one);
    drop(place.run(["down", "two"]).exits(0));
    let three = forked(&place, "three", &two);
    let request = ask(&place, "dev-a@three", &three);
    assert_eq!(request.user_codewords(), parent.codewords);
    drop(place.run(["down", "three"]).exits(0));
    assert_verified(&place, 0, &[(&one, "proved"), (&two, "proved"), (&three, "proved")]);

    // The middle one is deleted: `one` stands without it.
    let middle = place.rollout_of(&two);
    fs::remove_file(&middle).unwrap();
    let verify = [(&one, "proved"), (&two, "unverifiable"), (&three, "unverifiable")];
    let report = assert_verified(&place, 6, &verify);
    assert!(report.to_string().contains(&two), "what is missing is named: {report:#}");
    let told = place.run(["doctor", "--json"]).json();
    let checks = told["checks"].as_array().unwrap();
    let lost = format!("lives in {}, which is not there", middle.display());
    let lost = checks.iter().find(|check| check["detail"].to_string().contains(&lost));
    let hint = text(lost.unwrap_or_else(|| panic!("{told:#}")), "/hint").to_owned();
    // Nobody can fork what has lost its history, nor does anything fresh come in its place.
    place.rig(&Rig::named("four").of(Kind::Codex).fork("a", &three));
    let (code, four) = place.up();
    assert_eq!(code, 1, "{four:#}");
    let refused = seat(&four, "a");
    assert_eq!((&refused["token"], &refused["failed_step"]), (&json!(null), &json!("resolve")));
    assert!(text(refused, "/error/message").contains(&two), "{refused:#}");

    // The link that was kept puts it back, by the command that is told.
    let command = hint.strip_suffix(" puts it back").unwrap_or_else(|| panic!("{hint}"));
    let mut sh = place.command("sh");
    sh.args(["-c", command]);
    drop(place.finish(sh, "sh").exits(0));
    assert_verified(&place, 0, &[(&one, "proved"), (&two, "proved"), (&three, "proved")]);
    let (code, four) = place.up();
    assert_eq!(code, 0, "{four:#}");
    let lineage = place.run(["lineage", "--json"]).exits(0).json();
    let nodes = lineage["nodes"].as_array().unwrap();
    assert!(nodes.iter().all(|node| node["root_native_id"] == json!(parent.id)), "{lineage:#}");
}

/// `verify` says this of these conversations.
#[track_caller]
fn assert_verified(place: &Place, exit: i32, expected: &[(&String, &str)]) -> Value {
    let report = place.run(["verify", "--json"]).exits(exit).json();
    for (id, status) in expected {
        let verified = report["verified"].as_array().unwrap();
        let one = verified
            .iter()
            .find(|one| one.to_string().contains(&format!("\"native_id\":\"{id}\"")));
        let one = one.unwrap_or_else(|| panic!("{id} is not in {report:#}"));
        assert_eq!(one["status"], *status, "{id}: {report:#}");
    }
    report
}

// SPEC 7, 8: eight forks of one source at once are eight conversations; a fork the user makes meanwhile is nobody's seat and is told as not ours.
// code: fork-not-ours
#[test]
fn eight_codex_forks_at_once_are_eight_and_the_users_own_is_not_ours() {
    let (place, parent) = with_parent(3);
    let members: Vec<_> = (0..8).map(|nth| format!("m{nth}")).collect();
    let rig = members
        .iter()
        .fold(Rig::named("eight").of(Kind::Codex), |rig, member| rig.fork(member, &parent.id));
    place.rig(&rig);
    let source = Files::below([&parent.path]);
    let (up, users) = thread::scope(|scope| {
        let making = scope.spawn(|| make_fork(&place, &parent, 1));
        let up = timed("eight forks at once", || place.up_with(&["--jobs", "8"]));
        (up, making.join().unwrap())
    });
    let (code, up) = up;
    assert_eq!(code, 0, "{up:#}");
    let tokens: BTreeSet<_> = members
        .iter()
        .map(|member| {
            assert_forked(&place, seat(&up, member), &parent);
            text(seat(&up, member), "/token").to_owned()
        })
        .collect();
    assert_eq!(tokens.len(), 8);
    assert!(!tokens.contains(&users.id));
    assert_eq!(place.rollouts().len(), 10, "the source, eight of ours, one of the user's");
    assert_eq!(source.changes(&Files::below([&parent.path])), [""; 0]);
    // Told once, however many seats have that source.
    let shown = place.run(["reconcile", "--json"]).json();
    let items = shown["items"].as_array().unwrap();
    let of_user: Vec<_> =
        items.iter().filter(|item| item.to_string().contains(&users.id)).collect();
    let [told] = &of_user[..] else { panic!("{shown:#}") };
    assert_eq!(told["code"], "fork-not-ours");
    assert!(text(told, "/message").contains("a fork of this source, not ours"), "{told:#}");
    assert!(users.path.is_file(), "and it is left alone");
}
