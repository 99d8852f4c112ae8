//! The workspace on disk: its root, its files, its cargo metadata.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::failure::Failure;
use crate::process::Call;

/// The folder that holds the workspace's `Cargo.toml`.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// Absolute path of that folder.
    pub(crate) root: PathBuf,
}

/// A text file of the workspace.
#[derive(Debug)]
pub(crate) struct TextFile {
    /// Path from the root, with `/` between its parts.
    pub(crate) path: String,
    /// Everything in it.
    pub(crate) text: String,
}

impl Workspace {
    /// Asks cargo where the workspace of the current directory is.
    pub(crate) fn find() -> Result<Self, Failure> {
        let call = Call::cargo(
            Path::new("."),
            &["locate-project", "--workspace", "--message-format", "plain"],
        );
        let manifest = PathBuf::from(call.output()?.trim_end());
        match manifest.parent() {
            Some(root) => Ok(Self { root: root.to_owned() }),
            None => Err(Failure::Process {
                command: call.to_string(),
                why: "named no manifest".to_owned(),
            }),
        }
    }

    /// A call of cargo in the root of the workspace.
    pub(crate) fn cargo(&self, args: &[&str]) -> Call {
        Call::cargo(&self.root, args)
    }

    /// `cargo metadata`: with every dependency for the host's platform, or the members alone.
    pub(crate) fn metadata(&self, with_dependencies: bool) -> Result<Value, Failure> {
        let mut args = vec!["metadata", "--format-version", "1", "--locked"];
        let host;
        if with_dependencies {
            host = self.host()?;
            args.extend(["--filter-platform", &host]);
        } else {
            args.push("--no-deps");
        }
        let call = self.cargo(&args);
        serde_json::from_str(&call.output()?)
            .map_err(|error| Failure::Process { command: call.to_string(), why: error.to_string() })
    }

    /// The platform cargo builds for here, e.g. `x86_64-unknown-linux-gnu`.
    fn host(&self) -> Result<String, Failure> {
        let call = self.cargo(&["--version", "--verbose"]);
        let version = call.output()?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        host.map(str::to_owned).ok_or_else(|| Failure::Process {
            command: call.to_string(),
            why: "named no host".to_owned(),
        })
    }

    /// The folder cargo builds into.
    pub(crate) fn target(&self) -> Result<PathBuf, Failure> {
        let metadata = self.metadata(false)?;
        metadata["target_directory"].as_str().map(PathBuf::from).ok_or_else(|| Failure::Content {
            path: "cargo metadata".to_owned(),
            why: "no target_directory".to_owned(),
        })
    }

    /// Paths, from the root and sorted, of every file but those in build folders and `.git`.
    pub(crate) fn paths(&self) -> Result<Vec<String>, Failure> {
        let mut found = Vec::new();
        walk(&self.root, "", &mut found)?;
        found.sort();
        Ok(found)
    }

    /// The files whose path `wanted` picks, read as UTF-8.
    pub(crate) fn texts(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<TextFile>, Failure> {
        self.paths()?.into_iter().filter(|path| wanted(path)).map(|path| self.text(&path)).collect()
    }

    /// One file, by its path from the root.
    pub(crate) fn text(&self, path: &str) -> Result<TextFile, Failure> {
        let whole = self.root.join(path);
        let text = fs::read_to_string(&whole).map_err(Failure::file("read", &whole))?;
        Ok(TextFile { path: path.to_owned(), text })
    }
}

/// Whether a path is Rust source of ours.
pub(crate) fn is_rust(path: &str) -> bool {
    has_extension(path, "rs")
}

/// Whether a path ends in `.extension`.
pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|own| own == extension)
}

/// Adds the files below `dir` (shown as `prefix`); a folder marked as a cache is no part of the project.
fn walk(dir: &Path, prefix: &str, found: &mut Vec<String>) -> Result<(), Failure> {
    if dir.join("CACHEDIR.TAG").exists() {
        return Ok(());
    }
    for entry in fs::read_dir(dir).map_err(Failure::file("list", dir))? {
        let entry = entry.map_err(Failure::file("list", dir))?;
        let kind = entry.file_type().map_err(Failure::file("look at", &entry.path()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if kind.is_dir() && !matches!(name.as_str(), ".git" | "node_modules" | "target") {
            walk(&entry.path(), &format!("{prefix}{name}/"), found)?;
        } else if kind.is_file() && name != ".git" {
            found.push(format!("{prefix}{name}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_folders_and_git_are_no_part_of_the_project() {
        let temp = tempfile::tempdir().unwrap();
        for file in [
            "a.rs",
            "deep/b.md",
            "target/c.rs",
            "cache/CACHEDIR.TAG",
            "cache/d.rs",
            ".git/e",
            ".ci/run",
        ] {
            let path = temp.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let workspace = Workspace { root: temp.path().to_owned() };
        assert_eq!(workspace.paths().unwrap(), [".ci/run", "a.rs", "deep/b.md"]);
    }
}
