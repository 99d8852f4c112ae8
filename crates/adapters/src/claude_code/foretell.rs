//! Dialogs the pane would meet, as far as files tell (SPEC 6, 14).
//!
//! Of `.claude.json` three facts are read and none is kept: whether the first
//! start is over, whether the working directory is trusted, and whether the
//! key at hand was approved.

use super::dialogs::PATTERNS;
use super::layout::Layout;
use crate::contract::environment::SeatEnv;
use crate::contract::plan::SeatWish;
use crate::contract::watch::{Dialog, Foretold};
use camino::Utf8Path;
use seatfork_schema::LaunchCode;
use serde::Deserialize;
use std::collections::HashMap;

/// Characters at the end of a key by which an approval names it.
const KEY_TAIL: usize = 20;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Settings {
    has_completed_onboarding: bool,
    projects: HashMap<String, Project>,
    custom_api_key_responses: Responses,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Project {
    has_trust_dialog_accepted: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Responses {
    approved: Vec<String>,
    rejected: Vec<String>,
}

/// What the pane would meet.
pub(super) fn foretell(wish: &SeatWish, env: &SeatEnv) -> Vec<Foretold> {
    let mut told = Vec::new();
    let mut tell = |code: LaunchCode, why: String| told.extend(foretold(code, why));
    let Ok(layout) = Layout::of(env) else {
        // Without a home resolve fails with its own words.
        return Vec::new();
    };
    let place = layout.settings();
    let read = read(place);
    let first = match &read {
        Ok(settings) if settings.has_completed_onboarding => None,
        Ok(_) => Some(format!("{place} tells of no first start; run `claude` once yourself")),
        Err(why) => Some(format!("{place}: {why}; run `claude` once yourself")),
    };
    if let Some(why) = first {
        tell(LaunchCode::AttentionOnboarding, why);
    }
    // Why they could not be read was told just now; a runtime that reads nothing asks everything.
    let settings = read.unwrap_or_default();
    if !is_trusted(&settings, &wish.cwd) {
        let cwd = &wish.cwd;
        tell(
            LaunchCode::AttentionTrust,
            format!("{cwd} is not trusted yet; run `claude` in it once and answer"),
        );
    }
    if let Some(key) = env.get("ANTHROPIC_API_KEY").filter(|key| !key.is_empty()) {
        let count = key.chars().count();
        let tail: String = key.chars().skip(count.saturating_sub(KEY_TAIL)).collect();
        if settings.custom_api_key_responses.rejected.contains(&tail) {
            // A key that was rejected is not asked about again, nor used.
        } else if !settings.custom_api_key_responses.approved.contains(&tail) {
            tell(
                LaunchCode::AttentionApiKey,
                "the key in ANTHROPIC_API_KEY was not approved yet; run `claude` once and answer"
                    .to_owned(),
            );
        }
    }
    if wish.permission.as_deref() == Some("builtin:yolo") {
        let why = if rustix::process::geteuid().is_root() {
            "Claude Code refuses to bypass permissions as root, and ends"
        } else {
            "every start with permissions bypassed may warn first"
        };
        tell(LaunchCode::AttentionBypassWarning, why.to_owned());
    }
    if wish.cwd.join(".mcp.json").is_file() {
        let cwd = &wish.cwd;
        tell(
            LaunchCode::AttentionMcpServer,
            format!("{cwd}/.mcp.json names servers; each is asked about once"),
        );
    }
    told
}

fn foretold(code: LaunchCode, why: String) -> Option<Foretold> {
    let pattern = PATTERNS.iter().find(|pattern| pattern.code == code)?;
    Some(Foretold { dialog: Dialog { code: pattern.code, question: pattern.question }, why })
}

/// Trust given to a directory covers those below it.
fn is_trusted(settings: &Settings, cwd: &Utf8Path) -> bool {
    cwd.ancestors().any(|dir| {
        settings.projects.get(dir.as_str()).is_some_and(|project| project.has_trust_dialog_accepted)
    })
}

fn read(place: &Utf8Path) -> Result<Settings, String> {
    match std::fs::read(place) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| error.to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Settings::default()),
        Err(error) => Err(error.to_string()),
    }
}
