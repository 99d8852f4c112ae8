//! A runtime's own words, kept verbatim in 0600 files beside the store (SPEC 7, 14).

use crate::mask::mask;
use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::OFlags;
use seatfork_store::LaunchId;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use thiserror::Error;

/// The most of it that is put into an error.
const SHOWN: usize = 4096;

/// A link in the place of a kept file is not followed.
const NOFOLLOW: i32 = OFlags::NOFOLLOW.bits().cast_signed();

/// Why output could not be kept.
#[derive(Debug, Error)]
#[error("{path}: {source}")]
pub(crate) struct OutputError {
    /// The file.
    pub(crate) path: Utf8PathBuf,
    /// Why.
    #[source]
    pub(crate) source: std::io::Error,
}

/// The two files of one launch.
#[derive(Debug, Clone)]
pub(crate) struct OutputFiles {
    out: Utf8PathBuf,
    err: Utf8PathBuf,
}

impl OutputFiles {
    /// The names of a launch's files in `dir`, which is made 0700 where it is missing.
    pub(crate) fn of(dir: &Utf8Path, launch: LaunchId) -> Result<Self, OutputError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(dir)
            .map_err(|source| OutputError { path: dir.to_owned(), source })?;
        Ok(Self::named(dir, launch))
    }

    /// The same without making anything.
    pub(crate) fn named(dir: &Utf8Path, launch: LaunchId) -> Self {
        Self {
            out: dir.join(format!("{launch}.stdout")),
            err: dir.join(format!("{launch}.stderr")),
        }
    }

    /// Where a copy of standard output goes.
    pub(crate) fn stdout(&self) -> Result<File, OutputError> {
        create(&self.out)
    }

    /// Where a copy of standard error goes.
    pub(crate) fn stderr(&self) -> Result<File, OutputError> {
        create(&self.err)
    }

    /// The file that says most: standard error where it holds something, else standard output.
    pub(crate) fn telling(&self) -> Option<Utf8PathBuf> {
        let says = |path: &&Utf8PathBuf| path.metadata().is_ok_and(|meta| meta.len() > 0);
        [&self.err, &self.out].into_iter().find(says).cloned()
    }

    /// Those that are there.
    pub(crate) fn present(&self) -> Vec<Utf8PathBuf> {
        [&self.out, &self.err].into_iter().filter(|path| path.exists()).cloned().collect()
    }

    /// Removes both: the launch went well, and what a runtime said then is nobody's concern.
    pub(crate) fn remove(&self) -> Result<(), OutputError> {
        for path in [&self.out, &self.err] {
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(OutputError { path: path.clone(), source: error });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The end of what a runtime said, for an error: standard error first, both where both say something.
pub(crate) fn told(stdout: &[u8], stderr: &[u8]) -> Option<String> {
    let tail = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end();
        let start = text.len().saturating_sub(SHOWN);
        let start = (start..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text[start..].to_owned()
    };
    let parts: Vec<_> =
        [tail(stderr), tail(stdout)].into_iter().filter(|text| !text.is_empty()).collect();
    (!parts.is_empty()).then(|| mask(&parts.join("\n")))
}

/// The same from a launch's kept files, one of which is named: what was said when it failed. `None` where they are
/// gone or cannot be read, as after a purge.
pub(crate) fn told_again(one: &Utf8Path) -> Option<String> {
    let end = |extension: &str| tail_of(&one.with_extension(extension)).unwrap_or_default();
    told(&end("stdout"), &end("stderr"))
}

/// The last bytes of a file, as many as an error shows.
fn tail_of(path: &Utf8Path) -> std::io::Result<Vec<u8>> {
    let mut file = OpenOptions::new().read(true).custom_flags(NOFOLLOW).open(path)?;
    let length = file.metadata()?.len();
    // A character cut at the front costs at most four bytes.
    let shown = u64::try_from(SHOWN).unwrap_or(u64::MAX) + 4;
    file.seek(SeekFrom::Start(length.saturating_sub(shown)))?;
    let mut bytes = Vec::new();
    file.take(shown).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn create(path: &Utf8Path) -> Result<File, OutputError> {
    let fail = |source| OutputError { path: path.to_owned(), source };
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(fail)
}
