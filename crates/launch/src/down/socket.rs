//! The tmux socket: it goes with the last pane (SPEC 7, `--purge`).

use crate::ground::Ground;
use crate::pane::chain;
use crate::report::Finding;
use crate::tasks::off_thread;
use camino::Utf8PathBuf;
use seatfork_schema::LaunchCode;
use seatfork_tmux::{Lookup, Server};
use std::time::{Duration, Instant};

/// How long a server may take to end after its last pane.
const PATIENCE: Duration = Duration::from_secs(3);

/// How a directory begins that is there for our socket and nothing else; another one was somebody's choice, and stays.
const OURS: &str = "seatfork";

/// Removes the socket and its directory where no pane is left on the server, of whatever rig. What was removed.
pub(super) async fn remove(ground: &Ground, warnings: &mut Vec<Finding>) -> Vec<Utf8PathBuf> {
    let server = ground.tmux.clone();
    match off_thread(move || gone(&server)).await {
        Ok(removed) => removed,
        Err(why) => {
            warnings
                .push(Finding::new(LaunchCode::Remark, format!("the tmux socket stays: {why}")));
            Vec::new()
        }
    }
}

fn gone(server: &Server) -> Result<Vec<Utf8PathBuf>, String> {
    let ours = server.dir().file_name().is_some_and(|name| name.starts_with(OURS));
    if !ours {
        return Ok(Vec::new());
    }
    let until = Instant::now() + PATIENCE;
    loop {
        match server.list(&[]).map_err(|error| chain(&error))? {
            Lookup::NoServer => break,
            Lookup::Found(panes) if !panes.is_empty() => return Ok(Vec::new()),
            _ if Instant::now() > until => return Ok(Vec::new()),
            // A server without a pane is about to end.
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    server.remove_socket().map_err(|error| format!("{}: {error}", server.dir()))
}
