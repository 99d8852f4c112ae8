//! A workspace of session logs in a temporary folder.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

/// A folder with `.pixir/sessions` below it.
#[derive(Debug)]
pub struct Workspace {
    root: TempDir,
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}

impl Workspace {
    /// An empty one; not even `.pixir` is there.
    ///
    /// # Panics
    /// When no folder can be made.
    pub fn new() -> Self {
        Self { root: tempfile::tempdir().expect("a temporary folder") }
    }

    /// One with the logs made by hand of one folder of `fixtures/pixir`. The workspace they name,
    /// `/srv/<folder>`, becomes this one.
    ///
    /// # Panics
    /// When there is no such folder.
    pub fn of(folder: &str) -> Self {
        let this = Self::new();
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/pixir").join(folder);
        let real = this.real().display().to_string();
        copy(
            &from,
            &this.root.path().join(".pixir"),
            (&format!("\"/srv/{folder}\""), &format!("\"{real}\"")),
        );
        this
    }

    /// Its root.
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// Its root without links.
    ///
    /// # Panics
    /// When it is gone.
    pub fn real(&self) -> PathBuf {
        self.root.path().canonicalize().expect("the workspace")
    }

    /// Where a session's log stands.
    pub fn log(&self, session: &str) -> PathBuf {
        self.root.path().join(".pixir/sessions").join(format!("{session}.ndjson"))
    }

    /// Where its payloads stand.
    pub fn resources(&self, session: &str) -> PathBuf {
        self.root.path().join(".pixir/sessions").join(session).join("resources")
    }

    /// The bytes of a log.
    ///
    /// # Panics
    /// When there is none.
    pub fn bytes(&self, session: &str) -> Vec<u8> {
        let path = self.log(session);
        fs::read(&path).unwrap_or_else(|err| panic!("read {}: {err}", path.display()))
    }

    /// Writes a log, whole.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, session: &str, bytes: impl AsRef<[u8]>) {
        let path = self.log(session);
        let folder = path.parent().expect("a log's folder");
        fs::create_dir_all(folder).expect("the folder of the logs");
        fs::write(&path, bytes).unwrap_or_else(|err| panic!("write {}: {err}", path.display()));
    }

    /// Everything below the root: paths with their bytes, folders with none. Two of these are equal
    /// exactly where nothing was made, changed or removed.
    ///
    /// # Panics
    /// When something cannot be read.
    pub fn everything(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut found = BTreeMap::new();
        list(self.root.path(), &mut found);
        found
    }
}

fn list(folder: &Path, found: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|err| panic!("{}: {err}", folder.display())) {
        let path = entry.expect("an entry").path();
        let kind = fs::symlink_metadata(&path).expect("what it is").file_type();
        if kind.is_dir() {
            found.insert(path.clone(), None);
            list(&path, found);
        } else if kind.is_symlink() {
            let target = fs::read_link(&path).expect("a link's target");
            found.insert(path, Some(target.into_os_string().into_encoded_bytes()));
        } else {
            let bytes = fs::read(&path).expect("a file's bytes");
            found.insert(path, Some(bytes));
        }
    }
}

fn copy(from: &Path, to: &Path, rename: (&str, &str)) {
    fs::create_dir_all(to).unwrap_or_else(|err| panic!("make {}: {err}", to.display()));
    for entry in fs::read_dir(from).unwrap_or_else(|err| panic!("list {}: {err}", from.display())) {
        let entry = entry.expect("an entry");
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target, rename);
        } else {
            // Read and written anew, so that a read-only checkout makes a writable workspace.
            let bytes = fs::read(&path).unwrap_or_else(|err| panic!("{}: {err}", path.display()));
            let bytes = match std::str::from_utf8(&bytes) {
                Ok(text) => text.replace(rename.0, rename.1).into_bytes(),
                Err(_) => bytes,
            };
            fs::write(&target, bytes).unwrap_or_else(|err| panic!("{}: {err}", target.display()));
        }
    }
}
