//! Commands that are given inside a seat's own pane (SPEC 14).

use std::path::Path;
use std::time::{Duration, Instant};

use seatfork_testkit::TestEnv;
use serde_json::Value;

use crate::rig::{Rig, place, seat};

/// How long what was typed may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Types a line into the pane of a seat.
fn type_into(env: &TestEnv, name: &str, line: &str) {
    let attach = env.run(["attach", "--json", name]).exits(0).json();
    let argv: Vec<String> = serde_json::from_value(attach["argv"].clone()).unwrap();
    let after = |word: &str| argv[argv.iter().position(|w| w == word).unwrap() + 1].clone();
    let (socket, target) = (after("-S"), after("-t"));
    for keys in [&["-l", line] as &[_], &["Enter"]] {
        let mut tmux = env.command(&argv[0]);
        tmux.args(["-S", &socket, "send-keys", "-t", &target]).args(keys);
        drop(env.finish(tmux, "tmux").exits(0));
    }
}

/// Waits until something holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn ps(env: &TestEnv) -> Value {
    env.run(["ps", "--json"]).json()
}

fn shells() -> TestEnv {
    let env = place();
    Rig::named("shells").shell("main", ".").shell("side", ".").write(&env, "rig.yaml");
    drop(env.run(["up", "rig.yaml"]).exits(0));
    env
}

fn command() -> &'static str {
    env!("CARGO_BIN_EXE_seatfork")
}

// SPEC 7, 14: `down` given in a seat's own pane ends that seat last, and everything is written down.
#[test]
fn a_rig_taken_down_from_inside_is_down_as_a_whole() {
    let env = shells();
    type_into(&env, "main", &format!("{} down 2>'{}/said'", command(), env.root().display()));
    let exited = |report: &Value, member| seat(report, member)["process_state"] == "exited";
    until("both seats are seen to have ended", || {
        let report = ps(&env);
        exited(&report, "main") && exited(&report, "side")
    });
    let said = std::fs::read_to_string(env.root().join("said")).unwrap();
    assert!(said.contains("dev-main@shells, which is ended last"), "{said}");
    drop(env.run(["up", "rig.yaml"]).exits(0));
    type_into(&env, "main", &format!("{} down --purge", command()));
    until("the rig is forgotten", || ps(&env)["seats"].as_array().unwrap().is_empty());
    until("the socket is gone", || !env.root().join("run/seatfork").exists());
}

// SPEC 14: `up` inside a seat makes seats as it does outside of one, and nothing of the seat's session passes to them.
#[test]
fn a_rig_comes_up_inside_a_seat_of_another() {
    let env = shells();
    Rig::named("inner").shell("deep", ".").write(&env, "inner/rig.yaml");
    let (said, root) = (env.root().join("said.json"), env.root().display());
    type_into(
        &env,
        "main",
        &format!("{} up --json '{root}/inner/rig.yaml' >'{root}/said.json'", command()),
    );
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        serde_json::from_str::<Value>(&text).ok()
    };
    until("the inner rig's report is whole", || read(&said).is_some());
    let report = read(&said).unwrap();
    assert_eq!(
        (&report["ok"], &seat(&report, "deep")["process_state"]),
        (&true.into(), &"ready".into())
    );
    type_into(&env, "deep", &format!("env >'{root}/env'"));
    until("the environment is written", || root_has(&env, "env", "PATH="));
    let vars = std::fs::read_to_string(env.root().join("env")).unwrap();
    let marks: Vec<_> = vars.lines().filter(|line| line.starts_with("SEATFORK_NONCE=")).collect();
    type_into(&env, "main", &format!("env >'{root}/outer'"));
    until("the outer one too", || root_has(&env, "outer", "PATH="));
    let outer = std::fs::read_to_string(env.root().join("outer")).unwrap();
    assert_eq!(marks.len(), 1, "{vars}");
    assert!(!outer.contains(marks[0]), "each seat has a mark of its own");
    drop(env.run(["down", "inner"]).exits(0));
    assert_eq!(
        seat(&env.run(["ps", "--json", "shells"]).exits(0).json(), "main")["process_state"],
        "ready"
    );
}

fn root_has(env: &TestEnv, file: &str, text: &str) -> bool {
    std::fs::read_to_string(env.root().join(file)).is_ok_and(|found| found.contains(text))
}

// SPEC 13: a shell that ended holds no token, and nobody says that one is kept.
#[test]
fn a_shell_that_ended_is_said_to_come_back_as_a_new_one() {
    let env = shells();
    type_into(&env, "main", "exit 3");
    until("the shell is seen to have ended", || {
        seat(&ps(&env), "main")["process_state"] == "exited"
    });
    let error = seat(&ps(&env), "main")["error"].clone();
    assert_eq!(error["code"], "pane-failed", "{error}");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("a new shell") && !hint.contains("token"), "{error}");
    // Its dead pane goes with the rig too, and with the last pane the socket.
    drop(env.run(["up", "rig.yaml"]).exits(0));
    let down = env.run(["down", "--purge"]).exits(0);
    assert!(!env.root().join("run/seatfork").exists(), "{down}");
    let again = env.run(["down", "--purge", "shells"]).exits(0);
    assert!(
        again.stdout().contains("shells: has no seats, 0 files and directories removed"),
        "{again}"
    );
}
