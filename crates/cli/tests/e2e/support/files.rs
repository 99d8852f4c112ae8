//! Files before and after: what was changed, made, removed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// What some files hold, by hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Files(BTreeMap<PathBuf, String>);

impl Files {
    /// Everything below some paths; a path that is not there holds nothing.
    pub(crate) fn below<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Self {
        let mut files = BTreeMap::new();
        for path in paths {
            add(path.as_ref(), &mut files);
        }
        Self(files)
    }

    /// The paths that are not as they were, each with what became of it.
    pub(crate) fn changes(&self, after: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        for (path, hash) in &self.0 {
            match after.0.get(path) {
                None => changes.push(format!("{} is gone", path.display())),
                Some(now) if now != hash => changes.push(format!("{} changed", path.display())),
                Some(_) => {}
            }
        }
        let new = after.0.keys().filter(|path| !self.0.contains_key(*path));
        changes.extend(new.map(|path| format!("{} is new", path.display())));
        changes
    }
}

fn add(path: &Path, files: &mut BTreeMap<PathBuf, String>) {
    let Ok(kind) = fs::symlink_metadata(path).map(|metadata| metadata.file_type()) else { return };
    if kind.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            add(&entry.unwrap().path(), files);
        }
    } else if kind.is_symlink() {
        let target = fs::read_link(path).unwrap();
        files.insert(path.to_owned(), format!("link to {}", target.display()));
    } else if kind.is_file() {
        let hash = Sha256::digest(fs::read(path).unwrap());
        files.insert(path.to_owned(), hash.iter().map(|byte| format!("{byte:02x}")).collect());
    } else {
        files.insert(path.to_owned(), "neither file nor directory".to_owned());
    }
}
