//! Where Claude Code keeps its things, by what they mean.

use crate::contract::environment::SeatEnv;
use crate::contract::failure::FindError;
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_schema::NativeId;
use std::io;

/// The variable that moves the runtime's home.
pub(super) const HOME_VAR: &str = "CLAUDE_CONFIG_DIR";

/// Slugs longer than this are cut and get a hash we do not compute.
const SLUG_CUT: usize = 200;

/// The runtime's directories for one seat's environment.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// `~/.claude`, or what the variable names.
    home: Utf8PathBuf,
    /// Where `.claude.json` lies.
    settings: Utf8PathBuf,
}

impl Layout {
    /// Reads the location from the seat's environment.
    pub(super) fn of(env: &SeatEnv) -> Result<Self, FindError> {
        if let Some(home) = env.get(HOME_VAR).filter(|home| !home.is_empty()) {
            let home = Utf8PathBuf::from(home);
            return Ok(Self { settings: home.join(".claude.json"), home });
        }
        match env.get("HOME").filter(|home| !home.is_empty()) {
            Some(user) => {
                let user = Utf8Path::new(user);
                Ok(Self { home: user.join(".claude"), settings: user.join(".claude.json") })
            }
            None => Err(FindError {
                path: Utf8PathBuf::from("~/.claude"),
                why: format!("neither HOME nor {HOME_VAR} is set"),
            }),
        }
    }

    /// Transcripts, in one directory for each working directory.
    pub(super) fn projects(&self) -> Utf8PathBuf {
        self.home.join("projects")
    }

    /// One file for each running process.
    pub(super) fn sessions(&self) -> Utf8PathBuf {
        self.home.join("sessions")
    }

    /// Settings, of which three facts are read (SPEC 14).
    pub(super) fn settings(&self) -> &Utf8Path {
        &self.settings
    }

    /// The directories of transcripts; none when the runtime never ran. An error is not an absence.
    pub(super) fn project_dirs(&self) -> Result<Vec<Utf8PathBuf>, FindError> {
        let projects = self.projects();
        let mut dirs: Vec<(Utf8PathBuf, Utf8PathBuf)> = Vec::new();
        for path in list(&projects)? {
            // What is no directory, or a link that leads nowhere, holds no transcripts.
            let is_dir = match std::fs::metadata(&path) {
                Ok(meta) => meta.is_dir(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => false,
                Err(error) => return Err(FindError { path, why: error.to_string() }),
            };
            if !is_dir {
                continue;
            }
            // Two names of one directory are one place.
            let real = path
                .canonicalize_utf8()
                .map_err(|error| FindError { path: path.clone(), why: error.to_string() })?;
            if dirs.iter().all(|(_, other)| *other != real) {
                dirs.push((path, real));
            }
        }
        Ok(dirs.into_iter().map(|(_, real)| real).collect())
    }

    /// Everything that stands where the transcript of an id would stand, whatever it is.
    pub(super) fn find(&self, id: &NativeId) -> Result<Vec<Utf8PathBuf>, FindError> {
        let mut found = Vec::new();
        for dir in self.project_dirs()? {
            let path = dir.join(format!("{id}.jsonl"));
            match std::fs::symlink_metadata(&path) {
                Ok(_) => found.push(path),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(FindError { path, why: error.to_string() }),
            }
        }
        Ok(found)
    }
}

/// The entries of a directory, sorted; none when it is not there.
pub(super) fn list(dir: &Utf8Path) -> Result<Vec<Utf8PathBuf>, FindError> {
    let failed = |error: io::Error| FindError { path: dir.to_owned(), why: error.to_string() };
    let entries = match dir.read_dir_utf8() {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => paths.push(entry.into_path()),
            // A name that is not UTF-8 is none the runtime gives.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {}
            Err(error) => return Err(failed(error)),
        }
    }
    paths.sort();
    Ok(paths)
}

/// Whether a directory of transcripts is the one of a working directory, given by its real path.
///
/// Every UTF-16 unit that is no ASCII letter or digit becomes `-`. Many paths
/// share one slug, so this only rules out; the rows say where they were written.
pub(super) fn is_slug_of(dir: &str, cwd: &str) -> bool {
    let slug: String = cwd
        .chars()
        .flat_map(|c| {
            let units = if c.is_ascii_alphanumeric() { 1 } else { c.len_utf16() };
            std::iter::repeat_n(if c.is_ascii_alphanumeric() { c } else { '-' }, units)
        })
        .collect();
    if slug.len() <= SLUG_CUT {
        return dir == slug;
    }
    dir.strip_prefix(&slug[..SLUG_CUT]).is_some_and(|rest| rest.len() > 1 && rest.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::is_slug_of;

    // SPEC 8: the child stands in the directory of the seat's cwd; the slugs here were seen made by the runtime.
    #[test]
    fn slugs_are_told_as_the_runtime_makes_them() {
        assert!(is_slug_of("-", "/"));
        assert!(is_slug_of("-srv-odd-dir---x-Y-1---", "/srv/odd dir.ä_x-Y@1~日本"));
        assert!(is_slug_of("-a---", "/a/😀"), "one dash for each UTF-16 unit");
        assert!(!is_slug_of("-a--", "/a/😀"));
        assert!(is_slug_of("-w-a-b", "/w/a-b") && is_slug_of("-w-a-b", "/w/a_b"));
        assert!(!is_slug_of("-w-a", "/w/b"));
        let long = format!("/{}", "x".repeat(250));
        assert!(is_slug_of(&format!("-{}-z4j2p3", "x".repeat(199)), &long));
        assert!(!is_slug_of(&format!("-{}", "x".repeat(250)), &long));
        assert!(!is_slug_of(&format!("-{}-z4j2p3", "y".repeat(199)), &long));
    }
}
