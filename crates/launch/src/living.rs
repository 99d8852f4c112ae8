//! Panes of ours that live: where they do and no store stands, the store is gone, and is not new (SPEC 11).

use crate::pane::NONCE_OPTION;
use seatfork_tmux::{LookError, Lookup, Server};

/// The sessions on our server that bear our mark and whose program still runs. Asks tmux and nothing else;
/// where no server runs there are none.
///
/// An error is no absence: who may not look does not know that nothing lives.
pub fn living_panes(server: &Server) -> Result<Vec<String>, LookError> {
    let Lookup::Found(panes) = server.list(&[NONCE_OPTION])? else { return Ok(Vec::new()) };
    let marked = panes.into_iter().filter(|report| {
        report.pane.process.is_some() && report.options.contains_key(NONCE_OPTION)
    });
    Ok(marked.map(|report| report.pane.name.to_string()).collect())
}

/// What is said of a store that is gone while seats of it live.
pub fn store_gone(store: &camino::Utf8Path, living: &[String]) -> String {
    format!(
        "{store} is not there, and seats of a store live in tmux: {}; they are not known without it",
        living.join(", ")
    )
}

/// What to do about it.
pub const STORE_GONE_NEXT: &str = "put the store back, or name it with --store; a rig of another store needs another --runtime-dir";
