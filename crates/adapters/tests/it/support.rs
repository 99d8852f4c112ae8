//! What several tests need: a temporary directory, scripts in it, a runtime.

use camino::{Utf8Path, Utf8PathBuf};
use seatfork_adapters::{ProcessPlan, SeatEnv};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use tempfile::TempDir;

/// A directory that goes away with its test.
pub(crate) struct Place {
    _dir: TempDir,
    pub(crate) path: Utf8PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap().canonicalize_utf8().unwrap();
        Self { _dir: dir, path }
    }

    /// Writes a file below the place, with its directories.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> Utf8PathBuf {
        let path = self.path.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Writes an executable shell script below the place.
    pub(crate) fn script(&self, name: &str, body: &str) -> Utf8PathBuf {
        let path = self.file(name, format!("#!/bin/sh\n{body}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
}

/// An environment with just these names.
pub(crate) fn env(pairs: &[(&str, &str)]) -> SeatEnv {
    let all: BTreeMap<String, String> =
        pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    let names: Vec<String> = all.keys().cloned().collect();
    SeatEnv::build(&all, &[], &names)
}

/// A plan that runs one program with arguments.
pub(crate) fn plan(argv: &[&str], seconds: u64) -> ProcessPlan {
    ProcessPlan {
        argv: argv.iter().map(ToString::to_string).collect(),
        cwd: Utf8PathBuf::from("/"),
        set_env: Vec::new(),
        unset_env: Vec::new(),
        deadline: Duration::from_secs(seconds),
        dialogue: None,
    }
}

/// Runs a future to its end.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
