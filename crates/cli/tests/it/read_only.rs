//! Verbs that read change nothing: homes, spec, store and tmux are looked at before and after (SPEC 13).

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::claude::Claude;
use crate::rig::Rig;

/// Every file below a directory with its content, mode and time of change.
fn files(root: &Path) -> BTreeMap<PathBuf, (Vec<u8>, u32, i64, i64)> {
    let mut all = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            if meta.is_dir() {
                folders.push(path);
            } else if meta.is_file() {
                let content = fs::read(&path).unwrap();
                all.insert(path, (content, meta.mode(), meta.mtime(), meta.mtime_nsec()));
            }
        }
    }
    all
}

/// What tmux has: sessions, panes, their processes, what stands on their screens.
fn panes(claude: &Claude) -> String {
    let socket = claude.root().join("run/seatfork/tmux.sock");
    let mut list = claude.command("tmux");
    list.arg("-S").arg(socket);
    list.args([
        "list-panes",
        "-a",
        "-F",
        "#{session_name} #{pane_id} #{pane_pid} #{pane_dead} #{history_size}",
    ]);
    claude.finish(list, "tmux").exits(0).stdout().to_owned()
}

// SPEC 13: checking grants no authority: nothing of a runtime, a rig or tmux is changed.
#[test]
fn verbs_that_read_change_nothing() {
    let claude = Claude::new();
    let rig = Rig::named("review").fork("reviewer", &claude.parent.id);
    claude.rig(&rig.fresh("scribe", ".").shell("shell", "."));
    drop(claude.run(["up", "work/rig.yaml"]).exits(0));
    for verb in [
        &["validate", "work/rig.yaml"] as &[_],
        &["validate", "--normal-form", "work/rig.yaml"],
        &["plan", "work/rig.yaml"],
        &["up", "--dry-run", "work/rig.yaml"],
        &["schema"],
        &["explain"],
        &["sessions", "--all"],
        &["sessions", "--print-spec", &claude.parent.id],
        &["ps"],
        &["lineage"],
        &["lineage", "--format", "dot"],
        &["verify"],
        &["doctor"],
        &["doctor", "work/rig.yaml"],
        &["reconcile"],
        &["attach", "--json", "shell"],
        &["completions", "bash"],
        &["man", "up"],
    ] {
        let look = || {
            // What a process of the runtime itself does meanwhile is not ours: it is idle.
            let homes = files(&claude.home());
            let work = files(&claude.work);
            // `ps` and `verify` may write what they observed to our own store.
            let observes = ["ps", "verify"].contains(&verb[0]);
            let mut state = files(&claude.state_dir());
            // SQLite's index of its log, and a log without a commit, hold nothing of ours.
            let holds = |path: &Path, bytes: &[u8]| {
                let name = path.to_string_lossy();
                !(name.ends_with("-shm") || name.ends_with("-wal") && bytes.is_empty())
            };
            state.retain(|path, (bytes, ..)| !observes && holds(path, bytes));
            (homes, work, state, panes(&claude))
        };
        let before = look();
        let done = claude.run(verb).exits(0);
        let after = look();
        let keys = |map: &BTreeMap<PathBuf, _>| map.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&before.0), keys(&after.0), "files of the home, {done}");
        assert_eq!(keys(&before.2), keys(&after.2), "files of the store, {done}");
        assert!(before == after, "something was changed by {done}");
    }
}
