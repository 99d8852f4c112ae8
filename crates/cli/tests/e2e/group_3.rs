//! Sources of every kind: forked with their content proved, or refused by name.

mod refused;
mod usable;

use std::time::Duration;

use serde_json::json;

use crate::support::{Files, Place, Rig, newest, seat, text, timed};

// SPEC 6, 8: a source of 100 MB is forked and proved within its deadline; the time is told.
#[test]
fn a_source_of_100_megabytes_is_forked_and_proved() {
    let place = Place::new(&newest());
    let parent = place.make_parent(&place.work, 3).grown(100_000_000);
    let source = Files::below([&parent.path]);
    place.rig(&Rig::named("large").fork("reader", &parent.id));
    let plan = place.run(["plan", "work/rig.yaml"]).exits(0);
    assert!(plan.stdout().contains("takes at most 51 s"), "30 s and 1 s per begun 5 MB: {plan}");
    let (code, up) = timed("up with a source of 100 MB", || place.up());
    assert_eq!(code, 0, "{up:#}");
    let reader = seat(&up, "reader");
    assert_eq!(
        (&reader["proof"]["grade"], &reader["continuity_outcome"]),
        (&json!("L3"), &json!("forked"))
    );
    assert_eq!(source.changes(&Files::below([&parent.path])), [""; 0]);
    timed("verify of 100 MB", || drop(place.run(["verify"]).exits(0)));
    // The conversation is far over what a model takes; that it serves the right one is enough.
    let token = text(reader, "/token");
    assert!(place.stub.wait_for(|r| r.session_id() == Some(token), Duration::ZERO).is_none());
}
