//! A member's working directory, made real and checked (SPEC 2, 7).

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::Access;
use seatfork_schema::LaunchCode;
use std::io::ErrorKind;

/// The real path of a member's cwd, taken from the spec's directory, or what is wrong with it.
pub(super) fn real(root: &Utf8Path, cwd: &str) -> Result<Utf8PathBuf, (LaunchCode, String)> {
    directory("cwd", &root.join(cwd))
}

/// The real path of `--workspace`, or what is wrong with it.
pub(super) fn workspace(dir: &Utf8Path) -> Result<Utf8PathBuf, (LaunchCode, String)> {
    directory("--workspace", dir)
}

fn directory(what: &str, path: &Utf8Path) -> Result<Utf8PathBuf, (LaunchCode, String)> {
    let unreachable =
        |why: &dyn std::fmt::Display| (LaunchCode::CwdMissing, format!("{what} {path}: {why}"));
    let real = match path.canonicalize_utf8() {
        Ok(real) => real,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound) => {
            return Err((LaunchCode::CwdMissing, format!("{what} {path} does not exist")));
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotADirectory) => {
            return Err((
                LaunchCode::CwdMissing,
                format!("{what} {path}: a part of it is not a directory"),
            ));
        }
        Err(error) => return Err(unreachable(&error)),
    };
    match real.metadata() {
        Ok(found) if found.is_dir() => {}
        Ok(_) => {
            return Err((LaunchCode::CwdMissing, format!("{what} {path} is not a directory")));
        }
        Err(error) => return Err(unreachable(&error)),
    }
    rustix::fs::access(real.as_str(), Access::READ_OK | Access::EXEC_OK)
        .map_err(|error| unreachable(&std::io::Error::from(error)))?;
    Ok(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC 2: a cwd must be an existing directory at plan; links are followed, what is wrong is named.
    #[test]
    fn a_cwd_is_real_and_a_directory_or_refused_by_what_is_wrong() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap().canonicalize_utf8().unwrap();
        std::fs::create_dir(root.join("work")).unwrap();
        std::fs::write(root.join("file"), "x").unwrap();
        std::os::unix::fs::symlink(root.join("work"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("nowhere"), root.join("dangling")).unwrap();
        assert_eq!(real(&root, ".").unwrap(), root);
        assert_eq!(real(&root, "link").unwrap(), root.join("work"));
        for (cwd, code) in [
            ("gone", LaunchCode::CwdMissing),
            ("dangling", LaunchCode::CwdMissing),
            ("file", LaunchCode::CwdMissing),
            ("file/below", LaunchCode::CwdMissing),
        ] {
            assert_eq!(real(&root, cwd).unwrap_err().0, code, "{cwd}");
        }
    }
}
