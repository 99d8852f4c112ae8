//! The kit's idea of what a fork inherits, held against what the real program did.

use seatfork_testkit::{fixtures, transcript::History};

#[test]
fn every_recorded_fork_inherits_what_the_rules_say_in_that_order() {
    let recordings = fixtures::claude();
    assert!(recordings.len() >= 40, "only {} recordings", recordings.len());
    for recording in recordings {
        let name = format!("{} {}", recording.version, recording.kind);
        let history = History::of(&recording.source).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(history.uuids(), recording.facts.inherited, "{name}");
    }
}

#[test]
fn every_recorded_fork_relinks_what_the_rules_say() {
    for recording in fixtures::claude() {
        // In this one the real program puts a row of its own between inherited ones.
        if !recording.facts.own_rows_only_after_inherited {
            continue;
        }
        let name = format!("{} {}", recording.version, recording.kind);
        let history = History::of(&recording.source).unwrap_or_else(|e| panic!("{name}: {e}"));
        for row in &history.rows {
            let real = recording.fork.row(row.uuid().unwrap()).unwrap();
            assert_eq!(row.parent(), real.parent(), "{name}: {}", row.text);
            assert_eq!(row.json["message"], real.json["message"], "{name}: {}", row.text);
            assert_eq!(row.json["attachment"], real.json["attachment"], "{name}");
        }
    }
}
