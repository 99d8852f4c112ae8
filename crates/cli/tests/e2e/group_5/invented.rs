//! Every dialog that is known, shown by the fake runtime, which writes down each key it gets.

use seatfork_testkit::claude_home::ClaudeHome as _;
use seatfork_testkit::fake::{Act, Phase, Screen, recorded_parent};
use serde_json::json;

use super::waits;
use crate::support::{Files, Place, Rig, each_version, seat};

/// The first start is not among them: offline the recorded one ends by itself; `real` has the other.
const SCREENS: [(Screen, &str); 6] = [
    (Screen::Trust, "trust this folder?"),
    (Screen::ApiKey, "use the API key from the environment?"),
    (Screen::Bypass, "accept running with every permission bypassed?"),
    (Screen::Mcp, "use the MCP server of this project?"),
    (Screen::Picker, "which conversation? The id was not taken as one"),
    (Screen::Summary, "go on from a summary, or from the full conversation?"),
];

// SPEC 6: no key is pressed at any dialog, and no file of the user's is edited.
#[test]
fn no_key_is_pressed_at_any_dialog() {
    each_version("every dialog known", |runtime| {
        let place = Place::new(runtime);
        let parent = recorded_parent(&place, &place.work, 3);
        let users = place.write("home/.claude/settings.json", r#"{"cleanupPeriodDays": 3650}"#);
        let fake = place.fake();
        let script =
            SCREENS.iter().enumerate().fold(place.faithful(), |script, (nth, (screen, _))| {
                script.on_nth(Phase::Pane, nth, [Act::Dialog { screen: *screen }])
            });
        fake.script(&script);
        let member = |nth: usize| format!("seat-{nth}");
        let rig = (0..SCREENS.len())
            .fold(Rig::named("dialogs"), |rig, nth| rig.fork(&member(nth), &parent.id));
        place.rig(&rig);
        let files = || Files::below([&place.claude_json(), &users, &parent.path]);
        let before = files();
        let (code, up) = place.up_with(&["--jobs", "1"]);
        assert_eq!(code, 1, "{up:#}");
        let (code, ps) = place.ps();
        assert_eq!(code, 1, "{ps:#}");
        for (nth, (_, question)) in SCREENS.iter().enumerate() {
            for report in [&up, &ps] {
                waits(report, &member(nth), question, &[]);
            }
            assert_eq!(
                seat(&up, &member(nth))["error"]["code"],
                seat(&ps, &member(nth))["error"]["code"]
            );
        }
        let (_, again) = place.up();
        assert!(
            again["seats"]
                .as_array()
                .unwrap()
                .iter()
                .all(|seat| seat["action"] == json!("unchanged"))
        );
        assert_eq!(fake.typed(), "", "a key was pressed");
        assert_eq!(fake.asked(Phase::Pane).len(), SCREENS.len());
        assert_eq!(before.changes(&files()), [""; 0]);
    });
}
