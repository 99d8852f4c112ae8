//! Files before and after: what was changed, made, removed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// What some files hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Files(BTreeMap<PathBuf, Held>);

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Held {
    File { sha256: Vec<u8> },
    Link { to: PathBuf },
    Other,
}

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
        for (path, held) in &self.0 {
            match after.0.get(path) {
                None => changes.push(format!("{} is gone", path.display())),
                Some(now) if now != held => changes.push(format!("{} changed", path.display())),
                Some(_) => {}
            }
        }
        let new = after.0.keys().filter(|path| !self.0.contains_key(*path));
        changes.extend(new.map(|path| format!("{} is new", path.display())));
        changes
    }
}

fn add(path: &Path, files: &mut BTreeMap<PathBuf, Held>) {
    let Ok(kind) = fs::symlink_metadata(path).map(|metadata| metadata.file_type()) else { return };
    if kind.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            add(&entry.unwrap().path(), files);
        }
        return;
    }
    let held = if kind.is_symlink() {
        Held::Link { to: fs::read_link(path).unwrap() }
    } else if kind.is_file() {
        Held::File { sha256: Sha256::digest(fs::read(path).unwrap()).to_vec() }
    } else {
        Held::Other
    };
    files.insert(path.to_owned(), held);
}
