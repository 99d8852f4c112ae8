//! Where Codex keeps its things, and what its file names mean.
//!
//! A thread's history stands in `sessions/YYYY/MM/DD/rollout-TIME-THREAD.jsonl`.
//! Going back inside a thread (`thread/revert`) leaves that file and goes on in
//! another, `rollout-TIME-THREAD_ROLLOUT.jsonl`. Archiving moves files flat
//! into `archived_sessions`; compressing appends `.zst`. The directory of the
//! day is the runtime's local one, so every day is looked into.

use crate::contract::environment::SeatEnv;
use crate::contract::failure::FindError;
use camino::{Utf8Path, Utf8PathBuf};
use seatfork_schema::NativeId;
use std::io;

/// The variable that moves the runtime's home.
pub(super) const HOME_VAR: &str = "CODEX_HOME";

/// Characters of a UUID.
const UUID: usize = 36;

/// The runtime's directories for one seat's environment.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    home: Utf8PathBuf,
}

/// One file of a thread, told by its name alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rollout {
    /// The file.
    pub(super) path: Utf8PathBuf,
    /// The thread it belongs to.
    pub(super) thread: NativeId,
    /// The file's own id; the thread's, until one goes back in it.
    pub(super) id: NativeId,
    /// It stands in the archive.
    pub(super) archived: bool,
    /// It is compressed.
    pub(super) compressed: bool,
}

impl Layout {
    /// Reads the location from the seat's environment.
    pub(super) fn of(env: &SeatEnv) -> Result<Self, FindError> {
        if let Some(home) = env.get(HOME_VAR).filter(|home| !home.is_empty()) {
            return Ok(Self { home: Utf8PathBuf::from(home) });
        }
        match env.get("HOME").filter(|home| !home.is_empty()) {
            Some(user) => Ok(Self { home: Utf8Path::new(user).join(".codex") }),
            None => Err(FindError {
                path: Utf8PathBuf::from("~/.codex"),
                why: format!("neither HOME nor {HOME_VAR} is set"),
            }),
        }
    }

    /// The same of a home that is known.
    pub(super) fn at(home: Utf8PathBuf) -> Self {
        Self { home }
    }

    /// The home itself.
    pub(super) fn home(&self) -> &Utf8Path {
        &self.home
    }

    /// Rollouts, by day.
    pub(super) fn sessions(&self) -> Utf8PathBuf {
        self.home.join("sessions")
    }

    /// Archived rollouts.
    pub(super) fn archived(&self) -> Utf8PathBuf {
        self.home.join("archived_sessions")
    }

    /// One file for each thread somebody writes.
    pub(super) fn locks(&self) -> Utf8PathBuf {
        self.home.join("thread-writer-locks")
    }

    /// The file a thread's writer holds.
    pub(super) fn lock(&self, thread: &NativeId) -> Utf8PathBuf {
        self.locks().join(format!("{thread}.lock"))
    }

    /// The shared server's own account of who it is.
    pub(super) fn daemon(&self) -> Utf8PathBuf {
        self.home.join("app-server-daemon/daemon.pid")
    }

    /// The user's settings.
    pub(super) fn config(&self) -> Utf8PathBuf {
        self.home.join("config.toml")
    }

    /// The settings a profile lays over them.
    pub(super) fn profile(&self, name: &str) -> Utf8PathBuf {
        self.home.join(format!("{name}.config.toml"))
    }

    /// Names that were given to threads, one line each.
    pub(super) fn names(&self) -> Utf8PathBuf {
        self.home.join("session_index.jsonl")
    }

    /// Every rollout there is, sorted by name within its directory. None when the runtime never ran.
    pub(super) fn rollouts(&self) -> Result<Vec<Rollout>, FindError> {
        let mut found = Vec::new();
        for year in dirs(&self.sessions())? {
            for month in dirs(&year)? {
                for day in dirs(&month)? {
                    found.extend(
                        list(&day)?.into_iter().filter_map(|path| Rollout::of(path, false)),
                    );
                }
            }
        }
        found
            .extend(list(&self.archived())?.into_iter().filter_map(|path| Rollout::of(path, true)));
        Ok(found)
    }

    /// Every file of a thread.
    pub(super) fn of_thread(&self, thread: &NativeId) -> Result<Vec<Rollout>, FindError> {
        let mut all = self.rollouts()?;
        all.retain(|one| one.thread == *thread);
        Ok(all)
    }
}

impl Rollout {
    /// Reads a file's name. `None` for what is no rollout.
    pub(super) fn of(path: Utf8PathBuf, archived: bool) -> Option<Self> {
        let name = path.file_name()?;
        let (stem, compressed) = match name.strip_suffix(".zst") {
            Some(stem) => (stem, true),
            None => (name, false),
        };
        let stem = stem.strip_prefix("rollout-")?.strip_suffix(".jsonl")?;
        let last = id_at_end(stem)?;
        let before = &stem[..stem.len() - UUID];
        let (thread, id) = match before.strip_suffix('_').and_then(id_at_end) {
            Some(thread) => (thread, last),
            None if before.ends_with('-') => (last.clone(), last),
            None => return None,
        };
        Some(Self { path, thread, id, archived, compressed })
    }
}

fn id_at_end(text: &str) -> Option<NativeId> {
    let id = text.get(text.len().checked_sub(UUID)?..)?;
    NativeId::new(id).ok().filter(NativeId::is_lowercase_uuid)
}

/// The directories in a directory, links to such included; none when it is not there.
fn dirs(dir: &Utf8Path) -> Result<Vec<Utf8PathBuf>, FindError> {
    let mut found = list(dir)?;
    // What cannot be looked at is listed next, and says why then.
    found.retain(|path| std::fs::metadata(path).map_or(true, |meta| meta.is_dir()));
    found.retain(|path| path.exists());
    Ok(found)
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

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "01a22d81-21ff-7b20-9de7-d8c309cba3c3";
    const B: &str = "01a22d81-a604-7262-be53-ceb7e1679eed";

    // SPEC 6: which conversation a record belongs to is told by its whole name, never by a part of it.
    #[test]
    fn a_rollouts_name_tells_thread_file_and_compression() {
        let of = |name: &str| {
            let found = Rollout::of(Utf8PathBuf::from(format!("/s/{name}")), false)?;
            Some((found.thread.to_string(), found.id.to_string(), found.compressed))
        };
        let a = |compressed| Some((A.to_owned(), A.to_owned(), compressed));
        assert_eq!(of(&format!("rollout-2026-11-30T17-29-27-{A}.jsonl")), a(false));
        assert_eq!(of(&format!("rollout-2026-11-30T17-29-27-{A}.jsonl.zst")), a(true));
        assert_eq!(
            of(&format!("rollout-2026-11-30T17-29-27-{A}_{B}.jsonl")),
            Some((A.to_owned(), B.to_owned(), false))
        );
        for other in [
            format!("rollout-2026-11-30T17-29-27-{}.jsonl", A.to_uppercase()),
            format!("rollout-x{A}.jsonl"),
            format!("rollout-2026-11-30T17-29-27-{A}.jsonl.tmp"),
            format!("rollout-{A}_.jsonl"),
            format!("{A}.jsonl"),
            "rollout-ü.jsonl".to_owned(),
        ] {
            assert_eq!(of(&other), None, "{other}");
        }
    }
}
