//! The environment for tests of the command line.

use std::{fs, path::Path, time::Duration};

use seatfork_testkit::TestEnv;

fn shell() -> TestEnv {
    TestEnv::new("/bin/sh")
}

#[test]
fn nothing_of_the_machine_s_environment_comes_in() {
    let mut env = shell();
    env.set("GIVEN", "yes");
    let out = env.run(["-c", "env | cut -d= -f1 | sort | tr '\\n' ' '"]).exits(0);
    let fixed = "COLUMNS GIVEN HOME LANG LOGNAME PATH PWD SHELL TERM TMPDIR TZ USER \
                 XDG_RUNTIME_DIR XDG_STATE_HOME ";
    let names: Vec<_> =
        out.stdout().split_whitespace().filter(|n| !["OLDPWD", "SHLVL", "_"].contains(n)).collect();
    assert_eq!(names.join(" ") + " ", fixed);
    env.unset("GIVEN");
    assert_eq!(env.run(["-c", "echo \"$GIVEN\""]).stdout(), "\n");
}

#[test]
fn an_output_shows_streams_and_status_with_paths_redacted() {
    let env = shell();
    let out = env.run(["-c", "echo $HOME/x; echo oops >&2; exit 3"]).exits(3);
    let want = "$ seatfork -c \"echo $HOME/x; echo oops >&2; exit 3\"\n[exit status: 3]\n\
                ----- stdout -----\n[ROOT]/home/x\n----- stderr -----\noops\n";
    assert_eq!(out.to_string(), want);
}

#[test]
fn a_repository_and_its_worktree_are_made_below_the_root() {
    let env = shell();
    let repo = env.git_repo("repo");
    let tree = env.git_worktree(&repo, "trees/one");
    assert!(tree.join(".git").is_file());
    assert!(tree.starts_with(env.root()));
}

#[test]
fn what_a_test_left_running_is_ended_with_it() {
    let env = shell();
    let socket = env.root().join("run/deep");
    fs::create_dir_all(&socket).unwrap();
    let mut tmux = env.command("tmux");
    tmux.arg("-S").arg(socket.join("s")).args([
        "-f",
        "/dev/null",
        "new-session",
        "-d",
        "sleep 300",
    ]);
    drop(env.finish(tmux, "tmux").exits(0));
    let out = env.run(["-c", "sleep 300 >/dev/null 2>&1 & echo $!"]).exits(0);
    let pid = out.stdout().trim().to_owned();
    let process = Path::new("/proc").join(&pid).join("exe");
    assert!(process.exists());
    let root = env.root().to_path_buf();
    drop(env);
    assert!(!root.exists());
    std::thread::sleep(Duration::from_millis(200));
    assert!(!process.exists(), "process {pid} lives on");
}
