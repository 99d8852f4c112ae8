//! The checks of Codex, each with the sentence it holds.

use std::{fs, path::Path, time::Duration};

use seatfork_testkit::{
    codex::{
        CodexHome as _, CodexTalk, CodexThread, Rollout, history_base, make_fork, make_parent,
    },
    fake::{FakeCodex, codex::recorded_thread},
    model_stub::Mode,
    world::World,
};

use crate::Check;

const FAKE: &str = env!("CARGO_BIN_EXE_fake-codex");

pub(crate) const ALL: &[Check] = &[
    ("forty_turns_of_one_server_are_forty_turns", forty_turns),
    ("a_conversation_goes_on_by_exec_resume", resumed),
    ("a_fork_of_a_fork_of_a_fork_names_each_parent", forks_of_forks),
    ("the_real_codex_forks_or_refuses_odd_rollouts_as_we_think", odd),
    ("a_legacy_rollout_is_copied_whole", legacy),
    ("a_packed_rollout_is_forked", packed),
    ("a_large_rollout_nobody_indexed_is_forked", large),
    ("a_conversation_that_is_had_has_a_writer", live),
    ("the_real_codex_goes_on_from_what_the_fake_one_made", fakes),
];

fn world(codex: &Path) -> World {
    World::with_codex("/nowhere/seatfork", codex).unwrap()
}

/// Forks by `codex exec fork`: the child's id, with no model call.
fn fork(world: &World, parent: &CodexThread) -> Result<String, String> {
    world.stub.forget();
    let args = ["exec", "fork", &parent.id, "--json", "--skip-git-repo-check"];
    let out = world.codex(&parent.cwd, args);
    if out.status().code() != Some(0) {
        return Err(out.stderr().to_owned());
    }
    assert!(world.stub.model_calls().is_empty(), "a fork called the model");
    let first = out.stdout().lines().next().unwrap_or_default();
    let first: serde_json::Value = serde_json::from_str(first).unwrap();
    Ok(first["thread_id"].as_str().unwrap().to_owned())
}

/// The words of a conversation that reach the model when it goes on.
fn words(world: &World, cwd: &Path, id: &str) -> Vec<String> {
    world.stub.forget();
    let args = ["exec", "resume", id, "--json", "--skip-git-repo-check", "And now?"];
    drop(world.codex(cwd, args).exits(0));
    let turns = world.stub.turns();
    assert_eq!(turns[0].session_id(), Some(id));
    turns[0].user_codewords()
}

/// Forks, and looks at what the child knows and at what its first line says.
fn check_fork(world: &World, parent: &CodexThread) -> Rollout {
    let before = parent.bytes();
    let child = fork(world, parent).unwrap();
    let rollout = Rollout::read(&world.rollout_of(&child));
    assert_eq!(rollout.id, child);
    assert_eq!(rollout.header()["forked_from_id"], parent.id.as_str());
    assert_eq!(words(world, &parent.cwd, &child), parent.codewords);
    assert_eq!(parent.bytes(), before, "the source changed");
    rollout
}

fn forty_turns(codex: &Path) {
    let world = world(codex);
    let cwd = world.dir("work");
    let parent = make_parent(&world, &cwd, 40);
    assert_eq!(parent.codewords.len(), 40);
    assert_eq!(world.stub.turns().len(), 40);
    let child = check_fork(&world, &parent);
    let rows = parent.read().rows;
    let last = rows.last().unwrap().json["ordinal"].as_u64().unwrap();
    let base = (parent.id.clone(), last + 1, parent.bytes().len() as u64);
    assert_eq!(history_base(child.header()), Some(base));
}

fn resumed(codex: &Path) {
    let world = world(codex);
    let cwd = world.dir("work");
    let parent = make_parent(&world, &cwd, 2);
    let mut talk = CodexTalk::resume(&world, &cwd, &parent.id);
    talk.turn("and CODEWORD-more");
    assert_eq!(talk.end(), parent.id);
    let known = words(&world, &cwd, &parent.id);
    assert_eq!((&known[..2], known[2].as_str()), (&parent.codewords[..], "CODEWORD-more"));
}

