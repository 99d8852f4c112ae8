//! A Codex that makes no conversation headless: its panes do, and what they made is proved, or waited for.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use seatfork_testkit::codex::{CodexHome as _, Rollout, history_base, make_parent};
use serde_json::json;

use super::super::ask;
use crate::support::{Files, Kind, Place, Rig, codex, seat, text, words_of};

/// The real Codex without the commands of phase 1, as older versions are.
fn older(place: &Place) {
    let program = place.runtime.program.display();
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in *' app-server '*|*' exec fork '*)\n\
         echo \"error: unrecognized subcommand\" >&2; exit 2 ;;\nesac\nexec '{program}' \"$@\"\n"
    );
    let script = place.write("older/codex", script);
    fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
    place.install("codex", &script);
}

// SPEC 6: a Codex that cannot do phase 1 forks in its pane; the rollout's first line is proved before it is realized, and it comes back by a plain resume.
#[test]
fn a_codex_without_phase_1_forks_in_its_pane_and_is_proved() {
    let place = Place::new(&codex());
    let parent = make_parent(&place, &place.work, 2);
    older(&place);
    let elsewhere = place.dir("elsewhere");
    place.rig(&Rig::named("older").of(Kind::Codex).fork_in("a", &parent.id, &elsewhere));
    let source = Files::below([&parent.path]);
    place.stub.forget();
    let (code, up) = place.up();
    assert_eq!(code, 0, "{up:#}");
    let a = seat(&up, "a");
    let facts = ["continuity_outcome", "launch_state", "process_state"];
    let expected = [json!("forked"), json!("realized"), json!("ready")];
    assert_eq!(facts.map(|fact| a[fact].clone()), expected, "{a:#}");
    assert_eq!(a["proof"]["status"], "proved", "{a:#}");
    assert_eq!(a["notice"], "none", "there is nobody who could be told without a model call");
    let token = text(a, "/token").to_owned();
    let child = Rollout::read(&place.rollout_of(&token));
    assert_eq!(child.header()["forked_from_id"], json!(parent.id));
    assert_eq!(child.header()["cwd"], json!(elsewhere));
    assert_eq!(history_base(child.header()).unwrap().0, parent.id);
    let words = words_of(place.pane("a").pid(), "cmdline");
    for word in ["fork", "--no-daemon", "-C", &parent.id] {
        assert!(words.contains(&word.to_owned()), "{word} is not in {words:?}");
    }
    assert!(place.stub.model_calls().is_empty(), "nobody spoke");
    assert_eq!(ask(&place, "a", &token).user_codewords(), parent.codewords);
    drop(place.run(["verify"]).exits(0));

    drop(place.run(["down"]).exits(0));
    let (code, up) = place.up();
    let a = seat(&up, "a");
    assert_eq!((code, &a["action"], text(a, "/token")), (0, &json!("resumed"), &*token), "{up:#}");
    let words = words_of(place.pane("a").pid(), "cmdline");
    assert!(words.contains(&"resume".to_owned()) && !words.contains(&"fork".to_owned()));
    assert_eq!(source.changes(&Files::below([&parent.path])), [""; 0]);
}

// SPEC 6: a fresh seat of such a Codex is realized with no token, said so; the token is taken from its own pane, once, by the next `up`.
#[test]
fn a_fresh_seat_of_a_codex_without_phase_1_gets_its_token_late() {
    let place = Place::new(&codex());
    older(&place);
    place.rig(&Rig::named("older").of(Kind::Codex).fresh("scribe"));
    let (code, up) = place.up();
    assert_eq!(code, 0, "{up:#}");
    let scribe = seat(&up, "scribe");
    let facts = ["continuity_outcome", "launch_state", "process_state", "token"];
    let expected = [json!("fresh"), json!("realized"), json!("ready"), json!(null)];
    assert_eq!(facts.map(|fact| scribe[fact].clone()), expected, "{scribe:#}");
    let said = place.run(["ps"]);
    assert!(said.stdout().contains("not stored yet"), "{said}");
    // Its first message puts it on disk.
    place.pane("scribe").type_line("Please remember CODEWORD-late");
    let id = place.wait_until("its rollout", || {
        place.rollouts().first().map(|file| crate::support::id_of(file))
    });
    let (code, up) = place.up();
    let scribe = seat(&up, "scribe");
    assert_eq!((code, text(scribe, "/token")), (0, &*id), "{up:#}");
    assert_eq!(scribe["action"], "unchanged", "{scribe:#}");
    drop(place.run(["down"]).exits(0));
    let (code, up) = place.up();
    let scribe = seat(&up, "scribe");
    assert_eq!((code, &scribe["action"], text(scribe, "/token")), (0, &json!("resumed"), &*id));
    assert_eq!(ask(&place, "scribe", &id).user_codewords(), ["CODEWORD-late"]);
}
