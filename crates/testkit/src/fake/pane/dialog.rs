//! The gates of the real program: shown when they are due or scripted, and waited at.

use std::{fs, io, process::ExitCode};

use serde_json::Value;

use crate::{
    fake::{Screen, Stream, args, run::Run, screens, told::say, watch::ask},
    process,
};

/// The first question the user has not answered yet, as the real program asks them.
pub(super) fn due(run: &Run) -> Option<Screen> {
    let config = process::var("CLAUDE_CONFIG_DIR").filter(|dir| !dir.is_empty());
    let folder = config.map_or_else(|| run.store.home.clone(), Into::into);
    // No file, no answers.
    let text = fs::read(folder.join(".claude.json")).unwrap_or_default();
    let answers: Value = serde_json::from_slice(&text).unwrap_or_default();
    if answers["hasCompletedOnboarding"] != true {
        return Some(Screen::Onboarding);
    }
    let cwd = run.store.cwd.to_string_lossy();
    if answers["projects"][cwd.as_ref()]["hasTrustDialogAccepted"] != true {
        return Some(Screen::Trust);
    }
    let key = process::var("ANTHROPIC_API_KEY")?.to_string_lossy().into_owned();
    let shown = &key[key.len().saturating_sub(20)..];
    let approved = answers["customApiKeyResponses"]["approved"].as_array();
    let is_approved = approved.is_some_and(|keys| keys.iter().any(|k| k == shown));
    (!is_approved).then_some(Screen::ApiKey)
}

/// Shows a dialog and waits, in front of a person or not.
pub(super) fn show(run: &Run, screen: Screen) -> io::Result<ExitCode> {
    let text = screens::text(screen, &run.script.version, &run.store.cwd);
    if screen == Screen::Onboarding {
        // Offline, it ends by itself.
        say(Stream::Stdout, &text);
        return Ok(ExitCode::from(1));
    }
    let code = ask(run, &text)?;
    if screen == Screen::Trust && !args::is_old(&run.script.version) {
        say(Stream::Stdout, "Claude Code didn't start because this folder isn't trusted.\n");
    }
    Ok(code)
}
