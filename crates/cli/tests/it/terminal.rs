//! A rig of plain shells, from nothing to down and back: everything that needs no agent.

use serde_json::json;

use crate::redact::said;
use crate::rig::{Rig, place, seat};

// SPEC 7, 13: created, left alone, taken down, started again, forgotten; every step says so.
// code: relaunched-fresh
#[test]
fn a_rig_of_shells_comes_up_stays_goes_down_and_comes_back() {
    let env = place();
    env.dir("src");
    Rig::named("shells").shell("main", ".").shell("side", "src").write(&env, "rig.yaml");
    let mut texts = String::new();
    for (args, code) in [
        (&["up", "rig.yaml"] as &[_], 0),
        (&["ps"], 0),
        (&["up", "rig.yaml"], 0),
        (&["down"], 0),
        (&["down"], 0),
        (&["up", "rig.yaml"], 0),
        (&["down", "--forget"], 0),
        (&["ps"], 0),
    ] {
        texts.push_str(&said(&env.run(args).exits(code)));
    }
    insta::assert_snapshot!("terminal__a_life", texts);
}

// SPEC 13: the fields of a seat are those of the contract, each there.
#[test]
fn a_seat_as_json_has_every_field_of_the_contract() {
    let env = place();
    Rig::named("shells").shell("main", ".").write(&env, "rig.yaml");
    let up = env.run(["up", "--json", "rig.yaml"]).exits(0);
    assert_eq!(up.stderr(), "");
    let report = up.json();
    assert_eq!(
        (&report["ok"], &report["rig"], &report["schema_version"]),
        (&json!(true), &json!("shells"), &json!(1))
    );
    let main = seat(&report, "main");
    let names: Vec<_> = main.as_object().unwrap().keys().cloned().collect();
    let mut contract = vec![
        "seat",
        "pod",
        "member",
        "runtime",
        "action",
        "attempt",
        "continuity_outcome",
        "binding_outcome",
        "launch_state",
        "process_state",
        "observed_at",
        "token",
        "source",
        "proof",
        "notice",
        "warnings",
        "failed_step",
        "error",
        "attach",
    ];
    contract.sort_unstable();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, contract);
    let facts: Vec<_> =
        ["action", "continuity_outcome", "launch_state", "process_state", "token", "source"]
            .map(|name| main[name].clone())
            .into();
    assert_eq!(
        facts,
        [
            json!("created"),
            json!("fresh"),
            json!("realized"),
            json!("ready"),
            json!(null),
            json!(null)
        ]
    );
    let ps = seat(&env.run(["ps", "--json"]).exits(0).json(), "main");
    assert_eq!((&ps["action"], &ps["continuity_outcome"]), (&json!("unchanged"), &json!("fresh")));
    assert_eq!(ps.as_object().unwrap().keys().cloned().collect::<Vec<_>>(), names);
}

// SPEC 13: `--dry-run` and `plan` start nothing and make nothing; what is refused is exit 7 before anything starts.
#[test]
fn a_dry_run_and_a_refused_rig_make_nothing() {
    let env = place();
    Rig::named("shells").shell("main", ".").write(&env, "rig.yaml");
    Rig::named("shells").shell("main", "gone").shell("side", "rig.yaml").write(&env, "bad.yaml");
    let dry = said(&env.run(["up", "--dry-run", "rig.yaml"]).exits(0));
    let plan = said(&env.run(["plan", "rig.yaml"]).exits(0));
    let body = |text: &str| text.split_once('\n').unwrap().1.to_owned();
    assert_eq!(body(&dry), body(&plan));
    let refused = env.run(["up", "bad.yaml"]).exits(7);
    insta::assert_snapshot!("terminal__plan_and_refusal", format!("{plan}{refused}"));
    let json = env.run(["up", "--json", "bad.yaml"]).exits(7).json();
    let codes: Vec<_> = json["details"]["refusals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|refusal| refusal["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["cwd-missing", "cwd-missing"]);
    assert!(!env.state_dir().exists());
}

// SPEC 2, 13: a refused spec is exit 3 with its diagnostics, and nothing is started.
// code: spec-refused
#[test]
fn a_refused_spec_is_exit_3_and_starts_nothing() {
    let env = place();
    env.write("rig.yaml", Rig::named("shells").shell("main", ".").yaml().replace("cwd:", "cwdd:"));
    env.write(
        "payload.yaml",
        "members: [{id: a, runtime: pixir, agent_ref: a, profile: p, cwd: .}]\n",
    );
    for verb in ["up", "plan", "doctor"] {
        let text = env.run([verb, "rig.yaml"]).exits(3);
        assert!(text.stderr().contains("error[unknown-key]"), "{text}");
        let json = env.run([verb, "--json", "rig.yaml"]).exits(3).json();
        assert_eq!(json["code"], "spec-refused");
        assert_eq!(json["details"]["diagnostics"][1]["code"], "unknown-key", "{json}");
        let payload = env.run([verb, "--json", "payload.yaml"]).exits(3).json();
        assert_eq!(
            (&payload["code"], &payload["details"]["document"]),
            (&json!("spec-refused"), &json!("payload"))
        );
        drop(env.run([verb, "none.yaml"]).exits(4));
    }
    assert!(!env.state_dir().exists());
}

// SPEC 7: a seat whose process ended by itself is brought back; its rows say which launch opened which pane.
#[test]
fn a_shell_that_ended_is_started_again() {
    let env = place();
    Rig::named("shells").shell("main", ".").write(&env, "rig.yaml");
    drop(env.run(["up", "rig.yaml"]).exits(0));
    let argv = env.run(["attach", "--json", "main"]).exits(0).json();
    let words: Vec<_> =
        argv["argv"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    let socket = words[words.iter().position(|word| *word == "-S").unwrap() + 1];
    let mut kill = env.command("tmux");
    kill.args(["-S", socket, "kill-server"]);
    drop(env.finish(kill, "tmux").exits(0));
    let ps = seat(&env.run(["ps", "--json"]).exits(1).json(), "main");
    assert_ne!(ps["process_state"], "ready", "{ps}");
    let again = seat(&env.run(["up", "--json", "rig.yaml"]).exits(0).json(), "main");
    assert_eq!((&again["action"], &again["attempt"]), (&json!("created"), &json!(2)));
}
