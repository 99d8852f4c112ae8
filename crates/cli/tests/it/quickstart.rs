//! What a newcomer runs first: `examples/quickstart`, on a machine with nothing but seatfork.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use seatfork_testkit::TestEnv;
use seatfork_testkit::pixir::{Workspace, check_warm_start, fold};

use crate::rig::{place, seat};

const SEED: &str = "20260316T140000-parser";

/// The files of the example, as a checkout has them.
const FILES: [&str; 6] = [
    ".gitignore",
    ".pixir/sessions/20260316T140000-parser.ndjson",
    "agents/fixer.yaml",
    "agents/reviewer.yaml",
    "refused.yaml",
    "rig.yaml",
];

/// The example in a place without any program: no tmux, no runtime.
fn checkout() -> (TestEnv, PathBuf) {
    let mut env = place();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/quickstart");
    for file in FILES {
        env.write(&format!("quickstart/{file}"), fs::read(from.join(file)).unwrap());
    }
    env.set("PATH", env.dir("nothing"));
    let dir = env.root().join("quickstart");
    (env, dir)
}

/// The logs in a workspace but the one that is bundled.
fn children(workspace: &Path) -> Vec<String> {
    let entries = fs::read_dir(workspace.join(".pixir/sessions")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> =
        names.filter_map(|name| name.strip_suffix(".ndjson").map(str::to_owned)).collect();
    names.retain(|name| name != SEED);
    names.sort();
    names
}

// SPEC 6, 7, 13: two seats forked and proved, where things are, what is next; again: nothing to do; then gone.
#[test]
fn the_first_command_forks_two_seats_with_nothing_installed() {
    let (env, dir) = checkout();
    let bundled = fs::read(dir.join(FILES[1])).unwrap();
    let plan = env.run(["plan", "quickstart/rig.yaml"]).exits(0);
    assert!(
        plan.stdout().contains("needs no process; its record is written by seatfork"),
        "{plan}"
    );
    let up = env.run(["up", "quickstart/rig.yaml"]).exits(0);
    let rows: Vec<_> = up.stdout().lines().collect();
    for (row, member) in rows.iter().zip(["fixer", "reviewer"]) {
        for word in
            [member, "forked", "from source session", "content proved 8/8", "no process needed"]
        {
            assert!(row.contains(word), "{word}: {up}");
        }
    }
    assert_eq!(
        rows[2],
        "quickstart: 2 ready. Sources unchanged. Next: seatfork lineage quickstart"
    );
    let sessions = dir.join(".pixir/sessions");
    assert!(up.stderr().contains(&format!("session logs: {}", sessions.display())), "{up}");
    let store = env.state_dir().join("seatfork.db");
    let state = format!("state: {}; seatfork down --purge quickstart", store.display());
    assert!(up.stderr().contains(&state) && store.exists(), "{up}");

    let logs = children(&dir);
    assert_eq!(logs.len(), 2);
    let again = env.run(["up", "quickstart/rig.yaml"]).exits(0);
    assert!(again.stdout().contains("quickstart: 2 ready. Nothing to do."), "{again}");
    assert_eq!(children(&dir), logs);

    let lineage = env.run(["lineage", "quickstart"]).exits(0);
    for seat in ["parser-fixer@quickstart", "parser-reviewer@quickstart"] {
        assert!(lineage.stdout().contains(seat), "{lineage}");
    }
    drop(env.run(["verify"]).exits(0));
    drop(env.run(["ps"]).exits(0));
    let down = env.run(["down", "--purge", "quickstart"]).exits(0);
    for log in &logs {
        assert!(down.stdout().contains(log), "what stays is named: {down}");
    }
    assert_eq!(children(&dir), logs, "no conversation is deleted");
    let seats = env.run(["ps", "--json"]).exits(0).json();
    assert_eq!(seats["seats"].as_array().map(Vec::len), Some(0));
    assert_eq!(fs::read(dir.join(FILES[1])).unwrap(), bundled, "the bundled log is as it was");
}

// SPEC 6, 8: each seat's log is a warm start by the documented rules, with a posture from the spec alone.
#[test]
fn the_seats_logs_are_children_by_the_documented_rules() {
    let (env, dir) = checkout();
    let up = env.run(["up", "--json", "quickstart/rig.yaml"]).exits(0).json();
    let files = Workspace::new();
    for (member, mode) in [("fixer", "auto"), ("reviewer", "read_only")] {
        let seat = seat(&up, member);
        assert_eq!(seat["process_state"], "none");
        assert_eq!(seat["notice"], "injected");
        assert_eq!(seat["workspace"], dir.to_str().unwrap());
        let token = seat["token"].as_str().unwrap();
        for log in [SEED, token] {
            let path = dir.join(format!(".pixir/sessions/{log}.ndjson"));
            let here = files.real().display().to_string();
            let text = fs::read_to_string(path).unwrap();
            files.write(log, text.replace(dir.to_str().unwrap(), &here));
        }
        let events = fold(&files.log(token)).unwrap();
        assert_eq!(events.last().unwrap().text("permission_mode").as_deref(), Some(mode));
        let marker = events[events.len() - 2].text("text").unwrap();
        let wrong = check_warm_start((&files, SEED), (&files, token), &marker);
        assert_eq!(wrong, [""; 0], "{member}");
    }
}

// SPEC 4: the second file is refused, every problem at once, and nothing is made for it.
#[test]
fn the_refused_variant_is_refused_whole() {
    let (env, dir) = checkout();
    let refused = env.run(["validate", "--json", "quickstart/refused.yaml"]).exits(3).json();
    let codes: Vec<_> = refused["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["fork-kind-weaker", "session-source-on-terminal"], "{refused}");
    drop(env.run(["up", "quickstart/refused.yaml"]).exits(3));
    assert!(children(&dir).is_empty() && !env.state_dir().join("seatfork.db").exists());
}

// SPEC 6: a checkout that cannot be written works with `--workspace`; nothing is made in it.
#[test]
fn a_read_only_checkout_works_with_a_workspace() {
    let (env, dir) = checkout();
    let folders = [dir.clone(), dir.join(".pixir"), dir.join(".pixir/sessions")];
    let mode = |mode| {
        for folder in &folders {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    mode(0o555);
    let workspace = env.dir("mine");
    let args = ["up", "quickstart/rig.yaml", "--workspace", "mine"];
    let up = env.run(args);
    let plan = env.run(["plan", "quickstart/rig.yaml", "--workspace", "gone"]);
    mode(0o755);
    let up = up.exits(0);
    let sessions = workspace.join(".pixir/sessions");
    assert!(up.stderr().contains(&format!("session logs: {}", sessions.display())), "{up}");
    assert_eq!(children(&workspace).len(), 2);
    assert!(children(&dir).is_empty());
    assert!(plan.exits(7).stderr().contains("--workspace"));
    drop(env.run(["verify"]).exits(0));
}

// SPEC 13: what is made beside the example is no change of the repository it came with.
#[test]
fn what_is_made_beside_the_example_is_ignored_by_git() {
    let (mut env, dir) = checkout();
    env.set("PATH", "/usr/local/bin:/usr/bin:/bin");
    let repo = env.git_repo("quickstart");
    let git = |args: &[&str]| {
        let mut git = env.command("git");
        git.current_dir(&repo).args(args);
        env.finish(git, "git").exits(0)
    };
    drop(git(&["add", "--all"]));
    let tracked = git(&["ls-files"]);
    assert_eq!(tracked.stdout().lines().collect::<Vec<_>>(), FILES);
    let before = git(&["status", "--porcelain"]).stdout().to_owned();
    drop(env.run(["up", "quickstart/rig.yaml"]).exits(0));
    assert_eq!(children(&dir).len(), 2);
    assert_eq!(git(&["status", "--porcelain"]).stdout(), before);
}
