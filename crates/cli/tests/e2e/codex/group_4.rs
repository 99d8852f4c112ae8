//! Ids nobody has, and names, which Codex itself would take for ids.

use seatfork_testkit::codex::{CodexHome as _, CodexTalk};
use serde_json::json;

use crate::support::{Calls, Files, Kind, Place, Rig, assert_failed, codex, seat, text};

const NAME: &str = "audit-of-the-parser";

// SPEC 3, 6, 10: an id nobody has, one in upper case, a name, a prefix: each is refused before any process of the runtime, though Codex would fork some of them.
#[test]
fn an_id_no_codex_conversation_has_is_refused_by_name() {
    let place = Place::new(&codex());
    let mut talk = CodexTalk::start(&place, &place.work);
    talk.turn("Look at the parser, please");
    let id = talk.id().to_owned();
    talk.call("thread/name/set", &json!({"threadId": id, "name": NAME}));
    let known = talk.end();
    let calls = Calls::watch(&place);
    let last = if known.ends_with('0') { "1" } else { "0" };
    let near = format!("{}{last}", &known[..known.len() - 1]);
    let upper = known.to_uppercase();
    let sessions = place.codex_dir().join("sessions").display().to_string();
    let nearest = format!("{known} (");
    let far = "00000000-0000-4000-8000-000000000000";
    let cases = [
        ("near", &*near, "source-not-found", vec![&*near, &*sessions, &*nearest]),
        ("far", far, "source-not-found", vec![far, &sessions]),
        ("upper", &upper, "native-id-malformed", vec![&upper, "did you mean", &known]),
        ("named", NAME, "native-id-malformed", vec![NAME, "lower-case UUID"]),
        ("prefix", &known[..8], "native-id-malformed", vec![&known[..8]]),
    ];
    let rig = Rig::named("lost").of(Kind::Codex);
    place.rig(&cases.iter().fold(rig, |rig, (member, id, ..)| rig.fork(member, id)));
    let look = || Files::below([place.codex_dir(), place.work.clone()]);
    place.stub.forget();
    let before = look();
    let (code, up) = place.up();
    assert_eq!(code, 1, "{up:#}");
    assert_eq!(before.changes(&look()), [""; 0]);
    assert!(calls.all().iter().all(super::super::support::Call::asks), "no run of the runtime");
    assert_eq!(place.tmux_sessions(), [""; 0], "no pane");
    for (member, _, code, told) in &cases {
        let seat = seat(&up, member);
        let error = &seat["error"];
        assert_eq!(error["code"], *code, "{member}: {error:#}");
        let words = format!("{} {}", text(error, "/message"), error["hint"]);
        for told in told.iter().chain(&["codex", "nothing was started"]) {
            assert!(words.contains(told), "{member}: {told:?} is not in {words}");
        }
        if *code == "source-not-found" {
            assert_failed(seat, code, "resolve");
        }
    }
}
