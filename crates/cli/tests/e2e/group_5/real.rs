//! The dialogs the real program shows offline: trust, onboarding, the question about an API key.

use std::fs;
use std::path::PathBuf;

use seatfork_testkit::claude_home::{Answered, ClaudeHome as _, DUMMY_KEY};
use serde_json::{Value, json};

use super::{is_foretold, waits};
use crate::support::{Files, Place, Rig, Runtime, each_version, runs, seat, text, timed};

/// A dialog: how a home comes to it, and how it looks.
struct Dialog {
    name: &'static str,
    answered: fn(&Place) -> Answered,
    question: &'static str,
    on_screen: &'static [&'static str],
}

const DIALOGS: [Dialog; 3] = [
    Dialog {
        name: "trust",
        answered: |_| Answered::default(),
        question: "trust this folder?",
        on_screen: &["Accessing workspace:", "Quick safety check", "I trust this folder"],
    },
    Dialog {
        name: "onboarding",
        answered: |place| Answered {
            onboarding: false,
            trusted: vec![place.work.clone()],
            key: true,
        },
        question: "first start: choose a theme and sign in",
        on_screen: &["Choose the text style", "Dark mode"],
    },
    Dialog {
        name: "API key",
        answered: |place| Answered {
            key: false,
            trusted: vec![place.work.clone()],
            onboarding: true,
        },
        question: "use the API key from the environment?",
        on_screen: &["Detected a custom API key in your environment", "Yes", "No (recommended)"],
    },
];

// SPEC 6, 13, 14: a dialog of the real program is foretold by `plan`, is attention with the last lines, exit 1, and is left as it is.
#[test]
fn a_dialog_of_the_real_program_is_told_and_left_alone() {
    each_version("dialogs of the real program", |runtime| {
        for dialog in &DIALOGS {
            timed(&format!("  {}", dialog.name), || told_and_left_alone(runtime, dialog));
        }
    });
}

fn told_and_left_alone(runtime: &Runtime, dialog: &Dialog) {
    let place = Place::new(runtime);
    let users = users_files(&place);
    let parent = place.make_parent(&place.work, 2);
    place.answer(&(dialog.answered)(&place));
    place.rig(&Rig::named("gated").fork("reviewer", &parent.id).fresh("scribe"));
    let before = Files::below(&users);
    is_foretold(&place, dialog.question);
    let (code, up) = timed("    up", || place.up());
    assert_eq!(code, 1, "{}: {up:#}", dialog.name);
    assert_eq!(seat(&up, "reviewer")["continuity_outcome"], "forked", "{up:#}");
    assert_eq!(seat(&up, "scribe")["continuity_outcome"], "fresh", "{up:#}");
    for member in ["reviewer", "scribe"] {
        waits(&up, member, dialog.question, dialog.on_screen);
        assert_eq!(seat(&up, member)["action"], "created");
    }
    let end_of_key = &DUMMY_KEY[DUMMY_KEY.len() - 8..];
    assert!(!up.to_string().contains(end_of_key), "the end of the key is shown: {up:#}");
    let screens = || ["reviewer", "scribe"].map(|member| place.pane(member).screen());
    let pids = ["reviewer", "scribe"].map(|member| place.pane(member).pid());
    let shown = screens();
    // Looking again, and bringing up again, presses nothing either.
    let (code, ps) = place.ps();
    assert_eq!(code, 1, "{ps:#}");
    waits(&ps, "reviewer", dialog.question, dialog.on_screen);
    let (code, again) = place.up();
    assert_eq!(code, 1, "{again:#}");
    for member in ["reviewer", "scribe"] {
        waits(&again, member, dialog.question, dialog.on_screen);
        let (now, then) = (seat(&again, member), seat(&up, member));
        assert_eq!((&now["action"], &now["token"]), (&json!("unchanged"), &then["token"]));
    }
    assert_eq!(screens(), shown, "{}: the dialog is as it was", dialog.name);
    assert!(pids.iter().all(|pid| runs(*pid)), "{}: it waits", dialog.name);
    assert_eq!(place.live_sessions(), [Value::Null; 0], "{}: nothing was let through", dialog.name);
    assert_eq!(before.changes(&Files::below(&users)), [""; 0], "{}", dialog.name);
    nothing_is_answered(&place, &(dialog.answered)(&place));
    assert_eq!(
        place.stub.turns().iter().filter(|turn| turn.session_id() != Some(&*parent.id)).count(),
        0
    );
    if dialog.name == "trust" {
        the_person_answers(&place, text(seat(&up, "reviewer"), "/token"));
    }
}

/// Settings and instructions of the user's, in every place the runtime reads.
fn users_files(place: &Place) -> Vec<PathBuf> {
    vec![
        place.write("home/.claude/settings.json", r#"{"cleanupPeriodDays": 3650}"#),
        place.write("home/.claude/CLAUDE.md", "Be brief.\n"),
        place.write("work/.claude/settings.json", r#"{"env": {"ONE": "1"}}"#),
        place.write("work/.claude/settings.local.json", r#"{"env": {"TWO": "2"}}"#),
        place.write("work/CLAUDE.md", "Be kind.\n"),
    ]
}

/// `.claude.json` is the runtime's own to write; the answers in it are the user's.
fn nothing_is_answered(place: &Place, answered: &Answered) {
    let text = fs::read_to_string(place.claude_json()).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let trusted =
        json["projects"][&*place.work.to_string_lossy()]["hasTrustDialogAccepted"] == true;
    assert_eq!(trusted, answered.trusted.contains(&place.work));
    assert_eq!(json["hasCompletedOnboarding"] == true, answered.onboarding);
    let approved = json["customApiKeyResponses"]["approved"].as_array().map_or(0, Vec::len);
    assert_eq!(approved, usize::from(answered.key));
    assert_eq!(json["customApiKeyResponses"]["rejected"].as_array().map_or(0, Vec::len), 0);
}

/// Once the person has answered in the pane, the seat is ready, with the conversation it had.
fn the_person_answers(place: &Place, token: &str) {
    let pane = place.pane("reviewer");
    // The choices and the one marked differ between versions.
    if pane.screen().contains("❯ No, exit") {
        pane.key("Down");
        pane.wait_for("❯ Yes, I trust this folder");
    }
    pane.key("Enter");
    place.wait_until("the seat is ready", || {
        let (_, ps) = place.ps();
        let reviewer = seat(&ps, "reviewer");
        (reviewer["process_state"] == "ready").then(|| assert_eq!(reviewer["token"], token))
    });
}
