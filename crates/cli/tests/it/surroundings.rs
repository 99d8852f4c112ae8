//! A place that is not as it should be: said with its code, and nothing started.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use rustix::fs::{FlockOperation, fcntl_lock};
use seatfork_testkit::{Output, TestEnv};

use crate::rig::{Rig, place};

/// A place with one shell's rig.
fn shells() -> TestEnv {
    let env = place();
    Rig::named("review").shell("a", ".").write(&env, "rig.yaml");
    env
}

fn code(output: &Output) -> String {
    output.json()["code"].as_str().unwrap_or_default().to_owned()
}

/// Runs a line of a shell in which `$0` is the command.
fn shell(env: &TestEnv, line: &str) -> Output {
    let mut sh = env.command("sh");
    sh.args(["-c", line, env!("CARGO_BIN_EXE_seatfork")]);
    env.finish(sh, "sh")
}

// SPEC 11, 13: where nothing says as text where the store is, none is guessed.
// code: home-missing
#[test]
fn without_a_home_there_is_no_store() {
    let mut env = shells();
    // A home that is no text; without any the system's own record of the user would name one.
    env.set("HOME", OsStr::from_bytes(b"/odd\xff"));
    env.unset("XDG_STATE_HOME");
    assert_eq!(code(&env.run(["up", "--json", "rig.yaml"]).exits(7)), "home-missing");
    drop(env.run(["up", "--store", "here/seatfork.db", "rig.yaml"]).exits(0));
}

// SPEC 2: a relative path needs the working directory it is taken from.
// code: working-directory-missing
#[test]
fn a_working_directory_that_was_removed_is_said() {
    let env = shells();
    let line = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" ps --json --store x.db";
    assert_eq!(code(&shell(&env, line).exits(7)), "working-directory-missing");
}

// SPEC 2: a path that is no text is refused, never changed on the way.
// code: path-not-utf8
#[test]
fn a_directory_that_is_no_text_is_refused() {
    let env = shells();
    let dir = env.root().join(OsStr::from_bytes(b"odd\xff"));
    fs::create_dir(&dir).unwrap();
    fs::copy(env.root().join("rig.yaml"), dir.join("rig.yaml")).unwrap();
    let mut up = env.command(env!("CARGO_BIN_EXE_seatfork"));
    up.args(["up", "--json"]).arg(dir.join("rig.yaml"));
    assert_eq!(code(&env.finish(up, "seatfork").exits(7)), "path-not-utf8");
}

// SPEC 13: what the system refuses to every command is said, before anything starts.
// code: system-refused
#[test]
fn a_system_without_room_for_files_is_said() {
    let env = shells();
    let refused = shell(&env, "ulimit -n 4; exec \"$0\" ps --json").exits(7);
    assert_eq!(code(&refused), "system-refused");
}

// SPEC 13: a result that could not be written is no success.
// code: output-not-written
#[test]
fn a_result_that_cannot_be_written_is_no_success() {
    let env = shells();
    let mut list = env.command(env!("CARGO_BIN_EXE_seatfork"));
    list.arg("explain");
    list.stdout(Stdio::from(OpenOptions::new().write(true).open("/dev/full").unwrap()));
    let ended = list.stderr(Stdio::piped()).output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    let told = String::from_utf8(ended.stderr).unwrap();
    assert!(told.starts_with("error[output-not-written]: "), "{told}");
}

