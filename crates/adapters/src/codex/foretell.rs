//! Dialogs the pane would meet, as far as files tell (SPEC 6, 14).
//!
//! Of the settings two facts are read and none is kept: whether the working
//! directory, or the repository it lies in, is trusted, and whether hooks are
//! set. Whether somebody is signed in stands in a file that is never opened.

use super::config::{Trust, read, trust};
use super::dialogs::PATTERNS;
use super::layout::Layout;
use crate::contract::environment::SeatEnv;
use crate::contract::plan::SeatWish;
use crate::contract::watch::{Dialog, Foretold};
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_schema::LaunchCode;
use toml::Table;

/// What the pane would meet.
pub(super) fn foretell(wish: &SeatWish, env: &SeatEnv) -> Vec<Foretold> {
    let Ok(layout) = Layout::of(env) else {
        // Without a home resolve fails with its own words.
        return Vec::new();
    };
    let place = layout.config();
    let table = match read(&place) {
        Ok(table) => table.unwrap_or_default(),
        // Codex refuses to start with such a file, and says so itself.
        Err(_) => return Vec::new(),
    };
    let mut told = Vec::new();
    let mut tell = |code: LaunchCode, why: String| told.extend(foretold(code, why));
    // Only a repository is asked about; a plain directory is not.
    if let Some(project) = repository(&wish.cwd) {
        let dirs = [Some(wish.cwd.clone()), Some(project.clone()), main_of(&project)];
        let dirs: Vec<Utf8PathBuf> = dirs.into_iter().flatten().collect();
        if trust(&table, &dirs) == Trust::Unsaid {
            let why = format!(
                "{project} is not trusted yet in {place}; run `codex` in it once and answer"
            );
            tell(LaunchCode::AttentionTrust, why);
        }
    }
    if has_hooks(&table) || layout.home().join("hooks.json").is_file() {
        let why =
            format!("{} sets hooks; new and changed ones are asked about once", layout.home());
        tell(LaunchCode::AttentionHooks, why);
    }
    told
}

fn has_hooks(table: &Table) -> bool {
    table.get("hooks").and_then(|hooks| hooks.as_table()).is_some_and(|hooks| {
        // What was reviewed is kept beside the hooks themselves.
        hooks.iter().any(|(name, value)| {
            name != "state" && value.as_array().is_some_and(|all| !all.is_empty())
        })
    })
}

fn foretold(code: LaunchCode, why: String) -> Option<Foretold> {
    let pattern = PATTERNS.iter().find(|pattern| pattern.code == code)?;
    Some(Foretold { dialog: Dialog { code: pattern.code, question: pattern.question }, why })
}

/// The repository a directory lies in.
fn repository(cwd: &Utf8Path) -> Option<Utf8PathBuf> {
    cwd.ancestors().find(|dir| dir.join(".git").exists()).map(Utf8Path::to_owned)
}

/// The repository a worktree belongs to; its trust covers the worktree.
fn main_of(project: &Utf8Path) -> Option<Utf8PathBuf> {
    let link = std::fs::read_to_string(project.join(".git")).ok()?;
    let git = link.trim().strip_prefix("gitdir:")?.trim();
    let at = git.find("/.git/worktrees/")?;
    Some(Utf8PathBuf::from(&git[..at]))
}
