//! Files before and after.

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// SHA-256 in lower-case hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string does not fail.
        write!(hex, "{byte:02x}").ok();
        hex
    })
}

/// What stands below a folder: each regular file with the hash of its content.
pub(crate) fn below(folder: &Utf8Path) -> BTreeMap<Utf8PathBuf, String> {
    let mut found = BTreeMap::new();
    add(folder, &mut found);
    found
}

fn add(folder: &Utf8Path, found: &mut BTreeMap<Utf8PathBuf, String>) {
    let entries = folder.read_dir_utf8().unwrap_or_else(|error| panic!("list {folder}: {error}"));
    for entry in entries {
        let entry = entry.unwrap_or_else(|error| panic!("list {folder}: {error}"));
        let kind = entry.file_type().unwrap_or_else(|error| panic!("{}: {error}", entry.path()));
        if kind.is_dir() {
            add(entry.path(), found);
        } else if kind.is_file() {
            let bytes = std::fs::read(entry.path());
            let bytes = bytes.unwrap_or_else(|error| panic!("{}: {error}", entry.path()));
            found.insert(entry.path().to_owned(), sha256(&bytes));
        }
    }
}

/// The paths that were there before and are not as they were.
pub(crate) fn changed(
    before: &BTreeMap<Utf8PathBuf, String>,
    after: &BTreeMap<Utf8PathBuf, String>,
) -> Vec<Utf8PathBuf> {
    let is_other = |(path, hash): &(&Utf8PathBuf, &String)| after.get(*path) != Some(hash);
    before.iter().filter(is_other).map(|(path, _)| path.clone()).collect()
}
