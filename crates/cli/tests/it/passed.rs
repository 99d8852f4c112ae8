//! What of the caller's environment reaches a seat, and what is said where it does not (SPEC 14).

use serde_json::json;

use crate::rig::{Rig, place};

// SPEC 14: a name that never passes is refused, one that is not set is said: none is dropped without a word.
#[test]
fn no_name_to_be_passed_on_is_dropped_without_a_word() {
    let mut env = place();
    env.set("MINE", "m");
    Rig::named("shells").shell("main", ".").write(&env, "rig.yaml");
    for never in ["CLAUDECODE", "TMUX_PANE", "SEATFORK_NONCE", "CODEX_THREAD_ID"] {
        for verb in ["plan", "up"] {
            let pass = format!("MINE,{never}");
            let refused =
                env.run([verb, "--json", "--pass-env", &pass, "rig.yaml"]).exits(2).json();
            assert_eq!(
                (&refused["code"], &refused["details"]["name"]),
                (&json!("usage"), &json!(never))
            );
        }
    }
    for verb in ["plan", "up"] {
        let args = [verb, "--json", "--pass-env", "MINE,GONE", "rig.yaml"];
        let said = env.run(args).exits(0).json();
        let message = said["warnings"][0]["message"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains("GONE") && !message.contains("MINE"), "{verb}: {said}");
        let text = env.run([verb, "--pass-env", "GONE", "rig.yaml"]).exits(0);
        assert!(text.stdout().contains("not set here as text: GONE"), "{text}");
        drop(env.run(["down"]));
    }
}

// SPEC 6: where no shell is named a terminal is the one every system has, and the plan says so.
#[test]
fn without_a_shell_of_the_users_a_terminal_is_the_systems() {
    let mut env = place();
    env.unset("SHELL");
    Rig::named("shells").shell("main", ".").write(&env, "rig.yaml");
    let plan = env.run(["plan", "rig.yaml"]).exits(0);
    assert!(plan.stdout().contains("a shell; /bin/sh, for SHELL is not set"), "{plan}");
    drop(env.run(["up", "rig.yaml"]).exits(0));
}
