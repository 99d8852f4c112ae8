//! Finding a program by name in a `PATH` that was given, never in our own.

use camino::{Utf8Path, Utf8PathBuf};

use crate::spec::executable;

/// Returns the real path of the first executable `name`, or the directories that were looked in.
///
/// Relative and empty entries are skipped: they would mean the directory we happen to be in.
pub(crate) fn find_program(name: &str, path: &str) -> Result<Utf8PathBuf, Vec<String>> {
    let absolute: Vec<&str> = path.split(':').filter(|entry| entry.starts_with('/')).collect();
    absolute
        .iter()
        .map(|entry| Utf8Path::new(entry).join(name))
        .filter(|candidate| executable(candidate).is_ok())
        .find_map(|candidate| candidate.canonicalize_utf8().ok())
        .ok_or_else(|| absolute.iter().map(|&entry| entry.to_owned()).collect())
}
