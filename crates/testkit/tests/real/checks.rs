//! The checks of Claude Code, each with the sentence it holds.

use std::{path::Path, time::Duration};

use seatfork_testkit::{
    Mount, Traps,
    claude_home::ClaudeHome as _,
    fake::{FakeClaude, recorded_parent},
    model_stub::{Mode, ModelRequest},
    transcript::{History, Row, Transcript, project_slug},
    world::{Growing, Parent, World},
};
use uuid::Uuid;

use crate::Check;

const FAKE: &str = env!("CARGO_BIN_EXE_fake-claude");

pub(crate) const ALL: &[Check] = &[
    ("forty_turns_of_one_process_are_forty_turns", forty_turns),
    ("a_fork_of_a_compacted_source_has_its_summary_and_what_followed", compacted),
    ("a_fork_of_a_rewound_source_has_the_branch_its_last_prompt_row_names", rewound),
    ("a_fork_has_every_tool_result", tools),
    ("a_fork_has_nothing_of_a_sidechain", sidechains),
    ("a_fork_of_a_growing_source_has_a_prefix_of_it", growing),
    ("the_real_program_forks_or_refuses_odd_sources_as_we_think", odd),
    ("long_and_strange_directories_have_the_slug_we_think", slugs),
    ("a_worktree_and_another_directory_keep_their_own_folders", places),
    ("phase_one_springs_no_trap_and_a_plain_run_springs_them", traps),
    ("a_disk_that_takes_nothing_may_be_called_a_success", disks),
    ("the_real_program_goes_on_from_what_the_fake_one_forked", fake_forks),
    ("a_hundred_megabytes_are_forked", large),
];

fn world(claude: &Path) -> World {
    World::new("/nowhere/seatfork", claude).unwrap()
}

/// Forks with the real program and looks at everything: no model call, the history by our
/// rules, and in the first message of the child each word it must know and none it must not.
fn check_fork(world: &World, parent: &Parent) -> Transcript {
    let child = Uuid::new_v4().to_string();
    let before = std::fs::read(&parent.path).unwrap();
    let history = History::of(&parent.read()).unwrap();
    world.stub.forget();
    let out = world.fork(&parent.cwd, &parent.id, &child).exits(0);
    assert_eq!(out.json()["num_turns"], 0, "{out}");
    assert!(world.stub.model_calls().is_empty(), "a fork called the model");
    assert_eq!(std::fs::read(&parent.path).unwrap(), before, "the source changed");
    let fork = Transcript::read(&world.transcript(&parent.cwd, &child));
    let uuids: Vec<_> = fork.conversation().filter_map(|row| row.uuid()).collect();
    let inherited: Vec<_> = history.uuids();
    assert!(uuids.len() > inherited.len());
    // Rows of its own may stand between in one kind of source of one version; order holds.
    let got: Vec<_> = uuids.iter().copied().filter(|uuid| inherited.contains(uuid)).collect();
    assert_eq!(got, inherited);
    check_words(world, parent, &child);
    fork
}

/// The words of the source that reach the model from the child.
fn check_words(world: &World, parent: &Parent, child: &str) {
    world.stub.forget();
    drop(world.claude(&parent.cwd, &["-p", "--resume", child, "And now?"]).exits(0));
    let call = world
        .stub
        .wait_for(|r| r.is_turn() && r.session_id() == Some(child), Duration::from_secs(10))
        .expect("the child asks the model");
    let words = call.user_codewords();
    for word in &parent.codewords {
        assert!(words.contains(word), "{word} is missing: {words:?}");
    }
    for word in &parent.left_out {
        assert!(!words.contains(word), "{word} should have been left out: {words:?}");
    }
}

fn forty_turns(claude: &Path) {
    let mut world = world(claude);
    let cwd = world.trusted_dir("work");
    let parent = world.make_parent(&cwd, 40);
    assert_eq!(parent.codewords.len(), 40);
    assert_eq!(world.stub.turns().len(), 40);
    let transcript = parent.read();
    let asked = transcript.conversation().filter(|row| row.kind() == "user").count();
    assert_eq!((asked, transcript.replies().len()), (40, 40));
    for row in transcript.conversation() {
        assert_eq!(row.json["sessionId"], parent.id.as_str());
        assert_eq!(row.json["cwd"], cwd.to_str().unwrap());
    }
    check_fork(&world, &parent);
}

fn compacted(claude: &Path) {
    let mut world = world(claude);
    let cwd = world.trusted_dir("work");
    for turns in [&[3, 2][..], &[3, 2, 1], &[3, 0]] {
        let parent = world.make_compacted(&cwd, turns);
        let boundaries = |row: &&Row| row.json["subtype"] == "compact_boundary";
        let count = parent.read().rows.iter().filter(boundaries).count();
        assert_eq!(count, turns.len() - 1, "{turns:?}");
        let fork = check_fork(&world, &parent);
        assert!(fork.text().contains("CODEWORD-summary"), "{turns:?}");
    }
}

