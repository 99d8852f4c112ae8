//! The recorded transcripts under `fixtures/claude`, see the README there.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use crate::transcript::Transcript;

/// One recorded source with the fork the real program made of it.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The Claude Code version.
    pub version: String,
    /// What kind of source it is: the folder's name.
    pub kind: String,
    /// The prior conversation.
    pub source: Transcript,
    /// The real child.
    pub fork: Transcript,
    /// What was read off the pair.
    pub facts: Facts,
}

/// What was read off a source and its fork before they were cleaned.
#[derive(Clone, Debug, Deserialize)]
pub struct Facts {
    /// The source's native id.
    pub source_id: String,
    /// The child's native id.
    pub fork_id: String,
    /// The directory both ran in.
    pub cwd: PathBuf,
    /// How the source was made.
    pub made_by: String,
    /// The uuids the child has from the source, in the child's order.
    pub inherited: Vec<String>,
    /// The uuids of the child's own rows.
    pub own: Vec<String>,
    /// Whether the child's own rows all stand after the inherited ones.
    pub own_rows_only_after_inherited: bool,
    /// The inherited rows whose `parentUuid` the child changed.
    pub relinked: Vec<String>,
}

/// Every recording, by version and kind.
///
/// # Panics
/// When the recordings are not whole.
pub fn claude() -> Vec<Recording> {
    let kinds = |version: &String| folders(&root().join(version));
    let versions = folders(&root());
    let all = versions.iter().flat_map(|v| kinds(v).into_iter().map(move |kind| (v, kind)));
    all.map(|(version, kind)| claude_recording(version, &kind)).collect()
}

/// The recording of one kind of source by one version.
///
/// # Panics
/// When there is none.
pub fn claude_recording(version: &str, kind: &str) -> Recording {
    let folder = root().join(version).join(kind);
    let facts: Facts = serde_json::from_str(&text(&folder.join("facts.json")))
        .unwrap_or_else(|err| panic!("read {}/facts.json: {err}", folder.display()));
    let transcript = |file: &str, id: &str| Transcript {
        id: id.to_owned(),
        rows: Transcript::rows_of(&text(&folder.join(file))),
    };
    let source = transcript("source.jsonl", &facts.source_id);
    let fork = transcript("fork.jsonl", &facts.fork_id);
    Recording { version: version.into(), kind: kind.into(), source, fork, facts }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/claude")
}

fn folders(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root).unwrap_or_else(|err| panic!("list {}: {err}", root.display()));
    let mut names: Vec<_> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    names
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|err| panic!("read {}: {err}", path.display()))
}