fn forks_of_forks(codex: &Path) {
    let world = world(codex);
    let cwd = world.dir("work");
    let one = make_parent(&world, &cwd, 2);
    let two = make_fork(&world, &one, 1);
    let three = make_fork(&world, &two, 1);
    assert_eq!(three.codewords.len(), 4);
    check_fork(&world, &three);
    // Without the one in the middle nothing of it is left.
    fs::remove_file(&two.path).unwrap();
    let refused = fork(&world, &three).unwrap_err();
    assert!(refused.contains("missing source rollout"), "{refused}");
}

fn odd(codex: &Path) {
    let world = world(codex);
    let cwd = world.dir("work");
    let parent = make_parent(&world, &cwd, 3);
    let refused = |what: &str, thread: &CodexThread, says: &str| {
        let error = fork(&world, thread).expect_err(what);
        assert!(error.contains(says), "{what}: {error}");
    };
    refused("emptied", &parent.emptied(), "is empty");
    // Where it is not indexed yet, a header of another conversation is taken without a word.
    let wrong = parent.with_wrong_header();
    let child = Rollout::read(&world.rollout_of(&fork(&world, &wrong).unwrap()));
    assert_eq!(child.header()["forked_from_id"], Rollout::read(&wrong.path).id.as_str());
    refused("archived", &parent.edited(|_| {}).archived(&world), "is archived");
    check_fork(&world, &parent.edited(|_| {}));
    assert!(parent.torn().bytes().last() != Some(&b'\n'));
    let (_, line) = parent.with_garbage();
    assert!(line > 1);
    let (twice, copy) = parent.on_two_days(&world);
    assert_eq!(world.rollouts_of(&twice.id).len(), 2, "{}", copy.display());
}

fn legacy(codex: &Path) {
    let world = world(codex);
    let cwd = world.dir("work");
    let parent = make_parent(&world, &cwd, 2).as_legacy();
    let child = check_fork(&world, &parent);
    assert!(history_base(child.header()).is_none());
    let headers = child.rows.iter().filter(|row| row.kind() == "session_meta").count();
    assert_eq!(headers, 2, "its own and its parent's");
}

fn packed(codex: &Path) {
    let world = world(codex);
    let cwd = world.dir("work");
    let parent = make_parent(&world, &cwd, 2).compressed();
    let child = fork(&world, &parent).unwrap();
    assert_eq!(words(&world, &cwd, &child), parent.codewords);
}

fn large(codex: &Path) {
    let world = world(codex);
    let cwd = world.dir("work");
    let parent = make_parent(&world, &cwd, 2).grown(20_000_000);
    assert!(parent.bytes().len() >= 20_000_000);
    let child = fork(&world, &parent).unwrap();
    let rollout = Rollout::read(&world.rollout_of(&child));
    let (id, _, end) = history_base(rollout.header()).unwrap();
    assert_eq!((id, end), (parent.id.clone(), parent.bytes().len() as u64));
}

fn fakes(codex: &Path) {
    let world = world(codex);
    let cwd = world.dir("work");
    let parent = make_parent(&world, &cwd, 2);
    let fake = FakeCodex::install_as(&world.root().join("fake-codex"), Path::new(FAKE));
    let mut fork = world.command(fake.program());
    fork.args(["exec", "fork", &parent.id, "--json"]).current_dir(&cwd);
    let said = world.finish(fork, "codex").exits(0).json();
    let child = said["thread_id"].as_str().unwrap();
    assert_eq!(words(&world, &cwd, child), parent.codewords);
    let made = recorded_thread(&world, &cwd, 3);
    check_fork(&world, &made);
}

fn live(codex: &Path) {
    let world = world(codex);
    let cwd = world.dir("work");
    let mut talk = CodexTalk::start(&world, &cwd);
    talk.turn("CODEWORD-first");
    assert!(world.is_written(talk.id()));
    world.stub.set_mode(Mode::Hang);
    talk.say("CODEWORD-busy");
    let busy = world.stub.wait_for(
        |call| call.user_codewords().contains(&"CODEWORD-busy".to_owned()),
        Duration::from_secs(10),
    );
    assert!(busy.is_some());
    let id = talk.id().to_owned();
    let path = world.rollout_of(&id);
    let thread = CodexThread { id: id.clone(), codewords: Vec::new(), path, cwd: cwd.clone() };
    let child = fork(&world, &thread).unwrap();
    world.stub.set_mode(Mode::Ok);
    talk.answer();
    talk.end();
    assert!(!world.is_written(&id));
    let known = words(&world, &cwd, &child);
    assert_eq!(known, ["CODEWORD-first", "CODEWORD-busy"]);
}
