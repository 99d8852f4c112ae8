//! Verbs that look at records alone need no tmux (SPEC 8, 13), and what is forgotten can still be asked for (SPEC 7).

use std::os::unix::fs::PermissionsExt as _;

use crate::rig::{Rig, place};

// SPEC 8: verify and lineage are offline: a tmux that cannot be used is none of their business.
#[test]
fn verify_and_lineage_answer_where_tmux_cannot_be_used() {
    let env = place();
    Rig::named("shells").shell("main", ".").write(&env, "rig.yaml");
    drop(env.run(["up", "rig.yaml"]).exits(0));
    let open = env.dir("open-to-all");
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
    let dir = open.to_str().unwrap();
    drop(env.run(["verify", "--runtime-dir", dir]).exits(0));
    drop(env.run(["verify", "--runtime-dir", dir, "shells"]).exits(0));
    drop(env.run(["lineage", "--runtime-dir", dir]).exits(0));
    // Those that look at panes say what is wrong.
    let ps = env.run(["ps", "--json", "--runtime-dir", dir]).exits(7);
    assert_eq!(ps.json()["code"], "tmux-socket-unsafe");
}

// SPEC 7: `--purge` after `--forget`: the rig is found by its name, and nothing is said of seats that are no more.
#[test]
fn a_forgotten_rig_can_be_purged_by_its_name() {
    let env = place();
    Rig::named("shells").shell("main", ".").write(&env, "rig.yaml");
    drop(env.run(["up", "rig.yaml"]).exits(0));
    drop(env.run(["down", "--forget", "shells"]).exits(0));
    let purged = env.run(["down", "--purge", "--json", "shells"]).exits(0);
    assert_eq!(purged.json()["seats"].as_array().unwrap().len(), 0);
    drop(env.run(["down", "shells"]).exits(4));
    drop(env.run(["down", "--purge", "never-was"]).exits(4));
}

// SPEC 13: doctor keeps each part's own hint: a directory others may enter is not a damaged store.
#[test]
fn doctor_says_what_to_do_about_the_part_that_is_missing() {
    let env = place();
    let open = env.dir("open-to-all");
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
    let dir = open.to_str().unwrap();
    let report = env.run(["doctor", "--json", "--runtime-dir", dir]).exits(7).json();
    let checks = report["checks"].as_array().unwrap();
    let tmux = checks.iter().find(|check| check["name"] == "tmux").unwrap();
    let hint = tmux["hint"].as_str().unwrap();
    assert!(hint.contains("--runtime-dir") && !hint.contains("doctor"), "{hint}");
}
