//! Panes that need a person: shown, never answered (SPEC 6 "Dialogs").

use seatfork_testkit::fake::{Act, Phase, Screen, Script};
use serde_json::json;

use crate::claude::Claude;
use crate::redact::said;
use crate::rig::{Rig, seat};

// SPEC 6, 13: a dialog is `attention_required` with the screen's last lines, exit 1, no key pressed, no file edited.
#[test]
fn a_dialog_is_shown_and_never_answered() {
    let claude = Claude::new();
    claude.one_fork();
    claude
        .fake
        .script(&Script::faithful().on(Phase::Pane, [Act::Dialog { screen: Screen::Trust }]));
    let up = claude.run(["up", "work/rig.yaml"]).exits(1);
    let ps = claude.run(["ps"]).exits(1);
    claude.number_tokens();
    insta::assert_snapshot!("attention__trust", format!("{}{}", said(&up), said(&ps)));
    let json = claude.run(["up", "--json", "work/rig.yaml"]).exits(1).json();
    let reviewer = seat(&json, "reviewer");
    assert_eq!(
        (&reviewer["process_state"], &reviewer["continuity_outcome"]),
        (&json!("attention_required"), &json!("forked"))
    );
    assert_eq!(claude.fake.typed(), "", "no key was pressed");
}

// SPEC 6, 14: a dialog that can be foretold is, by plan and doctor.
#[test]
fn an_untrusted_directory_is_foretold() {
    let claude = Claude::new();
    claude.dir("elsewhere");
    claude.rig(&Rig::named("review").fresh("scribe", "../elsewhere"));
    let plan = claude.run(["plan", "work/rig.yaml"]).exits(0);
    assert!(plan.stdout().contains("will ask: "), "{plan}");
    assert!(plan.stdout().contains("note[cwd-outside-rig]"), "{plan}");
    let doctor = claude.run(["doctor", "--json", "work/rig.yaml"]).exits(6).json();
    let dialogs =
        doctor["checks"].as_array().unwrap().iter().filter(|check| check["name"] == "dialogs");
    assert_eq!(dialogs.count(), 1, "{doctor}");
}
