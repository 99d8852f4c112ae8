//! Disks that are full, folders that are not ours to write, file systems that are read-only: real ones.

use super::crash::role;
use super::support::*;
use crate::test_support::{Home, all_below, id};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Whom permissions bind; root they do not.
const NOBODY: u32 = 65534;

fn kind(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let kind = said.lines().find_map(|line| line.strip_prefix("kind "));
    kind.unwrap_or_else(|| panic!("{said}\n{}", String::from_utf8_lossy(&output.stderr))).to_owned()
}

fn bound(home: &Home) -> Command {
    let mut command = role(&[home.path().as_str(), home.path().as_str(), "999999", ""]);
    if rustix::process::geteuid().is_root() {
        let all = all_below(home.path());
        for path in all.keys().map(|name| home.path().join(name)).chain([home.path().to_owned()]) {
            chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        command.uid(NOBODY).gid(NOBODY).current_dir("/");
    }
    command
}

// SPEC 10: a child that cannot be written is not there, and the error says so.
#[test]
fn w10_a_folder_that_may_not_be_written_and_a_seed_that_may_not_be_read_leave_nothing() {
    let home = seeded_home();
    let mode = |path: &camino::Utf8Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let mut command = bound(&home);
    mode(&home.sessions(), 0o500);
    let before = home.all();
    assert_eq!(kind(&mut command), "write_failed");
    assert_eq!(home.all(), before);
    mode(&home.sessions(), 0o700);
    let seed = home.workspace.log_path(&id(SEED));
    mode(&seed, 0o000);
    assert_eq!(kind(&mut bound(&home)), "log_read_failed");
    mode(&seed, 0o600);
    assert_eq!(kind(&mut bound(&home)), "made");
}

/// Runs the role where `setup` has mounted something at the workspace, in mounts of its own.
fn mounted(home: &Home, setup: &str) -> Option<(String, String)> {
    let role = role(&[home.path().as_str(), home.path().as_str(), "999999", ""]);
    let script = format!(
        "set -e; {setup}; cd \"$W\"; find . | sort > \"$L.before\"; \"$@\" || true; find . | sort > \"$L.after\""
    );
    let lists = tempfile::tempdir().unwrap();
    let list = lists.path().join("list");
    for flags in ["-m", "-rm"] {
        #[expect(
            clippy::disallowed_methods,
            reason = "a file system of the test's own needs mounts of its own"
        )]
        let mut command = Command::new("unshare");
        command
            .args([flags, "sh", "-c", &script, "sh"])
            .arg(role.get_program())
            .args(role.get_args());
        command.envs(role.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("W", home.path()).env("L", &list);
        let output = command.output();
        let Ok(output) = output else { continue };
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if let Some(kind) = said.lines().find_map(|line| line.strip_prefix("kind ")) {
            let read =
                |end: &str| std::fs::read_to_string(format!("{}.{end}", list.display())).unwrap();
            assert_eq!(read("before"), read("after"), "something was left");
            return Some((kind.to_owned(), said));
        }
        eprintln!("unshare {flags}: {}", String::from_utf8_lossy(&output.stderr));
    }
    eprintln!(
        "this machine lets a test have no mounts of its own; the injected faults stand alone here"
    );
    None
}

// SPEC 10: the disk is full in the middle of a child: the child is not there.
#[test]
fn w10_a_full_disk_and_a_read_only_one_leave_nothing() {
    let home = Home::new();
    let data = format!("{{\"text\":\"{}\"}}", "x".repeat(1000));
    let events: Vec<_> = (0..2500).map(|_| ("user_message", data.clone())).collect();
    home.log(SEED, &text_of(SEED, &events));
    let small = "S=$(mktemp -d); cp -r \"$W/.pixir\" \"$S\"; mount -t tmpfs -o size=4m,mode=700 tmpfs \"$W\"; cp -r \"$S/.pixir\" \"$W\"; rm -r \"$S\"";
    if let Some((kind, said)) = mounted(&home, small) {
        assert_eq!(kind, "write_failed", "{said}");
    }
    let read_only = "mount --bind \"$W\" \"$W\"; mount -o remount,bind,ro \"$W\"";
    if let Some((kind, said)) = mounted(&home, read_only) {
        assert_eq!(kind, "write_failed", "{said}");
    }
    assert_eq!(home.names(), ["sessions/seed-1.ndjson"]);
}
