//! A pane that came to serve another conversation than its seat's own.

use std::thread;
use std::time::{Duration, Instant};

use seatfork_testkit::claude_home::ClaudeHome as _;
use seatfork_testkit::fake::Phase;
use serde_json::{Value, json};

use crate::support::{
    Calls, Faked, Place, Rig, assert_lineage, codes, each_version, seat, text, timed,
};

const PATIENCE: Duration = Duration::from_secs(20);

/// What the process of a seat's pane serves, once that is another conversation than `token`.
fn served_instead(place: &Place, member: &str, token: &str) -> String {
    let pid = place.pane(member).pid();
    let end = Instant::now() + PATIENCE;
    loop {
        let sessions = place.live_sessions();
        let own = sessions.iter().find(|session| session["pid"] == pid);
        let served = own.and_then(|session| session["sessionId"].as_str());
        if let Some(other) = served.filter(|served| *served != token) {
            return other.to_owned();
        }
        assert!(
            Instant::now() < end,
            "{member} still serves {token}: {}",
            place.pane(member).screen()
        );
        thread::sleep(Duration::from_millis(20));
    }
}

/// `up` leaves a rotated seat as it is and says both ids; `ps` and `--strict` make it exit 6.
#[track_caller]
fn assert_rotation_is_told(place: &Place, token: &str, other: &str) {
    let told = |report: &Value, what: &str| {
        let a = seat(report, "a");
        assert_eq!(codes(&a["warnings"]), ["serves-another-conversation"], "{what}: {a:#}");
        let message = text(&a["warnings"][0], "/message");
        assert!(message.contains(token) && message.contains(other), "{what}: {message}");
        assert_eq!((&a["token"], &a["action"]), (&json!(token), &json!("unchanged")), "{what}");
    };
    told(&place.run(["up", "--json", "work/rig.yaml"]).exits(0).json(), "up");
    told(&place.run(["up", "--json", "--strict", "work/rig.yaml"]).exits(6).json(), "strict");
    told(&place.run(["ps", "--json"]).exits(6).json(), "ps");
    let shown = place.run(["reconcile", "--json"]).exits(6).json();
    let item = &shown["items"][0];
    assert_eq!(item["code"], "serves-another-conversation", "{shown:#}");
    assert!(text(item, "/plan").contains("--adopt dev-a@review"), "{shown:#}");
}

// SPEC 7 "Rotation": `/clear` typed in a pane is a finding; `up` leaves it; `reconcile --adopt SEAT` takes it over.
#[test]
fn a_seat_whose_pane_was_cleared_is_told_left_and_adopted_when_asked() {
    each_version("rotation", |runtime| {
        let place = Place::new(runtime);
        let parent = place.make_parent(&place.work, 2);
        place.rig(&Rig::named("review").fork("a", &parent.id));
        let calls = Calls::watch(&place);
        let (code, report) = timed("  up", || place.up());
        assert_eq!(code, 0, "{report:#}");
        let token = text(seat(&report, "a"), "/token").to_owned();
        place.pane("a").type_line("/clear");
        let other = served_instead(&place, "a", &token);
        let pid = place.pane("a").pid();
        assert_rotation_is_told(&place, &token, &other);
        let adopted = place.run(["reconcile", "--adopt", "dev-a@review", "--json"]).exits(0).json();
        assert_eq!(adopted["items"][0]["conversation"]["native_id"], other, "{adopted:#}");
        assert_adopted(&place, &parent.id, &token, &other);
        assert_eq!((place.pane("a").pid(), calls.made().len(), calls.panes().len()), (pid, 1, 1));
        // Once something was said in it, it is on disk and comes back like any other.
        place.pane("a").type_line("Remember this instead.");
        let end = Instant::now() + PATIENCE;
        while place.transcripts_of(&other).is_empty() {
            assert!(Instant::now() < end, "{}", place.pane("a").screen());
            thread::sleep(Duration::from_millis(50));
        }
        drop(place.run(["down", "review"]).exits(0));
        let (code, report) = place.up();
        let back = seat(&report, "a");
        assert_eq!(
            (code, &back["action"], &back["token"]),
            (0, &json!("resumed"), &json!(other)),
            "{report:#}"
        );
        assert_eq!(place.transcripts_of(&token).len(), 1, "the old one stays");
    });
}

#[track_caller]
fn assert_adopted(place: &Place, source: &str, token: &str, other: &str) {
    let (code, report) = place.up();
    let a = seat(&report, "a");
    assert_eq!((code, &a["action"], &a["token"]), (0, &json!("unchanged"), &json!(other)), "{a:#}");
    assert_eq!((&a["continuity_outcome"], &a["source"]), (&json!(null), &json!(null)), "{a:#}");
    assert_eq!(codes(&a["warnings"]), [""; 0], "{a:#}");
    let lineage = place.run(["lineage", "--json"]).exits(0).json();
    assert_lineage(&lineage);
    let node = |id: &str| {
        let nodes = lineage["nodes"].as_array().unwrap();
        nodes.iter().find(|node| node["native_id"] == id).unwrap_or_else(|| panic!("{lineage:#}"))
    };
    assert_eq!(
        (&node(other)["created_via"], &node(other)["seat"]),
        (&json!("rotated"), &json!("dev-a@review"))
    );
    assert_eq!(node(token)["created_via"], "fork");
    // Claude names no parent in its record, so none is claimed.
    let edges = lineage["edges"].as_array().unwrap();
    let ends: Vec<_> =
        edges.iter().map(|edge| (text(edge, "/parent"), text(edge, "/child"))).collect();
    assert_eq!(ends, [(source, token)], "{lineage:#}");
}

// SPEC 7 "Rotation": what is another seat's token, or was ever a source of this seat, is not taken over.
#[test]
fn another_seats_token_or_a_source_is_never_adopted() {
    let place = Faked::new();
    place.rig(&place.fork_rig().fresh("b"));
    let (code, report) = place.up();
    assert_eq!(code, 0, "{report:#}");
    let token = |member| text(seat(&report, member), "/token").to_owned();
    let (own, others) = (token("a"), token("b"));
    for (served, what) in [(&place.parent.id, "its source"), (&others, "another seat's token")] {
        place.pane("a").type_line(&format!("/resume {served}"));
        let end = Instant::now() + PATIENCE;
        while served_instead(&place, "a", &own) != *served {
            assert!(Instant::now() < end);
            thread::sleep(Duration::from_millis(20));
        }
        let refused = place.run(["reconcile", "--adopt", "dev-a@review", "--json"]).exits(5).json();
        assert_eq!(refused["code"], "adopt-refused", "{what}: {refused:#}");
        assert!(text(&refused, "/message").contains("nothing was taken over"), "{what}");
        let ps = place.run(["ps", "--json"]).exits(6).json();
        assert_eq!(seat(&ps, "a")["token"], json!(own), "{what}");
    }
    let not = place.run(["reconcile", "--adopt", "dev-b@review", "--json"]).exits(4).json();
    assert!(text(&not, "/message").contains("not rotated"), "{not:#}");
    assert_eq!((place.made(), place.fake.asked(Phase::Pane).len()), (2, 2));
}
