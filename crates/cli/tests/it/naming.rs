//! Words that name rigs and seats, and what is said where there is nothing yet.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::redact::said;
use crate::rig::{Rig, place};

// SPEC 13: where no store stands, reading says so in clear words and makes none.
#[test]
fn without_a_store_reading_says_so_and_makes_none() {
    let env = place();
    for (args, code) in [
        (&["ps"] as &[_], 0),
        (&["lineage"], 0),
        (&["verify"], 0),
        (&["reconcile"], 0),
        (&["ps", "review"], 4),
        (&["lineage", "review"], 4),
        (&["verify", "review"], 4),
        (&["reconcile", "review"], 4),
        (&["reconcile", "--adopt", "x"], 4),
        (&["attach", "review/a"], 4),
        (&["down"], 4),
        (&["down", "review"], 4),
    ] {
        let text = env.run(args).exits(code);
        let whole: Vec<_> = ["--json"].iter().chain(args).collect();
        let json = env.run(whole).exits(code).json();
        assert_eq!(
            (&json["ok"], &json["schema_version"]),
            (&json!(code == 0), &json!(1)),
            "{args:?}"
        );
        if code == 4 {
            assert_eq!(json["code"], "seat-unknown", "{args:?}");
            assert!(text.stderr().contains(json["message"].as_str().unwrap()), "{text}");
        }
    }
    assert!(!env.state_dir().exists(), "a verb that reads made the store's directory");
    let texts = [&["ps"] as &[_], &["lineage"], &["verify"], &["reconcile"], &["ps", "review"]];
    let texts: String = texts.iter().map(|args| env.run(*args).to_string()).collect();
    insta::assert_snapshot!("naming__nothing_yet", texts);
}

// SPEC 13: a name, rig/member, a member alone; ambiguity and the unknown list what there is, exit 4.
// code: rig-unknown, seat-unknown, id-ambiguous, adopt-refused
#[test]
fn seats_are_named_in_short_and_never_guessed() {
    let env = place();
    Rig::named("one").shell("a", ".").shell("b", ".").write(&env, "one/rig.yaml");
    Rig::named("two").shell("a", ".").write(&env, "two/rig.yaml");
    drop(env.run(["up", "one/rig.yaml"]).exits(0));
    drop(env.run(["up", "two/rig.yaml"]).exits(0));
    for name in ["dev-b@one", "one/b", "one/dev-b", "b", "dev-b", "DEV-B@ONE"] {
        let seat = env.run(["attach", "--json", name]).exits(0).json();
        assert_eq!(seat["seat"], "dev-b@one", "{name}");
    }
    let ambiguous = env.run(["attach", "--json", "a"]).exits(4).json();
    assert_eq!(ambiguous["code"], "id-ambiguous");
    assert_eq!(ambiguous["details"]["candidates"], json!(["dev-a@one", "dev-a@two"]));
    let mut texts = String::new();
    for args in [
        &["attach", "a"] as &[_],
        &["attach", "nobody"],
        &["attach", "one"],
        &["down"],
        &["down", "one/b"],
    ] {
        texts.push_str(&env.run(args).exits(4).to_string());
    }
    insta::assert_snapshot!("naming__ambiguous_and_unknown", texts);
    let nothing = ["reconcile", "--json", "--adopt", "00000000-0000-4000-8000-000000000000"];
    assert_eq!(env.run(nothing).exits(4).json()["code"], "adopt-refused");
    let one = env.run(["ps", "--json", "two/a"]).exits(0).json();
    assert_eq!(one["seats"].as_array().unwrap().len(), 1);
}

// SPEC 13: attach needs a terminal; without one it names the command.
// code: not-a-terminal
#[test]
fn attach_off_a_terminal_names_the_command() {
    let env = place();
    Rig::named("review").shell("a", ".").write(&env, "rig.yaml");
    drop(env.run(["up", "rig.yaml"]).exits(0));
    let refused = env.run(["attach", "a"]).exits(7);
    assert!(refused.stderr().contains("error[not-a-terminal]"), "{refused}");
    assert!(refused.stderr().contains("attach-session"), "{refused}");
    drop(env.run(["down"]).exits(0));
    let gone = said(&env.run(["attach", "a"]).exits(1));
    assert!(gone.contains("----- stdout -----\n"), "{gone}");
}

// SPEC 13: on a terminal attach becomes tmux and shows the seat's pane.
#[test]
fn attach_on_a_terminal_shows_the_pane() {
    let env = place();
    Rig::named("review").shell("a", ".").write(&env, "rig.yaml");
    drop(env.run(["up", "rig.yaml"]).exits(0));
    // The terminal is a pane of another tmux server; the seat's shell reads what is typed there.
    let terminal = env.root().join("run/terminal.sock");
    let tmux = |args: &[&str]| {
        let mut tmux = env.command("tmux");
        tmux.arg("-S").arg(&terminal).args(["-f", "/dev/null"]).args(args);
        env.finish(tmux, "tmux").exits(0)
    };
    let program = env!("CARGO_BIN_EXE_seatfork");
    drop(tmux(&[
        "new-session",
        "-d",
        "-x",
        "120",
        "-y",
        "30",
        "-s",
        "t",
        program,
        "attach",
        "review/a",
    ]));
    let mark = env.root().join("typed-in-the-seat");
    let until = Instant::now() + Duration::from_secs(20);
    while !mark.exists() {
        assert!(Instant::now() < until, "{}", tmux(&["capture-pane", "-p", "-t", "t"]));
        drop(tmux(&["send-keys", "-t", "t", "touch typed-in-the-seat", "Enter"]));
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(env.run(["ps", "--json"]).exits(0).json()["seats"][0]["process_state"], "ready");
}