fn rewound(claude: &Path) {
    let mut world = world(claude);
    let cwd = world.trusted_dir("work");
    let parent = world.make_rewound(&cwd);
    assert_eq!((parent.codewords.len(), parent.left_out.len()), (4, 2));
    check_fork(&world, &parent);
    check_fork(&world, &parent.on_its_old_branch());
}

fn tools(claude: &Path) {
    let mut world = world(claude);
    let cwd = world.trusted_dir("work");
    let parent = world.make_with_tools(&cwd);
    assert!(parent.read().text().contains("\"tool_result\""));
    check_fork(&world, &parent);
}

fn sidechains(claude: &Path) {
    let mut world = world(claude);
    let cwd = world.trusted_dir("work");
    let parent = world.make_parent(&cwd, 3).with_sidechain();
    assert_eq!(parent.left_out.len(), 1);
    check_fork(&world, &parent);
    let parent = world.make_with_subagent(&cwd);
    let beside = parent.folder().join(&parent.id).join("subagents");
    assert!(beside.is_dir(), "no sub-agent's file in {}", beside.display());
    check_fork(&world, &parent);
}

fn growing(claude: &Path) {
    let mut world = world(claude);
    let cwd = world.trusted_dir("work");
    let parent = world.make_parent(&cwd, 3);
    let first = parent.read().conversation().count();
    let growing = Growing::start(&parent, Duration::from_millis(20));
    let child = Uuid::new_v4().to_string();
    drop(world.fork(&cwd, &parent.id, &child).exits(0));
    drop(growing);
    let all = parent.read();
    let history = History::of(&all).unwrap();
    assert!(history.rows.len() > first, "it did not grow");
    let fork = Transcript::read(&world.transcript(&cwd, &child));
    let uuids: Vec<_> = fork.conversation().filter_map(|row| row.uuid()).collect();
    let inherited = uuids.iter().filter(|uuid| history.uuids().contains(uuid)).count();
    assert!(inherited >= first);
    assert_eq!(uuids[..inherited], history.uuids()[..inherited]);

    // And live for real: forked while a turn waits for its answer.
    let mut talk = world.talk(&cwd, &[]);
    talk.turn("please remember CODEWORD-live1");
    world.stub.set_mode(Mode::Hang);
    talk.say("and CODEWORD-live2");
    world
        .stub
        .wait_for(
            |r| r.user_codewords().iter().any(|w| w == "CODEWORD-live2"),
            Duration::from_secs(10),
        )
        .expect("the turn is being answered");
    let child = Uuid::new_v4().to_string();
    drop(world.fork(&cwd, talk.id(), &child).exits(0));
    let fork = Transcript::read(&world.transcript(&cwd, &child));
    assert!(fork.text().contains("CODEWORD-live1"));
    world.stub.set_mode(Mode::Ok);
    talk.answer();
    talk.end();
}

fn odd(claude: &Path) {
    let mut world = world(claude);
    let cwd = world.trusted_dir("work");
    let parent = world.make_parent(&cwd, 3);
    let fork = |source: &Parent| {
        let child = Uuid::new_v4().to_string();
        let out = world.fork(&cwd, &source.id, &child);
        (out, world.transcript(&cwd, &child))
    };
    // Silently forked, damaged as they are: the product must look itself.
    for (name, source) in [
        ("torn", parent.torn()),
        ("garbage", parent.with_garbage().0),
        ("glued", parent.with_glued_rows().0),
    ] {
        let (out, child) = fork(&source);
        drop(out.exits(0));
        let got = Transcript::read(&child);
        assert!(got.replies().len() <= 4, "{name}");
    }
    for (name, source) in [("empty", parent.emptied()), ("meta", parent.only_meta_rows())] {
        let (out, child) = fork(&source);
        assert!(out.stderr().contains("No conversation found"), "{name}: {out}");
        assert!(!child.exists(), "{name}");
    }
    let (out, child) = fork(&parent.as_directory());
    assert!(out.stderr().contains("EISDIR"), "{out}");
    assert!(!child.exists());
    // A link is followed by the real program.
    let (out, child) = fork(&parent.as_symlink());
    drop(out.exits(0));
    assert!(child.exists());
}

fn slugs(claude: &Path) {
    let mut world = world(claude);
    let long = format!("{}/{}", "a".repeat(120), "bé".repeat(60));
    for name in ["odd dir.ä_x-Y@1~日本", &long] {
        let cwd = world.trusted_dir(name);
        let parent = world.make_parent(&cwd, 1);
        assert!(parent.path.is_file(), "{} for {name}", project_slug(&cwd));
    }
}

fn places(claude: &Path) {
    let mut world = world(claude);
    let repo = world.git_repo("repo");
    let worktree = world.git_worktree(&repo, "trees/one");
    for cwd in [&repo, &worktree] {
        world.trust(cwd);
        let parent = world.make_parent(cwd, 2);
        assert!(parent.path.is_file());
        check_fork(&world, &parent);
    }
    let other = world.trusted_dir("other");
    let parent = world.make_parent(&other, 2);
    let copy = parent.copied_to(&world, &repo);
    assert_eq!(world.transcripts_of(&parent.id).len(), 2);
    assert!(copy.is_file());
}

