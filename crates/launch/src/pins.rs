//! Links to the records a seat's conversation lives in, kept beside the store (`--pin-source`).
//!
//! A hard link costs nothing and keeps the bytes when the runtime, or its
//! user, deletes the record. Nothing reads a link by itself: `doctor` names it
//! where the record is gone, with the command that puts it back.

use camino::{Utf8Path, Utf8PathBuf};
use seatfork_store::{LaunchId, SourceRange};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};

/// The links of one launch.
#[derive(Debug, Clone)]
pub(crate) struct Pins(Utf8PathBuf);

impl Pins {
    /// Those of a launch; `output_dir` is the directory of captured output, beside which they are kept.
    pub(crate) fn of(output_dir: &Utf8Path, launch: LaunchId) -> Self {
        let beside = output_dir.parent().unwrap_or(output_dir);
        Self(beside.join("pins").join(launch.to_string()))
    }

    /// Links every record. What could not be linked, in words.
    pub(crate) fn make(&self, ranges: &[SourceRange]) -> Vec<String> {
        if ranges.is_empty() {
            return Vec::new();
        }
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.0);
        if let Err(error) = made {
            return vec![format!("{}: {error}", self.0)];
        }
        let link = |range: &SourceRange| {
            let Some(pin) = self.pin(&range.path) else {
                return Some(format!("{}: no name", range.path));
            };
            match std::fs::hard_link(&range.path, &pin) {
                Ok(()) => None,
                // The same command again, after it was interrupted.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
                Err(error) => Some(format!("{} could not be linked: {error}", range.path)),
            }
        };
        ranges.iter().filter_map(link).collect()
    }

    /// The link to a record, where it is there and holds what the record held.
    pub(crate) fn holding(&self, range: &SourceRange) -> Option<Utf8PathBuf> {
        let pin = self.pin(&range.path)?;
        let meta = std::fs::symlink_metadata(&pin).ok()?;
        let holds = meta.is_file() && meta.ino() == range.inode && meta.len() >= range.to;
        holds.then_some(pin)
    }

    fn pin(&self, record: &Utf8Path) -> Option<Utf8PathBuf> {
        record.file_name().map(|name| self.0.join(name))
    }

    /// Those that are there.
    pub(crate) fn present(&self) -> Vec<Utf8PathBuf> {
        let entries = self.0.read_dir_utf8().into_iter().flatten();
        entries.filter_map(Result::ok).map(camino::Utf8DirEntry::into_path).collect()
    }

    /// Removes them; the records themselves stay.
    pub(crate) fn remove(&self) -> io::Result<()> {
        match std::fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(path: &Utf8Path) -> SourceRange {
        let meta = std::fs::metadata(path).unwrap();
        SourceRange {
            path: path.to_owned(),
            device: meta.dev(),
            inode: meta.ino(),
            from: 0,
            to: meta.len(),
            sha256: String::new(),
        }
    }

    // SPEC 8: a lost record is put back from its link with the bytes, and the very file, it had.
    #[test]
    fn a_lost_record_is_put_back_from_its_link() {
        let dir = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(dir.path()).unwrap();
        let record = dir.join("rollout-x.jsonl");
        std::fs::write(&record, "one\ntwo\n").unwrap();
        let (range, at) = (range(&record), "2026-01-01T12:00:00Z".parse().unwrap());
        let pins = Pins::of(&dir.join("state/output"), LaunchId::new(at));
        assert_eq!(pins.holding(&range), None);
        assert!(pins.make(std::slice::from_ref(&range)).is_empty());
        assert!(pins.make(std::slice::from_ref(&range)).is_empty(), "the same again");
        std::fs::remove_file(&record).unwrap();
        let pin = pins.holding(&range).unwrap();
        assert!(pin.starts_with(dir.join("state/pins")));
        std::fs::hard_link(&pin, &record).unwrap();
        assert_eq!(std::fs::read_to_string(&record).unwrap(), "one\ntwo\n");
        // Something else of that name is no link to it.
        std::fs::remove_file(&pin).unwrap();
        std::fs::write(&pin, "one\ntwo\n").unwrap();
        assert_eq!(pins.holding(&range), None);
        assert_eq!(pins.present(), [pin]);
        pins.remove().unwrap();
        assert!(pins.present().is_empty() && record.is_file());
        assert_eq!(pins.make(&[SourceRange { path: dir.join("gone"), ..range }]).len(), 1);
    }
}
