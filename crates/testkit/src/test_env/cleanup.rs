//! Ends what a test left running, and only that.

use std::{
    fs, os::unix::ffi::OsStrExt as _, os::unix::fs::FileTypeExt as _, path::Path, time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};

use crate::process;

/// Ends the tmux server behind every socket below the root.
pub(super) fn end_tmux_servers(root: &Path) {
    // What cannot be listed any more holds no socket to end.
    let Ok(entries) = fs::read_dir(root) else { return };
    for entry in entries.filter_map(Result::ok) {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_socket() {
            let mut tmux = process::command("tmux");
            tmux.arg("-S").arg(entry.path()).arg("kill-server").env_remove("TMUX");
            // A socket that is not tmux's, or whose server is gone, is no failure of the test.
            process::finish(tmux, Duration::from_secs(5)).ok();
        } else if kind.is_dir() {
            end_tmux_servers(&entry.path());
        }
    }
}

/// Ends every process whose environment has this home: the folder is this test's alone.
pub(super) fn end_processes_at_home(home: &Path) {
    let mut wanted = b"HOME=".to_vec();
    wanted.extend_from_slice(home.as_os_str().as_bytes());
    let Ok(entries) = fs::read_dir("/proc") else { return };
    for entry in entries.filter_map(Result::ok) {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // Processes of others cannot be read, and are not ours.
        let Ok(environ) = fs::read(entry.path().join("environ")) else { continue };
        if environ.split(|byte| *byte == 0).any(|var| var == wanted)
            && let Some(pid) = Pid::from_raw(pid)
        {
            // It may have ended by itself in between.
            kill_process(pid, Signal::KILL).ok();
        }
    }
}