// SPEC 11: a store of a newer seatfork is refused, and stays as it is.
// code: store-newer
#[test]
fn a_newer_store_is_refused_and_left() {
    let env = shells();
    drop(env.run(["up", "rig.yaml"]).exits(0));
    drop(env.run(["down"]).exits(0));
    let path = env.state_dir().join("seatfork.db");
    let mut bytes = fs::read(&path).unwrap();
    // `user_version` in SQLite's header.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&path, &bytes).unwrap();
    for verb in [&["ps"] as &[_], &["up", "rig.yaml"]] {
        let whole: Vec<_> = ["--json"].iter().chain(verb).collect();
        assert_eq!(code(&env.run(whole).exits(7)), "store-newer", "{verb:?}");
    }
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

// SPEC 11: a store that another process keeps is waited for, then said to be busy.
// code: store-busy
#[test]
fn a_store_that_another_process_keeps_is_busy() {
    let env = shells();
    drop(env.run(["up", "rig.yaml"]).exits(0));
    let path = env.state_dir().join("seatfork.db");
    let kept = File::options().read(true).write(true).open(path).unwrap();
    fcntl_lock(&kept, FlockOperation::LockExclusive).unwrap();
    assert_eq!(code(&env.run(["up", "--json", "rig.yaml"]).exits(7)), "store-busy");
    drop(kept);
    drop(env.run(["up", "rig.yaml"]).exits(0));
}

// SPEC 14: without a tmux, with one that does not answer, or with a socket that is not ours alone, nothing starts.
// code: tmux-missing, tmux-server-failed, tmux-socket-unsafe, tmux-socket-too-long
#[test]
fn a_tmux_that_cannot_be_used_stops_everything() {
    let mut env = shells();
    let open = env.dir("open");
    fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
    let long = env.root().join("x".repeat(100));
    for (dir, said) in [(&open, "tmux-socket-unsafe"), (&long, "tmux-socket-too-long")] {
        let dir = dir.to_str().unwrap();
        let refused = env.run(["up", "--json", "--runtime-dir", dir, "rig.yaml"]).exits(7);
        assert_eq!(code(&refused), said);
    }
    let mute = env.write("mute", "#!/bin/sh\nexit 1\n");
    fs::set_permissions(&mute, Permissions::from_mode(0o755)).unwrap();
    env.install("tmux", &mute);
    assert_eq!(code(&env.run(["up", "--json", "rig.yaml"]).exits(7)), "tmux-server-failed");
    env.set("PATH", env.dir("nothing"));
    assert_eq!(code(&env.run(["up", "--json", "rig.yaml"]).exits(7)), "tmux-missing");
    let seats = env.run(["ps", "--json"]);
    assert!(seats.json()["seats"].as_array().is_none_or(Vec::is_empty), "{seats}");
}

// SPEC 11: nobody is told to change the permissions of a file or directory that is not seatfork's.
// code: store-unsafe-directory
#[test]
fn the_modes_of_what_is_not_ours_are_nobodys_advice() {
    let env = shells();
    let others = env.write("shared/passwd", "root:x:0:0\n");
    fs::set_permissions(&others, Permissions::from_mode(0o644)).unwrap();
    let open = env.dir("open");
    fs::set_permissions(&open, Permissions::from_mode(0o1777)).unwrap();
    let others = others.to_str().unwrap().to_owned();
    let inside = open.join("x.db").to_str().unwrap().to_owned();
    for (flag, path, said) in [
        ("--store", &others, "store-foreign"),
        ("--store", &inside, "store-unsafe-directory"),
        ("--runtime-dir", &open.to_str().unwrap().to_owned(), "tmux-socket-unsafe"),
    ] {
        for verb in [&["ps"] as &[_], &["up", "rig.yaml"], &["doctor"]] {
            let args: Vec<_> = verb.iter().copied().chain([flag, path, "--json"]).collect();
            let refused = env.run(args).exits(7);
            assert!(refused.stdout().contains(said) || verb == ["doctor"], "{refused}");
            assert!(!refused.stdout().contains("chmod"), "{refused}");
        }
    }
    drop(env.run(["up", "rig.yaml"]).exits(0));
    let store = env.state_dir().join("seatfork.db");
    fs::set_permissions(&store, Permissions::from_mode(0o644)).unwrap();
    let own = env.run(["ps", "--json"]).exits(7);
    assert!(own.stdout().contains("chmod 600"), "{own}");
    fs::set_permissions(&store, Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(env.state_dir(), Permissions::from_mode(0o777)).unwrap();
    let own = env.run(["ps", "--json"]).exits(7);
    assert!(own.stdout().contains("chmod 700"), "{own}");
    fs::set_permissions(env.state_dir(), Permissions::from_mode(0o700)).unwrap();
}

// SPEC 13: what `doctor` says is words; a runtime that nobody asks for may be missing, what deserves a look is exit 6.
#[test]
fn doctor_speaks_in_words() {
    let env = shells();
    drop(env.run(["up", "rig.yaml"]).exits(0));
    let said = env.run(["doctor"]).exits(0);
    let rows: Vec<_> = said.stdout().lines().map(|row| row.split_once(' ').unwrap()).collect();
    assert!(
        rows.iter().any(|(status, row)| *status == "absent" && row.contains("codex")),
        "{said}"
    );
    fs::create_dir(env.state_dir().join("output")).ok();
    let open = env.state_dir().join("output/open");
    fs::write(&open, "said").unwrap();
    fs::set_permissions(&open, Permissions::from_mode(0o644)).unwrap();
    assert!(env.run(["doctor"]).exits(6).stdout().contains("others may read"));
    for odd in ["ReadOnly", "version a shell", "{", "1 panes"] {
        assert!(!said.stdout().contains(odd), "{odd}: {said}");
    }
    assert!(
        said.stdout().contains("/dash (a shell)") || said.stdout().contains("sh (a shell)"),
        "{said}"
    );
}
