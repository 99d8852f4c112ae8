//! The gates of the real program: shown when they are due or scripted, and waited at.

use std::{fs, io, io::Read as _, process::ExitCode};

use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use serde_json::Value;

use super::{note_typed, typed_path};
use crate::{
    fake::{
        Screen, Stream, args,
        run::{Run, say},
        screens,
    },
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

/// Shows a dialog and waits. Every key is noted; Enter takes the default answer, which ends the
/// program wherever the real one's default does.
pub(super) fn show(run: &Run, screen: Screen) -> io::Result<ExitCode> {
    let text = screens::text(screen, &run.script.version, &run.store.cwd);
    if screen == Screen::Onboarding {
        // Offline, it ends by itself.
        say(Stream::Stdout, &text);
        return Ok(ExitCode::from(1));
    }
    let terminal = io::stdin();
    let Ok(before) = tcgetattr(&terminal) else {
        say(Stream::Stdout, &text);
        return Ok(ExitCode::from(1));
    };
    let mut raw = before.clone();
    raw.make_raw();
    tcsetattr(&terminal, OptionalActions::Now, &raw)?;
    say(Stream::Stdout, &text.replace('\n', "\r\n"));
    let typed = typed_path(run);
    let mut key = [0];
    let code = loop {
        if terminal.lock().read(&mut key)? == 0 {
            break ExitCode::SUCCESS;
        }
        note_typed(&typed, &String::from_utf8_lossy(&key));
        if matches!(key[0], b'\r' | b'\n') {
            break ExitCode::from(1);
        }
    };
    tcsetattr(&terminal, OptionalActions::Now, &before)?;
    if screen == Screen::Trust && !args::is_old(&run.script.version) {
        say(Stream::Stdout, "Claude Code didn't start because this folder isn't trusted.\n");
    }
    Ok(code)
}
