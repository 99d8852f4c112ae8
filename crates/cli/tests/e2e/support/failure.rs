//! What must hold of a seat whose launch failed (SPEC 10), and of what its runtime said.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Place, text};

/// Not launched: the outcome, why and at which step, no token, no pane, nothing to attach to.
#[track_caller]
pub(crate) fn assert_failed(seat: &Value, code: &str, step: &str) {
    assert_eq!((text(seat, "/error/code"), &seat["failed_step"]), (code, &json!(step)), "{seat:#}");
    let facts = [
        "action",
        "continuity_outcome",
        "launch_state",
        "process_state",
        "token",
        "proof",
        "attach",
    ];
    let expected = [
        json!("failed"),
        json!("failed"),
        json!("failed"),
        json!("none"),
        json!(null),
        json!(null),
        json!(null),
    ];
    assert_eq!(facts.map(|fact| seat[fact].clone()), expected, "{seat:#}");
    assert!(seat["error"]["hint"].is_string(), "{seat:#}");
}

/// The files with runtimes' own words that are kept in a place: private, each with what it holds.
pub(crate) fn kept(place: &Place) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = place.state_dir().join("output");
    // Nothing was ever kept.
    let Ok(entries) = fs::read_dir(&folder) else { return Vec::new() };
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    let read = |path: PathBuf| {
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        let bytes = fs::read(&path).unwrap();
        (path, bytes)
    };
    files.into_iter().map(read).collect()
}

/// A seat that could not be brought back: its token is kept, nothing was started, and it is not fresh.
#[track_caller]
pub(crate) fn assert_failed_resume(seat: &Value, code: &str, token: &str) {
    assert_eq!(
        (text(seat, "/error/code"), &seat["failed_step"]),
        (code, &json!("resolve")),
        "{seat:#}"
    );
    let facts = ["action", "continuity_outcome", "launch_state", "token"];
    let expected = [json!("failed"), json!("failed"), json!("failed"), json!(token)];
    assert_eq!(facts.map(|fact| seat[fact].clone()), expected, "{seat:#}");
    assert_ne!(seat["process_state"], "ready", "{seat:#}");
}