fn traps(claude: &Path) {
    let mut world = world(claude);
    let cwd = world.trusted_dir("work");
    let parent = world.make_parent(&cwd, 2);
    let traps = Traps::set(&world, &cwd);
    let child = Uuid::new_v4().to_string();
    world.stub.forget();
    drop(world.fork(&cwd, &parent.id, &child).exits(0));
    assert_eq!(traps.sprung(), [""; 0]);
    assert!(world.stub.model_calls().is_empty());
    // The traps are live: the same without the two flags runs into all of them.
    drop(world.claude(&cwd, &["-p", "--resume", &parent.id, "--fork-session", "/cost"]).exits(0));
    let sprung = traps.sprung();
    for mark in ["mcp-server", "project-SessionStart", "user-SessionStart"] {
        assert!(sprung.iter().any(|name| name == mark), "{mark} not in {sprung:?}");
    }
    let shadowed = |call: &ModelRequest| call.all_codewords().contains(&"CODEWORD-trap".into());
    assert!(world.stub.model_calls().iter().any(shadowed), "/cost was not shadowed");
}

fn disks(claude: &Path) {
    let mut world = world(claude);
    let cwd = world.trusted_dir("work");
    let parent = world.make_parent(&cwd, 2);
    let child = Uuid::new_v4().to_string();
    let mount = Mount::read_only(&world.home()).unwrap();
    let out = world.fork(&cwd, &parent.id, &child);
    let old = world.claude(&cwd, &["--version"]).stdout().starts_with("2.1.197");
    assert_eq!(out.code(), i32::from(old), "{out}");
    assert_eq!(out.json()["session_id"], child.as_str(), "{out}");
    assert!(world.transcripts_of(&child).is_empty(), "{out}");
    drop(mount);

    let project = world.project_dir(&cwd);
    let kept = std::fs::read(&parent.path).unwrap();
    // Room for the source and one page of the child.
    let pages = kept.len().div_ceil(4096) as u64 + 1;
    let mount = Mount::small(&project, pages * 4096).unwrap();
    std::fs::write(&parent.path, &kept).unwrap();
    let out = world.fork(&cwd, &parent.id, &child);
    let path = world.transcript(&cwd, &child);
    let written = std::fs::read_to_string(&path).unwrap();
    let asked = parent.codewords.iter().all(|word| written.contains(word.as_str()));
    assert!(!asked || !written.ends_with('\n'), "it fitted: {} bytes\n{out}", written.len());
    // The older version calls it a success.
    assert_eq!(out.code(), i32::from(!old), "{out}");
    drop(mount);
}

/// A real parent forked by the fake, a fake parent forked by the real: both go on in the real.
fn fake_forks(claude: &Path) {
    let mut world = world(claude);
    let cwd = world.trusted_dir("work");
    let fake = FakeClaude::install_as(&world.root().join("bin/fake"), Path::new(FAKE));
    for parent in [
        world.make_parent(&cwd, 4),
        world.make_compacted(&cwd, &[3, 2]),
        world.make_with_tools(&cwd),
        recorded_parent(&world, &cwd, 40),
    ] {
        let child = Uuid::new_v4().to_string();
        let mut fork = world.command(fake.program());
        fork.current_dir(&cwd).args(["-p", "--resume", &parent.id, "--fork-session"]);
        fork.args(["--session-id", &child, "--output-format", "json", "/cost"]);
        drop(world.finish(fork, "fake").exits(0));
        let by_fake = Transcript::read(&world.transcript(&cwd, &child));
        check_words(&world, &parent, &child);
        let by_real = check_fork(&world, &parent);
        let inherited = History::of(&parent.read()).unwrap().rows.len();
        for (fake, real) in by_fake.conversation().zip(by_real.conversation()).take(inherited) {
            assert_eq!(fake.uuid(), real.uuid());
            assert_eq!(fake.parent(), real.parent());
            assert_eq!(fake.json["message"], real.json["message"]);
        }
    }
}

fn large(claude: &Path) {
    const SIZE: u64 = 100 << 20;
    let mut world = world(claude);
    let cwd = world.trusted_dir("work");
    let parent = world.make_parent(&cwd, 40).grown(SIZE);
    assert!(std::fs::metadata(&parent.path).unwrap().len() >= SIZE);
    let child = Uuid::new_v4().to_string();
    drop(world.fork(&cwd, &parent.id, &child).exits(0));
    let history = History::of(&parent.read()).unwrap();
    let fork = Transcript::read(&world.transcript(&cwd, &child));
    let uuids: Vec<_> = fork.conversation().filter_map(|row| row.uuid()).collect();
    assert!(uuids.starts_with(&history.uuids()));
}
